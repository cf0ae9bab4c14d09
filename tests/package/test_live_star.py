"""The live figure star: the rows of weights with one output, what it draws and says, and where its bars go."""

import itertools
import json
import re

import numpy as np
import pytest
from attnbook import live
from attnbook.live.star import freedom
from live_cases import CASES, FIVE, FIVE_KEYS, distance, star_state, states
from live_pages import ARRIVES, QUESTION, alone, put, state_of
from scipy.linalg import null_space

FIGURE = "star"
START = CASES["star"].figure.state

# What the star draws: lengths and places in the coordinates of its drawings, what can be moved, and what it says.
STAR = """() => { const all = (css) => [...document.querySelectorAll(`#star ${css}`)];
  const numbers = (text) => (text || "").match(/-?[\\d.]+/g)?.map(Number) || [];
  const shown = (e) => getComputedStyle(e).visibility === "visible", at = (e) => numbers(e.getAttribute("transform"));
  const get = (...names) => (e) => names.map((name) => Number(e.getAttribute(name)));
  return { bars: all(".live-fivebar").map(get("x", "width")), given: all(".live-given").filter(shown).map(get("width")),
    springs: all(".live-spring").map(get("x1", "y1", "x2", "y2", "stroke-width")), star: at(all(".live-star")[0]),
    held: shown(all(".live-star circle")[0]), reaches: all(".live-reach").map((e) => numbers(e.getAttribute("d"))),
    grips: all(".live-fivebars .live-handle").map((e) => [...at(e), e.getAttribute("aria-label")]),
    stops: all(".live-plane:not([hidden]) [role=slider][tabindex='0']").length,
    counter: all(".live-counter")[0].textContent, says: all(".live-verdict")[0].textContent,
    button: all("button")[0].textContent }; }"""


def least_change(values, j, by):
    """The shortest change with Σ Δ_l = 0, Σ Δ_l V_l = 0 and Δ_j = by, by another way: a pseudo-inverse."""
    laws = np.vstack([np.transpose(values), np.ones(5), np.eye(5)[j]])
    return np.linalg.pinv(laws, rcond=1e-9) @ [0, 0, 0, by]


def test_the_free_directions_are_the_null_space():
    rng, ranks = np.random.default_rng(0), set()
    for _ in range(300):
        state = star_state(rng)
        rank, N = freedom(state["values"])
        system = np.vstack([np.transpose(state["values"]), np.ones(5)])
        basis = null_space(system, rcond=1e-9)
        assert rank == np.linalg.matrix_rank(system, tol=1e-6)
        assert basis.shape == (5, 5 - rank)
        assert abs(N / N.trace() * (5 - rank) - basis @ basis.T).max() < 1e-9
        found = CASES["star"].figure._compute(**state | {"mode": "weights"})
        assert found["weights"].min() >= 0
        assert abs(found["weights"].sum() - 1) < 1e-12
        assert found["starGap"] < 1e-12
        for j in np.flatnonzero(N.diagonal()):
            assert abs(found["directions"][j] - least_change(state["values"], j, 1)).max() < 1e-6
            ends = found["weights"] + np.outer(
                [found["low"][j], found["high"][j]] - found["weights"][j], found["directions"][j]
            )
            assert abs(ends.min(1)).max() < 1e-9  # at both ends some weight is 0, and none is below
        ranks.add(rank)
    assert ranks == {1, 2, 3}


