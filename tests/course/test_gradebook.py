"""Grades go out: a table no spreadsheet runs, what each platform imports, pages that run nothing, decisions."""

import csv
import io
import zipfile
from html.parser import HTMLParser

import platforms
import pytest
from attncourse import author, downloads, gradebook, marks, policy, report, roster, similar, tables
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


def earns(bundle, *exercises, remark=""):
    """A result that has all points of these exercises."""
    found = [{"exercise": e["name"], "name": t["name"], "hidden": True, "points": t["points"], "remark": remark,
              "passed": e["name"] in exercises, "earned": t["points"] * (e["name"] in exercises)}
             for e in bundle["exercises"] for t in e["hidden"]]  # fmt: skip
    found += [{"exercise": e["name"], "name": source, "hidden": False, "points": 0, "earned": 0, "passed": False,
               "remark": remark} for e in bundle["exercises"] for source in e["visible"]]  # fmt: skip
    return {"score": marks.earned(found), "marks": found, "remarks": [remark] * bool(remark)}


def class_of(bundle, tmp_path, platform, people=None, decisions=None, file=None):
    """The grades of a download; each student of an even number has everything, the others two points."""
    place = tmp_path / "in"
    place.mkdir()
    getattr(platforms, platform)(place, RIGHT, RIGHT)
    found, aside, said = downloads.read(place, ["leaves"])
    if people:
        (tmp_path / "people.csv").write_bytes(people)
        people = roster.read(tmp_path / "people.csv")
    grades = gradebook.Grades(bundle, found, tmp_path / "out", decisions, people, said, aside)
    everything = [e["name"] for e in bundle["exercises"]]
    for number, student in enumerate(sorted(found)):
        grades.add(student, earns(bundle, *(everything if number % 2 == 0 else ["witness"])))
    grades.finish()
    return grades


def rows(path):
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


SIGNS = ("=", "+", "-", "@", "\uff1d")
FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "\r=1", " =1", "x;=1+1", "x\t=1+1", "x,=1+1",
            'x";"=1+1', "x;'=1", 'a";=1;"', "\uff1d1+1", "\n=1", "a|=1", "; +1"]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_is_a_formula_with_any_separator(text, separator):
    data = tables.table([["student", tables.safe(text), 1], [tables.safe(text), "x", tables.safe(text)]])
    read = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=separator))
    for cell in [cell for row in read for cell in row]:
        assert not cell.lstrip(' "\t\r\n').startswith(SIGNS)
    raw = data.decode("utf-8-sig").replace('"', "")  # as a program cuts lines that knows nothing of quotes
    for cell in [cell for line in raw.splitlines() for cell in line.split(separator)]:
        assert not cell.strip().startswith(SIGNS)


def test_numbers_and_hyphens_stay_as_they_are():
    assert [tables.safe(x) for x in ("-", "-3.5", "+4", "a-b", "x@y.edu")] == ["-", "-3.5", "+4", "a-b", "x@y.edu"]


def test_canvas_gets_its_own_gradebook_back(bundle, tmp_path):
    grades = class_of(bundle, tmp_path, "canvas", platforms.canvas_roster(), {"column": "RNN assignment"})
    head, points, *lines = rows(grades.folder / "canvas.csv")
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "RNN assignment (4711)"]
    assert points == ["    Points Possible", "", "", "", "", "10"]
    score = {line[1]: line[-1] for line in lines}
    for student, handed in grades.found.items():
        assert score[handed.user] == f"{grades.final(student)['score']:g}"
    assert score["99901"] == score["99999"] == ""
    assert grades.lists()["On the roster, and nothing handed in"] == ["gone1 (Gone, One)", "gone2 (Gone, Two)"]


def test_a_new_column_for_canvas_says_how_many_points_there_are(bundle, tmp_path):
    grades = class_of(bundle, tmp_path, "canvas", platforms.canvas_roster(), {"column": "Another one"})
    head, points = rows(grades.folder / "canvas.csv")[:2]
    assert (head[-1], points[-1]) == ("Another one", "10")
    assert len(head) == 6


