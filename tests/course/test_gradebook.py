"""Grades go out: a table no spreadsheet runs, what each platform imports, pages that run nothing, decisions."""

import csv
import datetime
import io
import time
import zipfile
from dataclasses import replace

import platforms
import pytest
from attncourse import (
    clean,
    downloads,
    finding,
    marking,
    model,
    policy,
    report,
    roster,
    similar,
    submissions,
    tokens,
)
from attncourse.model import CourseError
from coursework import Class, answers, notebook

RIGHT = notebook("def leaves(d_k, t): return 1")
XSS = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "\"><svg onload=document.title='owned'>",
    "</title></style></code></pre><script>document.title='owned'</script>",
    "<a href=\"javascript:document.title='owned'\">x</a>",
    "<iframe srcdoc=\"<script>parent.document.title='owned'</script>\">",
    "<meta http-equiv=refresh content='0;url=data:text/html,owned'>",
    "' onmouseover=document.title='owned' x='",
    "{{7*7}}${7*7}<!--",
    "&lt;script&gt;document.title='owned'&lt;/script&gt;",
    "<style>*{background:url(http://127.0.0.1/owned)}</style>",
    "<form action=http://127.0.0.1/><button>",
    "<base href=http://127.0.0.1/><link rel=stylesheet href=x>",
    "\u202e<script\x00>document.title='owned'</script\n>",
]


def earns(assignment, *questions, remark=""):
    """A result that has all points of these questions."""
    hidden = [
        model.Mark(q.name, t.name, True, t.points, q.name in questions, remark)
        for q in assignment.questions
        for t in q.hidden
    ]
    visible = [
        model.Mark(q.name, source, False, 0, False, remark) for q in assignment.questions for source in q.visible
    ]
    return model.Result(sum(m.earned for m in hidden), hidden + visible, [remark] if remark else [], file=0)


def final(assignment, result, decisions=None, student="x"):
    return policy.apply(decisions or {}, assignment, policy.Work(student, result))


def read_roster(folder, data):
    (folder / "people.csv").write_bytes(data)
    return roster.read(folder / "people.csv")


def class_of(assignment, folder, platform, people=None, decisions=None, **options):
    """The grades of a download; every second student has everything, the others two points."""
    (folder / "in").mkdir(parents=True)
    getattr(platforms, platform)(folder / "in", RIGHT, RIGHT, **options)
    people = read_roster(folder, people) if people else None
    pattern = platforms.BLACKBOARD if platform == "blackboard" else ""
    there = downloads.read(folder / "in", people, pattern=pattern)
    grades = Class(assignment, there, folder / "out", decisions, people)
    everything = [q.name for q in assignment.questions]
    for number, student in enumerate(sorted(grades.classlist.submissions)):
        grades.add(student, earns(assignment, *(everything if number % 2 == 0 else ["witness"])))
    assert grades.finish()
    assert not grades.files.errors
    return grades


def rows(path):
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


SIGNS = ("=", "+", "-", "@", "\uff1d")
FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1+1",
    "\r=1",
    " =1",
    "x;=1+1",
    "x\t=1+1",
    "x,=1+1",
    'x";"=1+1',
    "x;'=1",
    'a";=1;"',
    "\uff1d1+1",
    "\n=1",
    "a|=1",
    "; +1",
    "\u200b=1+1",
    "\x00=1",
    "\ufeff@x",
    "a;\u2060=1",
]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula_with_any_separator(text, separator):
    text_of_table = clean.table([["student", clean.cell(text), 1], [clean.cell(text), "x", clean.cell(text)]]).decode()
    read = list(csv.reader(io.StringIO(text_of_table.lstrip("\ufeff"), newline=""), delimiter=separator))
    raw = text_of_table.replace('"', "")  # as a program cuts lines that knows nothing of quotes
    cells = [cell.lstrip(' "\t\r\n') for row in read for cell in row]
    cells += [cell.strip() for line in raw.splitlines() for cell in line.split(separator)]
    assert not [cell for cell in cells if cell.startswith(SIGNS)]


