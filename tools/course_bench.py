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
from contextlib import ExitStack
from pathlib import Path

from attncourse import author, batch, downloads, layouts, marks, sandbox

SIZE = 200  # submissions
FEW = 4  # of them; the others take seconds for each
BIN = Path(sys.executable).parent


def class_of(bundle, size):
    """Make a class, {student: answer cells}; which exercises are solved, wrong or left out differs."""
    kinds = itertools.islice(itertools.cycle(itertools.product(range(3), repeat=len(bundle["exercises"]))), size)
    return {f"student{n:04}": list(_cells(bundle, choice)) for n, choice in enumerate(kinds)}


def _cells(bundle, choice):
    for exercise, kind in zip(bundle["exercises"], choice, strict=True):
        answers = [*map(author.stub if kind == 2 else author.solution, exercise["answer"])]
        if kind == 1:
            answers[-1] += "\n\n\n" + exercise["mistakes"][0]["source"]
        yield from answers


def write(bundle, students, folder):
    """Write plain notebooks, one for each student."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, cells in students.items():
        blank = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        made = [blank | {"source": source} for source in (bundle["given"], *cells)]
        document = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        (folder / f"{name}.ipynb").write_text(json.dumps(document), encoding="utf-8")


def own_grader(bundle, place, processes, seed, connect):
    """Return seconds a submission, and the scores; with more than one process on a local dask cluster."""
    limits, found = sandbox.Limits(), downloads.read(place / "in")[0]
    with ExitStack() as stack:
        mapper = batch.in_process(bundle, seed, limits)
        if processes > 1:
            mapper = batch.on_cluster(connect(stack, "", processes), bundle, seed, limits)
        start = time.perf_counter()
        results = batch.run(bundle, found, place / f"out{processes}", mapper, seed, limits)
        return (time.perf_counter() - start) / len(found), results


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


def main(options, connect):
    """Measure and print."""
    chapter = options.assignment or "sqrt-dk-scaling"
    bundle, seed = author.read(Path(options.course) / f"{chapter}.md"), options.seed or str(marks.SEED)
    students = class_of(bundle, SIZE)
    few = dict(itertools.islice(students.items(), SIZE // 2, SIZE // 2 + FEW))
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        write(bundle, students, place / "in")
        layouts.write(bundle, place / "course", seed)
        print(f"{SIZE} submissions of {chapter}; seconds for one, on the clock")
        one, results = own_grader(bundle, place, 1, seed, connect)
        print(f"one process         {one:.3f}")
        two, again = own_grader(bundle, place, 2, seed, connect)
        print(f"two, dask           {two:.3f}   the same grades: {results == again}")
        for name, seconds in (("otter run", otter(place, few)), ("nbgrader autograde", nbgrader(place, chapter, few))):
            print(f"{name:19} {seconds:.2f}   {seconds / one:.1f} times one process here, over {FEW} of them")
