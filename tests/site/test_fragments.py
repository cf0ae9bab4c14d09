"""Addresses that nobody meant: cut, mistyped or hostile, they break no page, which shows what it would show without."""

from urllib.parse import quote

import pytest
from built_site import REDIRECTS, SOURCES, pages_with, report
from playwright.sync_api import TimeoutError

FRAGMENTS = ["%", "%E0%A4%A", "constructor", "__proto__", "<b>'", "a?b?c"]
STATES = ["%", "null", "[]", "1", '{"__proto__": {"a": 1}}', '{"constructor": 1, "toString": null}', "{" * 5000]
# What a page does seconds later it does at once.
SOON = "const later = setTimeout; window.setTimeout = (act, wait) => later(act, Math.min(wait ?? 0, 20));"
LATE = "//article//section[contains(@class, 'lazy-layout')]"
FIGURES = "() => [...document.querySelectorAll('.live')].map((box) => JSON.stringify(box.figure.model.get('state')))"
FILTER = "//*[contains(@class, 'claims-place')]"
SAMPLE = [pages_with(LATE)[0], "chapters/package", pages_with(FILTER)[0], "search", "index", *REDIRECTS[:2]]


def problems_at(page, address):
    """Load an address; list what fails, and what is never laid out."""
    page.goto("about:blank")
    page.log.clear()
    page.goto(address, wait_until="networkidle")
    problems = [line for line in page.log if "ERR_ABORTED" not in line]  # of a page that leads on
    try:
        page.wait_for_function("!document.querySelector('.lazy-layout')", timeout=10_000)
    except TimeoutError:
        problems.append("a part of the page is never laid out")
    if page.locator("h1").count() == 0:
        problems.append("no page of the book is shown")
    return [f"{address[-60:]}: {problem}" for problem in problems]


@pytest.mark.parametrize("name", [name for name in SAMPLE if name in SOURCES] or [None])
def test_a_fragment_that_names_nothing_breaks_nothing(open_page, server, name):
    page = open_page(name, base=server, before=SOON)
    report(problem for text in FRAGMENTS for problem in problems_at(page, f"{server}/{name}.html#{text}"))
    page.context.close()


@pytest.mark.parametrize("name", pages_with("//div[@data-live]")[:2])
def test_a_state_that_a_figure_does_not_have_leaves_it_as_it_was(open_page, server, name):
    page = open_page(name, base=server, before=SOON)
    start, problems = page.evaluate(FIGURES), []
    label = SOURCES[name].xpath("string(//div[@data-live]/@id)")
    for text in STATES:
        problems += problems_at(page, f"{server}/{name}.html#{label}?{text if text == '%' else quote(text)}")
        if page.evaluate(FIGURES) != start:
            problems.append(f"{name}: {text[:40]} changes a figure")
    page.context.close()
    report(problems)


@pytest.mark.parametrize("question", ["constructor=1", "length=2&item=3", "__proto__=4", "verdict=5&source=6", "%=%"])
def test_a_filter_takes_from_an_address_what_it_offers(open_page, server, question):
    """It shows every claim, and its menus say so."""
    name = pages_with(FILTER)[0]
    page = open_page(name, base=server, query=f"?{question}")
    menus = page.locator("form.claims-filter select")
    assert [menu.input_value() for menu in menus.all()] == [""] * menus.count()
    assert menus.evaluate_all("(menus) => menus.every((menu) => menu.selectedIndex === 0)")
    assert page.locator("li.claim:visible").count() == page.locator("li.claim").count()
    report(page.log)
    page.context.close()


@pytest.mark.parametrize("question", ["%", "constructor", "__proto__", "hasOwnProperty toString", "<b>", "a" * 5000])
def test_the_search_answers_whatever_an_address_asks(open_page, server, question):
    page = open_page("search", base=server, query=f"?q={question}")
    page.wait_for_function("document.querySelector('.search-summary').textContent")
    report(page.log)
    page.context.close()
