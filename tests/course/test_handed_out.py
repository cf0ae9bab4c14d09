"""Values that are handed out with the questions: they are what they are said to be, and tests get them unaltered."""

import numpy as np
import pytest
from attnbook import pretrained
from attnbook.language_model import states
from attnbook.positional import frequencies, rotate
from attncourse import author, marks
from coursework import answers, graded, notebook


@pytest.fixture(scope="module")
def handed_out(assignments):
    return assignments["language-model"]


def test_arrays_of_the_language_model_are_what_it_computes(handed_out):
    if not pretrained.available():
        pytest.skip(f"not checked, for want of weights: {pretrained.HOW}")
    model, data = pretrained.load(), marks.data(handed_out)
    once = np.random.default_rng(0).choice(np.arange(100, len(model.embedding)), 10, replace=False)
    assert data["TOKENS"] == 2 * once.tolist()

    weights = []
    states(model, data["TOKENS"], watch={"weights": lambda l, A: weights.append(A)})
    computed = [weights[layer][head] for layer, head in data["HEADS"]]
    np.testing.assert_allclose(data["WEIGHTS"], computed, atol=0.006)  # hundredths

    sentence = model.encode("The dog bites the man because")
    queries, keys = [], []
    watch = {"queries": lambda l, Q: queries.append(Q[0]), "keys": lambda l, K: keys.append(K[0])}
    states(model, sentence, watch=watch)
    theta, back = frequencies(model.head_width, model.base), -np.arange(len(sentence))
    np.testing.assert_allclose(data["ANGLES"], theta)
    np.testing.assert_allclose(data["QUERIES"], rotate(queries[16], back, theta), atol=0.01)  # stored in 16 bits
    np.testing.assert_allclose(data["KEYS"], rotate(keys[16], back, theta), atol=0.01)


def test_tests_get_data_as_it_was_handed_out(handed_out, bubblewrap):
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
    result = graded(notebook(*answers(handed_out), spoiled), handed_out)
    assert result.score == author.POINTS, [(mark.test, mark.why) for mark in result.marks if not mark.passed]


def test_an_answer_may_use_data(handed_out, bubblewrap):
    """The given cell runs in the sandbox even where the notebook lacks it."""
    uses = "def leak():\n    return [[1, 0], [2, 0], [len(HEADS) - 7, 0]] if WEIGHTS.shape == (8, 20, 20) else None"
    assert graded(notebook(*answers(handed_out), uses), handed_out).score == author.POINTS
