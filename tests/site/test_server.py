"""The site from a server, as most readers meet it: faults and weight; its search and front door, from a folder too."""

import functools
import gzip
import re
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest
from conftest import PAGES, SITE, SOURCES, named, report
from playwright.sync_api import Error

LIMIT, LIMITS = 350_000, {"chapters/index": 250_000}  # bytes, gzipped, with everything a page loads


@pytest.fixture(params=["folder", "server"])
def base(request, server):
    return SITE.as_uri() if request.param == "folder" else server


@pytest.fixture(scope="module")
def visit(open_page, server):
    """visit(name): what one page asked a server for, and what went wrong; kept for both tests."""

    @functools.cache
    def visit(name):
        page = open_page(name, base=server)
        page.wait_for_load_state("networkidle")
        asked = {unquote(urlsplit(url).path) for url in page.asked if url.startswith(server)}
        seen = SimpleNamespace(heading=page.locator("main h1").count(), log=page.log, asked=asked)
        page.context.close()
        return seen

    return visit


def test_every_page_loads_from_a_server(visit, page_name):
    seen = visit(page_name)
    assert seen.heading == 1, f"{page_name}: {seen.heading} headings of level 1"
    report(f"{page_name}: {line}" for line in seen.log)


def test_no_page_is_over_its_weight(visit, page_name):
    """Everything a browser asks for when it opens the page, compressed as servers do; a line names the heaviest."""
    files = {path: (SITE / path.lstrip("/")) for path in visit(page_name).asked}
    weights = {path: gzipped(file) for path, file in files.items() if file.is_file()}
    limit, total = LIMITS.get(page_name, LIMIT), sum(weights.values())
    heaviest = ", ".join(f"{path} {weights[path] / 1e3:.0f}" for path in sorted(weights, key=weights.get)[:-4:-1])
    assert f"/{page_name}.html" in weights, f"{page_name}: the page itself was not weighed"
    assert total <= limit, f"{page_name}: {total / 1e3:.0f} kB of at most {limit / 1e3:.0f}; the heaviest: {heaviest}"


@functools.cache
def gzipped(file: Path):
    """Bytes of a file as a server sends it; pictures and fonts are compressed already and gain nothing."""
    return len(gzip.compress(file.read_bytes(), compresslevel=6, mtime=0))


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