def test_no_two_students_share_a_page():
    names = clean.page_names(["Anna", "anna", "a/b", "a_b", "a\\b", ". ", "x" * 300]).values()
    assert len({name.casefold() for name in names}) == 7
    assert not any("/" in name or "\\" in name or len(name) > 210 for name in names)


CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
IMPORTED = {  # platform: columns that its import asks for, which of them names a student, those who handed in nothing
    "canvas": (CANVAS, "ID", {"99901", "99902"}),
    "moodle": (["Identifier", "Grade", "Last modified (grade)"], "Identifier", {"Participant 5099"}),
    "blackboard": (["Username"], "Username", {"gone1"}),
}
IDS = {
    "canvas": [str(12345 + n) for n in range(30)],
    "moodle": [f"Participant {5000 + n}" for n in range(30)],
    "blackboard": ["j_doe4" if n == 4 else f"jdoe{n}" for n in range(30)],
}


@pytest.mark.parametrize(
    ("platform", "with_roster"),
    [("canvas", True), ("canvas", False), ("moodle", True), ("moodle", False), ("blackboard", True)],
)
def test_a_platform_gets_the_table_that_it_imports(platform, with_roster, assignment, tmp_path):
    people = getattr(platforms, f"{platform}_roster")() if with_roster else None
    grades = class_of(assignment, tmp_path, platform, people, {"column": "RNN assignment"})
    columns, naming, absent = IMPORTED[platform]
    head, *lines = rows(grades.folder / f"{platform}.csv")
    place = head.index("Grade") if platform == "moodle" else len(head) - 1
    assert set(columns) <= set(head)
    if platform == "canvas":
        assert (head[:-1], lines[0][0].strip(), lines[0][-1]) == (CANVAS, "Points Possible", "10")
        del lines[0]
    if platform != "moodle":
        assert head[-1].startswith("RNN assignment")
        assert ("4711" in head[-1] or "98765" in head[-1]) == with_roster, "the heading of the platform's own column"
    score = {line[head.index(naming)]: line[place] for line in lines}
    expected = dict(zip(sorted(grades.classlist.submissions), ["10", "2"] * 15, strict=True))
    number = {
        student: IDS[platform][n]
        for n in range(30)
        for student in grades.classlist.submissions
        if IDS[platform][n].removeprefix("Participant ") in (student, student.rpartition("_")[2])
    }
    assert {student: score.pop(number[student]) for student in expected} == expected
    assert not any(score.values()), score
    assert (absent if with_roster else set()) <= score.keys()
    listed = " ".join(line for lines in grades.lists().values() for line in lines)
    assert ("gone" in listed.lower()) == with_roster


def test_pages_have_the_names_that_canvas_reads(assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "canvas")
    with zipfile.ZipFile(grades.folder / "feedback.zip") as pages:
        names = pages.namelist()
    numbers = {tuple([part for part in name.split("_") if part.isdigit()][:2]) for name in names if name.count("_") > 2}
    assert ("12345", "678900") in numbers, "Canvas looks for the first two numbers between underscores"
    assert all(name.endswith(".html") for name in names)
    assert len(names) == 30


@pytest.mark.parametrize("after", ["_", ""])
def test_pages_have_the_names_that_moodle_reads(after, assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "moodle", after=after)
    with zipfile.ZipFile(grades.folder / "feedback.zip") as pages:
        names = pages.namelist()
    for name in names:  # as Moodle reads it: name, number, kind, plugin, rest
        info = name.split("/")[0].split("_", 4)
        assert info[1].isdigit()
        assert info[2:4] == ["assignsubmission", "file"]
    assert len(set(names)) == 30


def pages_with(assignment, text, folder):
    """The page of a student, of the class and of markers, with one text in every place that a student chooses."""
    result = earns(assignment, remark=text)
    result.marks = [replace(mark, test=mark.test + text) for mark in result.marks]
    result.python = result.numpy = text
    result.written = {"in-words": f"one\n{text}\n```{{raw}} html\n{text}"}
    decided = final(assignment, result, {"students": {text: {"comment": text}}}, text)
    lists = {text: [text]}
    yield report.feedback(assignment, text, result, decided, text)
    yield report.class_page(assignment, {text: result}, {text: decided}, lists, lists, [([text], text, [text])])
    said = marking.Tick("in-words", marking.code("in-words", result.written["in-words"]), [True] * 3, text, text, text)
    marks = marking.Marks(assignment, folder)
    marks.ticks[said.question, said.answer].append(said)
    yield marking.page(assignment, folder, result.written.items(), marks)


