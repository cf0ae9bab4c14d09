"""The hull of the values: the reader guesses in it where the output is."""

import re

import numpy as np
from live_figures import example, figure, module, state_of
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


def is_in_hull(point, V):
    """Whether weights that sum to 1 make the point of the rows of V."""
    system = np.vstack([V.T, np.ones(len(V))])
    return optimize.linprog(np.zeros(len(V)), A_eq=system, b_eq=[*point, 1]).success
