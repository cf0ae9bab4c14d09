"""The live figure memory: its faces, the laws of its five ways, what it takes by hand and by keys, and what it says."""

import contextlib
import copy
import re

import numpy as np
import pytest
from attnbook import live
from attnbook.positional import frequencies, rotate
from live_cases import CASES, states
from live_pages import QUESTION, alone, put, state_of

FIGURE = "memory"
NARROW = {"train": 32, "test": 128, "base": 100.0, "fast": 4.0}

# The angles of each face in degrees from the top, clockwise: where the hand is, where the tint ends, how much of the
# rim is marked as never seen and where it begins, and one step; whether the hand looks like one that is outside; the
# texts; and how far along the road the tint, the dashes and the handle reach.
DRAWN = """() => {
  const all = (css, e = document) => [...e.querySelectorAll(css)], degrees = 180 / Math.PI;
  const angle = ({ x, y }) => (Math.atan2(x, -y) * degrees + 360) % 360, radius = ({ x, y }) => Math.hypot(x, y);
  const arc = (path) => { const whole = path.getTotalLength(); if (!whole) return [0, 0];
    const first = path.getPointAtLength(0); return [angle(first), whole / radius(first) * degrees]; };
  const faces = all("#memory .live-dial").map((e) => {
    const [tint, unseen, stride] = ["tint", "unseen", "stride"].map((name) => e.querySelector(`.live-${name}`));
    const { a, b } = e.querySelector(".live-needle").transform.baseVal[0].matrix;
    const edge = tint.getAttribute("d").match(/[\\d.-]+/g).slice(-4, -2).map(Number);
    const turn = Math.atan2(b, a) * degrees, shown = (css) => getComputedStyle(e.querySelector(css)).display !== "none";
    const size = (tint.getTotalLength() - 2 * 50) / 50 * degrees; // the arc without the two radii
    return { hand: (turn + 360) % 360, tint: size, edge: angle({ x: edge[0], y: edge[1] }), unseen: arc(unseen),
      stride: arc(stride), out: shown(".live-cross"), disc: shown(".live-needle circle"),
      said: e.querySelector("svg").getAttribute("aria-label") }; });
  const x = (css, name) => Number(document.querySelector(`#memory ${css}`).getAttribute(name));
  const handle = document.querySelector("#memory .live-handle");
  return { faces, seen: x(".live-road-seen", "x2"), fresh: [x(".live-road-new", "x1"), x(".live-road-new", "x2")],
    handle: handle.transform.baseVal[0].matrix.e, spoken: handle.getAttribute("aria-valuetext"),
    pressed: all("#memory [aria-pressed=true]").map((e) => e.textContent), road: document.querySelector(
      "#memory .live-road text").textContent, says: document.querySelector("#memory .live-verdict").textContent }; }"""


def checked(page, state):
    """What is drawn, after it was compared with what is computed."""
    drawn, found = page.evaluate(DRAWN), CASES["memory"].figure._compute(**state)
    for k, face in enumerate(drawn["faces"]):
        arc, end, step = np.degrees([found["arcs"][k], found["ends"][k], found["steps"][k]])
        out = found["beyond"][k]
        assert abs((face["hand"] - end + 180) % 360 - 180) < 0.02, (k, state)
        assert face["tint"] == pytest.approx(arc, abs=0.3)  # a length along a curve is measured in steps
        assert abs((face["edge"] - arc + 180) % 360 - 180) < 0.1
        assert face["stride"][1] == pytest.approx(step, abs=0.1)
        reached = [arc % 360, min(end, 360) - arc] if out else [0, 0]
        assert face["unseen"] == pytest.approx(reached, abs=0.3), (k, state)
        assert (face["out"], face["disc"]) == (out, not out)
        assert ("unseen" in face["said"]) == out
    along = [14 + 312 * t / (8 * state["train"]) for t in (state["train"], state["test"])]
    assert [drawn["seen"], *drawn["fresh"], drawn["handle"]] == pytest.approx([along[0], *along, along[1]], abs=0.01)
    assert f"up to {state['test']}, s = {state['test'] / state['train']:.2f}" in drawn["road"]
    assert drawn["spoken"].startswith(f"{state['test']}, ")
    assert [name.lower() for name in drawn["pressed"]] == [state["way"]]
    return drawn


def test_the_faces_are_those_of_the_state(still_page):
    for state in states("memory", 40):
        put(still_page, "memory", state)
        checked(still_page, state)


