"""Live figures in Firefox, another engine: they compute what Python computes, and a mouse moves them."""

import pytest
from firefox import Firefox, firefox
from live_cases import CASES, comparable, distance, states
from live_pages import EXACT

pytestmark = pytest.mark.thorough
COMPUTE = "(name, states) => states.map((s) => document.getElementById(name).figure.compute(s))"
STATE = "(name) => document.getElementById(name).figure.model.get('state')"
PLACE = """(name, index) => {
  const handle = document.querySelectorAll(`#${name} [role=slider]`)[index];
  if (!handle) return null;
  handle.scrollIntoView({ block: "center" });
  const { x, y, width, height } = handle.getBoundingClientRect();
  return [x + width / 2, y + height / 2]; }"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The one page of Firefox."""
    assert firefox(), "There is no Firefox: install firefox-esr."
    with Firefox(firefox(), tmp_path_factory.mktemp("firefox")) as page:
        yield page


@pytest.mark.parametrize("name", CASES)
def test_firefox_computes_what_python_computes(page, gallery, name):
    page.open(gallery(name))
    drawn = states(name)
    for state, result in zip(drawn, page.evaluate(COMPUTE, name, drawn), strict=True):
        expected = CASES[name].figure._compute(**state)
        assert distance(comparable(name, state, result), comparable(name, state, expected)) < EXACT, state


@pytest.mark.parametrize("name", CASES)
def test_a_mouse_moves_a_handle(page, gallery, name):
    page.open(gallery(name))
    first, index = page.evaluate(STATE, name), 0
    while place := page.evaluate(PLACE, name, index):
        for dx, dy in ((60, 0), (-60, 0), (0, 45), (0, -45)):
            page.drag(place, (place[0] + dx, place[1] + dy))
            if page.evaluate(STATE, name) != first:
                return
        index += 1
    ranges = page.evaluate("(name) => document.querySelectorAll(`#${name} input[type=range]`).length", name)
    if index or not ranges:  # a figure may have nothing but sliders
        pytest.fail(f"no handle of {name} can be dragged")
