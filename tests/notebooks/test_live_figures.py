"""A live figure in JupyterLab 4 and Notebook 7: its state is in the page and in the kernel, whichever changes it."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import nbformat
import pytest
from browser import ALONE, chromium
from fork import ROOT, close_dialogs
from playwright.sync_api import TimeoutError, sync_playwright

WAIT = 120_000  # milliseconds; a busy machine starts a kernel slowly
CELLS = [
    "from attnfigures.live.hull import example\n\nfigure = example()\nfigure",
    'print("query", figure.state["query"])',
    "figure.set(query=[0.5, -1.0])",
    "figure",
]
QUERY = "document.querySelectorAll('.live-drawn')[{}]?.figure.model.get('state').query.join() === '{}'"
JOINED = "globalThis.attnbookLive?.figures.filter((figure) => figure.joined).length === {}"
PROMPT = "document.querySelectorAll('.jp-CodeCell')[{}].querySelector('.jp-InputPrompt').textContent"


@pytest.fixture(params=["lab", "notebook"])
def page(request, tmp_path):
    """A notebook that is open in this user interface; its server listens on this machine only."""
    play = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, CELLS)))
    play.metadata.kernelspec = {"name": "python3", "display_name": "Python"}  # else a slow machine asks for one
    nbformat.write(play, tmp_path / "play.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {
        f"JUPYTER{name}": str(tmp_path / "own" / name) for name in ("_CONFIG_DIR", "_DATA_DIR", "LAB_WORKSPACES_DIR")
    }
    environ = os.environ | own | {"JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "own"), "PYTHONPATH": str(ROOT / "code")}
    environ.pop("ATTNBOOK_BUILD", None)
    address, token = f"http://127.0.0.1:{port}", secrets.token_hex(8)
    command = [sys.executable, "-m", "jupyterlab" if request.param == "lab" else "notebook", "--no-browser"]
    command += ["--allow-root", "--expose-app-in-browser", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={tmp_path}"]
    running = subprocess.Popen(command, cwd=tmp_path, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with suppress(OSError):
                urllib.request.urlopen(f"{address}/api/status?token={token}", timeout=5)
                break
            assert running.poll() is None, "the server has ended"
            time.sleep(0.2)
        place = "lab/tree" if request.param == "lab" else "notebooks"
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=ALONE)
            page = browser.new_page(viewport={"width": 1300, "height": 1600})
            page.set_default_timeout(WAIT)
            close_dialogs(page)
            page.goto(f"{address}/{place}/play.ipynb?token={token}")
            page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
            yield page
            browser.close()
    finally:
        running.terminate()
        with suppress(subprocess.TimeoutExpired):
            running.wait(5)
        running.kill()


def run(page, index):
    """Execute one cell, to its end."""
    cell, before = page.locator(".jp-Notebook .jp-CodeCell").nth(index), page.evaluate(PROMPT.format(index))
    for _ in range(12):  # while the page still settles a key may be lost
        cell.locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        with suppress(TimeoutError):
            page.wait_for_function(f"{PROMPT.format(index)} !== {json.dumps(before)}", timeout=WAIT / 12)
            break
    page.wait_for_function(f"/\\d/.test({PROMPT.format(index)})")
    return cell


@pytest.mark.thorough
def test_a_figure_and_its_kernel_share_one_state(page):
    run(page, 0)
    page.wait_for_function(JOINED.format(1))
    query = page.locator(".live-drawn [role=slider][aria-label=query]")
    query.press("ArrowRight")  # what the reader moves reaches the kernel
    page.wait_for_function(QUERY.format(0, "1.3,1"))
    page.wait_for_timeout(500)
    assert "query [1.3, 1" in run(page, 1).inner_text()
    run(page, 2)  # what the kernel sets reaches the page
    page.wait_for_function(QUERY.format(0, "0.5,-1"))
    run(page, 3)  # a second copy moves together with the first
    page.wait_for_function(JOINED.format(2))
    query.nth(1).press("ArrowUp")
    page.wait_for_function(QUERY.format(0, "0.5,-0.9"))
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    page.evaluate("window.jupyterapp.serviceManager.sessions.shutdownAll()")  # else a new page takes its state from it
    page.reload()  # a saved notebook is alive before anything runs
    query.first.press("ArrowLeft")
    page.wait_for_function(QUERY.format(0, "1.1,1"))
    assert "Error displaying widget" not in page.locator(".jp-Notebook").inner_text()
