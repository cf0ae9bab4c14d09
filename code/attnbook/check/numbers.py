"""What a check compares: arrays, tensors, numbers and nested lists of them, as NumPy arrays with a known precision."""

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import brief, namespace

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
        return max(map(epsilon, x), default=0.0)
    x = x if hasattr(x, "detach") else np.asarray(x)
    xp = namespace(x)
    return float(xp.finfo(x.dtype).eps) if xp.isdtype(x.dtype, ("real floating", "complex floating")) else 0.0


def short(x: np.ndarray) -> str:
    """Write at most four numbers, with four digits each; text as it is."""
    words = [v if isinstance(v, str) else f"{v:.4g}" for v in x.ravel()[:4].tolist()]
    return words[0] if x.size == 1 else f"[{', '.join(words)}{', …' * (x.size > 4)}]"
