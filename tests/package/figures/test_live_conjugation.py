"""Two orders, of rows and of columns: each order of the columns lies on the pile of its count of rows at home."""

import itertools

from live_figures import QUESTION, figure, set_state


def test_when_rows_move_every_order_stays_on_its_pile_under_the_columns_that_it_now_stands_for(open_figures):
    rows = [2, 3, 1, 0]
    page = open_figures(figure("conjugation"))
    for columns in ([0, 1, 2, 3], [1, 0, 2, 3], [3, 0, 1, 2]):
        set_state(page, "conjugation", columns=columns)
    seen = page.locator(".live-conjugation-list.live-seen")
    before = seen.count()
    set_state(page, "conjugation", rows=rows)
    assert seen.count() == before + 1
    piles = page.locator(".live-conjugation-piles g:has(> .live-seen)").evaluate_all(
        "all => all.map((g) => [Math.floor(g.transform.baseVal[0].matrix.e / 100), g.textContent])"
    )
    for pile, columns in piles:
        assert sum(int(j) == i for i, j in zip(rows, columns.split(), strict=True)) == pile, columns


def test_each_order_lies_once_on_its_pile_and_shows_how_many_there_are_once_answered(open_figures):
    page = open_figures(figure("conjugation", {"rows": [2, 0, 3, 1], "columns": [0, 1, 2, 3]}, ask=QUESTION))
    counts = page.locator(".live-conjugation-piles text:has(tspan)")
    assert counts.all_text_contents() == ["1 of ?", "0 of ?", "0 of ?", "0 of ?", "0 of ?"]
    page.get_by_role("button", name="Show without answering").click()
    orders = list(itertools.permutations(range(4)))
    for columns in orders:
        set_state(page, "conjugation", columns=list(columns))
    assert counts.all_text_contents() == ["9 of 9", "8 of 8", "6 of 6", "0 of 0", "1 of 1"]
    lists = page.locator(".live-conjugation-list text").all_text_contents()
    assert sorted(lists) == sorted(" ".join(map(str, order)) for order in orders)


def test_once_every_pile_that_can_be_is_begun_the_figure_says_why_the_last_stays_empty(open_figures):
    page = open_figures(figure("conjugation", {"rows": [0, 1, 2, 3], "columns": [0, 1, 2, 3]}))
    found = page.locator(".live-found")
    for columns in ([1, 2, 3, 0], [0, 2, 3, 1], [0, 1, 3, 2]):
        assert not found.count()
        set_state(page, "conjugation", columns=columns)
    assert "three frames" in found.inner_text()