def test_the_ways_keep_their_laws():
    shown = lambda way, **more: live.memory(**{**NARROW, "way": way} | more).compute()  # noqa: E731
    theta, content = frequencies(16, 100.0), np.tile([1.0, 0.0], (1, 8))
    plain, interpolate, ntk, yarn, clip = map(shown, ("plain", "interpolate", "ntk", "yarn", "clip"))
    assert plain["outside"] == 5  # the pairs that made less than a turn in training
    np.testing.assert_allclose(interpolate["hands"].ravel(), rotate(content, [128 / 4], frequencies(16, 100.0))[0])
    np.testing.assert_allclose(ntk["steps"][[0, 7]], theta[[0, 7]] / [1, 4])
    assert ntk["outside"] == 4  # the pairs between them
    np.testing.assert_allclose(yarn["steps"][[0, 3, 7]], theta[[0, 3, 7]] / [1, 4, 4])
    assert theta[1] / 4 < yarn["steps"][1] < theta[1]
    np.testing.assert_allclose(clip["hands"].ravel(), rotate(content, [32], frequencies(16, 100.0))[0])
    assert interpolate["outside"] == yarn["outside"] == clip["outside"] == 0
    for way in ("plain", "interpolate", "ntk", "yarn", "clip"):
        assert shown(way, test=32)["outside"] == 0
        np.testing.assert_allclose(shown(way, test=32)["steps"], theta)
        for test in range(33, 257, 7):  # on its own ground a hand stays, at every length
            assert shown(way, test=test)["beyond"][7] == (way == "plain")


def test_the_test_gets_longer_by_hand_by_keys_and_by_typing(open_gallery):
    page, first = open_gallery(), CASES["memory"].figure.state
    handle, typed = page.get_by_role("slider"), page.get_by_label("longest offset", exact=True)
    for key, test in (("ArrowRight", 65), ("ArrowDown", 63), ("Shift+ArrowUp", 69), ("Home", 32), ("End", 256)):
        put(page, "memory", first)
        handle.press(key)
        assert state_of(page, "memory") == first | {"test": test}
    for text, test in (("100", 100), ("9999", 256), ("1", 32)):
        typed.fill(text)
        page.keyboard.press("Enter")
        assert state_of(page, "memory")["test"] == test
        assert typed.input_value() == str(test)
    put(page, "memory", first)
    box, at = page.locator(".live-road").bounding_box(), handle.locator(".live-target").bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + (14 + 312 * 200 / 256) * box["width"] / 340, at["y"], steps=3)
    page.mouse.up()
    assert state_of(page, "memory")["test"] == 200


def test_every_way_has_its_sentence(open_gallery):
    page, first = open_gallery(reduced_motion="no-preference"), CASES["memory"].figure.state
    said = {
        "plain": "Nothing is changed: 5 pairs reach angles never seen.",
        "interpolate": "Every position is divided by s = 2: all hands stay inside, but neighbours are 2 times closer.",
        "NTK": "The base grows from 100 to 221: the fastest pair keeps its step, that of the slowest is divided by "
        "s = 2. In between, 4 pairs reach angles never seen.",
        "YaRN": "A pair with 4 turns or more in training keeps its step; below one turn the step is divided by s = 2",
        "clip": "An offset beyond 32 counts as 32",
    }
    for name, sentence in said.items():
        page.get_by_role("button", name=name, exact=True).click()
        assert state_of(page, "memory") == first | {"way": name.lower()}
        for _ in range(50):  # a hand that turns arrives, on a busy machine later
            with contextlib.suppress(AssertionError):
                drawn = checked(page, first | {"way": name.lower()})
                break
            page.wait_for_timeout(100)
        drawn = checked(page, first | {"way": name.lower()})
        assert drawn["says"].replace("\u00a0", " ").startswith(sentence)
        put(page, "memory", first | {"way": name.lower(), "test": 32})
        assert page.evaluate(DRAWN)["says"].startswith("As long as in training")
        put(page, "memory", first)


def test_what_memory_asks_for_is_hidden_until_the_answer(browser, tmp_path):
    figure = copy.deepcopy(CASES["memory"].figure)
    figure.ask = QUESTION
    page = alone(browser, figure, tmp_path)
    hidden = [page.locator(css).first for css in (".live-needle line", ".live-unseen[d^=M]", ".live-stride")]
    assert not any(part.is_visible() for part in hidden)
    assert not re.search(r"\d", page.locator(".live-verdict").inner_text())
    assert (
        page.locator("[data-shows=outside]").inner_text()
        == page.locator("[data-shows='steps 7']").last.inner_text()
        == "?"
    )
    assert page.locator(".live-dials .live-beyond").count() == 0
    page.get_by_role("button", name="Show without answering").click()
    assert all(part.is_visible() for part in hidden)
    assert page.locator("[data-shows=outside]").inner_text() == "5"
    page.close()
