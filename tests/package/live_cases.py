"""The live figures that are tested, and states to test them in: a figure is tested by being listed here."""

from typing import NamedTuple

import numpy as np
from attnbook.live import Live, hull, trace


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


def trace_state(rng):
    """Half of the states are extreme: numbers of ±9 without a scale make scores of ±243, with one row, or a mask."""
    n, m = (int(x) for x in rng.integers(1, 5, 2))
    d, d_v = (int(x) for x in rng.integers(1, 4, 2))
    extreme = rng.random() < 0.5

    def rows(*size):
        return (rng.choice([-9.0, -1.0, 0.0, 9.0], size) if extreme else np.round(rng.uniform(-3, 3, size), 2)).tolist()

    stage = str(rng.choice(["S", "A", "Y"]))
    cell = [int(rng.integers(n)), int(rng.integers(d_v if stage == "Y" else m))]
    choices = {"mask": str(rng.choice(["none", "causal"])), "scale": str(rng.choice(["sqrt", "none"]))}
    return {"Q": rows(n, d), "K": rows(m, d), "V": rows(m, d_v), **choices, "stage": stage, "cell": cell}


V, K = [[-2, -1.2], [2, -1.6], [0.4, 2.2], [-1.6, 1.6]], [[1.5, 0.5], [-0.5, 1.5], [-1, -1], [1, -1.5]]
CASES = {
    "hull": Case(hull(V, K, [1.2, 1.0]), hull_state),
    "trace": Case(trace([[1, 2], [2, -1], [1, 1]], K[:3], [[1, 0], [0, 2], [2, 1]]), trace_state),
}
