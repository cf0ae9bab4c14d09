"""A student with the right idea keeps points: tests are lost one at a time, and what is lost whole has a share."""

import re

import pytest
from attncourse import author, marks, model, shares
from coursework import ROOT
from test_replaying import WITH_SHARES


@pytest.fixture(scope="module", params=WITH_SHARES)
def table(request, assignments):
    """An assignment with shares, and what each of its slips keeps."""
    return assignments[request.param], list(shares.kept_shares(assignments[request.param]))


def test_assignments_have_shares(assignments):
    without = sorted({*assignments} - {*WITH_SHARES})
    assert not without, f"without any share: {', '.join(without)}"


def test_at_least_half_of_the_one_line_slips_keep_some_points(table):
    assignment, kept = table
    for question in assignment.questions:
        own = [one for one in kept if one.question is question and one.slip.one_line]
        lost = [one.slip.name for one in own if not one.points]
        assert 2 * len(lost) <= len(own), f"{assignment.chapter}: {question.name}: all points are lost by {lost}"


def test_each_test_can_be_lost_alone(table):
    """Else it says what another one says: some slip fails it and passes another test of the exercise."""
    assignment, kept = table
    for question in assignment.questions:
        for test in question.hidden if len(question.hidden) > 1 else []:
            alone = [one for one in kept if one.question is question and test.name in one.failed]
            alone = [one for one in alone if len(one.failed) < len(question.hidden)]
            assert alone, f"{assignment.chapter}: {question.name}: who loses {test.name!r} loses every test"


def test_no_exercise_is_lost_whole_by_a_slip_in_another(table):
    assignment, _ = table
    for question in assignment.questions:
        for slip in question.wrong:
            with shares.bounded_memory():
                marked = marks.mark(assignment, author.reference(assignment, slip.source))
            lost = [name for name, points in model.parts(marked).items() if not points and name != question.name]
            assert not lost, f"{assignment.chapter}: {question.name}: {slip.name}: nothing is left of {lost}"


def test_a_cell_has_one_function(table):
    assignment, _ = table
    for question in assignment.questions:
        for source in question.answer:
            names = model.DEFINED.findall(source)
            assert len(names) == 1, f"{question.name}: {names}: a bracket that is missing in one costs all of them"


def test_a_slip_names_a_place_that_is_in_the_book(table):
    assignment, _ = table
    for question in assignment.questions:
        for slip in filter(lambda slip: slip.read, question.wrong):
            page, label = slip.read.split("#")
            built = (ROOT / "_build/html/chapters" / page).with_suffix(".html")
            assert built.is_file(), f"{question.name}: {slip.name}: there is no page {page}"
            anchor = f"equation-{label}" if label.startswith("eq-") else label
            ids = re.findall(r'id="([^"]+)"', built.read_text(encoding="utf-8"))
            assert anchor in ids, f"{question.name}: {slip.name}: {page} has no {label}"
