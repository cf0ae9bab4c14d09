"""Switch heads off: what the reader has found of each head is noted below it."""

import itertools
import re

import pytest
from live_figures import example, figure, module, set_state

HEADS = 6
WAYS = ("alike", "nothing")  # what takes the place of a head, in the order of the bars
SENTENCES = 480
TRIED = 3  # heads that a reader tries before all are offered


def all_but(k):
    """The heads that are on where only head ``k`` is off."""
    return [int(j != k) for j in range(HEADS)]


def test_what_a_reader_has_found_stays_in_sight(open_figures):
    page = open_figures(figure("ablation"))
    set_state(page, "ablation", heads=all_but(3))
    set_state(page, "ablation", heads=[1] * HEADS)
    notes = page.locator(".live-ablation-notes").nth(3)
    assert "alike: 240" in notes.inner_text()  # without it, half of the answers are right


def test_every_head_is_tried_at_once_and_bars_say_what_is_right_without_it(open_figures):
    page = open_figures(figure("ablation", example("ablation") | {"heads": [1] * HEADS}))
    every = page.get_by_role("button", name="Try every head")
    for k in range(TRIED):
        assert not every.is_visible(), f"after {k} heads it would spoil the search"
        set_state(page, "ablation", heads=all_but(k))
    every.click()
    drawn = "document.querySelectorAll('.live-ablation-notes .live-ablation-right[style]').length"
    page.wait_for_function(f"{drawn} === {HEADS * len(WAYS)}")
    notes = page.locator(".live-ablation-notes").all()
    for k, (bar, way) in itertools.product(range(HEADS), enumerate(WAYS)):
        state = example("ablation") | {"heads": all_but(k), "instead": way}
        right = module("ablation").compute(**state)["right"]
        assert f"{way}: {right}" in notes[k].inner_text()
        style = notes[k].locator(".live-ablation-right").nth(bar).get_attribute("style")
        percent = float(re.search(r"[\d.]+", style)[0])
        assert percent == pytest.approx(100 * right / SENTENCES, abs=1e-3)
