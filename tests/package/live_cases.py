"""The live figures that are tested, and states to test them in: a figure is tested by being listed here."""

from typing import NamedTuple

import numpy as np
from attnbook.live import Live, clock, hull


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


def clock_state(rng):
    """Half of the states are extreme: places at the ends, one pair or six, all hands alike or the slowest of all."""
    edge = rng.random() < 0.5
    query, key = rng.choice([0, 1, 60] if edge else range(61), 2).tolist()
    pairs = int(rng.choice([1, 6]) if edge else rng.integers(1, 7))
    base = float(rng.choice([1, 1e6])) if edge else float(10 ** rng.uniform(0, 6))
    scheme = str(rng.choice(["rotary", "sinusoidal"]))
    return {"query": query, "key": key, "pairs": pairs, "base": base, "scheme": scheme}


V, K = [[-2, -1.2], [2, -1.6], [0.4, 2.2], [-1.6, 1.6]], [[1.5, 0.5], [-0.5, 1.5], [-1, -1], [1, -1.5]]
CASES = {
    "clock": Case(clock(3, 8), clock_state),
    "hull": Case(hull(V, K, [1.2, 1.0]), hull_state),
}
