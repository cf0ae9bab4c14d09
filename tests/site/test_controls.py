"""Every control of every page, moved by the keyboard alone."""

from types import SimpleNamespace

import pytest
from built_site import FROM_FOLDER, HEIGHT, has_class, mainly, pages_with, report

PLAYER = f"//main//div[{has_class('explore')}]"
# What a reader can tell of an explorer: which frames take room, what the slider or menu says, what is spoken.
STATE = """(input) => {
  const player = input.closest(".explore");
  const frames = [...player.querySelectorAll(".frame")].filter((f) => f.checkVisibility() && f.offsetHeight > 0);
  const drawn = [...(frames[0]?.querySelectorAll("svg[aria-label]") ?? [])];
  return {
    focused: document.activeElement === input, value: Number(input.value), visible: frames.length,
    min: Number(input.min || 0), max: Number(input.max || input.length - 1),
    drawing: frames[0]?.innerHTML,
    alt: drawn.map((svg) => svg.getAttribute("aria-label")).join(" "),
    output: player.querySelector(`output[for="${input.id}"]`)?.textContent ?? input.selectedOptions?.[0].text ?? null,
    valuetext: input.getAttribute("aria-valuetext") ?? JSON.parse(input.dataset.labels)[input.value],
    spoken: player.querySelector("[aria-live]")?.textContent ?? null,
  };
}"""


@pytest.fixture(scope="module", params=FROM_FOLDER or [None])
def page(request, open_page):
    """A page that stays open for all tests of this module, light and wide."""
    page = open_page(request.param)
    yield page
    page.context.close()


def on_pages_with(xpath, first=3, also=()):
    """Run a test on the pages that hold something, but for some only in `make test-all`; fail if there is none."""
    return pytest.mark.parametrize("page", mainly(pages_with(xpath), first, also), indirect=True)


def state(slider):
    """Return what a reader can tell of an explorer."""
    return SimpleNamespace(**slider.evaluate(STATE))


def press(slider, key):
    slider.press(key)
    return state(slider)


def unchanged(a, b):
    """Return what a move should have changed and did not."""
    parts = {"drawing": "the drawing", "output": "the text beside the control", "valuetext": "aria-valuetext"}
    parts |= {"spoken": "the spoken description", "value": "the value"}
    return [name for part, name in parts.items() if getattr(a, part) == getattr(b, part)]


def defects(slider):
    """Move one slider or menu through its range by keyboard; return what is wrong."""
    slider.focus()
    slider.page.keyboard.press("Shift+Tab")
    slider.page.keyboard.press("Tab")
    start = state(slider)
    errors = [] if start.focused else ["Tab does not reach it"]
    there = press(slider, "ArrowLeft" if start.value == start.max else "ArrowRight")
    back = press(slider, "ArrowRight" if start.value == start.max else "ArrowLeft")
    home, end = press(slider, "Home"), press(slider, "End")
    errors += [f"an arrow key leaves {part} as it was" for part in unchanged(start, there)]
    errors += [f"the first and the last choice share {part}" for part in unchanged(home, end)]
    if (back.value, back.drawing, back.output) != (start.value, start.drawing, start.output):
        errors.append("one step there and one back do not lead to the start")
    for where, now in {"at the start": start, "after a step": there, "at Home": home, "at End": end}.items():
        if (now.visible, now.output, now.spoken) != (1, now.valuetext, now.alt):
            errors.append(f"{where} it shows {now.visible} frames and {now.output!r}, and says {now.valuetext!r}")
    slider.press("Home")  # the next slider of the same figure begins where the reader would
    for _ in range(start.value - start.min):
        slider.press("ArrowRight")
    return errors


@on_pages_with(PLAYER, 2)
def test_sliders(page):
    for player in page.locator(".explore").all():
        sliders = player.locator(":is(input[type=range], select)").all()
        assert sliders, f"{page.name}: an explorer without a control"
        report(f"{page.name}: {s.get_attribute('id')}: {defect}" for s in sliders for defect in defects(s))
    report(f"{page.name}: {line}" for line in page.log)


