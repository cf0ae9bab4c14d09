"""Measure the relative spread of the tokens in untrained layers: attention alone, with a residual, and with LayerNorm.

A member is one draw of the tokens and of 16 layers.
"""

import numpy as np
from attnbook.attention import attention

MEMBERS = range(500)


def spreads(seed, residual, norm, n=16, d=32, layers=16):
    """The relative spread ‖X − mean‖/‖X‖ before the first layer and after each."""
    rng = np.random.default_rng(seed)
    X, spread = rng.normal(size=(n, d)), []
    for _ in range(layers + 1):
        spread.append(np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X))
        W_Q, W_K, W_V = rng.normal(size=(3, d, d)) / np.sqrt(d)
        N = (X - X.mean(1, keepdims=True)) / X.std(1, keepdims=True) if norm else X
        Y = attention(N @ W_Q, N @ W_K, N @ W_V)
        X = X + Y if residual else Y
    return spread


def member(seed):
    """The spread after four layers of attention alone, and after all 16 with each of the additions."""
    alone, residual, both = (spreads(seed, *kind) for kind in ((False, False), (True, False), (True, True)))
    return [alone[4], residual[-1], both[-1]]


def summary(results):
    """The median, the smallest and the largest of each."""
    return {
        "median": np.median(results, axis=0),
        "smallest": np.min(results, axis=0),
        "largest": np.max(results, axis=0),
    }
