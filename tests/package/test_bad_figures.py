"""Every drawing on bad input: it draws, or says in one sentence which argument it refuses and what it expected.

A value takes the place of one argument of a call that works, or of one entry of it.
"""

import copy
import functools
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest
from attnbook import explore, figures
from attnbook.figures import (
    capstone,
    groups,
    length,
    lookup,
    permuting,
    position,
    recurrence,
    scaling,
    simplex,
    style,
    symmetry,
    tables,
)
from matplotlib import pyplot as plt

pytestmark = [pytest.mark.timeout(120), pytest.mark.filterwarnings("ignore")]

EYE, HALF, BAND = np.eye(2), np.full((2, 2), 0.5), np.tri(3) > 0
SHOWN = style.Picture("<svg></svg>", "A picture that shows nothing.")
MATRIX = ["X", EYE, "blue"]


def shown(size):
    """A drawing that takes whatever it is given."""
    return SHOWN


@functools.cache
def some_axes():
    return style.figure()[1]


@functools.cache
def some_figure():
    return style.figure()[0]


CALLS = [  # a call that works with all arguments of the function; a function returns what is drawn on
    (explore.explore, {"draw": shown, "labels": {"size": "width"}, "start": {"size": 1}, "free": {"size": (1, 9)},
                       "choices": {"size": [1, 2]}}),
    (capstone.draw_training, {"curves": {"positions": np.ones((2, 20, 2))}, "floor": 0.7}),
    (capstone.draw_heads, {"words": ["cat", "sees"], "maps": np.full((3, 2, 2), 0.5), "heads": [1, 1, 0],
                           "said": "no"}),
    (capstone.draw_reach, {"weights": np.full((3, 4), 0.25), "even": 0.25}),
    (groups.draw_stabiliser, {"mask": BAND, "perm": [1, 0, 2], "counts": True}),
    (groups.draw_hierarchy, {"masks": {"causal": BAND, "none": np.ones((3, 3), bool)}}),
    (groups.draw_ledger, {"verdicts": {"layer": ["equivariant", "–"]}, "columns": ["tokens", "keys"]}),
    (length.draw_accuracies, {"bars": {"T5": (1.0, 0.7)}, "labels": ("before", "after"), "chance": 0.25}),
    (length.draw_ramp, {"s": 8.0, "base": 1e4, "d": 8, "n": 100}),
    (length.draw_gates, {"biases": {"a head": np.log(np.tri(3) / 2 + 0.1), "another": -1.0 * EYE}}),
    (length.draw_lengths, {"lengths": [8, 16], "accuracy": {"rotary": [[1.0, 0.5]], "learned": [[1.0, np.nan]]},
                           "trained": 8, "chance": 0.25}),
    (lookup.draw_lookup, {"angle": 30.0, "length": 2.0}),
    (lookup.draw_shapes, {"words": ["a", "b"], "panels": [[[MATRIX, "=", MATRIX]], [[MATRIX]]]}),
    (lookup.draw_alignment, {"A": HALF, "targets": ["the", "cat"], "sources": ["le", "chat"], "what": "toy"}),
    (lookup.draw_contexts, {"H": EYE, "C": [[0.1, 0.2], [0.3, 0.1]], "c": [0.5, 0.5], "targets": ["a", "b"],
                            "sources": ["x", "y"]}),
    (lookup.draw_self_weights, {"without": EYE, "projected": HALF}),
    (lookup.draw_costs, {"ns": [8, 16], "costs": {"attention": [64, 256]}, "d": 4}),
    (permuting.draw_permuting, {"rows": [1, 0, 2], "columns": [2, 1, 0], "counts": True}),
    (permuting.draw_routes, {"perm": [2, 0, 1]}),
    (permuting.draw_types, {}),
    (permuting.draw_orthogonal, {"angles": [0, 90], "rotations": [0.0, 0.7], "reflections": [0.5, 0.0]}),
    (permuting.draw_birkhoff, {"D": HALF, "terms": [(0.5, [0, 1]), (0.5, [1, 0])]}),
    (permuting.draw_balance, {"errors": [0.1, 0.01], "rate": 0.1}),
    (position.draw_similarity, {"table": HALF, "products": [0.5, 0.5], "row": 0, "other": 1, "turn": False}),
    (position.draw_buckets, {"offset": -8, "direction": "past"}),
    (position.draw_products, {"d": 16, "reach": 40}),
    (position.draw_order, {"accuracy": {"sinusoidal": [0.9, 1.0], "none": [0.5, 0.5]}}),
    (recurrence.draw_routes, {"n": 4}),
    (recurrence.draw_cell, {}),
    (recurrence.draw_gradients, {"linear": {0.5: (np.ones(9),) * 2}, "cells": {0: (np.ones(9),) * 2}}),
    (recurrence.draw_decay, {"radius": 0.9, "n": 10}),
    (recurrence.draw_memory, {"curves": {"tanh": [1.0, 0.5, 0.0]}}),
    (recurrence.draw_accuracy, {"lengths": [2, 4], "accuracy": {"RNN": HALF}, "chance": 0.1, "xlabel": "length"}),
    (recurrence.draw_blocks, {"blocks": {"RNN": np.tri(3)}}),
    (recurrence.draw_paths, {"ns": [4, 16], "paths": {"RNN": [3, 15]}}),
    (recurrence.draw_rates, {"rates": [0.1, 1.0], "accuracy": {"RNN": HALF}, "title": "7 steps back"}),
    (scaling.draw_scaling, {"d_k": 4, "scale": "1/√dₖ"}),
    (scaling.draw_densities, {"d_ks": [1, 4]}),
    (scaling.draw_two_layers, {"A": {4: HALF, 512: EYE}}),
    (scaling.draw_gradients, {"d_ks": [1, 4], "raw": np.ones((2, 2, 3)), "scaled": np.ones((2, 2, 3))}),
    (scaling.draw_learning, {"curves": {"no scale": np.ones((2, 10))}}),
    (simplex.draw_temperature, {"T": 0.5, "angle": 120.0}),
    (simplex.draw_hull, {"V": [[0, 0], [1, 0], [0, 1]], "Y": [[0.2, 0.2]], "outside": {"far": [[2, 2]]}}),
    (simplex.draw_faces, {"s": [1.0, 0.4, -0.6], "hidden": 2}),
    (simplex.draw_collapse, {"curves": {"alone": HALF}}),
    (simplex.draw_two_keys, {}),
    (simplex.draw_smoother, {"x": [0.0, 1.0], "y": [0.1, 0.9], "at": [0.5], "fits": {"narrow": [0.4]}, "truth": [0.5]}),
    (style.figure, {"rows": 1, "columns": 2, "width": 4.0, "height": 2.0}),
    (style.canvas, {"width": 300, "height": 200}),
    (style.picture, {"fig": some_figure, "alt": SHOWN.alt}),
    (style.beside, {"pictures": [SHOWN, SHOWN]}),
    (style.heatmap, {"ax": some_axes, "M": EYE, "rows": ["a", "b"], "columns": range(2), "limit": 1.0, "digits": 2,
                     "aspect": "auto"}),
    (style.tiles, {"ax": some_axes, "corners": [(0, 0), (1, 1)], "width": 1.0, "height": 1.0, "colour": "blue",
                   "clip": True}),
    (style.bars, {"ax": some_axes, "values": [0.25, 0.75], "labels": ["a", "b"], "color": "blue", "digits": 2}),
    (symmetry.draw_shuffled, {"perm": [1, 0, 3, 2]}),
    (symmetry.draw_errors, {"follows": [1e-16, 0.0], "stands": [0.5, 2.0]}),
    (symmetry.draw_patterns, {"words": ["a", "b"], "A": HALF, "other_words": ["b", "a"], "B": HALF}),
    (symmetry.draw_rounding, {"sizes": [4, 64], "errors": {"float32": [1e-7, 2e-7]},
                              "allowed": {"float32": [1e-4, 1e-3]}}),
    (tables.table, {"columns": {"n": [1, 2], "name": ["a", "b"]}, "digits": 3}),
]  # fmt: skip
BAD = {
    "nothing": None, "a text": "nope", "an empty text": "", "NaN": np.nan, "infinity": np.inf, "minus one": -1,
    "zero": 0, "half": 2.5, "large": 10**6, "complex": 1j, "an object": object(), "a function": shown,
    "an empty list": [], "a ragged list": [[1], [1, 2]], "a list of text": ["a", "b", "c"], "no permutation": [0, 0, 1],
    "NaN in a list": [0.5, np.nan], "infinity in a list": [np.inf, 0.5], "negative numbers": [-1.0, -2.0],
    "None in a list": [None, None], "an empty dictionary": {}, "an unknown name": {"nope": [1, 2]},
    "a number of axes": np.full((1, 2, 1, 3), 0.5), "a column": np.ones((4, 1)), "no axis": np.array(0.5),
    "objects": np.array([None, 1]), "complex numbers": np.ones(2, complex),
}  # fmt: skip
REFUSED = {  # was drawn, or left to the words of a library
    "perm = [0, 0, 0, 0]": lambda: symmetry.draw_shuffled([0, 0, 0, 0]),
    "perm = [0, 0, 1]": lambda: permuting.draw_routes([0, 0, 1]),
    "rows = [0, 0, 1, 2]": lambda: permuting.draw_permuting([0, 0, 1, 2], [0, 1, 2, 3]),
    "columns = [1, 1, 0]": lambda: permuting.draw_permuting([0, 1, 2], [1, 1, 0]),
    "the length of rows = 5": lambda: permuting.draw_permuting([*range(5)], [*range(5)]),
    "perm = [0, 0, 2, 3]": lambda: groups.draw_stabiliser(np.ones((4, 4)), [0, 0, 2, 3]),
    "masks = 7": lambda: groups.draw_hierarchy({"large": np.ones((7, 7))}),
    "the sum of terms": lambda: permuting.draw_birkhoff(HALF, [(0.5, [0, 1]), (0.4, [1, 0])]),
    "direction = 'sideways'": lambda: position.draw_buckets(3, "sideways"),
    "reach = 6": lambda: position.draw_products(128, 6),
    "T = -1.0": lambda: simplex.draw_temperature(-1.0),
    "V with shape (3, 2)": lambda: simplex.draw_hull(np.ones((3, 2)), EYE, {"far": EYE}),
    "curves has 0 entries": lambda: scaling.draw_learning({}),
    "the number of steps in curves = 7": lambda: scaling.draw_learning({"no scale": np.ones((2, 7))}),
    "the number of d_ks = 5": lambda: scaling.draw_densities([1, 2, 3, 4, 5]),
    "curves has 6 entries": lambda: recurrence.draw_memory({str(i): [1.0] for i in range(6)}),
    "d_k = '4'": lambda: scaling.draw_scaling("4"),
    "scale = 'nope'": lambda: scaling.draw_scaling(4, "nope"),
    "accuracy['learned'] has a NaN": lambda: length.draw_lengths([8], {"learned": [[np.nan]]}, 8, 0.5),
    "allowed has ['f8']": lambda: symmetry.draw_rounding([4], {"f4": [1e-7]}, {"f8": [1e-7]}),
    "columns = [[1]]": lambda: tables.table([[1]]),
    "an entry of columns is [1]": lambda: tables.table({"n": [[1]]}),
    "size = 5": lambda: explore.explore(shown, size=5),
    "draw returned 7": lambda: explore.explore(lambda size: 7, size=[1, 2]),
    "labels holds [7]": lambda: explore.explore(shown, size=[1, 2], labels={"size": 7}),
    "start of size = '1'": lambda: explore.explore(shown, size=[1, 2], start={"size": "1"}),
}
OPEN = {"options"}  # of figure: they go to matplotlib
STARRED = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
MODULES = [importlib.import_module(f"attnbook.figures.{m.name}") for m in pkgutil.iter_modules(figures.__path__)]


