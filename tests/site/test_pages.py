"""Every built page, opened from its folder in a real browser, light and dark, on a wide screen and on a phone."""

import pytest
from built_site import DESK, PHONE, pages_with, report


def test_nothing_fails_while_the_page_loads(view):
    """Nothing is asked of another host, no file is missing, no script and no line in the console reports an error."""
    report(f"{view['name']}: {line}" for line in view["log"])


def test_the_page_follows_the_theme_of_the_system(view, request):
    wanted = request.node.callspec.params["view"][0]
    assert view["theme"] == wanted, f"{view['name']}: the system is {wanted} and the page is {view['theme']}"


def test_every_formula_is_drawn(view):
    report(f"{view['name']}: {line}" for line in view["math"])


def test_the_font_of_formulas_is_loaded(view):
    loaded = view["mathFont"] or not view["formulas"]
    assert loaded, f"{view['name']}: {view['formulas']} formulas, and the font Book Math is not loaded"


def test_the_font_of_formulas_draws_every_letter(desk):
    """A font that lacks a sign leaves it to another one, and nobody is told. Chinese comes from the system's fonts."""
    report(
        f"{desk['name']}: {text!r} in a formula is drawn by {font}, not by Book Math"
        for text, font, own in desk["fonts"]
        if not own and not any("\u2e80" <= letter <= "\uffef" for letter in text)
    )


def test_no_markup_is_left_in_the_text(desk):
    report(f"{desk['name']}: {line}" for line in desk["raw"])


def test_every_picture_is_described(desk):
    report(f"{desk['name']}: {line}" for line in desk["pictures"])


def test_axe_finds_nothing(view):
    report(
        f"{view['name']}: {rule['impact']}: {rule['id']}: {' '.join(map(str, node['target']))}"
        for rule in view["axe"]
        for node in rule["nodes"][:5]
    )


def test_the_page_does_not_scroll_sideways(view):
    width, screen, wide = view["scrollWidth"], view["innerWidth"], view["wide"]
    widest = wide[0] if wide else "an element that lies in a box of its own"
    assert width <= screen, f"{view['name']}: {width} px of page on {screen} px of screen; the widest: {widest}"
    assert not wide, f"{view['name']}: sticks out of the screen of {screen} px: {widest}"


@pytest.mark.parametrize(("theme", "width"), [DESK, PHONE], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", pages_with("//section[contains(concat(' ', @class, ' '), ' late ')]"))
def test_a_section_that_is_laid_out_late_has_about_its_height(look, name, theme, width):
    """Where the guess is too low, what is not drawn yet lies over the next section for those who do not see it."""
    sections = look(name, theme, width)["late"]
    guessed, real = (sum(section[k] for section in sections) for k in (1, 2))
    assert real <= guessed <= 1.4 * real, f"{name}: {guessed:.0f} px guessed, {real:.0f} px real"
    report(
        f"{name}: #{section}: {guess:.0f} px guessed, {height:.0f} px real"
        for section, guess, height in sections
        if not 0.75 * height <= guess <= 1.8 * height + 60
    )
