"""The pictures of the capstone say in words what they draw, and stay light enough for an explorer."""

import gzip
from xml.etree import ElementTree

import numpy as np
import pytest
from attnbook.figures.capstone import draw_maps, draw_training

WORDS = ["cat", "sees", "fish", "and", "sees", "and"]


@pytest.fixture
def maps():
    A = np.random.default_rng(0).dirichlet(np.ones(6), size=(2, 6))
    A[1, 2] = [0, 0, 0, 0, 1, 0]
    return {"no positions": A[0], "positions": A[1]}


def test_maps_say_where_each_word_looks(maps):
    said = draw_maps(WORDS, maps, {"no positions": 0.5, "positions": 0.9876}).alt
    assert "fish at sees 1.0" in said
    assert "0.50" in said
    assert "0.99" in said
    top = WORDS[maps["no positions"][0].argmax()]
    assert f"no positions: cat at {top} {maps['no positions'][0].max():.1f}" in said


def test_maps_draw_every_number_and_word(maps):
    svg = ElementTree.fromstring(draw_maps(WORDS, maps, {"no positions": 0.5, "positions": 0.9}).svg)
    texts = ["".join(t.itertext()).strip() for t in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("fish") == 3  # a column in each map, and the row of both
    numbers = [t for t in texts if t.replace(".", "", 1).isdigit()]
    assert numbers == [f"{x:.1f}".lstrip("0") for A in maps.values() for x in np.round(A, 2).ravel()]


def test_a_frame_is_light(maps):
    assert len(gzip.compress(draw_maps(WORDS, maps, {"no positions": 0.5, "positions": 0.9}).svg.encode())) < 6000


def test_training_says_the_last_loss_and_the_range_of_the_error():
    loss, error = np.linspace(0.9, 0.1, 40), np.logspace(-15, 0, 40)
    runs = np.stack([loss, error], axis=-1)[None].repeat(2, axis=0)
    drawn = draw_training({"no positions": runs, "causal mask": runs}, floor=np.log(2))
    assert f"loss {loss[-10:].mean():.2f} at the end, error between 1e-15 and 1e+00" in drawn.alt
    assert "ln 2" in drawn.svg
    assert "causal mask" in drawn.svg
