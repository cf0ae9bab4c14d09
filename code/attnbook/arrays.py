"""Read the arguments of a law: their library and their shapes, in the words of its docstring.

    xp, Q, K = arrays("Q (..., n, d_k), K (..., m, d_k)", Q, K)

``xp`` is the array library of the arguments, seen through the array API standard, so one formula serves NumPy and
PyTorch. A learner's mistake raises a ``ValueError`` that names the argument. Unusual kinds of arrays are left to NumPy
and PyTorch.
"""

import dataclasses
import functools
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import torch

__all__ = [
    "Array",
    "arrays",
    "as_array",
    "as_mask",
    "as_numpy",
    "as_permutation",
    "below",
    "brief",
    "finite_max",
    "namespace",
    "one_of",
    "require_flag",
    "require_int",
    "require_number",
    "shape_of",
    "whole_numbers",
]

#: What a law takes and returns: a NumPy array or a PyTorch tensor.
Array: TypeAlias = Union[np.ndarray, "torch.Tensor"]


def arrays(spec: str, *values: ArrayLike | None) -> tuple[Any, ...]:
    """Return the array library of ``values``, then each of them as a floating array of the shape that ``spec`` names.

    A letter is the same length wherever it stands; ``4·d_h`` is four times ``d_h``. A shape may begin with ``...``, for
    leading axes that broadcast together, or with ``*``, for leading axes that only the formula can judge. None
    is accepted, and stays, where the spec says so: ``b (d,) or None``.

    Raises ``ValueError`` that names the argument, its shape and the expected one, and as :func:`as_array` does.

    >>> _, x, W = arrays("x (d,), W (2·d, n)", [1, 2], np.ones((4, 3)))
    >>> x
    array([1., 2.])
    """
    shapes = _parse(spec)
    lengths: dict[str, int] = {}
    batch: tuple[int, ...] = ()
    result = []
    for shape, x in zip(shapes, values, strict=True):
        if x is not None or not shape.optional:
            x = as_array(shape.name, x)
            batch = _join_batch(shape, x, lengths, batch)
            lengths = _bind_axes(shape, x, lengths, batch)
        result.append(x)
    for shape, x in zip(shapes, result, strict=True):
        if x is not None:
            _require_products(shape, x, lengths, batch)
    return (namespace(*[x for x in result if x is not None]), *result)


@dataclasses.dataclass(frozen=True)
class _Shape:
    """The shape that a law expects of one argument, such as ``Q (..., n, d_k)``."""

    name: str  # Q
    text: str  # (..., n, d_k)
    leading: str  # "..." or "*", or "" where there are no other axes
    axes: tuple[str, ...]  # n, d_k
    optional: bool  # whether None is accepted


@functools.cache
def _parse(spec):
    """Read "Q (..., n, d_k), b (d,)" as a list of shapes."""
    shapes = []
    for name, text, optional in re.findall(r"(\S+) (\([^)]*\))( or None)?", spec):
        axes = re.findall(r"[^(), ]+", text)
        leading = axes.pop(0) if axes[:1] in (["..."], ["*"]) else ""
        shapes.append(_Shape(name, text, leading, tuple(axes), bool(optional)))
    return shapes


def _join_batch(shape, x, lengths, batch):
    """Return the leading axes of all arguments so far, with those of ``x``; refuse ``x`` if they do not fit."""
    lead = x.ndim - len(shape.axes)
    if lead < 0 or (lead > 0 and not shape.leading):
        raise _misfit(shape, x, lengths, batch)
    leading = tuple(x.shape[:lead])
    if shape.leading == "*" or leading in ((), batch):
        return batch
    try:
        return np.broadcast_shapes(batch, leading)
    except ValueError:
        raise _misfit(shape, x, lengths, batch) from None


def _bind_axes(shape, x, lengths, batch):
    """Return the lengths of all letters so far, with those of ``x``; refuse ``x`` if a letter has another length."""
    bound = dict(lengths)
    last = x.shape[x.ndim - len(shape.axes) :]
    for axis, length in zip(shape.axes, last, strict=True):
        if bound.setdefault(axis, length) != length:
            raise _misfit(shape, x, lengths, batch)
    return bound


