"""The live figure squeeze: its error is that of the best linear reader, and it draws and says what it computes."""

import json

import numpy as np
import pytest
from attnbook import live
from live_cases import CASES, CLOUD, distance, states
from live_pages import ARRIVES, QUESTION, alone, put, state_of

FIGURE = "squeeze"

# What the figure draws, in the coordinates of its plane; null for what is not seen. Shares are parts of 100.
DRAWN = """() => { const all = (what) => [...document.querySelectorAll(`#squeeze ${what}`)];
  const seen = (e) => getComputedStyle(e).visibility === "visible";
  const numbers = (text) => text.match(/-?[\\d.]+(e-?\\d+)?/g).map(Number);
  const of = (...names) => (e) => (seen(e) ? names.map((name) => Number(e.getAttribute(name))) : null);
  const plane = "svg[role=group] ", wide = (e) => parseFloat(e.style.width);
  const line = of("x1", "y1", "x2", "y2"), disc = of("cx", "cy");
  return { line: all(plane + ".live-through").map(line)[0], dots: all(plane + ".live-dot").map(disc),
    feet: all(".live-foot").map(disc), misses: all(".live-ray").map(line),
    squares: all(plane + ".live-area").map((e) => (seen(e) ? numbers(e.getAttribute("points")) : null)),
    knob: seen(all(".live-handle")[0]) ? numbers(all(".live-handle")[0].getAttribute("transform")) : null,
    shares: all(".live-part").map(wide),
    widths: all(".live-part").map((e) => (100 * e.offsetWidth) / e.parentNode.clientWidth),
    height: all(".live-part")[0].offsetHeight, least: parseFloat(all(".live-least")[0].style.right),
    said: all(".live-verdict")[0].textContent, rows: all("tr").map((e) => e.innerText.trim()),
    pressed: all("[aria-pressed]")[0].getAttribute("aria-pressed") }; }"""


def px(points):
    return 150 + 50 * np.asarray(points, dtype=float) * [1, -1]


def area(corners):
    x, y = np.reshape(corners, (-1, 2)).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def test_no_line_loses_less_than_the_smaller_squared_singular_value():
    for state in states("squeeze", 60):
        X, found = np.array(state["points"]), live.squeeze(**state).compute()
        u = np.array([np.cos(np.radians(state["angle"])), np.sin(np.radians(state["angle"]))])
        tolerance = 1e-12 * found["total"]
        assert found["lost"] >= found["bound"] - tolerance
        if state["numbers"] == 2:
            assert (found["lost"], found["bound"]) == (0, 0)
            continue
        # The rebuilt point is the best that any number makes on the line: least squares for each point by itself.
        fitted = u * np.linalg.lstsq(u[:, None], X.T, rcond=None)[0].T
        np.testing.assert_allclose(found["rebuilt"], fitted, atol=1e-12)
        assert abs(found["lost"] - ((X - fitted) ** 2).sum()) < tolerance
        values, vectors = np.linalg.eigh(X.T @ X)
        np.testing.assert_allclose(found["sigma"], values[::-1], atol=1e-12 * values[1])
        off = np.radians(state["angle"] - found["best"])
        assert abs(found["lost"] - values[0] - (values[1] - values[0]) * np.sin(off) ** 2) < 10 * tolerance
        best = np.array([np.cos(np.radians(found["best"])), np.sin(np.radians(found["best"]))])
        assert abs(((X - np.outer(X @ best, best)) ** 2).sum() - found["bound"]) < 10 * tolerance
        if values[1] - values[0] > 1e-9:
            assert abs(best @ vectors[:, 1]) > 1 - 1e-9
        # No reader of this number, nor any other of one number, does better than the bound.
        h = X @ u
        if h.any():
            read = np.outer(h, np.linalg.lstsq(h[:, None], X, rcond=None)[0][0])
            assert ((X - read) ** 2).sum() >= found["bound"] - 10 * tolerance


