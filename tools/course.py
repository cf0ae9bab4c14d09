"""Coursework: make the assignments, grade a class, measure the grader.

python tools/course.py make                              with .venv's Python, the extra `course` installed
python tools/course.py grade ASSIGNMENT SUBMISSIONS
python tools/course.py bench
"""

import argparse
import json
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "code"))
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "code"), os.environ.get("PYTHONPATH", "")])  # dask's workers

from attncourse import author, batch, layouts, marks, report, sandbox  # noqa: E402


def make(folder, seed, out, only=""):
    """Write every assignment of the folder, or the one of a chapter, into `out`."""
    for chapter, path in author.assignments(folder, only).items():
        bundle = author.read(path)
        author.prove(bundle, seed)
        layouts.write(bundle, out / chapter, seed)
        print(f"{chapter}: {out / chapter}")


def bundle_of(assignment, out):
    """The bundle that `make course` has written; `assignment` is a chapter or the path of a bundle."""
    path = Path(assignment) if str(assignment).endswith(".json") else out / assignment / "bundle.json"
    if not path.is_file():
        there = sorted(p.parent.name for p in out.glob("*/bundle.json"))
        known = f"; there are {', '.join(there)}" if there else ": run `make course` first"
        raise author.CourseError(f"There is no assignment {assignment!r}{known}.")
    return json.loads(path.read_text(encoding="utf-8"))


def connect(stack, cluster, processes):
    """A dask client for an address, or for a cluster of local processes that ends with the stack."""
    from dask.distributed import Client, LocalCluster

    if cluster:
        return stack.enter_context(Client(cluster, timeout=30))
    local = LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    return stack.enter_context(Client(stack.enter_context(local)))


def refuse_without_walls(reason, unsafe):
    """Untrusted code runs in a sandbox, or the instructor has said otherwise in so many words."""
    if reason and not unsafe:
        raise author.CourseError(
            f"No sandbox: {reason} Students' code could then read and delete your files. If you have read every "
            "submission and trust it, say UNSAFE=yes."
        )


def grade(options, out):
    """Grade a folder; the exit code is 1 if a submission could not be graded."""
    from tqdm import tqdm

    bundle = bundle_of(options.assignment, out)
    author.prove(bundle, options.seed)
    found = batch.submissions(options.submissions)
    if not options.cluster:
        refuse_without_walls(sandbox.missing(), options.unsafe)
    limits, seed, grades = sandbox.Limits(), options.seed, ROOT / "_build" / "grades"
    processes = options.processes or os.cpu_count() or 1
    with ExitStack() as stack:
        if options.cluster or (processes > 1 and len(found) > 4):
            client = connect(stack, options.cluster, min(processes, len(found)))
            reasons = [*filter(None, client.run(sandbox.missing).values())]  # of every worker, wherever it is
            refuse_without_walls(reasons and reasons[0], options.unsafe)
            mapper = batch.on(client, bundle, seed, limits, options.unsafe)
        else:
            mapper = batch.here(bundle, seed, limits, options.unsafe)
        bar = stack.enter_context(tqdm(total=len(found), unit="submission", disable=None))
        results = batch.run(bundle, found, grades, mapper, seed, limits, bar.update)
    lost = [student for student, result in results.items() if result["score"] is None]
    scores = [result["score"] for result in results.values() if result["score"] is not None]
    mean = f", mean {sum(scores) / len(scores):.2f} of {author.POINTS}" if scores else ""
    print(f"Graded: {len(scores)}{mean}. The table is in {grades / bundle['chapter']}.csv")
    if lost:
        sys.exit(f"Not graded, run the same command again: {', '.join(map(report.harmless, lost[:10]))}")


def main():
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("make", "grade", "bench"))
    parser.add_argument("assignment", nargs="?", default="")
    parser.add_argument("submissions", nargs="?", default="")
    parser.add_argument("--course", default=os.environ.get("COURSE") or str(ROOT / "course"))
    parser.add_argument("--chapter", default=os.environ.get("CHAPTER") or "")
    parser.add_argument("--seed", default=os.environ.get("SEED") or str(marks.SEED))
    parser.add_argument("--cluster", default=os.environ.get("CLUSTER") or "")
    parser.add_argument("--processes", type=int, default=int(os.environ.get("PROCESSES") or 0))
    parser.add_argument("--unsafe", action="store_true", default=os.environ.get("UNSAFE") == "yes")
    options = parser.parse_args()
    out = ROOT / "_build" / "course"
    if options.task == "make":
        make(options.course, options.seed, out, options.chapter)
    elif options.task == "grade":
        if not options.assignment or not options.submissions:
            raise author.CourseError("Say what to grade: make grade ASSIGNMENT=<chapter> SUBMISSIONS=<folder>")
        grade(options, out)
    else:
        import course_bench

        course_bench.main(options, connect)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted: run the same command again, and it goes on where it stopped.")
    except author.CourseError as error:
        sys.exit(str(error))
