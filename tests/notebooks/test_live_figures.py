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
from types import SimpleNamespace

import nbformat
import pytest
from browser import ALONE, chromium
from fork import ROOT, close_dialogs
from playwright.sync_api import TimeoutError, sync_playwright

WAIT = 120_000  # milliseconds; a busy machine starts a kernel slowly
V, K = [[-2, -1.2], [2, -1.6], [0.4, 2.2]], [[1.5, 0.5], [-0.5, 1.5], [-1, -1]]
CELLS = [
    f"from attnbook.live.hull import hull\n\nfigure = hull({V}, {K}, [1.2, 1.0])\nfigure",
    'print("query", figure.state["query"])',
    "figure.set(query=[0.5, -1.0])",
    "figure",
]
DRAWN = "(count) => document.querySelectorAll('.live-drawn').length === count"
QUERY = "(index) => document.querySelectorAll('.live-drawn')[index].figure.model.get('state').query.join()"
IS = f"([index, query]) => ({QUERY})(index) === query"
# Set window.begun when the prompt of a cell changes, and window.ended when it gets a number: after a restart that may
# be the number that it had. The prompt is looked up anew each time, because a page that settles draws its cells again.
ENDS = """(index) => { window.begun = window.ended = false;
  const cells = document.getElementsByClassName('jp-CodeCell');
  const prompt = () => cells[index]?.querySelector('.jp-InputPrompt')?.textContent;
  let before = prompt();
  window.prompts?.disconnect();
  window.prompts = new MutationObserver(() => {
    const now = prompt();
    if (now === undefined || now === before) return;
    before = now;
    window.begun = true;
    if (/\\d/.test(now)) window.ended = true;
  });
  window.prompts.observe(document.body, { childList: true, characterData: true, subtree: true }); }"""
JOINED = "(count) => globalThis.attnbookLive.figures.filter((f) => f.met).length === count"


@pytest.fixture(scope="module", params=["lab", "notebook"])
def server(request, tmp_path_factory):
    """A server of this user interface with one notebook on it; it listens on this machine only."""
    root = tmp_path_factory.mktemp(request.param)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, root / "play.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {f"JUPYTER{name}": str(root / "own" / name) for name in ("_CONFIG_DIR", "_DATA_DIR", "LAB_WORKSPACES_DIR")}
    environ = os.environ | own | {"JUPYTERLAB_SETTINGS_DIR": str(root / "own"), "PYTHONPATH": str(ROOT / "code")}
    environ.pop("ATTNBOOK_BUILD", None)
    address, token = f"http://127.0.0.1:{port}", secrets.token_hex(8)
    command = [sys.executable, "-m", "jupyterlab" if request.param == "lab" else "notebook"]
    command += ["--no-browser", "--allow-root", "--expose-app-in-browser", "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.port={port}", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}"]
    with open(root / "log", "wb") as log:
        running = subprocess.Popen(command, cwd=root, env=environ, stdout=log, stderr=log)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/api/status?token={token}", timeout=5)
                break
            except OSError:
                if running.poll() is not None:
                    pytest.fail((root / "log").read_text(errors="replace")[-1500:], pytrace=False)
                time.sleep(0.2)
        place = "lab/tree" if request.param == "lab" else "notebooks"
        yield SimpleNamespace(
            root=root, api=f"{address}/api", token=token, page=f"{address}/{place}/play.ipynb?token={token}"
        )
    finally:
        running.terminate()
        with suppress(subprocess.TimeoutExpired):
            running.wait(20)
        running.kill()  # a server with a kernel may take its time
        running.wait(20)


def kernels(server, task="", method="GET"):
    """Ask the server for its kernels, or to restart or end the one that runs."""
    headers = {"Authorization": f"token {server.token}"}
    listed = urllib.request.Request(f"{server.api}/kernels", headers=headers)
    [kernel] = json.load(urllib.request.urlopen(listed, timeout=60))
    if task or method != "GET":
        address = f"{server.api}/kernels/{kernel['id']}{task}"
        urllib.request.urlopen(urllib.request.Request(address, headers=headers, method=method), timeout=60).read()


@pytest.fixture(scope="module")
def opened(server):
    """open(): the notebook in a page of one browser."""
    assert chromium(), "there is no Chromium: `make test` installs it where it may"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ALONE)

        def open_notebook():
            page = browser.new_page(viewport={"width": 1300, "height": 1600})
            page.set_default_timeout(WAIT)
            close_dialogs(page)
            page.goto(server.page)
            page.wait_for_selector(".jp-Notebook .jp-CodeCell")
            page.wait_for_function("() => window.jupyterapp")
            return page

        yield open_notebook
        browser.close()


@pytest.fixture(scope="module")
def page(opened):
    page = opened()
    idle = "() => document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'"
    page.wait_for_function(idle)
    return page


def run(page, index):
    """Execute one cell, to its end."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(index)
    page.evaluate(ENDS, index)
    for _ in range(12):  # while the page still settles a key may be lost
        cell.locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        with suppress(TimeoutError):
            page.wait_for_function("() => window.begun", timeout=WAIT / 12)
            break
    page.wait_for_function("() => window.ended")
    return cell


def press(page, index, key):
    page.locator(".live-drawn").nth(index).locator("[role=slider][aria-label=query]").focus()
    page.keyboard.press(key)


def test_what_the_reader_moves_reaches_the_kernel(page):
    run(page, 0)
    page.wait_for_function(DRAWN, arg=1)
    page.wait_for_function(JOINED, arg=1)
    press(page, 0, "ArrowRight")
    assert page.evaluate(QUERY, 0) == "1.3,1"
    page.wait_for_timeout(500)
    assert "query [1.3, 1" in run(page, 1).inner_text()


def test_what_the_kernel_sets_reaches_the_page(page):
    run(page, 2)
    page.wait_for_function(IS, arg=[0, "0.5,-1"])


def test_two_copies_of_one_figure_move_together(page):
    run(page, 3)
    page.wait_for_function(DRAWN, arg=2)
    page.wait_for_function(JOINED, arg=2)
    assert page.evaluate(QUERY, 1) == "0.5,-1"
    press(page, 1, "ArrowUp")
    page.wait_for_function(IS, arg=[0, "0.5,-0.9"])


def test_after_a_restart_the_figure_moves_alone_and_is_joined_again_when_it_runs_again(page, server):
    kernels(server, "/restart", "POST")
    press(page, 0, "ArrowLeft")
    assert page.evaluate(QUERY, 0) == "0.4,-0.9"
    run(page, 0)
    page.wait_for_function(IS, arg=[0, "1.2,1"])
    press(page, 0, "ArrowDown")
    page.wait_for_timeout(500)
    assert "query [1.2, 0.9" in run(page, 1).inner_text()


def test_a_saved_notebook_is_alive_without_its_kernel(page, opened, server):
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    for _ in range(600):
        if sum("live-still" in str(cell.outputs) for cell in nbformat.read(server.root / "play.ipynb", 4).cells) == 2:
            break
        time.sleep(0.1)
    saved = nbformat.read(server.root / "play.ipynb", 4)
    assert [sorted(output.data) for output in saved.cells[0].outputs] == [["text/html", "text/plain"]]
    page.close()
    kernels(server, method="DELETE")
    again = opened()
    again.wait_for_function("() => document.querySelectorAll('.live-drawn').length > 0")
    press(again, 0, "ArrowLeft")
    assert again.evaluate(QUERY, 0) == "1.1,1"
    assert "Error displaying widget" not in again.locator(".jp-Notebook").inner_text()
