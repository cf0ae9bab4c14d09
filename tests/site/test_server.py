"""The site from a server, as most readers meet it: faults, weight and steadiness; its search and front door."""

import functools
import gzip
import re
from contextlib import suppress
from pathlib import Path

import pytest
from built_site import FROM_FOLDER, PAGES, SITE, SOURCES, WATCH_SHIFTS, mainly, named, report
from playwright.sync_api import Error

# What a page may come to: bytes gzipped with everything it loads, requests, elements, and how much of a phone's screen
# may move while it loads, if the font of formulas comes late (what Lighthouse calls good is 0.1).
BYTES, REQUESTS, ELEMENTS, SHIFT = 350_000, 20, 17_000, 0.1
FRONT = {"index": 250_000}
REFERENCE = {"chapters/package": 21_000}  # elements of a page that nobody reads from top to bottom


@pytest.fixture(params=["folder", "server"])
def base(request, server):
    return SITE.as_uri() if request.param == "folder" else server


@pytest.mark.parametrize("name", mainly(FROM_FOLDER or [None], also=("chapters/audit/s1", "index")))
def test_every_page_loads_from_its_folder(open_page, name):
    """As for a reader who has downloaded the site: nothing is missing, and no script fails."""
    page = open_page(name)
    page.wait_for_load_state("networkidle")
    headings, log = page.locator("main h1").count(), list(page.log)
    page.context.close()
    assert headings == 1, f"{name}: {headings} headings of level 1"
    report(f"{name}: {line}" for line in log)


def test_every_page_has_one_title(seen):
    assert seen["headings"] == 1, f"{seen['name']}: {seen['headings']} headings of level 1"


def test_no_page_is_over_its_weight(seen, page_name):
    """Everything a browser asks for when it opens the page, compressed as servers do; a line names the heaviest."""
    files = {path: (SITE / path.lstrip("/")) for path in seen["asked"]}
    weights = {path: gzipped(file) for path, file in files.items() if file.is_file()}
    limit, total = FRONT.get(page_name, BYTES), sum(weights.values())
    heaviest = ", ".join(f"{path} {weights[path] / 1e3:.0f}" for path in sorted(weights, key=weights.get)[:-4:-1])
    assert f"/{page_name}.html" in weights, f"{page_name}: the page itself was not weighed"
    assert total <= limit, f"{page_name}: {total / 1e3:.0f} kB of at most {limit / 1e3:.0f}; the heaviest: {heaviest}"


def test_no_page_asks_for_too_much_or_holds_too_many_elements(seen, page_name):
    assert len(seen["asked"]) <= REQUESTS, f"{page_name}: {len(seen['asked'])} requests: {sorted(seen['asked'])}"
    most = REFERENCE.get(page_name, ELEMENTS)
    assert seen["elements"] <= most, f"{page_name}: {seen['elements']} elements, at most {most}"


def test_nothing_moves_while_the_page_loads(seen, page_name):
    moved = sum(value for value, _ in seen["shifts"])
    what = "; ".join(f"{value:.4f}: {names}" for value, names in seen["shifts"])
    assert moved <= SHIFT, f"{page_name}: while it loads, {moved:.3f} of the screen moves: {what}"


def test_a_page_that_moves_is_seen(open_page, tmp_path):
    """The browser counts a paragraph that is pushed down after it was drawn."""
    script = "requestAnimationFrame(() => setTimeout(() => { a.style.height = '300px'; done = 1 }, 300))"
    text = f"<!DOCTYPE html><p id=a></p><p>{'A word. ' * 99}</p><script>done = 0; {script}</script>"
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    page = open_page("index", width=375, base=tmp_path.as_uri(), before=WATCH_SHIFTS)
    page.wait_for_function("done && window.shifts.length")
    moved = sum(value for value, _ in page.evaluate("window.shifts"))
    page.context.close()
    assert moved > SHIFT


@functools.cache
def gzipped(file: Path):
    """Bytes of a file as a server sends it; pictures and fonts are compressed already and gain nothing."""
    return len(gzip.compress(file.read_bytes(), compresslevel=6, mtime=0))


def test_the_old_address_of_the_preface_leads_to_the_first_page(open_page, base):
    page = open_page("chapters/index", base=base)
    with suppress(Error):  # the page it leads to may not exist
        page.wait_for_selector("main h1", timeout=10_000)
    heading, url, log = page.locator("main h1").count(), page.url, list(page.log)
    page.context.close()
    assert heading, f"chapters/index: leads to {url}, where there is no heading"
    assert url == f"{base}/index.html"
    report(f"chapters/index: {line}" for line in log)


def test_the_search_finds_a_chapter(open_page, base):
    """A word of a title leads to its page, also from a folder, where a page may not read its neighbours."""
    words = []
    for name in filter(lambda name: name.startswith("chapters/"), PAGES):
        title = SOURCES[name].findtext("head/title") or ""
        words += [(word, name) for word in re.findall(r"[^\W\d_]+", title.partition("—")[0].lower())]
    word, name = max(words, key=lambda found: len(found[0]), default=("attention", None))
    page = open_page("search" if named(name) else None, base=base, query=f"?q={word}")
    found = page.locator("#search-results li a").evaluate_all("(links) => links.map((link) => link.href)")
    log = list(page.log)
    page.context.close()
    assert any(f"/{name}.html" in link for link in found), f"searching {word!r} does not find {name}: {found}"
    report(log)
