"""What the tests of the built site share: one browser, and a look at a page that collects every fact in one load.

Every page is opened once from a server on this machine, as most readers meet it, and looked at. Tests that move
something open pages from the folder itself, as a reader does who has downloaded the site.
"""

import functools
import hashlib
import pickle
import re
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import built_site as built
import lighthouse
import pytest
from browser import ALONE, chromium
from playwright.sync_api import TimeoutError, expect

HERE = Path(__file__).parent
LOOKS = built.ROOT / "_build" / "looks"
OF_PAGES = re.compile(r"search-index|live-.*\.js")  # changes with every word, or is named with its digest in a page
THEME = "document.documentElement.dataset.theme"


@pytest.fixture(params=built.SOURCES or [None])
def source(request):
    """Each page in turn, redirects included, as it stands in its file: name and parsed page."""
    name = built.named(request.param)
    return SimpleNamespace(name=name, page=built.SOURCES[name])


ALIKE = [name for name in built.PAGES if name.startswith("chapters/package/")]  # from docstrings, by one template


@pytest.fixture(params=[*(n for n in built.PAGES if n not in ALIKE), *built.mainly(ALIKE)] or [None])
def page_name(request):
    """Each page in turn, without redirects."""
    return built.named(request.param)


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
def server(tmp_path_factory):
    """The site on an address of this machine, compressed as servers do, in the folder that it was built for."""
    built.named("index")
    root, folder = built.SITE, built.BELOW.strip("/")
    if folder:
        root = tmp_path_factory.mktemp("server")
        (root / folder).parent.mkdir(parents=True, exist_ok=True)
        (root / folder).symlink_to(built.SITE, target_is_directory=True)
    with lighthouse.serve(root) as address:
        yield f"{address}/{folder}".rstrip("/")


def watch(page, base):
    """Return a list that grows with what goes wrong while `page` loads and is used."""
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
    """open_page(name, theme, width, base=, query=, without=, late=, before=, **context options): a page with its log.

    `page.log` holds what went wrong; `without` is a pattern of addresses refused, `late` of those answered after the
    first paint, `before` a script that runs before any of the page's own, `policy` what a server lets the page do.
    """

    def open_page(
        name,
        theme="light",
        width=1280,
        base="",
        query="",
        without=None,
        late=None,
        before=None,
        policy="",
        drawn=True,
        **options,
    ):
        base = base or built.SITE.as_uri()
        viewport = {"width": width, "height": built.HEIGHT}
        context = browser.new_context(viewport=viewport, color_scheme=theme, reduced_motion="reduce", **options)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.log, page.name = watch(page, base), built.named(name)
        if before:
            page.add_init_script(before)
        if without:
            page.route(without, lambda route: route.abort())
        if late:
            due = time.monotonic() + 0.7
            page.route(late, lambda route: (time.sleep(max(0, due - time.monotonic())), route.continue_()))
        if policy:
            page.route(
                "**/*.html", lambda r: r.fulfill(response=r.fetch(), headers={"content-security-policy": policy})
            )
        page.goto(f"{base}/{name}.html{query}", wait_until="load")
        if name not in built.REDIRECTS:
            page.evaluate("document.fonts.ready.then(() => 0)")
        if drawn and options.get("java_script_enabled", True):
            page.evaluate(PRINTED)
            page.evaluate(TOUCHED)
            expect(page.locator(".live:not(.live-drawn)")).to_have_count(0, timeout=60_000)
            expect(page.locator(WITHOUT_BUTTON)).to_have_count(0, timeout=60_000)
        return page

    return open_page


# The buttons that copy code come when the reader first does something.
TOUCHED = "dispatchEvent(new Event('pointerdown'))"
WITHOUT_BUTTON = "div.highlight:has(> pre):not(:has(.copybtn), .cell_output *)"
# Before a page is printed all its figures are drawn, those too that the reader has not come to.
PRINTED = "['beforeprint', 'afterprint'].forEach((name) => dispatchEvent(new Event(name)))"


@functools.cache
def shared():
    """Return a digest of what all looks depend on: the files that pages share, and how one looks."""
    files = [
        *(path for path in (built.SITE / "_static").rglob("*") if path.is_file() and not OF_PAGES.match(path.name)),
        *HERE.glob("*.js"),
        HERE / "conftest.py",
    ]
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in sorted(files))).hexdigest()


def state(name, version):
    """Return a digest of all that the look at a page depends on; ``version`` is that of the browser."""
    page = hashlib.sha256((built.SITE / f"{name}.html").read_bytes()).hexdigest()
    return f"{page} {shared()} {version} {built.ADDRESS}"


