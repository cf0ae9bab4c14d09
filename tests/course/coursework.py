"""The assignments, and what the tests of the grader make of them: notebooks, right answers, short deadlines."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from attncourse import asking, author, gradebook, gradefiles, lists, model, sandbox, together

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(author.assignments(ROOT / "course"))
OF_TESTS = ROOT / "tests" / "course" / "assignments"  # where hidden tests give all points, and nobody has own numbers
SOMEBODY = 50_000 + os.getpid() % 10_000  # a user without a name, another one for every run of the tests
SHORT = sandbox.Limits(cell=4, call=3, total=45, grace=5)
EXAMINERS = asking.Examiners()  # of all tests here: one examiner serves many of them
HASTY = replace(SHORT, cell=1.2, call=0.8)  # where such a limit has to run out


class Class(gradebook.Grades):
    """The grades of a class with the files that are written of them, as the command makes both."""

    def __init__(self, assignment, download, folder, decisions=None, roster=None, site=""):
        together.complete(Path(folder))
        super().__init__(assignment, download, folder, decisions, roster)
        self.files = gradefiles.GradeFiles(self, site)

    def finish(self):
        return self.files.finish()

    def lists(self):
        return lists.all_of(self, self.files)


IN_WORDS = """
+++ {"tags": ["question"], "exercise": "in-words", "goals": [1]}

## In your own words

Why is $\\sqrt{d_k}$ the right scale, and for which queries and keys is it not?

+++ {"tags": ["written"], "points": 2}

*Write your answer here.*

+++ {"tags": ["rubric"]}

- The variance of a sum of $d_k$ independent products is
  the sum of theirs.
- Dividing by the standard deviation makes it 1.
- A hypothesis is named, and what happens without it.

+++ {"tags": ["notes"]}

One point for the variance of a sum of independent products, one for a hypothesis that fails.
"""


def notebook(*cells):
    """The bytes of a notebook with these code cells."""
    made = [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": []} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def answers(assignment):
    """The right answers, one cell for each question."""
    return ["\n\n\n".join(map(model.solution, question.answer)) for question in assignment.questions]


def breaks(assignment, wrong):
    """The assignment with a hidden test that an honest answer fails where `wrong` holds of its generator."""
    question = assignment.questions[0]
    test = question.hidden[0]
    body = f"def {test.function}(rng):\n    assert not ({wrong})"
    hidden = [replace(test, source=body, asks=["rng"]), *question.hidden[1:]]
    return replace(assignment, questions=[replace(question, hidden=hidden), *assignment.questions[1:]])


def files(data, name="hw.ipynb"):
    """What a student handed in: one file, or text in its place."""
    return [[name, [0, ""], data]]


def graded(data, assignment, **options):
    """The result of one notebook, with short deadlines."""
    return EXAMINERS.grade(files(data), assignment, **{"limits": SHORT} | options)


def earned(marked, question=None):
    """The points of these marks, of one question or of all."""
    return sum(mark.earned for mark in marked if question in (None, mark.question))


def needs_a_sandbox():
    """Skip a test, with the reason, where there is no sandbox; student's code never runs without one here."""
    reason = sandbox.reason_unavailable()
    if reason:
        pytest.skip(reason)
