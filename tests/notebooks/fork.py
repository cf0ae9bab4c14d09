"""The fork whose notebooks are tested: its addresses, the environments they run in, and how problems are reported."""

import copy
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GITHUB, FORK, BRANCH = "https://github.com", "/a-reader/their-fork", "notebooks"
ADDRESS, ARCHIVE = GITHUB + FORK, f"/archive/refs/heads/{BRANCH}.zip"
SITE_ADDRESS = "https://a-reader.github.io/their-fork/"
# Libraries as Colab's image has them in kind, with both major versions of ipywidgets, and the oldest that are admitted.
# Where torch is not named it is that of the book's own environment.
NEWEST = ("numpy", "scipy", "matplotlib", "ipykernel<7")  # 7 now and then leaves a request unread
ENVIRONMENTS = {
    "ipywidgets-8": (*NEWEST, "ipywidgets==8.*"),
    "ipywidgets-7": (*NEWEST, "ipywidgets==7.*"),
    "oldest": ("torch==2.3.1", "numpy==1.26.*", "scipy==1.11.*", "matplotlib==3.8.*", "ipython==7.34.*",
               "ipywidgets==7.7.*", "array-api-compat==1.12.*", "ipykernel==6.*"),
}  # fmt: skip
# One notebook of each kind: the preface, a chapter with figures and exercises, a page of the back matter.
KINDS = ("index", "permutation-matrices", "famous-mistakes")


@contextmanager
def serve(files):
    """Serve {path: bytes} on this machine, and 404 for the rest; give the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path in files else 404)
            self.send_header("Content-Length", str(len(files.get(self.path, b""))))
            self.end_headers()
            self.wfile.write(files.get(self.path, b""))

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def moved(notebook, address):
    """Return a copy of a notebook whose first cell takes the package from this server instead of GitHub."""
    notebook = copy.deepcopy(notebook)
    assert GITHUB in notebook.cells[0].source
    notebook.cells[0].source = notebook.cells[0].source.replace(GITHUB, address)
    return notebook


def close_dialogs(page):
    """Close what JupyterLab asks in between, as a reader would, and print it: a failing test shows the words."""

    def close(dialog):
        print("JupyterLab asks:", " ".join(dialog.inner_text().split()))
        dialog.locator("button.jp-mod-accept, button").last.click()

    page.add_locator_handler(page.locator("dialog.jp-Dialog"), close)


def report(problems):
    """Fail with every problem at once, each on a line of its own."""
    problems = list(dict.fromkeys(problems))
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)