def test_the_star_draws_what_it_computes(open_gallery):
    page = open_gallery()
    plane = lambda p: (np.asarray(p) * [50, -50] + 150).tolist()  # noqa: E731
    near = lambda found, expected: distance(found, np.asarray(expected, dtype=float).tolist()) < 0.01  # noqa: E731
    for state in states("star", 40):
        state["words"] = START["words"]
        put(page, "star", state)
        found, drawn = CASES["star"].figure._compute(**state), page.evaluate(STAR)
        weights, still = found["weights"], state["mode"] == "weights"
        movable = [j for j in range(5) if still and found["directions"][j][j]]
        assert near(drawn["bars"], np.c_[[94] * 5, 152 * weights])
        ends = [plane(v) + plane(found["output"]) + [12 * w] for v, w in zip(state["values"], weights, strict=True)]
        assert near(drawn["springs"], ends)
        assert near(drawn["star"], plane(found["output"]))
        assert (drawn["held"], drawn["button"]) == (still, "Let the star go" if still else "Freeze the star")
        assert near(drawn["given"], np.c_[152 * found["given"]] if still else [])
        assert [grip[2].partition(",")[0] for grip in drawn["grips"]] == [
            f"weight of {START['words'][j]}" for j in movable
        ]
        for j, grip in zip(movable, drawn["grips"], strict=True):
            assert near(grip[:2], [94 + 152 * weights[j], 36 * j + 15])
            low, high, y = 94 + 152 * found["low"][j], 94 + 152 * found["high"][j], 36 * j + 31
            assert near(drawn["reaches"][j], [low, y - 3, 6, low, y, high, high, y - 3, 6])
        assert sum(map(len, drawn["reaches"])) == 9 * len(movable)
        assert drawn["stops"] == (len(movable) if still else 6)
        assert drawn["counter"].startswith(f"5 weights− {found['rank']} condition{'s' * (found['rank'] > 1)}: the sum")
        assert drawn["counter"].endswith(f"= {found['free']} free directions")
        assert ("along the line" in drawn["counter"], "star’s y" in drawn["counter"]) == (
            found["rank"] == 2,
            found["rank"] == 3,
        )


def test_the_star_says_what_has_happened(open_gallery):
    page = open_gallery()
    says = lambda **change: put(page, "star", START | change) or page.evaluate(STAR)["says"]  # noqa: E731
    assert says() == "The star is the weighted average of the five values. “dog” counts most."
    assert says(query=[0, 0]).endswith("All five count the same.")
    held = {"mode": "weights"}
    assert says(**held).endswith("Which bars can you empty?")
    assert re.fullmatch(
        r"You have moved 12 % of the weight, and the star has not moved\.", says(**held, pull=[0.1] * 4 + [-0.05])
    )
    assert says(**held, pull=[0.001, 0, 0, 0, 0]).startswith("You have moved less than 1 % of the weight")
    emptied = says(**held, pull=[0.1, 0.14, 0.1, 0.13, -0.7])
    assert re.search(r"49 % .* “dog” is 0 now\. The largest weight was that of “dog”; .* “the”\.$", emptied)
    line = [[-2, 0], [-1, 0], [1, 0], [2, 0], [0, 1]]
    assert says(**held, values=line).endswith("Fixed as long as the star is held: the weight of “dog”.")
    assert says(**held, values=[[1, 1]] * 3 + [[2, 0], [0, 0]]).endswith("the weight of “a” and “dog”.")
    assert "alone" not in says(**held, values=[[t, t] for t in range(-2, 3)])


def test_a_bar_moves_the_others_least_and_stops_at_the_first_that_is_empty(open_gallery):
    page = open_gallery()
    figure = live.star(START["words"], FIVE, FIVE_KEYS, START["query"])
    button = page.locator("#star button").first
    button.click()
    frozen = state_of(page, "star")
    assert frozen == START | {"mode": "weights"}
    further = frozen | {"pull": [0.1, 0.02, 0.0, -0.05, -0.1]}  # a move begins where the last one ended
    for begin, j in itertools.product((frozen, further), range(5)):
        before = figure._compute(**begin)
        grip = page.get_by_label(f"weight of {START['words'][j]},")
        for key, by in (("ArrowRight", 0.02), ("ArrowDown", -0.02), ("Home", -9), ("End", 9)):
            put(page, "star", begin)
            grip.focus()
            page.keyboard.press(key)
            after = figure._compute(**state_of(page, "star"))
            goal = np.clip(before["weights"][j] + by, before["low"][j], before["high"][j])
            expected = before["weights"] + least_change(FIVE, j, goal - before["weights"][j])
            assert abs(after["weights"] - expected).max() < 1e-12
            assert after["starGap"] < 1e-12
            assert abs(by) < 1 or (after["weights"] == 0).sum() == 1  # exactly 0: the bar that stopped the move
        page.keyboard.press("ArrowRight")  # one bar is empty: no further, and back the same way
        assert abs(figure._compute(**state_of(page, "star"))["weights"] - after["weights"]).max() < 1e-12
        page.keyboard.press("Home")
        page.keyboard.press("End")
        assert abs(figure._compute(**state_of(page, "star"))["weights"] - after["weights"]).max() < 1e-12
    put(page, "star", frozen)
    grip = page.get_by_label("weight of dog,").bounding_box()
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 300, y, steps=5)
    page.mouse.up()
    after = figure._compute(**state_of(page, "star"))
    assert after["weights"][4] == 0
    assert after["weights"].argmax() == 0
    button.click()
    assert state_of(page, "star") == START