TAGS = "[...document.querySelectorAll('*')].map(e => [e.tagName, ...e.getAttributeNames().sort()].join(' '))"


def test_nothing_of_a_student_runs_or_becomes_a_tag(with_words, chromium, tmp_path):
    page, asked, path = chromium.new_page(), [], tmp_path / "page.html"
    page.on("request", lambda request: asked.append(request.url))

    def tags_of(text):
        path.write_text(text, encoding="utf-8", errors="replace")
        page.goto(path.as_uri())
        if page.locator("#marker").count():
            page.keyboard.type("Zoe")
            page.keyboard.press("Tab")
        page.mouse.move(200, 200)
        return page.evaluate(TAGS)

    tags_of(f"<title>x</title>{XSS[0]}")
    assert page.title() == "owned", "the attack works where nothing is escaped"
    harmless = [{*tags_of(text)} for text in pages_with(with_words, "x", tmp_path)]
    for attack in XSS:
        for text, allowed in zip(pages_with(with_words, attack, tmp_path), harmless, strict=True):
            assert {*tags_of(text)} <= allowed, attack
            assert page.title() != "owned", attack
    assert {*asked} == {path.as_uri()}


def test_a_page_is_no_wider_than_a_phone(assignments, chromium):
    page = chromium.new_page(viewport={"width": 375, "height": 812})
    for assignment in assignments.values():
        result = replace(earns(assignment, remark="AssertionError " + "x" * 400), python="3.11", numpy="2.4")
        decided = {"x": final(assignment, result)}
        lists = {"Files that were not graded": ["y" * 200]}
        for text in (
            report.feedback(assignment, "x", result, decided["x"]),
            report.class_page(assignment, {"x": result}, decided, {}, lists, []),
        ):
            page.set_content(text)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 375, assignment.chapter


DECISIONS = """
late: {due: 2026-03-01 13:00, per_day: 10%, most: 15%, days: {jdoe7: 0}}
groups:
  - [jdoe0, gone1]
students:
  jdoe1: {points: {witness: 0.5}, add: 1, comment: "Nice <b>proof</b>"}
everyone: ["The scale that is not there"]
"""


def test_decisions_are_kept_apart_from_the_tests(assignment, tmp_path):
    name = assignment.questions[0].hidden[0].name
    (tmp_path / "p.yml").write_text(DECISIONS.replace("The scale that is not there", name), encoding="utf-8")
    decisions = policy.read(tmp_path / "p.yml", assignment)
    grades = class_of(assignment, tmp_path, "blackboard", platforms.blackboard_roster(), decisions)
    credit, witness = assignment.questions[0].hidden[0].points, 2
    score = {student: grades.final(student).score for student in grades.everyone()}
    raw = {student: result.score for student, result in grades.results.items()}
    given = {student: points if points == 10 else points + credit for student, points in raw.items()}  # to everyone
    assert score["jdoe0"] == given["jdoe0"], "handed in an hour before it was due"
    assert score["gone1"] == score["jdoe0"], "a member of the group"
    by_hand = given["jdoe1"] + 0.5 + 1
    if raw["jdoe1"] >= witness:  # these points are the ones that were given by hand
        by_hand -= witness
    assert score["jdoe1"] == pytest.approx(by_hand * 0.9, abs=0.01), "a day late"
    assert score["jdoe2"] == pytest.approx(given["jdoe2"] * 0.85, abs=0.01), "two days, but never more than 15% less"
    assert grades.final("jdoe7").late == 0
    page = (grades.folder / "feedback" / "jdoe1.html").read_text(encoding="utf-8")
    assert "Nice &lt;b&gt;proof" in page
    assert "1 day late" in page
    table = {row[0]: row for row in rows(grades.folder / "grades.csv")}
    assert float(table["jdoe1"][2]) == score["jdoe1"]
    assert table["gone1"][2]


