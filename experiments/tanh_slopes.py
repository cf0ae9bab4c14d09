"""Measure how well the rule for the slope of ln ‖gradient‖ per step predicts it in tanh networks of 32 units.

A member is one network, scaled to four spectral radii.
"""

import cells
import numpy as np

chapter = cells.definitions("deeper/gates-and-clipping", "tanh_slopes")
MEMBERS = range(144)
RADII = (0.5, 0.9, 1.0, 1.1)


def member(seed):
    """The measured slope and that of the rule, for each radius."""
    return [chapter.tanh_slopes(radius, seed) for radius in RADII]


def summary(results):
    """The largest error of one network and of the mean of twelve; the mean slope at the largest radius."""
    measured, rule = np.moveaxis(results, 2, 0)
    error = measured - rule
    of_twelve = error.reshape(-1, 12, len(RADII)).mean(axis=1)
    return {"one": np.abs(error).max(), "twelve": np.abs(of_twelve).max(), "slope": measured[:, -1].mean()}
