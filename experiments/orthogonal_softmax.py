"""Measure by how much the softmax of scores misses an orthogonal matrix: the third step of the proof of equivariance.

A member draws scores of six tokens and an orthogonal R, and takes the largest entry of softmax(RSRᵀ) − R softmax(S) Rᵀ.
"""

import cells

chapter = cells.definitions("deeper/what-commutes", "orthogonal_gap")
MEMBERS = range(1000)


def member(seed):
    """The largest difference for one R."""
    return chapter.orthogonal_gap(seed)


def summary(results):
    """The smallest difference of all."""
    return {"smallest": min(results)}
