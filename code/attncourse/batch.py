"""Grade a folder of submissions: on every core, on a cluster, again after an interruption.

A result is stored as soon as it is there, under a name that depends on everything it follows from: the submission, the
assignment, the seed, the limits and this grader. A run that finds it there does not grade again.
"""

import contextlib
import functools
import hashlib
import json
import os
import stat
from pathlib import Path

from . import author, grade, marks, report, sandbox

HERE = Path(__file__).parent


def submissions(folder):
    """{student: file} of a folder with one notebook each, or one folder each with one notebook in it.

    A value may also be a sentence: why there is no file that can be graded.
    """
    folder, found = Path(folder), {}
    if not folder.is_dir():
        raise author.CourseError(f"There is no folder {folder} with submissions.")
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__MACOSX")):
            continue
        name, inside = path.stem, path
        if path.is_dir() and not path.is_symlink():
            books = sorted(p for p in path.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
            name, inside = path.name, books[0] if len(books) == 1 else f"Found {len(books)} notebooks; expected one."
        name = path.name if name in found else name  # two files of one name and different endings
        found[name] = inside
    if not found:
        raise author.CourseError(f"The folder {folder} holds no submission.")
    return found


def load(path):
    """The bytes of a submission; a sentence if they cannot be had. Links are not followed."""
    if isinstance(path, str):
        return path
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return "It is not an ordinary file."
            return file.read(grade.LARGEST + 1)
    except OSError as error:
        return f"It cannot be read: {error.strerror}."


def grade_or_say(data, bundle, seed, limits, unsafe=False):
    """The result of one submission; whatever goes wrong in the grader itself ends in a result without a score."""
    if isinstance(data, str):
        return {"score": 0, "marks": marks.mark(bundle, {}, seed), "remarks": [data]}
    try:
        with bounded_memory():
            return grade.grade(data, bundle, seed, limits, unsafe)
    except Exception as error:
        return _not_graded(error)


def _not_graded(error):
    return {"score": None, "marks": [], "remarks": [f"{type(error).__name__}: {error}"]}


@contextlib.contextmanager
def bounded_memory(room=4 << 30):
    """Four gigabytes for tests that work on a student's values: more is an error of that test, not of the machine."""
    try:
        import resource
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = Path("/proc/self/statm")
    now = room + (int(used.read_text().split()[0]) if used.exists() else 0) * resource.getpagesize()
    within = now if hard == resource.RLIM_INFINITY else min(now, hard)
    resource.setrlimit(resource.RLIMIT_AS, (within, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@functools.cache
def _grader():
    return b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))


def key(data, bundle, seed, limits):
    """The name of a result: changes with whatever the result follows from."""
    digest = hashlib.sha256(_grader())
    about = json.dumps([bundle, seed, sandbox.describe(limits), isinstance(data, str)], sort_keys=True)
    for part in (about.encode(), data.encode() if isinstance(data, str) else data):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:32]


def run(bundle, found, folder, mapper, seed=marks.SEED, limits=None, progress=None):
    """Grade {student: file}, store and write everything below ``folder``, and return {student: result}.

    ``mapper(pairs)`` takes (name, bytes) pairs and yields (name, result) pairs in any order.
    """
    limits, folder = limits or sandbox.Limits(), Path(folder)
    store, results = folder / bundle["chapter"] / "results", {}
    store.mkdir(parents=True, exist_ok=True)
    keys = {}

    def missing():
        for student, path in found.items():
            data = load(path)
            keys[student] = key(data, bundle, seed, limits)
            stored = store / f"{keys[student]}.json"
            if stored.exists():
                results[student] = json.loads(stored.read_text(encoding="utf-8"))
                progress and progress()
            else:
                yield student, data

    for student, result in mapper(missing()):
        results[student] = result
        if result["score"] is not None:
            _write(store / f"{keys[student]}.json", json.dumps(result))
        progress and progress()
    pages = folder / bundle["chapter"] / "feedback"
    pages.mkdir(exist_ok=True)
    for old in pages.iterdir():
        old.unlink()
    for student, result in results.items():
        _write(pages / _page(student), report.feedback(bundle, student, result))
    _write(folder / f"{bundle['chapter']}.csv", report.table(bundle, results))
    return results


def _page(student):
    """The file name of a student's page; a name as long as a file system allows leaves no room for an ending."""
    if len(os.fsencode(student)) <= 200:
        return f"{student}.md"
    return f"{student[:40]}-{hashlib.sha256(os.fsencode(student)).hexdigest()[:16]}.md"


def _write(path, text):
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", errors="replace")
    part.replace(path)


def here(bundle, seed, limits, unsafe=False):
    """A mapper that grades one submission after the other in this process."""
    return lambda pairs: ((name, grade_or_say(data, bundle, seed, limits, unsafe)) for name, data in pairs)


def on(client, bundle, seed, limits, unsafe=False):
    """A mapper that grades on the workers of a dask client; a worker that dies gives its submissions to the others."""
    from dask.distributed import as_completed

    def mapper(pairs):
        pairs, waiting = iter(pairs), {}

        def more(pool):
            for name, data in pairs:
                job = client.submit(grade_or_say, data, bundle, seed, limits, unsafe, pure=False, retries=3)
                waiting[job.key] = name
                pool.add(job)
                return

        pool = as_completed()
        for _ in range(4 * max(1, sum(client.nthreads().values()))):  # a few for each worker, never the whole class
            more(pool)
        for job in pool:
            name = waiting.pop(job.key)
            error = job.exception()
            yield name, job.result() if error is None else _not_graded(error)
            more(pool)

    return mapper
