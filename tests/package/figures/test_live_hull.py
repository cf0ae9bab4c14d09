"""The hull of the values: the reader guesses in it where the output is."""

import re

import numpy as np
import pytest
from live_figures import example, figure, module, set_state, state_of
from scipy import optimize

STEP = 0.1  # of an arrow key
INWARDS = 0.01  # of the way to the middle, as a place is told with two digits


def test_a_guess_is_placed_before_the_output_shows(open_figures):
    page = open_figures(figure("hull", ask="place"))
    output = page.locator(".live-output")
    assert not output.is_visible()
    page.get_by_label("your guess of the output").press("ArrowUp")
    page.get_by_role("button", name="Show the output").click()
    assert output.is_visible()
    x, y = np.mean(example("hull")["values"], axis=0)
    guess = np.array([x, y + STEP])
    away = np.linalg.norm(guess - module("hull").compute(**example("hull"))["output"])
    assert f"{away:.2f}" in page.locator(".live-why").inner_text()

    page.get_by_role("button", name="Another query").click()
    assert not output.is_visible()
    assert state_of(page, "hull")["query"] != example("hull")["query"]


def test_what_is_said_of_a_guess_goes_when_the_output_does(open_figures):
    page = open_figures(figure("hull", ask="place"))
    page.get_by_role("button", name="Show the output").click()
    said = page.locator(".live-why")
    assert said.is_visible()
    set_state(page, "hull", query=[0.5, -0.5])
    assert not said.is_visible()


def test_a_guess_of_the_output_stays_among_the_values(open_figures):
    page = open_figures(figure("hull", ask="place"))
    guess = page.get_by_label("your guess of the output")
    V = np.array(example("hull")["values"])
    for key in ("End", "Home", "PageUp", "PageDown"):
        for _ in range(9):  # until it goes no further
            guess.press(key)
        told = guess.get_attribute("aria-valuetext").replace("−", "-")
        place = np.array([float(number) for number in re.findall(r"[\d.-]+", told)])
        assert is_in_hull(place + INWARDS * (V.mean(axis=0) - place), V), told


def test_other_weights_can_be_chosen_once_a_place_was_predicted(open_figures):
    page = open_figures(figure("hull", ask="place"))
    weighting = page.get_by_label("weights")
    assert weighting.is_disabled()
    page.get_by_role("button", name="Show the output").click()
    weighting.select_option("none")
    page.get_by_role("button", name="Another query").click()
    assert weighting.is_enabled()


def test_an_output_that_leaves_the_hull_is_seen_or_how_far_away_it_is(open_figures):
    page = open_figures(figure("hull"))
    frame = page.locator(".live-plane svg").nth(1).bounding_box()
    set_state(page, "hull", weighting="none")
    assert not page.locator(".live-hull-away").inner_html()
    set_state(page, "hull", temperature=0.1)
    result = module("hull").compute(**example("hull") | {"weighting": "none", "temperature": 0.1})
    away = float(page.locator(".live-hull-away").inner_html())
    assert away == pytest.approx(distance_to_hull(result["output"], example("hull")["values"]), abs=0.05)
    ring = page.locator(".live-output > circle").bounding_box()
    assert frame["x"] <= ring["x"] <= frame["x"] + frame["width"] - ring["width"]
    assert frame["y"] <= ring["y"] <= frame["y"] + frame["height"] - ring["height"]


def distance_to_hull(point, V):
    """How far a point is from the nearest mean of the rows of V."""
    sides = [(a, b) for a in np.array(V) for b in np.array(V)]
    nearest = [a + np.clip((point - a) @ (b - a) / ((b - a) @ (b - a) or 1), 0, 1) * (b - a) for a, b in sides]
    return min(np.linalg.norm(point - p) for p in nearest)


def is_in_hull(point, V):
    """Whether weights that sum to 1 make the point of the rows of V."""
    system = np.vstack([V.T, np.ones(len(V))])
    return optimize.linprog(np.zeros(len(V)), A_eq=system, b_eq=[*point, 1]).success
