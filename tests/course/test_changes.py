"""What an instructor asks next: whose grade changed and why, groups, blank notebooks, several sections, one seed."""

import csv
import io
import json
from dataclasses import replace

import platforms
import pytest
from attncourse import batch, downloads, finding, lists, marks, model, policy, roster, submissions, tokens
from attncourse.model import CourseError
from coursework import SHORT, Class, notebook
from test_batch import made_of, plain
from test_gradebook import earns, read_roster

CHANGED = "Changed since an earlier run"
SEVERAL = "Groups with several submissions: for each member, the one that leaves most points counts"
SAME = "The same files, byte for byte: a group that the policy does not name, or a copy"


def run(place, assignment, out, results, decisions=None, people=None, **more):
    """Grade a folder, or a `Download`, with prepared results; returns the `Grades`."""
    there = place if isinstance(place, submissions.Download) else downloads.read(place, people)
    grades = Class(more.pop("shown", assignment), there, out, decisions, people)
    batch.run(grades, grades.files, made_of(results), more.pop("seed", marks.SEED), SHORT, **more)
    assert grades.files.written
    assert not grades.files.errors
    return grades


def table(out, name):
    return list(csv.DictReader(io.StringIO((out / name).read_bytes().decode("utf-8-sig"), newline="")))


def test_whose_grade_changed_is_said_with_the_reason(assignment, tmp_path):
    place, out = plain(tmp_path, "ada", "hal", "zoe"), tmp_path / "out"
    half, whole = earns(assignment, "witness"), earns(assignment, "witness", "saturation")
    first = run(place, assignment, out, lambda name: half)
    assert CHANGED not in first.lists(), "what is graded for the first time has not changed"
    assert CHANGED not in run(place, assignment, out, {}).lists()
    (place / "hal.ipynb").write_bytes(notebook("# better"))
    grades = run(place, assignment, out, {"hal": whole})
    (line,) = grades.lists()[CHANGED]
    assert line.startswith(f"hal: 2 → {whole.score:g} (other files; passes now: saturation: ")
    assert CHANGED in (out / "report.html").read_text(encoding="utf-8")
    assert run(place, assignment, out, {}).lists()[CHANGED] == [line], "until something changes again"
    decisions = {"students": {"zoe": {"add": 1}}}
    assert run(place, assignment, out, {}, decisions).lists()[CHANGED] == [
        "zoe: 2 → 3 (your decisions, or the platform's table)"
    ]
    other = replace(assignment, title="Another")
    lines = run(place, assignment, out, lambda name: half, decisions, shown=other).lists()[CHANGED]
    assert [line.partition("; fails now")[0] for line in lines] == [f"hal: {whole.score:g} → 2 (the assignment"]
    grades = run(place, assignment, out, lambda name: whole, decisions, shown=other, seed="x")
    assert all("(the seed; passes now" in line for line in grades.lists()[CHANGED])
    assert len(grades.lists()[CHANGED]) == 3
    run(place, assignment, out, lambda name: half, decisions, shown=other, seed="x", force={"ada"})
    assert any(
        "graded again" in line or "fails now" in line
        for line in run(place, assignment, out, {}, decisions, shown=other, seed="x").lists()[CHANGED]
    )
    (place / "zoe.ipynb").unlink()
    grades = run(place, assignment, out, {}, decisions, shown=other, seed="x")
    assert any(line.startswith("zoe: ") and "no longer" in line for line in grades.lists()[CHANGED])


def test_who_hands_in_later_is_said(assignment, tmp_path):
    place, out = plain(tmp_path, "ada"), tmp_path / "out"
    people = read_roster(tmp_path, b"Login,Name\nada,Ada\nhal,Hal\n")
    run(place, assignment, out, lambda name: earns(assignment, "witness"), None, people)
    (place / "hal.ipynb").write_bytes(notebook("# late"))
    grades = run(place, assignment, out, lambda name: earns(assignment, "witness"), None, people)
    assert [line.partition("; ")[0] for line in grades.lists()[CHANGED]] == ["hal: no grade → 2 (handed in since"]


def test_files_that_are_gone_are_no_other_files(assignment, tmp_path):
    place, out = plain(tmp_path, "ada", "hal"), tmp_path / "out"
    people = read_roster(tmp_path, b"Login,Name\nada,Ada\nhal,Hal\n")
    run(place, assignment, out, lambda name: earns(assignment, "witness"), None, people)
    (place / "hal.ipynb").unlink()
    grades = run(place, assignment, out, {}, None, people)
    assert [line.partition("; ")[0] for line in grades.lists()[CHANGED]] == ["hal: 2 → no grade (the files are gone"]