@pytest.fixture(autouse=True)
def drawings(unsaved):
    """Leave figures unsaved, which would take most of the time, and close what matplotlib keeps."""
    for module in MODULES:
        if module is not style and hasattr(module, "picture"):
            unsaved(module)
    yield
    plt.close("all")


def title(call):
    function, arguments = call
    return f"{function.__name__}({', '.join(arguments)})"


def variants(value, bad):
    """``bad`` in the place of a value, and of each entry of it, however deep."""
    yield bad
    if isinstance(value, (list, tuple, dict)):
        for key in value if isinstance(value, dict) else range(len(value)):
            for entry in variants(value[key], bad):
                changed = dict(value) if isinstance(value, dict) else [*value]
                changed[key] = entry
                yield changed


def answer(function, arguments, name):
    """None if the call draws, or refuses an argument in a sentence with its name; else what is wrong."""
    call = inspect.signature(function).bind_partial()
    for argument, value in arguments.items():
        call.arguments[argument] = value() if value is some_axes or value is some_figure else copy.deepcopy(value)
    try:
        function(*call.args, **call.kwargs)
    except (ValueError, TypeError) as refusal:
        said, names = str(refusal), [name, *arguments["choices"]] if name == "choices" else [name]
        named = any(re.search(rf"(?<!\w){re.escape(n)}(?!\w| least)", said) for n in names)
        if named and "\n" not in said and re.search(r"\bexpected\b|is not a rectangular array of numbers", said):
            return None
        return f"confusing: {type(refusal).__name__}: {said:.200}"
    except Exception as error:
        return f"{type(error).__name__}: {error!s:.200}"
    return None


