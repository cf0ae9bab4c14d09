"""The live figure similarity: its products against sines written out here, what it draws, what moves, what it says."""

import json
import math

import numpy as np
import pytest
from attnbook import live
from live_cases import CASES, states
from live_pages import ARRIVES, QUESTION, alone, put, state_of

FIGURE = "similarity"
DRAWN = """() => { const all = (css, at = document.querySelector("#similarity")) => [...at.querySelectorAll(css)];
  const numbers = (e, ...names) => names.map((name) => Number(e.getAttribute(name)));
  const shades = all(".live-similarity-shade").map((e) => [...numbers(e, "x", "y", "height", "fill-opacity"),
    e.classList.contains("live-blue") ? 1 : -1]);
  const bars = all(".live-similarity-bar").map((e) => [...numbers(e, "x", "y", "height"),
    e.classList.contains("live-similarity-chosen")]);
  const handles = all("[role=slider]").map((e) => [e.ariaValueText,
    e.getAttribute("transform").match(/[\\d.]+/g).map(Number)]);
  const adds = all("[data-shows=adds]")[0], product = all("[data-shows=product]")[0];
  return { shades, bars, handles, frames: all(".live-similarity-frame").map((e) => numbers(e, "x")[0]),
    lines: all(".live-similarity-line").map((e) => numbers(e, "x1", "x2")),
    most: [all(".live-similarity-most")[0].textContent, ...numbers(all(".live-similarity-limit")[0], "y1", "y2")],
    product: product.textContent, name: product.previousSibling.textContent, hidden: adds.hidden,
    adds: all("tbody tr", adds).map((e) => e.textContent), laws: all(".live-verdicts li").map((e) => e.textContent),
    says: all(".live-verdict")[0].textContent, choices: all("select").map((e) => e.value) }; }"""


def rows(d, base, positions=range(41)):
    angles = [[t / base ** (2 * k / d) for k in range(d // 2)] for t in positions]
    return np.array([[f(angle) for angle in line for f in (math.sin, math.cos)] for line in angles])


def low(t):
    return str(t).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def test_the_products_of_the_chapter():
    p = rows(64, 1e4)
    for i in (5, 20, 35):
        for j, value in ((i + 5, 23.50397), (i - 5, 23.50397), (i + 6, 23.55940), (i - 6, 23.55940)):
            if 0 <= j <= 40:
                found = live.similarity(i, j, d=64).compute()
                assert found["product"] == pytest.approx(value, abs=5e-6)
                assert found["product"] == pytest.approx(p[i] @ p[j], abs=1e-12)
    assert live.similarity(20, 25, d=64).compute()["rival"] == 6


def test_a_rival_is_farther_and_more_similar():
    for state in states(FIGURE, 60):
        p, i, j = rows(state["d"], state["base"]), state["row"], state["other"]
        products = p @ p[i]
        farther = [t for t in range(41) if abs(t - i) > abs(j - i) and products[t] > products[j] + 2e-9]
        best = max(farther, key=lambda t: products[t], default=None)
        found = live.similarity(**state).compute()["rival"]
        if best is None:
            assert found == 0 or products[i + found if i + found <= 40 else i - found] <= products[j] + 3e-9
        else:
            t = i + found if i + found <= 40 else i - found
            assert products[t] == pytest.approx(products[best], abs=1e-9)
            assert found > abs(j - i)


def test_with_a_quarter_turn_the_sign_is_the_direction():
    for state in states(FIGURE, 20):
        one, two = state | {"turn": True}, state | {"turn": True, "row": state["other"], "other": state["row"]}
        a, b = (live.similarity(**each).compute() for each in (one, two))
        assert a["product"] == pytest.approx(-b["product"], abs=1e-12)
        expected = sum(math.sin((state["other"] - state["row"]) * w) for w in a["adds"][0])
        assert a["product"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"row": 41}, "row"),
        ({"other": -1}, "other"),
        ({"d": 6}, "d = 6"),
        ({"base": 0.5}, "base"),
        ({"turn": 1}, "turn"),
    ],
)
def test_rows_and_tables_that_are_none_are_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        live.similarity(**change)


