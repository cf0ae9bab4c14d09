"""What an edit reaches, on a small tree: modules that import each other, tests and chapters that import them."""

import subprocess

import changed
import pytest

FILES = {
    "code/attnbook/__init__.py": "",
    "code/attnbook/base.py": "",
    "code/attnbook/middle.py": "from .base import x\n",
    "code/attnbook/other.py": "import math\n",
    "code/attnbook/rooms/__init__.py": "from .deep import y\n",
    "code/attnbook/rooms/deep.py": "from ..middle import x\n",
    "tests/package/test_middle.py": "from attnbook.middle import x\n",
    "tests/package/test_rooms.py": "from attnbook.rooms import y\n",
    "tests/package/test_other.py": "from attnbook import other\n",
    "tests/tools/test_tool.py": "",
    "tools/tool.py": "",
    "chapters/one.md": "# One\n\n```{code-cell} ipython3\nfrom attnbook.rooms import (\n    y,\n)\n%time y\n```\n",
    "chapters/two.md": "# Two\n\n```{code-cell} ipython3\nfrom attnbook import other\n```\n",
    "chapters/prose.md": "# Prose without a cell\n",
}


@pytest.fixture
def tree(write_files):
    return write_files(FILES)


def names(paths):
    return [path.name for path in paths]


def test_a_change_reaches_whatever_imports_it(tree):
    since = ["code/attnbook/base.py"]
    reached = {"attnbook.base", "attnbook.middle", "attnbook.rooms", "attnbook.rooms.deep"}
    assert changed.reached(since, tree) == reached
    assert names(changed.reaching(since, tree)) == ["test_middle.py", "test_rooms.py"]
    assert changed.importing(since, root=tree) == ["one"]
    assert changed.importing(since, ["one"], tree) == []


def test_a_change_reaches_nothing_else(tree):
    since = ["code/attnbook/other.py"]
    assert changed.reached(since, tree) == {"attnbook.other"}
    assert names(changed.reaching(since, tree)) == ["test_other.py"]
    assert changed.importing(since, root=tree) == ["two"]


def test_tools_tests_and_chapters_stand_for_themselves(tree):
    assert names(changed.reaching(["tools/tool.py"], tree)) == ["test_tool.py"]
    assert names(changed.reaching(["tests/package/test_other.py", "tests/package/test_gone.py"], tree)) == [
        "test_other.py"
    ]
    since = ["chapters/two.md", "chapters/prose.md", "chapters/gone.md", "chapters/audit/claims.yml"]
    assert changed.chapters(since, tree) == ["two"]


def test_changed_files_are_those_that_git_does_not_have(tree):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], cwd=tree, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    assert changed.files(tree) == []
    (tree / "code" / "attnbook" / "base.py").write_text("x = 1\n")
    (tree / "new.md").touch()
    assert changed.files(tree) == ["code/attnbook/base.py", "new.md"]


def test_the_book_itself_can_be_asked():
    assert "attnbook.layers" in changed.reached(["code/attnbook/attention.py"])
    assert "rnn-bottleneck" in changed.importing(["code/attnbook/recurrent.py"])
