"""Grades go out: a table no spreadsheet runs, what each platform imports, pages that run nothing, decisions."""

import csv
import io
import zipfile
from dataclasses import replace
from html.parser import HTMLParser

import platforms
import pytest
from attncourse import clean, downloads, gradebook, model, policy, reading, report, roster, similar
from attncourse.model import CourseError
from coursework import answers, notebook

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
    hidden = [model.Mark(q.name, t.name, True, t.points, q.name in questions, remark)
              for q in assignment.questions for t in q.hidden]  # fmt: skip
    visible = [
        model.Mark(q.name, source, False, 0, False, remark) for q in assignment.questions for source in q.visible
    ]
    return model.Result(sum(m.earned for m in hidden), hidden + visible, [remark] * bool(remark))


def final(assignment, result, decisions=None, student="x"):
    return policy.apply(decisions or {}, assignment, student, result)


def class_of(assignment, tmp_path, platform, people=None, decisions=None, file=None):
    """The grades of a download; each student of an even number has everything, the others two points."""
    place = tmp_path / "in"
    place.mkdir()
    getattr(platforms, platform)(place, RIGHT, RIGHT)
    if people:
        (tmp_path / "people.csv").write_bytes(people)
        people = roster.read(tmp_path / "people.csv")
    grades = gradebook.Grades(assignment, downloads.read(place), tmp_path / "out", decisions, people)
    everything = [q.name for q in assignment.questions]
    for number, student in enumerate(sorted(grades.submissions)):
        grades.add(student, earns(assignment, *(everything if number % 2 == 0 else ["witness"])))
    grades.finish()
    return grades


def rows(path):
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


SIGNS = ("=", "+", "-", "@", "\uff1d")
FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "\r=1", " =1", "x;=1+1", "x\t=1+1", "x,=1+1",
            'x";"=1+1', "x;'=1", 'a";=1;"', "\uff1d1+1", "\n=1", "a|=1", "; +1", "\u200b=1+1", "\x00=1",
            "\ufeff@x", "a;\u2060=1"]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_is_a_formula_with_any_separator(text, separator):
    data = clean.table([["student", clean.cell(text), 1], [clean.cell(text), "x", clean.cell(text)]])
    read = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=separator))
    for cell in [cell for row in read for cell in row]:
        assert not cell.lstrip(' "\t\r\n').startswith(SIGNS)
    raw = data.decode("utf-8-sig").replace('"', "")  # as a program cuts lines that knows nothing of quotes
    for cell in [cell for line in raw.splitlines() for cell in line.split(separator)]:
        assert not cell.strip().startswith(SIGNS)


def test_no_two_students_share_a_page():
    names = clean.page_names(["Anna", "anna", "a/b", "a_b", "a\\b", ". ", "x" * 300]).values()
    assert len({name.casefold() for name in names}) == 7
    assert not any("/" in name or "\\" in name or len(name) > 210 for name in names)


def test_canvas_gets_its_own_gradebook_back(assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "canvas", platforms.canvas_roster(), {"column": "RNN assignment"})
    head, points, *lines = rows(grades.folder / "canvas.csv")
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "RNN assignment (4711)"]
    assert points == ["    Points Possible", "", "", "", "", "10"]
    score = {line[1]: line[-1] for line in lines}
    for student, handed in grades.submissions.items():
        assert score[handed.user] == f"{grades.final(student).score:g}"
    assert score["99901"] == score["99999"] == ""
    assert grades.lists()["On the roster, and nothing handed in"] == ["gone1 (Gone, One)", "gone2 (Gone, Two)"]


