"""Seconds a submission takes here, with Otter and nbgrader on some of the same submissions beside it.

Called by course.py. All in one run, so that the ratios mean something on a busy machine.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from attncourse import author, batch, downloads, layouts, marks, sandbox
from attncourse.model import solution, stub

SIZE = 200  # submissions
FEW = 4  # of them; the others take seconds for each
BIN = Path(sys.executable).parent


def class_of(assignment, size):
    """Make a class, {student: answer cells}; which exercises are solved, wrong or left out differs."""
    kinds = itertools.islice(itertools.cycle(itertools.product(range(3), repeat=len(assignment.questions))), size)
    return {f"student{n:04}": list(_cells(assignment, choice)) for n, choice in enumerate(kinds)}


def _cells(assignment, choice):
    for question, kind in zip(assignment.questions, choice, strict=True):
        answers = [*map(stub if kind == 2 else solution, question.answer)]
        if kind == 1:
            answers[-1] += "\n\n\n" + question.wrong[0][1]
        yield from answers


def write(assignment, students, folder):
    """Write plain notebooks, one for each student."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, cells in students.items():
        blank = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        made = [blank | {"source": source} for source in (assignment.given, *cells)]
        document = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        (folder / f"{name}.ipynb").write_text(json.dumps(document), encoding="utf-8")


def own_grader(assignment, place, processes, seed):
    """Return seconds a submission, and the results."""
    limits, download = sandbox.Limits(), downloads.read(place / "in")
    mapper = batch.on_threads(processes, assignment, seed, limits)
    start = time.perf_counter()
    results = batch.run(assignment, download, place / f"out{processes}", mapper, seed, limits)
    return (time.perf_counter() - start) / len(results), results


def otter(place, names):
    """Return seconds that `otter run` takes for a submission."""
    start = time.perf_counter()
    for name in names:
        _call(place / "course" / "gradescope", "otter", "run", "-a", "autograder.zip", place / "in" / f"{name}.ipynb")
    return (time.perf_counter() - start) / len(names)


def nbgrader(place, chapter, students):
    """Return seconds that `nbgrader autograde` takes for a submission, all in one call."""
    folder, file = place / "course" / "nbgrader", f"{chapter}.ipynb"
    _call(folder, "nbgrader", "generate_assignment", chapter)
    for name, cells in students.items():
        released = json.loads((folder / "release" / chapter / file).read_text(encoding="utf-8"))
        open_cells = [c for c in released["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
        for cell, source in zip(open_cells, cells, strict=True):
            cell["source"] = source
        (folder / "submitted" / name / chapter).mkdir(parents=True)
        (folder / "submitted" / name / chapter / file).write_text(json.dumps(released), encoding="utf-8")
    start = time.perf_counter()
    _call(folder, "nbgrader", "autograde", chapter)
    return (time.perf_counter() - start) / len(students)


def _call(folder, program, *arguments):
    environ = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([BIN / program, *arguments], cwd=folder, env=environ, check=True, capture_output=True)


def main(options):
    """Measure and print."""
    chapter = options.assignment or "sqrt-dk-scaling"
    assignment, seed = author.read(Path(options.course) / f"{chapter}.md"), options.seed or str(marks.SEED)
    students = class_of(assignment, SIZE)
    few = dict(itertools.islice(students.items(), SIZE // 2, SIZE // 2 + FEW))
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        write(assignment, students, place / "in")
        layouts.write(assignment, place / "course", seed)
        print(f"{SIZE} submissions of {chapter}; seconds for one, on the clock")
        one, results = own_grader(assignment, place, 1, seed)
        print(f"one process         {one:.3f}")
        two, again = own_grader(assignment, place, 2, seed)
        print(f"two processes       {two:.3f}   the same grades: {results == again}")
        for name, seconds in (("otter run", otter(place, few)), ("nbgrader autograde", nbgrader(place, chapter, few))):
            print(f"{name:19} {seconds:.2f}   {seconds / one:.1f} times one process here, over {FEW} of them")