@pytest.mark.parametrize("call", CALLS, ids=title)
def test_whatever_takes_the_place_of_an_argument_of_a_drawing(call):
    function, arguments = call
    assert answer(function, arguments, "") is None, "the call itself does not work"
    wrong = {}
    for name, value in arguments.items():
        many = inspect.signature(function).parameters[name].kind in STARRED  # one of them is bad, or part of one
        for kind, bad in BAD.items():
            for changed in list(variants(value, bad))[many:]:
                if problem := answer(function, arguments | {name: changed}, name):
                    wrong[f"{name}: {kind}"] = problem
    assert not wrong, "\n" + "\n".join(f"{where}: {problem}" for where, problem in wrong.items())


@pytest.mark.parametrize("named", REFUSED)
def test_what_a_drawing_once_accepted_or_left_to_a_library_is_refused(named):
    with pytest.raises((ValueError, TypeError), match=re.escape(named)) as refusal:
        REFUSED[named]()
    assert "expected" in str(refusal.value)


def test_a_matrix_of_zeros_and_a_dictionary_with_one_entry_are_drawn():
    [drawn] = lookup.draw_shapes(["a", "b"], [[["X", 0 * EYE, "blue"]]])
    assert "X (2 by 2)" in drawn.alt
    assert "with dₖ = 4 at 2.0 keys" in scaling.draw_two_layers({4: HALF}).alt
    assert "f4: measured up to 2.0e-07" in symmetry.draw_rounding([4], {"f4": [2e-7]}, {"f4": [1e-4]}).alt


def test_every_public_drawing_is_called_with_every_argument():
    public = [getattr(module, name) for module in [*MODULES, explore] for name in getattr(module, "__all__", ())]
    functions = {function for function in public if inspect.isfunction(function)}
    called = {function: set(arguments) for function, arguments in CALLS}
    assert functions == set(called), {f"{f.__module__}.{f.__name__}" for f in functions ^ set(called)}
    for function, arguments in called.items():
        assert arguments == set(inspect.signature(function).parameters) - OPEN, function.__name__