def test_canvas_without_a_roster(assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "canvas")
    head, points, *lines = rows(grades.folder / "canvas.csv")
    assert head[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert points[0].strip() == "Points Possible"
    assert {line[1] for line in lines} == {str(12345 + n) for n in range(30)}


def test_moodle_gets_its_worksheet_back(assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "moodle", platforms.moodle_roster())
    head, *lines = rows(grades.folder / "moodle.csv")
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(head), "Moodle's import asks for these three"
    assert len(lines) == 31
    assert lines[0][head.index("Identifier")] == "Participant 5000"
    assert lines[0][head.index("Last modified (grade)")] == "-"
    assert sorted({line[head.index("Grade")] for line in lines}) == ["", "10", "2"]


def test_moodle_without_a_roster(assignment, tmp_path):
    head, *lines = rows(class_of(assignment, tmp_path, "moodle").folder / "moodle.csv")
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(head)
    assert sorted(line[0] for line in lines) == [f"Participant {5000 + n}" for n in range(30)]


def test_blackboard_gets_its_column_back(assignment, tmp_path):
    decisions = {"column": "RNN assignment"}
    grades = class_of(assignment, tmp_path, "blackboard", platforms.blackboard_roster(), decisions)
    head, *lines = rows(grades.folder / "blackboard.csv")
    assert head[-1] == "RNN assignment [Total Pts: 10 Score] |98765"
    assert {line[2]: line[-1] for line in lines}["gone1"] == ""
    assert {line[-1] for line in lines} == {"", "2", "10"}


def test_blackboard_without_a_roster(assignment, tmp_path):
    head, *lines = rows(class_of(assignment, tmp_path, "blackboard").folder / "blackboard.csv")
    assert head[0] == "Username"
    assert {line[0] for line in lines} >= {"jdoe0", "j_doe4"}


def test_the_zip_of_pages_has_the_names_that_the_platform_reads(assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "canvas")
    with zipfile.ZipFile(grades.folder / "feedback.zip") as pages:
        names = pages.namelist()
    numbers = {tuple([part for part in name.split("_") if part.isdigit()][:2]) for name in names if name.count("_") > 2}
    assert ("12345", "678900") in numbers, "Canvas looks for the first two numbers between underscores"
    assert all(name.endswith(".html") for name in names)
    assert len(names) == 30


@pytest.mark.parametrize("after", ["_", ""])
def test_the_zip_for_moodle(after, assignment, tmp_path):
    platforms.moodle(tmp_path / "in", RIGHT, RIGHT, after)
    grades = gradebook.Grades(assignment, downloads.read(tmp_path / "in"), tmp_path / "out")
    for student in grades.submissions:
        grades.add(student, earns(assignment))
    grades.finish()
    with zipfile.ZipFile(grades.folder / "feedback.zip") as pages:
        for name in pages.namelist():  # as Moodle reads it: name, number, kind, plugin, rest
            info = name.split("/")[0].split("_", 4)
            assert info[1].isdigit()
            assert info[2:4] == ["assignsubmission", "file"]
        assert len(set(pages.namelist())) == 30


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, *sorted(name for name, _ in attributes)))


def class_page(assignment, text, result):
    """The class page with one text in every place."""
    decided = final(assignment, result, {"students": {text: {"comment": text}}}, text)
    lists = {text: [text]}
    alike = [(text, text, text, [text])]
    return report.class_page(assignment, {text: result}, {text: decided}, lists, lists, alike, [text])


def hostile_pages(assignment, tmp_path):
    """Pages in which every text that a student chooses attacks: the name, remarks, words of errors."""
    for number, attack in enumerate(XSS):
        result = earns(assignment, remark=attack)
        result.marks = [replace(mark, test=mark.test + attack) for mark in result.marks]
        decided = final(assignment, result, {"students": {attack: {"comment": attack}}}, attack)
        result.python = result.numpy = attack
        result.written = {"in-words": f"one\n{attack}\n```{{raw}} html\n{attack}"}
        pages = [report.feedback(assignment, attack, result, decided, attack)]
        pages.append(class_page(assignment, attack, result))
        for kind, page in zip(("student", "class"), pages, strict=True):
            path = tmp_path / f"{kind}{number}.html"
            path.write_text(page, encoding="utf-8", errors="replace")
            yield path


def test_nothing_of_a_student_becomes_a_tag(with_words, tmp_path):
    assignment = with_words
    harmless = replace(earns(assignment, remark="x"), python="x", written={"in-words": "x"})
    decided = final(assignment, harmless, {"students": {"x": {"comment": "x"}}})
    allowed = {}
    for kind, page in (
        ("student", report.feedback(assignment, "x", harmless, decided)),
        ("class", class_page(assignment, "x", harmless)),
    ):
        tags = Tags()
        tags.feed(page)
        allowed[kind] = set(tags.found)
    for path in hostile_pages(assignment, tmp_path):
        tags = Tags()
        tags.feed(path.read_text(encoding="utf-8"))
        assert set(tags.found) <= allowed["class" if path.name.startswith("class") else "student"], path