@on_pages_with("//main//details", 1)
def test_what_is_folded_opens_and_closes(page):
    """The first of each kind, by the keyboard."""
    everything = page.locator("main details")
    kinds = everything.evaluate_all("(list) => list.map((e) => (e.open || !e.checkVisibility() ? null : e.className))")
    first = {kind: number for number, kind in reversed([*enumerate(kinds)]) if kind is not None}
    for details in map(everything.nth, first.values()):
        details.evaluate("(e) => { for (let up = e; (up = up.parentElement.closest('details')); ) up.open = true; }")
        details.locator("> summary").focus()
        for opened in (True, False):
            page.keyboard.press("Enter")
            shown = details.evaluate("(e) => [...e.children].slice(1).some((part) => part.checkVisibility())")
            assert shown == opened, f"{page.name}: Enter does nothing"


@on_pages_with("//main//svg[@role='img']", 1)
def test_the_theme_button(page):
    """It leads to light, dark, and what the system says, by three presses or a menu; every figure's text goes along."""
    colours = """() => [...document.querySelectorAll("main svg[role=img]")].filter((svg) => svg.checkVisibility())
      .map((svg) => [svg.getAttribute("aria-label"),
        [...svg.querySelectorAll("text")].map((text) => getComputedStyle(text).fill).join()])"""
    button, seen = page.locator(".theme-switch-button:visible"), {}
    assert button.count() == 1, f"{page.name}: {button.count()} visible buttons for the theme"
    for number in range(3):
        button.focus()
        page.keyboard.press("Enter")
        if menu := page.locator(".theme-change-button:visible").all():  # a newer theme opens one
            menu[number].press("Enter")
        seen[page.evaluate("document.documentElement.dataset.theme")] = page.evaluate(colours)
    assert set(seen) == {"light", "dark"}, f"{page.name}: three presses of the button lead to {sorted(seen)}"
    report(
        f"{page.name}: text keeps its colour in the dark theme in the figure: {name[:80]}"
        for (name, light), (_, dark) in zip(seen["light"], seen["dark"], strict=True)
        if light and light == dark
    )


@on_pages_with("//main", 1, also=("search",))
def test_the_search_button(page):
    """It opens a dialog; on the page that is the search itself, it leads to the field there."""
    dialog, buttons = page.locator("dialog#pst-search-dialog"), page.locator(".search-button__button:visible")
    assert buttons.count(), f"{page.name}: no visible button for the search"
    here = page.locator("main form.bd-search").count()
    for button in buttons.all():
        button.focus()
        page.keyboard.press("Enter")
        opened = dialog.get_attribute("open") is not None
        assert opened or here, f"{page.name}: Enter on the search button opens nothing"
        field = page.locator(("main" if here else "dialog#pst-search-dialog") + " input[type=search]:focus")
        assert field.count(), f"{page.name}: Enter on the search button does not lead to a field"
        page.keyboard.press("Escape")
        assert dialog.get_attribute("open") is None, f"{page.name}: Escape leaves the search open"


@on_pages_with("//*[@id='pst-secondary-sidebar']", 1)
def test_a_sidebar_on_a_phone(page):
    """It opens and closes: the theme moves what it holds into a dialog and back."""
    page.set_viewport_size({"width": 375, "height": HEIGHT})
    for side in ("primary", "secondary"):
        button, dialog = page.locator(f".{side}-toggle:visible"), page.locator(f"#pst-{side}-sidebar-modal")
        links = page.locator(f"#pst-{side}-sidebar a:visible, #pst-{side}-sidebar-modal a:visible")
        assert not links.count(), f"{page.name}: the {side} sidebar covers the page from the start"
        button.first.press("Enter")
        assert dialog.get_attribute("open") is not None, f"{page.name}: Enter does not open the {side} sidebar"
        box = links.first.bounding_box()
        assert 0 <= box["x"] <= 375 - box["width"], f"{page.name}: the {side} sidebar lies outside the screen: {box}"
        page.keyboard.press("Escape")
        assert not links.count(), f"{page.name}: Escape leaves the {side} sidebar open"
    page.set_viewport_size({"width": 1280, "height": HEIGHT})
