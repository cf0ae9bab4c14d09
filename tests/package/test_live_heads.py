"""The live figure heads: which question a straight cut answers, what the figure draws, and what it says."""

import json

import numpy as np
import pytest
from attnbook import live
from live_cases import CASES, distance, heads_state, states
from live_pages import ARRIVES, QUESTION, alone, put, state_of

FIGURE = "heads"
START = CASES["heads"].figure.state
SIGNS = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])  # cat is 1 and dog is −1, as the first and as the third word

# What the figure draws, in the coordinates of its drawings, what can be moved, and what it says.
HEADS = """() => { const all = (css) => [...document.querySelectorAll(`#heads ${css}`)];
  const shown = (e) => getComputedStyle(e).visibility === "visible";
  const at = (e) => e.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
  const ends = (e) => ["x1", "y1", "x2", "y2"].map((name) => Number(e.getAttribute(name)));
  const planes = all(".live-planes > .live-plane > svg");
  return { discs: all(".live-sentence").map(at), full: all(".live-sentence").map((e) =>
      [...e.querySelectorAll(".live-half")].map((half) => half.classList.contains("live-full"))),
    cuts: [...planes[1].querySelectorAll(".live-cut")].map((e) => (shown(e) ? ends(e) : null)),
    rays: all("line.live-ray.live-ink").filter((e) => shown(e) && !e.parentNode.matches("g")).map(ends),
    handles: all(".live-handle").map(at), rows: all("tbody tr:not([hidden])").length,
    results: all(".live-answers strong").map((e) => e.parentNode.textContent.trim()),
    button: all("button")[0].textContent, says: all(".live-verdict")[0].textContent }; }"""


def test_margins_are_the_best_of_all_cuts_and_two_heads_have_both_if_their_shares_differ():
    rng, turns = np.random.default_rng(0), np.linspace(0, np.pi, 20_001)
    circle, seen = np.array([np.cos(turns), np.sin(turns)]), set()
    for _ in range(200):
        state = heads_state(rng)
        found, one = CASES["heads"].figure._compute(**state), state["number"] == 1
        first, third = found["weights"][:, 0], found["weights"][:, 2]
        assert distance(found["outputs"], (SIGNS @ [first, third]).tolist()) < 1e-12
        directions = np.ones((1, 1)) if one else circle
        for i, cut in enumerate(found["cuts"]):
            sides = (found["outputs"] * SIGNS[:, [i]]) @ directions  # positive: the cut answers right
            best = max(sides.min(0).max(), (-sides).min(0).max(), 0)
            assert abs(found["margins"][i] - best) < 1e-3
            assert (cut is None) == (found["margins"][i] == 0)
            if cut is not None:
                assert abs(((found["outputs"] * SIGNS[:, [i]]) @ cut).min() - found["margins"][i]) < 1e-9
        if one:
            lead = first[0] - third[0]
            assert distance(found["margins"].tolist(), [max(lead, 0), max(-lead, 0)]) < 2e-12
        else:
            determinant = first[0] * third[1] - first[1] * third[0]
            if abs(determinant) > 1e-9 or abs(determinant) < 1e-17:
                assert (found["margins"] > 0).all() == (abs(determinant) > 1e-9)
        seen.add((one, *(found["margins"] > 0).tolist()))
    # one head never answers both questions; two heads that are alike do no better
    assert seen == {(one, *yes) for one in (True, False) for yes in ((True, False), (False, True), (False, False))} | {
        (False, True, True)
    }


