"""Read the arguments of a law: their library and their shapes, in the words of its docstring.

    xp, Q, K = arrays("Q (..., n, d_k), K (..., m, d_k)", Q, K)

``xp`` is the array library of the arguments, seen through the array API standard, so one formula serves NumPy and
PyTorch. What a law makes anew lies on the device of its arguments and has their precision; lists and whole numbers
join the arrays beside them. On PyTorch's device ``meta``, which keeps shapes and no numbers, and while a function
is traced, no value is checked: see :func:`known`. A learner's mistake raises a ``ValueError`` that names the argument.
Unusual kinds of arrays are left to their libraries; JAX runs the laws too. Not tried on a GPU: there each check of
values waits for the device.
"""

import dataclasses
import functools
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj, to_device
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
    "beside",
    "brief",
    "every",
    "finite_max",
    "known",
    "minus",
    "namespace",
    "one_of",
    "require_flag",
    "require_int",
    "require_number",
    "shape_of",
    "sigmoid",
    "whole_numbers",
]

INFINITE = {"": (), " or −∞": (-math.inf,), " or ±∞": (-math.inf, math.inf)}  # which are accepted, in a spec

LIBRARIES: dict[type, Any] = {}  # of the kinds of arrays that were seen

#: What a law takes and returns: a NumPy array or a PyTorch tensor.
Array: TypeAlias = Union[np.ndarray, "torch.Tensor"]


def arrays(spec: str, *values: ArrayLike | None) -> tuple[Any, ...]:
    """Return the array library of ``values``, then each of them as a floating array of the shape that ``spec`` names.

    A letter is the same length wherever it stands; ``4·d_h`` is four times ``d_h``. A shape may begin with ``...``, for
    leading axes that broadcast together, or with ``*``, for leading axes that only the formula can judge. None
    is accepted, and stays, where the spec says so, and so is −∞: ``b (d,) or None``, ``S (..., m) or −∞``.

    Lists and whole numbers get the library, the device and the precision of the first array of fractions among
    ``values``. Raises ``ValueError`` that names the argument, its shape and the expected one, or two arguments that do
    not go together, and as :func:`as_array` does.

    >>> _, x, W = arrays("x (d,), W (2·d, n)", [1, 2], np.ones((4, 3)))
    >>> x
    array([1., 2.])
    """
    shapes = _parse(spec)
    lengths: dict[str, int] = {}
    batch: tuple[int, ...] = ()
    result = []
    first = _first(shapes, values)
    for shape, x in zip(shapes, values, strict=True):
        if x is not None or not shape.optional:
            x = as_array(shape.name, x, first=first, infinite=shape.infinite)
            batch = _join_batch(shape, x, lengths, batch)
            lengths = _bind_axes(shape, x, lengths, batch)
        result.append(x)
    for shape, x in zip(shapes, result, strict=True):
        if x is not None:
            _require_products(shape, x, lengths, batch)
    return (namespace(next(x for x in result if x is not None)), *result)


@dataclasses.dataclass(frozen=True)
class _Shape:
    """The shape that a law expects of one argument, such as ``Q (..., n, d_k)``."""

    name: str  # Q
    text: str  # (..., n, d_k)
    leading: str  # "..." or "*", or "" where there are no other axes
    axes: tuple[str, ...]  # n, d_k
    infinite: tuple[float, ...]  # which infinities are accepted
    optional: bool  # whether None is accepted


@functools.cache
def _parse(spec):
    """Read "Q (..., n, d_k), b (d,)" as a list of shapes."""
    shapes = []
    for name, text, infinite, optional in re.findall(r"(\S+) (\([^)]*\))( or [−±]∞)?( or None)?", spec):
        axes = re.findall(r"[^(), ]+", text)
        leading = axes.pop(0) if axes[:1] in (["..."], ["*"]) else ""
        shapes.append(_Shape(name, text, leading, tuple(axes), INFINITE[infinite], bool(optional)))
    return shapes