def _require_products(shape, x, lengths, batch):
    """Refuse ``x`` if an axis such as ``4·d_h`` is not as long as the product, now that all letters are known."""
    for axis in shape.axes:
        factors = axis.split("·")
        if len(factors) > 1 and lengths[axis] != math.prod(lengths.get(part) or int(part) for part in factors):
            raise _misfit(shape, x, lengths, batch)


def _misfit(shape, x, lengths, batch):
    """Return the error that names the argument, its shape and the expected one, with the lengths that are known."""
    message = f"{shape.name} has shape {shape_of(x)}; expected {shape.text}"
    expected = re.sub(r"\w+", lambda letter: str(lengths.get(letter[0], letter[0])), shape.text)
    if expected != shape.text:
        message += f" = {expected}"
        if batch and shape.leading == "...":
            message += f", leading axes that fit {batch}"
    return ValueError(message)


def namespace(*xs: Array) -> Any:
    """Return the array library of ``xs``, by the names of the array API standard; NumPy has them itself since 2.1.

    Raises ``TypeError`` for arrays of two libraries.
    """
    numpy = hasattr(np, "unstack") and all(isinstance(x, np.ndarray) for x in xs)
    return np if numpy else array_namespace(*xs)


def as_array(name: str, x: ArrayLike, ndim: int = 0) -> Array:
    """Return ``x`` as a real floating array: lists and whole numbers as float64, arrays and tensors in their library.

    Raises ``ValueError`` that names the argument if it holds no numbers, complex ones, NaN or nothing, or has fewer
    than ``ndim`` axes.
    """
    if not hasattr(x, "dtype"):
        try:
            x = np.asarray(x)
        except (TypeError, ValueError, RuntimeError):  # ragged lists
            raise ValueError(f"{name} = {brief(x)}; expected a rectangular array of numbers") from None
    if isinstance(x, np.ndarray | np.generic):
        if x.dtype.kind not in "biuf":
            raise ValueError(f"{name} = {brief(x)}; expected an array of real numbers")
        x = np.asarray(x, dtype=None if x.dtype.kind == "f" else np.float64)
    elif not (xp := array_namespace(x)).isdtype(x.dtype, "real floating"):
        if xp.isdtype(x.dtype, "complex floating"):
            raise ValueError(f"{name} with shape {shape_of(x)} has dtype {x.dtype}; expected real numbers")
        x = xp.astype(x, xp.float64)
    if 0 in x.shape or x.ndim < ndim:
        raise ValueError(f"{name} has shape {shape_of(x)}; expected at least {ndim} axes, none of them empty")
    if math.isnan(_total(x)) and bool((x != x).any()):
        raise ValueError(f"{name} with shape {shape_of(x)} contains NaN; expected numbers")
    return x


def _total(x):
    """Return the sum of all entries: NaN or infinite if one of them is."""
    if not isinstance(x, np.ndarray):
        return float(x.detach().sum())
    with np.errstate(invalid="ignore", over="ignore"):
        return x.sum()


def as_numpy(name: str, x: ArrayLike) -> np.ndarray:
    """Return ``x`` as a float64 NumPy array that autograd no longer follows; refuse what :func:`as_array` refuses."""
    x = as_array(name, x)
    return np.asarray(x.detach().cpu() if hasattr(x, "detach") else x, dtype=np.float64)


def as_mask(mask: ArrayLike, like: Array, name: str = "mask") -> Array:
    """Return ``mask`` as booleans of the library and the shape of the scores ``like``; True means "may look".

    Raises ``ValueError`` if it does not fit, is not boolean, or hides every key of some query.
    """
    xp = namespace(like)
    try:
        mask = mask if hasattr(mask, "detach") else xp.asarray(np.array(mask))
    except (TypeError, ValueError):  # ragged lists; words and None, for PyTorch
        raise ValueError(f"{name} = {brief(mask)}; expected a rectangular array of booleans") from None
    if mask.dtype != xp.bool:
        raise ValueError(f"{name} has dtype {mask.dtype}; expected booleans, True where a query may look")
    try:
        fitted = xp.broadcast_to(mask, like.shape)
    except (ValueError, RuntimeError):
        raise ValueError(f"{name} has shape {shape_of(mask)}; expected one that fits scores {shape_of(like)}") from None
    if not bool(xp.all(xp.any(fitted, axis=-1))):
        raise ValueError(
            f"{name} with shape {shape_of(mask)} hides every key from some query; expected one True per row"
        )
    return fitted


