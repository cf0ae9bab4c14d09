"""What becomes of a slip that is recognised: a sentence in time, a name for the instructor, a second round."""

import csv
import datetime
import io
import json
from dataclasses import replace

import pytest
from attncourse import author, downloads, first_round, items, model, notebooks, policy, report
from coursework import Class, notebook
from test_gradebook import earns

QUESTION = "rows-that-leave"
PAST, FUTURE = "2020-03-01", "2999-03-01"


@pytest.fixture
def slip(assignment):
    return next(
        slip for q in assignment.questions if q.name == QUESTION for slip in q.wrong if slip.keeps and slip.says
    )


def slipped(assignment, slip, *questions):
    """A student who solved these questions, and slipped in another one."""
    found = [model.Recognised(QUESTION, [slip.name], slip.keeps)]
    result = replace(earns(assignment, *questions), recognised=found)
    return replace(result, score=result.earned)


def finished(assignment, folder, decisions=None, site="https://book.example/", handed=None, **results):
    """The finished grades of a class with these results; `handed` says what the files of a student are."""
    for name in results:
        (folder / "in").mkdir(parents=True, exist_ok=True)
        (folder / "in" / f"{name}.ipynb").write_bytes(notebook("1"))
    there = downloads.read(folder / "in")
    grades = Class(assignment, there, folder / "out", decisions, None, site)
    for name, result in results.items():
        grades.add(name, result, (handed or {}).get(name, "files"))
    grades.finish()
    assert grades.files.written, grades.files.errors
    return grades


def page(grades, name):
    return (grades.folder / name).read_text(encoding="utf-8")


def row(grades, student, name="grades.csv"):
    table = csv.DictReader(io.StringIO(page(grades, name).lstrip("\ufeff")))
    return next(row for row in table if row["student"] == student)


def test_a_slip_keeps_its_share_and_is_named_to_the_instructor_alone(assignment, slip, tmp_path):
    grades = finished(assignment, tmp_path, ada=slipped(assignment, slip, "witness"))
    assert grades.final("ada").score == 2 + 2 * slip.keeps
    assert row(grades, "ada")["slips"] == f"{QUESTION}: {slip.name}"
    assert row(grades, "ada", "hidden.csv")["slip"] in ("", slip.name)
    assert slip.name in page(grades, "hidden.csv")
    shown = page(grades, "feedback/ada.html")
    assert slip.says in shown
    assert slip.name not in shown
    assert f"{2 * slip.keeps:+g}" in shown


def test_more_by_tests_or_by_hand_is_more(assignment, slip):
    many = slipped(assignment, slip, QUESTION)
    assert policy.apply({}, assignment, policy.Work("x", many)).parts[QUESTION] == 2
    by_hand = {"students": {"x": {"points": {QUESTION: 0.5}}}}
    assert policy.apply(by_hand, assignment, policy.Work("x", slipped(assignment, slip))).parts[QUESTION] == 0.5


@pytest.mark.parametrize(
    ("hints", "due", "out"),
    [
        (None, None, True),
        (None, PAST, True),
        (None, FUTURE, False),
        ("after", FUTURE, False),
        ("before", FUTURE, True),
        ("never", PAST, False),
    ],
)
def test_the_sentence_comes_when_marks_are_handed_back(hints, due, out, assignment, slip, tmp_path):
    decisions = ({"hints": hints} if hints else {}) | ({"late": {"due": due}} if due else {})
    grades = finished(assignment, tmp_path, decisions, ada=slipped(assignment, slip))
    assert (slip.says in page(grades, "feedback/ada.html")) is out
    assert ("Sentences on slips" in grades.lists()) is not out
    assert grades.final("ada").score == 2 * slip.keeps, "the points do not wait"


def test_a_deadline_is_over_in_its_own_time_zone():
    decisions = {"late": {"due": "2026-03-01T23:59-08:00"}}
    for minute, over in ((58, False), (0, True)):
        now = datetime.datetime(2026, 3, 2, 8 if over else 7, minute, tzinfo=datetime.UTC)
        assert policy.is_over(decisions, now) is over


@pytest.mark.parametrize(
    ("read", "site", "shown"),
    [
        ("a.md#thm-x", "https://book.example/", 'href="https://book.example/chapters/a.html#thm-x"'),
        (
            "deeper/a.md#eq-x",
            "https://book.example/",
            'href="https://book.example/chapters/deeper/a.html#equation-eq-x"',
        ),
        ("a.md#thm-x", "", "“theorem x” on the page a of the book"),
    ],
)
def test_the_sentence_leads_into_the_book(read, site, shown, assignment, slip):
    for question in assignment.questions:
        if question.name == QUESTION:
            other = replace(question, wrong=[replace(slip, read=read, says="Mind the <bound>.")])
            changed = replace(assignment, questions=[other])
    result = slipped(changed, slip)
    made = report.feedback(changed, "ada", result, policy.apply({}, changed, policy.Work("ada", result)), site=site)
    assert shown in made
    assert "Mind the &lt;bound&gt;." in made


