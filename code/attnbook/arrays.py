"""Validate input: the one place where the package says what it accepts."""

import math
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import torch

__all__ = ["Array", "any_array", "as_array", "as_mask", "as_numpy", "as_permutation", "brief", "dense", "expect"]
__all__ += ["in_range", "namespace", "one_of", "require_flag", "require_int", "require_number", "same_batch"]
__all__ += ["shape_of", "whole_numbers"]

LARGEST = 2**31  # of a size, unless another limit is named
#: What a law takes and returns once it is validated: a NumPy array or a PyTorch tensor.
Array: TypeAlias = Union[np.ndarray, "torch.Tensor"]


def require_int(name: str, value: Any, least: int = 1, multiple: int = 1, most: int = LARGEST) -> int:
    """Return ``value`` as an int; 2.0 is one, 2.5, ∞ and NaN are not.

    Raises ``ValueError`` that names the argument unless it is a multiple of ``multiple`` from ``least`` to ``most``.

    >>> require_int("n", 3.0)
    3
    """
    number = 0
    try:
        number = int(value)
        accepted = np.ndim(value) == 0 and number == value and least <= number <= most and number % multiple == 0
    except (TypeError, ValueError, OverflowError, RuntimeError):
        accepted = False
    if not accepted:
        even = {1: "a", 2: "an even"}.get(multiple, f"a multiple of {multiple} as")
        limit = f" and <= {most}" if most < LARGEST or number > most else ""
        raise ValueError(f"{name} = {brief(value)}; expected {even} whole number >= {least}{limit}")
    return number


def require_number(
    name: str, value: Any, least: float = -math.inf, above: float = -math.inf, like: Array | None = None
) -> Any:
    """Return ``value`` as a float; beside a tensor ``like`` it may be a tensor without axes that autograd follows.

    Raises ``ValueError`` that names the argument unless it is finite, >= ``least`` and > ``above``.

    >>> require_number("eps", 0.5, above=0)
    0.5
    """
    try:
        number = float(value.detach() if hasattr(value, "detach") else value)
        accepted = np.ndim(value) == 0 and _real(value) and math.isfinite(number)
        accepted = accepted and number >= least and number > above
    except (TypeError, ValueError, OverflowError, RuntimeError):
        accepted = False
    if not accepted:
        bound = f" >= {least:g}" if least > above else f" > {above:g}" if above > -math.inf else ""
        raise ValueError(f"{name} = {brief(value)}; expected a finite number{bound}")
    return value if hasattr(value, "detach") and hasattr(like, "detach") else number


def _real(x):
    reals = "bool", "integral", "real floating"
    return isinstance(x, Real | Decimal) or (is_array_api_obj(x) and array_namespace(x).isdtype(x.dtype, reals))


def brief(value: object) -> str:
    """Write a value in at most 60 characters of one line; text in quotation marks, so that "3" is no number."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"a whole number of {value.bit_length()} bits"
    return " ".join((repr(value) if isinstance(value, str) else str(value)).split())[:60]


def require_flag(name: str, value: Any) -> bool:
    """Refuse anything but True and False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} = {brief(value)}; expected True or False")
    return bool(value)


def one_of(name: str, value: Any, *choices: str) -> None:
    """Refuse ``value`` unless it is one of these words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} = {brief(value)}; expected {' or '.join(map(repr, choices))}")


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of ``x`` as a plain tuple, for messages."""
    return tuple(np.shape(x)) if not hasattr(x, "shape") else tuple(x.shape)


def namespace(*arrays: Array, **named: Array) -> Any:
    """The array library that the arrays belong to, seen through the array API standard.

    Raises ``TypeError`` for arrays of two libraries, or tensors of two precisions or devices; it names the ``named``.
    """
    given = {f"array {i}": x for i, x in enumerate(arrays)} | named
    kinds = {n: f"{x.dtype} on {x.device}" if hasattr(x, "detach") else "a NumPy array" for n, x in given.items()}
    if len(set(kinds.values())) > 1:
        said = ", ".join(f"{name} with shape {shape_of(given[name])} is {kind}" for name, kind in kinds.items())
        raise TypeError(f"{said}; expected one library, one precision and one device")
    return array_namespace(*given.values())


