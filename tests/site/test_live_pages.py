"""Live figures on the built pages: drawn from a folder too, before what stands below them; and they answer a key."""

import json
import re
from urllib.parse import unquote

import pytest
from built_site import DESK, PAGES, PHONE, SOURCES, WATCH_SHIFTS, pages_with, report

PLACES = "//div[@data-live]"
WITH_FIGURES = pages_with(PLACES)
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


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_every_figure_is_drawn_and_answers_a_key(open_page, name):
    page = open_page(name, theme="dark")
    for place in page.locator(".live").all():
        label = place.get_attribute("id")
        read = f"JSON.stringify(document.getElementById('{label}').figure.model.get('state'))"
        before = page.evaluate(read)
        for handle in place.locator("[role=slider]:visible, input[type=range]:visible").all():
            handle.focus()
            page.keyboard.press("ArrowRight")
            if page.evaluate(read) == before:  # it may stand at its end
                page.keyboard.press("ArrowLeft")
            if page.evaluate(read) != before:  # or be fixed, as those of a query are while weights are moved
                break
        assert page.evaluate(read) != before, label
    assert not page.log
    page.context.close()


@pytest.mark.parametrize("name", pages_with(STATES))
def test_a_link_in_a_sentence_brings_its_state(open_page, name):
    page = open_page(name)
    for link in SOURCES[name].xpath(STATES):
        label, _, state = link[1:].partition("?")
        page.locator(f"a[href='{link}']").click()
        page.wait_for_function(ARRIVED, arg=[label, json.loads(unquote(state))])
        assert not page.locator(f"#{label} .live-asking").count(), "the output is shown, answered or not"
    assert not page.log
    page.context.close()


@pytest.mark.parametrize("width", [PHONE, pytest.param(DESK, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", WITH_FIGURES)
def test_nothing_moves_when_figures_are_drawn_late(open_page, server, name, width):
    page = open_page(name, width=width, base=server, late="**/live-*.js*", before=WATCH_SHIFTS)
    assert page.locator(".live").count() == page.locator(".live-drawn").count()
    moved = page.evaluate("window.shifts")
    page.context.close()
    assert sum(value for value, _ in moved) < 0.01, moved
