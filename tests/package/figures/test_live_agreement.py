"""The head that chooses a verb: a click on a weight takes its word away, and what is shown as equal is a toss-up."""

import re

import pytest
from live_figures import figure, module, set_state, state_of


def test_a_click_on_a_weight_takes_its_word_away_and_another_puts_it_back(open_figures):
    page = open_figures(figure("agreement"))
    weight = page.get_by_role("button", name="the value of letters, word 2")
    taken = state_of(page, "agreement")["taken"]
    assert taken == 1
    for expected in (-1, 1):
        weight.click()
        assert state_of(page, "agreement")["taken"] == expected


def test_what_is_shown_as_equal_is_a_toss_up(open_figures):
    state = {"sentence": "the doors to the doors", "steps": 100, "taken": 1}
    is_, are = module("agreement").compute(**state)["arrives"]
    assert is_ != are
    assert round(is_, 1) == round(are, 1) == 0
    page = open_figures(figure("agreement", state))
    assert "A toss-up" in page.locator(".live-verdict").inner_text()
    assert page.locator("strong").inner_text().endswith("…")


def test_a_verb_that_is_hardly_ahead_is_not_called_right(open_figures):
    state = {"sentence": "the keys to the cabinets", "steps": 100, "taken": 1}
    is_, are = module("agreement").compute(**state)["arrives"]
    assert 0.05 < abs(are - is_) < 0.5
    page = open_figures(figure("agreement", state))
    assert "leads by only" in page.locator(".live-verdict").inner_text()


@pytest.mark.parametrize("steps", [0, 100])
def test_the_word_that_is_taken_away_is_said_to_decide_only_where_it_does(open_figures, steps):
    state = {"sentence": "the keys to the cabinet", "steps": steps, "taken": -1}
    whole = module("agreement").compute(**state)
    page = open_figures(figure("agreement", state))
    told, clear = page.locator(".live-verdict"), 0
    for word in range(5):
        set_state(page, "agreement", taken=word)
        if re.search("toss-up|leads by only", told.inner_text()):
            continue
        clear += 1
        decides = module("agreement").compute(**state | {"taken": word})["are"] != whole["are"]
        assert told.inner_text().startswith("Without" if decides else "With or without"), word
    assert clear > 1


@pytest.mark.parametrize(("width", "is_open"), [(1000, True), (375, False)])
def test_the_plane_is_open_where_it_has_room(open_figures, width, is_open):
    page = open_figures(figure("agreement"), width=width)
    assert page.locator("details").get_attribute("open") == ("" if is_open else None)
