"""make watch: it builds what is saved, once, reloads the browser, and outlives a build that fails."""

import asyncio
import functools
import json
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.request import urlopen

import book
import pytest
import watch
from tornado.websocket import websocket_connect

TOOLS = Path(watch.__file__).parent
PATIENCE = 120  # seconds until a test gives up; nothing here takes more than a few

# A tree of one chapter, and a build that copies it and refuses the word "false".
STAND_IN = """
import sys
from pathlib import Path
sys.path.insert(0, {tools!r})
import book, watch

root = Path({root!r})
book.ROOT, book.SITE = root, root / "_build"

def build():
    text = (root / "chapters" / "page.md").read_text()
    if "false" in text:
        sys.exit("The law does not hold.")
    book.SITE.mkdir(exist_ok=True)
    (book.SITE / "index.html").write_text(f"<html><head></head><body>{{text}}</body></html>")

book.build = build
watch.main(first={port})
"""


@pytest.fixture
def tree(tmp_path, write_files, monkeypatch):
    """A tree of sources; the tools take it for the book."""
    names = ("chapters/page.md", "code/attnbook/laws.py", "course/page.md", "_config.yml", "_toc.yml")
    write_files(dict.fromkeys(names, "one"))
    monkeypatch.setattr(book, "ROOT", tmp_path)
    monkeypatch.setattr(watch, "COMPLETE", tmp_path / "complete")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["chapters/page.md", "code/attnbook/laws.py", "course/new.md", "_config.yml", "_toc.yml"]
)
def test_a_saved_source_is_one_change(tree, name):
    sources = watch.Sources()
    assert not sources.is_changed()
    (tree / name).write_text("two")
    (tree / "chapters" / "also.md").write_text("saved at the same time")
    assert sources.is_changed()
    assert [path.as_posix() for path in sources.saved] == sorted([name, "chapters/also.md"])
    assert not sources.is_changed()


def test_a_removed_source_is_a_change(tree):
    sources = watch.Sources()
    (tree / "course" / "page.md").unlink()
    assert sources.is_changed()


@pytest.mark.parametrize(
    "name",
    ["chapters/.page.md.swp", "chapters/page.md~", "chapters/4913", "code/__pycache__/laws.pyc", "_build/a.html"],
)
def test_what_editors_and_builds_write_is_no_source(tree, name):
    sources = watch.Sources()
    (tree / name).parent.mkdir(exist_ok=True)
    (tree / name).write_text("passing")
    assert not sources.is_changed()


@pytest.mark.parametrize(("name", "kept"), [("code/bookext/theme/pages.py", False), ("code/attnbook/laws.py", True)])
def test_a_change_of_the_extension_writes_every_page_again(tree, monkeypatch, name, kept):
    monkeypatch.setattr(book, "build", lambda: None)
    watch.COMPLETE.touch()
    sources = watch.Sources()
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text("two")
    assert sources.is_changed()
    watch.rebuild(sources)
    assert watch.COMPLETE.exists() is kept


class Watched:
    """A running `make watch` on the stand-in tree: its lines, its address, its page."""

    def __init__(self, root, port):
        program = STAND_IN.format(tools=str(TOOLS), root=str(root), port=port)
        command = [sys.executable, "-c", program]
        # Where the tests run in the background, SIGINT is ignored, also in what they start.
        ready = functools.partial(signal.signal, signal.SIGINT, signal.default_int_handler)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, preexec_fn=ready, **pipes)
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()

    def wait_for(self, pattern):
        """The first line from here on that `pattern` fits."""
        while True:
            line = self.lines.get(timeout=PATIENCE)
            if found := re.search(pattern, line):
                return found

    def page(self):
        return urlopen(self.address, timeout=PATIENCE).read().decode()


@pytest.fixture
def watched(tree):
    """A running `make watch` whose first port is taken."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        first = taken.getsockname()[1]
        running = Watched(tree, first)
        try:
            found = running.wait_for(r"http://127\.0\.0\.1:(\d+)/")
            running.address, running.port = found[0], int(found[1])
            assert running.port > first
            yield running
        finally:
            running.process.kill()
            running.process.wait()


async def reloaded(port, chapter, text):
    """Connect as the script of a page does, save the chapter, and wait for the order to reload that follows its build.

    The first order a server gives is for pages that were open when it started.
    """
    connection = await websocket_connect(f"ws://127.0.0.1:{port}/livereload")
    await connection.write_message(json.dumps({"command": "hello", "protocols": []}))
    await connection.read_message()
    await connection.write_message(json.dumps({"command": "info", "url": "page"}))
    chapter.write_text(text)
    while True:
        order = json.loads(await asyncio.wait_for(connection.read_message(), PATIENCE))
        assert order["command"] == "reload"
        if text in (chapter.parents[1] / "_build" / "index.html").read_text():
            return


def test_saving_rebuilds_and_reloads_and_a_failure_is_a_sentence(tree, watched):
    chapter = tree / "chapters" / "page.md"
    assert "one" in watched.page()
    assert "livereload.js" in watched.page()

    asyncio.run(reloaded(watched.port, chapter, "two"))
    assert "two" in watched.page()

    chapter.write_text("false")
    watched.wait_for(r"^The law does not hold\.$")
    assert "two" in watched.page()  # the server goes on

    asyncio.run(reloaded(watched.port, chapter, "three"))
    assert "three" in watched.page()

    watched.process.send_signal(signal.SIGINT)
    assert watched.process.wait(timeout=PATIENCE) == 0
    assert watched.process.stderr.read() == ""


def test_a_failed_build_reloads_nothing(tree, monkeypatch, capsys):
    monkeypatch.setattr(book, "build", lambda: sys.exit("The law does not hold."))
    sources = watch.Sources()
    (tree / "chapters" / "page.md").write_text("false")
    sources.watch("sources", lambda: watch.rebuild(sources))
    assert sources.examine() == (None, None)
    assert capsys.readouterr().out == "\nSaved: chapters/page.md\nThe law does not hold.\n"
