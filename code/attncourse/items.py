"""Say what a class shows of an assignment: who tried what, what each test tells apart, which slips were made how often.

No student is named here. `finals` are {student: `policy.Final`} of those who tried anything.
"""

import itertools
from collections import Counter
from statistics import StatisticsError, correlation

from . import finding, model, tokens

ENOUGH = 10  # students, for a correlation to say anything
TOGETHER = 0.8  # of those who lost one of two tests, the part that lost both
FEW = 3  # students; of fewer, a page without names says nothing


def blank_answers(assignment):
    """Return {function: the tokens of its body as it is handed out}."""
    blank = {}
    for question in assignment.questions:
        cells = [model.stub(source) for source in question.answer]
        blank |= {name: tokens.tokenize(finding.body(cells, name)) for name in question.functions}
    return blank


def who_tried(assignment, results):
    """Return {question: students whose answer has points, or is not as it was handed out} of {student: Result}."""
    blank = blank_answers(assignment)
    return {
        question.name: {student for student, result in results.items() if _has_tried(question, result, blank)}
        for question in assignment.questions
        if question.kind == "code"
    }


def _has_tried(question, result, blank):
    """Return whether an answer has points, or is not as it was handed out."""
    if any(mark.passed for mark in result.marks if mark.hidden and mark.question == question.name):
        return True
    own = {name: result.tokens.get(name) for name in question.functions}
    return not result.tokens or any(answer and answer != blank[name] for name, answer in own.items())


def outcomes(finals, question, test):
    """Return {student: whether the student passed a hidden test}."""
    found = {}
    for student, final in finals.items():
        for mark in final.marks:
            if mark.hidden and (mark.question, mark.test) == (question.name, test.name):
                found[student] = mark.passed
    return found


def discrimination(finals, question, test):
    """Return the correlation of passing a test with the points of everything else; None where it says nothing."""
    outcome = outcomes(finals, question, test)
    if len(outcome) < ENOUGH:
        return None
    earned = {student: test.points * done for student, done in outcome.items()}
    rest = [sum(filter(None, finals[student].parts.values())) - earned[student] for student in outcome]
    try:
        return correlation([float(done) for done in outcome.values()], rest)
    except StatisticsError:  # everybody passed, or nobody, or the rest is the same for all
        return None


def lost_together(assignment, finals, among):
    """Return [(question, test, question, test, students who lost both, who lost only one)], the most frequent first."""
    failed = {}
    for question in assignment.questions:
        for test in question.hidden:
            outcome = outcomes(finals, question, test)
            students = {student for student, done in outcome.items() if not done and student in among[question.name]}
            failed[question.title, test.name] = students
    pairs = []
    for (one, first), (other, second) in itertools.combinations(failed.items(), 2):
        both, either = len(first & second), len(first | second)
        if both >= FEW and both >= TOGETHER * either:
            pairs.append((*one, *other, both, either - both))
    return sorted(pairs, key=lambda pair: -pair[-2])


def slips(assignment, finals):
    """Return [(question, slip, students)] for the slips that were made, the most frequent first."""
    made = Counter((found.question, name) for final in finals.values() for found in final.slips for name in found.slips)
    every = [(question, slip) for question in assignment.questions for slip in question.wrong]
    named = {(question.name, slip.name): (question, slip) for question, slip in every}
    return [(*named[key], many) for key, many in made.most_common() if key in named]
