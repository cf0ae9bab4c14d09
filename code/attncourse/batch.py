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


def about(assignment, seed, limits):
    """Return a fingerprint of each thing that the results of a class depend on, by its name."""
    whole = {"the assignment": asdict(assignment), "the seed": str(seed), "the limits": asdict(limits)}
    return {what: _digest(json.dumps(value, sort_keys=True)) for what, value in whole.items()} | {
        "the grader": version()
    }


def key(files, depends):
    """Return the name under which a result is stored: a hash of the files, and of `about`, on which it depends."""
    handed = [[name, order, _digest(data), type(data).__name__] for name, order, data in files]
    return _digest(json.dumps([handed, depends], sort_keys=True))[:32]


def _digest(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def run(grades, mapper, seed=marks.SEED, limits=None, progress=None, force=()):
    """Grade the submissions of a `gradebook.Grades`, store the results, and write everything below its folder.

    ``mapper(pairs)`` takes (name, files) pairs and yields (name, result) pairs in any order. Results that are stored
    come first, so that an interruption costs none of them. A result with a timeout is not stored; its submission is
    tried once more, alone. Students in ``force`` are graded though a result is stored. Returns whether the files are
    those of this run.
    """
    limits, store = limits or sandbox.Limits(), grades.folder / "results"
    grades.about = about(grades.assignment, seed, limits)
    keys: dict = {}
    missing: list = []
    slow: list = []
    store.mkdir(parents=True, exist_ok=True)

    def read_stored():
        for student, submission in grades.to_grade().items():
            files = submission.load()
            keys[student] = key(files, grades.about)
            grades.handed[student] = _digest("".join(sorted(_digest(data) for *_, data in files)))
            result = None if student in force else _stored(store / f"{keys[student]}.json")
            if result is None:
                missing.append(student)
            else:
                grades.add(student, result)
                progress and progress()

    def pairs(students):
        for student in students:
            yield student, grades.submissions[student].load()

    def arrived(student, result, again=False):
        if result.score is not None and not result.slow:
            grades.store(store / f"{keys[student]}.json", result)
        grades.add(student, replace(result, slow=result.slow and again))

    try:
        read_stored()
        for student, result in mapper(pairs(missing)):
            if result.slow:
                slow.append(student)
            arrived(student, result)
            progress and progress()
        for student in slow:
            for _, result in mapper(pairs([student])):
                arrived(student, _as_seen_first(grades.results[student], result), again=True)
                grades.again.append(student)
    finally:
        grades.written = grades.finish()


def _as_seen_first(first, second):
    """Return a second result with what the student sees of the first: the first run knew no hidden test.

    Points are those of the second; what its cells could say, they might say of what a hidden test asked. That there was
    a second run is for the instructor alone: a function may be slow only where a hidden test asks it to be.
    """
    if first.score is None or second.score is None:
        return second
    hidden = [mark for mark in second.marks if mark.hidden]
    marked = [mark for mark in first.marks if not mark.hidden] + hidden
    return replace(first, score=second.score, marks=marked, slow=second.slow)


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
