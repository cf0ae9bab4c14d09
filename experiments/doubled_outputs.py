"""Count how many of 200 outputs of attention leave the hull of the values when they are doubled.

A member draws queries, keys and values once, of the same sizes as the chapter.
"""

import numpy as np
from attnbook.attention import attention
from attnbook.simplex import separating_direction

MEMBERS = range(50)


def member(seed):
    """How many leave."""
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(size=size) for size in [(200, 7), (10, 7), (10, 6)])
    return sum(separating_direction(y, V) is not None for y in 2 * attention(Q, K, V))


def summary(results):
    """The smallest and the largest number."""
    return {"smallest": min(results), "largest": max(results)}
