"""The live figures that are tested, and states to test them in: a figure is tested by being listed here."""

from typing import NamedTuple

import numpy as np
from attnbook.live import Live, hull, triangle


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


def triangle_state(rng):
    """Half of the states are extreme: equal scores, scores at their bounds, the coldest and the hottest T."""
    if rng.random() < 0.5:
        scores, T = rng.choice([-6.0, 0.0, 5.999, 6.0], 3), float(rng.choice([0.02, 1.0, 50.0]))
    else:
        scores, T = np.round(rng.uniform(-6, 6, 3), 2), float(10 ** rng.uniform(-1.65, 1.65))
    return {"scores": scores.tolist(), "temperature": T}


V, K = [[-2, -1.2], [2, -1.6], [0.4, 2.2], [-1.6, 1.6]], [[1.5, 0.5], [-0.5, 1.5], [-1, -1], [1, -1.5]]
CASES = {
    "hull": Case(hull(V, K, [1.2, 1.0]), hull_state),
    "triangle": Case(triangle([2, 1, -1]), triangle_state),
}
