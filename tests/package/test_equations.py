"""Equations and theorems are evaluated as they are written, and a flipped sign or inequality in one is noticed.

They are evaluated if `equations` says what their names stand for; the others are counted. Of a theorem, whose formulas
stand between its words, those are evaluated whose names are all known.
"""

import contextlib
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
THEOREM = re.compile(r"^(`{3,})\{prf:theorem\}[^\n]*\n:label: (\S+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.*?)\$\$|\$([^$]+)\$", re.DOTALL)
RELATION = re.compile("|".join(re.escape(relation) + r"(?![a-z])" for relation in tex.RELATIONS))


def relations_that_hold(label, body, names=None):
    """How many relations of an equation hold; 0 if one does not."""
    for text, name in equations.WRITTEN[label].items():
        body = body.replace(text, name)
    with np.errstate(all="ignore"):
        return tex.holds(body, names or names_of(label))


def names_of(label):
    """What the names of an equation stand for."""
    with np.errstate(all="ignore"):
        return equations.NAMES[label](np.random.default_rng(0))


def known_formulas(label, text):
    """Join the formulas of a theorem that state a relation between known names."""
    known, names, text = [], names_of(label), " ".join(text.split())
    for words, formula in equations.WRITTEN[label].items():
        if "$" in words + formula:
            text = text.replace(words, formula)
    for formula in map("".join, FORMULA.findall(text)):
        if not (RELATION.search(formula) and equations.WRITTEN[label].get(formula, formula)):
            continue
        with contextlib.suppress(KeyError, AssertionError):
            relations_that_hold(label, formula, names)
            known.append(formula)
    return r" \qquad ".join(formula.rstrip(" .,\n") for formula in known)


THEOREMS = {
    label: text
    for path in sorted(CHAPTERS.rglob("*.md"))
    for _, label, text in THEOREM.findall(path.read_text("utf-8"))
}
STATEMENTS = {label: known_formulas(label, text) for label, text in THEOREMS.items() if label in equations.NAMES}
BODIES |= {label: body for label, body in STATEMENTS.items() if body}  # reworded, it may have no formula left
EVALUATED = sorted(BODIES.keys() & equations.NAMES.keys())
INSIDE = {label: {own for _, own in LABELLED.findall(text)} for label, text in THEOREMS.items()}
STATED = {label for label, own in INSIDE.items() if own and own <= set(EVALUATED)}  # its equation is evaluated
if unknown := (BODIES.keys() | THEOREMS.keys()) - set(EVALUATED) - STATED:
    warnings.warn(f"{len(unknown)} equations and theorems are not evaluated", stacklevel=1)


@pytest.mark.parametrize("label", EVALUATED)
def test_an_equation_holds_as_it_is_written(label):
    assert relations_that_hold(label, BODIES[label]) > 0


INVERSE = {"\\le": "\\ge", "\\ge": "\\le", "<": ">", ">": "<"}
INEQUALITY = re.compile(r"\\[lg]e(?![a-z])|[<>]")


def unnoticed(label, *faults):
    """List the changed forms of a body that hold as well; shapes that do not fit are noticed."""
    holding = []
    for fault in faults:
        with contextlib.suppress(Exception):
            if relations_that_hold(label, fault):
                holding.append(fault)
    return holding


@pytest.mark.parametrize("label", EVALUATED)
def test_a_changed_equation_is_noticed(label):
    """9 less on the last side, a flipped sign, a transpose less. A weaker bound may hold, and one other form."""
    body, bounds = BODIES[label], len(INEQUALITY.findall(BODIES[label]))
    less = re.sub(r"[\s.,]*(\\(?:qquad)?\\text.*)?(\\end\{\w+\})?\s*$", " - 9", body, count=1)
    signs = [body[: s.start()] + {"+": "-", "-": "+"}[s[0]] + body[s.end() :] for s in re.finditer(r"[+-]", body)]
    tops = [body[: top.start()] + body[top.end() :] for top in re.finditer(r"\^\\top", body)]
    assert len(held := unnoticed(label, less, *signs, *tops)) <= 1 + bounds, held


@pytest.mark.parametrize("label", [label for label in EVALUATED if INEQUALITY.search(BODIES[label])])
def test_an_inverted_inequality_is_noticed(label):
    body = BODIES[label]
    inverted = [body[: r.start()] + INVERSE[r[0]] + body[r.end() :] for r in INEQUALITY.finditer(body)]
    assert not unnoticed(label, *inverted)