def test_numbers_of_students_and_members_of_groups_are_taken_as_typed(assignment, tmp_path):
    typed = "students: {0012: {add: 1}}\ngroups: [[0012, 0083]]\nlate: {per_day: 1, days: {0012: 2}}"
    (tmp_path / "p.yml").write_text(typed)
    decisions = policy.read(tmp_path / "p.yml", assignment)
    people = read_roster(tmp_path, b"Student ID,Name\n0012,Jo Roe\n0083,Al Poe\n10,Di Fox\n")
    download = submissions.Download({"0012": submissions.Submission("0012", ())}, "", [], [])
    grades = Class(assignment, download, tmp_path / "out", decisions, people)
    grades.add("0012", earns(assignment, "witness"))
    assert [grades.final(student).score for student in ("0012", "Al Poe", "Di Fox")] == [1, 1, None]


@pytest.mark.parametrize(
    ("points", "days", "expected"),
    [
        ({"ann": 8, "bob": 10}, {"bob": 1}, {"ann": 8, "bob": 8}),  # 10 less 50 %, or 8 on time
        ({"ann": 2, "bob": 10}, {"bob": 1}, {"ann": 5, "bob": 5}),
        ({"ann": 8, "bob": 10}, {}, {"ann": 10, "bob": 10}),
        ({"ann": 8, "bob": 10}, {"ann": 1, "bob": 2}, {"ann": 5, "bob": 5}),
    ],
)
@pytest.mark.parametrize("order", [["ann", "bob"], ["bob", "ann"]])
def test_of_a_group_the_submission_counts_that_leaves_most_points(points, days, expected, order, assignment, tmp_path):
    """The lateness is that of the submission that counts, in whatever way it is known."""
    late = {"bob": "2026-03-02-12-00-00"} if days == {"bob": 1} else {}
    for name in points:
        (tmp_path / f"{name}.ipynb").write_bytes(RIGHT)
    there = downloads.read(tmp_path)
    for name, one in there.submissions.items():
        files = [replace(file, time=late.get(name, "2026-03-01-12-00-00")) for file in one.files]
        there.submissions[name] = replace(one, files=tuple(files))
    decisions = {"late": {"due": "2026-03-01 23:59", "per_day": "50%"}, "groups": [order]}
    if not late:
        decisions["late"] = {"per_day": "50%" if "bob" not in days else 3, "days": days}
    grades = Class(assignment, there, tmp_path / "out", decisions)
    for name, score in points.items():
        grades.add(name, model.Result(score, [model.Mark("witness", "a test", True, score, True)]))
    assert {name: grades.final(name).score for name in points} == expected
    assert len(similar.to_compare(grades)) == 1, "members of a group are no pair"


@pytest.mark.parametrize(("time", "days"), [("2026-03-01-23-59-59", 0), ("2026-03-02-00-00-00", 1)])
def test_a_date_without_a_time_is_the_end_of_its_day(time, days):
    file = submissions.File("x.ipynb", "x.ipynb", bytes, time=time)
    assert policy.days_late({"late": {"due": datetime.date(2026, 3, 1)}}, ["x"], file) == days


def test_what_an_import_would_do_wrong_is_listed_before_it(assignment, tmp_path):
    """A column that is worth other points, and a gradebook without the column, with the names of those it has."""
    rosters = {
        "canvas": platforms.canvas_roster().replace(b",10,(read", b",100,(read"),
        "moodle": platforms.moodle_roster().replace(b"10.00", b"100.00"),
        "blackboard": platforms.blackboard_roster().decode("utf-16").replace("10 Score", "100 Score").encode(),
    }
    nobody = submissions.Download({}, "", [], [])
    for platform, other in rosters.items():
        sound = getattr(platforms, f"{platform}_roster")()
        for data, column, expected in (
            (sound, "RNN assignment", ""),
            (other, "RNN assignment", "is worth 100"),
            (sound, "", "RNN assignment" if platform != "moodle" else ""),
        ):
            people, decisions = read_roster(tmp_path, data), {"column": column} if column else {}
            lists = Class(assignment, nobody, tmp_path, decisions, people).lists()
            lines = lists.get("Before you import", [])
            assert len(lines) == bool(expected), (platform, column)
            assert all(expected in line for line in lines), (platform, column)


