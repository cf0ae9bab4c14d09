"""The live figure crowd: the two laws it shows, what it draws, where its dot can be dragged, and what it says."""

import numpy as np
import pytest
from attnbook import live
from attnbook.attention import entropy, softmax
from attnbook.live.crowd import LADDER, attend, compute
from live_cases import CASES, states
from live_pages import HANDLES, QUESTION, alone, put, state_of

FIGURE = "crowd"

# What is drawn, in the coordinates of the plot.
DRAWN = """() => { const all = (css) => [...document.querySelectorAll(`#crowd ${css}`)];
  const numbers = (css, name) => all(css)[0].getAttribute(name).match(/-?[\\d.]+/g).map(Number);
  const line = (css) => ["x1", "y1", "x2", "y2"].map((name) => Number(all(css)[0].getAttribute(name)));
  return { own: numbers(".live-crowd-own", "points"), logn: numbers(".live-crowd-logn", "points"),
    dot: numbers(".live-handle", "transform"), trained: numbers(".live-crowd-trained", "transform"),
    alike: line(".live-crowd-alike"), level: line(".live-crowd-level"), spoken: all(".live-handle")[0].ariaValueText,
    labels: all(".live-crowd-text").map((e) => [e.textContent, ...["x", "y"].map((a) => Number(e.getAttribute(a)))]),
    says: all(".live-verdict")[0].textContent }; }"""


def at(m, n):
    """The coordinates of m keys of which n are looked at, one pair after the other."""
    return np.stack([44 + 57 * np.log10(m), 194 - 36 * np.log10(n)], axis=-1).ravel()


@pytest.mark.parametrize(("m", "lead"), [(2, 0.0), (13, 2.5), (97, 0.3), (5000, 9.0)])
def test_equal_keys_count_as_one(m, lead):
    a = softmax(np.r_[lead, np.zeros(m - 1)])
    np.testing.assert_allclose(np.ravel(attend(m, lead)), [a[0], np.exp(entropy(a))], rtol=1e-12)


def test_a_fixed_factor_loses_every_key_and_log_n_those_with_a_small_lead():
    far = {c: compute(100_000, 2.0, c, 13) for c in (0.6, 1.0, 1.5)}
    later = {c: attend(1e12, c * np.log(1e12)) for c in far}  # the log-n factor far beyond the picture
    assert [round(float(later[c][0]), 3) for c in far] == [0.0, 0.5, 1.0]
    assert far[1.0]["weights"][2] == pytest.approx(0.5, abs=1e-5)
    assert far[1.0]["looks"][2] == pytest.approx(2 * np.sqrt(1e5), rel=1e-4)
    for c in far:
        assert attend(1e12, 5 * c * np.log(13))[0] < 0.001  # the largest factor, at last
        assert far[c]["weights"][0] == pytest.approx(1 / (1 + 12 * 13**-c))
        assert compute(13, 1.0, c, 13)["weights"] == pytest.approx([far[c]["weights"][0]] * 3)


def test_crowd_draws_what_it_computes(still_page):
    near = {"abs": 0.011}
    for state in states("crowd", 24):
        put(still_page, "crowd", state)
        found, drawn = CASES["crowd"].figure._compute(**state), still_page.evaluate(DRAWN)
        assert drawn["own"] == pytest.approx(at(LADDER, found["curves"][0]), **near)
        assert drawn["logn"] == pytest.approx(at(LADDER, found["curves"][1]), **near)
        assert drawn["dot"] == pytest.approx(at(state["keys"], found["looks"][1]), **near)
        first = CASES["crowd"].figure.state["train"]  # the mark stands where the figure began
        if state["train"] == first:
            assert drawn["trained"] == pytest.approx(at(first, found["looks"][0]), **near)
        assert drawn["alike"] == pytest.approx(at(np.array([1, 1e5]), np.array([1, 1e5])), **near)
        assert drawn["level"] == pytest.approx(at(np.array([1, 1e5]), np.full(2, found["looks"][0])), **near)
    for text, number in (("1", 1), ("100", 100), ("10⁵", 1e5)):
        x, y = at(number, number)
        assert [text, pytest.approx(x), 209] in drawn["labels"]
        assert [text, 38, pytest.approx(y + 4)] in drawn["labels"]


def test_crowd_takes_the_factor_that_leads_to_where_the_dot_is_dragged(open_gallery):
    page = open_gallery()
    first, box = state_of(page, "crowd"), page.locator("#crowd svg.live-crowd").bounding_box()
    unit, handle = box["width"] / 340, page.locator(f"#crowd {HANDLES}").first
    for m, n in ((1000, 2.75), (97, 60.0), (30, 2.0)):
        put(page, "crowd", first)
        grip = handle.locator(".live-target").bounding_box()
        page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
        page.mouse.down()
        x, y = at(m, n)
        page.mouse.move(box["x"] + unit * x, box["y"] + unit * y, steps=3)
        page.mouse.up()
        state = state_of(page, "crowd")
        assert state["keys"] == pytest.approx(m, rel=0.02)
        assert compute(**state)["looks"][1] == pytest.approx(n, rel=0.05)
    moves = {"ArrowRight": {"keys": 122}, "Shift+ArrowLeft": {"keys": 31}, "ArrowUp": {"factor": 0.95}}
    moves |= {"PageDown": {"factor": 1.25}, "Home": {"keys": 2}, "End": {"keys": 100_000}}
    for key, change in moves.items():
        put(page, "crowd", first)
        handle.focus()
        page.keyboard.press(key)
        assert state_of(page, "crowd") == first | change, key


def test_crowd_takes_the_log_n_factor_and_says_what_becomes_of_the_best_key(open_gallery):
    page = open_gallery()
    first = state_of(page, "crowd")
    page.get_by_role("button", name="Take the log-n factor").click()
    assert state_of(page, "crowd") == first | {"factor": round(np.log(97) / np.log(13), 3)}
    assert page.evaluate(DRAWN)["spoken"] == "97 keys, factor 1.78: 2.1 looked at"
    says = lambda change: put(page, "crowd", first | change) or page.evaluate(DRAWN)["says"]  # noqa: E731
    begins = "Among 97 keys the query looks at 40.4; in training it was 2.8 of 13. "
    ends = "The lead exceeds ln 13: with log-n, the weight of the best key tends to 1."
    assert says({}) == begins + ends
    assert says({"c": 0.9}).endswith("The lead is below ln 13: even with log-n, the weight of the best key tends to 0.")
    assert "The lead is ln 13: with log-n, the best key keeps about half, and about 2√m keys" in says({"c": 1})


def test_crowd_hides_its_curves_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.crowd(97, ask=QUESTION), tmp_path)
    drawn = [page.locator(f"#crowd {css}").first for css in (".live-crowd-own", ".live-crowd-logn", ".live-handle")]
    assert not any(element.is_visible() for element in drawn)
    assert page.locator("#crowd [data-shows]").all_inner_texts().count("?") == 4
    page.get_by_role("button", name="Show without answering").click()
    assert all(element.is_visible() for element in drawn)
    assert page.locator("[data-shows='looks 1']").inner_text() == "40.4"
    page.close()
