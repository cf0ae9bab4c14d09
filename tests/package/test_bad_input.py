"""What a learner does wrong raises a ValueError that names the argument: wrong rank, wrong length, NaN, text, None.

Most laws read their arguments by a line such as ``arrays("Q (..., n, d_k), K (..., m, d_k)", Q, K)``. These lines are
found in the sources, and numbers by their annotation, ``int`` or ``float``; so a new law is tested without being
listed. What it accepts is found by trying. What else a law refuses stands in ``REFUSED``.
"""

import ast
import contextlib
import importlib
import inspect
import itertools
import math
import pkgutil
import re
from typing import NamedTuple

import attnbook
import numpy as np
import pytest
import torch
from attnbook import attention as att
from attnbook import layers, length, permutations, positional, recurrent, scores, simplex
from numpy.typing import ArrayLike

MODULES = [
    importlib.import_module(f"attnbook.{m.name}") for m in pkgutil.iter_modules(attnbook.__path__) if not m.ispkg
]
ABOUT_ARGUMENTS = {"attnbook.arrays"}  # its functions read the arguments of laws, and are no laws


class Shape(NamedTuple):
    """One argument of a law, such as ``Q (..., n, d_k)``: its name, its leading axes and the others."""

    name: str
    leading: str
    axes: list[str]


def shapes_in(function):
    """Return the shapes that a law names when it reads its arguments."""
    texts = [
        node.value
        for node in ast.walk(ast.parse(inspect.getsource(function)).body[0])
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != function.__doc__
    ]
    shapes = []
    for name, leading, axes in re.findall(r"(\w+) \((\.\.\.|\*|)([^()]*)\)", "".join(texts)):
        if name in inspect.signature(function).parameters:
            shapes.append(Shape(name, leading, re.findall(r"[^, ]+", axes)))
    return shapes


def parameters(law):
    """Return the parameters of a law by what they are: {name: "shaped", "array", int, float or None}."""
    shaped = {name for name, *_ in shapes_in(law)}
    return {
        name: "shaped" if name in shaped else _kind(parameter.annotation)
        for name, parameter in inspect.signature(law).parameters.items()
    }


def _kind(annotation):
    """Return what values of an annotation are: "array", int or float, with or without None; None for all others."""
    kinds = {ArrayLike: "array", int: int, float: float}
    for known, kind in kinds.items():
        if annotation in (known, known | None):
            return kind
    return None


def required(law):
    return [name for name, each in inspect.signature(law).parameters.items() if each.default is each.empty]


def laws():
    """Yield the laws that need nothing but arrays and numbers."""
    for module in MODULES:
        for name in module.__all__:
            law = getattr(module, name)
            if inspect.isfunction(law) and required(law) and law.__module__ not in ABOUT_ARGUMENTS:
                kinds = parameters(law)
                if all(kinds[each] for each in required(law)):
                    yield pytest.param(law, id=name)


def example(shapes, sign):
    """Return arrays of these shapes whose rows sum to ±1; each letter is another length."""
    letters = sorted({axis for shape in shapes for axis in shape.axes if "·" not in axis})
    lengths = {letter: 3 + i for i, letter in enumerate(letters)}

    def size(axis):
        return math.prod(lengths.get(part) or int(part) for part in axis.split("·"))

    values = {}
    for name, _, axes in shapes:
        lengths_of_axes = [size(axis) for axis in axes]
        values[name] = np.full(lengths_of_axes, sign / lengths_of_axes[-1] if axes else sign)
    return values


TRIED = {
    int: (4, 2, 3),
    float: (1.0, 0.5, 2.0),
    "array": (
        [0.25, 0.75],
        [1.0, 2.0],
        [[1.0, 2.0], [3.0, 5.0]],
        *(np.ones((n, n), dtype=bool) for n in range(3, 7)),  # who may look at whom
    ),
}