def test_canvas_without_a_roster(bundle, tmp_path):
    grades = class_of(bundle, tmp_path, "canvas")
    head, points, *lines = rows(grades.folder / "canvas.csv")
    assert head[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert points[0].strip() == "Points Possible"
    assert {line[1] for line in lines} == {str(12345 + n) for n in range(30)}


def test_moodle_gets_its_worksheet_back(bundle, tmp_path):
    grades = class_of(bundle, tmp_path, "moodle", platforms.moodle_roster())
    head, *lines = rows(grades.folder / "moodle.csv")
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(head), "Moodle's import asks for these three"
    assert len(lines) == 31
    assert lines[0][head.index("Identifier")] == "Participant 5000"
    assert lines[0][head.index("Last modified (grade)")] == "-"
    assert sorted({line[head.index("Grade")] for line in lines}) == ["", "10", "2"]


def test_moodle_without_a_roster(bundle, tmp_path):
    head, *lines = rows(class_of(bundle, tmp_path, "moodle").folder / "moodle.csv")
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(head)
    assert sorted(line[0] for line in lines) == [f"Participant {5000 + n}" for n in range(30)]


def test_blackboard_gets_its_column_back(bundle, tmp_path):
    decisions = {"column": "RNN assignment"}
    grades = class_of(bundle, tmp_path, "blackboard", platforms.blackboard_roster(), decisions)
    head, *lines = rows(grades.folder / "blackboard.csv")
    assert head[-1] == "RNN assignment [Total Pts: 10 Score] |98765"
    assert {line[2]: line[-1] for line in lines}["gone1"] == ""
    assert {line[-1] for line in lines} == {"", "2", "10"}


def test_blackboard_without_a_roster(bundle, tmp_path):
    head, *lines = rows(class_of(bundle, tmp_path, "blackboard").folder / "blackboard.csv")
    assert head[0] == "Username"
    assert {line[0] for line in lines} >= {"jdoe0", "j_doe4"}


def test_the_zip_of_pages_has_the_names_that_the_platform_reads(bundle, tmp_path):
    grades = class_of(bundle, tmp_path, "canvas")
    with zipfile.ZipFile(grades.folder / "feedback.zip") as pages:
        names = pages.namelist()
    numbers = {tuple([part for part in name.split("_") if part.isdigit()][:2]) for name in names if name.count("_") > 2}
    assert ("12345", "678900") in numbers, "Canvas looks for the first two numbers between underscores"
    assert all(name.endswith(".html") for name in names)
    assert len(names) == 30


@pytest.mark.parametrize("after", ["_", ""])
def test_the_zip_for_moodle(after, bundle, tmp_path):
    platforms.moodle(tmp_path / "in", RIGHT, RIGHT, after)
    found = downloads.read(tmp_path / "in", ["leaves"])[0]
    grades = gradebook.Grades(bundle, found, tmp_path / "out", platform="moodle")
    for student in found:
        grades.add(student, earns(bundle))
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


def class_page(bundle, text, result):
    """The class page with one text in every place."""
    return report.class_page(bundle, {text: result}, {text: [text]}, [(text, text, text, [text])])


def hostile_pages(bundle, tmp_path):
    """Pages in which every text that a student chooses attacks: the name, remarks, words of errors."""
    for number, attack in enumerate(XSS):
        result = earns(bundle, remark=attack) | {"remarks": [attack]}
        for mark in result["marks"]:
            mark["name"] += attack
        result = policy.apply({"students": {attack: {"comment": attack}}}, bundle, attack, result)
        pages = [report.feedback(bundle, attack, result, attack)]
        pages.append(class_page(bundle, attack, result))
        for kind, page in zip(("student", "class"), pages, strict=True):
            path = tmp_path / f"{kind}{number}.html"
            path.write_text(page, encoding="utf-8", errors="replace")
            yield path


def test_nothing_of_a_student_becomes_a_tag(bundle, tmp_path):
    harmless = policy.apply({"students": {"x": {"comment": "x"}}}, bundle, "x", earns(bundle, remark="x"))
    allowed = {}
    for kind, page in (
        ("student", report.feedback(bundle, "x", harmless)),
        ("class", class_page(bundle, "x", harmless)),
    ):
        tags = Tags()
        tags.feed(page)
        allowed[kind] = set(tags.found)
    for path in hostile_pages(bundle, tmp_path):
        tags = Tags()
        tags.feed(path.read_text(encoding="utf-8"))
        assert set(tags.found) <= allowed["class" if path.name.startswith("class") else "student"], path


def test_nothing_of_a_student_runs_in_a_browser(bundle, tmp_path):
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
        paths = list(hostile_pages(bundle, tmp_path))
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


def test_decisions_are_kept_apart_from_the_tests(bundle, tmp_path):
    name = bundle["exercises"][0]["hidden"][0]["name"]
    (tmp_path / "p.yml").write_text(DECISIONS.replace("The scale that is not there", name), encoding="utf-8")
    decisions = policy.read(tmp_path / "p.yml", bundle)
    grades = class_of(bundle, tmp_path, "blackboard", platforms.blackboard_roster(), decisions)
    everything, witness = bundle["exercises"], 2
    given = everything[0]["hidden"][0]["points"]
    score = {student: grades.final(student)["score"] for student in grades.everyone()}
    raw = {student: result["score"] for student, result in grades.results.items()}
    assert score["jdoe0"] == raw["jdoe0"] + given * (raw["jdoe0"] < 10), "handed in an hour before it was due"
    assert score["gone1"] == score["jdoe0"], "a member of the group"
    one_day, two_days = grades.found["jdoe1"], grades.found["jdoe2"]
    assert (one_day.time[:10], two_days.time[:10]) == ("2026-03-02", "2026-03-03")
    before = raw["jdoe1"] - witness * (raw["jdoe1"] >= witness) + 0.5 + 1 + given * (raw["jdoe1"] < 10)
    assert score["jdoe1"] == pytest.approx(before * 0.9, abs=0.01)
    full = raw["jdoe2"] + given * (raw["jdoe2"] < 10)
    assert score["jdoe2"] == pytest.approx(full * 0.85, abs=0.01), "never more than 15% less"
    assert grades.final("jdoe7")["late"] == 0
    page = (grades.folder / "feedback" / "jdoe1.html").read_text(encoding="utf-8")
    assert "Nice &lt;b&gt;proof" in page
    assert "1 day late" in page
    table = {row[0]: row for row in rows(grades.folder / "grades.csv")}
    assert float(table["jdoe1"][2]) == score["jdoe1"]
    assert table["gone1"][2]


def test_a_late_mark_of_canvas_is_one_day(bundle, tmp_path):
    grades = class_of(bundle, tmp_path, "canvas", None, {"late": {"per_day": 1}})
    late = [student for student in grades.results if grades.final(student)["late"]]
    assert [grades.found[student].user for student in late] == ["12346"]
    assert grades.final(late[0])["score"] == grades.results[late[0]]["score"] - 1
    assert grades.lists()["Late, in days"] == [f"{late[0]}: 1"]


def test_a_test_for_everyone_is_not_for_files_that_are_none(bundle):
    name = bundle["exercises"][0]["hidden"][0]["name"]
    result = earns(bundle)
    assert policy.apply({"everyone": [name]}, bundle, "x", result)["score"] > 0
    assert policy.apply({"everyone": [name]}, bundle, "x", result | {"file": "no notebook"})["score"] == 0


BAD = {
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
def test_a_policy_with_a_wrong_word_names_it(text, bundle, tmp_path):
    (tmp_path / "p.yml").write_text(text)
    with pytest.raises(author.CourseError) as error:
        policy.read(tmp_path / "p.yml", bundle)
    assert BAD[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_a_student_whom_nobody_knows_is_told(bundle, tmp_path):
    decisions = {"students": {"nobody": {"add": 1}, platforms.full(2): {"add": 1}}}
    grades = class_of(bundle, tmp_path, "moodle", platforms.moodle_roster(), decisions)
    assert grades.lists()["Named in the policy, and not found"] == ["nobody"]
    student = f"{platforms.full(2)}_5002"
    assert grades.final(student)["score"] == grades.results[student]["score"] + 1


def test_every_zero_that_comes_from_a_file_is_listed(bundle, tmp_path):
    from attncourse import batch, grade

    grades = class_of(bundle, tmp_path, "canvas")
    for student, handed in grades.found.items():
        data = downloads.load(handed)
        if isinstance(data, str):
            grades.add(student, grade.no_file(data, bundle))
    lines = grades.lists()["No points because of the file, not because of an answer"]
    assert sorted(line.partition(":")[0].rpartition("_")[2] for line in lines) == ["12348", "12349", "12350"]
    assert batch.grade_or_say("It is gone.", bundle, 1, None)["file"] == "It is gone."


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


def alike(bundle, cells):
    return similar.compare(bundle, {student: similar.answers(bundle, own) for student, own in cells.items()})


def test_answers_that_are_alike_are_named_and_others_are_not(bundle):
    stub = author.stub(bundle["exercises"][1]["answer"][0])
    cells = {"a": [BODY], "b": ["x = 1", RENAMED], "c": [NEARLY], "d": [OTHER], "e": [stub], "f": [stub], "g": [""]}
    found = alike(bundle, cells)
    assert ("rows-that-leave", "leaves", "identical", ["a", "b"]) in found
    assert [who for *_, kind, who in found if kind == "nearly identical"] == [["a", "c"]]
    assert len(found) == 2


def test_a_long_stub_that_is_handed_in_as_it_was_is_nobodys_own(bundle):
    mark = "    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n"
    answer = BODY.replace("    return", mark + "    return")
    exercise = bundle["exercises"][1] | {"answer": [answer]}
    cells = {name: [author.stub(answer)] for name in "ab"}
    assert len(similar.tokens(author.stub(answer))) > similar.TOKENS
    assert alike(bundle | {"exercises": [exercise]}, cells) == []


def test_what_the_whole_class_writes_is_nobodys_own(bundle):
    assert alike(bundle, {f"s{n}": answers(bundle) for n in range(30)}) == []


def test_the_class_page_shows_distribution_tests_and_what_nobody_passed(bundle):
    results = {f"s{n}": policy.apply({}, bundle, "", earns(bundle, "witness")) for n in range(3)}
    page = report.class_page(bundle, results, {}, [])
    assert "3 graded, mean 2.00, median 2." in page
    witness = next(e for e in bundle["exercises"] if e["name"] == "witness")
    nobody = page.partition("Tests that nobody passed")[2]
    assert all(test["name"].split("<")[0] not in nobody for test in witness["hidden"])
    assert nobody.count("<li>") == sum(len(e["hidden"]) for e in bundle["exercises"]) - len(witness["hidden"])
    assert "3 of 3" in page


def test_feedback_shows_hidden_tests_by_name_and_points_only(bundle):
    result = policy.apply({}, bundle, "x", earns(bundle, remark="words of a hidden test"))
    for mark in result["marks"]:
        if not mark["hidden"]:
            mark["remark"] = "words of a visible test"
    page = report.feedback(bundle, "x", result | {"remarks": []})
    assert "words of a visible test" in page
    assert "words of a hidden test" not in page


@pytest.mark.parametrize("column", ["", "RNN assignment"])
@pytest.mark.parametrize("platform", ["canvas", "blackboard"])
def test_a_gradebook_without_the_column_is_told_before_the_import(platform, column, bundle, tmp_path):
    (tmp_path / "roster.csv").write_bytes(getattr(platforms, f"{platform}_roster")())
    people = roster.read(tmp_path / "roster.csv")
    grades = gradebook.Grades(bundle, {}, tmp_path, {"column": column} if column else {}, people)
    told = grades.lists().get("Before you import", [])
    assert len(told) == (not column)
    assert all("there are RNN assignment" in line and f"{platform}.csv" in line for line in told)
    assert any(line == "gone1 (Gone, One)" for line in grades.lists()["On the roster, and nothing handed in"])
