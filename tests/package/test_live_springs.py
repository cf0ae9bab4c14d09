"""The live figure springs: the query that it finds is the right one, and it draws and says what it computes."""

import json

import numpy as np
import pytest
from attnbook import live
from attnbook.attention import entropy, softmax
from attnbook.simplex import hull_weights, separating_direction
from live_cases import CASES, SEVEN, distance, states
from live_pages import ARRIVES, QUESTION, alone, put, state_of
from scipy.spatial import ConvexHull

FIGURE = "springs"

# What the figure draws, in the coordinates of its plane; null for what is not seen.
DRAWN = """() => { const all = (what) => [...document.querySelectorAll(`#springs ${what}`)];
  const numbers = (text) => text.match(/-?[\\d.]+(e-?\\d+)?/g).map(Number);
  const at = (e) => numbers(e.getAttribute("transform"));
  const seen = (e) => getComputedStyle(e).visibility === "visible";
  const ends = (e) => (seen(e) ? ["x1", "y1", "x2", "y2"].map((name) => Number(e.getAttribute(name))) : null);
  const [arrow] = all(".live-pull"), walls = all(".live-wall").map(ends);
  return { hull: numbers(all(".live-hull")[0].getAttribute("points")), ring: at(all(".live-handle")[0]),
    springs: all(".live-spring").map((e) => seen(e) && [...ends(e), Number(e.getAttribute("stroke-width"))]),
    spots: all(".live-spot").map(at), pressed: all(".live-spot").map((e) => e.getAttribute("aria-pressed") === "true"),
    arrow: seen(arrow) ? [...at(arrow), Number(arrow.firstChild.getAttribute("x2"))] : null, rays: walls.slice(0, 2),
    wall: walls[2], away: all(".live-away").length, said: all(".live-verdict")[0].textContent,
    bars: all(".live-bar").map((e) => parseFloat(e.style.width)), q: all(".live-length")[0].innerText }; }"""


def turned(u, v):
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def px(points):
    return 150 + 50 * np.asarray(points, dtype=float) * [1, -1]


def test_the_weights_are_those_of_largest_entropy_and_of_the_query():
    met = dict.fromkeys(["inside", "side", "corner", "outside"], 0)
    for state in states("springs", 120):
        V, y, seen = np.array(state["values"]), np.array(state["output"]), ~np.array(state["masked"])
        found = live.springs(V, y, masked=np.flatnonzero(~seen).tolist()).compute()
        a, q, faces = found["weights"], found["query"], ConvexHull(V[seen])
        met[found["where"]] += 1
        corners = found["hull"]
        area = turned(corners, np.roll(corners, -1, axis=0)).sum() / 2
        np.testing.assert_allclose(area, faces.volume, rtol=1e-9)
        depth = (faces.equations @ [*y, 1]).max()
        assert (depth > 1e-9) == (found["where"] == "outside")
        assert (depth < -1e-9) == (found["where"] == "inside") == (q is not None)
        if found["where"] == "outside":
            w = y - found["nearest"]  # a half-plane holds the values, and the nearest point is in the hull
            assert w @ y > (V[seen] @ w).max() + 0.99 * w @ w
            assert separating_direction(y, V[seen]) is not None
            continue
        assert a.min() >= 0
        assert abs(np.r_[a.sum() - 1, a @ V - y]).max() < 1e-12
        assert not a[~seen].any()
        assert entropy(a) > entropy(hull_weights(y, V[seen])) - 1e-6
        # The condition of optimality: the logarithms of the weights are an affine function of the values.
        on = a > 0
        system, logs = np.c_[V[on], np.ones(on.sum())], np.log(a[on])
        assert abs(system @ np.linalg.lstsq(system, logs, rcond=None)[0] - logs).max() < 1e-7
        if q is not None:
            assert on[seen].all()
            np.testing.assert_allclose(softmax(V[seen] @ q), a[seen], atol=1e-11)
        for w in found["outward"]:  # the weights live on the values that lie farthest in this direction
            far = V[seen] @ w > (V[seen] @ w).max() - 1e-9
            assert not a[seen][~far].any()
            assert far.sum() >= 2
    assert all(met.values()), met


