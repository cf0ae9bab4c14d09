"""Every numbered equation of the book is evaluated as it is written, and a flipped sign in it is found."""

import re
from pathlib import Path

import equations
import numpy as np
import pytest
import tex

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
LABELLED = re.compile(r"^\$\$\n((?:(?!\$\$)[^\n]*\n)+)\$\$ \(([\w-]+)\)$", re.MULTILINE)
WRITTEN = {
    label: body for path in sorted(CHAPTERS.rglob("*.md")) for body, label in LABELLED.findall(path.read_text("utf-8"))
}
EVALUATED = sorted(set(WRITTEN) - set(equations.SKIPPED))


def evaluated(label, body, seed=0):
    """How many relations of an equation hold; 0 if one does not."""
    for words, name in equations.REWRITTEN.get(label, ()):
        assert words in WRITTEN[label], f"{label}: {words} is not in the equation"
        body = body.replace(words, name)
    with np.errstate(all="ignore"):
        return tex.holds(body, equations.NAMES[label](np.random.default_rng(seed)))


def test_every_numbered_equation_is_evaluated_or_has_a_reason():
    assert sorted(equations.NAMES) == EVALUATED
    assert set(equations.SKIPPED) < set(WRITTEN)


@pytest.mark.parametrize("label", EVALUATED)
def test_an_equation_holds_as_it_is_written(label):
    assert evaluated(label, WRITTEN[label]) > 0


# Changed statements that are true as well: a key shift down, a weaker bound, vectors without an axis to turn.
TRUE_TOO = {
    "eq-short-gradient": ["(z Jg)"],
    "eq-qkv-keyshift": ["K - \\mathbf 1"],
    "eq-softmax-temperature": ["e^{+g/T}"],
}


def faults(body):
    """Each equation with 9 less on its last side, with one sign flipped, or without one transpose."""
    yield re.sub(r"[\s.,]*(\\(?:qquad)?\\text.*)?(\\end\{aligned\})?\s*$", " - 9", body, count=1)
    for sign in re.finditer(r"[+-]", body):
        yield body[: sign.start()] + {"+": "-", "-": "+"}[sign[0]] + body[sign.end() :]
    for top in re.finditer(r"\^\\top", body):
        yield body[: top.start()] + body[top.end() :]


@pytest.mark.parametrize("label", EVALUATED)
def test_a_changed_equation_is_found(label):
    for fault in faults(WRITTEN[label]):
        try:
            passes = evaluated(label, fault)
        except Exception:  # shapes that do not fit are found, too
            passes = 0
        assert not passes or any(words in fault for words in TRUE_TOO.get(label, ())), fault
