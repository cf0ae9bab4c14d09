"""Points that are squeezed onto a line, whose angle can be typed."""

from live_figures import example, figure, state_of


def test_a_typed_number_is_taken_or_refused_with_a_reason(open_figures):
    page = open_figures(figure("squeeze"))
    first = example("squeeze")["angle"]
    for text, angle, refused in (("400", first, True), ("12", 12, False), ("-7", 12, True)):
        page.get_by_label("angle of the line, in degrees").fill(text)
        page.keyboard.press("Tab")
        assert state_of(page, "squeeze")["angle"] == angle
        assert ("from 0 to 359" in page.locator(".live-figure").inner_text()) == refused
