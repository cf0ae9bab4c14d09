"""The live figure windows: what it computes, what it draws, where its output can be dragged, and what it says."""

import itertools
import json

import numpy as np
import pytest
from attnbook import live
from attnbook.attention import attention
from attnbook.live.windows import compute, mask
from live_cases import CASES, states
from live_pages import ARRIVES, HANDLES, QUESTION, alone, put, state_of

FIGURE = "windows"

# What is drawn, in the coordinates of the drawing.
DRAWN = """() => { const all = (css) => [...document.querySelectorAll(`#windows ${css}`)];
  const at = (e, ...names) => names.map((name) => Number(e.getAttribute(name)));
  const edges = /M(\\d+) (-?\\d+)L(\\d+) (-?\\d+)/g;
  const path = (e) => [...(e.getAttribute("d") || "").matchAll(edges)].map((m) => m.slice(1).map(Number));
  const [near, far] = all(".live-windows-edge").map(path), seen = (e) => e.getAttribute("visibility") !== "hidden";
  return { near, far, dots: all(".live-windows-dot").filter(seen).map((e) => at(e, "cx", "cy")),
    reached: all(".live-windows-reached").filter(seen).map((e) => at(e, "cx", "cy")),
    bars: all(".live-windows-bar").map((e) => at(e, "x", "y", "width", "height")),
    output: all(".live-handle")[0].getAttribute("transform").match(/-?[\\d.]+/g).map(Number),
    spoken: all(".live-handle")[0].ariaValueText, laws: all(".live-verdicts")[0].textContent,
    labels: all(".live-windows-text").map((e) => [e.textContent, ...at(e, "x", "y")]),
    outputs: all(".live-control output").map((e) => e.textContent), says: all(".live-verdict")[0].textContent }; }"""


def dot(token, level):
    """The coordinates of a token at a level; the inputs are level 0."""
    return [20 + 20 * token, 156 - 34 * level]


@pytest.mark.parametrize(
    ("L", "w", "s", "i"), [(1, 4, 0, 15), (2, 3, 1, 12), (3, 2, 2, 9), (4, 5, 0, 15), (2, 1, 2, 7)]
)
def test_what_reaches_an_output_is_what_changes_it(L, w, s, i):
    rng, found = np.random.default_rng(L), compute(L, w, s, i)

    def stack(X):
        for _ in range(L):
            X = attention(np.zeros((16, 1)), np.zeros((16, 1)), X, mask(w, s))  # equal scores, so equal weights
        return X[i]

    X = rng.normal(size=(16, 3))
    moved = [np.abs(stack(X + np.eye(16)[:, [j]]) - stack(X)).max() for j in range(16)]
    np.testing.assert_allclose(moved, found["shares"], atol=1e-12)
    assert [change > 1e-9 for change in moved] == [bool(x) for x in found["reached"][-1]]
    lost = range(s, i - L * (w - 1))
    assert [j for j in range(i + 1) if not found["reached"][-1][j]] == list(lost)
    assert found["keys"] == min(i + 1, w + s)


def test_windows_draws_what_it_computes(still_page):
    for state in states("windows", 24):
        put(still_page, "windows", state)
        found, drawn = CASES["windows"].figure._compute(**state), still_page.evaluate(DRAWN)
        L, w, s, i = (state[name] for name in ("layers", "window", "sinks", "query"))
        tokens, near, far = {(i, L)}, [], []
        for level in range(L, 0, -1):
            for q in [q for q, at in tokens if at == level]:
                for k in range(q + 1):
                    if q - k < w or k < s:
                        (near if q - k < w else far).append([*dot(q, level), *dot(k, level - 1)])
                        tokens.add((k, level - 1))
        assert sorted(drawn["near"]) == sorted(near)
        assert sorted(drawn["far"]) == sorted(far)
        assert sorted(drawn["reached"]) == sorted(dot(*token) for token in tokens)
        assert sorted(drawn["dots"]) == sorted(dot(j, level) for j, level in itertools.product(range(16), range(L + 1)))
        assert drawn["output"] == pytest.approx(dot(i, L))
        heights = 70 * np.array(found["shares"])
        expected = [[13 + 20 * j, 236 - h, 14, h] for j, h in enumerate(heights)]
        np.testing.assert_allclose(drawn["bars"], expected, atol=0.006)
        assert drawn["labels"] == [[str(j), 20 + 20 * j, 250] for j in range(16)]
        assert drawn["outputs"] == [str(L), "1 key" if w == 1 else f"{w} keys", str(s)]
        n = found["inputs"]
        assert drawn["spoken"] == f"token {i}: {n} input{'s' * (n != 1)} of {i + 1}"


