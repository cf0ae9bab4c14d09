"""Assignments, and a way to grade code that a test writes."""

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("BOOK_ROOT", Path(__file__).parents[2]))
sys.path.insert(0, str(ROOT / "code"))

from attncourse import author, grade, sandbox  # noqa: E402

CHAPTERS = sorted(author.assignments(ROOT / "course"))
SHORT = sandbox.Limits(cell=4, call=3, total=45)


def notebook(*cells):
    """The bytes of a notebook with these code cells."""
    made = [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": []} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def answers(bundle):
    """The right answers, one cell for each."""
    return [author.solution(source) for exercise in bundle["exercises"] for source in exercise["answer"]]


@pytest.fixture(scope="session")
def bundles():
    return {name: author.read(ROOT / "course" / f"{name}.md") for name in CHAPTERS}


@pytest.fixture(scope="session")
def bundle(bundles):
    """The assignment that the tests of the grader use."""
    return bundles["sqrt-dk-scaling"]


def needs_a_sandbox():
    """Skip a test, with the reason, where there is no sandbox; student's code never runs without one here."""
    reason = sandbox.missing()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def bubblewrap():
    needs_a_sandbox()


@pytest.fixture(scope="session")
def marked(bundle):
    """Grade cells, or bytes, with short deadlines. These tests never run code outside the sandbox."""
    needs_a_sandbox()

    def run(*cells, **options):
        data = cells[0] if isinstance(cells[0], bytes) else notebook(*cells)
        return grade.grade(data, bundle, limits=options.pop("limits", SHORT), **options)

    return run
