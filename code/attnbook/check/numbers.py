"""What a check compares: arrays, tensors, numbers and nested lists of them, as NumPy arrays with a known precision."""

import sys

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import brief

__all__ = ["epsilon", "numbers", "short"]


def numbers(x: ArrayLike) -> np.ndarray:
    """Return any array, tensor, number or nested list as a NumPy array that autograd no longer follows."""
    try:
        if isinstance(x, (list, tuple)):
            items = [numbers(item) for item in x]
            if len({item.dtype.kind == "U" for item in items}) > 1:
                raise TypeError("text beside numbers")  # which NumPy would read as text
            return np.asarray(items)
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError("hidden entries")  # whatever they are compared with, they would hold
        if hasattr(x, "detach"):
            x = x.detach().cpu()
            x = x.float() if x.dtype.is_floating_point and x.dtype.itemsize == 2 else x
        array = np.asarray(x)
        if array.dtype == object and not all(isinstance(item, int) for item in array.flat):
            raise TypeError("no numbers")  # such as None, of a function that forgot to return
        return array
    except (ValueError, TypeError, RuntimeError):  # ragged; a tensor without numbers, or a sparse one
        raise TypeError(f"{brief(x)} is no array; expected numbers, or a list of the same shape throughout") from None


def epsilon(x: ArrayLike) -> float:
    """Return the machine epsilon of what ``x`` was computed in; 0 for whole numbers, so the other side decides."""
    if isinstance(x, (list, tuple)):
        return max((epsilon(item) for item in x), default=0.0)
    if hasattr(x, "detach"):
        inexact = x.dtype.is_floating_point or x.dtype.is_complex
        return float(sys.modules["torch"].finfo(x.dtype).eps) if inexact else 0.0
    dtype = np.asarray(x).dtype
    return float(np.finfo(dtype).eps) if dtype.kind in "fc" else 0.0


def short(x: ArrayLike) -> str:
    """Write at most four numbers, with four digits each."""
    x = np.asarray(x, dtype=float).ravel()
    if x.size == 1:
        return f"{x[0]:.4g}"
    return "[" + ", ".join(f"{v:.4g}" for v in x[:4]) + (", …]" if x.size > 4 else "]")
