"""The assignments, and what the tests of the grader make of them: notebooks, right answers, short deadlines."""

import json
from pathlib import Path

import pytest
from attncourse import author, sandbox

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(author.assignments(ROOT / "course"))
SHORT = sandbox.Limits(cell=4, call=3, total=45)


def notebook(*cells):
    """The bytes of a notebook with these code cells."""
    made = [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": []} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def answers(bundle):
    """The right answers, one cell for each."""
    return [author.solution(source) for exercise in bundle["exercises"] for source in exercise["answer"]]


def needs_a_sandbox():
    """Skip a test, with the reason, where there is no sandbox; student's code never runs without one here."""
    reason = sandbox.missing()
    if reason:
        pytest.skip(reason)
