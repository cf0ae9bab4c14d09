"""What the tests of the built site share: one browser, and a look at a page that collects every fact in one load.

Pages are opened from the folder itself, as a reader does who has downloaded the site; a smaller part of the tests opens
them from a server on this machine.
"""

import functools
from types import SimpleNamespace

import lighthouse
import pytest
from browser import ALONE, chromium
from built_site import (
    AXE,
    DESK,
    FACTS,
    HEIGHT,
    PAGES,
    PHONE,
    PLAIN,
    PRINTED,
    REDIRECTS,
    SITE,
    SOURCES,
    VIEWS,
    named,
)

# What axe looks for in which view: contrast wherever colours differ, the other rules wherever the layout does.
RULES = {DESK: ["rules", "contrast"], PRINTED: ["contrast"], PHONE: ["rules"]}


@pytest.fixture(params=SOURCES or [None])
def source(request):
    """Each page in turn, redirects included, as it stands in its file: name and parsed page."""
    name = named(request.param)
    return SimpleNamespace(name=name, page=SOURCES[name])


@pytest.fixture(scope="session")
def browser():
    """The one browser of all tests on this worker: the system's Chromium."""
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
    """open_page(name, theme, width, base=, query=, without=, before=, **context options): a loaded page with its log.

    `page.log` holds what went wrong, `page.asked` what it asked for; `without` is a pattern of addresses refused,
    `before` a script that runs before any of the page's own.
    """

    def open_page(
        name,
        theme="light",
        width=1280,
        base=SITE.as_uri(),  # noqa: B008
        query="",
        without=None,
        before=None,
        **options,
    ):
        viewport = {"width": width, "height": HEIGHT}
        context = browser.new_context(viewport=viewport, color_scheme=theme, reduced_motion="reduce", **options)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.log, page.name, page.asked = watch(page, base), named(name), set()
        page.on("request", lambda request: page.asked.add(request.url))
        if before:
            page.add_init_script(before)
        if without:
            page.route(without, lambda route: route.abort())
        page.goto(f"{base}/{name}.html{query}", wait_until="load")
        if name not in REDIRECTS:
            page.evaluate("document.fonts.ready.then(() => 0)")
        return page

    return open_page


# What each section that is laid out late was guessed to be high, and is.
LATE = """(screen) => [...document.querySelectorAll(".late")].map((section) => {
  const guess = parseFloat(section.style.getPropertyValue("--" + screen));
  section.style.contentVisibility = "visible";
  return [section.id, guess, section.getBoundingClientRect().height];
})"""


@pytest.fixture(scope="session")
def look(open_page):
    """look(name, theme, width): the facts of one page, collected in one load and kept for every test that asks."""
    from axe_playwright_python.base import AXE_SCRIPT

    @functools.cache
    def look(name, theme, width):
        view = (theme, width)
        page = open_page(name, theme, width)
        seen = {"name": name}
        if view != PRINTED:
            seen["late"] = page.evaluate(LATE, "narrow" if view == PHONE else "wide")
        else:
            page.emulate_media(media="print")
            seen["paper"] = page.evaluate(PLAIN, False)
            page.emulate_media(media="screen")
            seen["words"] = page.evaluate(PLAIN, True)["words"]
        seen |= page.evaluate(FACTS)
        if view == DESK:
            seen["fonts"] = fonts_of_formulas(page)
        seen["log"] = list(page.log)
        page.evaluate(AXE_SCRIPT)
        seen["axe"] = page.evaluate(AXE, RULES[view])
        page.context.close()
        return seen

    return look


def fonts_of_formulas(page):
    """The fonts that drew each different letter or sign of a formula: [[letter, font, whether the book's own]]."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("DOM.enable")
    devtools.send("CSS.enable")
    letters, found = page.evaluate("bookLetters()"), []  # marked by facts.js
    root = devtools.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    for text in letters:
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