def test_the_star_is_typed_and_its_values_go_by_tenths_and_rest_while_it_is_frozen(open_gallery):
    page = open_gallery()
    fields = page.locator("#star .live-number")
    assert not fields.first.is_visible()
    page.get_by_role("button", name="Type the numbers").click()
    page.get_by_label("value of cat, coordinate 1").fill("1.27")
    page.get_by_label("query, coordinate 2").fill("-0.25")
    page.get_by_label("query, coordinate 1").focus()
    state = state_of(page, "star")
    assert (state["values"][1], state["query"]) == ([1.3, 2.2], [0.8, -0.25])
    assert page.get_by_label("weight of dog", exact=True).is_disabled()
    page.get_by_role("button", name="Freeze the star").click()
    assert page.get_by_label("value of cat, coordinate 1").is_disabled()
    page.get_by_label("weight of dog", exact=True).fill("0.3")
    page.get_by_label("weight of cat", exact=True).focus()
    assert abs(CASES["star"].figure._compute(**state_of(page, "star"))["weights"][4] - 0.3) < 1e-12
    page.get_by_label("weight of dog", exact=True).fill("-0.5")
    page.keyboard.press("Enter")
    assert page.get_by_label("weight of dog", exact=True).input_value() == "0"
    held = state_of(page, "star")
    value = page.get_by_label("value of dog, sky cross").bounding_box()
    page.mouse.move(value["x"] + value["width"] / 2, value["y"] + value["height"] / 2)
    page.mouse.down()
    page.mouse.move(value["x"] + 90, value["y"] + 70, steps=3)
    page.mouse.up()
    assert state_of(page, "star") == held


def test_the_star_is_hidden_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.star(START["words"], FIVE, FIVE_KEYS, [0.8, 0.5], ask=QUESTION), tmp_path)
    assert {*page.locator("[data-shows^=weights], [data-shows^=output]").all_text_contents()} == {"?"}
    for drawn in (".live-star", ".live-spring", ".live-fivebar", ".live-given"):
        assert not page.locator(drawn).first.is_visible()
    assert not page.get_by_role("button", name="Freeze the star").is_visible()
    page.get_by_role("button", name="Show without answering").click()
    assert page.locator("[data-shows='weights 4']").text_content() == "0.486"
    assert page.locator(".live-star").is_visible()
    page.close()


def test_a_link_brings_tenths_short_words_and_small_pulls_only(still_page):
    near = {"values": [[0.05, 0], *FIVE[1:]]}, {"pull": [1.5, 0, 0, 0, 0]}, {"words": ["a", "b", "c", "d", "dinosaurs"]}
    for change in near:
        with pytest.raises(ValueError, match=next(iter(change))):
            CASES["star"].figure._check(**START | change)
        assert still_page.evaluate(ARRIVES, ["star", START, [json.dumps(START | change)]]) == [START]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"values": [[0.05, 0], *FIVE[1:]]}, "values = .* expected whole tenths"),
        ({"words": ["a"] * 4}, "words = .* expected 5 words"),
        ({"mode": "both"}, "mode = 'both'"),
    ],
)
def test_a_star_that_cannot_be_drawn_is_refused(change, fault):
    given = {"words": START["words"], "values": FIVE, "keys": FIVE_KEYS, "query": [0, 0]} | change
    with pytest.raises(ValueError, match=fault):
        live.star(**given)
