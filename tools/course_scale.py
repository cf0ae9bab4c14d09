"""Grade a generated class on a local dask cluster, kill a worker and restart the scheduler on the way, watch memory.

Called by course.py for `make bench-grade SUBMISSIONS=<number>`. What grades is the command that an instructor types.
"""

import ast
import csv
import io
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
from attncourse import author, layouts, marks
from attncourse.model import CourseError
from course_bench import class_of, write

BIN = Path(sys.executable).parent
COURSE = Path(__file__).with_name("course.py")
CELLS = [  # of hostile cells beside honest answers, which keep their points: one student in a hundred has each
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
FILES = {  # and of files in which there is nothing to grade, as many students more
    "blank.ipynb": lambda: json.dumps({"cells": [{"cell_type": "code", "source": "\n" * (1 << 20)}]}).encode(),
    "deep.ipynb": lambda: b"[" * (1 << 20),
    "many.zip": lambda: _zip({f"{n}.ipynb": b"" for n in range(60_000)}),
    "bomb.zip": lambda: _zip({f"{n}.ipynb": b" " * (19 << 20) for n in range(5)}),
    "no.ipynb": lambda: b"\xff\xfe\x00" * 1000,
}
ONE_IN = 100
TWICE = 10  # of so many students one made two attempts


def varied(source, rng):
    """Return an answer that nobody else has: the same work behind statements of its own."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            own = [rng.randrange(10**6) for _ in range(rng.randrange(2, 6))]
            node.body[:0] = ast.parse(f"own = {own}").body
    return ast.unparse(tree)


def generate(assignment, size, folder, rng):
    """Write a class, some of it hostile or in two attempts, and return {student: answers before they were varied}."""
    kinds, made = {}, {name: make() for name, make in FILES.items()}
    for number in range(max(1, size // ONE_IN)):
        for name, data in made.items():
            place = os.fsencode(folder / f"hostile {number} {name} ") + b"\xff" * (number % 7 == 0)  # no UTF-8
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, name.encode()), "wb") as file:
                file.write(data)
    for number, (name, cells) in enumerate(class_of(assignment, size).items()):
        kinds[name] = tuple(cells)
        cells = [varied(cell, rng) for cell in cells]
        if number % ONE_IN < len(CELLS):
            cells.append(CELLS[number % ONE_IN])
        if (number + 1) % TWICE:
            write(assignment, {name: cells}, folder)
        else:
            write(assignment, {"first": cells[:1], "second": cells}, folder / name)
            os.utime(folder / name / "first.ipynb", (0, 0))
    return kinds


def _zip(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return data.getvalue()


def points(assignment, cells, seed):
    """Return the points of answers, from running them here: they are this module's own."""
    names: dict = {}
    for cell in (assignment.given, *cells):
        exec(cell, names)
    return sum(mark.earned for mark in marks.mark(assignment, names, seed))


def free_port():
    """Return a port of the loopback that nobody uses now."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return line.getsockname()[1]


def start(program, *arguments, **options):
    """Start one of dask's programs; it ends with `end`."""
    command = [BIN / "dask", program, *map(str, arguments), "--host", "127.0.0.1", "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def scheduler(port):
    return start("scheduler", "--port", port)


def workers(port, number):
    return start("worker", f"tcp://127.0.0.1:{port}", "--nthreads", 1, "--nworkers", number)


def end(process):
    """End a process and wait for it."""
    with suppress(ProcessLookupError):
        process.kill()
    process.wait()


def worker_processes(nanny):
    """Return the processes that grade, below the one that watches over them."""
    children = psutil.Process(nanny.pid).children()
    return [child for child in children if not any("resource_tracker" in word for word in child.cmdline())]


def size(process):
    """Return MiB of memory that a process holds."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(process.pid).memory_info().rss >> 20
    return 0


def graded(table):
    """Return lines in the table that grows while a class is graded."""
    with suppress(FileNotFoundError):
        return max(0, table.read_bytes().count(b"\n") - 1)
    return 0


def faults(table, kinds, right):
    """Return what is wrong with a table of grades, for {student: answers} and {answers: points}."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        scores = {row["student"]: row["score"] for row in csv.DictReader(file)}
    wrong = [name for name, kind in kinds.items() if scores.get(name, "") == "" or float(scores[name]) != right[kind]]
    return [f"{name}: {scores.get(name)} and not {right[kinds[name]]:g}" for name in wrong] + [
        f"{name}: {score} for nothing" for name, score in scores.items() if name not in kinds and score != "0"
    ]


def main(options):
    """Measure and print; end with an error if a grade is missing, or differs from that of the same answers."""
    text = str(options.submissions)
    if not text.isdecimal() or not 6 <= int(text) <= 100_000:
        raise CourseError(f"SUBMISSIONS={text} is not a number from 6 to 100000: so many are generated.")
    number, processes, chapter = int(text), options.processes or 2, options.assignment or "sqrt-dk-scaling"
    assignment, seed = author.read(Path(options.course) / f"{chapter}.md"), options.seed or str(marks.SEED)
    print(f"{number} submissions of {chapter}, {processes} workers; MiB of the grader, the scheduler, each worker")
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        place, port = Path(place), free_port()
        work, table = place / "work", place / "work" / "grades" / chapter / "in" / "grades.csv"
        kinds = generate(assignment, number, place / "in", random.Random(0))
        layouts.write(assignment, work / "assignments" / chapter, seed)
        running = {"scheduler": scheduler(port), "workers": workers(port, processes)}
        stack.callback(lambda: [end(process) for process in running.values()])
        command = [sys.executable, COURSE, "grade", chapter, place / "in", f"WORK={work}",
                   f"CLUSTER=tcp://127.0.0.1:{port}"]  # fmt: skip
        said = stack.enter_context((place / "said.txt").open("w+"))
        begun = time.perf_counter()
        grader = subprocess.Popen(command, stdout=said, stderr=said)
        stack.callback(end, grader)

        def look():
            sizes = [size(grader), size(running["scheduler"]), *map(size, worker_processes(running["workers"]))]
            print(f"{graded(table):7} after {time.perf_counter() - begun:.0f} s: {sizes}", flush=True)

        def kill_a_worker():
            worker_processes(running["workers"])[0].kill()

        def restart_the_scheduler():
            for process in running.values():  # the workers end when it does
                end(process)
            running.update(scheduler=scheduler(port), workers=workers(port, processes))

        for share, act in ((1 / 6, look), (1 / 3, kill_a_worker), (1 / 2, look), (2 / 3, restart_the_scheduler),
                           (5 / 6, look), (1, look)):  # fmt: skip
            while graded(table) < int(share * number) and grader.poll() is None:
                time.sleep(0.1)
            act()
        most = 0
        while grader.poll() is None:
            most = max(most, size(grader))
            time.sleep(0.1)
        seconds = (time.perf_counter() - begun) / number
        print(f"{seconds:.3f} s a submission, with a worker killed and the scheduler restarted; "
              f"the grader had {most} MiB while it wrote the report")  # fmt: skip
        said.seek(0)
        wrong = [f"the command ended with {grader.returncode}: {said.read()[-500:]}"] if grader.returncode else []
        wrong += faults(table, kinds, {kind: points(assignment, kind, seed) for kind in {*kinds.values()}})
        if wrong:
            raise CourseError("; ".join(wrong[:5]))
        print("Every honest student has the points of the answers, and every other one none.")