def test_a_late_mark_of_canvas_is_one_day(assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "canvas", None, {"late": {"per_day": 1}})
    late = [student for student in grades.results if grades.final(student).late]
    assert [grades.classlist.submissions[student].user for student in late] == ["12346"]
    assert grades.final(late[0]).score == grades.results[late[0]].score - 1
    assert [f"{late[0]}: 1"] in grades.lists().values()


def test_a_test_for_everyone_is_not_for_files_that_are_none(assignment):
    everyone, result = {"everyone": [assignment.questions[0].hidden[0].name]}, earns(assignment)
    assert final(assignment, result, everyone).score > 0
    assert final(assignment, replace(result, problem="no notebook"), everyone).score == 0


BAD = {  # a policy: what its refusal names
    "students: {a: {add: 1}, a: {add: 2}}": "a is there twice",
    "students: {a: {points: {witness: 20}}}": "witness",
    "x: [": "no YAML",
    "- 1": "p.yml",
    "latte: {}": "latte",
    "late: 3": "late",
    "late: {perday: 1}": "perday",
    "late: {per_day: much}": "much",
    "late: {per_day: -10%}": "-10%",
    "late: {per_day: 101%}": "101%",
    "late: {per_day: nan%}": "nan%",
    "late: {most: -1}": "-1",
    "late: {days: {a: -2}}": "-2",
    "late: {due: soon}": "soon",
    "late: {days: {a: two}}": "days",
    "students: {a: {points: {nothing: 1}}}": "nothing",
    "students: {a: {points: {witness: many}}}": "many",
    "students: {a: {add: .nan}}": "nan",
    "students: {a: {bonus: 1}}": "a: ",
    "everyone: [no such test]": "no such test",
    "groups: [a]": "groups",
}


