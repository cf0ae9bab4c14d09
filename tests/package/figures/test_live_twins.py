"""Two training runs, of which one is brought into the tracks of the other."""

import itertools

import pytest
from live_figures import figure, set_state, state_of

TWINS = {"scale": 0, "start": 0, "step": 0}  # A without a scale and B as it is


def test_what_a_reader_has_found_stays_in_sight(open_figures):
    page = open_figures(figure("twins"))
    set_state(page, "twins", scale=2, start=-1, step=-2)
    set_state(page, "twins", start=0)
    assert "start × 1/2, step × 1/4" in page.locator(".live-twins-goals").inner_text().replace("\xa0", " ")


def test_the_twin_of_no_scale_is_given_and_shows_what_is_sought(open_figures):
    page = open_figures(figure("twins"))
    page.locator(".live-twins-goal").first.click()
    assert state_of(page, "twins") == TWINS
    assert "✓ the losses of A = the losses of B" in page.locator(".live-verdicts").inner_text()


@pytest.mark.parametrize("width", [1280, 375])
def test_no_disc_lies_under_another(open_figures, width):
    page = open_figures(figure("twins"), width=width)
    for start in range(-3, 1):
        set_state(page, "twins", start=start)
        boxes = [disc.bounding_box() for disc in page.locator(".live-twins-square .live-badge circle").all()]
        places = [(box["x"], box["y"]) for box in boxes]
        for (x, y), (u, v) in itertools.combinations(places, 2):
            assert ((x - u) ** 2 + (y - v) ** 2) ** 0.5 >= boxes[0]["width"], start