def test_a_test_that_is_no_longer_there_is_not_failed(assignment, tmp_path):
    place, out = plain(tmp_path, "ada"), tmp_path / "out"
    run(place, assignment, out, lambda name: earns(assignment, "witness", "saturation"))
    fewer = [replace(question, hidden=question.hidden[1:]) for question in assignment.questions]
    grades = run(place, assignment, out, lambda name: earns(assignment), shown=replace(assignment, questions=fewer))
    (line,) = grades.lists()[CHANGED]
    gone = [f"{question.name}: {question.hidden[0].name}" for question in assignment.questions]
    assert "fails now" in line
    assert not [name for name in gone if name in line]


@pytest.mark.parametrize("blank", ["hal", "ada"])
def test_a_group_has_one_result_whoever_handed_in_what(blank, assignment, tmp_path):
    """A partner's untouched template takes nothing from the group, and no partner stands in a list of copies."""
    place, out = plain(tmp_path, "ada", "hal"), tmp_path / "out"
    results = {name: earns(assignment) if name == blank else earns(assignment, "witness") for name in ("ada", "hal")}
    decisions = {"groups": [["ada", "hal", "kim"]]}
    grades = run(place, assignment, out, results, decisions)
    assert {row["student"]: row["score"] for row in table(out, "grades.csv")} == dict.fromkeys(("ada", "hal"), "2")
    assert grades.lists()["Named in the policy, and not found"] == ["kim"]  # nobody gets points by a slip of the pen
    (line,) = grades.lists()[SEVERAL]
    assert f"that of {'ada' if blank == 'hal' else 'hal'} counts" in line
    assert "No points because of the file" not in " ".join(grades.lists())


def teams(assignment, folder, platform):
    """The finished grades of two partners with one file, and of a third student."""
    book, other = notebook("# theirs"), notebook("# another")
    if platform == "Gradescope":
        people = "".join(f"  - :name: {name.title()}\n    :email: {name}@u\n" for name in ("ada", "hal"))
        meta = f"submission_1:\n  :submitters:\n{people}submission_2:\n  :submitters:\n  - :email: zoe@u\n"
        platforms.put(folder / "in", "submission_metadata.yml", meta.encode())
        names = {"submission_1/h.ipynb": book, "submission_2/h.ipynb": other}
    elif platform == "Moodle":
        names = {f"Team 1-{name}_{n}_assignsubmission_file/h.ipynb": book for n, name in ((1, "Ada"), (2, "Hal"))}
        names |= {"Team 2-Zoe_3_assignsubmission_file/h.ipynb": other}
    else:
        names = {"ada.ipynb": book, "hal.ipynb": book, "zoe.ipynb": other}
    for name, data in names.items():
        platforms.put(folder / "in", name, data)
    tokens = {name: ["a", "b"] * 30 + [str(n) for n in range(30)] for name in assignment.functions}
    others = {name: [str(n) for n in range(90, 180)] for name in assignment.functions}
    theirs, zoes = (replace(earns(assignment, "witness"), tokens=each) for each in (tokens, others))
    asked: list = []
    there = downloads.read(folder / "in")
    grades = Class(assignment, there, folder / "out", {"groups": [["ada", "hal"]]} if not platform else {})
    batch.run(grades, grades.files, made_of(lambda name: zoes if "oe" in name else theirs, asked), marks.SEED, SHORT)
    return grades, asked


def test_what_is_no_longer_there_is_said_first(assignment, tmp_path):
    """But not where the same files have another name."""
    place, out = plain(tmp_path, "ada", "hal", "zoe"), tmp_path / "out"
    results = {name: earns(assignment, "witness") for name in ("ada", "hal", "zoe", "zora")}
    run(place, assignment, out, results)
    (place / "hal.ipynb").unlink()
    (place / "zoe.ipynb").rename(place / "zora.ipynb")
    grades = run(place, assignment, out, results)
    (line,) = grades.lists()[lists.FIRST]
    assert line.startswith("hal had handed in")


def test_nobody_is_in_two_groups(assignment, tmp_path):
    """Also where one of the two names is a number, and the other the label."""
    place, out = plain(tmp_path, "ada", "hal", "zoe"), tmp_path / "out"
    results = {name: earns(assignment, "witness") for name in ("ada", "hal", "zoe")}
    with pytest.raises(CourseError, match="groups: hal is in two of them, ada, hal and hal, zoe"):
        run(place, assignment, out, results, {"groups": [["ada", "hal"], ["HAL", "zoe"]]})


