"""The stills of live figures: what paper, and a page without a script, show of a state."""

import functools
import itertools
import re

import pytest
from live_figures import NAMES, module, states

every_figure = pytest.mark.parametrize("name", NAMES)
# What stands outside the frame of a drawing, and text that would be too small on a page 600 px wide.
FAULTS = """() => { const faults = [];
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
    for (const e of svg.querySelectorAll("text, path, use, circle, line, polygon, rect")) {
      if (e.closest("defs, clipPath, [clip-path]")) continue;
      const box = e.getBoundingClientRect(), out = Math.max(frame.left - box.left, box.right - frame.right,
        frame.top - box.top, box.bottom - frame.bottom);
      if (out > 5) faults.push(`${e.textContent || e.tagName} is ${out.toFixed(1)} px outside`);
      if (e.tagName === "text" && parseFloat(getComputedStyle(e).fontSize) * scale < 11 - 0.01)
        faults.push(`${e.textContent} is ${(parseFloat(getComputedStyle(e).fontSize) * scale).toFixed(1)} px high`);
    }
  }
  return faults; }"""


def numbers(value):
    """Every number in a state or a result."""
    if isinstance(value, dict):
        return numbers(list(value.values()))
    if isinstance(value, str | None):
        return []
    if hasattr(value, "tolist"):
        value = value.tolist()
    return list(itertools.chain(*map(numbers, value))) if isinstance(value, list | tuple) else [float(value)]


@functools.cache
def drawn(name):
    """The example of a figure and other states, each with its still."""
    some = [module(name).example().state, states(name, 1)[0]]
    return [(state, module(name).still(state, False)) for state in some]


@every_figure
def test_a_still_belongs_to_its_state(name):
    assert len({still.svg for _, still in drawn(name)}) > 1
    for state, still in drawn(name):
        shown = numbers([state, module(name).compute(**state)])
        for text in re.findall(r"(?<![\w.])-?\d+\.\d+(?![\w.]*e)", still.alt.replace("−", "-")):
            unit = 10.0 ** -len(text.partition(".")[2])
            assert any(abs(float(text) - x) <= 0.5001 * unit for x in shown), (text, still.alt, state)


@every_figure
def test_a_still_hides_what_the_reader_is_asked(name):
    state, plain = drawn(name)[0]
    asks = module(name).still(state, True)
    assert asks.svg != plain.svg
    assert asks.alt != plain.alt


@every_figure
def test_nothing_in_a_still_is_cut_off_or_too_small(browser, name):
    page = browser.new_page(viewport={"width": 600, "height": 800})
    style = "<style>svg { width: 100%; height: auto; font-family: sans-serif; }</style>"
    page.set_content(style + "".join(still.svg for _, still in drawn(name)))
    assert page.evaluate(FAULTS) == []
    page.close()
