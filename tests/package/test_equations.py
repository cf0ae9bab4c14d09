"""Equations of the book are evaluated as they are written, and a flipped sign in one is noticed.

An equation is evaluated if `equations` says what its names stand for; the others are counted.
"""

import re
import warnings
from pathlib import Path

import equations
import numpy as np
import pytest
import tex

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
LABELLED = re.compile(r"^\$\$\n((?:(?!\$\$)[^\n]*\n)+)\$\$ \(([\w-]+)\)$", re.MULTILINE)
BODIES = {
    label: body for path in sorted(CHAPTERS.rglob("*.md")) for body, label in LABELLED.findall(path.read_text("utf-8"))
}
EVALUATED = sorted(BODIES.keys() & equations.NAMES.keys())
if len(EVALUATED) < len(BODIES):
    warnings.warn(f"{len(BODIES) - len(EVALUATED)} of {len(BODIES)} equations are not evaluated", stacklevel=1)


def relations_that_hold(label, body, seed=0):
    """How many relations of an equation hold; 0 if one does not."""
    for text, name in equations.WRITTEN[label].items():
        body = body.replace(text, name)
    with np.errstate(all="ignore"):
        return tex.holds(body, equations.NAMES[label](np.random.default_rng(seed)))


@pytest.mark.parametrize("label", EVALUATED)
def test_an_equation_holds_as_it_is_written(label):
    assert relations_that_hold(label, BODIES[label]) > 0


def faults(body):
    """Yield an equation with 9 less on its last side, with one sign flipped, or without one transpose."""
    yield re.sub(r"[\s.,]*(\\(?:qquad)?\\text.*)?(\\end\{aligned\})?\s*$", " - 9", body, count=1)
    for sign in re.finditer(r"[+-]", body):
        yield body[: sign.start()] + {"+": "-", "-": "+"}[sign[0]] + body[sign.end() :]
    for top in re.finditer(r"\^\\top", body):
        yield body[: top.start()] + body[top.end() :]


@pytest.mark.parametrize("label", EVALUATED)
def test_a_changed_equation_is_noticed(label):
    """A changed statement may be true as well, such as a weaker bound: at most one form of an equation."""
    unnoticed = []
    for fault in faults(BODIES[label]):
        try:
            if relations_that_hold(label, fault):
                unnoticed.append(fault)
        except Exception:  # shapes that do not fit are noticed, too
            continue
    assert len(unnoticed) <= 1, unnoticed