@pytest.fixture(scope="session")
def look(request, browser, open_page, server):
    """look(name): the facts of one page, collected in one load for every test that asks.

    They are stored, unless something is wrong, and read again while the page is the same: a look takes seconds.

    The page is opened on a phone in the dark theme, its font of formulas comes late, and then it changes its width,
    medium and theme. What unfolds it comes after what must be seen folded, and axe comes last, because it takes
    formulas out. Colours that axe has judged, and fonts of letters, on one page are not judged again on the next.
    """
    from axe_playwright_python.base import AXE_SCRIPT

    judged, letters, looks = set(), set(), {}

    def ask_axe(page, rules):
        violations, colours = page.evaluate(built.AXE, [rules, list(judged)])
        judged.update(colours)
        return violations

    def look(name):
        file = LOOKS / f"{name.replace('/', '-')}.pickle"
        if name not in looks and file.exists():
            digest, stored = pickle.loads(file.read_bytes())
            looks.update({name: stored} if digest == state(name, browser.version) else {})
        if name not in looks:
            looks[name] = look_at(name)
        return looks[name]

    def look_at(name):
        page = open_page(name, "dark", built.PHONE, base=server, late="**/*.woff2", before=built.WATCH_SHIFTS)
        page.wait_for_load_state("networkidle")
        seen = {"name": name, "themes": [page.evaluate(THEME)], "shifts": page.evaluate("window.shifts")}
        page.set_viewport_size({"width": built.DESK, "height": built.HEIGHT})
        page.emulate_media(media="print")
        seen["paper"] = page.evaluate(built.PLAIN, False)
        page.emulate_media(media="screen")
        seen["words"] = page.evaluate(built.PLAIN, True)["words"]
        seen[built.DESK] = page.evaluate(built.FACTS)
        seen["fonts"] = fonts_of_formulas(page, letters)
        page.set_viewport_size({"width": built.PHONE, "height": built.HEIGHT})
        seen[built.PHONE] = page.evaluate(built.FACTS)
        page.evaluate(AXE_SCRIPT)
        seen["axe"] = ask_axe(page, rules=False)
        page.set_viewport_size({"width": built.DESK, "height": built.HEIGHT})
        seen["axe"] += ask_axe(page, rules=False)
        page.emulate_media(color_scheme="light")
        with suppress(TimeoutError):  # then the theme is the old one, and a test says so
            page.wait_for_function(f"{THEME} === 'light'", timeout=10_000)
        seen["themes"].append(page.evaluate(THEME))
        seen["axe"] += ask_axe(page, rules=False)
        page.set_viewport_size({"width": built.PHONE, "height": built.HEIGHT})
        seen["axe"] += ask_axe(page, rules=True)
        seen["log"] = list(page.log)
        page.context.close()
        return seen

    yield look
    # A colour or a letter is judged on the first page that has it: if it is wrong there, no other page is right.
    if not request.session.testsfailed:
        LOOKS.mkdir(parents=True, exist_ok=True)
        for name, seen in looks.items():
            file = LOOKS / f"{name.replace('/', '-')}.pickle"
            file.write_bytes(pickle.dumps((state(name, browser.version), seen)))


def fonts_of_formulas(page, known):
    """Return the new letters of formulas that the book's own font did not draw, with the font: [[letter, font]].

    ``known`` holds the letters of the pages before, and is filled up with those of this page. Chinese comes from the
    system's fonts.
    """
    devtools = page.context.new_cdp_session(page)
    devtools.send("DOM.enable")
    devtools.send("CSS.enable")
    letters = [letter for letter in page.evaluate("bookLetters()") if letter["key"] not in known]  # marked by facts.js
    known.update(letter["key"] for letter in letters)
    root, others = devtools.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"], []
    for letter in letters:
        if any("\u2e80" <= sign <= "\uffef" for sign in letter["text"]):
            continue
        query = {"nodeId": root, "selector": f'[data-letter="{letter["mark"]}"]'}
        node = devtools.send("DOM.querySelector", query)["nodeId"]
        fonts = devtools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        others += [[letter["text"], font["familyName"]] for font in fonts if not font["isCustomFont"]]
    return others


@pytest.fixture
def seen(look, page_name):
    """What is seen of a page."""
    return look(page_name)


@pytest.fixture(params=built.WIDTHS)
def layout(request, look, page_name):
    """What is seen of a page on a wide screen and on a phone, for what depends on the width."""
    return look(page_name)[request.param] | {"name": page_name}
