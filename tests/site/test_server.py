"""The site from a server, as most readers meet it, and its search and front door from both places."""

import re
from contextlib import suppress

import pytest
from conftest import PAGES, SITE, SOURCES, named, report
from playwright.sync_api import Error


@pytest.fixture(params=["folder", "server"])
def base(request, server):
    return SITE.as_uri() if request.param == "folder" else server.url


def test_every_page_loads_from_a_server(open_page, server, page_name):
    server.missing.clear()
    page = open_page(page_name, base=server.url)
    heading, log = page.locator("main h1").count(), list(page.log)
    page.context.close()
    assert heading == 1, f"{page_name}: {heading} headings of level 1"
    report(f"{page_name}: {line}" for line in [*log, *server.missing])


def test_the_front_door_leads_to_a_page(open_page, base):
    page = open_page("index", base=base)
    with suppress(Error):  # the page it leads to may not exist
        page.wait_for_selector("main h1", timeout=10_000)
    heading, url, log = page.locator("main h1").count(), page.url, list(page.log)
    page.context.close()
    assert heading, f"index: leads to {url}, where there is no heading"
    report(f"index: {line}" for line in log)


def test_the_search_finds_a_chapter(open_page, base):
    """A word of a title leads to its page, also from a folder, where a page may not read its neighbours."""
    words = []
    for name in filter(lambda name: name.startswith("chapters/"), PAGES):
        title = SOURCES[name].findtext("head/title") or ""
        words += [(word, name) for word in re.findall("[a-z]+", title.partition("—")[0].lower())]
    word, name = max(words, key=lambda found: len(found[0]), default=("attention", None))
    page = open_page("search" if named(name) else None, base=base, query=f"?q={word}")
    page.wait_for_function("/found|did not match/.test(document.querySelector('.search-summary')?.textContent)")
    found = page.locator("#search-results li a").evaluate_all("(links) => links.map((link) => link.href)")
    page.wait_for_timeout(300)  # excerpts are fetched after the list is there
    log = list(page.log)
    page.context.close()
    assert any(f"/{name}.html" in link for link in found), f"searching {word!r} does not find {name}: {found}"
    report(log)
