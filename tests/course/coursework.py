"""The assignments, and what the tests of the grader make of them: notebooks, right answers, short deadlines."""

import json
from pathlib import Path

import pytest
from attncourse import author, reading, sandbox

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(author.assignments(ROOT / "course"))
SHORT = sandbox.Limits(cell=4, call=3, total=45)

IN_WORDS = """
+++ {"tags": ["question"], "exercise": "in-words", "goals": [1]}

## In your own words

Why is $\\sqrt{d_k}$ the right scale, and for which queries and keys is it not?

+++ {"tags": ["written"], "points": 2}

*Write your answer here.*

+++ {"tags": ["notes"]}

One point for the variance of a sum of independent products, one for a hypothesis that fails.
"""


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


def texts(document):
    """The text cells of a notebook that is a dict, as the grader reads them."""
    return reading.notebook(json.dumps(document).encode())[1]
