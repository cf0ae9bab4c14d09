"""Grading alone needs neither torch, nor a browser, nor what builds the book, nor the other graders."""

import subprocess
import sys

import pytest
from attncourse import model
from coursework import OF_TESTS, ROOT, needs_a_sandbox, notebook

HEAVY = (
    "torch",
    "scipy",
    "matplotlib",
    "sphinx",
    "docutils",
    "jupyter_book",
    "playwright",
    "otter",
    "nbgrader",
    "pandas",
    "ipykernel",
    "notebook",
    "jupyterlab",
    "attnbook",
)
RUN = """
import sys
sys.path[:0] = {paths!r}
sys.modules.update(dict.fromkeys({heavy!r}))  # to import one of them fails
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name.split(".")[0] in {heavy!r} else found(name, *more)
import course
course.run(sys.argv[1:])
"""


def without_heavy_packages(*arguments):
    code = RUN.format(paths=[str(ROOT / "tools"), str(ROOT / "code")], heavy=HEAVY)
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=300)


def test_a_class_is_graded_without_what_the_book_needs(tmp_path, assignment):
    needs_a_sandbox()
    (tmp_path / "in").mkdir()
    solutions = [model.solution(source) for question in assignment.questions for source in question.answer]
    (tmp_path / "in" / "ada.ipynb").write_bytes(notebook("%matplotlib inline", *solutions))
    work = f"WORK={tmp_path / 'work'}"
    made = without_heavy_packages("make", f"COURSE={OF_TESTS}", f"CHAPTER={assignment.chapter}", "SEED=x", work)
    assert made.returncode == 0, made.stderr
    assert "GRADERS=yes" in made.stdout
    assert (tmp_path / "work" / "assignments" / assignment.chapter / "student").is_dir()
    graded = without_heavy_packages("grade", assignment.chapter, str(tmp_path / "in"), work)
    assert graded.returncode == 0, graded.stderr
    table = next((tmp_path / "work").glob("grades/*/in/grades.csv")).read_text(encoding="utf-8-sig")
    assert table.splitlines()[1].startswith("ada,,10,10,"), table


@pytest.mark.parametrize("task", [["safe"], ["try", "NOTEBOOK={path}", "ASSIGNMENT=sqrt-dk-scaling"]])
def test_other_tasks_need_no_more(task, tmp_path):
    needs_a_sandbox()
    (tmp_path / "a.ipynb").write_bytes(notebook("def leaves(d_k, t): return 0.5"))
    done = without_heavy_packages(*(word.format(path=tmp_path / "a.ipynb") for word in task))
    assert done.returncode == 0, done.stderr