def test_windows_says_what_never_reaches_the_output(open_gallery):
    page = open_gallery()
    first = state_of(page, "windows")
    says = lambda **change: put(page, "windows", first | change) or page.evaluate(DRAWN)  # noqa: E731
    assert says(layers=3)["laws"] == "✓ farthest back 9 = L(w − 1) = 3 · 3"
    assert says(query=4)["laws"] == "✓ farthest back 4 = 4, where the text begins"
    assert says(query=6)["laws"] == "✓ farthest back 6 = L(w − 1) = 2 · 3"
    assert says(query=4)["says"] == "All 5 tokens up to token 4 reach its output."
    assert says(query=0)["says"] == "Token 0 sees only itself."
    assert says()["says"] == "Inputs 0 to 8 never reach output 15."
    assert says(query=7)["says"] == "Input 0 never reaches output 7."
    why = ", and no sink brings {} back: a sink sees only sinks."
    assert says(sinks=2)["says"] == "Inputs 2 to 8 never reach output 15" + why.format("them")
    assert says(sinks=1, query=8)["says"] == "Input 1 never reaches output 8" + why.format("it")


def test_windows_takes_its_output_by_mouse_and_keys(open_gallery):
    page = open_gallery()
    first, box = state_of(page, "windows"), page.locator("#windows svg.live-windows").bounding_box()
    unit, handle = box["width"] / 340, page.locator(f"#windows {HANDLES}").first
    grip = handle.locator(".live-target").bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + unit * dot(6, 2)[0], grip["y"], steps=3)
    page.mouse.up()
    assert state_of(page, "windows") == first | {"query": 6}
    moves = {"ArrowRight": 11, "ArrowUp": 11, "ArrowLeft": 9, "Shift+ArrowLeft": 5, "Home": 0, "End": 15}
    for key, query in moves.items():
        put(page, "windows", first | {"query": 10})
        handle.focus()
        page.keyboard.press(key)
        assert state_of(page, "windows") == first | {"query": query}, key


def test_windows_hides_what_reaches_the_output_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.windows(2, 4, ask=QUESTION), tmp_path)
    drawn = page.evaluate(DRAWN)
    assert not drawn["near"] + drawn["far"] + drawn["reached"]
    assert not any(height for *_, height in drawn["bars"])
    assert (drawn["laws"], drawn["spoken"]) == ("", "token 15")
    assert page.locator("#windows [data-shows]").all_inner_texts() == ["?"] * 4
    page.get_by_role("button", name="Show without answering").click()
    assert len(page.evaluate(DRAWN)["near"]) == 20
    assert page.locator("#windows [data-shows]").all_inner_texts() == ["7", "6", "4", "0.25"]
    page.close()


def test_a_link_brings_windows_no_number_beyond_its_bounds(still_page):
    first, bad = (
        CASES["windows"].figure.state,
        {"layers": (0, 5), "window": (0, 9), "sinks": (-1, 3), "query": (-1, 16)},
    )
    attempts = [json.dumps({part: x}) for part, numbers in bad.items() for x in numbers]
    assert still_page.evaluate(ARRIVES, ["windows", first, attempts]) == [first] * len(attempts)
