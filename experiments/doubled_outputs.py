"""Count how many of 200 outputs of attention leave the hull of the values when they are doubled.

A member draws queries, keys and values once, of the same sizes as the chapter.
"""

import cells

chapter = cells.definitions("deeper/stacked-averages", "doubled_outside")
MEMBERS = range(50)


def member(seed):
    """How many leave."""
    return chapter.doubled_outside(seed)


def summary(results):
    """The smallest and the largest number."""
    return {"smallest": min(results), "largest": max(results)}
