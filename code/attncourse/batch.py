"""Grade a class: on every core, and again after an interruption.

A result is stored as soon as it arrives, under a hash of everything that it depends on: the submission, the assignment,
the seed, the limits and this grader. A later run reads it and does not grade again.
"""

import contextlib
import functools
import hashlib
import json
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict, replace
from pathlib import Path

from . import asking, marks, sandbox
from .model import Result

HERE = Path(__file__).parent
SECOND = 300  # seconds for all second attempts of a class
AGAIN = "A time limit was reached, so it was marked a second time, alone."


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


def key(files, depends, logins=()):
    """Return the name under which a result is stored: a hash of the files, and of `about`, on which it depends.

    Where numbers are the student's own, it depends on the logins, too.
    """
    handed = [[name, order, _digest(data), type(data).__name__] for name, order, data in files]
    return _digest(json.dumps([handed, depends, *filter(None, [list(logins)])], sort_keys=True))[:32]


def _digest(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def run(grades, files, mapper, seed=marks.SEED, limits=None, progress=None, force=()):
    """Grade the submissions of a `gradebook.Grades`, store the results, and write its `gradefiles.GradeFiles`.

    ``mapper(pairs)`` takes (name, files) pairs and yields (name, result) pairs in any order. Results that are stored
    come first, so that an interruption costs none of them. A submission that reached a time limit is tried once more,
    alone, while there is time for it: see `_second_attempts`. Then its result is stored like any other. Students in
    ``force`` are graded even if a result is stored.
    """
    limits, store = limits or sandbox.Limits(), grades.folder / "results"
    done = progress or (lambda: None)
    grades.fingerprints = about(grades.assignment, seed, limits)
    keys: dict = {}  # {student: the name under which the result is stored}
    missing: list = []
    slow: list = []
    store.mkdir(parents=True, exist_ok=True)

    def read_stored():
        for student, submission in grades.classlist.to_grade().items():
            loaded = submission.load()
            keys[student] = key(loaded, grades.fingerprints, grades.logins(student))
            handed = _digest("".join(sorted(_digest(data) for *_, data in loaded)))
            result = None if student in force else _stored(store / f"{keys[student]}.json")
            if result is None:
                missing.append(student)
                grades.handed[student] = handed  # if the run is interrupted, the files are still known to be there
            else:
                grades.add(student, result, handed)
                done()

    def pairs():
        for student in missing:
            yield student, grades.classlist.submissions[student].load()

    def keep(student, result):
        if result.score is not None:
            files.store(store / f"{keys[student]}.json", result)

    try:
        read_stored()
        with contextlib.closing(mapper(pairs())) as first:  # an interruption ends it before anything is written
            for student, result in first:
                grades.add(student, result, grades.handed[student])
                if result.slow:
                    slow.append(student)
                else:
                    keep(student, result)
                done()
        with contextlib.closing(_second_attempts(grades, mapper, slow)) as second:
            for student, result in second:
                grades.add(student, result, grades.handed[student])
                keep(student, result)
    finally:
        files.finish()


def _second_attempts(grades, mapper, slow):
    """Yield (student, result) for submissions that reached a time limit, each tried once more where that may help.

    The machine may have been busy. Who reached fewest limits comes first; after `SECOND` seconds, or where no point is
    missing, the first result stays.
    """
    until = time.monotonic() + SECOND
    for student in sorted(slow, key=lambda student: grades.results[student].slow):
        first = grades.results[student]
        if all(mark.passed for mark in first.marks) or time.monotonic() > until:
            yield student, first
            continue
        with contextlib.closing(mapper(iter([(student, grades.classlist.submissions[student].load())]))) as again:
            seconds = [second for _, second in again]
        for second in seconds:
            yield student, _as_seen_first(first, second)


def _as_seen_first(first, second):
    """Return a second result that shows the student what the first did: before it no hidden test had run.

    Points are those of the second; what its cells could say, they might say of what a hidden test asked. That there was
    a second run may have been a hidden test's doing too: the student hears of it only where it was not.
    """
    if first.score is None or second.score is None:
        return second if first.score is None else first
    hidden = [mark for mark in second.marks if mark.hidden]
    marked = [mark for mark in first.marks if not mark.hidden] + hidden
    remarks = [*first.remarks, AGAIN] if first.slow_before_tests else first.remarks
    return replace(
        first,
        score=second.score,
        marks=marked,
        recognised=second.recognised,
        remarks=remarks,
        slow=second.slow,
    )


def _stored(path):
    """Return a stored result, or None."""
    try:
        return Result.load(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def on_threads(processes, assignment, seed, limits, unsafe=False, logins_of=lambda name: []):
    """Return a mapper that grades `processes` submissions at a time, each in an examiner of its own.

    `logins_of` returns the logins of the student of a name, one of which decides what numbers of their own are.
    """

    def mapper(pairs):
        running: dict = {}
        # Where the command is interrupted, what waits is cancelled and every examiner ends before the threads are
        # awaited: nobody waits for a slow submission.
        with ThreadPoolExecutor(processes) as pool, asking.Examiners() as examiners:
            try:
                for name, files in pairs:
                    about = files, assignment, seed, limits, unsafe, logins_of(name)
                    running[pool.submit(examiners.grade, *about)] = name
                    while len(running) >= processes + 1:
                        for job in wait(running, return_when=FIRST_COMPLETED).done:
                            yield running.pop(job), job.result()
                for job in list(running):
                    yield running[job], job.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    return mapper
