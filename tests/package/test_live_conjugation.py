"""The live figure conjugation: its diagonal against matrices, what it draws, what is dragged, and what it says."""

import itertools
import json

import numpy as np
import pytest
from attnbook import live
from live_cases import CASES, states
from live_pages import ARRIVES, QUESTION, alone, put, state_of

FIGURE = "conjugation"
ORDERS = list(itertools.permutations(range(4)))
HUES = ["live-blue", "live-orange", "live-green", "live-purple"]
DRAWN = """() => { const all = (css, at = document.querySelector("#conjugation")) => [...at.querySelectorAll(css)];
  const place = (e) => [...getComputedStyle(e).transform.matchAll(/-?[\\d.]+/g)].map(Number).slice(4);
  const hue = (css, e) => [...all(css, e)[0].classList].find((name) => name !== css.slice(1));
  const entries = all(".live-conjugation-entry").map((e) => ({ place: place(e), text: e.textContent,
    row: hue(".live-conjugation-row", e), column: hue(".live-conjugation-bar", e),
    framed: all(".live-conjugation-frame", e).length }));
  const handles = all("[role=slider]").map((e) => ({ name: e.ariaLabel, says: e.ariaValueText, text: e.textContent,
    place: e.getAttribute("transform").match(/[\\d.]+/g).map(Number) }));
  return { entries, handles, lists: all(".live-reading p b").slice(0, 2).map((e) => e.textContent),
    home: all("[data-shows=home]")[0].textContent, laws: all(".live-verdicts li").map((e) => e.textContent),
    ways: all("[data-shows=ways] td.live-cell").map((e) => [e.textContent, e.hasAttribute("data-changed")]),
    heads: all("[data-shows=ways] th[scope=col]").map((e) => e.textContent), hidden: all("[data-shows=ways]")[0].hidden,
    says: all(".live-verdict")[0].textContent, moving: all("select")[0].value }; }"""


def matrix(order):
    return np.eye(4, dtype=int)[list(order)]


def test_exactly_three_are_never_home():
    for rows in ORDERS:
        homes = [int(np.trace(matrix(rows) @ matrix(columns).T)) for columns in ORDERS]
        found = live.conjugation(rows, ORDERS[5]).compute()
        assert found["ways"] == [np.bincount(homes).tolist()] == [[9, 8, 6, 0, 1]]
        assert found["home"] == found["trace"] == homes[5]


@pytest.mark.parametrize(
    ("change", "fault"),
    [({"rows": [0, 1, 2]}, "rows"), ({"columns": [0, 1, 2, 2]}, "columns"), ({"together": 1}, "together = 1")],
)
def test_orders_that_are_none_are_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        live.conjugation(**change)


def test_conjugation_draws_what_it_computes(still_page):
    for state in states(FIGURE, 24):
        put(still_page, FIGURE, state)
        drawn, rows, columns = still_page.evaluate(DRAWN), state["rows"], state["columns"]
        for entry, (i, j) in zip(drawn["entries"], np.ndindex(4, 4), strict=True):
            assert entry["text"] == f"{i}{j}"
            assert entry["place"] == [62 + 46 * columns.index(j), 62 + 46 * rows.index(i)]
            assert (entry["row"], entry["column"], entry["framed"]) == (HUES[i], HUES[j], int(i == j))
        shown = {handle.pop("name"): handle for handle in drawn["handles"]}
        for k in range(4):
            y, x = rows.index(k), columns.index(k)
            row = {"says": f"row {k} at position {y}", "text": str(k), "place": [20, 62 + 46 * y]}
            column = {"says": f"column {k} at position {x}", "text": str(k), "place": [62 + 46 * x, 20]}
            assert (shown[f"row {k}"], shown[f"column {k}"]) == (row, column)
        home = sum(a == b for a, b in zip(rows, columns, strict=True))
        assert drawn["lists"] == [str(rows), str(columns)]
        assert drawn["home"] == str(home)
        assert drawn["laws"] == ["✓ S[rows][:, columns] = P S Rᵀ", f"✓ {home} = the trace of P Rᵀ"]
        assert drawn["ways"] == [[str(way), k == home] for k, way in enumerate([9, 8, 6, 0, 1])]
        assert drawn["heads"] == [str(k) for k in range(5)]
        assert drawn["moving"] == str(state["together"]).lower()


