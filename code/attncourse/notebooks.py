"""The notebooks that are made from a bundle: for the student, for the instructor, and nbgrader's source."""

import hashlib
import json
from pathlib import Path

from . import author, clean, marks
from .model import WHOSE, solution, stub

HOW = """{points} points. Write your answers where the cells say *your code here*, and keep the names of the functions.
The cells with `assert` test a part of what is asked, and carry no points. The last cell of the notebook runs all of
them, in Colab too. Points come from other tests, which run when your work is marked; each of them gives all of its
points, or none, and below each exercise stands how many there are. An answer with a slip that many make may keep a
share of the points that its tests do not give. Only NumPy and
Python's own library are there when your work is marked; plots and magics do nothing there. Numbers are meant in
double precision, which is what Python and NumPy use unless you say otherwise.

To hand in, restart the kernel, run all cells, save, and hand in this file. In Colab: *Runtime → Restart session and
run all*, then *File → Download → Download .ipynb*. Hand in that file, not a link to it and not a PDF. It may have
20 MB, with its outputs, and 500 code cells. When it is marked, a cell may run for 10 seconds and a call of your
functions for 5: move slow experiments into cells of their own, or take them out."""
OWN = """Some of the numbers below are your own: they come from your login. Write it between the quotes: the one with
which you log in where you hand this in, or your address there. Your answers are marked with the numbers of *your*
login."""
TIME = "Count on about {hours:g} hours once you have read the chapter; that is an estimate."
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def student(assignment):
    """Return the notebook that is handed out: stubs and visible asserts, and a cell at its end that runs them."""
    return _notebook([*_cells(assignment, stub), ("code", assignment.check, {"cellView": "form"})])


def instructor(assignment, seed=marks.SEED):
    """Return everything: solutions, hidden tests that run, marking notes."""
    return _notebook(
        _cells(assignment, solution, lambda question, test: [_hidden(question, test, seed)], True, "somebody")
    )


def nbgrader(assignment, seed=marks.SEED):
    """Return nbgrader's source notebook, from whose marked cells it makes the student version by itself."""

    def cell(question, test):
        title = f"# Hidden test: {test.name} ({clean.points(test.points)})\n"
        body = f"### BEGIN HIDDEN TESTS\n{_hidden(question, test, seed)[1]}\n### END HIDDEN TESTS"
        return [("code", title + body, {"grade": True, "points": test.points})]

    cells = _cells(assignment, lambda source: source, cell)
    for number, (kind, source, role) in enumerate(cells):
        if role or (kind == "code" and role is not None):
            full = {"grade": False, "solution": False, "locked": True, "task": False, "schema_version": 3} | role
            full["locked"] = not full["solution"]
            cells[number] = (kind, source, {"nbgrader": full | {"grade_id": f"cell-{number}"}})
    return _notebook(cells)


def _cells(assignment, answer, hidden=None, notes=False, login=""):
    """Return (kind, source, metadata) of every cell in order; without metadata, a cell is the student's own."""
    how = HOW.format(points=author.POINTS) + "\n\n" + TIME.format(hours=assignment.hours)
    cells = [("markdown", f"# {assignment.title}\n\n{how}", {})]
    if assignment.personal:
        cells += [("markdown", OWN, {}), ("code", f'LOGIN = "{login}"', None)]
    cells.append(("code", WHOSE.sub("", assignment.given, count=1), {}))
    for number, question in enumerate(assignment.questions, 1):
        reader = ", in words: a person reads them" if question.kind == "written" else ""
        title = f"## {number}. {question.title} ({clean.points(question.points)}{reader})"
        cells.append(("markdown", f"{title}\n\n{question.text}{_tests(question)}", {}))
        cells += [("code", answer(source), {"solution": True}) for source in question.answer]
        cells += [("code", source, {}) for source in question.visible]
        if hidden:
            cells += [cell for test in question.hidden for cell in hidden(question, test)]
        if question.kind == "written":
            role = {"solution": True, "grade": True, "points": question.points}
            cells.append(("markdown", question.written, role))
        if notes:
            rubric = [f"{number}. {line}" for number, line in enumerate(question.rubric, 1)]
            cells.append(("markdown", "\n\n".join(["**Marking notes.** " + question.notes, *rubric]), {}))
    return cells


def _tests(question):
    """Return what carries the points of a question: a line below its text, "" where a person marks."""
    worth = [f"{test.points:g}" for test in question.hidden]
    if len(worth) < 2:
        return f"\n\n*Marked by one test that you do not see: {worth[0]}, all or nothing.*" if worth else ""
    listed = f"{', '.join(worth[:-1])} and {worth[-1]}"
    return (
        f"\n\n*Marked by {len(worth)} tests that you do not see, worth {listed}; each gives all of its points or none.*"
    )


def _hidden(question, test, seed):
    """Return a cell that runs one hidden test on the functions of its own notebook."""
    rng = f"rng=np.random.default_rng({marks.seed_of(seed, question.name, test.function)})"
    arguments = [rng if name == "rng" else f"plain({name})" for name in test.asks]
    return ("code", f"{KIT}\n\n{test.source}\n\n\n{test.function}({', '.join(arguments)})", {})


KIT = (Path(__file__).parent / "kit.py").read_text(encoding="utf-8").partition('"""\n')[2].strip()


def _notebook(cells):
    """Return the text of a notebook; the same cells give the same bytes."""
    made = []
    for number, (kind, source, metadata) in enumerate(cells):
        name = hashlib.sha256(f"{number}/{source}".encode()).hexdigest()[:8]
        keep = metadata if metadata and {"nbgrader", "cellView"} & {*metadata} else {}
        cell = {"cell_type": kind, "id": name, "metadata": keep, "source": source.splitlines(keepends=True)}
        made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    document = {"cells": made, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
