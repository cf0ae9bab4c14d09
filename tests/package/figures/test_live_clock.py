"""The clock: two schemes of positions, of which a question is about one."""

from live_figures import QUESTION, example, figure, put


def test_the_reason_of_an_answer_gives_way_while_the_clock_shows_the_other_scheme(open_figures):
    page = open_figures(figure("clock", ask=QUESTION))
    first = example("clock")
    reason = page.get_by_text("Never.")
    other = page.get_by_text("This answer was about")
    page.get_by_label("this", exact=True).check()
    page.get_by_role("button", name="Check").click()
    for scheme in ("rotary", "sinusoidal", "rotary"):
        put(page, "clock", first | {"scheme": scheme})
        is_asked = scheme == first["scheme"]
        assert reason.is_visible() == is_asked
        assert other.is_visible() == (not is_asked)
