"""`make lab`: a chapter opens as a notebook in a browser, its sliders redraw, and saving keeps it as it was."""

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from types import SimpleNamespace

import nbformat
import pytest
from attnfigures.static import scaling
from bookext.write import notebooks
from browser import ALONE, chromium
from chapter_files import HEAD
from fork import ROOT, close_dialogs
from playwright.sync_api import TimeoutError, expect, sync_playwright

pytestmark = pytest.mark.thorough
WAIT = 120_000  # milliseconds; a busy machine starts a kernel slowly
STARTED = "() => /[*\\d]/.test(document.querySelector('.jp-CodeCell .jp-InputPrompt').textContent)"
SLIDERS = ".jp-OutputArea .widget-slider"
REDRAWN = ".jupyter-widgets-output-area svg[aria-label], .widget-output svg[aria-label]"  # what interact has drawn


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The book's JupyterLab on a copy of it, whose chapter `short` is one explorer of a real one."""
    root = tmp_path_factory.mktemp("lab")
    for name in ("chapters", "code", "tools"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "pyproject.toml", root / "pyproject.toml")
    long = (root / "chapters" / "deeper" / "score-law.md").read_text(encoding="utf-8")
    cell = next(cell for cell in re.findall(r"^```\{code-cell\}.*?^```\n", long, re.M | re.S) if "free=" in cell)
    (root / "chapters" / "short.md").write_text(f"{HEAD.match(long)[0]}\n{cell}", encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {f"JUPYTER{name}": str(root / "own" / name) for name in ("_CONFIG_DIR", "_DATA_DIR", "LAB_WORKSPACES_DIR")}
    environ = os.environ | own | {"JUPYTERLAB_SETTINGS_DIR": str(root / "own"), "PYTHONPATH": str(root / "code")}
    environ.pop("ATTNBOOK_BUILD", None)
    address, token = f"http://127.0.0.1:{port}", secrets.token_hex(8)
    command = [sys.executable, "tools/lab.py", "--no-browser", "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.port={port}", f"--IdentityProvider.token={token}"]
    with open(root / "log", "wb") as log:
        server = subprocess.Popen(command, cwd=root, env=environ, stdout=log, stderr=log)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/api/status?token={token}", timeout=5)
                break
            except OSError:
                if server.poll() is not None:
                    pytest.fail((root / "log").read_text(errors="replace")[-1500:], pytrace=False)
                time.sleep(0.2)
        yield SimpleNamespace(root=root, address=address, token=token)
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="module")
def page(lab):
    """The chapter, opened as a reader opens it: by its file alone."""
    assert chromium(), "there is no Chromium: `make test` installs it where it may"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=ALONE)
        page = opened.new_page(viewport={"width": 1200, "height": 1400})
        close_dialogs(page)
        page.goto(f"{lab.address}/lab/tree/chapters/short.md?token={lab.token}", timeout=WAIT)
        page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=WAIT)
        yield page
        opened.close()


@pytest.fixture(scope="module")
def run(page):
    """The same page after Run All Cells."""
    page.wait_for_selector("[data-status=idle]", timeout=WAIT)  # the kernel is there
    for _ in range(12):  # while the page still settles the menu may close without running anything
        page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Run$")).click()
        page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
        with suppress(TimeoutError):
            page.wait_for_function(STARTED, timeout=WAIT / 12)
            break
    page.wait_for_selector(SLIDERS, timeout=WAIT)
    page.wait_for_selector(REDRAWN, timeout=WAIT)
    return page


def test_a_chapter_opens_as_a_notebook(page):
    expect(page.locator(".jp-Notebook .jp-CodeCell").first).to_contain_text("draw_scaling", timeout=WAIT)


def test_a_live_slider_redraws(run):
    """A key press on the free slider asks the kernel for a picture that is none of the player's frames."""
    frames = run.locator(".explore .frame svg").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    before = run.locator(REDRAWN).first.get_attribute("aria-label")
    run.locator(f"{SLIDERS} .noUi-handle").first.focus()
    run.keyboard.press("ArrowRight")
    run.wait_for_function(
        "([what, before]) => { const now = document.querySelector(what);"
        " return now && now.getAttribute('aria-label') !== before; }",
        arg=[REDRAWN, before],
        timeout=WAIT,
    )
    assert run.locator(REDRAWN).first.get_attribute("aria-label") not in frames


def test_saving_keeps_text_in_the_chapter_and_outputs_beside_it(run, lab):
    chapter, paired = lab.root / "chapters" / "short.md", lab.root / "_build" / "lab" / "short.ipynb"
    before = chapter.read_text(encoding="utf-8")
    run.locator("[data-command='docmanager:save']").first.click()
    for _ in range(300):
        with suppress(OSError, ValueError):  # not there yet, or only half of it
            if nbformat.read(paired, 4).cells[0].outputs:
                break
        time.sleep(0.1)
    else:
        pytest.fail("the outputs are not kept", pytrace=False)
    assert chapter.read_text(encoding="utf-8") == before


def test_a_figure_from_elsewhere_is_a_picture_before_the_notebook_is_trusted(lab, page):
    """JupyterLab draws no SVG of a notebook that came from elsewhere."""
    figure = {"kind": "picture", "drawing": scaling.draw_scaling(4, "1/√dₖ").svg}
    (data,) = notebooks.stills(figure)
    output = nbformat.v4.new_output("display_data", data)
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[output])], metadata=kernel)
    nbformat.write(notebook, lab.root / "downloaded.ipynb")
    tab = page.context.browser.new_page()
    close_dialogs(tab)
    tab.goto(f"{lab.address}/lab/workspaces/apart/tree/downloaded.ipynb?token={lab.token}", timeout=WAIT)
    shown = tab.locator(".jp-OutputArea-output")
    expect(shown.locator("img")).to_have_count(1, timeout=WAIT)
    assert shown.locator("img").evaluate("img => img.decode().then(() => img.naturalWidth)") > 100
    tab.close()
