"""What was measured is measured again by a command: no number is typed, and no stored result is older than its code."""

import ast
import json
import re
import sys
from collections import Counter

import pytest

from chapters import ROOT, page, report, toc

sys.path.insert(0, str(ROOT / "tools"))
import experiments

NAMES = sorted(path.stem for path in (ROOT / "experiments").glob("*.py"))
TYPED = re.compile(r"outside\s+the\s+book|\b\d+\s+repetitions\b")


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_result_is_that_of_its_experiment(name):
    stored = json.loads(experiments.results(ROOT, name).read_text("utf-8"))
    assert stored["source"] == experiments.source(ROOT, name), f"{name} has changed: run make experiments ONLY={name}"
    assert stored["seeds"] == list(experiments.load(ROOT, name).MEMBERS)
    assert stored["summary"] == experiments.rounded(experiments.load(ROOT, name).summary(stored["members"]))
    assert experiments.text(stored) == experiments.results(ROOT, name).read_text("utf-8"), "written by hand"


def test_every_result_has_its_experiment_and_every_experiment_its_chapter():
    assert sorted(path.stem for path in experiments.results(ROOT, "*").parent.glob("*.json")) == NAMES
    figures = [path.read_text("utf-8") for path in (ROOT / "code" / "attnbook" / "live").glob("*.py")]
    texts = [*(page(name).text for name in toc()[0]), *figures]  # a live figure may compute with what was measured
    assert {name for text in texts for name in re.findall(r'load\("(\w+)"\)', text)} == set(NAMES)


def assigned(source):
    """How often the cells of a page assign each name, outside functions."""
    found = Counter()
    for cell in source.cells:
        for node in cell.tree.body:
            for part in ast.walk(node) if not isinstance(node, ast.FunctionDef) else ():
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    found[part.id] += 1
    return found


def test_a_quoted_name_is_assigned_once(source):
    """A sentence shows the value at the end of the page: it must be the only one."""
    found, quoted = assigned(source), set(re.findall(r"\{eval\}`([^`]*)`", source.text))
    report(f"{source.name}.md: {{eval}}`{name}` is assigned {found[name]} times" for name in quoted if found[name] != 1)


def test_no_measurement_is_typed(source):
    report(
        f"{source.where(source.text.count(chr(10), 0, found.start()) + 1)}: {found[0]!r} is measured by an experiment"
        for found in TYPED.finditer(source.text)
    )