def test_conjugation_says_what_is_on_the_diagonal(open_gallery):
    page = open_gallery()

    def says(rows, columns):
        put(page, FIGURE, {"rows": rows, "columns": columns, "together": False})
        return page.evaluate(DRAWN)["says"]

    assert says([0, 1, 2, 3], [0, 1, 2, 3]) == "Nothing has moved."
    assert says([1, 0, 2, 3], [1, 0, 2, 3]) == "Rows and columns are in the same order: this is P S Pᵀ."
    assert says([1, 2, 0, 3], [2, 1, 0, 3]) == "The framed 00 and 33 are on the diagonal."
    assert says([1, 2, 0, 3], [1, 0, 3, 2]) == "The framed 11 is on the diagonal."
    assert says([0, 1, 2, 3], [1, 0, 3, 2]) == "The whole old diagonal has left the diagonal."


def test_rows_and_columns_are_moved_alone_and_together(open_gallery):
    page, start = open_gallery(), {"rows": [1, 2, 0, 3], "columns": [0, 1, 2, 3], "together": False}
    put(page, FIGURE, start)
    orders = lambda: [state_of(page, FIGURE)[part] for part in ("rows", "columns")]  # noqa: E731
    row, column = (page.locator(f"#conjugation [aria-label='{name}']") for name in ("row 2", "column 0"))
    for key, rows in (("ArrowUp", [2, 1, 0, 3]), ("ArrowUp", [2, 1, 0, 3]), ("End", [1, 0, 3, 2])):
        row.press(key)
        assert orders() == [rows, [0, 1, 2, 3]], key
    put(page, FIGURE, start)
    column.press("ArrowRight")
    assert orders() == [[1, 2, 0, 3], [1, 0, 2, 3]]
    page.locator("#conjugation select").select_option("true")
    row.press("ArrowDown")  # row 2 from place 1 to 2, and the column at place 1
    assert orders() == [[1, 0, 2, 3], [1, 2, 0, 3]]
    column.press("Home")
    assert orders() == [[2, 1, 0, 3], [0, 1, 2, 3]]
    page.locator("#conjugation select").select_option("false")
    boxes = [page.locator(f"#conjugation [aria-label='{name}']").bounding_box() for name in ("row 2", "row 3")]
    (x, y), (_, y_end) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y_end, steps=8)
    page.mouse.up()
    assert orders() == [[1, 0, 3, 2], [0, 1, 2, 3]]
    page.get_by_role("button", name="Columns like the rows").click()
    assert orders() == [[1, 0, 3, 2]] * 2
    put(page, FIGURE, start)
    page.get_by_role("button", name="Columns by the inverse").click()
    assert orders() == [[1, 2, 0, 3], [2, 0, 1, 3]]
    page.get_by_role("button", name="Back to start").click()
    assert state_of(page, FIGURE) == CASES[FIGURE].figure.state


def test_conjugation_counts_nothing_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.conjugation([1, 2, 0, 3], [1, 0, 2, 3], ask=QUESTION), tmp_path)
    drawn = page.evaluate(DRAWN)
    assert (drawn["home"], drawn["laws"], drawn["hidden"]) == ("?", [], True)
    assert drawn["says"] == "What is on the diagonal is counted when you have answered."
    page.get_by_role("button", name="Show without answering").click()
    drawn = page.evaluate(DRAWN)
    assert (drawn["home"], drawn["hidden"]) == ("2", False)
    assert drawn["says"] == "The framed 11 and 33 are on the diagonal."
    page.close()


def test_a_link_brings_conjugation_no_other_orders(still_page):
    first = CASES[FIGURE].figure.state
    attempts = [{part: order} for part in ("rows", "columns") for order in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 3, 4])]
    attempts += [{"together": 1}]
    found = still_page.evaluate(ARRIVES, [FIGURE, first, [json.dumps(a) for a in attempts]])
    assert found == [first] * len(attempts)
