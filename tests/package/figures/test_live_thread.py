"""The thread: the answers to all orders of a sentence as dots, which positions, told by a slider, pull apart."""

import io

import numpy as np
from live_figures import figure, set_state, state_of
from PIL import Image


def test_what_a_reader_has_found_stays_in_sight(open_figures):
    page = open_figures(figure("thread"))
    for alpha in (0.6, 0.2):
        set_state(page, "thread", alpha=alpha)
    curves = page.locator(".live-thread-knob > svg")
    assert "(0.4 *" in curves.get_attribute("style")  # the part beyond 0.6 is hidden


def test_a_pull_to_the_side_moves_the_dot_of_one_thread(open_figures):
    page = open_figures(figure("thread"))
    set_state(page, "thread", alpha=0)
    first = state_of(page, "thread")
    dot = page.get_by_label("the dot of your sentence")
    dot.drag_to(dot, target_position={"x": -120, "y": 16}, force=True)
    assert state_of(page, "thread") != first


def test_both_colours_of_one_thread_are_seen_where_all_answers_are_one(open_figures):
    page = open_figures(figure("thread"))
    set_state(page, "thread", alpha=0)
    drawing = Image.open(io.BytesIO(page.locator(".live-thread-dots").screenshot())).convert("RGB")
    red, _, blue = np.moveaxis(np.array(drawing, dtype=int), -1, 0)
    orange_pixels = (red - blue > 60).sum()
    blue_pixels = (blue - red > 60).sum()
    seen = [orange_pixels, blue_pixels]
    assert min(seen) > max(seen) / 2, seen


def test_the_ring_of_one_thread_goes_with_the_hand_where_there_is_no_dot(open_figures):
    page = open_figures(figure("thread"))
    set_state(page, "thread", alpha=0.8, sentence="fish sees cat and sees and")
    ring = page.locator(".live-thread-own .live-thread-ring").last
    x, y = middle(ring), ring.bounding_box()["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    for far in (100, 200, 300):
        page.mouse.move(x + far, y)
        assert abs(middle(ring) - x - far) < 3
    page.mouse.move(x + 200, y)
    page.mouse.up()
    assert abs(middle(ring) - x - 200) > 50, "let go, it is where an answer is"


def middle(element):
    """Where the middle of an element is, from the left."""
    box = element.bounding_box()
    return box["x"] + box["width"] / 2
