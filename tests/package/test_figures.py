"""Every public drawing, called once: it draws what it was given, its text can be read, and bad input is refused.

An example is a call with every argument, and what the drawing must contain: labelled curves and other marks as points
(n, 2), the shades of heat maps, and numbers of the description. They are computed here, without the drawing.
"""

import copy
import importlib
import inspect
import itertools
import math
import pkgutil
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from attnbook import figures
from attnbook.figures import (
    capstone,
    explore,
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
from lxml import etree
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from scipy import special, stats

MODULES = [importlib.import_module(f"attnbook.figures.{m.name}") for m in pkgutil.iter_modules(figures.__path__)]
SVG = "{http://www.w3.org/2000/svg}"
ALT = 'A matrix with "signs" & <numbers>, and beside it three bars under a line.'
rng = np.random.default_rng(0)


class Example(NamedTuple):
    """A call, and what must be found in the drawing."""

    draw: Any
    arguments: dict
    curves: Mapping = MappingProxyType({})
    marks: Sequence = ()
    shades: Sequence = ()
    alt: Sequence = ()


def points(x, y):
    return np.stack(np.broadcast_arrays(x, y), axis=-1).astype(float)


def indexed(y, first=0):
    """The points (first, y_0), (first + 1, y_1), …"""
    return points(np.arange(len(y)) + first, y)


def smooth(run, n=5):
    return np.array([run[i : i + n].mean() for i in range(len(run) - n + 1)])


# -------------------------------------------------------------------------------------------------- the examples

SHARES = rng.dirichlet(np.ones(3), size=(2, 3))
NAMES = "RNN", "LSTM"
RUNS = rng.uniform(0.1, 1, size=(2, 3, 2))  # two names, three runs, two lengths or rates
TRAINING = rng.uniform(0.1, 1, size=(2, 20, 2))
LEARNING = rng.uniform(1, 2, size=(2, 3, 10))
NORMS = rng.uniform(0.01, 1, size=(2, 3, 2, 7))  # without and with scale, d_k, J and q, rows
DECADES = 10.0 ** -np.arange(10)
LOGITS = np.log(np.tri(3) / 2 + 0.1)
H, C, FIXED = np.array([[0.0, 0], [4, 0], [0, 3]]), np.array([[0.5, 0], [3, 0.5], [0.5, 2.5]]), np.array([1.0, 1.0])
CAUSAL, FULL = np.tri(3) > 0, np.ones((3, 3), bool)
HULL, INNER = np.array([[0.0, 0], [4, 0], [0, 4], [1, 1]]), np.array([[1, 0.5], [0.5, 2], [3, 3]])
OUTER = np.array([[5.0, 0], [1, 2], [-1, -1]])
RIGHT = np.arange(0, 361, 90)  # angles
TURNED, BENT = np.array([0, 0.75, 0, 0.75, 0]), np.array([0.5, 0, 0.9, 0, 0.5])
TERMS = [(0.5, [1, 2, 0]), (0.3, [0, 1, 2]), (0.2, [2, 1, 0])]
D = sum(theta * np.eye(3)[perm] for theta, perm in TERMS)
WAVES = np.array([[f(t / 10 ** (2 * k)) for k in (0, 1) for f in (math.sin, math.cos)] for t in range(8)])
KEYS = np.array([[r * math.cos(math.radians(a)), r * math.sin(math.radians(a))]
                 for a, r in ((10, 1), (72, 1), (125, 2), (200, 1), (290, 1))])  # fmt: skip
SCORES = KEYS @ [4 * math.cos(math.radians(200)), 4 * math.sin(math.radians(200))] / 2**0.5
AT, LINE = np.linspace(-3, 3, 121), np.linspace(-4, 4, 160)
ANGLE, T = 200.0, 0.5  # of the temperature: the query has length 2
THREE = special.softmax(2**0.5 * np.cos(np.radians(ANGLE - np.array([90, 210, 330]))) / T)
SIMPLEX = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
OCTET = special.softmax(scaling.ROW * 2)  # d_k = 4 without a scale
THETA = 10_000.0 ** (-np.arange(4) / 4)
TURNS, RISE = THETA * 100 / (2 * np.pi), np.arange(4) / 3
GAMMA = np.clip((TURNS - 1) / 31, 0, 1)
PRODUCTS = [sum(math.cos(k / 10_000 ** (2 * pair / 16)) for pair in range(8)) for k in range(-40, 41)]
MATRIX = ["X", np.array([[1.0, -2.0], [0.25, 4.0]]), "blue"]
SHOWN = style.Picture("<svg></svg>", "A picture that shows nothing.")

EXAMPLES = [
    Example(
        capstone.draw_training, {"curves": {"positions": TRAINING}, "floor": 0.7},
        curves={"positions": points(np.arange(2, 18), smooth(TRAINING[0, :, 0]))},
        marks=[points(np.arange(2, 18), smooth(TRAINING[1, :, 0])), *(indexed(run[:, 1]) for run in TRAINING)],
        alt=[f"{TRAINING[:, 10:, 0].mean():.2f}", f"{TRAINING[..., 1].max():.0e}"],
    ),
    Example(capstone.draw_heads, {"words": list("abcdef"), "maps": np.full((3, 6, 6), 0.25),
                                  "heads": [1, 0, 1], "said": "no"}),
    Example(
        capstone.draw_reach, {"weights": SHARES[0], "even": 0.125},
        curves={f"head {k}": indexed(row) for k, row in enumerate(SHARES[0], 1)},
        alt=[f"{row.max():.2f}, at {row.argmax()} back" for row in SHARES[0]],
    ),
    Example(groups.draw_stabiliser, {"mask": CAUSAL, "perm": [1, 0, 2], "counts": True}),
    Example(groups.draw_hierarchy, {"masks": {"causal": CAUSAL, "none": FULL}}, alt=["causal: 1", "none: 6"]),
    Example(groups.draw_ledger, {"verdicts": {"layer": ["equivariant", "–"]}, "columns": ["tokens", "keys"]}),
    Example(
        length.draw_accuracies,
        {"bars": {"T5": (0.9, 0.3), "rotary": (1.0, 0.6)}, "labels": ("before", "after"), "chance": 0.2},
        curves={"before": [[0.9, 0]], "after": [[0.3, 0]]}, marks=[[[1.0, 1]], [[0.6, 1]]],
        alt=["T5 0.90 and 0.30", "rotary 1.00 and 0.60"],
    ),
    Example(
        length.draw_ramp, {"s": 8.0, "base": 1e4, "d": 8, "n": 100},
        curves={"interpolate": points(TURNS, 8), "NTK": points(TURNS, 8**RISE),
                "ramp (YaRN)": points(TURNS, 1 / (GAMMA + (1 - GAMMA) / 8))},
        alt=["8", f"{(TURNS < 1).sum()} pairs"],
    ),
    Example(length.draw_gates, {"biases": {"a head": LOGITS, "another": 2 * LOGITS}},
            shades=[np.exp(LOGITS), np.exp(2 * LOGITS)], alt=[f"a head: {np.exp(LOGITS[2, 0]):.2g}"]),
    Example(
        length.draw_lengths,
        {"lengths": [8, 16], "trained": 8, "chance": 0.25,
         "accuracy": {"rotary": RUNS[0], "learned": [[1.0, np.nan]] * 3}},
        marks=[*(points([8, 16], run) for run in RUNS[0]), points([8, 16], np.median(RUNS[0], axis=0)),
               points([8, 16], [1, np.nan])],
        alt=[f"rotary {np.median(RUNS[0, :, 1]):.2f} at 16", "learned 1.00 at 8"],
    ),
    Example(
        lookup.draw_lookup, {"angle": 200.0, "length": 4.0},
        marks=[indexed(SCORES), indexed(special.softmax(SCORES)), [special.softmax(SCORES) @ lookup.VALUES]],
        alt=[f"{SCORES[3]:.1f}", f"{special.softmax(SCORES).max():.2f}", "Key 4"],
    ),
    Example(lookup.draw_shapes, {"words": ["a", "b"], "panels": [[[MATRIX, "=", MATRIX]], [[MATRIX]]]},
            alt=["X (2 by 2)"]),
    Example(
        lookup.draw_alignment,
        {"A": SHARES[0], "targets": ["the", "cat", "is"], "sources": ["le", "chat", "noir"], "what": "toy"},
        shades=[SHARES[0]],
        alt=[f"{['le', 'chat', 'noir'][row.argmax()]} ({row.max():.2f})" for row in SHARES[0]],
    ),
    Example(
        lookup.draw_contexts,
        {"H": H, "C": C, "c": FIXED, "targets": ["a", "b", "c"], "sources": ["x", "y", "z"]},
        curves={"state of a source word": H, "context of a target word": C, "the one fixed vector": [FIXED]},
        alt=["a to x, b to y, c to z", f"{math.dist(C[1], C[2]):.2f}"],
    ),
    Example(lookup.draw_self_weights, {"without": SHARES[0], "projected": SHARES[1]}, shades=SHARES,
            alt=[f"{np.trace(A) / 3:.2f}" for A in SHARES]),
    Example(lookup.draw_costs, {"ns": [16, 64, 1024], "costs": {"attention": [1e3, 4e5, 8e6], "RNN": [2e3, 3e4, 1e5]},
                                "d": 32},
            curves={"attention": points([16, 64, 1024], [1e3, 4e5, 8e6]),
                    "RNN": points([16, 64, 1024], [2e3, 3e4, 1e5])},
            alt=["1.0e+03 to 8.0e+06"]),
    Example(permuting.draw_permuting, {"rows": [1, 0, 2], "columns": [2, 1, 0], "counts": True}),
    Example(permuting.draw_routes, {"perm": [2, 0, 1]}, alt=["c, a, b", "b, c, a"]),
    Example(permuting.draw_types, {}, alt=["2 + 2: 3", "4: 6"]),
    Example(permuting.draw_orthogonal,
            {"angles": RIGHT, "rotations": TURNED, "reflections": BENT},
            curves={"rotations": points(RIGHT, TURNED), "reflections": points(RIGHT, BENT)},
            alt=["0.90"]),
    Example(permuting.draw_birkhoff, {"D": D, "terms": TERMS}, alt=["0.30 times [0, 1, 2]"]),
    Example(permuting.draw_balance, {"errors": [0.7, 0.04, 0.002], "rate": 0.1},
            curves={"measured": indexed([0.7, 0.04, 0.002], 1), "slope σ₂² = 0.100": indexed([0.2, 0.02, 0.002], 1)},
            alt=["0.7", "2.0e-03"]),
    Example(position.draw_similarity,
            {"table": WAVES, "products": WAVES @ WAVES[1], "row": 1, "other": 2, "turn": False},
            marks=[indexed(WAVES @ WAVES[1])], alt=[f"{WAVES[2] @ WAVES[1]:.3f} with row 2"]),
    Example(position.draw_buckets, {"offset": -8, "direction": "past"}, marks=[[[-8, 8]]], alt=["bucket 8"]),
    Example(position.draw_products, {"d": 16, "reach": 40}, marks=[points(np.arange(-40, 41), PRODUCTS)],
            alt=[f"{PRODUCTS[45]:.3f} at 5"]),
    Example(position.draw_order, {"accuracy": {"sinusoidal": [0.9, 1.0], "none": [0.5, 0.52]}},
            marks=[points([0.9, 1.0], [-0.24, 0.24]), points([0.5, 0.52], [0.76, 1.24])],
            alt=["sinusoidal 0.95", "none 0.51"]),
    Example(recurrence.draw_routes, {"n": 4}, alt=["3 arrows"]),
    Example(recurrence.draw_cell, {}),
    Example(
        recurrence.draw_gradients,
        {"linear": {0.5: (DECADES, 2 * DECADES)}, "cells": {0: (3 * DECADES, 4 * DECADES)}},
        curves={"ρ 0.5": points(np.arange(0, 10, 3), np.log10(DECADES[::3])),
                "bias 0": points(np.arange(0, 10, 3), np.log10(3 * DECADES[::3]))},
        marks=[points(np.arange(0, 10, 3), np.log10(factor * DECADES[::3])) for factor in (2, 4)],
        alt=["1.0e-09", "3.0e-09"],
    ),
    Example(recurrence.draw_decay, {"radius": 0.9, "n": 10}, curves={"ρᵏ": [[0, 0], [9, 9 * np.log10(0.9)]]}),
    Example(recurrence.draw_memory, {"curves": {"tanh": [1.0, 0.5, 0.0], "linear": [0.9, 0.8, 0.7]}},
            curves={"tanh": indexed([1.0, 0.5, 0.0]), "linear": indexed([0.9, 0.8, 0.7])}, alt=["1.5", "2.4"]),
    Example(
        recurrence.draw_accuracy,
        {"lengths": [2, 4], "accuracy": {"RNN": RUNS[0], "LSTM": RUNS[1]}, "chance": 0.1, "xlabel": "length"},
        curves={name: points([2, 4], np.median(runs, axis=0)) for name, runs in zip(NAMES, RUNS, strict=True)},
        marks=[points([2, 4], run) for run in RUNS.reshape(-1, 2)],
        alt=[f"{np.median(RUNS[0, :, 1]):.2f} at 4", f"{np.median(RUNS[1, :, 0]):.2f} at 2", "0.1"],
    ),
    Example(recurrence.draw_blocks, {"blocks": {"RNN": np.tri(3), "half": np.tri(3).T}},
            shades=[np.tri(3), np.tri(3).T], alt=["67%", "1.000", "0.000"]),
    Example(recurrence.draw_paths, {"ns": [4, 16], "paths": {"RNN": [3, 15], "attention": [1, 1]}},
            curves={"RNN": np.log2([[4, 3], [16, 15]]), "attention": np.log2([[4, 1], [16, 1]])}, alt=["RNN 15"]),
    Example(
        recurrence.draw_rates,
        {"rates": [0.1, 1.0], "accuracy": {"RNN": RUNS[0].T, "LSTM": RUNS[1].T}, "title": "7 steps back"},
        curves={name: indexed(np.median(runs, axis=0)) for name, runs in zip(NAMES, RUNS, strict=True)},
        marks=[indexed(run) for run in RUNS.reshape(-1, 2)],
        alt=[f"{np.median(runs, axis=0).max():.2f}" for runs in RUNS],
    ),
    Example(
        scaling.draw_scaling, {"d_k": 4, "scale": "no scale"}, marks=[indexed(OCTET)],
        alt=["deviation 2", f"weight {OCTET[-1]:.3f}", f"{np.exp(special.entr(OCTET).sum()):.1f} keys",
             f"norm {np.linalg.norm(np.diag(OCTET) - np.outer(OCTET, OCTET)):.3f}"],
    ),
    Example(scaling.draw_densities, {"d_ks": [2, 64]},
            curves={"dₖ = 2": points(LINE, stats.laplace.pdf(LINE, scale=0.5**0.5)),
                    "normal": points(LINE, stats.norm.pdf(LINE))}, alt=["2, 64"]),
    Example(scaling.draw_two_layers, {"A": {4: np.full((3, 5), 0.2), 512: np.eye(3, 5)}},
            shades=[np.full((3, 5), 0.2), np.eye(3, 5)], alt=["4 at 5.0", "512 at 1.0"]),
    Example(
        scaling.draw_gradients, {"d_ks": [1, 4, 16], "raw": NORMS[0], "scaled": NORMS[1]},
        curves={"no scale, mean": points([1, 4, 16], NORMS[0, :, 0].mean(axis=1)),
                "1/√dₖ, median": points([1, 4, 16], np.sort(NORMS[1, :, 0])[:, 3])},
        marks=[points([1, 4, 16], NORMS[0, :, 1].mean(axis=1)), points([1, 4, 16], np.sort(NORMS[1, :, 1])[:, 3])],
        alt=[f"{NORMS[0, 2, 0].mean():.2g}", f"{np.median(NORMS[0, 2, 1]):.1e}"],
    ),
    Example(simplex.draw_temperature, {"T": T, "angle": ANGLE}, marks=[[THREE @ SIMPLEX], [THREE @ simplex.VALUES]],
            alt=[f"{x:.2f}" for x in (*THREE, np.exp(special.entr(THREE).sum()))]),
    Example(simplex.draw_hull, {"V": HULL, "Y": INNER, "outside": {"far": OUTER}},
            curves={"values": HULL, "3 outputs of softmax": INNER, "far": OUTER},
            alt=["4 values", "3 of them", "1 of 3", "far (2 of 3)"]),
    Example(
        simplex.draw_faces, {"s": [1.0, 0.4, -0.6], "hidden": 2},
        curves={"softmax": [special.softmax([1.0, 0.4, -0.6]) @ SIMPLEX], "sparsemax": [[0.8, 0.2, 0] @ SIMPLEX],
                "key 3 masked": [np.append(special.softmax([1.0, 0.4]), 0) @ SIMPLEX]},
        alt=["(0.80, 0.20, 0.00)", "key 1", "key 3"],
    ),
    Example(
        simplex.draw_collapse, {"curves": {"alone": LEARNING[0], "residual": LEARNING[1]}},
        curves={name: indexed(np.median(runs, axis=0))
                for name, runs in zip(("alone", "residual"), LEARNING, strict=True)},
        marks=[indexed(run) for run in LEARNING.reshape(-1, 10)], alt=[f"{np.median(LEARNING[0, :, -1]):.1e}"],
    ),
    Example(simplex.draw_two_keys, {}, alt=["0.05", "0.95"],
            curves={"softmax": points(AT, special.expit(AT)), "sparsemax": points(AT, np.clip((1 + AT) / 2, 0, 1))}),
    Example(
        simplex.draw_smoother,
        {"x": [0.0, 1.0, 2.0], "y": [1.0, -2.0, 4.0], "at": [0.0, 0.5], "fits": {"narrow": [0.4, 0.3]},
         "truth": [0.1, 0.2]},
        curves={"data": [[0, 1], [1, -2], [2, 4]], "narrow": [[0, 0.4], [0.5, 0.3]], "truth": [[0, 0.1], [0.5, 0.2]]},
        alt=["-2.00 and 4.00", "0.30 to 0.40"],
    ),
    Example(symmetry.draw_shuffled, {"perm": [1, 0, 3, 2]}),
    Example(symmetry.draw_errors, {"follows": [1e-16, 0.0, 2e-16], "stands": [0.5, 2.0]},
            alt=["2.0e-16", "0.50 and 2.00"]),
    Example(symmetry.draw_patterns,
            {"words": ["a", "b", "c"], "A": SHARES[0], "other_words": ["c", "b", "a"], "B": SHARES[1]},
            shades=SHARES, alt=[f"{x:.2f}" for x in SHARES[0].ravel()]),
    Example(
        symmetry.draw_rounding,
        {"sizes": [4, 64], "errors": {"float32": [1e-7, 2e-7], "float64": [1e-16, 3e-16]},
         "allowed": {"float32": [1e-5, 2e-5], "float64": [1e-14, 2e-14]}},
        curves={"float32, measured": points([4, 64], [1e-7, 2e-7]),
                "float64, allowed": points([4, 64], [1e-14, 2e-14])},
        alt=["float32: measured up to 2.0e-07", "2.0e-14"],
    ),
]  # fmt: skip


# ------------------------------------------------------------------------------------------- what all must satisfy


def name_of(example):
    return example.draw.__name__ + "-" + example.draw.__module__.rpartition(".")[2]


every_example = pytest.mark.parametrize("example", EXAMPLES, ids=name_of)


def call(function, arguments):
    """Call a function with copies of its arguments; those behind ``*`` in its signature are spread."""
    bound = inspect.signature(function).bind_partial()
    bound.arguments.update({name: value() if callable(value) and name in ("ax", "fig") else copy.deepcopy(value)
                            for name, value in arguments.items()})  # fmt: skip
    return function(*bound.args, **bound.kwargs)


@pytest.fixture
def draw(monkeypatch):
    """draw(example): the axes of all its figures, as saved, and its Picture."""
    figs, save = [], style.picture

    def keep(fig, alt):
        figs.append(fig)
        return save(fig, alt)

    for module in MODULES:
        if module is not style and hasattr(module, "picture"):
            monkeypatch.setattr(module, "picture", keep)

    def draw(example):
        drawn = call(example.draw, example.arguments)
        return [ax for fig in figs for ax in fig.axes], drawn

    return draw


def same(a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)


def heat_maps(axes):
    """The opacities of the cells of every heat map, as a share of the strongest colour."""
    for ax in axes:
        alphas = [patch.get_facecolor()[3] / 0.35 for patch in ax.patches if type(patch) is Rectangle]
        if alphas:
            n = round(abs(np.diff(ax.get_ylim())[0]))
            yield np.reshape(alphas, (n, -1))


@every_example
def test_a_drawing_has_the_numbers_it_was_given(draw, example):
    axes, drawn = draw(example)
    labelled = [(line.get_label(), line.get_xydata()) for ax in axes for line in ax.lines]
    marks = [xy for _, xy in labelled]
    marks += [
        [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in group]
        for ax in axes
        for group in ax.containers
    ]
    for label, expected in example.curves.items():
        assert any(same(xy, expected) for name, xy in labelled if name == label), label
    for expected in example.marks:
        assert any(same(xy, expected) for xy in marks), expected
    if len(example.shades):
        for shades, expected in zip(heat_maps(axes), example.shades, strict=True):
            np.testing.assert_allclose(shades, expected)
    assert not [number for number in example.alt if number not in drawn.alt], drawn.alt


def texts_of(fig):
    """The texts of a figure that are drawn, with their boxes in pixels."""
    drawn, draw = [], Text.draw

    def keep(text, renderer):
        draw(text, renderer)
        if text.get_text().strip():
            drawn.append((text.get_text(), text.get_window_extent(renderer)))

    canvas = FigureCanvasAgg(fig)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", keep)
        canvas.draw()
    return drawn


@every_example
def test_text_is_inside_the_picture_and_none_is_upon_another(draw, example):
    axes, _ = draw(example)
    for fig in dict.fromkeys(ax.figure for ax in axes):
        boxes = texts_of(fig)
        for text, box in boxes:
            inside = box.x0 >= -2 and box.x1 <= fig.bbox.x1 + 2 and box.y0 >= -2 and box.y1 <= fig.bbox.y1 + 2
            assert inside, f"{text!r} is cut off"
        for (one, a), (other, b) in itertools.combinations(boxes, 2):
            wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert wide < 2 or high < 4, f"{one!r} is upon {other!r}"


@every_example
def test_an_svg_is_described_takes_the_colours_of_the_page_and_resolves_its_references(example):
    svg = call(example.draw, example.arguments).svg
    for part in re.findall(r"<svg.*?</svg>", svg, re.DOTALL):
        root = etree.fromstring(part)
        assert root.get("role") == "img"
        assert len(root.get("aria-label")) >= 20
        assert root.get("viewBox")
        assert not {"width", "height"} & set(root.attrib), "the page decides"
    assert not re.search(r"#000\b|#000000|\bblack\b|rgb\(0, ?0, ?0\)|DejaVu", svg)
    assert "fill: #ffffff; opacity" not in svg, "the frame of a legend is a light patch on a dark page"
    for name, colour in style.PALETTE.items():
        assert svg.count(colour) == svg.count(f"var(--figure-{name}, {colour})")
    ids = re.findall(r'\bid="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert {a or b for a, b in re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', svg)} <= set(ids)


