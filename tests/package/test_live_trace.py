"""The live figure trace: what it lights and marks, its sums, and its practice."""

import copy
import re

import numpy as np
import pytest
from attnbook import live
from live_cases import CASES
from live_pages import EXACT, QUESTION, alone, put, state_of

FIGURE = "trace"

# What is lit or marked in the figure trace: {table: [[row, column], …] of the cells that hold `attribute`}.
LIT = """(attribute) => {
  const tables = [...document.querySelectorAll("#trace table")], found = {};
  for (const [at, name] of [..."KQSVAY"].entries()) {
    const rows = [...tables[at].tBodies[0].rows].map((row) => [...row.cells].slice(1));
    found[name] = rows.flatMap((row, r) => row.map((td, c) => [td.getAttribute(attribute), name === "K" ? c : r,
      name === "K" ? r : c])).filter(([value]) => value !== null); }
  return found; }"""
GENERIC = {
    "Q": [[1.3, 0.4], [-0.7, 2.1], [0.9, -1.6]],
    "K": [[0.5, 1.1], [-1.2, 0.3], [0.8, -0.6]],
    "V": [[1.7, -0.2], [0.6, 1.4], [-1.1, 0.9]],
    "mask": "none",
    "scale": "sqrt",
}


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize(("stage", "cell"), [("S", [2, 1]), ("A", [1, 0]), ("Y", [1, 1]), ("Y", [2, 0])])
def test_trace_lights_what_the_number_depends_on_and_nothing_else(still_page, stage, cell, mask):
    state = GENERIC | {"mask": mask, "stage": stage, "cell": cell}
    put(still_page, "trace", state)
    compute, lit = CASES["trace"].figure._compute, still_page.evaluate(LIT, "data-part")
    for name in "QKV":
        moves = set()
        for r, c in np.ndindex(3, 2):
            changed = copy.deepcopy(state)
            changed[name][r][c] += 0.5
            if abs(compute(**changed)["value"] - compute(**state)["value"]) > EXACT:
                moves.add((r, c))
        shown = {(r, c) for _, r, c in lit[name]}
        hidden = {(2, c) for c in range(2)} if (name, mask, cell[0]) == ("V", "causal", 1) else set()  # weight 0
        assert shown - hidden == moves, name
    table = {"A": "S", "Y": "A"}.get(stage)
    direct = {name: {(r, c) for part, r, c in lit[name] if part in ("row", "column")} for name in lit}
    assert direct["S"] == ({(cell[0], c) for c in range(3)} if table == "S" else set())
    assert direct["A"] == ({(cell[0], c) for c in range(3)} if table == "A" else set())
    assert not lit["Y"]


@pytest.mark.parametrize(
    ("letter", "label", "counts", "chosen"),
    [
        ("K", "number 1 of k₂", (3, 9, 6), ["S", 0, 1]),
        ("Q", "number 1 of q₂", (3, 3, 2), ["S", 1, 0]),
        ("V", "number 1 of v₂", (0, 0, 3), ["Y", 0, 0]),
    ],
)
def test_trace_marks_what_a_typed_number_changes(open_gallery, letter, label, counts, chosen):
    page = open_gallery()
    put(page, "trace", GENERIC | {"stage": "S", "cell": [0, 0]})
    page.locator("#trace").get_by_role("button", name="Type the numbers").click()
    field = page.locator("#trace").get_by_label(label)
    field.fill("1.5")
    field.press("Enter")
    state = state_of(page, "trace")
    assert state[letter][1][0] == 1.5
    assert [state["stage"], *state["cell"]] == chosen  # a number that depends on it
    marked = page.evaluate(LIT, "data-changed")
    assert tuple(len(marked[s]) for s in "SAY") == counts
    if letter == "K":
        assert {c for _, _, c in marked["S"]} == {1}
    said = [f"{count} in {s}" for count, s in zip(counts, "SAY", strict=True)]
    shown = page.locator("#trace .live-verdict").inner_text()
    assert (
        f"Underlined is what changed with number 1 of {letter.lower()}₂: {said[0]}, {said[1]} and {said[2]}." in shown
    )
    page.locator("#trace [role=slider]").focus()
    page.keyboard.press("ArrowRight")
    assert not any(page.evaluate(LIT, "data-changed").values())


