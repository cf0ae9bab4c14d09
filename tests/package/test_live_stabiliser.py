"""The live figure stabiliser: its groups against all masks, what it draws, what is clicked, and what it says."""

import itertools
import json

import numpy as np
from attnbook import live
from live_cases import CASES, states
from live_pages import ARRIVES, QUESTION, alone, put, state_of

FIGURE = "stabiliser"
ORDERS = list(itertools.permutations(range(4)))

# What is drawn: filled squares, frames, names of rows and columns, chips and small masks.
DRAWN = """() => { const all = (css, at = document.querySelector("#stabiliser")) => [...at.querySelectorAll(css)];
  const on = (e) => Number(e.classList.contains("live-stabiliser-on"));
  const seen = (e) => e.getAttribute("visibility") !== "hidden";
  const masks = all(".live-stabiliser-mask").map((mask) => ({ squares: all(".live-stabiliser-square", mask).map(on),
    frames: all(".live-stabiliser-frame", mask).map(seen), names: all("text", mask).map((e) => e.textContent) }));
  const minis = all(".live-stabiliser-mini").filter(seen).map((mini) => ({ dots: all("rect", mini).slice(0, 16).map(on),
    framed: seen(all(".live-stabiliser-frame", mini)[0]) }));
  const chips = all(".live-stabiliser-order").map((e) => ({
    text: e.textContent, says: e.ariaLabel, pressed: e.ariaPressed === "true",
    keeps: e.classList.contains("live-stabiliser-keeps"), makes: e.classList.contains("live-stabiliser-makes") }));
  return { masks, minis, chips, laws: all(".live-verdicts")[0].textContent, says: all(".live-verdict")[0].textContent,
    checked: all("[role=checkbox]").map((e) => e.ariaChecked === "true"), preset: all("select")[0].value,
    counts: Object.fromEntries(all("b").map((e) => [e.dataset.shows, e.textContent])) }; }"""


def moved(mask, order):
    P = np.eye(4, dtype=int)[list(order)]
    return (P @ np.array(mask) @ P.T).tolist()


def test_the_sizes_that_a_stabiliser_can_have():
    # All 65,536 masks: 3 orders can be left, as the figure asks for, and neither 5 nor 12.
    M = (np.arange(2**16)[:, None] >> np.arange(16) & 1).reshape(-1, 4, 4)
    sizes = sum((M[:, order][:, :, order] == M).all(axis=(1, 2)).astype(int) for order in map(list, ORDERS))
    assert set(sizes.tolist()) == {1, 2, 3, 4, 6, 8, 24}


def test_stabiliser_draws_what_it_computes(still_page):
    for state in states("stabiliser", 24):
        put(still_page, "stabiliser", state)
        drawn, mask, order = still_page.evaluate(DRAWN), state["mask"], state["order"]
        left, right = drawn["masks"]
        assert left["squares"] == np.ravel(mask).tolist()
        assert drawn["checked"] == [x == 1 for x in left["squares"]]
        assert right["squares"] == np.ravel(moved(mask, order)).tolist()
        assert left["names"] == ["0", "1", "2", "3"] * 2
        assert right["names"] == [str(i) for i in order] * 2
        changed = [a != b for a, b in zip(left["squares"], right["squares"], strict=True)]
        assert right["frames"] == changed
        assert not any(left["frames"])
        keeps = [moved(mask, other) == mask for other in ORDERS]
        makes = [moved(mask, other) == moved(mask, order) for other in ORDERS]
        for chip, other, keep, make in zip(drawn["chips"], ORDERS, keeps, makes, strict=True):
            assert chip["text"] == "✓" * keep + "".join(map(str, other))
            assert (chip["keeps"], chip["makes"], chip["pressed"]) == (keep, make, list(other) == order)
            also = ", leaves M alone" * keep + ", makes P M Pᵀ" * make
            assert chip["says"] == " ".join(map(str, other)) + also
        orbit = list(dict.fromkeys(str(moved(mask, other)) for other in ORDERS))
        assert [mini["dots"] for mini in drawn["minis"]] == [np.ravel(json.loads(M)).tolist() for M in orbit]
        assert [mini["framed"] for mini in drawn["minis"]] == [str(moved(mask, order)) == M for M in orbit]
        counts = {"stabiliser": sum(keeps), "orbit": len(orbit), "changed": sum(changed)}
        assert drawn["counts"] == {name: str(count) for name, count in counts.items()}
        assert drawn["laws"] == f"✓ {sum(keeps)} · {len(orbit)} = 24"


