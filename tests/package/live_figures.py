"""Every live figure, states to try it in, and how a test reads and changes the state of a figure on a page."""

import importlib
import json

import numpy as np
from attnfigures.kit import files
from attnfigures.kit.figure import Live
from attnfigures.kit.style import Picture

NAMES = files.names()
EXACT = 1e-12
STILL = Picture('<svg role="img" aria-label="A still" width="9" height="9"></svg>', "A still")
QUESTION = {"question": "Which?", "options": ["this", "that"], "answer": 1, "why": ["Never.", "Because."]}


def module(name):
    """The Python module of a figure."""
    return importlib.import_module(f"attnfigures.live.{name}")


def states(name, count):
    """States of a figure, the same every time."""
    rng = np.random.default_rng(list(name.encode()))  # a new figure leaves the states of the others as they are
    return [module(name).sample(rng) for _ in range(count)]


def figure(name, state=None, ask=None, label=None):
    """A figure in a state, or in that of its example, with a still that takes no time."""
    code = module(name)
    functions = {"compute": code.compute, "check": code.check, "still": lambda state, asking: STILL}
    return Live(name, state or code.example().state, **functions, ask=ask, label=label or name)


def example(name):
    """The state of the example, as JavaScript has it."""
    return json.loads(json.dumps(module(name).example().state))


def set_state(page, name, **parts):
    model = f'document.getElementById("{name}").figure.model'
    page.evaluate(f'(parts) => {model}.set("state", {{ ...{model}.get("state"), ...parts }})', parts)


def state_of(page, label):
    """The state of a figure on a page."""
    return page.evaluate("(id) => document.getElementById(id).figure.model.get('state')", label)


def put(page, label, state):
    """Change the state of a figure on a page."""
    page.evaluate("([id, state]) => document.getElementById(id).figure.model.set('state', state)", [label, state])


def distance(result, expected, path=""):
    """The largest difference between two results, relative to 1 or the value, over everything in them."""
    if isinstance(expected, dict):
        assert result.keys() == expected.keys(), path
        return max((distance(result[key], expected[key], f"{path}.{key}") for key in expected), default=0)
    if expected is None or isinstance(expected, str | bool):
        assert result == expected, path
        return 0
    mixed = str | dict | list | tuple | np.ndarray | None
    if isinstance(expected, list | tuple) and any(isinstance(x, mixed) for x in expected):
        pairs = enumerate(zip(result, expected, strict=True))
        return max((distance(a, b, f"{path}.{i}") for i, (a, b) in pairs), default=0)
    result, expected = np.asarray(result, dtype=float), np.asarray(expected, dtype=float)
    assert result.shape == expected.shape, (path, result.shape, expected.shape)
    difference = abs(result - expected) / np.maximum(1, abs(expected))
    return float(difference.max(initial=0)) if not np.isnan(difference).any() else float("inf")
