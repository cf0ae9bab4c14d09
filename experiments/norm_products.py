"""Measure by what factor the product of the norms of the Jacobians exceeds the norm of their product.

A member is one random network of six units, eleven steps long.
"""

import statistics

import numpy as np
from attnbook.recurrent import path_norms, random_recurrence, rnn, rnn_jacobians

MEMBERS = range(200)


def member(seed):
    """The factor for one network."""
    rng = np.random.default_rng(seed)
    W_h, W_x, X = random_recurrence(rng, 6, 0.9), rng.normal(size=(6, 3)), rng.normal(size=(12, 3))
    J = rnn_jacobians(rnn(X, W_x, W_h, np.zeros(6)), W_h)
    return float(np.linalg.norm(J, 2, axis=(1, 2)).prod() / path_norms(J)[-1])


def summary(results):
    """The smallest factor and the median."""
    return {"smallest": min(results), "median": statistics.median(results)}
