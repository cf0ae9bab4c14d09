"""Find wrong answers that are alike and rare, by their tokens alone: names and layout aside.

Right answers to a short question look alike, and so does a slip that many make. What two students hardly share by
chance is one wrong answer that few others gave, so only wrong answers are compared, and of them only pieces that few
have. It is a reason to look, not a proof. The tokens come from `reading`, which runs in the sandbox. For whole programs
there are tools that are made for it, such as JPlag and MOSS.
"""

import itertools
from collections import Counter, defaultdict

from . import reading
from .model import stub

TOKENS = 40  # a shorter answer says nothing about who wrote it
PIECE = 6  # tokens in a row
COMMON = 0.2  # of the class: what more students wrote is nobody's own
NEAR = 0.7  # of the rare pieces that either of the two has
LEAST = 6  # rare pieces that two answers share


def compare(assignment, results):
    """Return [(students, kind, functions)] for the answers that are alike, those with most in common first."""
    found: dict = defaultdict(list)
    for question in assignment.questions:
        handed_out = [stub(source) for source in question.answer]
        failed = {student: _failed(result, question) for student, result in results.items()}
        for name in question.functions:
            blank = tuple(reading.tokens(reading.body(handed_out, name)))
            answers = {student: tuple(result.tokens.get(name, ())) for student, result in results.items()}
            own = {s: answer for s, answer in answers.items() if len(answer) >= TOKENS and answer != blank}
            for kind, students in _alike(own, failed):
                found[students, kind].append(name)
    return [(list(students), kind, names) for (students, kind), names in sorted(found.items(), key=_most_first)]


def _most_first(entry):
    (students, kind), names = entry
    return -len(names), kind, students


def _failed(result, question):
    """Return the hidden tests of a question that a student failed."""
    return frozenset(m.test for m in result.marks if m.hidden and m.question == question.name and not m.passed)


def _alike(answers, failed):
    """Yield (kind, students): groups of equal and pairs of nearly equal answers that failed the same tests."""
    most = max(3, COMMON * len(answers))
    groups = defaultdict(list)
    for student, answer in sorted(answers.items()):
        if failed[student]:
            groups[failed[student], answer].append(student)
    pieces = {student: {*zip(*(answer[n:] for n in range(PIECE)), strict=False)} for student, answer in answers.items()}
    owners = Counter(piece for own in pieces.values() for piece in own)
    rare = {piece for piece, many in owners.items() if many <= most and many < len(answers)}
    for students in groups.values():
        if len(students) > 1 and len(pieces[students[0]] & rare) >= LEAST:
            yield "identical", tuple(students)
    alone = [(tests, students[0]) for (tests, _), students in groups.items()]
    by_piece = defaultdict(list)
    for tests, student in alone:
        for piece in pieces[student] & rare:
            by_piece[tests, piece].append(student)
    shared = Counter(pair for people in by_piece.values() for pair in itertools.combinations(sorted(people), 2))
    for (a, b), many in sorted(shared.items()):
        if many >= LEAST and many >= NEAR * len((pieces[a] | pieces[b]) & rare):
            yield "nearly identical", (a, b)
