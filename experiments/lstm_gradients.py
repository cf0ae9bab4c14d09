"""Measure what an untrained LSTM leaves of a gradient after 99 steps, for three biases of its forget gates.

A member is one LSTM with 16 units, as PyTorch draws its weights, on one random input.
"""

import cells
import numpy as np
from attnbook.recurrent import lstm_jacobians, path_norms

chapter = cells.definitions("deeper/gates-and-clipping", "make_lstm")
MEMBERS = range(200)
BIASES = (0.0, 3.0, 6.0)


def member(seed):
    """The norm of the product of Jacobians for each bias."""
    jacobians = [lstm_jacobians(*chapter.make_lstm(seed, bias)) for bias in BIASES]
    return [float(path_norms(J)[-1]) for J in jacobians]


def summary(results):
    """The smallest and the largest norm for each bias."""
    return {"smallest": np.min(results, axis=0), "largest": np.max(results, axis=0)}