def in_two_rounds(assignment, folder, first, second, decisions=None, again="other files", **more):
    """The grades of ada, who was graded with `first`, and then with `second` under a policy with a second round."""
    finished(assignment, folder, more.get("before"), ada=first)
    decisions = {"resubmission": {"until": FUTURE, "back": 0.5}} | (decisions or {})
    return finished(assignment, folder, decisions, handed={"ada": again}, ada=second)


def test_half_of_what_was_lost_comes_back(assignment, slip, tmp_path):
    first, second = slipped(assignment, slip, "witness"), earns(assignment, QUESTION, "saturation")
    grades = in_two_rounds(assignment, tmp_path, first, second)
    final = grades.final("ada")
    assert final.parts["witness"] == 2, "what is not in the second file is not lost"
    assert final.parts["saturation"] == 1
    assert final.parts[QUESTION] == 2 * slip.keeps + 0.5 * (2 - 2 * slip.keeps)
    assert final.rounds == (3.5, 4)
    assert (row(grades, "ada")["first round"], row(grades, "ada")["second round"]) == ("3.5", "4")
    assert "3.5 points at first, 4 points now" in page(grades, "feedback/ada.html")
    assert "ada: 3.5 → 4, and 4.75 counts" in page(grades, "report.html")
    for _ in range(2):  # a regrade, and a third file, begin with the first marks again
        again = finished(assignment, tmp_path, grades.policy, handed={"ada": "third"}, ada=second)
        assert again.final("ada").score == final.score


def test_the_same_files_are_no_second_round_and_a_regrade_of_them_counts_in_full(assignment, tmp_path):
    first, second = earns(assignment, "witness"), earns(assignment, "witness", "saturation")
    grades = in_two_rounds(assignment, tmp_path, first, second, again="files")
    assert (grades.final("ada").score, grades.final("ada").rounds) == (4, ())
    later = finished(assignment, tmp_path, grades.policy, handed={"ada": "new"}, ada=earns(assignment, "witness"))
    assert later.final("ada").score == 4, "the mended mark is the first one"


def test_files_before_the_deadline_are_one_round(assignment, tmp_path):
    soon = {"late": {"due": FUTURE}, "resubmission": {"until": FUTURE, "back": 0.5}}
    for number, questions in enumerate((["witness"], ["witness", "saturation"])):
        files = {"ada": f"files {number}"}
        grades = finished(assignment, tmp_path, soon, handed=files, ada=earns(assignment, *questions))
    assert (grades.final("ada").score, grades.final("ada").rounds) == (4, ())


def test_who_was_late_at_first_stays_late_and_who_hands_in_after_the_last_day_wins_nothing(assignment, tmp_path):
    late = {"late": {"per_day": 1, "days": {"ada": 1}}}
    grades = in_two_rounds(assignment, tmp_path, earns(assignment), earns(assignment, "witness"), late, before=late)
    assert grades.final("ada").score == 0, "one point comes back, and one is deducted"
    first = first_round.FirstRound(parts={"witness": 1}, late=0, handed="files", settled=True)
    file = type("File", (), {"time": "2026-03-16-00-00-00", "late": None})
    handed = type("Handed", (), {"files": [file]})
    for until, score in (("2026-03-15", 1), ("2026-03-16", 1.5)):
        decisions = {"resubmission": {"until": until, "back": 0.5}}
        work = policy.Work("ada", earns(assignment, "witness"), handed, first_round=first)
        assert policy.apply(decisions, assignment, work).score == score


def test_a_group_that_hands_in_nothing_else_is_not_in_a_second_round(assignment, tmp_path):
    """Its other file lay there in the first round, too."""
    group, files = {"groups": [["ada", "hal"]]}, {"ada": "one", "hal": "another"}
    results = {"ada": earns(assignment, "witness", QUESTION), "hal": earns(assignment, "saturation")}
    again = {"resubmission": {"until": FUTURE, "back": 0.5}}
    before = finished(assignment, tmp_path, group, handed=files, **results)
    for _ in range(2):  # the first time the last run says what the first round was, then a file of its own
        after = finished(assignment, tmp_path, group | again, handed=files, **results)
        assert {name: after.final(name).score for name in files} == {name: before.final(name).score for name in files}
        assert after.final("ada").rounds == ()
    better = files | {"hal": "a third"}
    results["hal"] = earns(assignment, "witness", QUESTION, "saturation")
    assert finished(assignment, tmp_path, group | again, handed=better, **results).final("ada").rounds