def finite_max(xp: Any, name: str, x: Array, axis: int = -1) -> Array:
    """Return the maxima of ``x`` along ``axis``, which stays with length 1; refuse +∞, and slices of nothing but −∞."""
    largest = xp.max(x, axis=axis, keepdims=True)
    if not math.isfinite(_total(largest)) and not bool(xp.all(xp.isfinite(largest))):
        expected = f"+∞, or only −∞ along axis {axis}; expected a finite maximum"
        raise ValueError(f"{name} with shape {shape_of(x)} has {expected}")
    return largest


def below(x: Array, top: Array) -> Array:
    """Return ``x`` − ``top`` for x ≤ top; where no number is as small as the difference, −∞.

    Nothing is lost there: exp(−∞) = 0, and so is the exponential of the true difference. So no overflow is reported.
    """
    with np.errstate(over="ignore"):
        return x - top


def whole_numbers(name: str, x: ArrayLike, ndim: int | None = None) -> np.ndarray:
    """Return ``x`` as int64; refuse booleans, fractions, numbers beyond 2⁵³, and another rank than ``ndim``."""
    numbers = as_numpy(name, x)
    boolean = str(getattr(x, "dtype", np.asarray(x).dtype)).endswith("bool")
    if boolean or (numbers != np.round(numbers)).any() or np.abs(numbers).max() > 2**53:
        raise ValueError(f"{name} = {brief(x)}; expected whole numbers up to 2**53")
    if ndim not in (None, numbers.ndim):
        raise ValueError(f"{name} has shape {numbers.shape}; expected {ndim} axes")
    return numbers.astype(np.int64)


def as_permutation(perm: Sequence[int], n: int | None = None) -> np.ndarray:
    """Return ``perm`` as an array of whole numbers; refuse it unless it is a rearrangement of 0 … n−1."""
    try:
        numbers = whole_numbers("perm", perm, 1)
    except ValueError:
        numbers = np.empty(0, dtype=np.int64)
    n = max(numbers.size, 1) if n is None else n
    if sorted(numbers.tolist()) != list(range(n)):
        raise ValueError(f"perm = {brief(perm)} is no permutation; expected each of 0 … {n - 1} exactly once")
    return numbers


def require_int(name: str, value: Any, least: int = 1, multiple: int = 1, most: float = math.inf) -> int:
    """Return ``value`` as an int; refuse it unless it is a multiple of ``multiple`` from ``least`` to ``most``."""
    try:
        number = int(value)
        accepted = number == value and least <= number <= most and number % multiple == 0
    except (TypeError, ValueError, OverflowError, RuntimeError):
        accepted = False
    if not accepted:
        kind = {1: "a whole number", 2: "an even whole number"}.get(multiple, f"a multiple of {multiple}")
        limit = f" and <= {most}" if most < math.inf else ""
        raise ValueError(f"{name} = {brief(value)}; expected {kind} >= {least}{limit}")
    return number


def require_number(name: str, value: Any, least: float = -math.inf, above: float = -math.inf) -> Any:
    """Return ``value``, a number or a tensor of one; refuse it unless it is finite, >= ``least`` and > ``above``."""
    try:
        number = float(value.detach() if hasattr(value, "detach") else value)
        accepted = math.isfinite(number) and number >= least and number > above and not isinstance(value, str)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        accepted = False
    if not accepted:
        bound = ""
        if least > above:
            bound = f" >= {least:g}"
        elif above > -math.inf:
            bound = f" > {above:g}"
        raise ValueError(f"{name} = {brief(value)}; expected a finite number{bound}")
    return value if hasattr(value, "detach") else number


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
    """Return the shape of ``x`` as a plain tuple, for messages."""
    return tuple(np.shape(x)) if not hasattr(x, "shape") else tuple(x.shape)


def brief(value: object) -> str:
    """Write a value in at most 60 characters of one line; text in quotation marks, so that "3" is no number."""
    return " ".join((repr(value) if isinstance(value, str) else str(value)).split())[:60]