def accepted(law, library):
    """Return arguments that a law accepts: arrays of its shapes, and of the rest the first that it does not refuse."""
    kinds = parameters(law)
    others = [name for name in required(law) if kinds[name] != "shaped"]
    for sign in (1.0, -1.0):
        shaped = {name: library(x) for name, x in example(shapes_in(law), sign).items()}
        for tried in itertools.product(*[TRIED[kinds[name]] for name in others]):
            values = {n: library(np.array(x)) if kinds[n] == "array" else x for n, x in zip(others, tried, strict=True)}
            with contextlib.suppress(ValueError):
                law(**shaped, **values)
                return shaped | values
    raise AssertionError(f"{law.__name__}: no example of its shapes and numbers works; tried {TRIED}")


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@pytest.mark.parametrize("law", list(laws()))
def test_a_law_names_the_argument_that_does_not_fit(law, library):
    values = accepted(law, library)
    every_axis = [axis for shape in shapes_in(law) for axis in shape.axes]
    for name, leading, axes in shapes_in(law):
        x = np.asarray(values[name])
        spoiled = [x + np.nan, x[..., 0]]
        if not leading:
            spoiled.append(x[None])
        if every_axis.count(axes[-1]) > 1:
            spoiled.append(np.concatenate([x, x[..., :1]], -1))
        for bad in spoiled:
            passed = values | {name: library(bad)}
            with pytest.raises(ValueError, match="|".join(rf"\b{n}\b" for n in values)) as error:
                law(**passed)
            shapes = [str(tuple(x.shape)) for x in passed.values() if hasattr(x, "shape")]
            assert any(shape in str(error.value) for shape in shapes)  # no shape of its own making


NO_ARRAY = ["three", [["a", "b"]], [[1.0], [1.0, 2.0]], [math.nan, 1.0], {}]
NO_NUMBER = ["3", math.nan, [1.0, 2.0], {}, 1j]


@pytest.mark.parametrize("law", list(laws()))
def test_what_is_no_array_and_no_number_is_refused_by_name(law):
    values, kinds = accepted(law, np.asarray), parameters(law)
    for name, kind in kinds.items():
        bad = {"shaped": NO_ARRAY, "array": NO_ARRAY, int: [*NO_NUMBER, 2.5], float: NO_NUMBER}.get(kind, [])
        for each in [*bad, None] if name in required(law) else bad:
            with pytest.raises(ValueError, match=rf"\b{name}\b"):
                law(**values | {name: each})


