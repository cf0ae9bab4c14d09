"""Measure by what factor the product of the norms of the Jacobians exceeds the norm of their product.

A member is one random network of six units, eleven steps long.
"""

import statistics

import cells

chapter = cells.definitions("deeper/gates-and-clipping", "overestimate")
MEMBERS = range(200)


def member(seed):
    """The factor for one network."""
    return chapter.overestimate(seed, d_h=6)


def summary(results):
    """The smallest factor and the median."""
    return {"smallest": min(results), "median": statistics.median(results)}