@pytest.mark.parametrize("text", BAD)
def test_a_policy_that_is_not_understood_names_what(text, assignment, tmp_path):
    (tmp_path / "p.yml").write_text(text)
    with pytest.raises(CourseError) as error:
        policy.read(tmp_path / "p.yml", assignment)
    assert BAD[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_a_student_is_named_in_any_way_and_a_name_that_means_nobody_is_listed(assignment, tmp_path):
    decisions = {"students": {"nobody": {"add": 1}, platforms.full(2): {"add": 1}}}
    grades = class_of(assignment, tmp_path, "moodle", platforms.moodle_roster(), decisions)
    assert ["nobody"] in grades.lists().values()
    student = f"{platforms.full(2)}_5002"
    assert grades.final(student).score == grades.results[student].score + 1
    grades.add(student, model.Result(0, problem="It is gone."))
    assert [f"{student}: It is gone."] in grades.lists().values(), "a zero that comes from a file"


BODY = """def leaves(d_k, t):
    total = 0
    for ups in range(d_k + 1):
        if abs(2 * ups - d_k) > t:
            total = total + math.comb(d_k, ups) * (1 / 2) ** d_k
    return min(1, max(0, total))
"""
RENAMED = BODY.replace("total", "s").replace("ups", "i").replace("    return", "    # mine\n    return")
NEARLY = RENAMED.replace("(1 / 2) ** d_k", "0.5 ** d_k")
OTHER = """def leaves(d_k, t):
    steps = np.arange(d_k + 1)
    away = np.abs(2 * steps - d_k) > t
    weights = np.array([math.comb(d_k, k) for k in steps], dtype=float)
    chances = weights / weights.sum()
    return float(chances[away].sum())
"""


def alike(assignment, cells, right=()):
    """What is found among these answers, all of them wrong but for those of some students."""
    results = {}
    for student, own in cells.items():
        solved = [question.name for question in assignment.questions] if student in right else []
        compared = {name: tokens.tokenize(finding.body(own, name)) for name in assignment.functions}
        results[student] = replace(earns(assignment, *solved), tokens=compared)
    return [(kind, students) for students, kind, _ in similar.compare(assignment, results)]


def test_wrong_answers_that_are_alike_are_named_and_others_are_not(assignment):
    stub = model.stub(assignment.questions[1].answer[0])
    cells = {"a": [BODY], "b": ["x = 1", RENAMED], "c": [NEARLY], "d": [OTHER], "e": [stub], "f": [stub], "g": [""]}
    assert alike(assignment, cells) == [("identical", ["a", "b"]), ("nearly identical", ["a", "c"])]
    assert alike(assignment, cells, right="abc") == [], "two right answers are no news"
    assert alike(assignment, cells, right="b") == [("nearly identical", ["a", "c"])], "nor one beside a wrong one"
    many = {f"s{n}": answers(assignment) for n in range(30)}
    assert alike(assignment, many) == [], "what the whole class writes"
    slip = {name: [BODY.replace("> t", ">= t")] for name in "ab"}
    few = {f"s{n}": [BODY] for n in range(30)} | slip
    assert alike(assignment, few, right=[f"s{n}" for n in range(30)]) == [("identical", ["a", "b"])], "a rare slip"
    often = {f"s{n}": [BODY] for n in range(20)} | {f"t{n}": slip["a"] for n in range(10)}
    assert alike(assignment, often, right=[f"s{n}" for n in range(20)]) == [], "a slip that many make"
    mark = "    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n"
    long = BODY.replace("    return", mark + "    return")
    question = replace(assignment.questions[1], answer=[long])
    cells = {name: [model.stub(long)] for name in "ab"}
    assert len(tokens.tokenize(model.stub(long))) > similar.TOKENS
    assert alike(replace(assignment, questions=[question]), cells) == [], "a long stub that is handed in as it was"


def test_the_class_page_shows_distribution_tests_and_what_nobody_passed(assignment):
    results = {f"s{n}": replace(earns(assignment, "witness"), python="3.11", numpy="2.4") for n in range(3)}
    results["s3"] = earns(assignment)
    results["s4"] = earns(assignment)
    results["s5"] = earns(assignment)
    finals = {student: final(assignment, result) for student, result in results.items()}
    page = report.class_page(assignment, results, finals, {"First": ["look"]}, {}, [])
    assert page.index("<h2>First") < page.index("Python 3.11 and NumPy 2.4: 3.") < page.index("6 tried")
    assert "mean 1.00, median 1." in page, "which lies between the two in the middle"
    witness = next(e for e in assignment.questions if e.name == "witness")
    nobody = page.partition("Tests that nobody passed")[2]
    assert all(test.name.split("<")[0] not in nobody for test in witness.hidden)
    assert nobody.count("<li>") == sum(len(e.hidden) for e in assignment.questions) - len(witness.hidden)
    assert "3 of 6" in page


def test_feedback_shows_hidden_tests_by_name_and_points_only(assignment):
    result = earns(assignment, remark="in a hidden test")
    result.marks = [m if m.hidden else replace(m, why="in a visible test") for m in result.marks]
    page = report.feedback(assignment, "x", replace(result, remarks=[]), final(assignment, result))
    assert "in a visible test" in page
    assert "in a hidden test" not in page


ZONES = {  # (due, when Gradescope says that it came, the zone of this machine): days late
    ("2026-03-01T23:59-08:00", "2026-03-02-07-59-30Z", "Europe/Berlin"): 0,
    ("2026-03-01T23:59-08:00", "2026-03-02-08-00-00Z", "Europe/Berlin"): 1,
    ("2026-03-01 23:59 -0800", "2026-03-02-08-00-00Z", "Asia/Tokyo"): 1,
    ("2026-03-01 23:59:00Z", "2026-03-01-23-59-59Z", "Asia/Tokyo"): 0,
    ("'2026-03-01 23:59:00Z'", "2026-03-01-23-59-59Z", "Asia/Tokyo"): 0,
    ("2026-03-01 23:59", "2026-03-02-07-59-30Z", "America/Los_Angeles"): 0,
    ("2026-03-01 23:59", "2026-03-02-07-59-30Z", "Europe/Berlin"): 1,
    ("2026-03-01", "2026-03-01-22-59-59Z", "Europe/Berlin"): 0,
    ("'2026-03-01'", "2026-03-01-22-59-59Z", "Europe/Berlin"): 0,
    ("2026-03-01T23:59-08:00", "2026-03-02-00-00-00", "Europe/Berlin"): 1,  # a table's or a pattern's: of that zone
    ("2026-03-01T23:59-08:00", "2026-03-01-23-59-00", "Europe/Berlin"): 0,
}


@pytest.mark.parametrize(("due", "came", "zone"), ZONES)
def test_a_deadline_has_its_own_time_zone(due, came, zone, assignment, tmp_path, monkeypatch):
    (tmp_path / "p.yml").write_text(f"late:\n  due: {due}\n")
    decisions = policy.read(tmp_path / "p.yml", assignment)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert policy.days_late(decisions, ["x"], submissions.File("a", "a", None, time=came)) == ZONES[due, came, zone]
        said = policy.deadline(decisions)
        assert "as the policy says" in said if "Z" in due or "-08" in due else "time zone of this machine" in said
    finally:
        monkeypatch.undo()
        time.tzset()


MOODLES = {  # what the column Status says: days late
    "Submitted for grading": 0,
    "Submitted for grading - 3 mins 31 secs late - Released -  - ": 1,
    "Submitted for grading - 1 day late": 1,
    "Submitted for grading - 1 day 2 hours late": 2,
    "Draft (not submitted) - 1 year 3 days late": 368,
    "No submission - Assignment is overdue by: 3 days": 0,
    "Zur Bewertung abgegeben - 2 Tage später": 0,
    "Submitted for grading - very late": 0,
}


@pytest.mark.parametrize("said", MOODLES)
def test_what_moodles_worksheet_says_of_lateness_is_deducted(said, assignment, tmp_path):
    people = platforms.moodle_roster().replace(b"Submitted for grading", said.encode(), 2)
    grades = class_of(assignment, tmp_path, "moodle", people, {"late": {"per_day": 1, "days": {"5001": 2}}})
    late = {handed.user: grades.final(student).late for student, handed in grades.classlist.submissions.items()}
    assert (late["5000"], late["5001"], late["5002"]) == (MOODLES[said], 2, 0)
    first = next(
        student for student in grades.classlist.submissions if grades.classlist.submissions[student].user == "5000"
    )
    score = grades.results[first].score
    assert grades.final(first).score == max(0, score - MOODLES[said])
    listed = grades.lists()
    unknown = listed.get("Late by Moodle's worksheet, and nothing is deducted", [])
    assert len(unknown) == (1 if "very" in said else 0)
    assert all(first in line for line in unknown)


def test_a_students_own_text_in_moodles_worksheet_says_nothing_of_lateness(assignment, tmp_path):
    people = platforms.moodle_roster().replace(b'"Email address",Status', b'Status,"Online text"')
    people = people.replace(b's0@uni.edu,"Submitted for grading"', b'"Submitted for grading","9 days late"')
    grades = class_of(assignment, tmp_path, "moodle", people, {"late": {"per_day": 1}})
    assert {grades.final(student).late for student in grades.results} == {0}


@pytest.mark.parametrize("roster", [True, False])
def test_the_report_says_how_moodles_lateness_is_counted(roster, assignment, tmp_path):
    people = platforms.moodle_roster() if roster else None
    grades = class_of(assignment, tmp_path, "moodle", people, {"late": {"per_day": 1}})
    (line,) = grades.lists()["How lateness is counted"]
    assert ("nothing is deducted" in line) == (not roster)


def test_a_table_says_more_of_lateness_than_moodles_worksheet():
    there = submissions.File("a", "a", None, late=False)
    assert policy.days_late({}, ["x"], there, 3) == 0
    assert policy.days_late({}, ["x"], replace(there, late=None), 3) == 3