X, EYE, V = np.ones((3, 2)), np.eye(3), np.ones((4, 2))
BLIND = np.eye(3, dtype=bool) & (np.arange(3) < 2)  # the last query sees nothing
NAN, INF = math.nan, math.inf
REFUSED = [
    (lambda: att.attention(X, X, X, BLIND), "mask"),
    (lambda: att.attention(X, X[:1], X[:1], np.array([[True], [False], [True]])), "mask"),
    (lambda: att.attention(X, X, X, torch.zeros(3, 3, dtype=torch.bool).numpy()), "mask"),
    (lambda: att.attention(X, X, X, EYE), "mask"),
    (lambda: att.attention(X, X, X, np.ones((2, 3), bool)), "mask"),
    (lambda: att.attention(X, X, V), "V"),
    (lambda: att.attention(np.ones((2, 3, 2)), np.ones((5, 3, 2)), X), "K"),
    (lambda: att.attention("abc", X, X), "Q"),
    (lambda: att.attention([[1.0], [1.0, 2.0]], X, X), "Q"),
    (lambda: att.scores(X, X, scale=NAN), "scale"),
    (lambda: att.softmax([[0.0, -INF], [-INF, -INF]]), "S"),
    (lambda: att.softmax([0.0, INF]), "S"),
    (lambda: att.softmax(X, axis=2), "axis"),
    (lambda: att.softmax(torch.zeros(2), axis=1), "axis"),
    (lambda: att.entropy([0.5, 0.6]), "a"),
    (lambda: att.softmax_jacobian([1.5, -0.5]), "a"),
    (lambda: att.causal_mask(2.5), "n"),
    (lambda: att.padding_mask([0, 1], 3), "lengths"),
    (lambda: att.padding_mask([1.5], 3), "lengths"),
    (lambda: att.online_attention(X, X, X, tile=0), "tile"),
    (lambda: layers.layer_norm(X, eps=0), "eps"),
    (lambda: layers.encoder_layer(X, lambda X: X[:2], lambda X: X), "attend"),
    (lambda: layers.encoder_layer(X, lambda X: X, lambda X: X[:, :1]), "transform"),
    (lambda: layers.encoder_layer(X, lambda X: X[None], lambda X: X), "attend"),
    (lambda: layers.encoder_layer(X, lambda X: X, lambda X: X, norm=lambda X: X[:2]), "norm"),
    (lambda: layers.graph_attention(X, BLIND, np.eye(2), X[0], X[0]), "adjacency"),
    (lambda: layers.conjugate([0, 1, 2], X), "x"),
    (lambda: layers.rows([0, 0, 1], X), "perm"),
    (lambda: layers.symmetry(np.cumsum, [X], [], [[0, 1, 2]]), "actions"),
    (lambda: layers.symmetry(lambda X: X * NAN, [X], [layers.rows], [[0, 1, 2]]), "f"),
    (lambda: layers.symmetry(lambda X: X, [X], [layers.rows], [[0, 1, 1]]), "perm"),
    (lambda: permutations.permutations(10), "n"),
    (lambda: permutations.compose([0, 1], [0, 1, 2]), "perm"),
    (lambda: permutations.birkhoff(2 * EYE), "D"),
    (lambda: permutations.birkhoff([[1.5, -0.5], [-0.5, 1.5]]), "D"),
    (lambda: permutations.sinkhorn(EYE), "M"),
    (lambda: positional.logit_terms(X, X, B=np.ones((2, 3))), "B"),
    (lambda: positional.logit_terms(X, X, A=np.ones((3, 3, 5))), "A"),
    (lambda: positional.offsets([0, 0.5], [0]), "queries"),
    (lambda: positional.frequencies(4, base=0), "base"),
    (lambda: positional.sinusoidal([0, NAN], 4), "positions"),
    (lambda: positional.clipped([0], 0), "width"),
    (lambda: positional.deberta_rows([0], 0), "span"),
    (lambda: positional.t5_edges(8, 4), "max_distance"),
    (lambda: positional.t5_bucket([0], buckets=5), "buckets"),
    (lambda: positional.alibi_slopes(0), "heads"),
    (lambda: positional.rotate(np.ones((2, 3)), [0, 1]), "x"),
    (lambda: positional.rotate(X, [0, 1]), "positions"),
    (lambda: positional.rotate(X, [0, 1, 2], pairing="neighbours"), "pairing"),
    (lambda: positional.pairing_permutation(3), "d"),
    (lambda: length.turns([1.0], 0), "n"),
    (lambda: length.ntk_frequencies(2, 4.0), "d"),
    (lambda: length.ramp_frequencies([1.0, 0.1], 8, 2.0, slow=4, fast=1), "fast"),
    (lambda: length.ramp_frequencies([1.0, 2.0], 8, 2.0, ramp="index"), "theta"),
    (lambda: length.forgetting_bias([0.5]), "log_gates"),
    (lambda: length.contextual_positions([[1.5]]), "gates"),
    (lambda: recurrent.rnn(X, np.ones((4, 2)), np.ones((4, 4)), np.ones(4), start=np.ones(3)), "start"),
    (lambda: recurrent.lstm(X, np.ones((9, 2)), np.ones((9, 2)), np.ones(9)), "W_h|W_x|b"),
    (lambda: recurrent.random_recurrence(np.random.default_rng(0), 2, -1), "radius"),
    (lambda: scores.density([NAN], 3), "s"),
    (lambda: scores.density([0.0], 0), "d_k"),
    (lambda: scores.row_coverage(-1.0, 4, 2), "t"),
    (lambda: simplex.sparsemax([-INF, -INF]), "s"),
    (lambda: simplex.hull_weights([0.0], X), "V"),
]


@pytest.mark.parametrize(("call", "argument"), REFUSED)
def test_what_is_outside_a_law_is_refused_by_name(call, argument):
    with pytest.raises(ValueError, match=rf"\b({argument})\b"):
        call()


@pytest.mark.parametrize(
    "perm", [[0, 0], [0, 2], [-1, 0], [], [[0, 1], [1, 0]], 0, [0.5, 1], [0, NAN], ["0", "1"], [None, 0], [[0], [0, 1]]]
)
@pytest.mark.parametrize("law", [permutations.permutation_matrix, permutations.inverse, permutations.cycle_type])
def test_what_is_no_permutation_is_refused(law, perm):
    with pytest.raises(ValueError, match=re.escape("perm")):
        law(perm)


def test_libraries_do_not_mix():
    with pytest.raises(TypeError):
        att.attention(torch.ones(3, 2), X, X)


@pytest.mark.parametrize("given", [[1, 2], np.array([1, 2]), np.float32([1, 2]), torch.tensor([1, 2])])
def test_numbers_become_floating_and_keep_their_library_and_precision(given):
    result = att.softmax(given)
    assert isinstance(result, torch.Tensor) == isinstance(given, torch.Tensor)
    assert str(result.dtype).endswith("float32" if getattr(given, "dtype", None) == np.float32 else "float64")
    np.testing.assert_allclose(np.asarray(result), np.exp([1, 2]) / np.exp([1, 2]).sum(), rtol=1e-6)
