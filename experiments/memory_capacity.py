"""Measure how many of its past inputs a state of 16 tanh units holds: Σ R² over the lags, for three spectral radii.

A member is one network, scaled to each radius.
"""

import numpy as np
from attnbook.recurrent import random_recurrence, rnn

MEMBERS = range(40)
RADII = (0.5, 0.9, 1.1)
UNITS, LAGS, SIZE = 16, 60, 6000


def memory_curve(radius, seed):
    """R² for each lag: fitted on one half of a stream of random numbers, and judged on the other."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=SIZE)
    W_h, W_x = random_recurrence(rng, UNITS, radius), 0.1 * rng.normal(size=(UNITS, 1))
    H = rnn(x[:, None], W_x, W_h, np.zeros(UNITS))[LAGS:]
    past = np.array([x[LAGS - lag : SIZE - lag] for lag in range(LAGS)]).T
    half = len(H) // 2
    decoder = np.linalg.lstsq(H[:half], past[:half], rcond=None)[0]
    missed = ((past[half:] - H[half:] @ decoder) ** 2).mean(axis=0)
    return np.maximum(1 - missed / past[half:].var(axis=0), 0)


def member(seed):
    """The sum for each radius."""
    return [memory_curve(radius, seed).sum() for radius in RADII]


def summary(results):
    """The median for each radius."""
    return {"median": np.median(results, axis=0)}
