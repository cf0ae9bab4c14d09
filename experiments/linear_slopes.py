"""Measure how far the fitted slope of ln ‖Wᵏ‖ is from ln ρ(W), for random matrices W of 32 rows.

A member is one matrix of spectral radius 1; another radius moves both sides by the same amount.
"""

import numpy as np
from attnbook.recurrent import path_norms, random_recurrence

MEMBERS = range(500)


def member(seed):
    """The slope; ln ρ is 0."""
    W = random_recurrence(np.random.default_rng(seed), 32, 1.0)
    norms = path_norms(np.broadcast_to(W, (99, *W.shape)))
    return np.polyfit(np.arange(20, 100), np.log(norms[20:]), 1)[0]


def summary(results):
    """The largest distance of all."""
    return {"largest": max(map(abs, results))}
