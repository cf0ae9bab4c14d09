"""Measure what an untrained LSTM leaves of a gradient after 99 steps, for three biases of its forget gates.

A member is one LSTM with 16 units, as PyTorch draws its weights, on one random input.
"""

import numpy as np
from attnbook.recurrent import lstm_jacobians, path_norms

MEMBERS = range(200)
BIASES = (0.0, 3.0, 6.0)


def member(seed):
    """The norm of the product of Jacobians for each bias."""
    rng, bound = np.random.default_rng(seed), 16**-0.5  # PyTorch's bound
    W_x, W_h = rng.uniform(-bound, bound, size=(64, 8)), rng.uniform(-bound, bound, size=(64, 16))
    X = rng.normal(size=(100, 8))
    biases = [np.repeat([0.0, bias, 0.0, 0.0], 16) for bias in BIASES]
    return [float(path_norms(lstm_jacobians(X, W_x, W_h, b))[-1]) for b in biases]


def summary(results):
    """The smallest and the largest norm for each bias."""
    return {"smallest": np.min(results, axis=0), "largest": np.max(results, axis=0)}
