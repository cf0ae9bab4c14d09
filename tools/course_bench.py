"""Measure the grader on a generated class. Called by course.py.

`compare` times it beside Otter and nbgrader on some of the same submissions, all in one run, so that the ratios mean
something on a busy machine. `scale` grades a large class, some of it hostile, with the command that an instructor
types, interrupts it on the way, and checks every mark.
"""

import ast
import csv
import io
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import psutil
from attncourse import author, batch, downloads, gradebook, layouts, marks, sandbox
from attncourse.model import CourseError, solution, stub

SIZE = 200  # submissions
FEW = 4  # of them; the others take seconds for each
BIN = Path(sys.executable).parent
CELLS = [  # hostile cells below honest answers, which keep their points: one student in a hundred has each
    "import os\nos._exit(1)",
    "held = bytearray(8 << 30)",
    "raise SystemExit",
    "import os\nos.kill(os.getpid(), 9)",
    "import os\nfor n in range(20000): os.mkdir(f'/tmp/{n}')",
    "import os, time\nfor _ in range(9):\n    if os.fork() == 0: time.sleep(60)",
    "while True: pass",
    "x = 1\n" + "\n" * 40_000 + "y = 2",
    "(" * 5000,
]
FILES = {  # files in which there is nothing to grade: as many students more for each
    "blank.ipynb": lambda: json.dumps({"cells": [{"cell_type": "code", "source": "\n" * (1 << 20)}]}).encode(),
    "deep.ipynb": lambda: b"[" * (1 << 20),
    "many.zip": lambda: _zip({f"{n}.ipynb": b"" for n in range(60_000)}),
    "bomb.zip": lambda: _zip({f"{n}.ipynb": b" " * (19 << 20) for n in range(5)}),
    "no.ipynb": lambda: b"\xff\xfe\x00" * 1000,
}
ONE_IN = 100


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
    limits = sandbox.Limits()
    start = time.perf_counter()
    grades = gradebook.Grades(assignment, downloads.read(place / "in"), place / f"out{processes}")
    batch.run(grades, batch.on_threads(processes, assignment, seed, limits), seed, limits)
    return (time.perf_counter() - start) / len(grades.results), grades.results


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


def _assignment(options):
    chapter = options.assignment or "sqrt-dk-scaling"
    return author.read(Path(options.course) / f"{chapter}.md"), options.seed or str(marks.SEED)


def compare(options):
    """Time this grader, Otter and nbgrader."""
    assignment, seed = _assignment(options)
    students, chapter = class_of(assignment, SIZE), assignment.chapter
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


def generate(assignment, size, folder, rng):
    """Write a class, some of it hostile, and return {student: answers before they were varied}."""
    answers, made = class_of(assignment, size), {name: make() for name, make in FILES.items()}
    for number in range(max(1, size // ONE_IN)):
        for name, data in made.items():
            place = folder / f"hostile {number} {name}"
            place.mkdir(parents=True)
            (place / name).write_bytes(data)
    for number, (name, cells) in enumerate(answers.items()):
        own = [_varied(cell, rng) for cell in cells]
        own += CELLS[number % ONE_IN : number % ONE_IN + 1]
        write(assignment, {name: own}, folder)
    return {name: tuple(cells) for name, cells in answers.items()}


def _varied(source, rng):
    """Return an answer that nobody else has: the same work behind statements of its own."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.body[:0] = ast.parse(f"own = {[rng.randrange(10**6) for _ in range(rng.randrange(2, 6))]}").body
    return ast.unparse(tree)


def _zip(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return data.getvalue()


def _points(assignment, cells, seed):
    """Return the points of answers, from running them here: they are this module's own."""
    names: dict = {}
    for cell in (assignment.given, *cells):
        exec(cell, names)
    return sum(mark.earned for mark in marks.mark(assignment, names, seed))


def _errors(table, answers, right):
    """Return what is wrong with a table of grades, for {student: answers} and {answers: points}."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        scores = {row["student"]: row["score"] for row in csv.DictReader(file)}
    for name, cells in answers.items():
        if scores.get(name, "") == "" or float(scores[name]) != right[cells]:
            yield f"{name}: {scores.get(name)} and not {right[cells]:g}"
    yield from (
        f"{name}: {score} for nothing" for name, score in scores.items() if name not in answers and score != "0"
    )


def scale(options):
    """Grade a large class twice, interrupted and to its end; an error unless every mark is right."""
    text = str(options.submissions)
    if not text.isdecimal() or not 6 <= int(text) <= 100_000:
        raise CourseError(f"SUBMISSIONS={text} is not a number from 6 to 100000: so many are generated.")
    number, (assignment, seed) = int(text), _assignment(options)
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        work = place / "work"
        answers = generate(assignment, number, place / "in", random.Random(0))
        layouts.write(assignment, work / "assignments" / assignment.chapter, seed)
        command = [sys.executable, Path(__file__).with_name("course.py"), "grade", assignment.chapter, place / "in",
                   f"WORK={work}", f"PROCESSES={options.processes}"]  # fmt: skip
        table, start, most = work / "grades" / assignment.chapter / "in" / "grades.csv", time.perf_counter(), 0
        for interrupted in (True, False):
            with (place / "output.txt").open("w+") as output:
                grader = subprocess.Popen(command, stdout=output, stderr=output)
                while grader.poll() is None:
                    most = max(most, psutil.Process(grader.pid).memory_info().rss >> 20)
                    if interrupted and table.exists() and table.read_bytes().count(b"\n") > number // 3:
                        grader.send_signal(signal.SIGINT)
                        interrupted = False
                    time.sleep(0.1)
                output.seek(0)
                last = output.read()[-500:]
        seconds = (time.perf_counter() - start) / number
        print(f"{seconds:.3f} s a submission with {options.processes} processes, interrupted once; the grader had "
              f"{most} MiB at most")  # fmt: skip
        right = {cells: _points(assignment, cells, seed) for cells in {*answers.values()}}
        wrong = [f"the command ended with {grader.returncode}: {last}"] * bool(grader.returncode)
        wrong += _errors(table, answers, right)
        if wrong:
            raise CourseError("; ".join(wrong[:5]))
        print("Every honest student has the points of the answers, and every other one none.")