def test_nothing_of_a_student_runs_in_a_browser(with_words, tmp_path):
    import browser

    if not browser.chromium():
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=browser.chromium(), args=list(browser.ALONE))
        page = chromium.new_page()
        asked, dialogs = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        (tmp_path / "attack.html").write_text(f"<title>x</title>{XSS[0]}")
        page.goto((tmp_path / "attack.html").as_uri())
        assert page.title() == "owned", "the attack works where nothing is escaped"
        paths = list(hostile_pages(with_words, tmp_path))
        for path in paths:
            page.goto(path.as_uri())
            page.mouse.move(200, 200)
            assert page.title() != "owned", path
            assert page.locator("script, img, svg, iframe, form, base, link, a, [onerror], [onload]").count() == 0
        chromium.close()
    assert not dialogs
    assert len(asked) == len(paths) + 1, asked


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
    everything, witness = assignment.questions, 2
    given = everything[0].hidden[0].points
    score = {student: grades.final(student).score for student in grades.everyone()}
    raw = {student: result.score for student, result in grades.results.items()}
    assert score["jdoe0"] == raw["jdoe0"] + given * (raw["jdoe0"] < 10), "handed in an hour before it was due"
    assert score["gone1"] == score["jdoe0"], "a member of the group"
    one_day, two_days = grades.submissions["jdoe1"], grades.submissions["jdoe2"]
    assert (one_day.files[0].time[:10], two_days.files[0].time[:10]) == ("2026-03-02", "2026-03-03")
    before = raw["jdoe1"] - witness * (raw["jdoe1"] >= witness) + 0.5 + 1 + given * (raw["jdoe1"] < 10)
    assert score["jdoe1"] == pytest.approx(before * 0.9, abs=0.01)
    full = raw["jdoe2"] + given * (raw["jdoe2"] < 10)
    assert score["jdoe2"] == pytest.approx(full * 0.85, abs=0.01), "never more than 15% less"
    assert grades.final("jdoe7").late == 0
    page = (grades.folder / "feedback" / "jdoe1.html").read_text(encoding="utf-8")
    assert "Nice &lt;b&gt;proof" in page
    assert "1 day late" in page
    table = {row[0]: row for row in rows(grades.folder / "grades.csv")}
    assert float(table["jdoe1"][2]) == score["jdoe1"]
    assert table["gone1"][2]


def test_numbers_of_students_and_members_of_groups_are_taken_as_typed(assignment, tmp_path):
    (tmp_path / "p.yml").write_text(
        "students: {0012: {add: 1}}\ngroups: [[0012, 0083]]\nlate: {per_day: 1, days: {0012: 2}}"
    )
    decisions = policy.read(tmp_path / "p.yml", assignment)
    people = tmp_path / "r.csv"
    people.write_text("Student ID,Name\n0012,Jo Roe\n0083,Al Poe\n10,Di Fox\n")
    found = downloads.Download({"0012": downloads.Submission("0012", ())}, "", [], [])
    grades = gradebook.Grades(assignment, found, tmp_path / "out", decisions, roster.read(people))
    grades.add("0012", earns(assignment, "witness"))
    assert [grades.final(student).score for student in ("0012", "Al Poe", "Di Fox")] == [1, 1, None]


@pytest.mark.parametrize("worth", ["10", "100"])
def test_a_column_of_other_points_is_told_before_the_import(worth, assignment, tmp_path):
    other = platforms.blackboard_roster().decode("utf-16").replace("10 Score", f"{worth} Score").encode()
    rosters = {"canvas": platforms.canvas_roster().replace(b",10,(read", f",{worth},(read".encode()),
               "moodle": platforms.moodle_roster().replace(b"10.00", f"{worth}.00".encode()),
               "blackboard": other}  # fmt: skip
    for platform, text in rosters.items():
        (tmp_path / platform).mkdir()
        grades = class_of(assignment, tmp_path / platform, platform, text, {"column": "RNN assignment"})
        told = " ".join(grades.lists().get("Before you import", []))
        assert ("worth 100 points there" in told) == (worth == "100"), platform


def test_a_late_mark_of_canvas_is_one_day(assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "canvas", None, {"late": {"per_day": 1}})
    late = [student for student in grades.results if grades.final(student).late]
    assert [grades.submissions[student].user for student in late] == ["12346"]
    assert grades.final(late[0]).score == grades.results[late[0]].score - 1
    assert grades.lists()["Late, in days"] == [f"{late[0]}: 1"]


def test_a_test_for_everyone_is_not_for_files_that_are_none(assignment):
    everyone, result = {"everyone": [assignment.questions[0].hidden[0].name]}, earns(assignment)
    assert final(assignment, result, everyone).score > 0
    assert final(assignment, replace(result, problem="no notebook"), everyone).score == 0


BAD = {
    "students: {a: {add: 1}, a: {add: 2}}": "a is there twice",
    "students: {a: {points: {witness: 20}}}": "witness is worth 2 points",
    "x: [": "no YAML",
    "- 1": "lines that begin with",
    "latte: {}": "latte",
    "late: 3": "late",
    "late: {perday: 1}": "perday",
    "late: {per_day: much}": "much",
    "late: {due: soon}": "soon",
    "late: {days: {a: two}}": "days",
    "students: {a: {points: {nothing: 1}}}": "nothing",
    "students: {a: {points: {witness: many}}}": "many",
    "students: {a: {add: .nan}}": "nan",
    "students: {a: {bonus: 1}}": "a: there are",
    "everyone: [no such test]": "no such test",
    "groups: [a]": "groups",
}


