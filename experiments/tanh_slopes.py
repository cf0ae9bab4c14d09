"""Measure how well the rule for the slope of ln ‖gradient‖ per step predicts it in tanh networks of 32 units.

A member is one network, scaled to four spectral radii.
"""

import numpy as np
from attnbook.recurrent import path_norms, random_recurrence, rnn, rnn_jacobians

MEMBERS = range(144)
RADII = (0.5, 0.9, 1.0, 1.1)
UNITS, INPUTS, STEPS = 32, 8, 100


def slopes(radius, seed):
    """The slope of ln ‖gradient‖ per step, measured over all steps but the first 20, and that of the rule."""
    rng = np.random.default_rng(seed)
    W_h, W_x = random_recurrence(rng, UNITS, radius), rng.normal(size=(UNITS, INPUTS))
    H = rnn(rng.normal(size=(STEPS, INPUTS)), W_x / INPUTS**0.5, W_h, np.zeros(UNITS))
    norms = np.log(path_norms(rnn_jacobians(H, W_h)))
    damping = 0.5 * np.log(((1 - H[1:] ** 2) ** 2).mean(axis=1)).mean()
    rule = np.log(np.linalg.norm(W_h) / UNITS**0.5) + damping
    return np.polyfit(np.arange(20, STEPS), norms[20:], 1)[0], rule


def member(seed):
    """The measured slope and that of the rule, for each radius."""
    return [slopes(radius, seed) for radius in RADII]


def summary(results):
    """The largest error of one network and of the mean of twelve; the mean slope at the largest radius."""
    measured, rule = np.moveaxis(results, 2, 0)
    error = measured - rule
    of_twelve = error.reshape(-1, 12, len(RADII)).mean(axis=1)
    return {"one": np.abs(error).max(), "twelve": np.abs(of_twelve).max(), "slope": measured[:, -1].mean()}
