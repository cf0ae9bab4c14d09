"""The pictures of the capstone say in words what they draw, and stay light."""

import gzip
import re

import numpy as np
import pytest
from attnbook.figures.capstone import draw_heads, draw_training

WORDS = ["cat", "sees", "fish", "and", "sees", "and"]


@pytest.fixture
def maps():
    A = np.random.default_rng(0).dirichlet(np.ones(6), size=(6, 6))
    A[3] = 0
    return A


def test_heads_say_where_each_word_looks(maps):
    said = draw_heads(WORDS, maps, [1, 1, 1, 0, 1, 1], "480 are right").alt
    top = WORDS[maps[4][2].argmax()]
    assert re.search(f"layer 2, head 2: cat at [a-z]+, sees at [a-z]+, fish at {top}, ", said)
    assert "; layer 2, head 1: off; " in said
    assert said.endswith(". 480 are right.")


def test_a_still_of_all_heads_is_light(maps):
    assert len(gzip.compress(draw_heads(WORDS, maps, [1] * 6).svg.encode())) < 9000


def test_training_says_the_last_loss_and_the_range_of_the_error():
    loss, error = np.linspace(0.9, 0.1, 40), np.logspace(-15, 0, 40)
    runs = np.stack([loss, error], axis=-1)[None].repeat(2, axis=0)
    drawn = draw_training({"no positions": runs, "causal mask": runs}, floor=np.log(2))
    assert f"loss {loss[-10:].mean():.2f} at the end, error between 1e-15 and 1e+00" in drawn.alt
    assert "ln 2" in drawn.svg
    assert "causal mask" in drawn.svg