def test_no_two_pictures_of_a_page_share_an_id():
    ids = [name for example in EXAMPLES
           for name in re.findall(r'\bid="([^"]*)"', call(example.draw, example.arguments).svg)]  # fmt: skip
    assert len(ids) == len(set(ids)) > 0


# ----------------------------------------------------------------------------------------------------- bad input

some_axes, some_figure = (lambda: style.figure()[1]), (lambda: style.figure()[0])
TOOLS = [
    Example(explore.explore, {"draw": lambda size: SHOWN, "labels": {"size": "width"}, "start": {"size": 1},
                              "free": {"size": (1, 9)}, "choices": {"size": [1, 2]}}),
    Example(style.figure, {"rows": 1, "columns": 2, "width": 4.0, "height": 2.0}),
    Example(style.canvas, {"width": 300, "height": 200}),
    Example(style.picture, {"fig": some_figure, "alt": SHOWN.alt}),
    Example(style.beside, {"pictures": [SHOWN, SHOWN]}),
    Example(style.heatmap, {"ax": some_axes, "M": np.eye(2), "rows": ["a", "b"], "columns": range(2), "limit": 1.0,
                            "digits": 2, "aspect": "auto"}),
    Example(style.tiles, {"ax": some_axes, "corners": [(0, 0), (1, 1)], "width": 1.0, "height": 1.0, "colour": "blue",
                          "clip": True}),
    Example(style.bars, {"ax": some_axes, "values": [0.25, 0.75], "labels": ["a", "b"], "color": "blue", "digits": 2}),
    Example(tables.table, {"columns": {"n": [1, 2], "name": ["a", "b"]}, "digits": 3}),
    Example(tables.with_range, {"span": [0.0, 0.5, 1.0], "form": ".0%"}),
]  # fmt: skip