@pytest.mark.parametrize("left", ["{", "[]", "{}", '{"students": []}', '{"students": {"ada": {"parts": {}}}}', "\xff"])
def test_the_marks_of_the_first_round_are_never_taken_from_a_second(left, assignment, tmp_path):
    """Where the file that keeps them cannot be read, the last run is of the second round, and would be the first."""
    first, second = earns(assignment, "witness"), earns(assignment, "witness", "saturation")
    grades = in_two_rounds(assignment, tmp_path, first, second)
    kept = grades.folder / "first.json"
    kept.write_text(left, encoding="latin-1")
    with pytest.raises(model.CourseError, match=r"first\.json"):
        finished(assignment, tmp_path, grades.policy, handed={"ada": "other files"}, ada=second)
    assert kept.read_text(encoding="latin-1") == left, "nothing is written over it"
    kept.unlink()
    begun = finished(assignment, tmp_path, grades.policy, handed={"ada": "other files"}, ada=second)
    assert begun.final("ada").rounds == (), "an instructor who deletes it begins again"


@pytest.mark.parametrize("left", ["", "{", "[]", '{"students": 1}', '{"students": {"ada": 1}}', "\xff"])
def test_a_second_round_does_not_begin_where_the_marks_of_the_first_are_damaged(left, assignment, tmp_path):
    """As long as there is no `first.json`, only `last.json` has them."""
    first, second = earns(assignment, "witness"), earns(assignment, "witness", "saturation")
    last = finished(assignment, tmp_path, ada=first).folder / "last.json"
    assert not last.with_name("first.json").exists()
    last.write_text(left, encoding="latin-1")
    decisions = {"resubmission": {"until": FUTURE, "back": 0.5}}
    with pytest.raises(model.CourseError, match=r"last\.json cannot be read"):
        finished(assignment, tmp_path, decisions, handed={"ada": "other files"}, ada=second)
    assert last.read_text(encoding="latin-1") == left, "nothing is written over it"
    last.unlink()
    begun = finished(assignment, tmp_path, decisions, handed={"ada": "other files"}, ada=second)
    assert begun.final("ada").rounds == (), "an instructor who deletes it begins with the first round"
    last.write_text(left, encoding="latin-1")
    again = finished(assignment, tmp_path, decisions, handed={"ada": "third"}, ada=second)
    assert again.final("ada").rounds == (4, 4), "first.json has the marks"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hints: sometimes", "hints is 'sometimes'; there are before, after, never"),
        ("resubmission: {until: 2026-03-15}", "resubmission has the parts until and back"),
        ("resubmission: {until: soon, back: 0.5}", "until is 'soon'"),
        ("resubmission: {until: 2026-03-15, back: 2}", "back is 2"),
        ("resubmission: {until: 2026-03-15, back: half}", "back is 'half'"),
    ],
)
def test_a_policy_for_rounds_that_is_not_understood_names_what(text, says, assignment, tmp_path):
    (tmp_path / "p.yml").write_text(text, encoding="utf-8")
    with pytest.raises(model.CourseError, match=says):
        policy.read(tmp_path / "p.yml", assignment)


def of_a_class(assignment, slip, folder, slips=4, blanks=2, **decisions):
    """The grades of twelve students: some slip, some left the exercise as it was, and the others solved everything."""
    names = [name for question in assignment.questions for name in question.functions]
    answered, blank = {name: ["return", "0"] for name in names}, items.blank_answers(assignment)
    asked = next(question for question in assignment.questions if question.name == QUESTION)
    every = [question.name for question in assignment.questions]
    others = [name for name in every if name != QUESTION]
    untouched = answered | {name: blank[name] for name in asked.functions}
    results = {f"slip{n}": replace(slipped(assignment, slip, *others), tokens=answered) for n in range(slips)}
    results |= {f"blank{n}": replace(earns(assignment, *others), tokens=untouched) for n in range(blanks)}
    right = 12 - slips - blanks
    results |= {f"right{n}": replace(earns(assignment, *every), tokens=answered) for n in range(right - 1)}
    results["weak"] = replace(earns(assignment), tokens=answered)
    return finished(assignment, folder, decisions, **results)


def test_the_report_counts_slips_and_rates_among_those_who_tried(assignment, slip, tmp_path):
    grades = of_a_class(assignment, slip, tmp_path)
    shown = page(grades, "report.html")
    asked = next(question for question in assignment.questions if question.name == QUESTION)
    assert f"<li>4 students: {slip.name} ({asked.title.replace(chr(39), '&#x27;')})</li>" in shown
    tests = shown.partition("<h2>Tests</h2>")[2]
    assert tests.count('class="number">5 of 10<') == len(asked.hidden), "blanks are not among those who tried"
    together = tests.partition("Tests that are lost together")[2]
    assert f"5 lost both, 0 only one: {asked.title}, {asked.hidden[0].name}" in together


