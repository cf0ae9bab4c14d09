"""Grade a class: on every core, on a cluster, again after an interruption.

A result is stored as soon as it is there, under a name that depends on everything it follows from: the submission, the
assignment, the seed, the limits and this grader. A run that finds it there does not grade again.
"""

import contextlib
import functools
import hashlib
import itertools
import json
from concurrent.futures import FIRST_COMPLETED, CancelledError, ThreadPoolExecutor, wait
from dataclasses import asdict, replace
from pathlib import Path

from . import examiner, gradebook, marks, sandbox
from .model import CourseError, Result

HERE = Path(__file__).parent
AHEAD = 4  # submissions that wait or run for each thread of a cluster
GONE = "The dask scheduler ended. What is graded is kept: start it and run the same command again; the rest is graded."


@functools.cache
def version():
    """Return a fingerprint of this grader: another version may give other results."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))).hexdigest()


def key(files, assignment, seed, limits):
    """Return the name of a result: changes with whatever the result follows from."""
    about: list = [version(), asdict(assignment), str(seed), asdict(limits)]
    for name, order, data in files:
        digest = hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()
        about.append([name, order, digest, type(data).__name__])
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]


def run(assignment, download, folder, mapper, seed=marks.SEED, limits=None, progress=None, grades=None, force=()):
    """Grade a download, store and write everything below ``folder``, and return {student: result}.

    ``mapper(pairs)`` takes (name, files) pairs and yields (name, result) pairs in any order. A result with a timeout is
    not stored; its submission is tried once more, alone. Students in ``force`` are graded though a result is stored.
    """
    limits, folder = limits or sandbox.Limits(), Path(folder)
    grades = grades or gradebook.Grades(assignment, download, folder)
    store, keys, slow = folder / "results", {}, []
    store.mkdir(parents=True, exist_ok=True)

    def missing():
        for student, submission in grades.submissions.items():
            files = submission.load()
            keys[student] = key(files, assignment, seed, limits)
            result = None if student in force else _stored(store / f"{keys[student]}.json")
            if result is None:
                yield student, files
            else:
                grades.add(student, result)
                progress and progress()

    def arrived(student, result, again=False):
        if result.score is not None and not result.slow:
            grades.store(store / f"{keys[student]}.json", result)
        grades.add(student, replace(result, slow=result.slow and again))

    try:
        for student, result in mapper(missing()):
            if result.slow:
                slow.append(student)
            arrived(student, result)
            progress and progress()
        for student in slow:
            for _, result in mapper(iter([(student, grades.submissions[student].load())])):
                arrived(student, _as_seen_first(grades.results[student], result), again=True)
    finally:
        grades.finish()
    return grades.results


def _as_seen_first(first, second):
    """Return a second result with what the student sees of the first: the first run knew no hidden test.

    Points are those of the second; what its cells could say, they might say of what a hidden test asked.
    """
    if first.score is None or second.score is None:
        return second
    hidden = [mark for mark in second.marks if mark.hidden]
    marked = [mark for mark in first.marks if not mark.hidden] + hidden
    again = [*first.remarks, "A time limit was reached, so it was marked a second time, alone."]
    return replace(first, score=second.score, marks=marked, remarks=again, slow=second.slow)


def _stored(path):
    """Return a stored result, or None."""
    try:
        return Result.load(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def on_threads(processes, assignment, seed, limits, unsafe=False):
    """Grade here, so many submissions at a time; each thread has an examiner, a process of its own."""

    def mapper(pairs):
        pool, running = ThreadPoolExecutor(processes), {}
        try:
            for name, files in pairs:
                running[pool.submit(examiner.grade, files, assignment, seed, limits, unsafe)] = name
                while len(running) >= processes + 1:
                    for job in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(job), job.result()
            for job in list(running):
                yield running[job], job.result()
        finally:
            examiner.end_all()  # also where the command is interrupted: nobody waits for a slow submission
            pool.shutdown(cancel_futures=True)

    return mapper


@contextlib.contextmanager
def _while_connected(client):
    """Raise CourseError in the place of whatever dask raises once it has given up a scheduler."""
    try:
        yield
    except Exception:
        if client.status in ("running", "connecting"):
            raise
        raise CourseError(GONE) from None


def on_cluster(client, assignment, seed, limits, unsafe=False):
    """Grade on the workers of a dask client: what a worker or the scheduler takes down is graded again.

    A few submissions for each worker are on their way at a time, never the whole class. CourseError if the scheduler
    stays away.
    """
    from dask.distributed import as_completed

    def free():
        try:
            return AHEAD * max(1, sum(client.nthreads().values()))  # workers come and go
        except OSError:  # the scheduler may be back soon
            return AHEAD

    def mapper(pairs):
        pairs, pool, waiting = iter(pairs), as_completed(), {}

        def submit(name, files):
            job = client.submit(examiner.grade, files, assignment, seed, limits, unsafe, pure=False, retries=3)
            waiting[job.key] = name, files
            pool.add(job)

        def more():
            for pair in itertools.islice(pairs, max(0, free() - len(waiting))):
                submit(*pair)

        with _while_connected(client):
            more()
            for job in pool:
                name, files = waiting.pop(job.key)
                try:
                    error = job.exception()
                    if error is None:
                        result = job.result()
                    else:
                        result = Result(None, remarks=[f"{type(error).__name__}: {error}"])
                except (CancelledError, OSError):  # the scheduler ended, and forgot its jobs
                    submit(name, files)
                else:
                    yield name, result
                more()

    return mapper
