"""Find the public laws, and arguments that each accepts, so that the tests of all laws need no list of them.

Most laws read their arguments by a line such as ``arrays("Q (..., n, d_k), K (..., m, d_k)", Q, K)``. These lines are
found in the sources, and numbers by their annotation, ``int``, ``float`` or ``bool``. What a law accepts is found by
trying.
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
    """Return the parameters of a law by what they are: {name: "shaped", "array", int, float, bool or None}."""
    shaped = {name for name, *_ in shapes_in(law)}
    return {
        name: "shaped" if name in shaped else _kind(parameter.annotation)
        for name, parameter in inspect.signature(law).parameters.items()
    }


def _kind(annotation):
    """Return what values of an annotation are: "array", int, float or bool, or None besides; None for all others."""
    kinds = {ArrayLike: "array", int: int, float: float, bool: bool}
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


def tensors(law, **options):
    """Arguments that a law accepts, the floating arrays among them as tensors."""
    values = accepted(law, np.asarray)
    return {
        name: torch.tensor(x, **options) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x
        for name, x in values.items()
    }


def parts(result):
    """The arrays and numbers that a law returned."""
    if isinstance(result, tuple | list):
        return [part for each in result for part in parts(each)]
    return [] if result is None else [result]


def laws_of_tensors():
    """Yield the laws that return tensors for tensors; the others return arrays of NumPy, or numbers."""
    for each in laws():
        law = each.values[0]
        found = parts(law(**tensors(law)))
        if found and all(isinstance(part, torch.Tensor) for part in found):
            yield each
