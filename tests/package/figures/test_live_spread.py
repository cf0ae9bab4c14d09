"""The spread of scores: a ring, whose radius is the temperature, snaps onto the tip of the query."""

import numpy as np
import pytest
from live_figures import figure, set_state, state_of

EXACTLY = 1e-12


def test_a_ring_that_comes_near_its_query_snaps_onto_it_and_leaves_a_dot(open_figures):
    page = open_figures(figure("spread"))
    dots = page.locator(".live-spread-found circle:not([class])")
    temperature = page.get_by_label("temperature T", exact=True)
    for length in (2, 3):
        set_state(page, "spread", query=[0.8 * length, 0.6 * length], temperature=length / 2)
        before = dots.count()
        for _ in range(40):  # past the query
            temperature.press("ArrowRight")
        assert dots.count() == before + 1

    set_state(page, "spread", query=[0, 2], temperature=1)
    drag_ring_almost_to_twice_its_radius(page)
    assert state_of(page, "spread")["temperature"] == pytest.approx(2, abs=EXACTLY)
    page.get_by_label("query", exact=True).press("ArrowRight")
    length = np.linalg.norm(state_of(page, "spread")["query"])
    assert length == pytest.approx(2, abs=EXACTLY), "q stays on the ring"


def drag_ring_almost_to_twice_its_radius(page):
    """Drag the ring by its highest point upwards, and stop two pixels short."""
    box = page.locator(".live-spread-ring").bounding_box()
    x = box["x"] + box["width"] / 2
    top = box["y"]
    radius = box["height"] / 2
    page.mouse.move(x, top + 1)
    page.mouse.down()
    page.mouse.move(x, top - radius + 2)
    page.mouse.up()
