"""Say what each named slip keeps of its exercise: by the tests that it passes, and with the share that is stated.

That the grader recognises the slip, and that the share is paid, is for the tests of the build to see: replaying calls
takes far longer than running the tests.
"""

import contextlib
import resource
from dataclasses import dataclass, replace
from pathlib import Path

from . import author, marks, model


@dataclass(frozen=True)
class Kept:
    """What is left to a student who makes one slip and nothing else wrong."""

    question: model.Question
    slip: model.Slip
    by_tests: float
    points: float  # with the share
    failed: frozenset  # names of the hidden tests that are lost


def kept_shares(assignment, seed=marks.SEED):
    """Yield a `Kept` for every slip of an assignment."""
    for question in assignment.questions:
        alone = replace(assignment, questions=[replace(question, visible=[])])
        for slip in question.wrong:
            with bounded_memory():
                marked = marks.mark(alone, author.reference(assignment, slip.source), seed)
            stated = model.Recognised(question.name, [slip.name], slip.keeps)
            by_tests, points = (model.parts(marked, found)[question.name] for found in ([], [stated]))
            failed = frozenset(mark.test for mark in marked if not mark.passed)
            yield Kept(question, slip, by_tests, points, failed)


@contextlib.contextmanager
def bounded_memory(more=1 << 30):
    """Bound the memory of this process, as that of an examiner is: a wrong answer may build a matrix of a long list."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        yield
        return
    used = int(statm.read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = used + more if hard == resource.RLIM_INFINITY else min(used + more, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