@pytest.mark.parametrize("platform", ["Gradescope", "Moodle", ""])
def test_partners_are_no_pair_of_copies(platform, assignment, tmp_path):
    """Gradescope says who is a group; elsewhere the policy does, or one line says whose files are the same."""
    grades, asked = teams(assignment, tmp_path, platform)
    page = (grades.folder / "report.html").read_text(encoding="utf-8")
    assert "alike and rare" not in page
    assert [len(lines) for lines in [grades.lists().get(SAME, [])]] == [platform == "Moodle"]
    assert len(asked) == (2 if platform == "Gradescope" else 3)
    assert {row["score"] for row in table(grades.folder, "grades.csv")} == {"2"}
    assert len(table(grades.folder, "grades.csv")) == 3
    assert not [line for line in grades.classlist.claims if "name" in line]


def test_one_person_with_two_submissions_on_gradescope_is_claimed_by_name(assignment, tmp_path):
    meta = (
        "submission_1:\n  :submitters:\n  - :email: ada@u\n  - :email: hal@u\n"
        "submission_2:\n  :submitters:\n  - :email: hal@u\n"
    )
    platforms.put(tmp_path / "in", "submission_metadata.yml", meta.encode())
    for number in (1, 2):
        platforms.put(tmp_path / "in", f"submission_{number}/h.ipynb", notebook(f"# {number}"))
    there = downloads.read(tmp_path / "in")
    assert len(there.claims) == 1
    assert "hal@u (submission_1/h.ipynb), hal@u (2) (submission_2/h.ipynb)" in there.claims[0]


def test_a_blank_or_missing_notebook_is_one_line_for_the_instructor(assignment, tmp_path):
    def failed(why, **more):
        every = [
            model.Mark(q.name, t.name, True, t.points, False, why(t)) for q in assignment.questions for t in q.hidden
        ]
        return model.Result(0, every, **more)

    number = sum(len(question.hidden) for question in assignment.questions)
    results = {
        "blank": failed(lambda test: "NotImplementedError: your code here"),
        "gone": failed(lambda test: f"LookupError: there is no function {test.asks[0]}", problem="The file is empty."),
        "half": earns(assignment, "witness", remark="ValueError: x"),
        "each": failed(lambda test: test.name),
    }
    out = tmp_path / "out"
    run(plain(tmp_path, *results), assignment, out, results)
    rows = table(out, "hidden.csv")
    lines = {name: [row for row in rows if row["student"] == name] for name in results}
    assert [(row["question"], row["points"], row["why"]) for row in lines["blank"] + lines["gone"]] == [
        ("all", "10", "NotImplementedError: your code here"),
        ("all", "10", "The file is empty."),
    ]
    assert len(lines["each"]) == number, "where the reasons differ, each is a line"
    assert sum(float(row["points"]) for row in lines["half"]) == 8
    assert {row["question"] for row in lines["half"]} == {q.name for q in assignment.questions} - {"witness"}


def test_the_figures_of_a_class_are_of_those_who_tried(assignment, tmp_path):
    """One line names those with an untouched notebook, one those without a file: no mean and no histogram has them."""
    cells = [model.stub(source) for question in assignment.questions for source in question.answer]
    names = [name for question in assignment.questions for name in question.functions]
    as_it_was = {name: tokens.tokenize(finding.body(cells, name)) for name in names}
    blank, answered = earns(assignment), earns(assignment, "witness")
    results = {
        "b1": replace(blank, tokens=as_it_was),
        "b2": replace(blank, tokens=as_it_was),
        "unreadable": replace(blank, problem="The file is empty."),
        "wrong": replace(blank, tokens=as_it_was | {names[0]: ["return", "0"]}),
        "right": replace(answered, tokens=as_it_was),
        "words": replace(blank, tokens=as_it_was, written={"why": "Because."}),
    }
    (tmp_path / "r.csv").write_text("Name\n" + "\n".join([*results, "gone"]))
    place, out = plain(tmp_path, *results), tmp_path / "out"
    there = downloads.read(place, people := roster.read(tmp_path / "r.csv"))
    run(there, assignment, out, lambda name: results[name], people=people)
    page = (out / "report.html").read_text(encoding="utf-8")
    points = earns(assignment, "witness").score
    assert "<li>an untouched notebook, 2: b1, b2</li>" in page
    assert "<li>a file without any answer, 1: unreadable</li>" in page
    assert "<li>nothing handed in, 1: gone</li>" in page
    assert f"3 tried and are graded: mean {points / 3:.2f}" in page
    assert ">1 of 1<td" in page, "of witness, which one of them tried"
    assert not [many for many in (2, 3, 6) if f"of {many}<td" in page]
    assert {row["student"]: row["score"] for row in table(out, "grades.csv")}["b1"] == "0", "the grade is what it was"