def test_heads_draw_what_they_compute(open_gallery):
    page = open_gallery()
    near = lambda found, expected: distance(found, np.asarray(expected, dtype=float).tolist()) < 0.02  # noqa: E731
    for state in states("heads", 40):
        put(page, "heads", state)
        found, drawn, number = CASES["heads"].figure._compute(**state), page.evaluate(HEADS), state["number"]
        flat = [[0, 0][: 2 - number]] * 4
        assert near(drawn["discs"], 150 + 120 * np.hstack([found["outputs"], flat]) * [1, -1])
        assert drawn["full"] == (SIGNS > 0).tolist()
        for cut, ends, result in zip(found["cuts"], drawn["cuts"], drawn["results"], strict=True):
            assert (cut is None) == (ends is None)
            assert result.rpartition("?")[2].startswith(" no, margin 0.00" if cut is None else " yes, margin ")
            if cut is not None:
                x, y = 220 * np.append(cut, 0)[:2]
                assert near(ends, [150 - y, 150 - x, 150 + y, 150 + x])
        tips = (np.array(state["queries"][:number]) * [50, -50] + 150).tolist()
        assert near(drawn["rays"], [[150, 150, *tip] for tip in tips])
        assert near(sorted(drawn["handles"]), sorted(tips))
        assert (drawn["rows"], drawn["button"]) == (number, "Use one head" if number == 2 else "Use two heads")


def test_heads_say_what_can_be_told(open_gallery):
    page = open_gallery()
    says = lambda **change: put(page, "heads", START | change) or page.evaluate(HEADS)["says"]  # noqa: E731
    mirrored = [[-0.6, 0.5], [0.6, 0.5]]
    assert says().endswith("here the first word.")
    assert says(queries=mirrored).endswith("here the third word.")
    assert says(queries=[[0, 1], [1, 0]]).endswith("“cat sees dog” and “dog sees cat” have the same output.")
    assert says(queries=mirrored, number=2).endswith("both questions can be answered.")
    assert says(queries=mirrored[:1] * 2, number=2).startswith("Both heads mix the outer words in the same ratio")
    assert says(queries=mirrored[:1] * 2, number=2).endswith("here the third word.")
    assert says(queries=[[0, 1], [0, -2]], number=2).endswith("have the same output.")


def test_a_second_head_is_added_moved_typed_and_taken_away(open_gallery):
    page = open_gallery()
    assert page.get_by_label("query 2", exact=True).count() == 0
    page.get_by_role("button", name="Use two heads").click()
    assert state_of(page, "heads") == START | {"number": 2}
    page.get_by_label("query 2", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert state_of(page, "heads")["queries"] == [START["queries"][0], [-0.6, 0.4]]
    assert not page.get_by_label("query 2, coordinate 1").is_visible()
    page.get_by_role("button", name="Type the queries").click()
    page.get_by_label("query 2, coordinate 2").fill("-1.25")
    page.get_by_label("query 1, coordinate 1").fill("9")
    page.get_by_label("query 1, coordinate 2").focus()
    assert state_of(page, "heads")["queries"] == [[3, 0.5], [-0.6, -1.25]]
    page.get_by_role("button", name="Use one head").click()
    assert not page.get_by_label("query 2, coordinate 1").is_visible()
    assert state_of(page, "heads")["number"] == 1


def test_a_link_brings_three_keys_and_two_queries_only(still_page):
    for part in ("keys", "queries"):
        longer = START | {part: [*START[part], [0, 0]]}
        with pytest.raises(ValueError, match=part):
            CASES["heads"].figure._check(**longer)
        assert still_page.evaluate(ARRIVES, ["heads", START, [json.dumps(longer)]]) == [START]


def test_heads_hide_outputs_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.heads(START["keys"], START["queries"], ask=QUESTION), tmp_path)
    shown = page.locator("[data-shows^=margins], tr:not([hidden]) > [data-shows^=weights]")
    assert {*shown.all_text_contents()} == {"?"}
    assert not page.locator(".live-sentence").first.is_visible()
    assert not page.locator(".live-planes .live-cut").first.is_visible()
    page.get_by_role("button", name="Show without answering").click()
    assert shown.all_text_contents() == ["0.56", "0.00", "0.72", "0.12", "0.16"]
    assert page.locator(".live-sentence").first.is_visible()
    page.close()