def test_every_public_drawing_has_an_example_with_every_argument():
    public = [getattr(module, name) for module in MODULES for name in getattr(module, "__all__", ())]
    examples = {example.draw: set(example.arguments) for example in EXAMPLES + TOOLS}
    assert {function for function in public if inspect.isfunction(function)} == set(examples)
    for function, arguments in examples.items():
        assert arguments == set(inspect.signature(function).parameters) - {"options"}, function


REFUSED = {  # arguments that do not fit each other
    "columns": lambda: permuting.draw_permuting([0, 1, 2], [1, 1, 0]),
    "terms": lambda: permuting.draw_birkhoff(D, [(0.5, [1, 2, 0]), (0.4, [0, 1, 2])]),
    "reach": lambda: position.draw_products(128, 6),
    "V": lambda: simplex.draw_hull(np.ones((3, 2)), np.eye(2), {"far": np.eye(2)}),
    "accuracy": lambda: length.draw_lengths([8], {"learned": [[np.nan]]}, 8, 0.5),
    "allowed": lambda: symmetry.draw_rounding([4], {"f4": [1e-7]}, {"f8": [1e-7]}),
    "alt": lambda: style.picture(some_figure(), "figure 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_that_do_not_fit_each_other_are_refused(name):
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        REFUSED[name]()


# ------------------------------------------------------------------------------- drawings laid out on a canvas


def lines_of_text(ax):
    """All texts of the figure as they are read: lines from top to bottom, each from left to right."""
    lines, last = [], -math.inf
    for word, box in sorted(texts_of(ax.figure), key=lambda entry: -entry[1].y0 - entry[1].y1):
        middle = -(box.y0 + box.y1) / 2
        lines += [[]] if middle > last + 6 else []
        lines[-1].append((box.x0, word))
        last = middle
    return [[word for _, word in sorted(line)] for line in lines]


def squares(patch):
    """The cells of a path of squares as (row, column), counted from its upper left corner."""
    corners = patch.get_path().vertices.reshape(-1, 5, 2)[:, 0]
    at = (corners - corners.min(axis=0)) / np.diff(np.unique(corners[:, 0])).min()
    return {tuple(cell) for cell in at.round().astype(int)[:, ::-1].tolist()}


def number(x, digits=1):
    return f"{round(x, digits) + 0.0:.{digits}f}".replace("-", "−")


@pytest.mark.parametrize("perm", [[0, 1, 2, 3], [1, 2, 0, 3], [3, 0, 1, 2]])
def test_shuffled_words_take_their_rows_and_columns_along(draw, perm):
    [ax], _ = draw(Example(symmetry.draw_shuffled, {"perm": perm}))
    Q, K, V = (M[perm] for M in (symmetry.QUERIES, symmetry.KEYS, symmetry.VALUES))
    S = np.einsum("ic,jc->ij", Q, K) / 2**0.5
    A = special.softmax(S, axis=1)
    Y = np.einsum("ij,jc->ic", A, V)
    order = [symmetry.WORDS[i] for i in perm]
    lines = lines_of_text(ax)
    for i, word in enumerate(order):
        assert [word, *map(number, [*Q[i], *K[i], *V[i]])] in lines
        assert [word, *map(number, S[i]), word, *(number(a, 2) for a in A[i])] in lines
        assert any([word, *map(number, Y[i])] == line[:3] for line in lines)
    assert order + order in lines
    assert any(list(map(number, Y.mean(axis=0))) == line[-2:] for line in lines)


@pytest.mark.parametrize("perm", [[2, 0, 3, 1], [1, 0, 2, 3]])
@pytest.mark.parametrize("M", [np.tri(4) > 0, np.eye(4)[[1, 2, 3, 0]] + np.eye(4) > 0], ids=["causal", "ring"])
def test_a_moved_mask_is_P_M_P_transposed_and_its_orbit_is_counted(draw, M, perm):
    [ax], drawn = draw(Example(groups.draw_stabiliser, {"mask": M, "perm": perm}))
    P = np.eye(4)[perm]
    moved = P @ M @ P.T == 1
    for patch, grid in zip(ax.patches, (M, moved), strict=True):
        assert squares(patch) == set(map(tuple, np.argwhere(grid).tolist()))
    orbit = {(M[np.ix_(p, p)]).tobytes() for p in itertools.permutations(range(4))}
    text = " ".join(itertools.chain(*lines_of_text(ax)))
    for where in (text, drawn.alt):
        assert f"{(moved != M).sum()} entries" in where or (moved == M).all()
        assert re.search(rf"\b{24 // len(orbit)}\b.*\b{len(orbit)}\b", where)


def test_blocks_have_a_cell_for_each_number_and_a_dash_for_each_negative_one(draw):
    X, W = np.array([[1.0, -2.0, 0.5], [0.25, 4.0, -1.0]]), np.array([[1.0, -1.0], [0.5, 2.0], [-2.0, 1.0]])
    parts = [("X", X, "blue"), "·", ("W", W, "orange"), "=", ("Q", X @ W, "green")]
    [ax], _ = draw(Example(lookup.draw_shapes, {"words": ["cat", "sat"], "panels": [[parts]]}))
    cells = [patch for patch in ax.patches if patch.get_fill()]
    frames = [patch.get_xy() for patch in ax.patches if not patch.get_fill()]
    dashes = {(round(line.get_ydata()[0] - 0.5, 6), round(line.get_xdata()[0] - 0.3, 6)) for line in ax.lines}
    for M, (left, top) in zip((X, W, X @ W), frames, strict=True):
        for i, j in np.ndindex(M.shape):
            cell = cells.pop(0)
            assert cell.get_xy() == (left + j, top + i)
            assert cell.get_facecolor()[3] == pytest.approx(0.08 + 0.72 * abs(M[i, j]) / abs(M).max())
            assert ((round(top + i, 6), round(left + j, 6)) in dashes) == (M[i, j] < 0)


# ----------------------------------------------------------------------- drawings that compute what they show


# -------------------------------------------------------------------------------------------------- the style


def written(fig):
    return ["".join(element.itertext()) for element in etree.fromstring(style.picture(fig, ALT).svg).iter(f"{SVG}text")]


def test_text_stays_text_and_the_description_is_escaped():
    fig, ax = style.figure()
    style.bars(ax, [0.1, 0.7], ["α & β", "<c>"])
    assert {"α & β", "<c>", "0.700"} <= set(written(fig))
    assert etree.fromstring(style.picture(fig, ALT).svg).get("aria-label") == ALT


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (8, 8), (9, 8), (8, 9), (20, 20)])
def test_a_heat_map_is_laid_out_like_its_matrix_with_numbers_if_it_is_small(shape):
    M = np.random.default_rng(1).normal(size=shape)
    fig, ax = style.figure()
    style.heatmap(ax, M, digits=1)
    assert written(fig) == ([number(x) for x in M.ravel()] if max(shape) <= 8 else [])
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first row is on top"
    for patch, (i, j) in zip(ax.patches, np.ndindex(shape), strict=True):
        assert patch.get_xy() == (j - 0.5, i - 0.5)
        assert patch.get_facecolor()[3] == pytest.approx(0.35 * max(M[i, j], 0) / abs(M).max()), "no ground below lines"
    lined = {tuple(np.floor(np.nanmean(line.get_xydata(), axis=0) + 0.5).astype(int)) for line in ax.lines}
    assert lined == {(j, i) for i, j in np.argwhere(M < 0)}, "the sign is seen without colour"


@pytest.mark.parametrize(
    ("value", "text"), [(-0.04, "0.0"), (-0.06, "−0.1"), (2.25, "2.2"), (0, "0.0"), (-12, "−12.0")]
)
def test_numbers_have_a_true_minus_and_zero_has_none(value, text):
    fig, ax = style.figure()
    style.bars(ax, [value], digits=1)
    assert text in written(fig)


def test_a_table_has_four_figures_and_its_columns_in_order():
    drawn = tables.table({"n": [1, 2], "value": [np.pi, 1 / 3000], "name": ["a", "<b>"]})
    assert drawn == [["1", "3.142", "a"], ["2", "0.0003333", "<b>"]]
    assert drawn.header == ["n", "value", "name"]
    assert "<td>&lt;b&gt;</td>" in drawn._repr_html_()
