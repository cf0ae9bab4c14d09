"""Saving a chapter in JupyterLab changes what was edited, and nothing else of the author's file."""

import asyncio
import re
import shutil
from difflib import ndiff

import jupytext
import pytest
from chapter_files import ChapterFiles
from fork import ROOT

PATHS = sorted(path for path in ROOT.glob("chapters/**/*.md") if "{code-cell}" in path.read_text("utf-8"))
CHAPTERS = [path for path in PATHS if path.parent.name == "chapters"]
OTHERS = pytest.param([path for path in PATHS if path not in CHAPTERS], marks=pytest.mark.thorough, id="others")
BROWSER = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
BROWSER |= {"language_info": {"name": "python", "version": "3.12.1"}}  # what JupyterLab adds when a kernel starts


@pytest.fixture
def save(tmp_path):
    """save(path, edit): open a chapter in a copy of the book, edit its cells, save it; what the file holds then."""
    shutil.copytree(ROOT / "chapters", tmp_path / "chapters")
    _, *tables = re.split(r"^(?=\[)", (ROOT / "pyproject.toml").read_text("utf-8"), flags=re.M)
    settings = "".join(table for table in tables if table.startswith("[tool.jupytext"))
    (tmp_path / "pyproject.toml").write_text(settings, "utf-8")  # it is read 40 times for each chapter
    manager = jupytext.build_async_jupytext_contents_manager_class(ChapterFiles)(root_dir=str(tmp_path))

    async def opened_and_saved(name, edit):
        model = await manager.get(name)
        model["content"]["metadata"] |= BROWSER
        edit(model["content"]["cells"])
        await manager.save(model, name)

    def save(path, edit=lambda cells: None):
        name = path.relative_to(ROOT).as_posix()
        asyncio.run(opened_and_saved(name, edit))
        return (tmp_path / name).read_text(encoding="utf-8")

    return save


def changed(before, after):
    """The lines that differ, with their sign."""
    return [line.rstrip("\n") for line in ndiff(before.splitlines(True), after.splitlines(True)) if line[0] in "+-"]


@pytest.mark.parametrize("chapters", [pytest.param(CHAPTERS, id="chapters"), OTHERS])
def test_saving_an_unchanged_chapter_changes_nothing(save, chapters):
    assert chapters
    lines = {path.stem: changed(path.read_text("utf-8"), save(path)) for path in chapters}
    assert {stem: changes for stem, changes in lines.items() if changes} == {}


def test_an_edit_changes_its_own_lines(save):
    """A comment in one cell, a tag of another: the code, the options, and nothing else."""
    path = ROOT / "chapters" / "sqrt-dk-scaling.md"

    def edit(cells):
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        code[0]["source"] += "\n# Added."
        code[1]["metadata"]["tags"] = ["added"]

    lines = changed(path.read_text("utf-8"), save(path, edit))
    assert lines == ["+ # Added.", "+ :tags: [added]", "+ "]
