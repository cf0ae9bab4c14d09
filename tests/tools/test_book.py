"""`make book`, `make serve` and the build of `make check`: what is found on pages, what is kept, what is said."""

import os
import re
from http.server import ThreadingHTTPServer

import book
import pytest


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
    site, doctrees = tmp_path / "html", tmp_path / ".doctrees"

    def attempt(code, body):
        def sphinx(*_):
            site.mkdir(exist_ok=True)
            doctrees.mkdir(exist_ok=True)
            (site / "index.html").write_bytes(page(body))
            return code

        monkeypatch.setattr(book, "sphinx", sphinx)
        try:
            return book.build(tmp_path)
        except SystemExit as stop:
            return stop.code

    return attempt


def test_a_good_build_says_where_the_site_is_and_keeps_its_doctrees(build, tmp_path, capsys):
    assert build(0, "fine") is None
    assert (tmp_path / "html" / "index.html").as_uri() in capsys.readouterr().out.splitlines()[-1]
    assert (tmp_path / ".doctrees" / "complete").exists()


@pytest.mark.parametrize(("code", "body"), [(1, "fine"), (0, "<p class='check-failed'>law</p>")])
def test_a_failed_build_forgets_its_doctrees(build, tmp_path, code, body):
    assert isinstance(build(code, body), str)  # a sentence on the error stream, exit code 1
    assert not (tmp_path / ".doctrees").exists()


@pytest.mark.parametrize("complete", [True, False])
def test_a_cell_that_fails_leaves_the_doctrees_of_a_complete_build(build, tmp_path, capsys, complete):
    """Nothing was read before the cells ran, so that the repaired book reads the repaired chapter alone."""
    (tmp_path / ".doctrees").mkdir()
    if complete:
        (tmp_path / ".doctrees" / "complete").touch()
    assert build(book.CELLS_FAIL, "<p class='check-failed'>the build before</p>") == book.CELLS_FAIL
    assert (tmp_path / ".doctrees" / "complete").exists() is complete
    assert capsys.readouterr().out == ""  # the last words are those of the build


@pytest.mark.parametrize("complete", [True, False])
def test_only_the_doctrees_of_a_complete_build_are_used_again(build, tmp_path, complete):
    doctrees = tmp_path / ".doctrees"
    doctrees.mkdir()
    for name in ("environment.pickle", *["complete"] * complete):
        (doctrees / name).touch()
    assert build(0, "fine") is None
    assert (doctrees / "environment.pickle").exists() is complete


@pytest.fixture
def checking(tmp_path, monkeypatch):
    """A tree with two chapters, whose build only leaves a note: the notes, (folder, chapters)."""
    (tmp_path / "chapters").mkdir()
    for name in ("one", "two"):
        (tmp_path / "chapters" / f"{name}.md").touch()
    notes = []
    monkeypatch.setattr(book, "ROOT", tmp_path)
    monkeypatch.setattr(book, "BUILD", tmp_path / "_build")
    monkeypatch.setattr(book, "CHECKED", tmp_path / "_build" / "check")
    monkeypatch.setattr(book, "build", lambda *given: notes.append(given))
    return notes


def test_a_check_begins_with_the_newest_stored_results(checking, tmp_path):
    stored, folder = tmp_path / "_build" / book.STORED, tmp_path / "_build" / "check" / "_build"
    stored.mkdir(parents=True)
    for age, result in enumerate(("old", "new")):
        (stored / "global.db").write_text(result)
        os.utime(stored / "global.db", (4e9 + age, 4e9 + age))
        book.check(["two"])
        assert (folder / book.STORED / "global.db").read_text() == result
    assert checking == [(folder, ["two"])] * 2


def test_a_check_of_nothing_stored_or_unknown_is_one_sentence(checking):
    with pytest.raises(SystemExit, match=r"There is no chapter three; there are one, two\.$"):
        book.check(["three"])
    with pytest.raises(SystemExit, match=r"^There are no stored results of the cells yet: run `make book` once"):
        book.check(["one"])
    assert checking == []


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