def test_the_figure_draws_what_it_computes(open_gallery):
    page = open_gallery()

    def near(found, expected, tolerance=0.02):
        return distance(np.ravel(found).tolist(), np.ravel(expected).astype(float).tolist()) < tolerance

    for state in states("springs", 24):
        put(page, "springs", state)
        found, drawn = CASES["springs"].figure._compute(**state), page.evaluate(DRAWN)
        V, y, m = px(state["values"]), px(state["output"]), len(state["values"])
        assert near(drawn["hull"], px(found["hull"]))
        assert near(drawn["ring"], y)
        assert near(drawn["spots"], V)
        assert drawn["pressed"] == state["masked"]
        assert drawn["away"] == (found["where"] == "outside")
        if found["weights"] is None:
            assert not any(drawn["springs"])
            assert drawn["bars"] == [0] * m
        else:
            assert near(drawn["springs"], np.c_[V, np.tile(y, (m, 1)), 16 * found["weights"]])
            assert near(drawn["bars"], 100 * found["weights"])
        if found["query"] is None:
            assert drawn["arrow"] is None
        else:  # it begins in the ring, and is as long as the query on the grid of the plane
            degrees = -np.degrees(np.arctan2(*found["query"][::-1]))
            assert near(drawn["arrow"], [*y, degrees, 50 * found["length"]])
            assert drawn["q"] == f"query ‖q‖ = {found['length']:.2f}"
        for ray, w in zip(drawn["rays"], [*found["outward"], None, None], strict=False):
            assert (ray is None) == (w is None)
            assert ray is None or near(ray, [*y, *(y + 600 * w * [1, -1])])
        if found["where"] != "outside":
            assert drawn["wall"] is None
            continue
        start, end = np.reshape(drawn["wall"], (2, 2))
        points = np.array([y, *V[~np.array(state["masked"])]])
        beside = turned(end - start, points - start) / np.linalg.norm(end - start)
        assert np.abs(beside[0]) > 0.01 * 50 / 20
        assert (beside[0] * beside[1:] < 0).all()
        assert np.hypot(*end) > 150
    put(page, "springs", {"values": SEVEN, "output": [3, 0], "masked": [False] * 7})
    assert page.evaluate(DRAWN)["q"] == "query none"


def test_what_the_figure_says_and_which_values_can_be_masked(open_gallery):
    page = open_gallery()
    state = {"values": SEVEN, "masked": [False] * 7}
    for output, said, q in (
        ([0, 0.5], "Inside the hull: exactly one query has this output, q = (", "query ‖q‖ = 0."),
        (
            [0.5, -1.5],
            "On a side: all the weight is on values 1 and 2. Only an infinitely long query, in",
            "query ‖q‖ = ∞",
        ),
        (
            [1, 2],
            "On a corner: all the weight is on value 4. Only an infinitely long query gets here,",
            "query ‖q‖ = ∞",
        ),
        (
            [3, 3],
            "Outside the hull: no weights, so no query. The dashed line has the ring on one side and all values on",
            "",
        ),
    ):
        put(page, "springs", state | {"output": output})
        drawn = page.evaluate(DRAWN)
        assert drawn["said"].startswith(said)
        assert drawn["q"].startswith(q)
    put(page, "springs", state | {"output": [0.5, -1.5]})
    spots, masked = page.locator("#springs [role=button]"), []
    for j, press in ((1, "click"), (6, "Enter"), (5, " "), (3, "click")):
        before = page.evaluate(DRAWN)["hull"]
        if press == "click":
            spots.nth(j).click()
        else:
            spots.nth(j).focus()
            page.keyboard.press("Space" if press == " " else press)
        masked.append(j)
        assert state_of(page, "springs")["masked"] == [i in masked for i in range(7)]
        assert (page.evaluate(DRAWN)["hull"] != before) == (j in (1, 3))
    assert page.evaluate(DRAWN)["said"].endswith("on one side and all values that are not masked on the other.")
    assert page.locator("#springs .live-shares li").nth(1).inner_text().split() == ["2", "masked"]
    spots.nth(2).click()  # three are left
    assert state_of(page, "springs")["masked"] == [i in masked for i in range(7)]
    assert page.evaluate(DRAWN)["said"].startswith(
        "At least three values must stay, not all on one line. Outside the hull"
    )
    spots.nth(1).click()
    assert state_of(page, "springs")["masked"][1] is False
    assert page.evaluate(DRAWN)["said"].startswith("On a side: all the weight is on values 1 and 2.")
    page.get_by_label("output, coordinate 2").fill("0.123")
    page.get_by_label("output, coordinate 2").blur()
    assert state_of(page, "springs")["output"] == [0.5, 0.1]  # the nearest point of the grid
    first = json.loads(json.dumps(CASES["springs"].figure.state))
    page.get_by_role("button", name="Back to start").click()
    assert state_of(page, "springs") == first
    off = ['{"output":[0.51,0]}', '{"values":[[0,0.01],[1,0],[0,1]],"masked":[false,false,false]}']
    assert page.evaluate(ARRIVES, ["springs", first, off]) == [first, first]  # beside the grid


def test_a_question_hides_weights_and_query(browser, tmp_path):
    page = alone(browser, live.springs(SEVEN, [1, 1], ask=QUESTION), tmp_path)
    hidden = page.evaluate(DRAWN)
    assert (hidden["arrow"], any(hidden["springs"]), hidden["bars"]) == (None, False, [0] * 7)
    assert hidden["q"] == "query ?"
    assert hidden["said"] == "The query is hidden until you have answered."
    page.get_by_label("that").check()
    shown = page.evaluate(DRAWN)
    assert shown["arrow"]
    assert shown["said"].startswith("Inside the hull: exactly one query")
    page.close()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"output": [0.52, 0]}, "steps of 0.05"),
        ({"masked": [7]}, "indices of the 7 values"),
        ({"masked": [0, 1, 2, 3, 4]}, "leaves values on one line"),
        ({"values": [[0, 0], [1, 1], [2, 2]]}, "leaves values on one line"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        live.springs(**{"values": SEVEN, "output": [0, 0]} | change)
