"""What a change touches: which files differ from the main branch, and what is named that looks at them."""

import os
import shutil
import subprocess

import pytest
import touched


@pytest.mark.parametrize("branch", ["main", "trunk", "mine"])
def test_changed_files_are_those_that_differ_from_the_main_branch(tmp_path, monkeypatch, branch):
    """A commit hides nothing, be it on a branch or on `main` itself. Without a main branch the last commit counts."""

    def git(*arguments):
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *author, *arguments], cwd=tmp_path, check=True, capture_output=True)

    for name in ("kept.md", "edited.md", "removed.md"):
        (tmp_path / name).touch()
    git("init", "--initial-branch", "trunk" if branch == "trunk" else "main")
    git("add", ".")
    git("commit", "-m", "all")
    if branch == "main":
        git("update-ref", "refs/remotes/origin/main", "HEAD")
    if branch == "mine":
        git("switch", "--create", "mine")
    (tmp_path / "committed.md").touch()
    git("add", ".")
    git("commit", "-m", "one more")
    (tmp_path / "edited.md").write_text("x")
    (tmp_path / "new.md").touch()
    (tmp_path / "removed.md").unlink()
    monkeypatch.setattr(touched, "ROOT", tmp_path)
    assert touched.changed_files() == [*["committed.md"] * (branch != "trunk"), "edited.md", "new.md"]
    shutil.rmtree(tmp_path / ".git")  # as in a downloaded archive
    for path in (os.environ["PATH"], "/nowhere"):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(SystemExit, match="git"):
            touched.changed_files()


def test_a_file_may_have_any_letters_in_its_name(tmp_path, monkeypatch):
    subprocess.run(["git", "init"], cwd=tmp_path, check=True, capture_output=True)
    monkeypatch.setattr(touched, "ROOT", tmp_path)
    for name in ("Größe.md", "注意力.md"):
        (tmp_path / name).touch()
    assert touched.all_files() == ["Größe.md", "注意力.md"]


@pytest.mark.parametrize(
    ("imports", "arguments", "needs"),
    [
        ("import numpy", "name", False),
        ("import no_such_package", "name", True),
        ("import numpy", "browser, name", True),
        ("import numpy", "\n    name,\n    open_figures,\n", True),
    ],
)
def test_a_file_of_tests_that_needs_a_browser_or_a_package_is_known(tmp_path, imports, arguments, needs):
    path = tmp_path / "test_it.py"
    path.write_text(f"{imports}\ndef test_it({arguments}):\n    pass\n", "utf-8")
    assert touched.needs_more(path) is needs


def test_no_check_draws_stills_in_a_browser():
    name = "tests/package/test_live_stills.py"
    assert touched.relevant_tests([name]) == []


@pytest.mark.parametrize(
    ("changed", "pattern"),
    [
        (["live/hull.js", "live/hull.css"], "-k hull`"),
        (["live/star.py", "live/hull.js"], '-k "hull or star"`'),
        (["live/hull.js", "kit/parts.js"], "-k live`"),
    ],
)
def test_the_command_that_tests_a_changed_live_figure_is_named(changed, pattern):
    [*_others, line] = touched.what_else([f"code/attnfigures/{name}" for name in changed])
    assert pattern in line
