"""Say what each named slip keeps of its exercise: by the tests that it passes, and with the share that is stated."""

import contextlib
import resource
from dataclasses import dataclass, replace
from pathlib import Path

from . import author, marks, model, replaying


@dataclass(frozen=True)
class Kept:
    """What is left to a student who makes one slip and nothing else wrong."""

    question: model.Question
    slip: model.Slip
    by_tests: float
    points: float  # with the share
    failed: frozenset  # names of the hidden tests that are lost
    recognised: tuple  # names of the slips that the grader sees

    @property
    def share(self):
        """Return the part of the exercise's points that is kept."""
        return self.points / self.question.points


def kept(assignment, seed=marks.SEED):
    """Yield a `Kept` for every slip of an assignment."""
    replays = replaying.Replays()
    for question in assignment.questions:
        alone = replace(assignment, questions=[replace(question, visible=[])])
        for slip in question.wrong:
            with bounded_memory():
                marked, found = replaying.here(alone, author.reference(assignment, slip.source), seed, replays)
            by_tests, points = (model.parts(marked, given)[question.name] for given in ((), found))
            failed = frozenset(mark.test for mark in marked if not mark.passed)
            recognised = tuple(name for each in found for name in each.slips)
            yield Kept(question, slip, by_tests, points, failed, recognised)


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
