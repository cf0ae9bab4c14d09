"""Grade a generated class on a local dask cluster, kill a worker and restart the scheduler on the way, watch memory.

Called by course.py for `make bench-grade SUBMISSIONS=<number>`. What grades is the command that an instructor types.
"""

import ast
import csv
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
from attncourse import author, layouts, marks
from attncourse.model import CourseError
from course_bench import class_of, write

BIN = Path(sys.executable).parent
COURSE = Path(__file__).with_name("course.py")
HOSTILE = [  # none of it reaches the answers
    "import os\nos._exit(1)",
    "held = bytearray(8 << 30)",
    "raise SystemExit",
    "import os\nos.kill(os.getpid(), 9)",
]
LOOP = "while True: pass"  # costs its whole time limit, twice
ONE_IN = {"hostile": 40, "loop": 500, "twice": 10}  # of so many students one has such a cell, or made two attempts


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
    kinds = {}
    for number, (name, cells) in enumerate(class_of(assignment, size).items()):
        kinds[name] = tuple(cells)
        cells = [varied(cell, rng) for cell in cells]
        if number % ONE_IN["loop"] == ONE_IN["loop"] // 2:
            cells.append(LOOP)
        elif number % ONE_IN["hostile"] == 1:
            cells.append(HOSTILE[number // ONE_IN["hostile"] % len(HOSTILE)])
        if number % ONE_IN["twice"]:
            write(assignment, {name: cells}, folder)
        else:
            write(assignment, {"first": cells[:1], "second": cells}, folder / name)
            os.utime(folder / name / "first.ipynb", (0, 0))
    return kinds


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


def faults(table, kinds):
    """Return what is wrong with a table of grades: a student without one, or other points for the same answers."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        scores = {row["student"]: row["score"] for row in csv.DictReader(file)}
    points = {kind: {scores.get(student) for student in kinds if kinds[student] == kind} for kind in kinds.values()}
    lost = [student for student in kinds if not scores.get(student)]
    return [f"no grade: {student}" for student in lost] + [
        f"other points for the same answers: {sorted(map(str, found))}" for found in points.values() if len(found) > 1
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
        wrong += faults(table, kinds)
        if wrong:
            raise CourseError("; ".join(wrong[:5]))
        print("Every student has a grade, and the same answers have the same points.")
