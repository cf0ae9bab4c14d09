"""No wrong answer of an assignment gets all points of its question, whatever the seed, and other right ones do."""

from dataclasses import replace

import pytest
from attncourse import author, marks
from coursework import CHAPTERS, bounded_memory

SEEDS = range(5)


def passing(assignment, question, source):
    """The seeds with which functions that replace those of the solution get all points of a question."""
    functions = author.reference(assignment, source)
    one = replace(assignment, questions=[replace(question, visible=[])])
    with bounded_memory(1 << 30):
        found = [marks.mark(one, functions, seed) for seed in SEEDS]
    return [seed for seed, each in zip(SEEDS, found, strict=True) if all(m.passed for m in each)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_wrong_answers_lose_points_and_right_ones_do_not(chapter, assignments):
    assignment = assignments[chapter]
    for question in assignment.questions:
        for name, source in question.wrong:
            seeds = passing(assignment, question, source)
            assert not seeds, f"{question.name}: {name}: all points with seeds {seeds}"
            lost = {m.question for m in marks.mark(assignment, author.reference(assignment, source)) if not m.passed}
            assert lost <= {question.name}, f"{name} loses points of other questions: {lost}"
    lost = [question.name for question in assignment.questions for source in question.right
            if passing(assignment, question, source) != list(SEEDS)]  # fmt: skip
    assert lost == []


def test_a_wrong_answer_that_is_right_is_found(assignment):
    question = next(question for question in assignment.questions if question.hidden)
    assert passing(assignment, question, "") == list(SEEDS)
