"""The tools behind make: what they conclude from pages and from test reports."""

import importlib.util
import re
import shutil
import subprocess
import sys
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))  # at the end: `test` stays the standard library's


def load(name):
    """Import tools/NAME.py under a name of its own: `test` is also a module of the standard library."""
    spec = importlib.util.spec_from_file_location(f"book_tools_{name}", ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


book, runner = load("book"), load("test")


def page(body):
    """The bytes of a small page."""
    return f"<!DOCTYPE html><html><head><meta charset='utf-8'></head><body>{body}</body></html>".encode()


BODIES = {
    "<div class='output traceback hl'>Trace\nValueError: Q is empty\n</div>": "error: ValueError: Q is empty",
    "<div class='output stderr'>UserWarning: slow</div>": "error stream: UserWarning: slow",
    "<p class='check check-failed'>rows sum to 1</p>": "a check does not hold: rows sum to 1",
    "<span class='problematic'>{eq}`x`</span>": "could not be resolved: {eq}`x`",
    "<aside class='system-message'>Unknown role</aside>": "Unknown role",
}


@pytest.mark.parametrize(("body", "words"), BODIES.items())
def test_findings_names_what_a_page_must_not_carry(body, words):
    (found,) = book.findings(page(body))
    assert words in found


LOADING = """
<script src='{}'></script>
<img srcset='a.png 1x, {} 2x' src='a.png' alt=''>
<svg><image xlink:href='{}'/></svg>
<p style='background: url({})'>a</p>
<style>@import '{}';</style>
<link rel='stylesheet' href='{}'>
<link rel='shortcut icon' href='{}'>
""".strip().splitlines()


@pytest.mark.parametrize("element", LOADING)
@pytest.mark.parametrize("address", ["https://example.org/x", "http://example.org/x", "//example.org/x"])
def test_findings_names_what_is_loaded_from_outside(element, address):
    assert book.findings(page(element.format(address))) == [f"it loads something from outside: {address}"]
    assert book.findings(page(element.format("_static/x"))) == []


def test_findings_leaves_links_and_ordinary_outputs_alone():
    body = "<a href='https://example.org'>a</a><div class='output text_plain'>1</div><p class='traceback'>a word</p>"
    assert book.findings(page("<link rel='canonical' href='https://example.org/'>" + body)) == []
    assert book.findings(b"") == ["the page is empty"]


def test_scan_names_the_page_and_skips_the_theme(tmp_path):
    for name in ("chapters/a.html", "_static/part.html"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(page("<p class='check-failed'>law</p>"))
    assert book.scan(tmp_path) == ["chapters/a.html: a check does not hold: law"]


@pytest.fixture
def build(tmp_path, monkeypatch):
    """build(code, body): build with a stand-in for Sphinx that ends so and writes that; the exit status."""
    for name, path in {"SITE": "html", "DOCTREES": ".doctrees", "COMPLETE": ".doctrees/complete"}.items():
        monkeypatch.setattr(book, name, tmp_path / path)

    def attempt(code, body):
        def sphinx():
            book.SITE.mkdir(exist_ok=True)
            book.DOCTREES.mkdir(exist_ok=True)
            (book.SITE / "index.html").write_bytes(page(body))
            return code

        monkeypatch.setattr(book, "sphinx", sphinx)
        try:
            return book.build()
        except SystemExit as stop:
            return stop.code

    return attempt


def test_a_good_build_says_where_the_site_is_and_keeps_its_doctrees(build, capsys):
    assert build(0, "fine") is None
    assert (book.SITE / "index.html").as_uri() in capsys.readouterr().out.splitlines()[-1]
    assert book.COMPLETE.exists()


@pytest.mark.parametrize(("code", "body"), [(1, "fine"), (0, "<p class='check-failed'>law</p>")])
def test_a_failed_build_forgets_its_doctrees(build, code, body):
    assert isinstance(build(code, body), str)  # a sentence on the error stream, exit code 1
    assert not book.DOCTREES.exists()


@pytest.mark.parametrize("complete", [True, False])
def test_only_the_doctrees_of_a_complete_build_are_used_again(build, complete):
    book.DOCTREES.mkdir()
    for path in (book.DOCTREES / "environment.pickle", *[book.COMPLETE] * complete):
        path.touch()
    assert build(0, "fine") is None
    assert (book.DOCTREES / "environment.pickle").exists() is complete


def test_serve_takes_the_next_free_port(tmp_path, monkeypatch, capsys):
    def interrupted(server):
        raise KeyboardInterrupt

    monkeypatch.setattr(book, "SITE", tmp_path)
    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", interrupted)
    with pytest.raises(SystemExit, match="make book"):
        book.serve()
    (tmp_path / "index.html").touch()
    with ThreadingHTTPServer(("127.0.0.1", 0), book.Handler) as taken:
        book.serve(first=taken.server_port)
        assert int(re.search(r"127\.0\.0\.1:(\d+)/", capsys.readouterr().out).group(1)) > taken.server_port


def test_count_reads_a_report_and_takes_a_crash_or_an_empty_group_for_a_failure():
    report = "<testsuites><testsuite tests='5' failures='1' errors='1' skipped='1'/></testsuites>"
    assert runner.count(report, 1) == {"passed": 2, "failed": 2, "skipped": 1}
    assert runner.count("<testsuites><testsuite tests='0'/></testsuites>", 5)["failed"] == 1
    assert runner.count(None, -9)["failed"] == 1


def test_the_last_line_names_what_was_skipped_only_if_something_was():
    assert runner.line(runner.Counter(passed=5, failed=1, skipped=2)) == "5 passed, 1 failed, 2 skipped"
    assert runner.line(runner.Counter(passed=1)) == "1 passed, 0 failed"


def test_commands_of_one_check_all_run_and_count_once(monkeypatch):
    codes = [-9, 1, 0]
    monkeypatch.setattr(runner, "run", lambda *_: codes.pop(0))
    assert runner.once(("a",), ("b",), ("c",)) == {"passed": 0, "failed": 1}
    assert codes == []


def test_make_without_a_python_ends_in_one_sentence(tmp_path):
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n")  # the only one on PATH, and too old
    (tmp_path / "python3").chmod(0o755)
    make = shutil.which("make") or pytest.skip("make is not on PATH")
    done = subprocess.run([make, "book"], cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    (said,) = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode != 0
    assert "Python 3.11 or newer" in said


def test_the_ci_entry_only_calls_make_test():
    assert (ROOT / ".ci" / "run").read_text().splitlines()[1:] == ["set -eu", 'cd "$(dirname "$0")/.."', "make test"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