def _first(shapes, values):
    """Return the name of the first array of fractions, or else of the first array, and the array; None without one."""
    given = [(shape.name, x) for shape, x in zip(shapes, values, strict=True) if _is_array(x)]
    fractions = [(name, x) for name, x in given if _is_floating(x)]
    if fractions or not given:
        return fractions[0] if fractions else None
    name, x = given[0]
    return name, as_array(name, x)


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


def namespace(x: Array) -> Any:
    """Return the array library of ``x``, by the names of the array API standard; NumPy has them itself since 2.1."""
    kind = type(x)
    if kind not in LIBRARIES:
        LIBRARIES[kind] = np if isinstance(x, np.ndarray) and hasattr(np, "unstack") else array_namespace(x)
    return LIBRARIES[kind]


def as_array(
    name: str, x: ArrayLike, ndim: int = 0, *, first: tuple[str, Array] | None = None, infinite: tuple[float, ...] = ()
) -> Array:
    """Return ``x`` as a real floating array: lists and whole numbers as float64, arrays and tensors in their library.

    ``first`` is the name of another argument and its array, which ``x`` has to match: lists and whole numbers are
    converted to its library, device and precision.

    Raises ``ValueError`` that names the argument if it holds no numbers, complex ones, NaN, an infinity that is
    not in ``infinite``, or nothing, hides entries behind a mask of its own, or has fewer than ``ndim`` axes.
    """
    given, x = x, _read(name, x)
    joins = x is not given  # no array before it was read
    if first and x is not first[1] and not joins:
        _require_match(name, x, *first)
    if not _is_floating(x) or (first and joins):
        x = _as_floating(x, first and first[1])
    if 0 in x.shape or x.ndim < ndim:
        axes = f"at least {ndim} axes, none of them empty" if ndim else "no empty axis"
        raise ValueError(f"{name} has shape {shape_of(x)}; expected {axes}")
    total = _total(x)
    if not math.isfinite(total) and total not in infinite:  # with a NaN, or both infinities, it would be NaN
        _require_finite(name, x, infinite)
    return x


def _is_array(x):
    """Return whether ``x`` is an array of a library, such as NumPy or PyTorch: no list, number or pandas object."""
    return isinstance(x, np.ndarray) or hasattr(x, "detach") or (is_array_api_obj(x) and not isinstance(x, np.generic))


def _is_tensor(x):
    """Return whether ``x`` is PyTorch's; in what ``torch.compile`` traces, NumPy's arrays have ``detach`` as well."""
    return not isinstance(x, np.ndarray) and hasattr(x, "detach")


