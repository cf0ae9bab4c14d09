"""The live figures that are tested, and states to test them in: a figure is tested by being listed here."""

from typing import NamedTuple

import numpy as np
from attnbook.live import Live, hull, shuffle
from attnbook.live.shuffle import tokens


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


def shuffle_state(rng):
    """Half of the states are extreme: equal words, one word or none, signs, and spaces that only one side knows."""
    words = ["the", "cat", "saw", "dog", "fish", "猫", "喜欢", "café", "x", "a"]
    if rng.random() < 0.5:
        words = ["a", "a", "aa", "😀", "", "-", "\ufeff", "\x85", "\u3000", "\x1f"]
    text = " ".join(str(word) for word in rng.choice(words, rng.integers(0, 12)))
    order = rng.permutation(len(tokens(text))).tolist()
    choices = {"positions": ("none", "sinusoidal", "rope"), "mask": ("none", "causal")}
    choices["pooling"] = ("none", "mean", "max", "last")
    chosen = {name: str(rng.choice(values)) for name, values in choices.items()}
    return {"text": text, "order": order, **chosen, "small": bool(rng.random() < 0.3)}


V, K = [[-2, -1.2], [2, -1.6], [0.4, 2.2], [-1.6, 1.6]], [[1.5, 0.5], [-0.5, 1.5], [-1, -1], [1, -1.5]]
CASES = {
    "hull": Case(hull(V, K, [1.2, 1.0]), hull_state),
    "shuffle": Case(shuffle("cat likes fish", order=[2, 1, 0]), shuffle_state),
}
