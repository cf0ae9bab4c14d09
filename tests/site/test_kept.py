"""What was seen of a page is used again only while everything that was looked at is the same."""

import kept
import pytest

SOUND = {"asked": {"/_static/a.css"}, "axe": [], "log": [], "fonts": []}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A site of two pages that ask for one file, and an empty folder for what is kept."""
    (tmp_path / "_static").mkdir()
    for file in ("one.html", "two.html", "_static/a.css", "look.js"):
        (tmp_path / file).write_text(file)
    monkeypatch.setattr(kept, "SITE", tmp_path)
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "looks")
    monkeypatch.setattr(kept, "LOOK", [tmp_path / "look.js"])
    return tmp_path


def test_what_was_seen_is_kept(site):
    kept.save({"one": SOUND | {"elements": 7}}, "1.0")
    assert kept.load("one", "1.0")["elements"] == 7
    assert kept.load("two", "1.0") is None


@pytest.mark.parametrize("file", ["one.html", "_static/a.css", "look.js"])
def test_a_page_is_looked_at_again_when_something_changes(site, file):
    kept.save({"one": SOUND}, "1.0")
    (site / "two.html").write_text("another page may change")
    assert kept.load("one", "1.0") == SOUND
    (site / file).write_text("changed")
    assert kept.load("one", "1.0") is None


def test_a_page_is_looked_at_again_when_a_file_is_gone_or_the_browser_is_another(site):
    kept.save({"one": SOUND}, "1.0")
    assert kept.load("one", "2.0") is None
    (site / "_static" / "a.css").unlink()
    assert kept.load("one", "1.0") is None


@pytest.mark.parametrize("wrong", ["axe", "log", "fonts"])
def test_nothing_is_kept_where_something_is_wrong(site, wrong):
    """The fault may stand on both pages, and is told only on the first."""
    kept.save({"one": SOUND, "two": SOUND | {wrong: ["a fault"]}}, "1.0")
    assert kept.load("one", "1.0") is None
