"""Values that are given with the questions: they are measured or one's own, and tests get them unaltered."""

import given
import numpy as np
import pytest
from attnbook import pretrained
from attncourse import author, marks
from coursework import answers, graded, notebook
from test_own import own_names


@pytest.fixture(scope="module")
def assignment(assignments):
    return assignments["language-model"]


def test_values_of_the_language_model_are_what_it_computes(assignment):
    if not pretrained.available():
        pytest.skip(f"not checked, for want of weights: {pretrained.HOW}")
    data, computed = marks.data(assignment), given.values(pretrained.load())
    assert data.keys() - own_names(assignment) == computed.keys()
    assert data["TOKENS"] == computed["TOKENS"]
    assert data["HEADS"] == computed["HEADS"]
    np.testing.assert_allclose(data["WEIGHTS"], computed["WEIGHTS"], atol=0.006)  # hundredths
    np.testing.assert_allclose(data["ANGLES"], computed["ANGLES"])
    np.testing.assert_allclose(data["QUERIES"], computed["QUERIES"], atol=0.01)  # stored in 16 bits
    np.testing.assert_allclose(data["KEYS"], computed["KEYS"], atol=0.01)


def test_texts_hold_the_values_that_they_are_made_of(assignment):
    """The texts that are printed for an author, of the values that the cell has: they are in it as they are."""
    cell = "".join(assignment.given.split())
    for text in given.packed(marks.data(assignment)).values():
        assert text in cell


def test_tests_get_values_as_they_were_given(assignment, bubblewrap):
    """A student may alter it: in the notebook, or in an argument."""
    spoiled = """
right = name_heads
def name_heads(A, tokens):
    found = right(A, tokens)
    A[:] = 0
    return found
WEIGHTS[:] = 0
TOKENS, QUERIES = [], None
"""
    result = graded(notebook(*answers(assignment), spoiled), assignment)
    lost = [(mark.test, mark.why) for mark in result.marks if not mark.passed]
    assert result.score == author.points_by_tests(assignment), lost


def test_an_answer_may_use_data(assignment, bubblewrap):
    """The given cell runs in the sandbox even where the notebook lacks it."""
    uses = "def leak():\n    return [[1, 0], [2, 0], [len(HEADS) - 7, 0]] if WEIGHTS.shape == (8, 20, 20) else None"
    assert graded(notebook(*answers(assignment), uses), assignment).score == author.points_by_tests(assignment)
