"""The tools behind make: what they conclude from pip's words, from pages, and from test reports."""

import importlib.util
import re
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


environment, book, runner = load("environment"), load("book"), load("test")


def test_fits_compares_versions_as_numbers():
    inside = ("2.13.0+cpu", ">=2.3"), ("2.3", "==2.3.0"), ("2.10.0", ">=2.9"), ("2.6.0a0+git1", ">2.5,<=2.6"), ("1", "")
    beyond = ("2.2.9", ">=2.3"), ("3.0", ">=2.3,<3"), ("2.9.1", ">=2.3, !=2.9.1")
    assert [pair for pair in inside if not environment.fits(*pair)] == []
    assert [pair for pair in beyond if environment.fits(*pair)] == []


def test_newest_cpu_prefers_a_cpu_build_over_a_newer_general_one():
    listing = "torch (2.15.0)\nAvailable versions: 2.15.0, 2.13.0+cpu, 2.13.0, 2.12.0+cpu, 2.11.0+cu128\n"
    assert environment.newest_cpu(listing, ">=2.3") == "2.13.0+cpu"
    assert environment.newest_cpu(listing, ">=2.3,<2.13") == "2.12.0+cpu"
    assert environment.newest_cpu(listing, ">=3") is environment.newest_cpu("ERROR: none", "") is None


def test_torch_range_of_this_book_is_readable():
    spec = environment.torch_range()
    assert re.fullmatch(r"((>=|<=|==|!=|>|<)[\d.]+,?)+", spec.replace(" ", "")), spec
    assert not environment.fits("1.0", spec)


OUTPUTS = {
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device": "disk is full",
    "PermissionError: [Errno 13] Permission denied: '/x/.venv'": "writable",
    "WARNING: Retrying after connection broken by 'X'\nERROR: No matching distribution found for torch": "network",
    "ERROR: No matching distribution found for torch>=2.3": "pip finds no torch>=2.3",
    "Collecting pytest-timeout\nERROR: something unheard of\n": "(ERROR: something unheard of)",
    "": "no reason given",
}


@pytest.mark.parametrize(("output", "words"), OUTPUTS.items())
def test_explain_says_one_sentence(output, words):
    (sentence,) = environment.explain(output).splitlines()
    assert words in sentence


def test_news_shows_progress_and_only_large_files_in_a_log():
    assert environment.news("Collecting numpy>=1.26 (from a)") == ("Collecting numpy>=1.26", False)
    assert environment.news("  Downloading torch-2.13.0.whl (190.9 MB)\n")[1] is True
    assert environment.news("  Downloading attrs.whl (67 kB)\n")[1] is False
    assert environment.news("Installing collected packages: a, b, c\n") == ("Installing 3 packages", True)
    assert environment.news("Requirement already satisfied: numpy") is None


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A tree whose environment looks finished, with its paths put into the module; the installing steps leave notes."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    for name in ("PYTHON", "LOG", "STAMP", "UNFINISHED"):
        monkeypatch.setattr(environment, name, tmp_path / getattr(environment, name).name)
    for path in (environment.PYTHON, tmp_path / "pyproject.toml", tmp_path / "requirements.txt"):
        path.touch()
    environment.STAMP.write_text(environment.key() + " test\n")
    notes = []
    for name in ("make_venv", "install_torch", "run"):
        monkeypatch.setattr(environment, name, lambda *_, name=name: notes.append(name))
    return notes


def test_a_stamped_environment_installs_nothing(ready):
    assert environment.ensure(set()) is environment.ensure({"test"}) is None
    assert ready == []


@pytest.mark.parametrize("change", ["pyproject.toml", "requirements.txt", "extra", "UNFINISHED", "PYTHON", "STAMP"])
def test_whatever_changes_makes_the_environment_be_installed_again(ready, change):
    if change.endswith(("toml", "txt")):
        (environment.ROOT / change).write_text("other")
    elif change == "UNFINISHED":
        environment.UNFINISHED.touch()
    elif change != "extra":
        getattr(environment, change).unlink()
    environment.ensure({"other"} if change == "extra" else {"test"})
    assert ready == ["make_venv", "install_torch", "run"]  # torch first
    assert environment.STAMP.read_text().split()[0] == environment.key()


def test_an_installation_cut_short_leaves_no_stamp(ready, monkeypatch):
    (environment.ROOT / "requirements.txt").write_text("other")
    monkeypatch.setattr(environment, "run", lambda *_: pytest.fail("cut short"))
    with pytest.raises(pytest.fail.Exception):
        environment.ensure(set())
    assert not environment.STAMP.exists()


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
    make = runner.shutil.which("make") or pytest.skip("make is not on PATH")
    done = subprocess.run([make, "book"], cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    (said,) = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode != 0
    assert "Python 3.11 or newer" in said


def test_the_ci_entry_only_calls_make_test():
    assert (ROOT / ".ci" / "run").read_text().splitlines()[1:] == ["set -eu", 'cd "$(dirname "$0")/.."', "make test"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