def test_similarity_draws_what_it_computes(still_page):
    for state in states(FIGURE, 24):
        put(still_page, FIGURE, state)
        drawn, p = still_page.evaluate(DRAWN), rows(state["d"], state["base"])
        i, j, d = state["row"], state["other"], state["d"]
        x, y, height, opacity, sign = np.array(drawn["shades"]).T
        np.testing.assert_allclose(x, np.repeat(13.5 + 13 * np.arange(41), d))
        np.testing.assert_allclose(y, np.tile(34 + 112 / d * np.arange(d), 41), atol=1e-3)
        np.testing.assert_allclose(height, 112 / d, atol=1e-3)
        np.testing.assert_allclose(opacity, 0.75 * abs(p.ravel()), atol=0.0051)
        seen = abs(p.ravel()) > 1e-3
        assert (sign == np.where(p.ravel() < 0, -1, 1))[seen].all()
        J = np.kron(np.eye(d // 2), [[0, -1], [1, 0]] if state["turn"] else np.eye(2))
        products = p[i] @ J @ p.T
        for t, (left, top, high, chosen) in enumerate(drawn["bars"]):
            size = 48 * abs(products[t]) / (d / 2)
            assert left == 15 + 13 * t
            assert high == pytest.approx(size, abs=0.0051)
            if high:
                assert top == pytest.approx(236 - (products[t] > 0) * size, abs=0.0051)
            assert chosen == (t == j)
        assert drawn["frames"] == [20 + 13 * t - 8 for t in (i, j)]
        assert drawn["lines"] == [[20 + 13 * t] * 2 for t in (i, j)]
        assert drawn["handles"] == [[f"row i at {i}", [20 + 13 * i, 16]], [f"row j at {j}", [20 + 13 * j, 164]]]
        assert drawn["most"] == [f"d/2 = {d // 2}", 188, 188]  # where a bar of that height would end
        assert drawn["choices"] == [str(state["turn"]).lower(), str(d)]
        name, other = (
            f"p{low(a)} J p{low(b)}ᵀ" if state["turn"] else f"p{low(a)}·p{low(b)}" for a, b in ((i, j), (j, i))
        )
        assert drawn["name"] == f"{name} = "
        assert float(drawn["product"].replace("−", "-")) == pytest.approx(products[j], abs=0.00051)
        assert drawn["hidden"] == (d > 16)
        of = "sin" if state["turn"] else "cos"
        assert drawn["adds"][1].startswith(f"{of} ω(j − i)")
        assert drawn["laws"][0] == f"✓ {name} = Σ {of} ω(j − i)"
        if state["turn"] and abs(products[j]) > 1e-9:
            assert drawn["laws"][1].startswith(f"{name} ≠ {other} · largest difference ")
        elif not state["turn"]:
            assert drawn["laws"][1] == f"✓ {name} = {other}"


def test_similarity_says_what_the_product_can_tell(open_gallery):
    page = open_gallery()

    def says(row, other, turn=False, d=8):
        put(page, FIGURE, {"row": row, "other": other, "d": d, "base": 1e4, "turn": turn})
        return page.evaluate(DRAWN)["says"]

    p = rows(8, 1e4)
    assert says(10, 15) == f"Row 16 is farther away and more similar: {p[10] @ p[16]:.3f} against {p[10] @ p[15]:.3f}."
    assert says(40, 35) == f"Row 34 is farther away and more similar: {p[40] @ p[34]:.3f} against {p[40] @ p[35]:.3f}."
    assert says(10, 16) == "No row farther away in this picture is more similar."
    assert says(7, 7) == "Every row has the same product with itself: 1 for each pair."
    value = sum(math.sin(5 / 10**k) for k in range(4))
    one, two = (f"{x:.3f}".replace("-", "−") for x in (value, -value))
    assert says(10, 15, True) == f"Exchange the rows, and {one} becomes {two}: after and before differ."
    assert says(7, 7, True) == "Exchange the rows, and nothing changes here."


def test_rows_and_table_are_moved_by_mouse_and_keys(open_gallery):
    page, first = open_gallery(), CASES[FIGURE].figure.state
    part = lambda name: state_of(page, FIGURE)[name]  # noqa: E731
    for label, name in (("row i", "row"), ("row j", "other")):
        target = page.locator(f"#similarity [aria-label='{label}']")
        for key, to in (("ArrowRight", first[name] + 1), ("PageDown", first[name] - 4), ("End", 40), ("Home", 0)):
            target.press(key)
            assert part(name) == to, key
        box = target.bounding_box()
        at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        whole = page.locator("#similarity svg.live-similarity").bounding_box()
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(whole["x"] + whole["width"] * (20 + 13 * 25 + 5) / 560, at[1], steps=6)
        page.mouse.up()
        assert part(name) == 25
    selects = page.locator("#similarity select")
    selects.nth(0).select_option("true")
    selects.nth(1).select_option("64")
    assert (part("turn"), part("d")) == (True, 64)
    page.locator("#similarity input[type=range]").press("Home")
    assert part("base") == 1
    page.get_by_role("button", name="Back to start").click()
    assert state_of(page, FIGURE) == first


def test_similarity_hides_products_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.similarity(ask=QUESTION), tmp_path)
    drawn = page.evaluate(DRAWN)
    assert (drawn["product"], drawn["laws"], drawn["hidden"]) == ("?", [], True)
    assert not any(bar[2] for bar in drawn["bars"])
    assert drawn["says"] == "Products are hidden until you have answered."
    page.get_by_role("button", name="Show without answering").click()
    drawn = page.evaluate(DRAWN)
    assert (drawn["product"], drawn["hidden"]) == ("3.160", False)
    page.close()


def test_a_link_brings_similarity_no_other_rows(still_page):
    first = CASES[FIGURE].figure.state
    attempts = [{"row": -1}, {"row": 41}, {"other": 2.5}, {"d": 6}, {"base": 0.5}, {"base": 1e7}, {"turn": 1}]
    found = still_page.evaluate(ARRIVES, [FIGURE, first, [json.dumps(a) for a in attempts]])
    assert found == [first] * len(attempts)