def as_array(name: str, x: ArrayLike, ndim: int = 1, *, finite: bool = True) -> Array:
    """Return ``x`` as a real floating array of rank at least ``ndim``.

    Lists become float64 NumPy arrays; arrays and tensors keep their library, and their dtype if floating, else float64.

    Raises ``ValueError`` that names the argument and its shape when the rank is too small, an axis is empty, or an
    entry is complex or NaN; with ``finite`` also for an infinity.

    >>> as_array("x", [1, 2])
    array([1., 2.])
    """
    x = any_array(name, x, ndim)
    xp = array_namespace(x)
    x = x if xp.isdtype(x.dtype, "real floating") else xp.astype(x, xp.float64)
    if 0 in x.shape:
        raise ValueError(f"{name} has shape {tuple(x.shape)}; expected no empty axis")
    sure = _surely_finite(x)
    if not sure and bool(xp.any(xp.isnan(x))):
        raise ValueError(f"{name} with shape {tuple(x.shape)} contains NaN; expected numbers")
    if not sure and finite and not bool(xp.all(xp.isfinite(x))):
        raise ValueError(f"{name} with shape {tuple(x.shape)} contains an infinity; expected finite numbers")
    return x


def any_array(name: str, x: ArrayLike, ndim: int = 1) -> Array:
    """Return ``x``, of whatever real type, as a dense array of rank at least ``ndim``; refuse anything else."""
    x = dense(name, x)
    if not is_array_api_obj(x):
        try:
            text = any(isinstance(item, str | bytes) for item in np.asarray(x, dtype=object).flat)
            kind = np.asarray(x).dtype.kind
            x = np.asarray(x, dtype=np.float64 if kind in "biufO" and not text else None)
        except (TypeError, ValueError, RuntimeError, OverflowError):
            raise ValueError(f"{name} is not a rectangular array of numbers: {brief(x)}") from None
    if isinstance(x, np.ndarray) and x.dtype.kind not in "biufc":
        raise ValueError(f"{name} is not a rectangular array of numbers: {brief(x)}")
    if array_namespace(x).isdtype(x.dtype, "complex floating"):
        raise ValueError(f"{name} with shape {shape_of(x)} has dtype {x.dtype}; expected real numbers")
    if x.ndim < ndim:
        raise ValueError(f"{name} has shape {shape_of(x)}; expected at least {ndim} axes")
    return x


def dense(name: str, x: Any) -> Any:
    """Refuse an array whose numbers are missing, hidden or too coarse; a subclass such as np.matrix loses its rules."""
    sparse, items = "sparse" in str(getattr(x, "layout", "")), x if isinstance(x, list | tuple) else [x]
    masked = any(isinstance(item, np.ma.MaskedArray) for item in items)
    if masked or sparse or getattr(x, "is_meta", False) or "float8" in str(getattr(x, "dtype", "")):
        kind = "masked" if masked else "sparse" if sparse else "meta" if x.is_meta else "8-bit"
        raise ValueError(f"{name} with shape {shape_of(x)} is a {kind} array; expected a dense array of numbers")
    if isinstance(x, np.ndarray):
        return np.array(x) if min(x.strides, default=0) < 0 else np.asarray(x)  # torch cannot read backwards
    return x


def as_mask(name: str, mask: ArrayLike, like: Array) -> Array:
    """Return ``mask`` as booleans of the library of ``like``; refuse anything but booleans."""
    xp = array_namespace(like)
    try:
        mask = xp.asarray(dense(name, mask))
    except (TypeError, ValueError, RuntimeError):
        raise ValueError(f"{name} = {brief(mask)}; expected booleans, True where a query may look") from None
    if mask.dtype != xp.bool:
        raise ValueError(f"{name} has dtype {mask.dtype}; expected booleans, True where a query may look")
    return mask


