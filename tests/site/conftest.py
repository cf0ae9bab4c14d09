"""What the tests of the built site share: its pages, one browser, and a look at a page that collects every fact.

The site is _build/html, or the folder that BOOK_SITE names. Pages are opened from the folder itself, as a reader does
who has downloaded it; a smaller part of the tests opens them from a server on this machine.
"""

import functools
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import lxml.html
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tools"), str(ROOT / "code")]  # at the end: `test` stays the standard library's
import lighthouse  # noqa: E402
from browser import ALONE, chromium  # noqa: E402

SITE = Path(os.environ.get("BOOK_SITE") or ROOT / "_build" / "html").resolve()
FACTS, PLAIN, AXE = (Path(__file__).with_name(f"{name}.js").read_text("utf-8") for name in ("facts", "plain", "axe"))
# A theme and a width in px. Colours and sizes do not depend on each other, so the phone is looked at in one theme.
DESK, PRINTED, PHONE = ("light", 1280), ("dark", 1280), ("dark", 375)
VIEWS = [DESK, PRINTED, PHONE]
HEIGHT = 800


def parse(path):
    """A page as lxml reads it."""
    return lxml.html.document_fromstring(path.read_bytes().strip() or b"<html></html>")


def built():
    """Every page of the site as {name: parsed page}, the name being its path without .html. _static holds no pages."""
    names = (path.relative_to(SITE) for path in sorted(SITE.rglob("*.html")))
    return {name.with_suffix("").as_posix(): parse(SITE / name) for name in names if name.parts[0] != "_static"}


SOURCES = built()
REDIRECTS = [name for name, page in SOURCES.items() if page.xpath("//meta[translate(@http-equiv, 'R', 'r')='refresh']")]
PAGES = [name for name in SOURCES if name not in REDIRECTS]


def pages_with(xpath):
    """Names of the pages that hold something; if there is none, the test is there once and fails."""
    return [name for name in PAGES if SOURCES[name].xpath(xpath)] or [pytest.param(None, id=f"no page has {xpath}")]


def report(problems):
    """Fail with every problem at once, each on a line of its own."""
    problems = list(dict.fromkeys(problems))
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: builds the whole book; leave it out with -m 'not slow'")


def named(name):
    """`name`, unless there is no such page: then the reason, in one sentence."""
    if not (SITE / "index.html").is_file():
        pytest.fail("The site is not built: run `make book` first, or name a built site in BOOK_SITE.", pytrace=False)
    if name is None:
        pytest.fail("No page of the site has what this test looks at: its name says what.", pytrace=False)
    return name


@pytest.fixture(params=SOURCES or [None])
def source(request):
    """Each page in turn, redirects included, as it stands in its file: name and parsed page."""
    name = named(request.param)
    return SimpleNamespace(name=name, page=SOURCES[name])


@pytest.fixture(scope="session")
def browser():
    """The one browser of all tests: the system's Chromium."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    if path is None:
        pytest.fail("There is no browser: install chromium, or name one in CHROMIUM.", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ALONE)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server():
    """The site on an address of this machine, compressed as servers do."""
    named("index")
    with lighthouse.serve(SITE) as address:
        yield address


def watch(page, base):
    """Write down what goes wrong while `page` loads and is used: a list that grows."""
    log = []

    def requested(request):
        if not request.url.startswith((base + "/", "data:", "blob:")):
            log.append(f"asks for something outside the site: {request.url}")

    def answered(response):
        if response.status >= 400:
            log.append(f"answer {response.status}: {response.url}")

    page.on("request", requested)
    page.on("response", answered)
    page.on("requestfailed", lambda r: log.append(f"cannot be loaded: {r.url} ({r.failure})"))
    page.on("pageerror", lambda error: log.append(f"a script fails: {error}"))
    page.on("console", lambda m: m.type == "error" and log.append(f"error in the console: {m.text}"))
    return log


@pytest.fixture(scope="session")
def open_page(browser):
    """open_page(name, theme, width, base=, query=, without=, **context options): a loaded page with its log.

    `page.log` holds what went wrong, `page.asked` what it asked for; `without` is a pattern of addresses refused.
    """

    def open_page(name, theme="light", width=1280, base=SITE.as_uri(), query="", without=None, **options):  # noqa: B008
        viewport = {"width": width, "height": HEIGHT}
        context = browser.new_context(viewport=viewport, color_scheme=theme, reduced_motion="reduce", **options)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.log, page.name, page.asked = watch(page, base), named(name), set()
        page.on("request", lambda request: page.asked.add(request.url))
        if without:
            page.route(without, lambda route: route.abort())
        page.goto(f"{base}/{name}.html{query}", wait_until="load")
        if name not in REDIRECTS:
            page.evaluate("document.fonts.ready.then(() => 0)")
        return page

    return open_page


@pytest.fixture(scope="session")
def look(open_page):
    """look(name, theme, width): the facts of one page, collected in one load and kept for every test that asks."""
    from axe_playwright_python.base import AXE_SCRIPT

    @functools.cache
    def look(name, theme, width):
        page = open_page(name, theme, width)
        seen = {"name": name}
        if (theme, width) == PRINTED:
            page.emulate_media(media="print")
            seen["paper"] = page.evaluate(PLAIN, False)
            page.emulate_media(media="screen")
            seen["words"] = page.evaluate(PLAIN, True)["words"]
        seen |= page.evaluate(FACTS)
        if (theme, width) == DESK:
            seen["fonts"] = fonts_of_formulas(page)
        seen["log"] = list(page.log)
        page.evaluate(AXE_SCRIPT)
        seen["axe"] = page.evaluate(AXE)
        page.context.close()
        return seen

    return look


def fonts_of_formulas(page):
    """The fonts that drew each different letter or sign of a formula: [[letter, font, whether the book's own]]."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("DOM.enable")
    devtools.send("CSS.enable")
    found = []
    for text in page.evaluate("bookLetters()"):  # marked by facts.js
        root = devtools.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        query = {"nodeId": root, "selector": f'[data-letter="{text["mark"]}"]'}
        node = devtools.send("DOM.querySelector", query)["nodeId"]
        for font in devtools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]:
            found.append([text["text"], font["familyName"], font["isCustomFont"]])
    return found


def _view_name(view):
    return f"{view[0]}-{view[1]}"


@pytest.fixture(params=VIEWS, ids=_view_name)
def view(request, look, page_name):
    """What a page looks like on a wide screen in each theme, and on a phone."""
    return look(page_name, *request.param)


@pytest.fixture
def desk(look, page_name):
    """What a page looks like in the light theme on a wide screen, for what does not depend on either."""
    return look(page_name, *DESK)


@pytest.fixture(params=PAGES or [None])
def page_name(request):
    """Each page in turn, without redirects."""
    return named(request.param)
