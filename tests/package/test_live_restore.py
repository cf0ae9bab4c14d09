"""The live figure restore: where its cards and arrows are, its grid of lists, and what may be seen before a run."""

import copy
import json
import re

import numpy as np
from attnbook.permutations import compose, permutation_matrix, permutations
from live_cases import CASES, states
from live_pages import ARRIVES, QUESTION, alone, put, state_of

FIGURE = "restore"
LISTS = permutations(4)

# Whose cards lie in each row of the drawing, from left to right, with their words; a card to drag is a card of its row.
# Where every arrow begins and ends, by columns; the cards that are drawn as astray, by rows; and the grid.
DRAWN = """() => {
  const all = (css) => [...document.querySelectorAll(css)].filter((e) => getComputedStyle(e).visibility !== "hidden");
  const place = (e) => { const { e: x, f: y } = e.getCTM(), { a } = e.ownerSVGElement.getCTM();
    return [x / a, y / a]; };
  const rows = {}, column = (x) => Math.round((x - 108) / 66);
  for (const card of all("#restore .live-card")) {
    const [x, y] = place(card), texts = [...card.querySelectorAll("text")].map((t) => t.textContent);
    (rows[Math.round(y)] ||= [])[column(x)] = [Number(texts[1]), texts[0], card.classList.contains("live-astray")];
  }
  const routes = all("#restore .live-route:not(.live-ink)").map((line) =>
    [line.getPointAtLength(0).x, Number(line.getAttribute("d").match(/([\\d.]+) [\\d.]+v5/)[1])].map(column));
  const hues = ["live-blue", "live-orange", "live-green", "live-purple"];
  return { rows: Object.keys(rows).map(Number).sort((a, b) => a - b).map((y) => rows[y]), routes,
    matrix: all("#restore tbody tr").map((tr) => hues.indexOf(tr.className)),
    unknown: all("#restore .live-unknown").length, told: all("#restore .live-home").map((e) => e.textContent),
    fates: all("#restore .live-lists button").map((e) => e.dataset.fate || null),
    labels: all("#restore .live-lists button").map((e) => e.getAttribute("aria-label")),
    dots: all("#restore .live-lists path").map((e) => e.getAttribute("d").match(/M\\d \\d/g)),
    chosen: all("#restore .live-lists button").findIndex((e) => e.getAttribute("aria-checked") === "true"),
    says: document.querySelector("#restore .live-verdict").textContent }; }"""


def checked(page, state):
    """What is drawn, after it was compared with the law: Y[perm][i] is the card order[order[i]]."""
    drawn, order, words = page.evaluate(DRAWN), state["order"], state["words"]
    tried = [flag == "1" for flag in state["tried"]]
    known, capitals = tried[LISTS.index(order)], [word.upper() for word in words]
    rows = [(range(4), words), (order, words), (order, capitals)]
    if known:
        Y = np.array(order)
        rows += [(Y[order].tolist(), capitals), (Y[np.argsort(order)].tolist(), capitals)]
    expected = [[[j, texts[j], k > 2 and i != j] for i, j in enumerate(cards)] for k, (cards, texts) in enumerate(rows)]
    assert drawn["rows"] == expected, state
    assert drawn["routes"] == [[j, order.index(j)] for j in range(4)]
    assert drawn["matrix"] == order
    assert drawn["unknown"] == (0 if known else 8)
    home = [f"{sum(i == card[0] for i, card in enumerate(row))} of 4 home" for row in expected[3:]]
    assert drawn["told"] == home
    back = [np.array_equal(permutation_matrix(perm), permutation_matrix(perm).T) for perm in LISTS]
    fates = ["home" if b else "away" for b in back]
    assert drawn["fates"] == [fate if t else None for fate, t in zip(fates, tried, strict=True)]
    assert drawn["dots"] == [[f"M{j} {i}" for i, j in enumerate(perm)] for perm in LISTS]
    assert LISTS[drawn["chosen"]] == order
    counts = [sum(tried), sum(b and t for b, t in zip(back, tried, strict=True))]
    if known and counts[0] < 24:
        assert drawn["says"].startswith(f"Y[perm] has brought all home for {counts[1]} of {counts[0]} list")
    return drawn


def test_every_card_is_drawn_where_the_law_says(still_page):
    for state in states("restore", 30):
        put(still_page, "restore", state)
        checked(still_page, state)


def try_every_list(page, bet="10"):
    page.get_by_label("your bet: green lists out of 24").fill(bet)
    page.get_by_role("button", name="Try every list").click()


def test_every_list_is_tried_only_after_a_bet(open_gallery):
    page = open_gallery()
    every, bet = page.get_by_role("button", name="Try every list"), page.get_by_label("your bet: green lists out of 24")
    assert every.is_disabled()
    for typed, right in (("25", False), ("-1", False), ("2.5", False), ("7", True), ("", False)):
        bet.fill(typed)
        assert every.is_enabled() == right, typed
    try_every_list(page, "7")
    assert page.evaluate(DRAWN)["says"].startswith(
        "All 24 lists are tried: Y[perm] brings all home for 10, your bet was 7. "
    )
    bet.fill("")
    assert "your bet" not in page.evaluate(DRAWN)["says"]


