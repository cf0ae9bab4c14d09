"""The live figure decay: the lines that it draws, where its handles lead, and what it says."""

import numpy as np
import pytest
from attnbook import live
from live_cases import CASES, states
from live_pages import HANDLES, QUESTION, alone, put, state_of

FIGURE = "decay"

# What is drawn, in the coordinates of the plot: the lines of the models that are shown, their dots, handles and texts.
DRAWN = """() => { const all = (css) => [...document.querySelectorAll(`#decay ${css}`)];
  const at = (e, name) => Number(e.getAttribute(name));
  const numbers = (e, name) => (e.getAttribute(name).match(/-?[\\d.]+/g) || []).map(Number);
  return { lines: all(".live-curve").map((e) => numbers(e, "points")), beads: all(".live-beads").map((e) =>
      numbers(e, "d").filter((_, i) => i % 3 < 2)), handles: all(".live-handle").map((e) => numbers(e, "transform")),
    labels: all("text.live-power").map((e) => [e.textContent, at(e, "x"), at(e, "y")]),
    spoken: all(".live-handle").map((e) => e.getAttribute("aria-valuetext")), half: all(".live-halving").map((e) =>
      e.textContent), says: all(".live-verdict")[0].textContent }; }"""


def at(k, y):
    """The coordinates of step k and logarithm y."""
    return np.array([36 + 2.9 * np.asarray(k, dtype=float), 6 + 5 * (5 - np.asarray(y, dtype=float))])


def test_decay_draws_what_it_computes(open_gallery):
    page, near = open_gallery(), {"abs": 0.02}
    kinds = ["rnn", "lstm", "attention"]
    for state in states("decay", 40):
        put(page, "decay", state)
        drawn, found = page.evaluate(DRAWN), CASES["decay"].figure._compute(**state)
        shown = [i for i, kind in enumerate(kinds) if kind in state["models"]]
        assert len(drawn["handles"]) == len(drawn["lines"]) == len(shown)
        for i, line, beads, handle, half in zip(
            shown, drawn["lines"], drawn["beads"], drawn["handles"], drawn["half"], strict=True
        ):
            slope, curve = found["slope"][i], found["curves"][i]
            end = min(100, -30 / slope) if slope < -0.3 else 100
            y = curve[0] if i == 2 else slope * end
            assert line == pytest.approx(np.array([at(0, curve[0]), at(end, y)]).ravel(), **near), state
            assert handle == pytest.approx(at(60 if i == 2 else end, y), **near), state
            falls = [k for k in (np.arange(1, 60) * np.log(2) / abs(slope) if slope else []) if k <= end + 1e-9]
            expected = np.array([at(k, slope * k) for k in falls])
            assert beads == pytest.approx(expected.ravel(), abs=0.011), state
            life = found["halfLife"][i]
            assert half == ("none" if life is None else f"{life:.1f}")
    for text, log in (("10²", 2), ("1", 0), ("10⁻³", -3), ("10⁻¹²", -12)):
        assert [y - 3 for name, _, y in drawn["labels"] if name == text] == [
            pytest.approx(at(0, log * np.log(10))[1], **near)
        ]
    for steps in (0, 40, 100):
        assert [x for name, x, _ in drawn["labels"] if name == str(steps)] == [pytest.approx(at(steps, 0)[0], **near)]


def test_decay_lines_pass_through_the_point_they_are_dragged_to(open_gallery):
    page = open_gallery()
    first, box = state_of(page, "decay"), page.locator("#decay svg.live-decay").bounding_box()
    unit = box["width"] / 340
    wanted = [(0, 70, -20, -20 / 70), (1, 80, -4, -4 / 80), (2, 60, -2, -2), (0, 90, 3, 3 / 90), (1, 30, -18, -0.6)]
    for i, k, y, result in wanted:
        put(page, "decay", first)
        handle = page.locator(f"#decay {HANDLES}").nth(i).locator(".live-target").bounding_box()
        page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
        page.mouse.down()
        x, down = at(k, y)
        page.mouse.move(box["x"] + unit * x, box["y"] + unit * down, steps=3)
        page.mouse.up()
        found = CASES["decay"].figure._compute(**state_of(page, "decay"))
        reached = found["curves"][2][0] if i == 2 else found["slope"][i]
        assert reached == pytest.approx(result, rel=0.01), (i, k, y)
    handle = page.locator(f"#decay {HANDLES}").first
    for keys, w in (("ArrowUp", 0.902), ("Shift+ArrowLeft", 0.89), ("End", 1.05), ("Home", 0.5)):
        put(page, "decay", first)
        handle.focus()
        page.keyboard.press(keys)
        assert state_of(page, "decay") == first | {"w": w}


def test_decay_takes_what_is_typed_and_says_the_half_lives(open_gallery):
    page = open_gallery()
    first = state_of(page, "decay")
    assert page.get_by_label("RNN: w").is_disabled()
    page.get_by_role("button", name="Type the settings").click()
    for name, text, change in (("RNN: w", "0.2", {"w": 0.5}), ("LSTM: forget bias", "6", {"bias": 6})):
        page.get_by_label(name).fill(text)
        page.keyboard.press("Enter")
        assert state_of(page, "decay").items() >= change.items()
        assert [float(page.get_by_label(name).input_value())] == list(
            change.values()
        )  # what counts, not what was typed
    says = lambda change: put(page, "decay", first | change) or page.evaluate(DRAWN)  # noqa: E731
    ends = "it halves every 2.2 steps; attention: 0.069 arrives from any distance."
    assert says({})["says"] == f"RNN: it halves every 6.6 steps; LSTM: {ends}"
    assert says({"w": 1})["says"].startswith("RNN: nothing is lost; ")
    assert says({"w": 1.05})["says"].startswith("RNN: it doubles every 14.2 steps; ")
    assert says({"models": ["lstm"]})["says"] == "LSTM: it halves every 2.2 steps."
    assert says({"models": ["attention"]})["says"] == "Attention: 0.069 arrives from any distance."
    assert says({})["spoken"][1] == "bias 1.00: it halves every 2.2 steps"


def test_decay_hides_its_lines_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.decay(ask=QUESTION), tmp_path)
    drawn = [page.locator(f"#decay {css}").first for css in (".live-curve", ".live-beads", ".live-tag", ".live-handle")]
    assert not any(element.is_visible() for element in drawn)
    assert set(page.locator("#decay tbody td:not(:first-of-type)").all_inner_texts()) == {"?"}
    page.get_by_role("button", name="Show without answering").click()
    assert all(element.is_visible() for element in drawn[2:])
    assert page.locator("[data-shows='slope 0']").inner_text() == "−0.105"
    page.close()