def test_stabiliser_says_what_the_order_does(open_gallery):
    page = open_gallery()
    causal, padding = np.tri(4, dtype=int).tolist(), [[1, 1, 1, 0]] * 4
    says = lambda mask, order: put(page, FIGURE, {"mask": mask, "order": order}) or page.evaluate(DRAWN)["says"]  # noqa: E731
    assert says(causal, [0, 1, 2, 3]) == "Only the order 0 1 2 3 leaves M alone."
    assert says(causal, [0, 1, 3, 2]) == "Only the chosen order makes this mask, number 2."
    assert says(padding, [2, 1, 0, 3]) == "The chosen order leaves M alone."
    assert says(padding, [3, 1, 2, 0]) == "6 orders make this mask, number 4."


def test_each_choice_is_the_mask_that_it_names(open_gallery):
    page = open_gallery()
    i, j = np.indices((4, 4))
    known = {
        "no mask": i == i, "padding": j < 3, "causal": j <= i, "two sentences": i // 2 == j // 2,
        "neighbours": abs(i - j) <= 1, "ring, both ways": (i - j) % 2 == 1, "ring, one way": (i - j) % 4 == 1,
        "each itself": i == j,
    }  # fmt: skip
    own = np.random.default_rng(3).integers(0, 2, (4, 4)).tolist()
    put(page, FIGURE, {"mask": own, "order": [0, 1, 2, 3]})
    assert page.evaluate(DRAWN)["preset"] == "your own"
    for name, mask in known.items():
        page.locator("#stabiliser select").select_option(name)
        assert state_of(page, FIGURE)["mask"] == mask.astype(int).tolist()
    page.locator("#stabiliser select").select_option("your own")
    assert state_of(page, FIGURE)["mask"] == own


def test_stabiliser_takes_squares_and_orders_by_mouse_and_keys(open_gallery):
    page = open_gallery()
    first, squares = state_of(page, FIGURE), page.get_by_role("checkbox")

    def flipped(*places):
        return [[x ^ ((i, j) in places) for j, x in enumerate(row)] for i, row in enumerate(first["mask"])]

    page.locator("#stabiliser").get_by_label("query 1 may look at key 2").click()
    assert state_of(page, FIGURE)["mask"] == flipped((1, 2))
    moves = {
        "ArrowRight": (1, 3),
        "ArrowDown": (2, 3),
        "ArrowLeft": (2, 2),
        "ArrowUp": (1, 2),
        "Home": (0, 0),
        "End": (3, 3),
    }
    for key, (i, j) in moves.items():
        page.keyboard.press(key)
        assert squares.nth(4 * i + j).evaluate("(e) => e === document.activeElement && e.tabIndex === 0"), key
        assert page.locator("#stabiliser [role=checkbox][tabindex='0']").count() == 1
    for key in ("ArrowDown", "ArrowRight"):  # there is nothing behind the last square
        page.keyboard.press(key)
        assert page.locator("#stabiliser [role=checkbox][tabindex='0']").count() == 1
    page.keyboard.press("Space")
    assert state_of(page, FIGURE)["mask"] == flipped((1, 2), (3, 3))
    page.keyboard.press("Enter")
    assert state_of(page, FIGURE)["mask"] == flipped((1, 2))
    page.locator("#stabiliser .live-stabiliser-order").nth(8).click()
    assert state_of(page, FIGURE)["order"] == [1, 2, 0, 3]
    page.locator("#stabiliser input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert state_of(page, FIGURE)["order"] == [1, 2, 3, 0]


def test_stabiliser_hides_orders_and_masks_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.stabiliser([[1, 1, 1, 0]] * 4, order=[3, 1, 2, 0], ask=QUESTION), tmp_path)
    drawn = page.evaluate(DRAWN)
    assert drawn["minis"] == []
    assert not any(chip["keeps"] or chip["makes"] for chip in drawn["chips"])
    assert drawn["counts"] == {"stabiliser": "?", "orbit": "?", "changed": "8"}
    assert drawn["laws"] == ""
    page.get_by_role("button", name="Show without answering").click()
    assert page.evaluate(DRAWN)["counts"] == {"stabiliser": "6", "orbit": "4", "changed": "8"}
    page.close()


def test_a_link_brings_stabiliser_no_other_mask_and_no_other_order(still_page):
    first, row = CASES[FIGURE].figure.state, [1, 0, 1, 0]
    masks = [
        [row] * 3,
        [row] * 5,
        [row[:3]] * 4,
        [[*row, 1]] * 4,
        [row, row, row, [0, 0, 2, 1]],
        [row, row, row, [0, 0.5, 0, 1]],
    ]
    attempts = [json.dumps({"mask": mask}) for mask in masks]
    attempts += [json.dumps({"order": order}) for order in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 3, 4])]
    assert still_page.evaluate(ARRIVES, [FIGURE, first, attempts]) == [first] * len(attempts)