def test_ten_lists_put_themselves_back_and_their_matrices_are_symmetric(open_gallery):
    page, first = open_gallery(), CASES["restore"].figure.state
    assert "brings all home" not in page.evaluate(DRAWN)["says"]
    try_every_list(page)
    drawn = checked(page, first | {"tried": "1" * 24})
    assert drawn["fates"].count("home") == 10
    assert drawn["says"].startswith("All 24 lists are tried: Y[perm] brings all home for 10, ")
    assert drawn["says"].endswith("What happens if you apply a green list twice?")
    put(page, "restore", first | {"order": [3, 0, 1, 2], "tried": "1" * 24})
    page.get_by_role("button", name="Back to start").click()  # the cards go back, the results of the lists are kept
    assert state_of(page, "restore") == first | {"tried": "1" * 24}
    put(page, "restore", first)
    page.get_by_role("button", name="Run and put back").click()
    tried = "".join("1" if perm in ([1, 0, 2, 3], first["order"]) else "0" for perm in LISTS)
    assert checked(page, first | {"tried": tried})["told"] == ["1 of 4 home", "4 of 4 home"]


def test_keys_move_a_card_and_the_grid_sets_a_list(open_gallery):
    page, first = open_gallery(), CASES["restore"].figure.state
    presses = (
        ("2, saw", "ArrowRight", [0, 2, 1, 3]),
        ("0, the", "ArrowUp", [0, 2, 1, 3]),
        ("2, saw", "End", [0, 1, 3, 2]),
    )
    for card, key, order in presses:
        put(page, "restore", first)
        page.get_by_role("slider", name=f"card {card}", exact=True).press(key)
        assert state_of(page, "restore") == first | {"order": order}
    box, unit = page.locator("#restore svg[role=group]").bounding_box(), 66
    unit *= box["width"] / 342
    for column in (0, 3):  # a card lands in the column that it is dragged to
        put(page, "restore", first)
        at = page.get_by_role("slider", name="card 1, cat", exact=True).locator("rect").bounding_box()
        page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + unit * (108 / 66 + column + 0.3), at["y"], steps=4)
        page.mouse.up()
        assert state_of(page, "restore")["order"].index(1) == column
    put(page, "restore", first)
    page.get_by_role("radio", name="2 3 0 1: not tried").click()
    flags = list(first["tried"])
    flags[LISTS.index([2, 3, 0, 1])] = "1"
    assert state_of(page, "restore") == first | {"order": [2, 3, 0, 1], "tried": "".join(flags)}
    assert page.get_by_role("radio", name="2 3 0 1: Y[perm] puts the cards back").is_checked()
    page.keyboard.press("ArrowUp")  # the list one row above, which gets the focus
    above = LISTS[LISTS.index([2, 3, 0, 1]) - 6]
    assert state_of(page, "restore")["order"] == above
    assert page.evaluate("document.activeElement.textContent") == "".join(map(str, above))
    assert compose(above, above) != LISTS[0]
    assert "does not" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert page.locator("#restore .live-lists [tabindex='0']").count() == 1
    flags[LISTS.index(above)] = "1"  # to try a list leaves those behind it as they were
    assert state_of(page, "restore")["tried"] == "".join(flags)


def test_a_link_with_too_many_lists_or_too_long_a_word_is_refused(still_page):
    first = CASES["restore"].figure.state
    wrong = [
        {"tried": "1" * 25},
        {"tried": "2" * 24},
        {"words": ["a", "b", "c", "sevener"]},
        {"words": ["a", "", "c", "d"]},
    ]
    attempts = [json.dumps(state) for state in [*wrong, {"tried": "1" * 24}]]
    arrived = still_page.evaluate(ARRIVES, ["restore", first, attempts])
    assert arrived == [first] * 4 + [first | {"tried": "1" * 24}]


def test_cards_that_fly_arrive(open_gallery):
    page, first = open_gallery(reduced_motion="no-preference"), CASES["restore"].figure.state
    try_every_list(page)
    assert page.evaluate("document.getAnimations().length") > 0
    put(page, "restore", first | {"order": [3, 1, 0, 2], "tried": "1" * 24})
    page.wait_for_timeout(900)
    checked(page, first | {"order": [3, 1, 0, 2], "tried": "1" * 24})


def test_what_restore_asks_for_is_hidden_until_the_answer(browser, tmp_path):
    figure = copy.deepcopy(CASES["restore"].figure)
    figure.set(tried="1" * 24)
    figure.ask = QUESTION
    page = alone(browser, figure, tmp_path)
    hidden = [
        page.locator(css).first for css in (".live-landing .live-card", ".live-home", ".live-list", ".live-signs")
    ]
    assert not any(part.is_visible() for part in hidden)
    assert not re.search(r"\d", page.locator(".live-verdict").inner_text())
    page.get_by_label("that").check()
    assert all(part.is_visible() for part in hidden)
    page.close()