def _is_floating(x):
    """Return whether the array ``x`` has real fractions."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind == "f"
    return x.dtype.is_floating_point if hasattr(x, "detach") else namespace(x).isdtype(x.dtype, "real floating")


def _is_boolean(x):
    """Return whether the array ``x`` is one of True and False."""
    return x.dtype.kind == "b" if isinstance(x, np.ndarray) else x.dtype == namespace(x).bool


def _read(name, x):
    """Return ``x`` as an array of its library, or of NumPy, whatever real numbers or booleans it holds."""
    if isinstance(x, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array; expected plain numbers: no law looks at its own mask")
    if not _is_array(x):
        try:
            x = np.asarray(x)
        except (TypeError, ValueError, RuntimeError):  # ragged lists
            several = ", or one array of several: x[0]" if isinstance(x, tuple) else ""
            raise ValueError(f"{name} = {brief(x)}; expected a rectangular array of numbers{several}") from None
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "biuf":
            raise ValueError(f"{name} = {brief(x)}; expected an array of real numbers")
        return x if type(x) is np.ndarray else np.asarray(x)  # of a matrix, the array
    refused = x.dtype.itemsize < 2 if _is_floating(x) else namespace(x).isdtype(x.dtype, "complex floating")
    if refused:
        raise ValueError(
            f"{name} with shape {shape_of(x)} has dtype {x.dtype}; expected real numbers of 16 bits or more"
        )
    return x


def _as_floating(x, like=None):
    """Return ``x`` as fractions: float64 in its library, or as the array ``like``."""
    if like is not None:
        return beside(like, x, like.dtype)
    if isinstance(x, np.ndarray):
        return x if x.dtype.kind == "f" else x.astype(np.float64)
    xp = namespace(x)
    return xp.astype(x, xp.float64)


def _require_match(name, x, other, y):
    """Refuse ``x`` unless it is of the library of ``y``, another argument, and, for PyTorch, of its type and device."""
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        return
    if namespace(x) is not namespace(y):
        theirs, ours = (type(each).__module__.partition(".")[0] for each in (y, x))
        advice = {"torch numpy": f"torch.asarray({name})", "numpy torch": f"torch.asarray({other})"}
        hint = advice.get(f"{theirs} {ours}", "")
        raise ValueError(
            f"{name} is of {ours} and {other} of {theirs}; expected arrays of one library{hint and ': '}{hint}"
        )
    if hasattr(x, "detach") and _is_floating(x) and (x.dtype, x.device) != (y.dtype, y.device):
        theirs, ours = (f"{each.dtype} on {each.device}" for each in (y, x))
        raise ValueError(f"{name} has {ours} and {other} {theirs}; expected one type and device: {name}.to({other})")


def _require_finite(name, x, infinite):
    """Refuse ``x`` if it has a NaN, or an infinity that is not in ``infinite``."""
    if not every(x == x):
        raise ValueError(f"{name} with shape {shape_of(x)} contains NaN; expected numbers")
    for limit, words in ((math.inf, "+∞"), (-math.inf, "−∞")):
        if limit not in infinite and not every(x != limit):
            raise ValueError(f"{name} with shape {shape_of(x)} contains {words}; expected finite numbers")


def _total(x):
    """Return the sum of all entries: NaN or infinite if one of them is; 0 if they are not known."""
    if isinstance(x, np.ndarray):
        with np.errstate(invalid="ignore", over="ignore"):
            return x.sum()
    return known((x.detach() if hasattr(x, "detach") else x).sum(), 0.0)


def every(condition: Array) -> bool:
    """Return whether ``condition`` is True everywhere; what is not :func:`known` passes."""
    return bool(condition.all()) if isinstance(condition, np.ndarray) else known(condition.all(), True)


def known(x: Array, otherwise: Any) -> Any:
    """Return the one number in ``x``, or ``otherwise`` where there is a shape and no number to look at.

    That is so while a function is traced, by ``jax.jit``, ``jax.grad``, ``jax.vmap``, ``torch.func.vmap`` or
    ``torch.compile``, and on PyTorch's device ``meta``. A law then judges libraries, shapes, types and devices, and no
    value: it accepts NaN and infinities, a mask that hides a whole row, weights off the simplex, gates outside 0 … 1,
    entries that must be positive, and scales out of range. What comes of them is mostly NaN. Call the law once
    untraced, and its values are judged. ``torch.func.grad`` and autograd keep the numbers, and so all checks.
    """
    if hasattr(x, "detach"):
        from torch.compiler import is_compiling

        if is_compiling():
            return otherwise
    try:
        return x.item()
    except (RuntimeError, TypeError):  # PyTorch's word for it, and JAX's
        return otherwise


def beside(like: Array, x: ArrayLike, dtype: Any = None) -> Array:
    """Return ``x`` in the library and on the device of ``like``; lists and NumPy's arrays get its precision, too.

    ``dtype`` is another type, such as that of booleans.
    """
    if isinstance(like, np.ndarray) and isinstance(x, np.ndarray):
        return np.asarray(x, dtype=like.dtype if dtype is None else dtype)
    xp = namespace(like)
    if _is_array(x) and namespace(x) is xp:
        x = to_device(x, device(like))
        return x if dtype is None else xp.astype(x, dtype, copy=False)
    plain = np.asarray(x.detach().cpu()) if _is_tensor(x) else np.array(x)  # a copy, which PyTorch may write to
    place = like.device if _is_tensor(like) else device(like)
    return xp.asarray(plain, dtype=like.dtype if dtype is None else dtype, device=place)


def as_numpy(name: str, x: ArrayLike, *, infinite: tuple[float, ...] = ()) -> np.ndarray:
    """Return ``x`` as a float64 NumPy array that autograd no longer follows; refuse what :func:`as_array` refuses.

    It also refuses what is traced or on PyTorch's device meta, and so has no numbers: see :func:`known`.
    """
    x = as_array(name, x, infinite=infinite)
    try:
        return np.asarray(_plain(x), dtype=np.float64)
    except (RuntimeError, TypeError):
        raise ValueError(f"{name} has no numbers, as it is traced; expected numbers from outside the trace") from None


def as_mask(mask: ArrayLike, like: Array, name: str = "mask") -> Array:
    """Return ``mask`` as booleans of the library, the device and the shape of the scores ``like``; True: "may look".

    Raises ``ValueError`` if it does not fit, has no axes, is not boolean, or hides every key of some query.
    """
    xp = namespace(like)
    try:
        booleans = _read(name, mask)
    except ValueError as refused:  # masked arrays; ragged lists, words and None
        if isinstance(mask, np.ma.MaskedArray):
            raise
        raise ValueError(f"{name} = {brief(mask)}; expected a rectangular array of booleans") from refused
    if not _is_boolean(booleans):
        raise ValueError(f"{name} has dtype {booleans.dtype}; expected booleans, True where a query may look")
    if booleans.ndim == 0:
        raise ValueError(f"{name} = {brief(mask)} has no axes; expected booleans by query and key, as causal_mask(n)")
    try:
        fitted = xp.broadcast_to(beside(like, booleans, xp.bool), like.shape)
    except (ValueError, RuntimeError):
        raise ValueError(
            f"{name} has shape {shape_of(booleans)}; expected one that fits scores {shape_of(like)}"
        ) from None
    if not every(xp.any(fitted, axis=-1)):
        raise ValueError(
            f"{name} with shape {shape_of(booleans)} hides every key from some query; expected one True per row"
        )
    return fitted


def finite_max(xp: Any, name: str, x: Array, axis: int = -1) -> Array:
    """Return the maxima of ``x`` along ``axis``, which stays with length 1; refuse +∞, and slices of nothing but −∞."""
    largest = xp.max(x, axis=axis, keepdims=True)
    if not math.isfinite(_total(largest)) and not every(xp.isfinite(largest)):
        expected = f"+∞, or only −∞ along axis {axis}; expected a finite maximum"
        raise ValueError(f"{name} with shape {shape_of(x)} has {expected}")
    return largest


def minus(x: Array, top: Array) -> Array:
    """Return ``x`` − ``top`` for x ≤ top; where no number is as small as the difference, −∞.

    Nothing is lost there: exp(−∞) = 0, and so is the exponential of the true difference. So no overflow is reported.
    """
    if not isinstance(x, np.ndarray):
        return x - top
    with np.errstate(over="ignore"):
        return x - top


def sigmoid(xp: Any, z: Array) -> Array:
    """σ(z) = 1/(1 + exp(−z)), entry by entry, written so that nothing overflows; σ(−∞) is exactly 0."""
    return 0.5 + 0.5 * xp.tanh(0.5 * z)


def _plain(x):
    """Return what NumPy reads in ``x``: the numbers of a tensor without their history."""
    if not _is_tensor(x):
        return x
    try:
        return x.detach().cpu().double().numpy()
    except RuntimeError:  # inside torch.func.grad, which wraps whatever it sees
        return x.tolist()


def whole_numbers(name: str, x: ArrayLike, ndim: int | None = None) -> np.ndarray:
    """Return ``x`` as int64; refuse booleans, fractions, numbers beyond 2⁵³, and another rank than ``ndim``."""
    x = _read(name, x)
    numbers = as_numpy(name, x)
    if _is_boolean(x) or (numbers != np.round(numbers)).any() or np.abs(numbers).max() > 2**53:
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
    number = value
    if hasattr(value, "shape") and math.prod(value.shape) == 1:
        number = known(value, None)
        if number is None:
            return value
    try:
        number = float(number)
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
