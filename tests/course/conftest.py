"""Assignments, and a way to grade code that a test writes, as root and as an ordinary user."""

import base64
import dataclasses
import json
import os
import sys
from pathlib import Path

import ordinary_user
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
def someone_else(bubblewrap):
    """A process that grades as an ordinary user; these tests run as root."""
    process = ordinary_user.start(ROOT / "code")
    reason = ordinary_user.ask(process)
    if reason:
        pytest.skip(f"an ordinary user has no sandbox here: {reason}")
    yield process
    process.stdin.close()
    process.wait()


@pytest.fixture(scope="session", params=["root", "ordinary user"])
def marked(request, bundle, bubblewrap):
    """Grade cells, or bytes, with short deadlines. These tests never run code outside the sandbox."""
    root = os.geteuid() == 0
    if request.param == "root" and not root:
        pytest.skip("not applicable: these tests run as an ordinary user")
    other = request.getfixturevalue("someone_else") if root and request.param == "ordinary user" else None

    def run(*cells, **options):
        data = cells[0] if isinstance(cells[0], bytes) else notebook(*cells)
        asked, limits = options.pop("bundle", bundle), options.pop("limits", SHORT)
        if other is None:
            return grade.grade(data, asked, limits=limits)
        limits = dataclasses.asdict(limits)
        return ordinary_user.ask(other, data=base64.b64encode(data).decode(), bundle=asked, limits=limits)

    return run
