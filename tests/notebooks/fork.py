"""A fork of the book, as the tests publish it: its addresses, and a server that stands in for GitHub."""

import copy
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bookext import addresses

ROOT = Path(__file__).resolve().parents[2]
GITHUB, FORK = "https://github.com", "/a-reader/their-fork"
ADDRESS, WHEEL = GITHUB + FORK, f"{FORK}/raw/notebooks/{addresses.wheel()}"
SITE_ADDRESS = "https://a-reader.github.io/their-fork/"


@contextmanager
def serve(files):
    """Serve {path: bytes} on this machine, and 404 for the rest; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path in files else 404)
            self.send_header("Content-Length", str(len(files.get(self.path, b""))))
            self.end_headers()
            self.wfile.write(files.get(self.path, b""))

        def log_message(self, *_):
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def served_from(notebook, address):
    """Return a copy of a notebook that takes the package from ``address`` instead of GitHub."""
    notebook = copy.deepcopy(notebook)
    notebook.cells[1].source = notebook.cells[1].source.replace(GITHUB, address)
    return notebook


def close_dialogs(page):
    """Close what JupyterLab asks in between, as a reader would, and print it for the report of a failed test."""

    def close(dialog):
        print("JupyterLab asks:", " ".join(dialog.inner_text().split()))
        dialog.locator("button.jp-mod-accept, button").last.click()

    page.add_locator_handler(page.locator("dialog.jp-Dialog"), close, no_wait_after=True)  # another may follow


def report(problems):
    """Fail with every problem at once, each on a line of its own."""
    problems = list(dict.fromkeys(problems))
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)
