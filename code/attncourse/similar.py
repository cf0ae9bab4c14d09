"""Find wrong answers that are alike and rare, by their tokens alone: names and layout aside.

Right answers to a short question look alike, and so does a slip that many make. What two students hardly share by
chance is one wrong answer that few others gave, so only wrong answers are compared, and of them only pieces that few
have. It is a reason to look, not a proof. The tokens come from `tokens`, which runs in the sandbox. For whole programs
there are tools that are made for it, such as JPlag and MOSS.
"""

import itertools
from collections import Counter, defaultdict

from . import finding, tokens
from .model import stub

TOKENS = 40  # a shorter answer says nothing about who wrote it
PIECE = 6  # tokens in a row
COMMON = 0.2  # of the class: what more students wrote is nobody's own
NEAR = 0.7  # of the rare pieces that either of the two has
LEAST = 6  # rare pieces that two answers share


def same_files(grades):
    """Return lists of students of a `gradebook.Grades` who have the same files byte for byte, and points for them."""
    same = defaultdict(list)
    for student in sorted(grades.results):
        if grades.results[student].earned and grades.handed.get(student) and grades.represents_group(student):
            same[grades.handed[student]].append(student)
    return [students for students in same.values() if len(students) > 1]


def to_compare(grades):
    """Return {student: Result} for `compare`: one of each group, and one of the students with the same files."""
    others = {student for students in same_files(grades) for student in students[1:]}
    alone = [student for student in grades.results if grades.represents_group(student) and student not in others]
    return {student: grades.results[student] for student in sorted(alone)}


def compare(assignment, results):
    """Return [(students, kind, functions)] for the answers that are alike, those with most in common first."""
    found: dict = defaultdict(list)
    for question in assignment.questions:
        failed = {student: _failed(result, question) for student, result in results.items()}
        for name in question.functions:
            for kind, students in _alike(_own_answers(name, question, results), failed):
                found[students, kind].append(name)
    return [(list(students), kind, names) for (students, kind), names in sorted(found.items(), key=_most_first)]


def _most_first(entry):
    (students, kind), names = entry
    return -len(names), kind, students


def _failed(result, question):
    """Return the hidden tests of a question that a student failed."""
    return frozenset(m.test for m in result.marks if m.hidden and m.question == question.name and not m.passed)


def _own_answers(name, question, results):
    """Return {student: tokens of the function ``name``}, without what was handed out and what is too short."""
    handed_out = [stub(source) for source in question.answer]
    blank = tuple(tokens.tokenize(finding.body(handed_out, name)))
    answers = {student: tuple(result.tokens.get(name, ())) for student, result in results.items()}
    return {student: answer for student, answer in answers.items() if len(answer) >= TOKENS and answer != blank}


def _alike(answers, failed):
    """Yield (kind, students): groups of equal and pairs of nearly equal answers that failed the same tests."""
    rare = _rare_pieces(answers)
    groups = _wrong_answers(answers, failed)
    for _tests, students in groups:
        if len(students) > 1 and len(rare[students[0]]) >= LEAST:
            yield "identical", tuple(students)
    for pair in _nearly_equal(groups, rare):
        yield "nearly identical", pair


def _rare_pieces(answers):
    """Return {student: those pieces of the answer that few others wrote}."""
    pieces = {student: _pieces(answer) for student, answer in answers.items()}
    owners = Counter(itertools.chain.from_iterable(pieces.values()))
    most = max(3, COMMON * len(answers))
    rare = {piece for piece, many in owners.items() if many <= most and many < len(answers)}
    return {student: own & rare for student, own in pieces.items()}


def _pieces(answer):
    """Return every piece of an answer."""
    return {answer[start : start + PIECE] for start in range(len(answer) - PIECE + 1)}


def _wrong_answers(answers, failed):
    """Return [(failed tests, students)] for each wrong answer: who gave it."""
    groups = defaultdict(list)
    for student, answer in sorted(answers.items()):
        if failed[student]:
            groups[failed[student], answer].append(student)
    return [(tests, students) for (tests, _answer), students in groups.items()]


def _nearly_equal(groups, rare):
    """Yield the pairs of students whose answers differ and share most of their rare pieces.

    Of those with equal answers the first stands for all.
    """
    compared = defaultdict(list)
    for tests, students in groups:
        compared[tests].append(students[0])
    for people in compared.values():
        for a, b in itertools.combinations(sorted(people), 2):
            shared = len(rare[a] & rare[b])
            if shared >= LEAST and shared >= NEAR * len(rare[a] | rare[b]):
                yield a, b
