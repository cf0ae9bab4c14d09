"""The live figure clock: its hands, arcs and curves, and what it says."""

import re

import numpy as np
import pytest
from attnbook import live
from live_cases import CASES, states
from live_pages import EXACT, HANDLES, QUESTION, alone, put, state_of

FIGURE = "clock"

# What the clock draws: its hands, tips and arcs, the point and the two curves, the handles, and what it says.
CLOCK = """() => { const all = (css, root = document) => [...root.querySelectorAll(`#clock ${css}`)];
  const numbers = (e, name) => (e.getAttribute(name) || "").match(/-?[\\d.]+/g)?.map(Number) || [];
  const faces = all(".live-clock:not([hidden])").map((face) => ({
    shift: numbers(face.querySelector("g"), "transform")[0],
    hands: [".live-blue", ".live-orange"].map((hue) => {
      const hand = face.querySelector(`line${hue}`), tip = face.querySelector(`g${hue}`);
      return [...["x2", "y2"].map((a) => Number(hand.getAttribute(a))), ...numbers(tip, "transform")]; }),
    arc: numbers(face.querySelector(".live-arc"), "points") }));
  return { faces, point: ["cx", "cy"].map((a) => Number(document.querySelector("#clock .live-point").getAttribute(a))),
    band: numbers(all(".live-band")[0], "points"), line: numbers(all(".live-ruler .live-arc")[0], "points"),
    zero: numbers(all("svg[aria-label^=The] > g")[0], "transform")[1],
    arrow: numbers(all(".live-offset")[0], "d"), handles: all("[role=slider]").map((e) => numbers(e, "transform")[0]),
    labels: all(".live-ruler .live-label").map((e) => e.textContent),
    spoken: all("[role=slider]").map((e) => e.getAttribute("aria-valuetext")),
    law: all(".live-verdicts li")[0].textContent, says: all(".live-verdict")[0].textContent }; }"""


def test_clock_draws_what_it_computes(open_gallery):
    page = open_gallery()
    for state in states("clock", 40):
        put(page, "clock", state)
        drawn, found = page.evaluate(CLOCK), CASES["clock"].figure._compute(**state)
        i, j, offset = state["query"], state["key"], state["key"] - state["query"]
        rotary, near = state["scheme"] == "rotary", {"abs": 0.02}
        assert len(drawn["faces"]) == state["pairs"]
        for k, face in enumerate(drawn["faces"]):
            assert face["shift"] == (0 if rotary else -50)  # added, a place moves the tip round the content
            for hand, (x, y) in zip(face["hands"], np.asarray(found["hands"])[:, k], strict=True):
                assert hand[:4] == pytest.approx([50 * x, -50 * y] * 2, **near), state
            arc = np.array(face["arc"]).reshape(-1, 2) @ [1, -1j]
            turned = np.angle(arc[1:] / arc[:-1]).sum()
            assert turned == pytest.approx(found["angles"][k], abs=0.01), state
            apart = 2.8 * abs(turned) / (2 * np.pi)  # so far apart are the windings
            assert abs(arc[-1]) - abs(arc[0]) == pytest.approx(apart, abs=0.03)
            if np.hypot(*found["hands"][0][k]) > 0.1:
                assert np.angle(arc[0] / complex(*found["hands"][0][k])) == pytest.approx(0, abs=0.01)
        most, zero = state["pairs"] * (1 if rotary else 4), 58 if rotary else 94
        height = lambda score, most=most, zero=zero: zero - (zero - 10) * score / most  # noqa: E731
        places = [20 + 520 * t / 60 for t in (i, j)]
        assert drawn["point"] == pytest.approx([280 + 520 * offset / 120, height(found["score"])], **near)
        for name, scores, start in (("band", found["fromZero"], -60), ("line", found["curve"], -i)):
            expected = [(280 + 520 * (start + n / 2) / 120, height(s)) for n, s in enumerate(scores)]
            assert drawn[name] == pytest.approx(np.ravel(expected), **near), (name, state)
        assert drawn["zero"] == zero
        assert drawn["handles"] == pytest.approx(places, **near)
        assert drawn["arrow"][:1] + drawn["arrow"][2:3] == pytest.approx(places if offset else [], **near)
        texts = {f"query at {i}", f"key at {j}", f"offset {offset}".replace("-", "−"), str(most)}
        assert texts <= set(drawn["labels"]), state
        assert drawn["spoken"] == [f"query at {i}, key at {j}", f"key at {j}, offset {offset}".replace("-", "−")]
        assert ("✓" in drawn["law"]) == (found["offsetGap"] <= EXACT) != ("≠" in drawn["law"]), state
        assert rotary == drawn["law"].removeprefix("✓ ").startswith("(R")


