"""Validate input: the one place where the package says what it accepts."""

from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import torch

__all__ = ["Array", "as_array", "namespace", "require_int", "shape_of"]

#: What a law takes and returns once it is validated: a NumPy array or a PyTorch tensor.
Array: TypeAlias = Union[np.ndarray, "torch.Tensor"]


def require_int(name: str, value: Any, least: int = 1, multiple: int = 1) -> int:
    """Return ``value`` as an int; 2.0 is one, 2.5, ∞ and NaN are not.

    Raises ``ValueError`` that names the argument unless it is whole, >= ``least`` and divisible by ``multiple``.

    >>> require_int("n", 3.0)
    3
    """
    try:
        number = int(value)
        accepted = number == value and number >= least and number % multiple == 0
    except (TypeError, ValueError, OverflowError):
        accepted = False
    if not accepted:
        even = {1: "a", 2: "an even"}.get(multiple, f"a multiple of {multiple} as")
        raise ValueError(f"{name} = {value}; expected {even} whole number >= {least}")
    return number


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of ``x`` as a plain tuple, for messages.

    >>> shape_of([[1, 2, 3]])
    (1, 3)
    """
    return tuple(np.shape(x)) if not hasattr(x, "shape") else tuple(x.shape)


def namespace(*arrays: Array) -> Any:
    """The array library that ``arrays`` belong to, seen through the array API standard."""
    return array_namespace(*arrays)


def as_array(name: str, x: ArrayLike, ndim: int = 1, *, finite: bool = True) -> Array:
    """Return ``x`` as a floating array of rank at least ``ndim``.

    Lists and integers become float64 NumPy arrays; NumPy arrays and torch tensors keep their library and dtype.

    Raises
    ------
    ValueError
        When the rank is too small, an axis is empty, or an entry is NaN. With ``finite`` an infinity is refused too.
        The message names the argument, its shape and what was expected.

    >>> as_array("x", [1, 2])
    array([1., 2.])
    """
    if not is_array_api_obj(x):
        try:
            x = np.asarray(x, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} is not a rectangular array of numbers: {x!r:.60}") from None
    if isinstance(x, np.ndarray) and x.dtype.kind not in "biufc":
        raise ValueError(f"{name} is not a rectangular array of numbers: {x!r:.60}")
    xp = array_namespace(x)
    if not xp.isdtype(x.dtype, ("real floating", "complex floating")):
        x = xp.astype(x, xp.float64)
    if x.ndim < ndim:
        raise ValueError(f"{name} has shape {tuple(x.shape)}; expected at least {ndim} axes")
    if 0 in x.shape:
        raise ValueError(f"{name} has shape {tuple(x.shape)}; expected no empty axis")
    if bool(xp.any(xp.isnan(x))):
        raise ValueError(f"{name} with shape {tuple(x.shape)} contains NaN; expected numbers")
    if finite and not bool(xp.all(xp.isfinite(x))):
        raise ValueError(f"{name} with shape {tuple(x.shape)} contains an infinity; expected finite numbers")
    return x