def test_a_slip_without_a_sentence_tells_a_student_how_to_go_on_and_a_blank_does_not(assignment, slip, tmp_path):
    right = [question.name for question in assignment.questions if question.name != QUESTION]
    wrong, blank = earns(assignment, *right), earns(assignment, *right)
    for result, why in ((wrong, "AssertionError: does not hold"), (blank, "NotImplementedError: your code here")):
        result.marks = [mark if mark.passed else replace(mark, why=why) for mark in result.marks]
    known = slipped(assignment, slip, *right)
    grades = finished(assignment, tmp_path, ada=wrong, ben=blank, cid=known)
    said = {student: page(grades, f"feedback/{student}.html").count('class="slip"') for student in grades.results}
    assert said == {"ada": 1, "ben": 0, "cid": 1}
    of_cid = page(grades, "feedback/cid.html")
    assert of_cid.index(slip.says) < of_cid.index(assignment.questions[1].hidden[0].name), "before the tests"


def test_the_report_leads_to_every_page_that_is_written_beside_it(with_words, tmp_path):
    grades = finished(with_words, tmp_path, ada=earns(with_words, "saturation"))
    beside = {path.name for path in grades.folder.glob("*.html")} - {"report.html"}
    assert {"class.html", "oral.html", "marking.html"} <= beside
    assert not [name for name in beside if f'href="{name}"' not in page(grades, "report.html")]


def test_discrimination_is_the_correlation_with_the_rest(assignment):
    question = assignment.questions[0]
    test, names = question.hidden[0], [q.name for q in assignment.questions]

    def finals(who_passes):
        results = {f"s{n}": earns(assignment, *names[1 : 1 + n % 5]) for n in range(20)}
        for n, result in enumerate(results.values()):
            result.marks = [
                replace(mark, passed=who_passes(n)) if mark.test == test.name else mark for mark in result.marks
            ]
        return {name: policy.apply({}, assignment, policy.Work(name, result)) for name, result in results.items()}

    assert items.discrimination(finals(lambda n: n % 5 > 2), question, test) > 0.7
    assert items.discrimination(finals(lambda n: n % 5 < 2), question, test) < -0.7
    assert abs(items.discrimination(finals(lambda n: n < 10), question, test)) < 0.1
    assert items.discrimination(finals(lambda n: True), question, test) is None
    few = dict(list(finals(lambda n: n % 5 > 2).items())[:9])
    assert items.discrimination(few, question, test) is None


def test_the_page_for_the_class_names_nobody_and_nothing_that_few_did(assignment, slip, tmp_path):
    grades = of_a_class(assignment, slip, tmp_path)
    shown = page(grades, "class.html")
    assert slip.says in shown
    assert "4 students" in shown
    assert not [name for name in grades.results if name in shown]
    few = of_a_class(assignment, slip, tmp_path / "few", slips=2)
    assert slip.says not in page(few, "class.html")
    early = of_a_class(assignment, slip, tmp_path / "early", late={"due": FUTURE})
    assert slip.says not in page(early, "class.html")
    alone = finished(assignment, tmp_path / "alone", ada=slipped(assignment, slip))
    assert "Tests" not in page(alone, "class.html")


def test_one_cell_of_the_notebook_runs_every_visible_test(assignment, capsys):
    cell = json.loads(notebooks.student(assignment))["cells"][-1]
    right = author.reference(assignment)
    exec("".join(cell["source"]), dict(right))
    said = capsys.readouterr().out.splitlines()
    assert [line.endswith(": the visible tests hold") for line in said[:-1]] == [True] * len(assignment.questions)
    exec("".join(cell["source"]), right | {"leaves": lambda *given: 1, "witness": None})
    said = capsys.readouterr().out.splitlines()
    assert [n for n, line in enumerate(said[:-1]) if "hold" not in line] == [1, 4]


def test_the_notebook_says_what_carries_points(assignment):
    text = notebooks.student(assignment)
    for question in assignment.questions:
        worth = [f"{test.points:g}" for test in question.hidden]
        assert f"{', '.join(worth[:-1])} and {worth[-1]};" in text


def test_the_cell_that_runs_visible_tests_is_not_run_when_marked(marked, assignment):
    """Else a function that hangs would use up twice the time."""
    cells = json.loads(notebooks.student(assignment))["cells"]
    cells[2:] = [cell for cell in cells if "visible_tests" in "".join(cell["source"])]
    assert len(cells) == 3
    result = marked(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode())
    assert not [remark for remark in result.remarks if "visible" in remark]
    assert result.problem, "nothing is answered there"
