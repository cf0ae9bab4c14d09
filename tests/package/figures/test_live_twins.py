"""Two training runs, of which one is brought into the tracks of the other."""

from live_figures import figure, set_state


def test_what_a_reader_has_found_stays_in_sight(open_figures):
    page = open_figures(figure("twins"))
    set_state(page, "twins", scale=2, start=-1, step=-2)
    set_state(page, "twins", start=0)
    assert "start × 1/2, step × 1/4" in page.locator(".live-twins-goals").inner_text()