@pytest.mark.parametrize("text", BAD)
def test_a_policy_with_a_wrong_word_names_it(text, assignment, tmp_path):
    (tmp_path / "p.yml").write_text(text)
    with pytest.raises(CourseError) as error:
        policy.read(tmp_path / "p.yml", assignment)
    assert BAD[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_a_student_whom_nobody_knows_is_told(assignment, tmp_path):
    decisions = {"students": {"nobody": {"add": 1}, platforms.full(2): {"add": 1}}}
    grades = class_of(assignment, tmp_path, "moodle", platforms.moodle_roster(), decisions)
    assert grades.lists()["Named in the policy, and not found"] == ["nobody"]
    student = f"{platforms.full(2)}_5002"
    assert grades.final(student).score == grades.results[student].score + 1


def test_every_zero_that_comes_from_a_file_is_listed(assignment, tmp_path):
    grades = class_of(assignment, tmp_path, "canvas")
    grades.add("doeajanea0_12345", model.Result(0, problem="It is gone."))
    lines = grades.lists()["No points because of the file, not because of an answer"]
    assert lines == ["doeajanea0_12345: It is gone."]


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


def alike(assignment, cells):
    tokens = {student: {name: reading.tokens(reading.body(own, name)) for name in assignment.functions}
              for student, own in cells.items()}  # fmt: skip
    return similar.compare(assignment, tokens)


def test_answers_that_are_alike_are_named_and_others_are_not(assignment):
    stub = model.stub(assignment.questions[1].answer[0])
    cells = {"a": [BODY], "b": ["x = 1", RENAMED], "c": [NEARLY], "d": [OTHER], "e": [stub], "f": [stub], "g": [""]}
    found = alike(assignment, cells)
    assert ("rows-that-leave", "leaves", "identical", ["a", "b"]) in found
    assert [who for *_, kind, who in found if kind == "nearly identical"] == [["a", "c"]]
    assert len(found) == 2


def test_a_long_stub_that_is_handed_in_as_it_was_is_nobodys_own(assignment):
    mark = "    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n"
    answer = BODY.replace("    return", mark + "    return")
    question = replace(assignment.questions[1], answer=[answer])
    cells = {name: [model.stub(answer)] for name in "ab"}
    assert len(reading.tokens(model.stub(answer))) > similar.TOKENS
    assert alike(replace(assignment, questions=[question]), cells) == []


def test_what_the_whole_class_writes_is_nobodys_own(assignment):
    assert alike(assignment, {f"s{n}": answers(assignment) for n in range(30)}) == []


def test_the_median_of_an_even_class_lies_between_the_two_in_the_middle(assignment):
    results = {"a": earns(assignment), "b": earns(assignment, "witness")}
    finals = {student: final(assignment, result) for student, result in results.items()}
    assert "2 graded, mean 1.00, median 1." in report.class_page(assignment, results, finals, {}, {}, [])


def test_the_class_page_shows_distribution_tests_and_what_nobody_passed(assignment):
    results = {f"s{n}": replace(earns(assignment, "witness"), python="3.11", numpy="2.4") for n in range(3)}
    finals = {student: final(assignment, result) for student, result in results.items()}
    page = report.class_page(assignment, results, finals, {"First": ["look"]}, {}, [])
    assert page.index("<h2>First") < page.index("Python 3.11 and NumPy 2.4: 3.") < page.index("3 graded")
    assert "3 graded, mean 2.00, median 2." in page
    witness = next(e for e in assignment.questions if e.name == "witness")
    nobody = page.partition("Tests that nobody passed")[2]
    assert all(test.name.split("<")[0] not in nobody for test in witness.hidden)
    assert nobody.count("<li>") == sum(len(e.hidden) for e in assignment.questions) - len(witness.hidden)
    assert "3 of 3" in page


def test_feedback_shows_hidden_tests_by_name_and_points_only(assignment):
    result = earns(assignment, remark="words of a hidden test")
    result.marks = [m if m.hidden else replace(m, why="words of a visible test") for m in result.marks]
    page = report.feedback(assignment, "x", replace(result, remarks=[]), final(assignment, result))
    assert "words of a visible test" in page
    assert "words of a hidden test" not in page


@pytest.mark.parametrize("column", ["", "RNN assignment"])
@pytest.mark.parametrize("platform", ["canvas", "blackboard"])
def test_a_gradebook_without_the_column_is_told_before_the_import(platform, column, assignment, tmp_path):
    (tmp_path / "roster.csv").write_bytes(getattr(platforms, f"{platform}_roster")())
    people = roster.read(tmp_path / "roster.csv")
    nobody = downloads.Download({}, "", [], [])
    grades = gradebook.Grades(assignment, nobody, tmp_path, {"column": column} if column else {}, people)
    told = grades.lists().get("Before you import", [])
    assert len(told) == (not column)
    assert all("there are RNN assignment" in line and f"{platform}.csv" in line for line in told)
    assert any(line == "gone1 (Gone, One)" for line in grades.lists()["On the roster, and nothing handed in"])
