"""The built site as the tests see it: its pages, parsed once, and how problems are reported.

The site is _build/html, or the folder that BOOK_SITE names. It may have been built for an address, which is read from
it: with one, its page for missing addresses has links that begin at the root of the server.
"""

import functools
import os
from pathlib import Path
from urllib.parse import urlsplit

import lxml.html
import pytest
from bookext.language import editions

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("BOOK_SITE") or ROOT / "_build" / "html").resolve()
FACTS, PLAIN, AXE = (Path(__file__).with_name(f"{name}.js").read_text("utf-8") for name in ("facts", "plain", "axe"))
DESK, PHONE = WIDTHS = (1280, 375)  # px
HEIGHT = 800
# Every layout shift since the page began, as the browser counts them.
WATCH_SHIFTS = """window.shifts = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.shifts.push(
    [entry.value, entry.sources.map(({ node }) => (node?.closest ? node : node?.parentElement)?.className).join()])))
  .observe({ type: "layout-shift", buffered: true });"""
# A browser that denies storage.
DENIED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });"""
# Lay everything out, also what the browser leaves for later.
LAY_OUT = """document.head.append(Object.assign(document.createElement("style"),
  { textContent: "* { content-visibility: visible !important; }" }))"""


def has_class(name):
    """The condition of an XPath for elements of a class."""
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


def parse(path):
    """A page as lxml reads it."""
    return lxml.html.document_fromstring(path.read_bytes().strip() or b"<html></html>")


def built():
    """Every page of the site as {name: parsed page}, the name being its path without .html. _static holds no pages."""
    names = (path.relative_to(SITE) for path in sorted(SITE.rglob("*.html")))
    return {name.with_suffix("").as_posix(): parse(SITE / name) for name in names if name.parts[0] != "_static"}


# Its language on the web: another edition than the English lies in _build/html-<language>.
LANGUAGE = editions.tag(SITE.name.partition("html-")[2] or editions.TOP)
SOURCES = built()
REDIRECTS = [name for name, page in SOURCES.items() if page.xpath("//meta[translate(@http-equiv, 'R', 'r')='refresh']")]
PAGES = [name for name in SOURCES if name not in REDIRECTS]
MISSING = "404"  # the page that a server shows for an address that leads nowhere
ADDRESS = SOURCES["index"].xpath("string(//head/link[@rel='canonical']/@href)") if "index" in SOURCES else ""
BELOW = urlsplit(ADDRESS).path  # where a server has the site: /book/, or / where it has a domain; "" without an address
FROM_FOLDER = [name for name in PAGES if not (ADDRESS and name == MISSING)]  # what also opens from a disk
only_english = pytest.mark.skipif(LANGUAGE != editions.TOP, reason="it asks for words of the English edition")


@functools.cache
def pages_with(xpath):
    """Names of the pages that hold something; if there is none, the test is there once and fails."""
    return [name for name in PAGES if SOURCES[name].xpath(xpath)] or [pytest.param(None, id=f"no page has {xpath}")]


def is_translated(element):
    """Whether an edition shows a part of a page in its own language: a page that collects such parts has it."""
    return not element.xpath("ancestor::article[@lang] | descendant-or-self::*[@lang='en'][not(self::a)]")


@functools.cache
def formulas(name):
    """How many formulas a page has."""
    return len(SOURCES[name].xpath("//main//math")) if name in SOURCES else 0


def mainly(names, first=3, also=()):
    """The names; all but ``also`` and the ``first`` pages with the most formulas are left to `make test-all`."""
    ranked = sorted(names, key=lambda name: (name in also, formulas(name)), reverse=True)
    first += len(also)
    return ranked[:first] + [pytest.param(name, marks=pytest.mark.thorough) for name in ranked[first:]]


def report(problems):
    """Fail with every problem at once, each on a line of its own."""
    problems = list(dict.fromkeys(problems))
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def named(name):
    """`name`, unless there is no such page: then the test fails with the reason."""
    if not (SITE / "index.html").is_file():
        pytest.fail("The site is not built: run `make book` first, or name a built site in BOOK_SITE.", pytrace=False)
    if name is None:
        pytest.fail("No page of the site has what this test looks at: its name says what.", pytrace=False)
    return name
