"""The live figure strings: what it draws and says, its keys and its buttons."""

import copy
import re

from live_cases import CASES, states
from live_pages import QUESTION, alone, put, state_of

FIGURE = "strings"

# What the drawings of strings show: whose string and mark ends at each position, whether at its height, and the words
# there; how many pairs cross once and how many twice, NaN if a crossing lies on fewer than two strings; whose handle
# stands at each position in the middle and at the right; and whose hue each row of a matrix has. "Who" is the place of
# a hue in the list.
STRINGS = """() => {
  const hues = ["live-blue", "live-orange", "live-green", "live-purple", "live-yellow", "live-sky"];
  const who = (e) => hues.findIndex((hue) => e.classList.contains(hue));
  const at = (e) => { const { e: x, f: y } = e.transform.baseVal[0].matrix; return { x, y }; };
  const all = (e, name) => [...e.querySelectorAll(name)], end = (line) => line.getPointAtLength(line.getTotalLength());
  const down = (list, y) => list.sort((a, b) => y(a) - y(b)), handles = all(document, "#strings [role=slider]");
  const right = Math.max(...handles.map((e) => at(e).x)), column = (yes) => down(handles.filter(yes), (e) => at(e).y);
  const drawings = all(document, "#strings svg[role=group]").map((svg) => {
    const lines = all(svg, ".live-string"), far = end(lines[0]).x, ends = down(lines, (line) => end(line).y);
    const marks = down(all(svg, ".live-mark, .live-handle").filter((e) => at(e).x === far), (e) => at(e).y);
    const words = down(all(svg, "text").filter((e) => e.x.baseVal[0]?.value > far), (e) => e.y.baseVal[0].value);
    const count = (name) => all(svg, name).map(({ parentNode, nextSibling }) =>
      lines.filter((line) => line.isPointInStroke(at(parentNode))).length < 2 ? NaN
        : parseInt(nextSibling?.textContent || "1")).reduce((a, b) => a + b, 0);
    const starts = down(lines.map((line) => line.getPointAtLength(0).y), (y) => y);
    const level = ends.every((line, i) => Math.abs(end(line).y - starts[i]) < 0.01);
    return { level, ends: ends.map(who), marks: marks.map(who), words: words.map((e) => e.textContent),
      once: count(".live-knot:not(.live-loose)"), twice: count(".live-loose") };
  });
  const rows = (name) => all(document, `#strings [data-shows=${name}] tbody tr`).map(who);
  return { drawings, middle: column((e) => at(e).x < right).map(who), right: column((e) => at(e).x === right).map(who),
    rows: ["P1", "P2", "product"].map(rows), lists: all(document, "#strings caption").map((e) => e.textContent),
    said: document.querySelector("#strings .live-figure").textContent }; }"""


def strings_drawn(page, state, found):
    """Every string ends at its position, every crossing is drawn, and the sentences are true."""
    shown, both, (a, b, c) = page.evaluate(STRINGS), found["composed"], found["crossings"]
    once, twice = [a + b - 2 * found["twice"], c], [2 * found["twice"], 0]
    assert [drawing["once"] for drawing in shown["drawings"]] == once
    assert [drawing["twice"] for drawing in shown["drawings"]] == twice
    for drawing in shown["drawings"]:
        assert drawing["level"]
        assert drawing["ends"] == drawing["marks"] == both
        assert drawing["words"] == [state["words"][j] for j in both]
    assert (shown["middle"], shown["right"]) == (state["first"], both)
    assert shown["rows"] == [state["first"], both, both]
    assert [text.split("\n")[1] for text in shown["lists"]] == [str(p) for p in (state["second"], state["first"], both)]
    home, commute = both == sorted(both), found["commuteGap"] == 0
    said = {
        f"{a} + {b} crossings {'become' if found['twice'] else 'make'} {c}: ": True,
        "home again": home,
        "These two commute": commute and not home,
        "These two do not commute": not commute,
        " ".join(f"({' '.join(map(str, cycle))})" for cycle in found["cycles"]): True,
    }
    assert {text: text in shown["said"] for text in said} == said
    order = page.locator("#strings .live-verdicts li").last  # an answer: neither a law that holds nor one that fails
    assert order.inner_text().startswith("P₂P₁ = P₁P₂: " if commute else "P₂P₁ ≠ P₁P₂: ")
    assert order.get_attribute("class") is None


STRINGS_PRESSES = (
    ("a, blue circle, after shuffle 1", "ArrowDown", {"first": [2, 3, 0, 1, 4]}),
    ("a, blue circle, after shuffle 1", "ArrowUp", {"first": [0, 2, 3, 1, 4]}),
    ("d, purple diamond, after shuffle 1", "End", {"first": [2, 0, 1, 4, 3]}),
    ("d, purple diamond, after shuffle 2", "ArrowUp", {"second": [3, 0, 1, 2, 4]}),
    ("d, purple diamond, after shuffle 2", "Home", {"second": [2, 3, 0, 1, 4]}),
    ("Let shuffle 2 undo shuffle 1", "", {"second": [1, 3, 0, 2, 4]}),
    ("Swap the shuffles", "", {"first": [3, 0, 1, 4, 2], "second": [2, 0, 3, 1, 4]}),
)


def test_the_drawing_of_strings_is_that_of_the_state(open_gallery):
    page = open_gallery()
    for state in [CASES["strings"].figure.state, *states("strings", 40)]:
        put(page, "strings", state)
        strings_drawn(page, state, CASES["strings"].figure._compute(**state))
    page = open_gallery(reduced_motion="no-preference")
    for _, _, change in STRINGS_PRESSES[:4]:  # what moves arrives
        state = CASES["strings"].figure.state | change
        put(page, "strings", state)
        page.wait_for_timeout(800)
        strings_drawn(page, state, CASES["strings"].figure._compute(**state))


def test_a_key_and_a_button_of_strings_do_what_they_should(open_gallery):
    page, first = open_gallery(), CASES["strings"].figure.state
    for label, key, change in STRINGS_PRESSES:
        put(page, "strings", first)
        target = page.locator("#strings").get_by_role("slider" if key else "button", name=label, exact=True)
        if key:
            target.press(key)
        else:
            target.click()
        assert state_of(page, "strings") == first | change, (label, key)
        page.locator("#strings").get_by_role("button", name="Back to start").click()
        assert state_of(page, "strings") == first


def test_what_strings_asks_for_cannot_be_seen_before_the_answer(browser, tmp_path):
    figure = copy.deepcopy(CASES["strings"].figure)
    figure.ask = QUESTION
    page = alone(browser, figure, tmp_path)
    hidden = [page.locator(f"[data-shows='{part}']") for part in ("crossings 2", "product")]
    assert not any(part.is_visible() for part in hidden)
    assert not re.search(r"\d", page.locator(".live-verdict").inner_text())
    page.get_by_label("that").check()
    assert all(part.is_visible() for part in hidden)
    assert re.search(r"\d", page.locator(".live-verdict").inner_text())
    page.close()
