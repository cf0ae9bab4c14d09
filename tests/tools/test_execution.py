"""What the cache of executed chapters recognises a chapter by: its code and what that depends on, and nothing else."""

import nbformat
import pytest
from bookext.run import dependencies, execution

FILES = {
    "attnbook/__init__.py": "",
    "attnbook/base.py": "one = 1\n",
    "attnbook/middle.py": "from .base import one\n",
    "attnbook/other.py": "import math\n",
    "attnbook/rooms/__init__.py": "from .deep import y\nfrom .wide import z\n",
    "attnbook/rooms/deep.py": "from ..middle import one\n",
    "attnbook/rooms/wide.py": "z = 1\n",
}
CELLS = ["%matplotlib inline\nfrom attnbook.rooms.deep import (\n    y,\n)", "y\n"]


@pytest.fixture
def code(write_files):
    return write_files(FILES)


def mark(code, cells=CELLS):
    execution._package.cache_clear()
    return execution.fingerprint(cells, code)


def test_cells_depend_on_what_they_import_and_on_the_packages_that_hold_it(code):
    known = dependencies.modules(code)
    found = dependencies.closure(dependencies.imported_by_cells(CELLS, known), dependencies.imports(known))
    assert found == {f"attnbook{end}" for end in ("", ".base", ".middle", ".rooms", ".rooms.deep")}
    whole = dependencies.closure(
        dependencies.imported_by_cells(["from attnbook.rooms import y"], known), dependencies.imports(known)
    )
    assert "attnbook.rooms.wide" in whole


@pytest.mark.parametrize("name", ["base", "middle", "rooms/deep", "rooms/__init__"])
def test_a_changed_module_changes_the_mark_of_the_chapters_that_see_it(code, name):
    before = mark(code)
    (code / "attnbook" / f"{name}.py").write_text("two = 2\n")
    assert mark(code) != before


@pytest.mark.parametrize("name", ["other", "rooms/wide"])
def test_a_changed_module_leaves_the_other_chapters_as_they_are(code, name):
    before = mark(code)
    (code / "attnbook" / f"{name}.py").write_text("two = 2\n")
    assert mark(code) == before


def test_another_library_changes_every_mark(code, monkeypatch):
    before = mark(code)
    monkeypatch.setattr(execution.metadata, "version", lambda name: "0.0")
    assert mark(code) != before


@pytest.fixture
def cache(code, tmp_path, monkeypatch):
    monkeypatch.setattr(execution, "CODE", code)
    monkeypatch.setattr(execution.fingerprint, "__defaults__", (code,))
    execution._package.cache_clear()
    yield execution.Cache(tmp_path / "cache")
    execution._package.cache_clear()


def notebook(caption="a", sources=CELLS, output="kept"):
    cells = [nbformat.v4.new_code_cell(source, metadata={"tags": [caption]}) for source in sources]
    for cell in cells:
        cell.outputs = [nbformat.v4.new_output("stream", text=output)] if output else []
    return nbformat.v4.new_notebook(cells=cells)


def keep(cache, notebook):
    data = {"execution_seconds": 1, "code": execution._digest(notebook)}
    cache.cache_notebook_bundle(execution.CacheBundleIn(notebook, "a.md", data=data), check_validity=False)


def test_a_changed_caption_executes_nothing_and_is_shown(cache):
    keep(cache, notebook("old"))
    _, found = cache.merge_match_into_notebook(notebook("new", output=""))
    assert [cell.metadata["tags"] for cell in found.cells] == [["new"], ["new"]]
    assert found.cells[0].outputs[0].text == "kept"


def test_a_changed_cell_or_module_executes_the_chapter(cache, code):
    keep(cache, notebook())
    with pytest.raises(KeyError):
        cache.match_cache_notebook(notebook(sources=[*CELLS, "y + 1"]))
    (code / "attnbook" / "base.py").write_text("two = 2\n")
    execution._package.cache_clear()
    with pytest.raises(KeyError):
        cache.match_cache_notebook(notebook())


def test_a_check_of_one_chapter_shows_the_others_as_they_are_stored(cache, code, monkeypatch):
    keep(cache, notebook())
    (code / "attnbook" / "base.py").write_text("two = 2\n")
    execution._package.cache_clear()
    monkeypatch.setenv("BOOK_EXECUTE", "another-chapter")
    assert cache.match_cache_notebook(notebook()).uri == "a.md"
    with pytest.raises(KeyError):
        cache.match_cache_notebook(notebook(sources=["1"]))


def test_what_myst_nb_executed_itself_is_executed_again(cache):
    """It did so because the page was saved during the build, and it does not ask for what sentences quote."""
    data = {"execution_seconds": 1}
    cache.cache_notebook_bundle(execution.CacheBundleIn(notebook(), "a.md", data=data), check_validity=False)
    with pytest.raises(KeyError):
        cache.match_cache_notebook(notebook())
