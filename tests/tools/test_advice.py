"""Advice on chapters: what is longer than its aim, and what is checked less strictly than on the main branch."""

import subprocess

import advice
import pytest

HEAD = "---\nkernelspec: {display_name: Python 3, language: python, name: python3}\njupytext:\n"
HEAD += "  text_representation: {extension: .md, format_name: myst}\n---\n# Title\n\n"
CELL = '```{code-cell} ipython3\nfrom attnbook import check\ncheck.equal(1, 1, "a law")\n```\n'
TOC = "{root: index, parts: [{numbered: true, chapters: [{file: chapters/one}]}]}"
CHECK = """from IPython.display import display

def equal(left, right, law):
    record = {"kind": "equal", "law": law, "value": 0.0, "bound": 0.0, "times": 1, "widest": 0.0, "note": ""}
    display({"application/vnd.attnbook.check+json": [record]}, raw=True)
"""


@pytest.fixture
def tree(write_files):
    return write_files(
        {
            "_toc.yml": TOC,
            "chapters/one.md": HEAD + CELL,
            "code/attnbook/__init__.py": "",
            "code/attnbook/check.py": CHECK,
        }
    )


def test_without_a_main_branch_only_what_stands_here_counts(tree, write_files):
    assert advice.advice(["one"], tree) == []
    write_files({"chapters/one.md": HEAD + "word " * 2300 + "\n\n" + CELL})
    (line,) = advice.advice(["one"], tree)
    assert "one" in line
    assert "words" in line


def test_a_check_that_is_weaker_than_on_the_main_branch_is_named(tree, write_files):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *command], cwd=tree, check=True)
    assert advice.advice(["one"], tree) == []
    write_files({"chapters/one.md": HEAD + CELL.replace("a law", "another law")})
    (line,) = advice.advice(["one"], tree)
    assert "'a law'" in line


def test_a_far_bound_without_a_reason_is_named():
    check = {"kind": "below", "law": "a law", "value": 1e-9, "bound": 0.1}
    assert "a law" in next(advice._far("one", [check]))
    for near in (check | {"reason": "rounding"}, check | {"value": 0.01}, check | {"kind": "equal"}):
        assert not list(advice._far("one", [near]))