def as_numpy(name: str, x: ArrayLike, ndim: int = 0, *, finite: bool = True) -> np.ndarray:
    """Return ``x`` as a float64 NumPy array that autograd no longer follows; refuse what :func:`as_array` refuses.

    >>> as_numpy("x", [1, 2])
    array([1., 2.])
    """
    x = as_array(name, x, ndim, finite=finite)
    return np.asarray(x.detach().cpu().double() if hasattr(x, "detach") else x, dtype=np.float64)


def whole_numbers(name: str, x: ArrayLike, ndim: int | None = None) -> np.ndarray:
    """Return ``x`` as int64, in which differences do not wrap around; with exactly ``ndim`` axes if that is given.

    Raises ``ValueError`` as :func:`as_array` does, and for booleans, fractions, and numbers beyond 2⁵³.
    """
    numbers = as_numpy(name, x)
    boolean = str(x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype).endswith("bool")
    if ndim not in (None, numbers.ndim):
        raise ValueError(f"{name} has shape {numbers.shape}; expected a list of whole numbers")
    if boolean or (numbers != np.round(numbers)).any() or np.abs(numbers).max() > 2**53:
        raise ValueError(f"{name} with shape {numbers.shape} holds {brief(x)}; expected whole numbers up to 2**53")
    return numbers.astype(np.int64)


def as_permutation(perm: Sequence[int], n: int | None = None) -> np.ndarray:
    """Return ``perm`` as an array of whole numbers.

    Raises ``ValueError`` if it is not a rearrangement of 0 … n−1, n being its own length unless given.

    >>> as_permutation([1, 0])
    array([1, 0])
    """
    checked, shown = np.empty(0, dtype=int), perm
    with suppress(TypeError, ValueError, RuntimeError):  # ragged, empty, or not whole
        given = np.asarray(dense("perm", perm))
        shown = given.tolist()
        checked = given if given.dtype.kind in "iu" else whole_numbers("perm", perm, 1)
    length = max(checked.size, 1) if n is None else n
    if checked.ndim != 1 or sorted(checked.tolist()) != list(range(length)):
        which = "" if n is None else f", n = {n}"
        raise ValueError(f"perm = {brief(shown)} is no permutation; expected each of 0 … n−1 exactly once{which}")
    return checked.astype(np.int64)


def expect(name: str, x: Array, shape: Sequence[int], words: str = "") -> None:
    """Refuse ``x`` unless it has this very shape, which the message describes in ``words`` if there are any."""
    if tuple(x.shape) != tuple(shape):
        raise ValueError(f"{name} has shape {shape_of(x)}; expected {words or tuple(shape)}")


def same_batch(name: str, x: Array, other: Array) -> None:
    """Refuse ``x`` unless its leading axes fit those of ``other`` as NumPy broadcasts: equal, or 1, or missing."""
    try:
        np.broadcast_shapes(tuple(x.shape[:-2]), tuple(other.shape[:-2]))
    except ValueError:
        fit = shape_of(other)[:-2]
        raise ValueError(f"{name} has shape {shape_of(x)}; expected leading axes that fit {fit}") from None


def in_range(law: str, y: Array) -> Array:
    """Return ``y``, computed from finite numbers; refuse it if it has left the range of its floating-point type."""
    if not _surely_finite(y) and not bool((xp := array_namespace(y)).all(xp.isfinite(y))):
        expected = "expected smaller numbers, or a type with a wider range"
        raise ValueError(f"{law} with shape {tuple(y.shape)} leaves the range of {y.dtype}; {expected}")
    return y


def _surely_finite(x: Array) -> bool:
    """Whether the sum of all entries is finite: no entry is an infinity or NaN then, and one pass has told."""
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite((x.detach() if hasattr(x, "detach") else x).sum())
