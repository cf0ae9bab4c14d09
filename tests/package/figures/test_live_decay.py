"""The decay of a gradient: the line of the RNN is laid flat by a hand, which is not exact to a thousandth."""

from live_figures import figure, state_of


def test_a_line_that_is_laid_nearly_flat_is_flat_and_says_so(open_figures):
    page = open_figures(figure("decay"))
    grip = page.get_by_role("slider", name="RNN, blue circle").bounding_box()
    one = page.locator(".live-decay text", has_text="1").nth(1).bounding_box()
    x = grip["x"] + grip["width"] / 2
    page.mouse.move(x, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, one["y"] + one["height"] / 2 + 3)
    page.mouse.up()
    assert state_of(page, "decay")["w"] == 1
    assert page.locator(".live-found").inner_text() == "it is flat, and nothing is lost"
