"""Measure by how much the softmax of scores misses an orthogonal matrix: the third step of the proof of equivariance.

A member draws scores of six tokens and an orthogonal R, and takes the largest entry of softmax(RSRᵀ) − R softmax(S) Rᵀ.
"""

import numpy as np
from attnbook.attention import softmax

MEMBERS = range(1000)


def member(seed):
    """The largest difference for one R."""
    rng = np.random.default_rng(seed)
    S, R = rng.normal(size=(6, 6)), np.linalg.qr(rng.normal(size=(6, 6)))[0]
    return np.abs(softmax(R @ S @ R.T) - R @ softmax(S) @ R.T).max()


def summary(results):
    """The smallest difference of all."""
    return {"smallest": min(results)}