def test_trace_is_practised_from_one_table_to_the_next(open_gallery):
    page = open_gallery()
    put(page, "trace", GENERIC | {"mask": "causal", "stage": "S", "cell": [1, 1]})
    figure = page.locator("#trace")
    figure.get_by_role("button", name="Practise").click()
    asked, field, reply = [], figure.locator(".live-ask input"), figure.locator(".live-ask .live-why")
    for _ in range(4):
        state = state_of(page, "trace")
        asked.append((state["stage"], *state["cell"]))
        value = CASES["trace"].figure._compute(**state)["value"]
        cursor, lines = figure.locator("[role=slider]"), figure.locator(".live-sum").inner_text()
        assert cursor.get_attribute("aria-valuetext").endswith("?")
        assert lines.strip().endswith("= ?")
        assert figure.locator("[data-shows=value]").count() == 0
        field.fill(f"{value + 0.02:.4f}")
        field.press("Enter")
        assert reply.inner_text().startswith("✗ Not yet.")
        assert figure.locator("[data-shows=value]").count() == 0
        field.fill(f"{value + 0.009:.4f}")
        field.press("Enter")
        assert reply.inner_text().startswith("✓ Right.")
        assert not cursor.get_attribute("aria-valuetext").endswith("?")
        assert figure.locator("[data-shows=value]").count() == 1
        figure.get_by_role("button", name="Next number").press("Enter")
    assert asked == [("S", 1, 1), ("A", 1, 1), ("Y", 1, 1), ("S", 2, 2)]
    figure.get_by_role("button", name="Show the working").click()
    assert figure.locator("[data-shows=value]").count() == 1


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"stage": "S", "cell": [0, 1]}, "S₁₂ = q₁·k₂ / √2 = (1.5·0 + 2·(−1)) / √2 ≈ −1.41"),
        ({"stage": "S", "cell": [0, 1], "scale": "none"}, "S₁₂ = q₁·k₂ = 1.5·0 + 2·(−1) = −2.00"),
        (
            {"stage": "A", "cell": [0, 1], "scale": "none"},
            "A₁₂ = eS₁₂ / (eS₁₁ + eS₁₂) ≈ e−2.00 / (e1.50 + e−2.00) ≈ 0.14 / (4.48 + 0.14) ≈ 0.029",
        ),
        (
            {"stage": "A", "cell": [0, 0], "mask": "causal", "scale": "none"},
            "A₁₁ = eS₁₁ / (eS₁₁ + eS₁₂) ≈ e1.50 / (e1.50 + e−∞) ≈ 4.48 / (4.48 + 0) = 1.000",
        ),
        ({"stage": "S", "cell": [0, 1], "mask": "causal"}, "S₁₂ = −∞"),
        ({"stage": "Y", "scale": "none"}, "Y₁₁ = A₁₁·V₁₁ + A₁₂·V₂₁ ≈ 0.971·3 + 0.029·(−1) ≈ 2.88"),
    ],
)
def test_trace_writes_the_sum(still_page, change, text):
    start = live.trace([[1.5, 2]], [[1, 0], [0, -1]], [[3], [-1]]).state
    put(still_page, "trace", start | change)
    found = still_page.locator("#trace .live-sum").text_content()
    assert found.replace(" ", "") == text.replace(" ", "")


def test_trace_follows_a_click_and_hides_its_tables_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.trace(*(GENERIC[name] for name in "QKV"), ask=QUESTION), tmp_path)
    cell = page.locator("#trace table").nth(4).locator("tbody td").nth(5)
    assert cell.inner_text() == "?"
    assert not re.search(r"≈|\d\.\d", page.locator(".live-sum").inner_text())
    page.get_by_label("that").check()
    cell.click()
    assert (state_of(page, "trace")["stage"], state_of(page, "trace")["cell"]) == ("A", [1, 2])
    page.wait_for_timeout(400)  # the frame has arrived
    frame, box = page.locator(".live-cursor").bounding_box(), cell.bounding_box()
    assert all(abs(frame[side] - box[side]) < 1 for side in box)
    assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"
    page.close()
