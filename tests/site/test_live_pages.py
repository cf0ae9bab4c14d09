"""Live figures on the built pages: drawn from a folder too, before what stands below them; and they answer a key."""

import json
import re
from urllib.parse import unquote

import pytest
from built_site import DESK, LAY_OUT, PAGES, PHONE, SOURCES, WATCH_SHIFTS, mainly, pages_with, report
from playwright.sync_api import expect

PLACES = "//div[@data-live]"
WITH_FIGURES = pages_with(PLACES)
ASKS = "//div[@data-live][contains(script, '\"options\"') or contains(script, '\"place\"')]"
STATES = "//main//a[starts-with(@href, '#') and contains(@href, '?')]/@href"  # links to states of a figure on the page
ARRIVED = """([label, parts]) => { const state = document.getElementById(label).figure.model.get("state");
  return Object.entries(parts).every(([name, value]) => JSON.stringify(state[name]) === JSON.stringify(value)); }"""


def test_a_page_loads_one_script_for_its_figures_and_any_other_page_none():
    problems = []
    for name in PAGES:
        names = sorted({place.get("data-live") for place in SOURCES[name].xpath(PLACES)})
        found = [re.search(r"live-[\w-]+\.js", source) for source in SOURCES[name].xpath("//script/@src")]
        scripts = [match[0] for match in found if match]
        if scripts != ([f"live-{'-'.join(names)}.js"] if names else []):
            problems.append(f"{name} has the figures {names} and loads {scripts}")
    report(problems)


@pytest.fixture(scope="module", params=[PHONE, pytest.param(DESK, marks=pytest.mark.thorough)])
def width(request):
    return request.param


@pytest.fixture(scope="module", params=mainly(WITH_FIGURES, 5))
def page(request, open_page, server, width):
    """A page whose script of figures comes late; it stays open for the tests below."""
    page = open_page(request.param, "dark", width, server, late="**/live-*.js*", before=WATCH_SHIFTS)
    yield page
    page.context.close()


def test_nothing_moves_when_figures_are_drawn_late(page):
    assert page.locator(".live").count() == page.locator(".live-drawn").count()
    moved = page.evaluate("window.shifts")
    assert sum(value for value, _ in moved) < 0.01, moved


# No timer runs out that waits for longer than a moment: what comes then comes because the reader does.
NO_PATIENCE = """setTimeout = ((real) => (call, wait = 0) => (wait < 1000 ? real(call, wait) : 0))(setTimeout);"""


@pytest.mark.parametrize("name", [name for name in WITH_FIGURES if len(SOURCES[name].xpath(PLACES)) > 1])
def test_a_figure_is_drawn_when_the_reader_comes_to_it(open_page, name):
    page = open_page(name, width=PHONE, before=NO_PATIENCE, drawn=False)
    undrawn = page.locator(".live:not(.live-drawn)")
    assert undrawn.count(), "all figures are drawn while the page loads"
    page.mouse.move(PHONE / 2, 400)
    for _ in range(300):
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(30)
        if not undrawn.count():
            break
    expect(undrawn).to_have_count(0)
    page.context.close()


def test_every_figure_is_drawn_and_answers_a_key(page):
    problems = []
    for place in page.locator(".live").all():
        label = place.get_attribute("id")
        if place.evaluate("(e) => getComputedStyle(e.parentElement).overflowY") != "visible":
            problems.append(f"{label} scrolls in a box of its own")
        state = f"JSON.stringify(document.getElementById('{label}').figure.model.get('state'))"
        before = page.evaluate(state)
        for handle in place.locator("[role=slider]:visible, input[type=range]:visible").all():
            handle.press("ArrowRight")
            if page.evaluate(state) == before:  # it may stand at its end
                handle.press("ArrowLeft")
            if page.evaluate(state) != before:  # or be fixed, as those of a query are while weights are moved
                break
        else:
            problems.append(f"{label} answers no key")
    report(problems)
    assert not page.log


# Where that begins which figures ask about, and what follows their cells.
LIES = """() => [...document.querySelectorAll(".live:has(.live-ask)")].flatMap((place) => {
  const own = place.querySelector(".live-ask ~ :not(.live-hint)");
  let last = place.closest(".cell");
  while (!last.nextElementSibling) last = last.parentElement;
  return [own, last.nextElementSibling].map((e) => Math.round(e.getBoundingClientRect().top + scrollY)); })"""
SETTLED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300))))"


@pytest.mark.parametrize("name", pages_with(ASKS))
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_an_answer_moves_nothing(open_page, name, width):
    page = open_page(name, "light", width)
    page.evaluate(LAY_OUT)
    page.evaluate(SETTLED)
    before = page.evaluate(LIES)
    for box in page.locator(".live-ask:has(button)").all():
        for option in box.locator("[type=radio]").all()[:1]:
            option.check()
        box.locator("button:visible").first.click()
    page.evaluate(SETTLED)
    assert before
    assert page.evaluate(LIES) == before
    page.context.close()


@pytest.mark.parametrize("name", pages_with(STATES))
def test_a_link_in_a_sentence_brings_its_state(open_page, name):
    """From a folder, where a figure is drawn as well."""
    page = open_page(name)
    for link in SOURCES[name].xpath(STATES):
        label, _, state = link[1:].partition("?")
        page.locator(f"a[href='{link}']").click()
        page.wait_for_function(ARRIVED, arg=[label, json.loads(unquote(state))])
        assert not page.locator(f"#{label} .live-asking").count(), "the output is shown, answered or not"
    assert not page.log
    page.context.close()
