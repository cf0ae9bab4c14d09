"""The live figures that are tested, and states to test them in: a figure is tested by being listed here."""

from typing import NamedTuple

import numpy as np
from attnbook.live import Live, hull, strings


class Case(NamedTuple):
    """A figure as a chapter might show it, and a function that draws a state from a random generator."""

    figure: Live
    draw: object


def hull_state(rng):
    """Half of the states are extreme: whole numbers put three points on a line, and T = 0.01 makes exp overflow."""
    m, grid = int(rng.integers(2, 6)), rng.random() < 0.5

    def points(n):
        return (rng.integers(-3, 4, (n, 2)) * 1.0 if grid else np.round(rng.uniform(-3, 3, (n, 2)), 2)).tolist()

    temperature = 0.01 if grid else float(10 ** rng.uniform(-2, 2))
    weighting = str(rng.choice(["softmax", "sparsemax", "none"]))
    state = {"query": points(1)[0], "keys": points(m), "values": points(m)}
    return state | {"temperature": temperature, "weighting": weighting}


def strings_state(rng):
    """Half of the states are extreme: an identity, a reversal, a shuffle undone by the other, or twice the same."""
    n = int(rng.integers(3, 7))
    first, second = rng.permutation(n).tolist(), rng.permutation(n).tolist()
    if rng.random() < 0.5:
        extremes = [list(range(n)), list(range(n))[::-1], np.argsort(first).tolist(), first]
        second = extremes[int(rng.integers(4))]
    return {"first": first, "second": second, "words": [str(w) for w in rng.choice(["a", "word", "eightish"], n)]}


V, K = [[-2, -1.2], [2, -1.6], [0.4, 2.2], [-1.6, 1.6]], [[1.5, 0.5], [-0.5, 1.5], [-1, -1], [1, -1.5]]
CASES = {
    "hull": Case(hull(V, K, [1.2, 1.0]), hull_state),
    "strings": Case(strings([2, 0, 3, 1, 4], [3, 0, 1, 4, 2]), strings_state),
}
