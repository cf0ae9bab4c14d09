"""One style sheet holds the rules that the pages of a site use, whichever pages a build has written."""

import pytest
from bookext.theme import styles


@pytest.fixture
def site(tmp_path):
    """A site of two pages with a style sheet, a second sheet, and a script that sets the class ``made``."""
    (tmp_path / "_static").mkdir()
    (tmp_path / "a.html").write_text('<p class="a">', "utf-8")
    (tmp_path / "b.html").write_text('<p class="b">', "utf-8")
    (tmp_path / "one.css").write_text(".a {top: 1} .b {top: 2} .made {top: 3} .none {top: 4}", "utf-8")
    (tmp_path / "two.css").write_text(".a .b {top: 5}", "utf-8")
    (tmp_path / "script.js").write_text("element.className = 'made';", "utf-8")
    return tmp_path


def rules(site):
    return (site / styles.SHEET).read_text("utf-8").splitlines()[1:]


def test_a_rule_stays_if_a_page_or_a_script_names_its_classes(site):
    styles.merge(site, ["one.css", "script.js"], True)
    assert rules(site) == [".a{top: 1}", ".b{top: 2}", ".made{top: 3}"]


@pytest.mark.parametrize("loaded", [["one.css"], ["one.css", "two.css"]])
def test_pages_that_were_not_written_keep_what_they_load(site, loaded):
    styles.merge(site, ["one.css", "script.js"], True)
    styles.merge(site, loaded, False)
    assert ".made{top: 3}" in rules(site)
    assert (".a .b{top: 5}" in rules(site)) == ("two.css" in loaded)


def test_a_complete_build_forgets_what_no_page_loads_any_more(site):
    styles.merge(site, ["one.css", "script.js"], True)
    styles.merge(site, ["one.css"], True)
    assert ".made{top: 3}" not in rules(site)
