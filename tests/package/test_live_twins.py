"""The live figure twins: both runs against torch, what it draws, where its square can be dragged, and what it says."""

import itertools
import json

import numpy as np
import pytest
import torch
from attnbook import live
from attnbook.live.twins import compute, train, weights
from live_cases import CASES, states
from live_pages import ARRIVES, HANDLES, QUESTION, alone, put, state_of

FIGURE = "twins"

# What is drawn, in the coordinates of the drawings.
DRAWN = """() => { const all = (css) => [...document.querySelectorAll(`#twins ${css}`)];
  const numbers = (css, name) => all(css)[0].getAttribute(name).match(/-?[\\d.]+/g).map(Number);
  return { a: numbers(".live-twins-a", "points"), b: numbers(".live-twins-b", "points"),
    square: numbers(".live-handle", "transform"), spoken: all(".live-handle")[0].ariaValueText,
    labels: all(".live-twins-text").map((e) => [e.textContent, ...["x", "y"].map((a) => Number(e.getAttribute(a)))]),
    scale: all("select")[0].value, laws: all(".live-verdicts")[0].textContent,
    says: all(".live-verdict")[0].textContent }; }"""


@pytest.mark.parametrize(
    ("c", "alpha", "sigma"), [(0.25, 1.0, 1.0), (1.0, 0.5, 0.25), (1.0, 1.0, 0.125), (1 / 16, 1.0, 1.0)]
)
def test_a_run_is_gradient_descent_of_torch(c, alpha, sigma):
    Q, K = (torch.tensor(alpha * W, requires_grad=True) for W in weights())
    descent, losses = torch.optim.SGD([Q, K], lr=sigma), []
    for _ in range(61):
        loss = torch.nn.functional.cross_entropy(c * Q @ K.T, torch.arange(4))
        losses.append(loss.item())
        descent.zero_grad()
        loss.backward()
        descent.step()
    np.testing.assert_allclose(train(c, alpha, sigma)[0], losses, rtol=1e-12)
    assert train(c, alpha, sigma)[1] == pytest.approx(c * alpha**2 * np.abs(weights()[0] @ weights()[1].T).max())


def test_one_place_of_the_grid_has_the_run_of_the_scale():
    for scale in (0, 2, 4):
        apart = {
            (start, step): compute(scale, start, step)["apart"]
            for start, step in itertools.product(range(-3, 1), range(-5, 1))
        }
        assert [place for place, gap in apart.items() if gap == 0] == [(-scale // 2, -scale)]
        assert min(gap for gap in apart.values() if gap) > 0.01


def test_twins_draws_what_it_computes(still_page):
    for state in states("twins", 24):
        put(still_page, "twins", state)
        found, drawn = CASES["twins"].figure._compute(**state), still_page.evaluate(DRAWN)
        for run, losses in zip("ab", found["losses"], strict=True):
            points = np.stack([40 + 4.9 * np.arange(61), 40 - 28 * np.log10(losses)], axis=1)
            assert drawn[run] == pytest.approx(points.ravel(), abs=0.011)
        assert drawn["square"] == pytest.approx([136 + 30 * state["start"], 22 - 28 * state["step"]])
        words = [f"1/{2**-n}" if n else "1" for n in (state["start"], state["step"])]
        assert drawn["spoken"] == f"start times {words[0]}, step times {words[1]}"
        assert drawn["scale"] == str(state["scale"])
    for text, x, y in [
        ("10", 36, 16),
        ("10⁻⁴", 36, 156),
        ("60", 334, 167),
        ("1/8", 46, 186),
        ("1/32", 34, 166),
        ("1", 34, 26),
    ]:
        assert [text, pytest.approx(x), y] in drawn["labels"]


def test_twins_says_what_the_runs_have_in_common(open_gallery):
    page = open_gallery()
    first = state_of(page, "twins")
    says = lambda **change: put(page, "twins", first | change) or page.evaluate(DRAWN)  # noqa: E731
    assert says(start=-1, step=-2)["says"] == "Start and step do the work of the scale: two runs, the same losses."
    assert says(start=-1, step=-2)["laws"] == "✓ 61 losses of A = 61 losses of B"
    assert says(start=-1)["laws"] == "61 losses of A ≠ 61 losses of B · largest difference 0.916"
    assert says(start=-1)["says"] == "B starts with the scores of A. Its steps are too long."
    assert says(start=-1, step=-1)["says"] == "B starts with the scores of A. Its steps are too long."
    assert says(start=-1, step=-3)["says"] == "B starts with the scores of A. Its steps are too short."
    assert says(step=-2)["says"] == "B starts with scores that are too large; its steps fit the scale."
    assert says(start=-3)["says"] == "B starts with scores that are too small, and its steps do not fit the scale."


def test_twins_takes_its_square_by_mouse_and_keys(open_gallery):
    page = open_gallery()
    first, box = state_of(page, "twins"), page.locator("#twins .live-twins-pad svg").bounding_box()
    unit, handle = box["width"] / 160, page.locator(f"#twins {HANDLES}").first
    grip = handle.locator(".live-target").bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + unit * 63, box["y"] + unit * 110, steps=3)
    page.mouse.up()
    assert state_of(page, "twins") == first | {"start": -2, "step": -3}
    moves = {"ArrowLeft": (-2, -2), "ArrowRight": (0, -2), "ArrowUp": (-1, -1), "ArrowDown": (-1, -3)}
    moves |= {"Home": (-3, -2), "End": (0, -2), "PageUp": (-1, 0), "PageDown": (-1, -5)}
    for key, (start, step) in moves.items():
        put(page, "twins", first | {"start": -1, "step": -2})
        handle.focus()
        page.keyboard.press(key)
        assert state_of(page, "twins") == first | {"start": start, "step": step}, key
    page.locator("#twins select").select_option("4")
    assert state_of(page, "twins")["scale"] == 4


def test_twins_hides_the_losses_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.twins(2, start=-1, ask=QUESTION), tmp_path)
    runs = [page.locator(f"#twins {css}") for css in (".live-twins-a", ".live-twins-b")]
    assert not any(run.is_visible() for run in runs)
    assert page.locator("#twins [data-shows]").all_inner_texts() == ["?"] * 4
    assert page.evaluate(DRAWN)["laws"] == ""
    page.get_by_role("button", name="Show without answering").click()
    assert all(run.is_visible() for run in runs)
    assert page.locator("#twins [data-shows]").all_inner_texts() == ["2.12", "2.12", "0.020", "0.004"]
    page.close()


def test_a_link_brings_twins_no_number_beyond_its_bounds(still_page):
    first, bad = CASES["twins"].figure.state, {"scale": (-2, 1, 6), "start": (-4, 1), "step": (-6, 1)}
    attempts = [json.dumps({part: x}) for part, numbers in bad.items() for x in numbers]
    assert still_page.evaluate(ARRIVES, ["twins", first, attempts]) == [first] * len(attempts)
