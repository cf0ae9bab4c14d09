"""Walks of scores: what was tried with other lengths and other exponents stays as dots and columns."""

import itertools

from live_figures import example, figure, module, set_state

LENGTHS = [2**k for k in range(11)]
NO_SCALE, ROOT = 0, 0.5  # exponents of d_k


def test_what_a_reader_has_found_stays_in_sight(open_figures):
    page = open_figures(figure("walkers"))
    for power, d_k in itertools.product((NO_SCALE, ROOT), (4, 64, 1024)):
        set_state(page, "walkers", power=power, d_k=d_k)
    assert page.locator(".live-walk-own circle").count() == 3
    assert page.locator(".live-walk-others circle").count() == 3


def test_every_length_that_was_tried_leaves_its_derivatives_without_a_scale_and_with_the_root(open_figures):
    page = open_figures(figure("walkers", example("walkers") | {"show": "gradients", "d_k": 1}))
    length = page.get_by_label("dₖ", exact=True)
    for _ in LENGTHS[1:]:
        length.press("ArrowRight")
    assert shown_carriers(page) == carriers(draw=0)
    page.get_by_role("button", name="Draw again").click()
    assert shown_carriers(page) == carriers(draw=1), "all lengths show the other numbers"


def shown_carriers(page):
    """The counts in both fields, a list each."""
    fields = page.locator(".live-walk-field").all()
    return [[int(count) for count in field.locator(".live-walk-count").all_text_contents()] for field in fields]


def carriers(draw):
    """How many queries hold most of the derivatives at each length, without a scale and with the root."""
    compute = module("walkers").compute
    return [[compute(d_k, power, draw, "gradients")["carriers"] for d_k in LENGTHS] for power in (NO_SCALE, ROOT)]


def test_no_trail_is_called_flat_before_it_goes_from_end_to_end(open_figures):
    page = open_figures(figure("walkers", example("walkers") | {"power": NO_SCALE, "d_k": 128}))
    verdict = page.locator("#walkers .live-walk-sums")
    for d_k in (256, 512, 1024):
        set_state(page, "walkers", d_k=d_k)
    assert "both ends" in verdict.inner_text()
    set_state(page, "walkers", d_k=1)
    assert "not flat" in verdict.inner_text()
