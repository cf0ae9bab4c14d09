"""The star: while it is held, its five weights can still be moved, and the reader empties one after the other."""

import numpy as np
from live_figures import example, figure, module, put
from scipy import optimize


def test_the_frozen_star_keeps_the_score_of_what_was_emptied_and_says_when_no_more_can_be(open_figures):
    state = example("star") | {"mode": "weights"}
    page = open_figures(figure("star", state))
    places = page.locator(".live-star-place")
    filled = page.locator(".live-star-place[data-emptied]")
    given = module("star").compute(**state)["given"]
    for j in range(5):
        weights = with_least(j, np.array(state["values"]), given)
        put(page, "star", state | {"pull": (weights - given).tolist()})
        emptied = "" if weights[j] < 1e-9 else None
        assert places.nth(j).get_attribute("data-emptied") == emptied
    assert filled.count() == 4, "no sum of the others reaches the star without “the”"
    assert "“the”" in page.locator("p.live-verdict").inner_text()
    put(page, "star", state)
    assert filled.count() == 4, "they stay while the star is held"
    put(page, "star", state | {"query": [0.7, 0.5]})
    assert filled.count() == 0, "this is another star"


def test_the_star_says_which_values_it_came_close_to_and_why_no_more_are_left(open_figures):
    state = example("star") | {"mode": "query"}
    page = open_figures(figure("star", state))
    says = page.locator("p.live-verdict")
    corners = {"cat": [-3, 3], "saw": [-3, -2], "a": [2, -3], "dog": [3, 3]}
    for word, query in corners.items():
        put(page, "star", state | {"query": query})
        assert f"almost at the value of “{word}”" in says.inner_text()
    assert "These are all: the key of “the” lies within the polygon" in says.inner_text()
    put(page, "star", state | {"query": [0, 0.1]})
    assert "almost" not in says.inner_text()


def with_least(j, V, a):
    """Weights with the same output and the same sum, of which weight ``j`` is as small as it can be."""
    system = np.vstack([V.T, np.ones(len(V))])
    return optimize.linprog(np.eye(len(V))[j], A_eq=system, b_eq=system @ a).x
