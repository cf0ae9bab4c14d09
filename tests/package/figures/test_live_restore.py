"""The lists that bring the cards home: the reader bets on how many do before all are tried."""

from live_figures import figure, state_of


def test_who_tries_every_list_without_a_bet_is_asked_for_it(open_figures):
    page = open_figures(figure("restore"))
    message = page.locator("p.live-verdict")
    try_all = page.get_by_role("button", name="Try every list")
    state = state_of(page, "restore")
    before = message.inner_text()

    try_all.click()
    asked = message.inner_text()
    assert asked != before
    assert state_of(page, "restore") == state

    page.get_by_label("your bet").fill("7")
    assert message.inner_text() == before
    try_all.click()
    assert set(state_of(page, "restore")["tried"]) == {"1"}
    assert message.inner_text() not in (before, asked)
