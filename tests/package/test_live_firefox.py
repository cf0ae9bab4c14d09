"""Live figures in Firefox, another engine: they compute what Python computes, and a mouse or a key moves them."""

import pytest
from firefox import Firefox, firefox
from live_figures import EXACT, NAMES, distance, figure, module, states

pytestmark = pytest.mark.thorough
COMPUTE = "(id, states) => states.map((state) => document.getElementById(id).figure.compute(state))"
# Move the first slider to its end, or where it stands there to its other one; the state that is then there.
MOVE = """(id) => { const place = document.getElementById(id), state = () => place.figure.model.get("state");
  const held = place.querySelector("[role=slider], input[type=range]"), before = JSON.stringify(state());
  for (const key of ["End", "Home"]) {
    if (JSON.stringify(state()) !== before) break;
    held.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    if (held.type === "range") held.value = key === "End" ? held.max : held.min;
    held.dispatchEvent(new Event("input"));
  }
  return state(); }"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The one page of Firefox."""
    assert firefox(), "There is no Firefox: install firefox-esr."
    with Firefox(firefox(), tmp_path_factory.mktemp("firefox")) as page:
        yield page


@pytest.mark.parametrize("name", NAMES)
def test_firefox_computes_what_python_computes_and_moves(page, gallery, name):
    page.open(gallery(figure(name)))
    drawn = states(name, 100)
    for state, result in zip(drawn, page.evaluate(COMPUTE, name, drawn), strict=True):
        expected = module(name).compute(**state)
        ours, theirs = ({k: v for k, v in each.items() if not k.endswith("Gap")} for each in (expected, result))
        assert distance(theirs, ours) < EXACT, state
    assert page.evaluate(MOVE, name) != figure(name).state
