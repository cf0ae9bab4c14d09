"""Grade a class: on every core, and again after an interruption.

A result is stored as soon as it arrives, under a hash of everything that it depends on: the submission, the assignment,
the seed, the limits and this grader. A later run reads it and does not grade again.
"""

import functools
import hashlib
import json
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict, replace
from pathlib import Path

from . import examiner, marks, sandbox
from .model import Result

HERE = Path(__file__).parent


@functools.cache
def version():
    """Return a fingerprint of this grader: another version may give other results."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))).hexdigest()


def key(files, assignment, seed, limits):
    """Return the name under which a result is stored: a hash of everything that it depends on."""
    about: list = [version(), asdict(assignment), str(seed), asdict(limits)]
    for name, order, data in files:
        digest = hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()
        about.append([name, order, digest, type(data).__name__])
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]


def run(grades, mapper, seed=marks.SEED, limits=None, progress=None, force=()):
    """Grade the submissions of a `gradebook.Grades`, store and write everything below its folder.

    ``mapper(pairs)`` takes (name, files) pairs and yields (name, result) pairs in any order. A result with a timeout is
    not stored; its submission is tried once more, alone. Students in ``force`` are graded though a result is stored.
    """
    limits, store = limits or sandbox.Limits(), grades.folder / "results"
    keys, slow = {}, []
    store.mkdir(parents=True, exist_ok=True)

    def missing():
        for student, submission in grades.submissions.items():
            files = submission.load()
            keys[student] = key(files, grades.assignment, seed, limits)
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
    """Return a mapper that grades `processes` submissions at a time, each in an examiner of its own."""

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
