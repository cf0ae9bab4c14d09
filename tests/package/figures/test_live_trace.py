"""One number traced back: squares that are dragged, cells that show what they change, and an exercise."""

from live_figures import example, figure, state_of


def test_a_square_that_is_dragged_is_a_number_that_changes_and_marks_what_it_moves(open_figures):
    page = open_figures(figure("trace"))
    grip = page.locator(".live-trace-grip").nth(1).bounding_box()
    x, y = grip["x"] + 9, grip["y"] + 9
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 1)
    page.mouse.move(x, y - 25)  # two steps of half a unit, 12 pixels each
    page.mouse.up()

    [first, [a, b], last] = example("trace")["K"]
    assert state_of(page, "trace")["K"] == [first, [a + 1, b], last]
    marked = [page.locator(f"td[data-changed] [data-shows^='{name} ']").count() for name in "SAY"]
    assert marked == [3, 9, 6]  # a column of scores, all weights, and all outputs


def test_practice_moves_nothing(open_figures):
    page = open_figures(figure("trace"))
    places = [page.locator(f"#trace {part}") for part in (".live-trace", ".live-controls", "p.live-verdict")]
    tops = [place.bounding_box()["y"] for place in places]
    for press in ("Practise", "Check", "Show the working", "Next number", "Practise", "Numbers"):
        page.get_by_role("button", name=press, exact=True).click()
        assert [place.bounding_box()["y"] for place in places] == tops, press


def test_at_first_one_row_is_lit_and_all_are_once_a_number_is_chosen(open_figures):
    page = open_figures(figure("trace"))
    assert pale(page, "Y 2 0")
    assert not pale(page, "Y 0 1"), "beside the chosen number"
    assert not pale(page, "A 0 2"), "in its row"
    page.locator("[data-shows='S 1 1']").click()
    assert not pale(page, "Y 2 0")
    page.get_by_role("button", name="Back to start").click()
    assert pale(page, "Y 2 0")


def pale(page, shown):
    """Whether the square of a number can hardly be seen."""
    digits = page.locator(f"#trace td [data-shows='{shown}']")
    return float(digits.evaluate("e => getComputedStyle(e.closest('td'), '::before').opacity")) < 0.2


def test_the_formula_of_the_chosen_number_stands_below_the_tables_and_its_bars_beside_it(open_figures):
    page = open_figures(figure("trace"), width=1000)
    tables = page.locator(".live-product").last.bounding_box()
    formula = page.locator(".live-trace-lines").bounding_box()
    bars = page.locator(".live-stairs").bounding_box()
    assert formula["y"] >= tables["y"] + tables["height"]
    assert bars["x"] >= formula["x"] + formula["width"]
    assert bars["y"] < formula["y"] + formula["height"], "they begin in one row"