def test_a_name_in_the_policy_that_fits_two_is_reported_whoever_else_has_it(assignment, tmp_path):
    people = "Name,Login\nJane Doe,jd1\nJane Doe,jd2\nAl Poe,ap\n"
    (tmp_path / "r.csv").write_text(people)
    known = roster.read(tmp_path / "r.csv")
    decisions = {"students": {"Jane Doe": {"add": 1}, "nobody": {"add": 1}}}
    for section in "ba":
        there = submissions.Download({}, "", [], [])
        for name in ("Jane Doe",) if section == "b" else ("jd1", "jd2"):
            file = submissions.File("x.ipynb", "x.ipynb", lambda: b"")
            there.submissions[name] = submissions.Submission(name, (file,))
        listed = run(
            there, assignment, tmp_path / section, lambda name: earns(assignment, "witness"), decisions, known
        ).lists()
    assert [line for lines in listed.values() for line in lines if line.startswith("Jane Doe: 2 ")]
    assert listed["Named in the policy, and not found"] == ["nobody"]


def test_one_policy_serves_several_sections(assignment, tmp_path):
    """Who is in another section is no unknown name; a section may have decisions of its own."""
    text = "students: {ada: {add: 1}, hal: {add: 2}, nobody: {add: 3}}\nlate: {per_day: 1, due: 2026-03-01}\n"
    text += "classes: {b: {late: {due: 2026-03-05}, column: Other}}\n"
    (tmp_path / "p.yml").write_text(text)
    decisions = policy.read(tmp_path / "p.yml", assignment)
    found = {}
    for turn in range(2):
        for section, name in (("a", "ada"), ("b", "hal")):
            time = submissions.File("x.ipynb", "x.ipynb", lambda: b"", time="2026-03-02-12-00-00")
            there = submissions.Download({name: submissions.Submission(name, (time,))}, "", [], [])
            grades = run(there, assignment, tmp_path / section, lambda name: earns(assignment, "witness"), decisions)
            found[turn, section] = grades.lists().get("Named in the policy, and not found")
            assert grades.final(name).score == (2 if section == "a" else 4), "a day late in the one, not in the other"
            assert grades.column.name == ("Other" if section == "b" else assignment.title)
    assert found[0, "a"] == ["hal", "nobody"], "nothing is known of the other section yet"
    assert found[0, "b"] == found[1, "a"] == found[1, "b"] == ["nobody"]


BAD = {
    "classes: {b: [1]}": "b",
    "classes: {b: {classes: {}}}": "b",
    "classes: {b: {latte: 1}}": "latte",
    "column: []": "column",
    "column: [[a]]": "column",
    "students: {a: {excused: 3}}": "excused",
}


@pytest.mark.parametrize("text", BAD)
def test_a_policy_for_classes_that_is_not_understood_names_what(text, assignment, tmp_path):
    (tmp_path / "p.yml").write_text(text)
    with pytest.raises(model.CourseError, match=BAD[text]):
        policy.read(tmp_path / "p.yml", assignment)


@pytest.mark.parametrize("left", ["", "{", "[]", '{"students": 1}', json.dumps({"students": {"ada": 1}})])
def test_what_the_last_run_left_may_be_damaged(left, assignment, tmp_path):
    place, out = plain(tmp_path, "ada"), tmp_path / "out"
    run(place, assignment, out, lambda name: earns(assignment, "witness"))
    (out / "last.json").write_text(left)
    assert CHANGED not in run(place, assignment, out, {}).lists()


def test_a_second_run_says_nothing_to_the_student(assignment, tmp_path):
    """Whether only a hidden test was slow, a page must not say."""
    place, out = plain(tmp_path, "ada", "hal"), tmp_path / "out"
    fast = earns(assignment, "witness")
    times = {"ada": iter([replace(fast, slow=True), fast]), "hal": iter([fast])}
    grades = run(place, assignment, out, lambda name: next(times[name]))
    assert grades.results["ada"].score == 2
    pages = [(out / "feedback" / f"{name}.html").read_text(encoding="utf-8") for name in ("ada", "hal")]
    assert pages[0].replace("ada", "hal") == pages[1]
