"""Every built page, opened in a real browser in one load: wide and as on a phone, dark and light."""

import pytest
from built_site import DESK, WIDTHS, pages_with, report


def test_nothing_fails_while_the_page_loads(seen):
    """Nothing is asked of another host, no file is missing, no script and no line in the console reports an error."""
    report(f"{seen['name']}: {line}" for line in seen["log"])


def test_the_page_follows_the_theme_of_the_system(seen):
    """When it loads, in the dark, and when the system changes to light."""
    assert seen["themes"] == ["dark", "light"], f"{seen['name']}: the system is dark, then light"


def test_every_formula_is_drawn(layout):
    report(f"{layout['name']}: {line}" for line in layout["math"])


def test_the_font_of_formulas_is_loaded(layout):
    loaded = layout["mathFont"] or not layout["formulas"]
    assert loaded, f"{layout['name']}: {layout['formulas']} formulas, and the font Book Math is not loaded"


def test_the_font_of_formulas_draws_every_letter(seen):
    """A font that lacks a sign leaves it to another one, and nobody is told."""
    report(
        f"{seen['name']}: {text!r} in a formula is drawn by {font}, not by Book Math" for text, font in seen["fonts"]
    )


def test_no_markup_is_left_in_the_text(seen):
    report(f"{seen['name']}: {line}" for line in seen[DESK]["raw"])


def test_every_picture_is_described(seen):
    report(f"{seen['name']}: {line}" for line in seen[DESK]["pictures"])


def test_axe_finds_nothing(seen):
    report(
        f"{seen['name']}: {rule['impact']}: {rule['id']}: {' '.join(map(str, node['target']))}"
        for rule in seen["axe"]
        for node in rule["nodes"][:5]
    )


def test_the_page_does_not_scroll_sideways(layout):
    width, screen, wide = layout["scrollWidth"], layout["innerWidth"], layout["wide"]
    widest = wide[0] if wide else "an element that lies in a box of its own"
    assert width <= screen, f"{layout['name']}: {width} px of page on {screen} px of screen; the widest: {widest}"
    assert not wide, f"{layout['name']}: sticks out of the screen of {screen} px: {widest}"


def test_the_bar_at_the_top_holds_its_buttons(layout):
    report(f"{layout['name']}: {button}: hangs out of the bar at the top" for button in layout["hanging"])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", pages_with("//section[contains(concat(' ', @class, ' '), ' late ')]"))
def test_a_section_that_is_laid_out_late_has_about_its_height(look, name, width):
    """Where the guess is too low, what is not drawn yet lies over the next section for those who do not see it."""
    sections = look(name)["late"][width]
    guessed, real = (sum(section[k] for section in sections) for k in (1, 2))
    assert real <= guessed <= 1.4 * real, f"{name}: {guessed:.0f} px guessed, {real:.0f} px real"
    report(
        f"{name}: #{section}: {guess:.0f} px guessed, {height:.0f} px real"
        for section, guess, height in sections
        if not 0.75 * height <= guess <= 1.8 * height + 60
    )
