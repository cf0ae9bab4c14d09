"""What the tests of the package share: a Hypothesis profile that draws the same examples every time, a kernel, and a
browser with every live figure."""

import nbformat
import pytest
from attnbook import live_files
from browser import ALONE, chromium
from hypothesis import settings
from live_cases import CASES
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright

settings.register_profile("book", derandomize=True, deadline=None, max_examples=30, database=None)
settings.load_profile("book")


@pytest.fixture(scope="session")
def run_notebook():
    """A function that runs code cells (name → source) in a real kernel and returns name → outputs, and the widgets."""

    def run(cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells.values()])
        NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=120).execute()
        nbformat.validate(notebook)
        widgets = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {})
        outputs = [cell.outputs for cell in notebook.cells]
        return dict(zip(cells, outputs, strict=True)), widgets.get("state", {})

    return run


@pytest.fixture(scope="session")
def browser():
    """The one browser of this worker."""
    assert chromium(), "There is no browser: install chromium, or name one in CHROMIUM."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ALONE)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def gallery(tmp_path_factory):
    """A page in a folder with every figure on it, as the site would have it."""
    folder = tmp_path_factory.mktemp("live")
    places = "".join(case.figure._repr_html_() for case in CASES.values())
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{live_files.styles()}</style>'
    )
    (folder / "live.js").write_text(live_files.script(CASES), encoding="utf-8")
    (folder / "page.html").write_text(
        f'<!doctype html><html lang="en"><head><title>Figures</title>{head}</head><body><main><h1>Figures</h1>'
        f'{places}</main><script src="live.js"></script></body></html>',
        encoding="utf-8",
    )
    return (folder / "page.html").as_uri()


@pytest.fixture
def open_gallery(browser, gallery):
    """open_gallery(hash="", **options): the page, which must log no error and ask for nothing else."""
    opened = []

    def open_gallery(address="", width=900, **options):
        options = {"viewport": {"width": width, "height": 800}, "reduced_motion": "reduce"} | options
        context = browser.new_context(**options)
        page, log = context.new_page(), []
        page.set_default_timeout(5_000)
        page.on("console", lambda m: m.type in ("error", "warning") and log.append(m.text))
        page.on("pageerror", lambda error: log.append(str(error)))
        expected = ("page.html", "live.js")
        page.on("request", lambda r: r.url.partition("#")[0].endswith(expected) or log.append(r.url))
        page.goto(gallery + address)
        opened.append((context, log))
        return page

    yield open_gallery
    for context, log in opened:
        context.close()
        assert not log


@pytest.fixture(scope="module")
def still_page(browser, gallery):
    """One page for the tests that only compute."""
    page = browser.new_page()
    page.goto(gallery)
    yield page
    page.close()
