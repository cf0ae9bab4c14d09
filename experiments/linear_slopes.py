"""Measure how far the fitted slope of ln ‖Wᵏ‖ is from ln ρ(W), for random matrices W of 32 rows.

A member is one matrix of spectral radius 1; another radius moves both sides by the same amount.
"""

import cells

chapter = cells.definitions("deeper/gates-and-clipping", "linear_slope")
MEMBERS = range(500)


def member(seed):
    """The slope; ln ρ is 0."""
    return chapter.linear_slope(1.0, seed)


def summary(results):
    """The largest distance of all."""
    return {"largest": max(map(abs, results))}