def test_the_figure_draws_what_it_computes(open_gallery):
    page = open_gallery()

    def near(found, expected, tolerance=0.01):
        return distance(np.ravel(found).tolist(), np.ravel(expected).astype(float).tolist()) < tolerance

    for state in states("squeeze", 24):
        put(page, "squeeze", state)
        found, drawn = CASES["squeeze"].figure._compute(**state), page.evaluate(DRAWN)
        X, feet, one = px(state["points"]), px(found["rebuilt"]), state["numbers"] == 1
        u = np.array([np.cos(np.radians(state["angle"])), np.sin(np.radians(state["angle"]))])
        assert near(drawn["dots"], X)
        assert near(drawn["feet"], feet)
        assert near(drawn["shares"], [100 * found["kept"] / found["total"], 100 * found["lost"] / found["total"]])
        assert near(drawn["widths"], drawn["shares"], 1)  # on a page with the styles of every figure
        assert drawn["height"] > 10
        assert near(drawn["least"], 100 * found["bound"] / found["total"])
        assert drawn["pressed"] == ("false" if one else "true")
        if not one:
            assert (drawn["line"], drawn["knob"], *drawn["misses"], *drawn["squares"]) == (None,) * (2 + 2 * len(X))
            continue
        assert near(drawn["line"], px([-6 * u, 6 * u]))
        assert near(drawn["knob"], px(2.75 * u))
        assert near(drawn["misses"], np.c_[X, feet])
        for corners, x, foot in zip(drawn["squares"], X, feet, strict=True):
            assert near(corners[:4], [x, foot])
            assert abs(area(corners) - ((x - foot) ** 2).sum()) < 0.1
            side = np.reshape(corners, (4, 2))[2] - foot
            assert abs(side @ (foot - x)) < 0.1
            assert side @ (foot - 150) < 0.1  # towards the origin, so that it stays in the drawing
        assert abs(sum(map(area, drawn["squares"])) / 2500 - found["lost"]) < 1e-2


def test_what_the_figure_says_and_how_the_line_turns(open_gallery):
    page = open_gallery()
    first = json.loads(json.dumps(CASES["squeeze"].figure.state))
    best = live.squeeze(CLOUD, 0).compute()["best"]
    cross = [[1, 0], [0, 1], [-1, 0], [0, -1]]
    for change, said in (
        ({"angle": 60}, "The line at 60° loses "),
        ({"angle": round(best)}, f"The line at {round(best)}° loses "),
        ({"angle": round(best) + 180}, f"The line at {round(best) + 180}° loses "),
        ({"points": cross}, "The line at 100° loses 2.00, and so does every line: both σ² are equal."),
        ({"numbers": 2}, "With two numbers in the state, every point is rebuilt, and nothing is lost."),
    ):
        put(page, "squeeze", first | change)
        drawn = page.evaluate(DRAWN)
        assert drawn["said"].startswith(said)
        along = change.get("angle") not in (60, None)
        assert drawn["said"].endswith("the least that whole degrees allow. It lies along the direction of σ₁.") == along
        found = live.squeeze(**(first | change)).compute()
        assert (f"{found['lost'] - found['bound']:.2f} more than the best line." in drawn["said"]) == ("60" in said)
    put(page, "squeeze", first)
    page.get_by_role("button", name="Keep two numbers").click()
    assert state_of(page, "squeeze") == first | {"numbers": 2}
    assert page.evaluate(DRAWN)["rows"][-1].startswith("least that two numbers lose")
    page.get_by_role("button", name="Keep two numbers").click()
    assert page.evaluate(DRAWN)["rows"][-1].startswith("least that a line loses, σ₂²")
    knob = page.get_by_label("angle of the line", exact=True)
    for start, keys, angle in (
        (0, "ArrowLeft", 359),
        (359, "ArrowUp", 0),
        (10, "Shift+ArrowDown", 5),
        (10, "End", 180),
    ):
        put(page, "squeeze", first | {"angle": start})
        knob.focus()
        page.keyboard.press(keys)
        assert state_of(page, "squeeze")["angle"] == angle
    page.get_by_label("angle of the line, in degrees").fill("-10.4")
    page.get_by_label("angle of the line, in degrees").blur()
    assert state_of(page, "squeeze")["angle"] == 350
    box, place = knob.bounding_box(), page.locator("#squeeze svg[role=group]").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] - 20, steps=4)
    page.mouse.up()
    assert abs(state_of(page, "squeeze")["angle"] - 270) <= 1
    off = ['{"points":[[0.51,0],[0,0]]}', '{"angle":360}', '{"angle":0.5}', '{"points":[[0,0],[0,0]]}']
    assert page.evaluate(ARRIVES, ["squeeze", first, off]) == [first] * 4


def test_a_question_hides_errors(browser, tmp_path):
    page = alone(browser, live.squeeze(CLOUD, 100, ask=QUESTION), tmp_path)
    hidden = page.evaluate(DRAWN)
    assert hidden["line"]
    assert (hidden["shares"], hidden["squares"], hidden["feet"]) == ([0, 0], [None] * 8, [None] * 8)
    assert [row.split()[-1] for row in hidden["rows"][1:]] == ["?"] * 3
    assert hidden["said"] == "The errors are hidden until you have answered."
    page.get_by_label("that").check()
    assert page.evaluate(DRAWN)["said"].startswith("The line at 100° loses")
    page.close()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"angle": 360}, "0 to 359"),
        ({"numbers": 3}, "expected 1 or 2"),
        ({"points": [[0, 0], [0, 0]]}, "not all 0"),
        ({"points": [[0.01, 0], [0, 0]]}, "steps of 0.05"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        live.squeeze(**{"points": CLOUD, "angle": 0} | change)
