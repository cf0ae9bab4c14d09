"""Measure the relative spread of the tokens in untrained layers: attention alone, with a residual, and with LayerNorm.

A member is one draw of the tokens and of 16 layers.
"""

import cells
import numpy as np

chapter = cells.definitions("deeper/stacked-averages", "spreads", "kinds")
MEMBERS = range(500)


def member(seed):
    """The spread after four layers of attention alone, and after all 16 with each of the additions."""
    alone, residual, both = (chapter.spreads(seed, *kind) for kind in chapter.kinds.values())
    return [alone[4], residual[-1], both[-1]]


def summary(results):
    """The median, the smallest and the largest of each."""
    found = {"median": np.median(results, axis=0), "smallest": np.min(results, axis=0)}
    return found | {"largest": np.max(results, axis=0)}
