"""What the tests of the package share: a Hypothesis profile that draws the same examples every time, a kernel, and a
browser with every live figure."""

import functools

import nbformat
import pytest
from attnbook import live_files
from browser import ALONE, chromium
from drawn import Drawn
from hypothesis import settings
from jupyter_client import KernelManager
from live_cases import CASES
from nbclient import NotebookClient

settings.register_profile("book", derandomize=True, deadline=None, max_examples=30, database=None)
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


@pytest.fixture
def unsaved(monkeypatch):
    """unsaved(module): from then on its drawing functions return matplotlib's figures, each with its description."""

    def unsaved(module):
        monkeypatch.setattr(module, "picture", Drawn)
        if hasattr(module, "beside"):
            monkeypatch.setattr(module, "beside", lambda *pictures: pictures)
        return module

    return unsaved


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
    """gallery(name): the address of a page with one figure, as the site would have it; each is written once."""
    folder = tmp_path_factory.mktemp("live")
    head = '<!doctype html><html lang="en"><head><title>A figure</title><meta charset="utf-8">'
    head += f'<meta name="viewport" content="width=device-width"><style>{live_files.styles()}</style></head>'

    @functools.cache
    def write(name):
        body = f'<main><h1>A figure</h1>{CASES[name].figure._repr_html_()}</main><script src="{name}.js"></script>'
        (folder / f"{name}.js").write_text(live_files.script([name]), encoding="utf-8")
        (folder / f"{name}.html").write_text(f"{head}<body>{body}</body></html>", encoding="utf-8")
        return (folder / f"{name}.html").as_uri()

    return write


@pytest.fixture
def figure_name(request):
    """The figure that a test is about: its parameter `name`, or FIGURE of its module."""
    return request.getfixturevalue("name") if "name" in request.fixturenames else request.module.FIGURE


@pytest.fixture
def open_gallery(browser, gallery, figure_name):
    """open_gallery(hash="", **options): the page, which must log no error and ask for nothing else."""
    contexts, log = [], []

    def open_gallery(address="", width=900, **options):
        options = {"viewport": {"width": width, "height": 800}, "reduced_motion": "reduce"} | options
        context = browser.new_context(**options)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda m: m.type in ("error", "warning") and log.append(m.text))
        page.on("pageerror", lambda error: log.append(str(error)))
        expected = (f"{figure_name}.html", f"{figure_name}.js")
        page.on("request", lambda r: r.url.partition("#")[0].endswith(expected) or log.append(r.url))
        page.goto(gallery(figure_name) + address)
        contexts.append(context)
        return page

    yield open_gallery
    for context in contexts:
        context.close()
    assert not log


@pytest.fixture(scope="module")
def still_pages(browser, gallery):
    """Pages for the tests that only compute or look, each opened once: a function of the figure's name."""

    @functools.cache
    def still_page(name):
        page = browser.new_page(reduced_motion="reduce")
        page.goto(gallery(name))
        return page

    return still_page


@pytest.fixture
def still_page(still_pages, figure_name):
    """The page of a test that only computes or looks."""
    return still_pages(figure_name)
