"""No solution and no hidden test reaches the site, its sources, the published notebooks or the student's notebook."""

import pytest
from attncourse import layouts, secrecy
from conftest import CHAPTERS, ROOT

PUBLIC = ("_build/html", "_build/notebooks", "chapters", "code/attnbook")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_secret_is_public(chapter, bundles, tmp_path):
    bundle = bundles[chapter]
    layouts.write(bundle, tmp_path)
    assert list(secrecy.leaks(bundle, tmp_path / "instructor")), "the search finds nothing even where all of it is"
    assert list(secrecy.leaks(bundle, tmp_path / "nbgrader"))
    assert list(secrecy.leaks(bundle, tmp_path / "student")) == []
    for folder in PUBLIC:
        if (ROOT / folder).exists():
            assert list(secrecy.leaks(bundle, ROOT / folder)) == []


def test_the_same_source_gives_the_same_bytes(bundle, tmp_path):
    for name in "ab":
        layouts.write(bundle, tmp_path / name)
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file()]
    assert len(files) == 6
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)
