"""What a layer is called with: inputs, masks and positions, as arrays of NumPy.

Inputs are (X,) of a layer of tokens, (X, X, X) of a layer that projects three lists of tokens, or (Q, K, V).
"""

from collections.abc import Callable

import numpy as np

from ..attention import causal_mask

BATCH, TOKENS = 3, 7  # different lengths, so that no axis passes for another


def tokens(
    rng: np.random.Generator,
    kind: str,
    width: int,
    heads: tuple[int, int] | None,
    batch: int = BATCH,
    n: int = TOKENS,
) -> tuple:
    """Draw inputs with independent normal entries; kind, width and heads are those of a ``Subject``."""
    if kind == "X":
        return (rng.normal(size=(batch, n, width)),)
    if kind == "XXX":
        X = rng.normal(size=(batch, n, width))
        return X, X, X
    if heads is None:
        return tuple(rng.normal(size=(batch, n, width)) for _ in range(3))
    h, g = heads
    return tuple(rng.normal(size=(batch, k, n, width)) for k in (h, g, g))


def each_once(change: Callable, inputs: tuple) -> tuple:
    """Return change(x) for each input; one list of tokens that stands there three times stays one list."""
    distinct = {id(x): x for x in inputs}
    changed = {key: change(x) for key, x in distinct.items()}
    return tuple(changed[id(x)] for x in inputs)


def rounded(x: np.ndarray, dtype: str) -> np.ndarray:
    """Return x as ``dtype`` holds it, in float64."""
    if dtype == "bfloat16":
        bits = x.astype(np.float32).view(np.uint32)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)
    return x.astype(dtype).astype(np.float64)


def positions_from_zero(inputs: tuple) -> np.ndarray:
    """Return the positions 0 … n−1 for each sequence, shape (b, n)."""
    b, n = len(inputs[0]), inputs[0].shape[-2]
    return np.broadcast_to(np.arange(n), (b, n))


def look_everywhere(inputs: tuple) -> np.ndarray:
    """Return a mask (b, n, m) of True."""
    return np.ones((len(inputs[0]), inputs[0].shape[-2], inputs[-1].shape[-2]), dtype=bool)


def look_back(inputs: tuple) -> np.ndarray:
    """Return a causal mask (b, n, n)."""
    return np.broadcast_to(causal_mask(inputs[0].shape[-2]), look_everywhere(inputs).shape)
