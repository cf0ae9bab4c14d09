"""Find answers that are the same, or nearly, by their tokens alone: names and layout aside.

It is a reason to look, not a proof: short right answers look alike, so answers below a length are not compared, and
what many students share is not counted. The tokens come from `reading`, which runs in the sandbox.
"""

import itertools
from collections import defaultdict

from . import reading
from .model import stub

TOKENS = 40  # a shorter answer says nothing about who wrote it
PIECE = 6  # tokens in a row
COMMON = 0.2  # of the class: a piece that more students have is nobody's own
NEAR = 0.7  # of the pieces that either of the two has


def compare(assignment, answers):
    """Return [(question, function, "identical" or "nearly identical", students)] for {student: {function: tokens}}."""
    alike = []
    for question in assignment.questions:
        handed_out = [stub(source) for source in question.answer]
        for name in question.functions:
            blank = tuple(reading.tokens(reading.body(handed_out, name)))
            answered = {student: tuple(tokens.get(name, ())) for student, tokens in answers.items()}
            own = {student: answer for student, answer in answered.items() if len(answer) >= TOKENS and answer != blank}
            alike += [(question.name, name, *about) for about in _alike(own)]
    return alike


def _alike(answers):
    """Return (word, students) for groups of equal and pairs of nearly equal token lists."""
    groups = defaultdict(list)
    for student, answer in sorted(answers.items()):
        groups[answer].append(student)
    yield from (("identical", group) for group in groups.values() if 1 < len(group) <= max(3, COMMON * len(answers)))
    own = {group[0]: {*zip(*(answer[n:] for n in range(PIECE)), strict=False)} for answer, group in groups.items()}
    owners = defaultdict(list)
    for student, pieces in own.items():
        for piece in pieces:
            owners[piece].append(student)
    most = max(3, COMMON * len(answers))
    few = [people for people in owners.values() if len(people) <= most]
    for a, b in sorted({pair for people in few for pair in itertools.combinations(people, 2)}):
        if len(own[a] & own[b]) >= NEAR * len(own[a] | own[b]):
            yield "nearly identical", [a, b]
