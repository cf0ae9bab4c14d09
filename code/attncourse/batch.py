"""Grade a class: on every core, and again after an interruption.

A result is stored as soon as it arrives, under a hash of everything that it depends on: the submission, the assignment,
the seed, the limits and this grader. A later run reads it and does not grade again. One that reached a time limit is
stored after a second attempt.
"""

import contextlib
import functools
import hashlib
import json
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, as_completed, wait
from dataclasses import asdict, replace
from pathlib import Path

from . import asking, marks, sandbox
from .model import Result

HERE = Path(__file__).parent
SECOND_ATTEMPT_SECONDS = 300  # for all second attempts of a class together
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


def hashed(files):
    """Return [[name, order, a hash of the content, its type], …] of the files of a submission."""
    return [[name, order, _digest(data), type(data).__name__] for name, order, data in files]


def key(handed, depends, logins=()):
    """Return the name under which a result is stored: a hash of `hashed` files, and of `about`, on which it depends.

    Where numbers are the student's own, it depends on the logins, too.
    """
    parts = [handed, depends]
    if logins:
        parts.append(list(logins))
    return _digest(json.dumps(parts, sort_keys=True))[:32]


def _digest(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def run(grades, output, mapper, seed=marks.SEED, limits=None, progress=None, force=()):
    """Grade the submissions of a `gradebook.Grades`, store the results, and write its `gradefiles.GradeFiles`.

    ``mapper(pairs)`` takes (name, files) pairs and yields (name, result) pairs in any order. Results that are stored
    come first, so that an interruption costs none of them. A submission that reached a time limit is tried once more,
    alone, while there is time for it: see `_second_attempts`. Then its result is stored like any other. Students in
    ``force`` are graded even if a result is stored.
    """
    limits = limits or sandbox.Limits()
    done = progress or (lambda: None)
    folder = grades.folder / "results"
    folder.mkdir(parents=True, exist_ok=True)
    grades.note_dependencies(about(grades.assignment, seed, limits))
    try:
        paths, missing = _read_results(grades, folder, force, done)
        slow: list = []
        # An interruption ends the mapper before anything is written.
        with contextlib.closing(mapper(_loaded(grades, missing))) as first:
            for student, result in first:
                grades.add(student, result)
                if result.slow:
                    slow.append(student)
                else:
                    _save(output, paths[student], result)
                done()
        with contextlib.closing(_second_attempts(grades, mapper, slow)) as second:
            for student, result in second:
                grades.add(student, result)
                _save(output, paths[student], result)
    finally:
        output.finish()


def _read_results(grades, folder, force, done):
    """Add the results that are stored; return {student: path of the result}, and the students without a result."""
    paths: dict = {}
    missing: list = []
    for student, submission in grades.classlist.to_grade().items():
        handed = hashed(submission.load())
        name = key(handed, grades.fingerprints, grades.logins(student))
        paths[student] = folder / f"{name}.json"
        # Of the contents alone: the same files under other names are no change.
        fingerprint = _digest("".join(sorted(content for _, _, content, _ in handed)))
        result = None if student in force else _load(paths[student])
        if result is None:
            missing.append(student)
            grades.note_handed(student, fingerprint)  # if the run is interrupted, the files are still known to be there
        else:
            grades.add(student, result, fingerprint)
            done()
    return paths, missing


def _loaded(grades, students):
    """Yield (student, files) for each of the students."""
    for student in students:
        yield student, grades.classlist.submissions[student].load()


def _save(output, path, result):
    """Store a result, unless the grader itself failed: the cause may be gone in the next run, which tries again."""
    if result.score is not None:
        output.store(path, result)


def _second_attempts(grades, mapper, slow):
    """Yield (student, result) for submissions that reached a time limit, each tried once more where that may help.

    The machine may have been busy. Who reached fewest limits comes first; after `SECOND_ATTEMPT_SECONDS`, or where no
    point is missing, the first result stays.
    """
    until = time.monotonic() + SECOND_ATTEMPT_SECONDS
    for student in sorted(slow, key=lambda student: grades.results[student].slow):
        first = grades.results[student]
        if all(mark.passed for mark in first.marks) or time.monotonic() > until:
            yield student, first
            continue
        with contextlib.closing(mapper(_loaded(grades, [student]))) as again:
            seconds = [second for _, second in again]
        for second in seconds:
            yield student, _as_seen_first(first, second)


def _as_seen_first(first, second):
    """Return the result of a second run with what the first run showed the student.

    The second run may have seen hidden tests, so its printed output is not shown; only its points count. A hidden test
    may also be why there was a second run: the student hears of it only if a limit was reached before the tests. Where
    the files could not even be read in time, the first run says nothing that counts.
    """
    if first.score is None or second.score is None:
        return second if first.score is None else first
    if first.file < 0:
        return replace(second, remarks=[*second.remarks, AGAIN])
    hidden = [mark for mark in second.marks if mark.hidden]
    marked = [mark for mark in first.marks if not mark.hidden] + hidden
    remarks = [*first.remarks, AGAIN] if first.slow_before_tests else first.remarks
    return replace(
        first,
        score=second.score,
        marks=marked,
        recognised=second.recognised,
        remarks=remarks,
        problem="" if second.score else first.problem,
        slow=second.slow,
    )


def _load(path):
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
                    arguments = files, assignment, seed, limits, unsafe, logins_of(name)
                    running[pool.submit(examiners.grade, *arguments)] = name
                    while len(running) >= processes + 1:
                        for job in wait(running, return_when=FIRST_COMPLETED).done:
                            yield running.pop(job), job.result()
                for job in as_completed(running):
                    yield running[job], job.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    return mapper
