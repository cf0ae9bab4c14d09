"""The live figures that are tested, and states to test them in: a figure is tested by being listed here."""

from typing import NamedTuple

import numpy as np
from attnbook.live import Live, hull, strings


class Case(NamedTuple):
    """A figure as a chapter might show it, and a function that draws a state from a random generator.

    Of a figure that is more drawing than numbers, also: ``drawn(page, state, found)`` asserts that the page draws the
    state, ``presses`` are (the name of a handle, a key) or (the name of a button, "") and what changes in the state,
    and ``hides`` is what cannot be seen before a question is answered.
    """

    figure: Live
    draw: object
    drawn: object = None
    presses: tuple = ()
    hides: tuple = ()


def hull_state(rng):
    """Half of the states are extreme: whole numbers put three points on a line, and T = 0.01 makes exp overflow."""
    m, grid = int(rng.integers(2, 6)), rng.random() < 0.5

    def points(n):
        return (rng.integers(-3, 4, (n, 2)) * 1.0 if grid else np.round(rng.uniform(-3, 3, (n, 2)), 2)).tolist()

    temperature = 0.01 if grid else float(10 ** rng.uniform(-2, 2))
    weighting = str(rng.choice(["softmax", "sparsemax", "none"]))
    state = {"query": points(1)[0], "keys": points(m), "values": points(m)}
    return state | {"temperature": temperature, "weighting": weighting}


def strings_state(rng):
    """Half of the states are extreme: an identity, a reversal, a shuffle undone by the other, or twice the same."""
    n = int(rng.integers(3, 7))
    first, second = rng.permutation(n).tolist(), rng.permutation(n).tolist()
    if rng.random() < 0.5:
        extremes = [list(range(n)), list(range(n))[::-1], np.argsort(first).tolist(), first]
        second = extremes[int(rng.integers(4))]
    return {"first": first, "second": second, "words": [str(w) for w in rng.choice(["a", "word", "eightish"], n)]}


# What the drawings of strings show: whose string and mark ends at each position, and the words there; how many pairs
# cross once and how many twice, NaN if a crossing lies on fewer than two strings; whose handle stands at each position
# in the middle and at the right; and whose hue each row of a matrix has. "Who" is the place of a hue in the list.
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
    return { ends: ends.map(who), marks: marks.map(who), words: words.map((e) => e.textContent),
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
    said |= {f"{i} stays" if i == j else f"{i} takes from {j}": True for i, j in enumerate(both)}
    assert {text: text in shown["said"] for text in said} == said


STRINGS_PRESSES = (
    ("a, blue circle, after shuffle 1", "ArrowDown", {"first": [2, 3, 0, 1, 4]}),
    ("a, blue circle, after shuffle 1", "ArrowUp", {"first": [0, 2, 3, 1, 4]}),
    ("d, purple diamond, after shuffle 1", "End", {"first": [2, 0, 1, 4, 3]}),
    ("d, purple diamond, after shuffle 2", "ArrowUp", {"second": [3, 0, 1, 2, 4]}),
    ("d, purple diamond, after shuffle 2", "Home", {"second": [2, 3, 0, 1, 4]}),
    ("Undo shuffle 1", "", {"second": [1, 3, 0, 2, 4]}),
    ("Swap the shuffles", "", {"first": [3, 0, 1, 4, 2], "second": [2, 0, 3, 1, 4]}),
)

V, K = [[-2, -1.2], [2, -1.6], [0.4, 2.2], [-1.6, 1.6]], [[1.5, 0.5], [-0.5, 1.5], [-1, -1], [1, -1.5]]
CASES = {
    "hull": Case(hull(V, K, [1.2, 1.0]), hull_state),
    "strings": Case(
        strings([2, 0, 3, 1, 4], [3, 0, 1, 4, 2]),
        strings_state,
        strings_drawn,
        STRINGS_PRESSES,
        ("crossings 2", "product"),
    ),
}
