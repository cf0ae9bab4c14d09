"""Grade a folder of submissions: on every core, on a cluster, again after an interruption.

A result is stored as soon as it is there, under a name that depends on everything it follows from: the submission, the
assignment, the seed, the limits and this grader. A run that finds it there does not grade again.
"""

import contextlib
import functools
import hashlib
import itertools
import json
import re
from concurrent.futures import CancelledError
from pathlib import Path

from . import author, downloads, grade, gradebook, marks, sandbox

HERE = Path(__file__).parent
TIMEOUT = re.compile(r"took more than [\d.e+-]+ s\b|s for one submission are used up|\bDeadline: ")  # as remarks say it
AHEAD = 4  # submissions that wait or run for each thread of a cluster
GONE = "The dask scheduler ended. What is graded is kept: start it and run the same command again; the rest is graded."


def grade_or_say(data, bundle, seed, limits, unsafe=False):
    """Grade one submission; whatever goes wrong in the grader itself ends in a result without a score."""
    if isinstance(data, str):
        return grade.no_file(data, bundle)
    try:
        with bounded_memory():
            return grade.grade(data, bundle, seed, limits, unsafe)
    except Exception as error:
        return _not_graded(error)


def _not_graded(error):
    return {"score": None, "marks": [], "remarks": [f"{type(error).__name__}: {error}"]}


@contextlib.contextmanager
def bounded_memory(more=4 << 30):
    """Limit the memory of tests on a student's values to 4 GB: more is an error of the test, not the machine."""
    try:
        import resource
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = Path("/proc/self/statm")
    now = more + (int(used.read_text().split()[0]) if used.exists() else 0) * resource.getpagesize()
    within = now if hard == resource.RLIM_INFINITY else min(now, hard)
    resource.setrlimit(resource.RLIMIT_AS, (within, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@functools.cache
def version():
    """Return a fingerprint of this grader: another version may give other results."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))).hexdigest()


def key(data, bundle, seed, limits):
    """Return the name of a result: changes with whatever the result follows from."""
    digest = hashlib.sha256(version().encode())
    about = json.dumps([bundle, seed, sandbox.describe(limits), isinstance(data, str)], sort_keys=True)
    for part in (about.encode(), data.encode() if isinstance(data, str) else data):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:32]


def timed_out(result):
    """Return whether a time limit had a part in a result: on a busy machine it may be another one tomorrow."""
    remarks = [*result["remarks"], *(mark["remark"] for mark in result["marks"])]
    return any(TIMEOUT.search(remark) for remark in remarks)


def run(bundle, found, folder, mapper, seed=marks.SEED, limits=None, progress=None, grades=None, force=()):
    """Grade {student: Submission}, store and write everything below ``folder``, and return {student: result}.

    ``mapper(pairs)`` takes (name, bytes) pairs and yields (name, result) pairs in any order. A result with a timeout is
    not stored; its submission is tried once more, alone. Students in ``force`` are graded though a result is stored.
    """
    limits, folder = limits or sandbox.Limits(), Path(folder)
    grades = grades or gradebook.Grades(bundle, found, folder)
    store, keys, slow = folder / "results", {}, []
    store.mkdir(parents=True, exist_ok=True)

    def missing():
        for student, handed in grades.found.items():
            data = downloads.load(handed)
            keys[student] = key(data, bundle, seed, limits)
            result = None if student in force else _stored(store / f"{keys[student]}.json")
            if result is None:
                yield student, data
            else:
                grades.add(student, result)
                progress and progress()

    def arrived(student, result):
        if result["score"] is not None and not timed_out(result):
            grades.store(store / f"{keys[student]}.json", result)
        grades.add(student, result)

    try:
        for student, result in mapper(missing()):
            if timed_out(result):
                slow.append(student)
            arrived(student, result)
            progress and progress()
        for student in slow:
            for _, result in mapper(iter([(student, downloads.load(grades.found[student]))])):
                arrived(student, result | {"slow": True} if timed_out(result) else result)
    finally:
        grades.finish()
    return grades.results


def _stored(path):
    """Return a stored result, or None."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def in_process(bundle, seed, limits, unsafe=False):
    """Return a mapper that grades one submission after the other in this process."""
    return lambda pairs: ((name, grade_or_say(data, bundle, seed, limits, unsafe)) for name, data in pairs)


@contextlib.contextmanager
def _while_connected(client):
    """Raise CourseError in the place of whatever dask raises once it has given up a scheduler."""
    try:
        yield
    except Exception:
        if client.status in ("running", "connecting"):
            raise
        raise author.CourseError(GONE) from None


def on_cluster(client, bundle, seed, limits, unsafe=False):
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

        def submit(name, data):
            job = client.submit(grade_or_say, data, bundle, seed, limits, unsafe, pure=False, retries=3)
            waiting[job.key] = name, data
            pool.add(job)

        def more():
            for pair in itertools.islice(pairs, max(0, free() - len(waiting))):
                submit(*pair)

        with _while_connected(client):
            more()
            for job in pool:
                name, data = waiting.pop(job.key)
                try:
                    error = job.exception()
                    result = job.result() if error is None else _not_graded(error)
                except (CancelledError, OSError):  # the scheduler ended, and forgot its jobs
                    submit(name, data)
                else:
                    yield name, result
                more()

    return mapper
