"""The live figure triangle: what it draws and says, and where its handles lead."""

import re

import numpy as np
import pytest
from attnbook.figures import simplex
from live_cases import CASES, distance, states
from live_pages import put, state_of

FIGURE = "triangle"

# What the triangle draws, in the coordinates of its two drawings.
DRAWN = """() => { const all = (what) => [...document.querySelectorAll(`#triangle ${what}`)];
  const numbers = (text) => text.match(/-?[\\d.]+/g).map(Number), at = (e) => numbers(e.getAttribute("transform"));
  return { bars: all(".live-score-bar").map((e) => ["y", "height"].map((name) => Number(e.getAttribute(name)))),
    handles: all(".live-handle").map(at), discs: all(".live-weight").map((e) => [...at(e), e.r.baseVal.value]),
    mean: at(all(".live-mean")[0].parentNode)[1], limit: at(all(".live-limit")[0]),
    path: numbers(all(".live-path")[0].getAttribute("points")), corners: numbers(all("polygon.live-hull")[0]
      .getAttribute("points")), said: all(".live-verdict")[0].textContent, law: all(".live-verdicts")[0].textContent,
    off: all("[aria-disabled=true]").map((e) => e.textContent) }; }"""


def test_the_triangle_draws_what_it_computes(open_gallery):
    page = open_gallery()

    def near(found, expected):
        return distance(found, np.asarray(expected, dtype=float).tolist()) < 0.01

    for state in states("triangle", 40):
        put(page, "triangle", state)
        found, drawn = CASES["triangle"].figure._compute(**state), page.evaluate(DRAWN)
        places, s = (lambda p: [40, 250] + 220 * np.asarray(p) * [1, -1]), np.array(state["scores"])
        assert near(drawn["bars"], np.c_[135 - 20 * np.maximum(s, 0), 20 * abs(s)])
        assert near(drawn["handles"], [*np.c_[[80, 150, 220], 135 - 20 * s], places(found["point"])])
        assert near(drawn["mean"], 135 - 20 * found["mean"])
        assert near(drawn["path"], places(found["path"]).ravel())
        assert near(drawn["limit"], places(found["path"][-1]))
        corners = places(simplex.CORNERS)
        assert near(drawn["corners"], corners.ravel())
        assert near(drawn["discs"], np.c_[corners, 26 * np.sqrt(found["weights"])])
        assert drawn["off"] == ["Add 1 to every score"] * int(max(s) > 5) + ["Subtract 1"] * int(min(s) < -5)


@pytest.mark.parametrize(
    ("scores", "T", "said"),
    [
        ([1, 1, 1], 1, "All scores are equal, and so are all weights, at every temperature."),
        ([2, -1, 2], 3, "Scores 1 and 3 are equal, .* As T falls to 0, the point goes to the middle of a side"),
        ([0, 3, 0], 3, "Scores 1 and 3 are equal, .* along the curve to corner 2 and never gets there."),
        ([0, 1, 3], 3, r"These weights have the entropy of 2\.7 equal ones. .* to corner 3 and never gets there."),
        ([0, 3, 6], 0.1, "The point seems to lie in corner 3, but the other weights are 8.8e−27 and 9.4e−14, not 0."),
    ],
)
def test_the_triangle_says_where_the_point_goes(open_gallery, scores, T, said):
    page = open_gallery()
    put(page, "triangle", {"scores": scores, "temperature": T})
    assert re.match(said, page.evaluate(DRAWN)["said"])


def test_a_constant_moves_every_bar_of_the_triangle_and_not_the_point(open_gallery):
    page = open_gallery()
    press = {c: page.locator("#triangle").get_by_role("button", name=name) for c, name in ((1, "Add 1"), (-1, "Subt"))}
    first, was = state_of(page, "triangle"), page.evaluate(DRAWN)
    assert not was["law"]  # nothing has been shown to stay yet
    total = 0
    for c, times in ((1, 4), (-1, 9)):
        for _ in range(times):
            before = state_of(page, "triangle")["scores"]
            press[c].click()
            now = page.evaluate(DRAWN)
            assert state_of(page, "triangle")["scores"] == [s + c for s in before]
            assert now["handles"][3] == was["handles"][3]
            total += c
            did = f"added {total:.2f} to" if total > 0 else f"subtracted {-total:.2f} from"
            did = did if total else "undone what you did to"
            assert now["said"].startswith(f"You have {did} every score. The point has not moved: ")
            assert now["law"] == "✓ softmax((s − mean)/T) = softmax(s/T)"
        before = state_of(page, "triangle")
        press[c].click(force=True)  # one score is at its bound
        assert "would leave the drawing" in page.evaluate(DRAWN)["said"]
        assert state_of(page, "triangle") == before
    cold = {"scores": [-6, -6, 6], "temperature": 0.1}  # the weight of a score that moves is below every rounding
    changes = (first, {"temperature": 2}), (first, {"scores": [1, 1, -1]}), (cold, {"scores": [-5, -6, 6]})
    for start, change in changes:
        put(page, "triangle", start)
        put(page, "triangle", start | change)
        assert "has not moved" not in page.evaluate(DRAWN)["said"]


@pytest.mark.parametrize("T", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("goal", [(150, 200), (130, 160), (190, 240), (0, 290), (300, 200)])
def test_the_point_of_the_triangle_follows_the_pointer(open_gallery, T, goal):
    page = open_gallery()
    put(page, "triangle", {"scores": [2, 3, 4], "temperature": T})
    point = page.get_by_label("weights, a point in the triangle")
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    to_page = "(e, [x, y]) => { const p = new DOMPoint(x, y).matrixTransform(e.ownerSVGElement.getScreenCTM());"
    x, y = point.evaluate(f"{to_page} return [p.x, p.y]; }}", list(goal))
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, y, steps=4)
    page.mouse.up()
    s, at = np.array(state_of(page, "triangle")["scores"]), page.evaluate(DRAWN)["handles"][3]
    assert abs(s).max() <= 6
    if 0 < goal[0] < 300:  # inside the triangle, and within the reach of the scores
        assert distance(at, [float(c) for c in goal]) < 0.02
    else:  # as near to it as there is: all of the reach is used
        assert np.ptp(s) > min(11.99, 11.99 * T)
    assert abs(s.mean() - 3) < 1e-9 or np.isclose(abs(s).max(), 6)
    third = (250 - goal[1]) / 220 / simplex.CORNERS[2, 1]
    second = (goal[0] - 40) / 220 - third / 2
    logs = np.log(np.maximum([1 - second - third, second, third], np.exp(-12)))
    assert np.corrcoef(s, logs)[0, 1] > 1 - 1e-6  # out of reach, it stops on the curve of the pointer's place
