"""Make the table of the hidden tests that students failed, for the instructor alone."""

from collections import defaultdict

from . import clean


def table(grades):
    """Yield the headings, then a row for each hidden test that a student failed: why, and by which slip.

    Where all tests of an exercise, or of all exercises, failed for one reason, that is one row.
    """
    yield ["student", "question", "test", "points", "why", "slip"]
    for student in sorted(grades.results):
        result = grades.results[student]
        for question, test, points, why in _failures(result):
            found = [each for each in result.recognised if question in ("all", each.question)]
            slips = ", ".join(name for each in found for name in each.slips)
            about = map(clean.cell, (student, question, test))
            yield [*about, clean.number(points), clean.cell(why), clean.cell(slips)]


def _failures(result):
    """Yield (question, test, points, why) for the hidden tests that failed; "all" names several with one reason."""
    hidden = defaultdict(list)
    for mark in result.marks:
        if mark.hidden:
            hidden[mark.question].append(mark)
    failed = [mark for marks in hidden.values() for mark in marks if not mark.passed]
    whole = [question for question, marks in hidden.items() if not any(mark.passed for mark in marks)]
    reasons = {mark.why for mark in failed}
    if result.problem or (failed and len(reasons) == 1 and len(whole) == len(hidden) > 1):
        yield "all", "all", sum(mark.points for mark in failed), result.problem or reasons.pop()
        return
    for question, marks in hidden.items():
        own = [mark for mark in marks if not mark.passed]
        if question in whole and len(own) > 1 and len({mark.why for mark in own}) == 1:
            yield question, "all", sum(mark.points for mark in own), own[0].why
        else:
            yield from ((question, mark.test, mark.points, mark.why) for mark in own)
