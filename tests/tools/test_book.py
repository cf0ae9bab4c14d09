"""`make book`, `make serve`, `make watch` and the build of `make check`: what is reported, and what a build keeps."""

import fcntl
import os
import queue
import re
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import book
import pytest


def page(body):
    """Return the bytes of a small page."""
    return f"<!DOCTYPE html><html><head><meta charset='utf-8'></head><body>{body}</body></html>".encode()


MISTAKES = [
    ("<div class='output traceback hl'>Trace\nValueError: Q is empty\n</div>", "ValueError: Q is empty"),
    ("<div class='output stderr'>UserWarning: slow</div>", "UserWarning: slow"),
    ("<p class='check check-failed'>rows sum to 1</p>", "rows sum to 1"),
    ("<span class='problematic'>{eq}`x`</span>", "{eq}`x`"),
    ("<aside class='system-message'>Unknown role</aside>", "Unknown role"),
    ("<script src='https://example.org/x'></script>", "https://example.org/x"),
    ("<img srcset='a.png 1x, //example.org/x 2x' src='a.png' alt=''>", "//example.org/x"),
    ("<svg><image xlink:href='https://example.org/x'/></svg>", "https://example.org/x"),
    ("<p style='background: url(https://example.org/x)'>a</p>", "https://example.org/x"),
    ("<link rel='stylesheet' href='https://example.org/x'>", "https://example.org/x"),
]
INNOCENT = "<link rel='canonical' href='https://example.org/'><a href='https://example.org'>a</a>"
INNOCENT += "<div class='output text_plain'>1</div><p class='traceback'>a word</p><script src='_static/x'></script>"


@pytest.mark.parametrize(("body", "named"), MISTAKES)
def test_a_mistake_on_a_page_is_named_with_the_page(tmp_path, body, named):
    for name, text in {"chapters/a.html": body, "b.html": INNOCENT, "_static/part.html": body}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(page(text))
    (line,) = book.scan(tmp_path)
    assert line.startswith("chapters/a.html: ")
    assert named in line


WRONG = "<p class='check-failed'>law</p>"


@pytest.mark.parametrize("was_complete", [True, False])
@pytest.mark.parametrize(
    ("code", "body", "ends", "kept"),
    [
        (0, "fine", None, True),
        (1, "fine", 1, False),  # a warning, which Sphinx would not repeat for a page that it does not read again
        (0, WRONG, 1, False),
        (book.CELLS_FAIL, WRONG, book.CELLS_FAIL, True),  # no page was read: those of the build before stay as they are
    ],
)
def test_a_build_uses_again_only_what_a_complete_build_left(
    tmp_path, monkeypatch, was_complete, code, body, ends, kept
):
    site, doctrees = tmp_path / "html", tmp_path / ".doctrees"
    doctrees.mkdir()
    for name in ["environment.pickle", "complete"] if was_complete else ["environment.pickle"]:
        (doctrees / name).touch()

    def sphinx(*_):
        assert (doctrees / "environment.pickle").exists() is was_complete
        site.mkdir(exist_ok=True)
        doctrees.mkdir(exist_ok=True)
        (site / "index.html").write_bytes(page(body))
        (tmp_path / book.LOG).touch()
        return code

    monkeypatch.setattr(book, "sphinx", sphinx)
    try:
        ended = book.build(tmp_path)
    except SystemExit as stop:
        ended = stop.code
    assert ended == ends
    assert (doctrees / "complete").exists() is (kept and (was_complete or code == 0))


SETTINGS = "myst v3.0.1: MdParserConfig()\nreading sources... [ 50%] a\nreading sources... [100%] b\n"
BOX = """Traceback (most recent call last):
  File "sphinx.py", line 114, in build_sphinx
sphinx.errors.ExtensionError: Two questions have a label: quiz-a.

The above exception was the direct cause of the following exception:

RuntimeError:
=====================================
There was an error in building your book.
"""
SAID = {  # what Sphinx and Jupyter Book say, and what of it is the cause
    "a warning": (
        "{root}/chapters/a.md:7: \x1b[91mWARNING: undefined label: 'x'\x1b[39m\nwriting output... [ 50%] a\n",
        ["chapters/a.md:7: WARNING: undefined label: 'x'"],
    ),
    "warnings of several lines, one of them twice": (
        "a.md: WARNING: a list\n  - one\nb.md:2: ERROR: b\na.md: WARNING: a list\n  - one\nbuild finished, 2 warnings.",
        ["a.md: WARNING: a list\n  - one", "b.md:2: ERROR: b"],
    ),
    "a cell": (
        "a.md:3: WARNING: x\nChapters in which a cell fails: 1.\n\na.md:9, code cell 2: f()\n    a = b: they differ\n",
        ["Chapters in which a cell fails: 1.\n\na.md:9, code cell 2: f()\n    a = b: they differ"],
    ),
    "an exception": (BOX, ["sphinx.errors.ExtensionError: Two questions have a label: quiz-a."]),
    "something else": ("Killed\n", [*SETTINGS.splitlines(), "Killed"]),
}


