"""The answers of a language model to all orders of a sentence: a dot for each, and cards that are put in order."""

import itertools

import numpy as np
from live_figures import example, figure, module, set_state


def test_a_dot_that_is_touched_puts_its_order_onto_the_cards(open_figures):
    page = open_figures(figure("orders"))
    cards = page.locator("#orders .live-chip")
    dots = page.locator("#orders .live-orders-dot")
    code = module("orders")
    odds = code.compute(**example("orders"))["odds"]

    likeliest = int(np.argmax(odds))
    dots.nth(likeliest).hover(force=True)
    assert cards.all_inner_texts() == code.ORDERS[likeliest].split()

    unlikeliest = int(np.argmin(odds))
    dots.nth(unlikeliest).click(force=True)
    assert cards.all_inner_texts() == code.ORDERS[unlikeliest].split()


def test_no_card_moves_a_bar_without_mask_and_positions(open_figures):
    page = open_figures(figure("orders"))
    found = {}
    for alpha, ahead in itertools.product((0, 1), (True, False)):
        set_state(page, "orders", alpha=alpha, ahead=ahead)
        found[alpha, ahead] = count_of_looks(page)
    without = found.pop((0, True))
    assert without == 1
    assert min(found.values()) > 1, found


def count_of_looks(page):
    """How many different looks the bars have while the second card goes to other places."""
    card = page.locator("#orders .live-chip").nth(1)
    bars = page.locator("#orders .live-orders-guess")
    looks = set()
    for key in ("ArrowRight", "ArrowRight", "Home", "End"):
        card.press(key)
        looks.add(tuple(bar.inner_html() for bar in bars.all()))
    return len(looks)