def test_clock_query_takes_the_key_along_and_the_key_goes_alone(open_gallery):
    page = open_gallery()
    first, (query, key) = state_of(page, "clock"), page.locator(f"#clock {HANDLES}").all()
    moves = [
        (query, "ArrowRight", 4, 9),
        (query, "Shift+ArrowUp", 8, 13),
        (query, "End", 55, 60),
        (query, "Home", 0, 5),
    ]
    moves += [(key, "ArrowLeft", 3, 7), (key, "Shift+ArrowRight", 3, 13), (key, "End", 3, 60), (key, "Home", 3, 0)]
    for handle, keys, i, j in moves:
        put(page, "clock", first)
        handle.focus()
        page.keyboard.press(keys)
        assert state_of(page, "clock") == first | {"query": i, "key": j}, keys
    query.focus()
    page.keyboard.press("End")
    assert state_of(page, "clock") == first | {"query": 60, "key": 57}  # the offset is −3 and stays
    put(page, "clock", first)
    query.scroll_into_view_if_needed()
    ruler = page.locator("#clock svg[role=group]").bounding_box()
    box, unit = query.bounding_box(), ruler["width"] / 560
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(ruler["x"] + unit * (20 + 520 * 30 / 60), box["y"], steps=4)
    page.mouse.up()
    assert state_of(page, "clock") == first | {"query": 30, "key": 35}


def test_clock_says_what_a_move_has_changed(open_gallery):
    page = open_gallery()
    first = state_of(page, "clock")
    says = lambda change: put(page, "clock", state_of(page, "clock") | change) or page.evaluate(CLOCK)["says"]  # noqa: E731
    assert re.search(r" 5 rad on the first face and 0\.005 rad on the last.* sum of the cosines, is 3\.16", says({}))
    assert re.search(r"no angle has changed, and the score is still 3\.16", says({"query": 13, "key": 18}))
    assert re.search(r"Only the key turns; one position adds 1 rad on .* 0\.001 rad on the last", says({"key": 20}))
    assert "on the last" not in says({"pairs": 1})
    put(page, "clock", first | {"scheme": "sinusoidal"})
    before, after = (live.clock(t, t + 5, scheme="sinusoidal").compute() for t in (3, 13))
    assert f"The score was {before['score']:.2f} and is {after['score']:.2f}." in says({"query": 13, "key": 18})
    expected = (
        f"The score is {after['score']:.2f}; with the query at 0 and the key at 5 it is {after['scoreFromZero']:.2f}."
    )
    put(page, "clock", first)
    assert says({"query": 13, "key": 18, "scheme": "sinusoidal"}) == expected
    assert page.locator("#clock .live-hint").inner_text().startswith("A hand is x + p")
    put(page, "clock", first)
    assert page.locator("#clock .live-hint").inner_text().startswith("Drag the query")
    alone = f"With the query at 0 and the key at 5 the score is {after['scoreFromZero']:.2f}: "
    assert says({"query": 0, "key": 5, "scheme": "sinusoidal"}) == f"{alone}here the line lies on the band."


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_clock_hands_turn_to_their_places_or_jump(open_gallery, motion):
    page = open_gallery(reduced_motion=motion)
    hand = "document.querySelector('#clock line.live-hand.live-blue').getAttribute('x2')"
    at = page.evaluate(
        f"() => {{ const m = document.getElementById('clock').figure.model, was = {hand};"
        f" m.set('state', {{ ...m.get('state'), query: 6, key: 11 }}); return [was, {hand}].map(Number); }}"
    )
    end = 50 * np.cos(6)
    assert (abs(at[1] - end) < 0.01) == (motion == "reduce")
    page.wait_for_function(f"Math.abs({hand} - {end}) < 0.01")


def test_clock_hides_angles_and_score_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.clock(ask=QUESTION), tmp_path)
    results = page.locator("[data-shows='score'], [data-shows^=angles], [data-shows^=terms]")
    assert {text for text in results.all_inner_texts() if text} == {"?"}
    for drawn in (".live-arc", ".live-band", ".live-point"):
        assert not page.locator(drawn).first.is_visible()
    assert not page.locator(".live-verdicts li").count()
    page.wait_for_timeout(500)
    assert not re.search(r"\d", page.locator(".live-spoken").inner_text())
    page.get_by_role("button", name="Show without answering").click()
    assert page.locator("[data-shows='score']").inner_text() == "3.16"
    assert page.locator(".live-point").is_visible()
    page.close()


def test_an_answer_about_turned_positions_is_not_shown_where_they_are_added(browser, tmp_path):
    page = alone(browser, live.clock(ask=QUESTION), tmp_path)
    why, menu = page.locator(".live-why"), page.get_by_label("positions", exact=True)
    menu.select_option("sinusoidal")
    other = "getComputedStyle(document.querySelector('.live-why'), '::after').content.includes('other choice')"
    assert not page.evaluate(other)  # nothing has been answered
    page.get_by_label("that").check()
    hidden = "getComputedStyle(document.querySelector('.live-why')).visibility === 'hidden'"
    assert page.evaluate(other)
    assert page.evaluate(hidden)
    menu.select_option("rotary")
    assert why.is_visible()
    assert why.inner_text() == "✓ Right. Because."
    assert not page.evaluate(other)
    page.close()
