"""What the tests of the package share: a Hypothesis profile that draws the same examples every time, a kernel, and a
browser with every live figure."""

import hashlib
from collections import defaultdict

import nbformat
import pytest
from attnfigures.kit import files
from browser import ALONE, chromium
from hypothesis import settings
from jupyter_client import KernelManager
from live_figures import NAMES, example, figure, put
from nbclient import NotebookClient

settings.register_profile("book", derandomize=True, deadline=None, max_examples=20, database=None)
settings.load_profile("book")


@pytest.fixture(scope="session")
def run_notebook():
    """A function that runs code cells (name → source) in a real kernel and returns name → outputs, and the widgets."""

    def run(cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells.values()])
        # A blocking client: jupyter_client sends past pyzmq's own bookkeeping of asyncio sockets, and the reply to a
        # cell that draws into an output widget is then noticed only when the timeout has passed.
        options = {"allow_errors": True, "timeout": 120, "kernel_manager_class": KernelManager}
        NotebookClient(notebook, kernel_name="python3", **options).execute()
        nbformat.validate(notebook)
        widgets = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {})
        outputs = [cell.outputs for cell in notebook.cells]
        return dict(zip(cells, outputs, strict=True)), widgets.get("state", {})

    return run


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of one file: a process with one cannot start another event loop."""
    assert chromium(), "There is no browser: install chromium, or name one in CHROMIUM."
    from playwright.sync_api import sync_playwright  # `make check` does without it

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ALONE)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def gallery(tmp_path_factory):
    """gallery(figure, …): the address of a page with these figures, as the site would have it."""
    folder = tmp_path_factory.mktemp("live")
    head = '<!doctype html><html lang="en"><head><title>A figure</title><meta charset="utf-8">'
    head += f'<meta name="viewport" content="width=device-width"><style>{files.styles()}</style></head>'

    def write(*figures):
        places = "".join(figure._repr_html_() for figure in figures)
        name = hashlib.sha256(places.encode()).hexdigest()[:12]
        body = f'<body><main><h1>A figure</h1>{places}</main><script src="{name}.js"></script></body>'
        (folder / f"{name}.js").write_text(files.script(sorted({figure.name for figure in figures})), encoding="utf-8")
        page = folder / f"{name}.html"
        page.write_text(f"{head}{body}</html>", encoding="utf-8")
        return page.as_uri()

    return write


def new_page(browser, width=900, **options):
    """A page, and a list of the errors that it logs and of what it loads besides the script of its figures."""
    options = {"viewport": {"width": width, "height": 800}, "reduced_motion": "reduce"} | options
    page, log = browser.new_context(**options).new_page(), []
    page.set_default_timeout(20_000)
    page.on("console", lambda m: m.type in ("error", "warning") and log.append(m.text))
    page.on("pageerror", lambda error: log.append(str(error)))
    ours = lambda r: r.is_navigation_request() or r.url == f"{r.frame.url.partition('.html')[0]}.js"  # noqa: E731
    page.on("request", lambda r: ours(r) or log.append(r.url))
    return page, log


def wait_for(page, count):
    """Wait until so many figures of a page are drawn: those below the first come one at a time."""
    page.locator(".live-drawn").nth(count - 1).wait_for(state="attached")


def forget(page, log):
    """Leave a page without anything that its figures keep, and return what it has logged."""
    page.emulate_media(media="screen")
    page.evaluate("sessionStorage.clear()")
    page.goto("about:blank")
    return [log.pop() for _ in range(len(log))]


@pytest.fixture(scope="module")
def free_pages():
    """Pages that no test uses, by their options: opening one takes three times as long as leading it elsewhere."""
    return defaultdict(list)


@pytest.fixture
def open_figures(browser, gallery, free_pages):
    """open_figures(figure, …, address="", **options): a page, which must log no error and load nothing."""
    used = []

    def open_figures(*figures, address="", **options):
        free = free_pages[tuple(options.items())]
        used.append((free, free.pop() if free else new_page(browser, **options)))
        page = used[-1][1][0]
        page.goto(gallery(*figures) + address)
        if len(figures) > 1:
            wait_for(page, len(figures))
        return page

    yield open_figures
    logged = [forget(*opened) for _, opened in used]
    for free, opened in used:
        free.append(opened)
    assert not any(logged), logged


@pytest.fixture(scope="module")
def all_figures(browser, gallery):
    """One page with the example of every figure, and its log: to open one takes longer than most tests."""
    page, log = new_page(browser)
    page.goto(gallery(*map(figure, NAMES)))
    wait_for(page, len(NAMES))
    return page, log


@pytest.fixture
def page(all_figures, name):
    """That page, with the figure ``name`` as it begins; no test may log an error."""
    page, log = all_figures
    put(page, name, example(name))
    yield page
    assert [log.pop() for _ in range(len(log))] == []