@pytest.mark.parametrize("kind", SAID)
def test_the_cause_of_a_failing_build_comes_last_and_alone(tmp_path, monkeypatch, capsys, kind):
    said, causes = SAID[kind]
    monkeypatch.setattr(book, "ROOT", tmp_path)
    program = f"print({SETTINGS + said.format(root=tmp_path)!r}); exit(1)"
    monkeypatch.setattr(
        book,
        "sphinx",
        lambda folder, _: book.run_logged([sys.executable, "-c", program], folder / book.LOG, os.environ),
    )
    with pytest.raises(SystemExit) as stop:
        book.build(tmp_path / "_build")
    log = tmp_path / "_build" / book.LOG
    shown = capsys.readouterr().out
    assert stop.value.code == 1
    assert shown.endswith("\n".join(["", *causes, f"The build failed. All that it said is in {log}", ""]))
    assert SETTINGS in log.read_text()


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A tree with one chapter."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "two.md").write_text("first")
    monkeypatch.setattr(book, "ROOT", tmp_path)
    monkeypatch.setattr(book, "BUILD", tmp_path / "_build")
    monkeypatch.setattr(book, "CHECKED", tmp_path / "_build" / "check")
    return tmp_path


def test_a_check_begins_with_the_newest_stored_results(tree, monkeypatch):
    built = []
    monkeypatch.setattr(book, "build", lambda *arguments: built.append(arguments))
    with pytest.raises(SystemExit, match="make book"):
        book.check(["two"])
    stored, folder = tree / "_build" / book.STORED, tree / "_build" / "check" / "_build"
    stored.mkdir(parents=True)
    with pytest.raises(SystemExit, match=r"three.* two\.$"):
        book.check(["three"])
    for age, result in enumerate(("old", "new")):
        (stored / "global.db").write_text(result)
        os.utime(stored / "global.db", (4e9 + age, 4e9 + age))
        book.check(["two"])
        assert (folder / book.STORED / "global.db").read_text() == result
    assert built == [(folder, ["two"])] * 2


@pytest.mark.parametrize("task", ["build", "check", "watch"])
def test_one_process_builds_at_a_time(tree, monkeypatch, task):
    def build(*_):
        with (tree / "_build" / "lock").open() as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        built.append(task)

    built = []
    (tree / "_build" / book.STORED).mkdir(parents=True)
    for name in ("build", "copy_results"):
        monkeypatch.setattr(book, name, build)
    monkeypatch.setattr(sys, "argv", ["book.py", task])
    book.rebuild() if task == "watch" else book.main()
    assert built


# A build that copies the chapters, and refuses the word "false".
STAND_IN = """
import sys
from pathlib import Path
sys.path.insert(0, {tools!r})
import book

root = Path({root!r})
book.ROOT, book.BUILD, book.SITE = root, root / "_build", root / "_build"

def build():
    text = "".join(path.read_text() for path in sorted(root.glob("chapters/*.md")))
    if "false" in text:
        sys.exit("The law does not hold.")
    book.SITE.mkdir(exist_ok=True)
    (book.SITE / "index.html").write_text(f"<html><head></head><body>{{text}}</body></html>")

book.build = build
book.watch()
"""


@pytest.fixture
def watching(tree):
    """Start `make watch` on the stand-in; give a function that waits for a line of its output."""
    program = STAND_IN.format(tools=str(Path(book.__file__).parent), root=str(tree))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    lines = queue.Queue()
    threading.Thread(target=lambda: [lines.put(line) for line in process.stdout], daemon=True).start()

    def wait_for(pattern):
        while True:
            if match := re.search(pattern, lines.get(timeout=60)):
                return match[0]

    yield wait_for
    process.kill()
    process.wait()


def test_watch_builds_what_is_saved_and_outlives_a_build_that_fails(watching, tree):
    address = watching(r"http://\S+/")

    def shows(text):
        end, content = time.monotonic() + 60, ""
        while text not in content:
            assert time.monotonic() < end, content
            time.sleep(0.1)
            with suppress(OSError):  # the server starts, or the file is being written
                content = urlopen(address).read().decode()

    shows("livereload.js")
    (tree / "chapters" / "two.md").write_text("second")
    shows("second")
    (tree / "chapters" / "two.md").write_text("false")
    watching("The law does not hold")
    (tree / "chapters" / "two.md").write_text("third")
    shows("third")
