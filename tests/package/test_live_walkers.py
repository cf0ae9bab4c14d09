"""The live figure walkers: its random numbers, its gradients, what it draws, and what the reader finds."""

import itertools

import numpy as np
import pytest
import torch
from attnbook import live
from attnbook.live.walkers import QUERIES, compute, steps
from live_cases import CASES, distance, states
from live_pages import QUESTION, alone, put, state_of

FIGURE = "walkers"

# What is drawn, in the coordinates of the drawings; `best` is which walk, end and bar are marked.
DRAWN = """() => { const all = (what) => [...document.querySelectorAll(`#walkers ${what}`)];
  const at = (e) => e.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
  const get = (what, ...names) => all(what).map((e) => names.map((name) => Number(e.getAttribute(name))));
  const ends = all(".live-walk-end"), arrows = ends.map((e) => e.getAttribute("d").includes("Z"));
  return { ends: ends.map(at), arrows,
    bars: get(".live-walk-bar", "y", "height"), dots: get(".live-walk-dot", "cx"), ring: get(".live-walk-ring", "cx"),
    lines: [...get(".live-walk-median", "x1"), ...get(".live-walk-mean", "x1")].flat(),
    best: [".live-walk-end", ".live-walk-bar"].map((what) => all(what).findIndex((e) => "best" in e.dataset)),
    bold: all(".live-walk[data-best]").map((e) => e.getAttribute("points")), said: all(".live-verdict")[0].textContent,
    weight: all(".live-walk-bar ~ text")[0].textContent }; }"""


def mulberry32(seed):
    """The generator as it is published: one word after the other."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        t = (state ^ (state >> 15)) * (state | 1) % 2**32
        t ^= (t + (t ^ (t >> 7)) * (t | 61)) % 2**32
        yield t ^ (t >> 14)


def test_the_steps_are_the_bits_of_a_published_generator():
    words = list(itertools.islice(mulberry32(0), 70))
    bits = [2 * (word >> c & 1) - 1 for word in words for c in range(32)]
    assert steps(0).ravel()[: len(bits)].tolist() == bits
    following = next(itertools.islice(mulberry32(0), QUERIES * 16 * 32, None))  # the next draw begins where one ends
    assert steps(1)[0, 0, :32].tolist() == [2 * (following >> c & 1) - 1 for c in range(32)]
    assert abs(steps(0).mean()) < 5 / np.sqrt(steps(0).size)  # five standard errors


def test_a_gradient_is_what_autograd_finds():
    for d_k, power in ((1, 0.0), (8, 0.25), (64, 1.0)):
        K = torch.tensor(steps(3)[5, :, :d_k], dtype=torch.float64)
        q = torch.ones(d_k, dtype=torch.float64)
        J = torch.autograd.functional.jacobian(lambda q, K=K, c=d_k**power: torch.softmax(K @ q / c, 0), q)
        assert compute(d_k, power, 3)["gradients"][5] == pytest.approx(J.norm().item(), rel=1e-9)


@pytest.mark.parametrize("draw", [0, 7, 500])
def test_only_the_square_root_makes_the_steps_not_matter(draw):
    found = {p: [compute(d_k, p, draw) for d_k in (16, 64, 256, 1024)] for p in (0, 0.35, 0.5, 0.65)}

    def column(power, name):
        return np.array([one[name] for one in found[power]])

    assert np.ptp(column(0.5, "spread")) < 0.8  # keys looked at: about 10.8 of 16, with a standard error of 0.1
    assert np.ptp(column(0.5, "median")) < 0.03
    assert np.ptp(column(0.35, "spread")) > 2
    assert np.ptp(column(0.65, "spread")) > 1.5
    mean, median = column(0, "mean"), column(0, "median")
    assert median[3] < median[0] / 50
    assert mean.min() > 0.6 > 10 * median[3]
    assert column(0, "carriers")[3] < 50 < 130 < column(0.5, "carriers")[3]


def test_the_figure_walkers_draws_what_it_computes(still_page):
    for state in states("walkers", 24):
        put(still_page, "walkers", state)
        found, drawn = CASES["walkers"].figure._compute(**state), still_page.evaluate(DRAWN)
        near = lambda shown, expected: distance(shown, np.asarray(expected, dtype=float).tolist()) < 0.02  # noqa: E731
        heights = 90 - 80 / 12 * found["scores"].clip(-12, 12)
        assert near(drawn["ends"], np.c_[np.full(16, 286), heights])
        assert drawn["arrows"] == (abs(found["scores"]) > 12).tolist()
        assert near(drawn["bars"], np.c_[170 - 150 * found["weights"], 150 * found["weights"]])
        with np.errstate(divide="ignore"):
            along = lambda x: 20 + 70 * (np.log10(x).clip(-6, 2) + 6)  # noqa: E731
            assert near(np.ravel(drawn["dots"]).tolist(), along(found["gradients"]))
        assert drawn["ring"][0] == drawn["dots"][0]
        assert near(drawn["lines"], along([found["median"], found["mean"]]))
        best = int(found["weights"].argmax())
        assert drawn["best"] == [best, best]
        assert drawn["weight"] == f"{found['weights'][best]:.2f}"
        (bold,) = [np.array([p.split(",") for p in points.split()], dtype=float) for points in drawn["bold"]]
        expected = 90 - 80 / 12 * found["walks"][best] / found["divisor"]
        assert near(bold.tolist(), np.c_[np.linspace(40, 286, len(expected)), expected])


def test_other_walks_are_drawn_and_a_question_hides_weights_and_gradients(browser, tmp_path):
    page = alone(browser, live.walkers(draw=999, ask=QUESTION), tmp_path)
    drawn = page.evaluate(DRAWN)
    assert max(height for _, height in drawn["bars"]) == 0
    assert drawn["best"] == [-1, -1]
    assert drawn["bold"] == []
    assert drawn["weight"] == ""
    assert drawn["said"].startswith("Mean ?, median ?. ? of")
    assert not page.locator(".live-walk-strip circle").first.is_visible()
    assert not page.get_by_text("median", exact=True).is_visible()
    page.get_by_label("that").check()
    assert page.locator(".live-walk-strip circle").first.is_visible()
    assert page.evaluate(DRAWN)["best"] != [-1, -1]
    page.get_by_role("button", name="Draw again").click()
    assert state_of(page, "walkers") == {"d_k": 64, "power": 0, "draw": 0}
    page.close()
