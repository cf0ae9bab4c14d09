"""`make lab` without a browser: what saving leaves in a chapter, and what JupyterLab is started with."""

import asyncio
import shutil
import stat
import subprocess
from difflib import ndiff

import jupytext
import lab
import pytest
from chapter_files import ChapterFiles, kept
from fork import ROOT

CHAPTERS = sorted(path for path in ROOT.glob("chapters/**/*.md") if "{code-cell}" in path.read_text("utf-8"))
BROWSER = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
BROWSER |= {"language_info": {"name": "python", "version": "3.12.1"}}  # what JupyterLab adds when a kernel starts


@pytest.fixture
def save(tmp_path):
    """save(path, edit): open a chapter in a copy of the book, edit its cells, save it; what the file holds then."""
    shutil.copytree(ROOT / "chapters", tmp_path / "chapters")
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
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


def test_saving_an_unchanged_chapter_changes_nothing(save):
    found = {path.stem: changed(path.read_text("utf-8"), save(path)) for path in CHAPTERS}
    assert len(found) > 50
    assert {stem: lines for stem, lines in found.items() if lines} == {}


def test_an_edit_changes_its_own_lines(save):
    """A comment in one cell, a tag of another: the code, the options, and nothing else."""
    path = ROOT / "chapters" / "sqrt-dk-scaling.md"

    def edit(cells):
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        code[0]["source"] += "\n# Added."
        code[1]["metadata"]["tags"] = ["added"]

    lines = changed(path.read_text("utf-8"), save(path, edit))
    assert lines == ["+ # Added.", "+ :tags: [added]", "+ "]


def test_options_that_differ_are_not_taken_for_the_old_ones():
    old = "```{code-cell} ipython3\n:tags: [hide-input]\n\nx = 1\n```\n"
    new = old.replace("hide-input", "hide-cell")
    assert kept(old, new) == new
    assert kept(old, "") == ""


def test_options_of_lab_pass_through_make_and_decide(tmp_path):
    """With a Python that only says what it was called with."""
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\n[ "$1" = -c ] || echo "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    command = ["make", "--no-print-directory", "lab", f"PYTHON={python}", "OPTIONS=--no-browser --port=9000"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert said[-3:] == ["tools/lab.py", "--no-browser", "--port=9000"]
    assert lab.command(said[-2:])[-2:] == ["--no-browser", "--port=9000"]


@pytest.mark.parametrize(("user", "expected"), [(0, True), (1000, False)])
def test_lab_starts_as_root_too(monkeypatch, user, expected):
    monkeypatch.setattr("os.geteuid", lambda: user)
    assert ("--allow-root" in lab.command([])) is expected
