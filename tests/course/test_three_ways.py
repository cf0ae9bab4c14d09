"""The instructor's notebook scores all and the student's nothing: here, with nbgrader, in Gradescope's layout."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from attncourse import author, layouts, notebooks, secrecy
from coursework import CHAPTERS, graded

BIN = Path(sys.executable).parent


ALWAYS = "sqrt-dk-scaling"  # the shortest; `make test-all` does the others too
EVERY = [ALWAYS, *(pytest.param(name, marks=pytest.mark.thorough) for name in CHAPTERS if name != ALWAYS)]


@pytest.fixture(scope="module", params=EVERY)
def chapter(request):
    return request.param


@pytest.fixture(scope="module")
def made(chapter, assignments, tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    layouts.write(assignments[chapter], folder)
    return folder


def call(*command, cwd):
    environ = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "HOME": str(cwd)}
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr


def leaked(assignment, folder):
    """Secret lines in a folder, but for the names of hidden tests, which a student may know."""
    public = tuple(secrecy.squeeze(test.name) for part in assignment.questions for test in part.hidden)
    return [line for line in secrecy.leaks(secrecy.secret_lines(assignment), folder) if not line.endswith(public)]


def test_here(chapter, assignments, bubblewrap):
    for make, score in ((notebooks.instructor, author.points_by_tests(assignments[chapter])), (notebooks.student, 0)):
        assert graded(make(assignments[chapter]).encode(), assignments[chapter]).score == score


LONG = pytest.mark.thorough  # each starts a Jupyter kernel or two


@pytest.mark.parametrize("who", [pytest.param("instructor", marks=LONG), "student"])
def test_gradescope_layout(who, chapter, made, assignments, tmp_path):
    shutil.copy(made / who / f"{chapter}.ipynb", tmp_path / "submission.ipynb")
    zipped = str(made / "gradescope" / "autograder.zip")
    call(str(BIN / "otter"), "run", "-a", zipped, "-o", str(tmp_path), "submission.ipynb", cwd=tmp_path)
    tests = json.loads((tmp_path / "results.json").read_text())["tests"]
    all_points = author.points_by_tests(assignments[chapter])
    assert sum(test.get("score", 0) for test in tests) == (all_points if who == "instructor" else 0)
    assert sum(test.get("max_score", 0) for test in tests) == all_points
    for test in tests:
        assert test["visibility"] == "visible"
        lost = test["score"] < test["max_score"]
        assert ("All test cases passed" in test["output"]) is not lost, (
            "a student who lost points must not read otherwise"
        )
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "outputs.txt").write_text("\n".join(test["output"] for test in tests), encoding="utf-8")
    assert leaked(assignments[chapter], tmp_path / "shown") == []


@LONG
def test_nbgrader(chapter, made, assignments, tmp_path):
    place = tmp_path / "course"
    shutil.copytree(made / "nbgrader", place)
    call(str(BIN / "nbgrader"), "generate_assignment", chapter, cwd=place)
    name = f"{chapter}.ipynb"
    released = json.loads((place / "release" / chapter / name).read_text())
    assert leaked(assignments[chapter], place / "source")
    assert leaked(assignments[chapter], place / "release") == []
    full = json.loads((place / "source" / chapter / name).read_text())
    marked = [cell for cell in full["cells"] if "nbgrader" in cell["metadata"]]
    right = {cell["metadata"]["nbgrader"]["grade_id"]: cell["source"] for cell in marked}
    for who in ("instructor", "student"):
        for cell in released["cells"]:
            meta = cell["metadata"].get("nbgrader", {})
            if who == "instructor" and meta.get("solution") and not meta["grade"]:
                cell["source"] = right[meta["grade_id"]]
            if "".join(cell["source"]) == 'LOGIN = ""':
                cell["source"] = f'LOGIN = "{who}"'
        if who == "instructor":  # and has copied a cell, which must not leave the class ungraded
            released["cells"].append(
                next(c for c in released["cells"] if c["metadata"].get("nbgrader")) | {"id": "copy"}
            )
        folder = place / "submitted" / who / chapter
        folder.mkdir(parents=True)
        untouched = (place / "release" / chapter / name).read_text()
        (folder / name).write_text(json.dumps(released) if who == "instructor" else untouched)
    call(str(BIN / "nbgrader"), "autograde", chapter, cwd=place)
    call(str(BIN / "nbgrader"), "generate_feedback", chapter, "--student=student", cwd=place)
    page = (place / "feedback" / "student" / chapter / name.replace("ipynb", "html")).read_text(encoding="utf-8")
    assert "your code here" in page
    assert leaked(assignments[chapter], place / "feedback") == [], "nbgrader's feedback shows hidden tests"
    call(str(BIN / "nbgrader"), "export", cwd=place)
    rows = csv.DictReader((place / "grades.csv").open())
    scores = {row["student_id"]: (float(row["raw_score"]), float(row["max_score"])) for row in rows}
    assert scores == {
        "instructor": (author.points_by_tests(assignments[chapter]), author.POINTS),
        "student": (0, author.POINTS),
    }
