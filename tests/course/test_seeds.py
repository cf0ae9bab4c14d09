"""No SEED fails a right answer: every hidden test accepts the reference solution, in `make test-all` for 200 seeds."""

from dataclasses import replace

import pytest
from attncourse import author, marks
from coursework import CHAPTERS


def only(assignment, question, test):
    """The assignment with one hidden test."""
    return replace(assignment, questions=[replace(question, visible=[], hidden=[test])])


@pytest.mark.parametrize("seeds", [20, pytest.param(200, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_hidden_test_accepts_the_solution_for_every_seed(chapter, seeds, assignments):
    assignment, failed = assignments[chapter], []
    functions = author.reference(assignment)
    for question in assignment.questions:
        for test in question.hidden:
            one = only(assignment, question, test)
            for seed in range(seeds if "rng." in test.source else 1):  # a test that draws nothing knows no seed
                failed += [(m.test, seed, m.why) for m in marks.mark(one, functions, seed) if not m.passed]
    assert failed == []
