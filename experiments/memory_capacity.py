"""Measure how many of its past inputs a state of 16 tanh units holds: Σ R² over the lags, for three spectral radii.

A member is one network, scaled to each radius.
"""

import cells
import numpy as np

chapter = cells.definitions("deeper/fixed-state", "memory_curve")
MEMBERS = range(40)
RADII = (0.5, 0.9, 1.1)


def member(seed):
    """The sum for each radius."""
    return [chapter.memory_curve(radius, seed).sum() for radius in RADII]


def summary(results):
    """The median for each radius."""
    return {"median": np.median(results, axis=0)}
