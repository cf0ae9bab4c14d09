"""The live figure spread: its keys, what it draws, and that the length of the query is an inverse temperature."""

import numpy as np
import pytest
from attnbook import live
from attnbook.live.spread import KEYS, compute, keys
from live_cases import CASES, distance, states
from live_pages import QUESTION, alone, put, state_of
from scipy import stats

FIGURE = "spread"

# What is drawn, in the coordinates of the drawings.
DRAWN = """() => { const all = (what) => [...document.querySelectorAll(`#spread ${what}`)];
  const get = (what, ...names) => all(what).map((e) => names.map((name) => Number(e.getAttribute(name))));
  const line = (what) => all(what)[0].getAttribute("points").split(" ").map((p) => p.split(",").map(Number));
  return { keys: get(".live-spread-key", "cx", "cy", "r"), bars: get(".live-spread-bar", "y", "height"),
    ray: get(".live-ray", "x1", "y1", "x2", "y2")[0], curve: line(".live-spread-curve"),
    ghost: line(".live-spread-ghost"), outside: all(".live-spread-curve ~ text:last-child")[0].textContent,
    lengths: all("output").map((e) => e.textContent), told: all(".live-spread-told")[0].textContent }; }"""


def test_the_keys_are_normal_and_a_score_has_the_length_of_the_query_as_its_standard_deviation():
    K = keys()
    assert K.shape == (KEYS, 2)
    assert stats.kstest(K.ravel(), "norm").pvalue > 0.01
    assert abs(np.corrcoef(K.T)[0, 1]) < 3 / np.sqrt(KEYS)
    for query in ([0.8, 0.6], [-3.0, 1.0], [0.0, 4.0]):
        found = compute(query, 2.0)
        assert found["ratio"] == pytest.approx(np.hypot(*query) / 2)
        relative = found["deviation"] / found["ratio"]  # its standard error is 1/√(2 · 200) = 0.05
        assert abs(relative - 1) < 0.2


def test_the_figure_spread_draws_what_it_computes(still_page):
    first = CASES["spread"].figure.compute()["ratio"]
    for state in states("spread", 24):
        put(still_page, "spread", state)
        found, drawn = CASES["spread"].figure._compute(**state), still_page.evaluate(DRAWN)
        near = lambda shown, expected: distance(shown, np.asarray(expected, dtype=float).tolist()) < 0.02  # noqa: E731
        radii = 2 + 70 * np.sqrt(found["weights"])
        assert near(drawn["keys"], np.c_[150 + 37.5 * keys() * [1, -1], radii])
        assert near(drawn["ray"], [150, 150, *(150 + 37.5 * np.array(state["query"]) * [1, -1])])
        tall = 246 * np.minimum(found["counts"], 90) / 90
        assert near(drawn["bars"], np.c_[262 - tall, tall])
        assert drawn["outside"] == (f"{found['outside']} outside" if found["outside"] else "")
        assert drawn["lengths"] == [f"{found['length']:.2f}", f"{state['temperature']:.2f}"]
        s = np.arange(-80, 81) / 10
        for ratio, curve in ((found["ratio"], drawn["curve"]), (first, drawn["ghost"])):
            if ratio < 0.1:
                assert {x for x, _ in curve} == {158}
                continue
            expected = 262 - 246 / 90 * 100 * stats.norm.pdf(s, scale=ratio)  # 200 keys in bins of width 1/2
            assert near(curve, np.c_[158 + 16.5 * s, expected])


def test_the_length_of_the_query_is_an_inverse_temperature(open_gallery):
    page = open_gallery()
    figure, start = page.locator("#spread"), page.evaluate(DRAWN)
    length, temperature = figure.get_by_role("slider", name="length"), figure.get_by_role("slider", name="temperature")
    for _ in range(4):
        length.press("ArrowRight")
    assert distance(state_of(page, "spread"), {"query": [1.6, 1.2], "temperature": 1}) < 1e-12
    now = page.evaluate(DRAWN)
    assert now["ghost"] == start["ghost"] == start["curve"] != now["curve"]
    assert now["told"] == ""
    for _ in range(4):
        assert page.evaluate(DRAWN)["told"] == ""
        temperature.press("ArrowRight")
    now = page.evaluate(DRAWN)
    assert distance(now["curve"], start["curve"]) < 0.02
    assert distance(now["keys"], start["keys"]) < 0.02
    assert now["told"].startswith("Each weight is what it was at the start, and so is ‖q‖/T. Largest difference: ")
    put(page, "spread", {"query": [-1.6, 1.2], "temperature": 2})
    assert page.evaluate(DRAWN)["told"] == "‖q‖/T is what it was at the start, but q points elsewhere."
    put(page, "spread", {"query": [0, 0], "temperature": 2})
    length.press("ArrowRight")
    assert state_of(page, "spread")["query"][0] > 0 == state_of(page, "spread")["query"][1]
    put(page, "spread", {"query": [-4, 4], "temperature": 2})
    assert abs(float(length.input_value()) - 2.5) < 1e-9  # the longest query is not longer than the slider
    figure.get_by_role("button", name="Type q").click()
    figure.get_by_label("query, coordinate 2").fill("-3")
    figure.get_by_label("query, coordinate 2").press("Enter")
    assert state_of(page, "spread")["query"][1] == -3


def test_a_question_hides_weights_and_scores(browser, tmp_path):
    page = alone(browser, live.spread(ask=QUESTION), tmp_path)
    assert {radius for *_, radius in page.evaluate(DRAWN)["keys"]} == {3}
    assert not page.locator(".live-spread-bar").nth(16).is_visible()
    assert page.locator(".live-verdict").inner_text().count("?") == 3
    page.get_by_label("that").check()
    assert page.locator(".live-spread-bar").nth(16).is_visible()
    assert len({radius for *_, radius in page.evaluate(DRAWN)["keys"]}) > 100
    page.close()
