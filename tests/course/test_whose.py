"""Whose a file is, where a name can be read in several ways: claimed, graded apart, and in no table for a platform."""

import csv
import io
import unicodedata
import zipfile

import platforms
import pytest
from attncourse import downloads, lists, model, roster, tables
from attncourse import platforms as names
from attncourse.model import CourseError
from coursework import Class, notebook
from hypothesis import given, settings
from hypothesis import strategies as st

RIGHT = notebook("def leaves(d_k, t): return 1")
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,HW (1)\n    Points Possible,,,,,10\n"
BOB, MALLORY = '"Roe, Bob",777,s7,bob,A,\n', "roebob__777__99999999,66,s6,mal,A,\n"
THEIRS = ["roebob_777_70_hw.ipynb", "roebob_777_99999999_66_9001_hw.ipynb"]


def read(folder, handed, people="", table="", pattern=""):
    """The download of files with these names, the one with the largest number the last."""
    for name in handed:
        platforms.put(folder / "in", name, RIGHT)
    for name, text in (("r.csv", people), ("t.csv", table)):
        (folder / name).write_text(text, encoding="utf-8")
    known = roster.read(folder / "r.csv") if people else None
    lines = tables.read(folder / "t.csv") if table else None
    return downloads.read(folder / "in", known, lines, pattern), known


def graded(assignment, folder, handed, people="", decisions=None, **options):
    """The finished grades of such a download, in which everybody has two points."""
    there, known = read(folder, handed, people, **options)
    grades = Class(assignment, there, folder / "out", decisions, known)
    for student in grades.classlist.to_grade():
        grades.add(student, model.Result(2, [model.Mark("witness", "a test", True, 2, True)]))
    assert grades.finish()
    assert not grades.files.errors
    return grades


def table(folder, name="canvas.csv"):
    data = (folder / "out" / name).read_bytes().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(data, newline="")))


def files_of(grades):
    return {
        student: sorted(file.path for file in handed.files) for student, handed in grades.classlist.submissions.items()
    }


AMBIGUOUS = {  # what a student can write: a name as Canvas, or a pattern, makes it
    "another's number in a display name": ("roebob_777_99999999_66_9001_hw.ipynb", ""),
    "lateness taken away": ("late_evader_67_1_LATE_67_9003_hw.ipynb", ""),
    "a name of digits alone": ("_777_8_66_9001_hw.ipynb", ""),
    "an anonymous name": ("anon_abc12_66_9001_hw.ipynb", ""),
    "text in the place of a file": ("roebob_777_70_text.html", ""),
    "a file with two numbers": ("doejane_7_70_hw_1_2_final.ipynb", ""),
    "Blackboard's time": (
        "HW_mal_attempt_2026-03-09-00-00-00_x_bob_attempt_2026-02-01-00-00-00_hw.ipynb",
        "HW_{student}_attempt_{time}_{file}",
    ),
    "a time in a display name": (
        "66 - Mal - 2026-03-01 23-59 - 2026-03-09 23-59 - hw.ipynb",
        "{number} - {name} - {time} - {file}",
    ),
    "Google Classroom's blank": ("Bob Roe - hw - final.ipynb", "{student} - {file}"),
    "one number a hundred times": (f"x{'_7' * 110}_66_9_h.ipynb", ""),
    "more readings than are looked for": (f"{'_a' * 90}_7.ipynb", "{any}_{any}_{student}_{number}{file}"),
    "the name of the assignment": ("Week_3_j_doe.ipynb", "{any}_{student}.ipynb"),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_every_reading_is_returned_and_a_name_with_several_is_claimed(name, assignment, tmp_path):
    file, pattern = AMBIGUOUS[name]
    others = ["zoe_8_80_hw.ipynb", "yan_9_90_hw.ipynb"] if not pattern else []
    there, _ = read(tmp_path, [file, *others], pattern=pattern)
    assert there.submissions[file].claim
    assert file in " ".join(there.claims)
    grades = Class(assignment, there, tmp_path / "out")
    for student in grades.classlist.to_grade():
        grades.add(student, model.Result(2, [model.Mark("witness", "a test", True, 2, True)]))
    assert grades.finish()
    if not pattern:
        assert {row[1] for row in table(tmp_path)[2:]} == {"8", "9"}
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as pages:
        assert len(pages.namelist()) == len(others)
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert report.index(lists.FIRST) < report.index(file) < report.index("<h2>", report.index(lists.FIRST) + 9)


@pytest.mark.parametrize("people", ["", CANVAS + BOB + MALLORY, CANVAS + BOB, CANVAS + BOB + '"Smith, Mal",66,,,A,\n'])
@pytest.mark.parametrize("handed", [THEIRS, THEIRS[1:]])
def test_a_display_name_takes_no_other_students_grade(people, handed, assignment, tmp_path):
    """Also where Mallory is not in the gradebook, or where the odd name is that of his group: then another's shows."""
    grades = graded(assignment, tmp_path, handed, people)
    if handed == THEIRS:
        assert files_of(grades)["roebob_777"] == THEIRS[:1]
        assert {row[1]: row[-1] for row in table(tmp_path)[2:]}["777"] == "2"
        assert grades.classlist.claims
    lines = {row[1]: row[-1] for row in table(tmp_path)[2:]}
    assert not lines.get("66"), "nobody gets points for a file of which it is uncertain whose it is"


@pytest.mark.parametrize("people", ["", CANVAS + '"Doe, Jane",1001,s7,jd,A,\n"Poe, Al",8,s8,ap,A,\n'])
def test_who_is_not_in_the_gradebook_takes_no_ones_seat_in_it(people, assignment, tmp_path):
    """Number 1008 is not there and called "Doe, Jane_1001"; Jane, whose number is 1001, handed in nothing."""
    handed = ["doejane_1001_1008_51008_hw.ipynb", "poeal_8_80_hw.ipynb"]
    grades = graded(assignment, tmp_path, handed, people)
    assert handed[0] in grades.classlist.claims[0]
    assert {row[1]: row[-1] for row in table(tmp_path)[2:]}.get("1001", "") == ""
    assert not [line for line in grades.lists().get("On the roster, and nothing handed in", []) if "first" not in line]


def test_a_date_in_the_name_of_a_file_is_no_number_of_canvas(tmp_path):
    there, _ = read(tmp_path, ["doejane_7_70_hw_2026_03_01.ipynb", "poeal_8_80_hw.ipynb"])
    assert not there.claims


MARCH = "Week 3_eve_attempt_2026-03-05-10-00-00"
TWICE = MARCH + "__attempt_2026-02-01-10-00-00_a.ipynb"
UNDERSCORE = "Week 3_{student}_attempt_{time}{file}"
BLACKBOARDS = "Last Name\tFirst Name\tUsername\tStudent ID\tAvailability\tHW [Total Pts: 10 Score] |1\n"
EVE, EVIL = "Eve\tE\teve\t2\tYes\t\n", "Evil\tE\teve_attempt_2026-03-05-10-00-00_\t3\tYes\t\n"


def zeros(assignment, folder, handed, people, **options):
    """The finished grades of a download in which a notebook alone earns points."""
    there, known = read(folder, handed, people, **options)
    grades = Class(assignment, there, folder / "out", {"column": "HW"}, known)
    for student, one in grades.classlist.to_grade().items():
        points = 2 * any(file.may_answer for file in one.files)
        grades.add(student, model.Result(points, [model.Mark("witness", "a test", True, 2, points > 0)]))
    assert grades.finish()
    assert not grades.files.errors
    return grades


@pytest.mark.parametrize("platform", ["canvas", "blackboard"])
def test_who_may_have_more_than_what_is_certain_gets_no_zero(platform, assignment, tmp_path):
    """A certain file that cannot answer, a notebook that is claimed: the platform's cell stays, and that is said."""
    if platform == "canvas":
        claimed, own = "eve_8001_8005_90005_a.ipynb", "eve_8001_LATE_8005_90006_notes.pdf"
        handed = [claimed, own, "fox_8006_90007_a.ipynb"]
        people, options = CANVAS + "Ann,8001,,a,A,9\nEve_8001,8005,,e,A,9\nFox,8006,,f,A,\n", {}
        student, naming = "eve_8001_8005", 1
    else:
        claimed, handed = TWICE, [TWICE, MARCH + ".txt"]
        people, options = BLACKBOARDS + EVE.replace("\t\n", "\t9\n") + EVIL, {"pattern": UNDERSCORE}
        student, naming = "eve", 2
    grades = zeros(assignment, tmp_path, handed, people, **options)
    assert grades.final(student).score == 0
    number = "8005" if platform == "canvas" else "eve"
    assert {row[naming]: row[-1] for row in table(tmp_path, f"{platform}.csv")[1:]}[number] == "9"
    assert [line for line in grades.lists()[lists.FIRST] if line.startswith(student) and claimed in line]
    assert not [line for line in grades.lists().get("Before you import", []) if line.startswith(student)]
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as pages:
        assert not [name for name in pages.namelist() if "eve" in name]


def test_the_roster_helps_beside_a_file_that_cannot_answer(assignment, tmp_path):
    grades = zeros(assignment, tmp_path, [TWICE, MARCH + ".txt"], BLACKBOARDS + EVE, pattern=UNDERSCORE)
    assert grades.final("eve").score == 2
    assert lists.FIRST not in grades.lists()
    beside = [TWICE, MARCH + "_b.ipynb"]
    apart = zeros(assignment, tmp_path / "b", beside, BLACKBOARDS + EVE, pattern=UNDERSCORE)
    assert files_of(apart)["eve"] == beside[1:], "what is certain and may answer counts alone"


@pytest.mark.parametrize("late", ["yes", "no", ""])
def test_a_line_of_the_table_settles_a_claim(late, assignment, tmp_path):
    handed = [*THEIRS, "late_evader_67_1_LATE_67_9003_hw.ipynb"]
    lines = f"file,student,late\n{THEIRS[1]},66,\n{handed[2]},late_evader_67,{late}\n"
    people = CANVAS + BOB + MALLORY + '"evader, late_",67,s,ev,A,\n'
    decisions = {"late": {"per_day": 1}}
    grades = graded(assignment, tmp_path, handed, people, decisions, table=lines)
    assert not grades.classlist.claims
    score = {row[1]: row[-1] for row in table(tmp_path)[2:]}
    assert score == {"777": "2", "66": "2", "67": "2" if late == "no" else "1"}


def test_a_table_says_whose_files_are_where_no_platform_does(assignment, tmp_path):
    handed = ["a.ipynb", "sub/b.ipynb", "c.ipynb", "d.ipynb"]
    lines = "file;student;time\na.ipynb;jr;\nsub;Al Poe;2026-03-01 23:59\nc.ipynb;di;\nc.ipynb;ed;\n"
    people = "Name,Login\nJo Roe,jr\nAl Poe,ap\nDi Fox,di\nEd Ox,ed\n"
    grades = graded(assignment, tmp_path, handed, people, table=lines)
    assert {student: person["login"] for student, person in grades.classlist.matching.matched.items()} == {
        "jr": "jr",
        "Al Poe": "ap",
        "di": "di",
        "ed": "ed",
    }
    assert grades.classlist.submissions["Al Poe"].files[0].time == "2026-03-01-23-59-59"
    assert [grades.final(student).score for student in ("di", "ed")] == [2, 2], "handed in together"
    assert len(grades.classlist.to_grade()) == 4
    assert grades.classlist.matching.unmatched == {"d": "is not on the roster"}


@pytest.mark.parametrize("outer", ["", "week-3/"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_table_in_the_download_is_read_zipped_or_not(packed, outer, tmp_path):
    platforms.put(tmp_path / "in", outer + "submissions.csv", b"file,student,late\ngroup-7,jr,yes\ngroup-7,ap,yes\n")
    for name in ("group-7/a.ipynb", "x/b.ipynb", "y/c.ipynb"):
        platforms.put(tmp_path / "in", outer + name, RIGHT)
    place = platforms.zipped(tmp_path / "in", tmp_path / "in.zip") if packed else tmp_path / "in"
    there = downloads.read(place)
    assert {name: one.files[0].late for name, one in there.submissions.items()} == {
        "jr": True,
        "ap": True,
        "x": None,
        "y": None,
    }
    assert not there.unused


def test_a_table_of_a_students_is_none(tmp_path):
    """The only student of a download by Moodle, or a zip within it."""
    folder = "Bob Roe_888_assignsubmission_file_/"
    platforms.put(tmp_path / "in", folder + "submissions.csv", b"file,student\na.ipynb,jr\n")
    platforms.put(tmp_path / "in", folder + "a.ipynb", RIGHT)
    assert [*downloads.read(tmp_path / "in").submissions] == ["Bob Roe_888"]


@pytest.mark.parametrize(
    "lines",
    [
        "group-7,jr,,\ngroup-7,ap,yes,\n",
        "group-7,jr,no,\ngroup-7/a.ipynb,ap,yes,\n",
        "group-7,jr,,2026-03-01 23:59\ngroup-7,ap,,2026-03-02 23:59\n",
    ],
)
def test_lines_of_one_file_that_differ_in_when_it_came_are_refused(lines, tmp_path):
    with pytest.raises(CourseError, match=r"group-7/a.ipynb \(jr, ap\)"):
        read(tmp_path, ["group-7/a.ipynb", "x/b.ipynb"], table="file,student,late,time\n" + lines)


BAD_TABLES = {
    "file,name\na,b\n": "student",
    "": "empty",
    "file,student\na,\n": "line 2",
    "file,student,late\na,b,perhaps\n": "perhaps",
    "file,student,time\na,b,noon\n": "noon",
}


@pytest.mark.parametrize("text", BAD_TABLES)
def test_a_table_that_is_not_understood_names_what(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(CourseError, match=BAD_TABLES[text]):
        tables.read(tmp_path / "t.csv")


def test_a_line_of_the_table_without_its_file_is_claimed(tmp_path):
    there, _ = read(tmp_path, ["a.ipynb"], table="file,student\nb.ipynb,jr\n")
    assert "b.ipynb is in submissions.csv, and not in the download." in there.claims


@pytest.mark.parametrize(
    "pattern", ["hw.ipynb", "{any}_{file}", "{who}_{file}", "{student}_{student}", "{student", "{name}]"]
)
def test_a_pattern_that_is_not_understood_is_one_sentence(pattern, tmp_path):
    with pytest.raises(CourseError) as error:
        read(tmp_path, ["a.ipynb"], pattern=pattern)
    assert pattern in str(error.value)


SCRIPTS = {  # a name as its owner writes it: as Canvas writes it into the name of a file
    "प्रिया शर्मा": "प्रियाशर्मा",
    "สมชาย ใจดี": "สมชายใจดี",
    "مُحَمَّد علي": "مُحَمَّدعلي",
    "王 芳": "王芳",
    "Jose\u0301 Nu\u0301n\u0303ez": "jose\u0301nu\u0301n\u0303ez",
    "Нина Ёлкина": "нинаёлкина",
    "김 민준": "김민준",
    "שָׂרָה כֹּהֵן": "שָׂרָהכֹּהֵן",
    "ქეთევან ბერიძე": "ქეთევანბერიძე",
    "தமிழ் செல்வி": "தமிழ்செல்வி",
    "Ὀδυσσεύς Ἰθακήσιος": "ὀδυσσεύςἰθακήσιος",
    "O'Neil-Ng, Áine": "oneilngáine",
    "Ảnh Nguyễn": "ảnhnguyễn",
}


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_of_all_scripts_are_read_with_number_and_lateness(name, form, tmp_path):
    """Letters, marks and digits of every script, composed or not."""
    small = unicodedata.normalize(form, SCRIPTS[name])
    handed = [f"{small}_LATE_70_9001_hw_1_2.ipynb", "poeal_71_9002_hw.ipynb"]
    there, _ = read(tmp_path, handed, CANVAS + f'"{name}",70,s,x,A,\n"Poe, Al",71,s,x,A,\n')
    assert not there.claims
    assert {handed.user: handed.files[0].late for handed in there.submissions.values()} == {"70": True, "71": False}


def canvas_writes(name, user, late, attachment, file):
    """The name that Canvas makes, by its `lib/content_zipper.rb`, for names of ASCII."""
    import re

    small = re.sub(r"_(\d+)_", r"\1", name, flags=re.ASCII).lower()
    whole = f"{small}_LATE_{user}" if late else f"{small}_{user}"
    return f"{re.sub(r'[^a-zA-Z0-9_]', '', whole)}_{attachment}_{file}"


WORDS = st.lists(
    st.sampled_from(["_", "7", "66", "LATE", "late", "anon", "bob", "text", "-", " ", "é", "."]), max_size=9
)
FILES = WORDS.map(lambda words: "".join(words) + ".ipynb")


@settings(max_examples=400, deadline=None)
@given(WORDS.map("".join), st.booleans(), st.sampled_from([7, 66, 777]), FILES)
def test_the_truth_is_always_among_the_readings_of_canvas(name, late, user, file):
    """So a name with one reading says the truth, whatever a student is called and calls a file."""
    name = name.replace("é", "e")
    made = canvas_writes(name, user, late, 9001, file)
    readings = names.canvas((made,))
    assert any((each.user, each.late, each.order, each.file) == (str(user), late, 9001, file) for each in readings)


def test_moodles_folders_and_gradescope_have_one_reading_each():
    """Moodle's number stands last in a folder's name. Flat, the student's file stands behind it: then there are two."""
    file = "Bob Roe_888_assignsubmission_file_Al Poe_777_assignsubmission_file_hw.ipynb"
    assert {each.user for each in names.moodle((file,))} == {"888", "777"}
    odd = ("Bob_777_assignsubmission_file_ Roe_888_assignsubmission_file_", "x.ipynb")
    assert [each.user for each in names.moodle(odd)] == ["888"]
    folder = ("Bob Roe_888_assignsubmission_file_", "x_777_assignsubmission_file_")
    assert [each.user for each in names.moodle(folder)] == ["888"]
    assert [each.team for each in names.gradescope(("submission_1", "submission_2"))] == ["1"]


def test_what_is_not_named_as_the_platform_does_is_in_no_table(assignment, tmp_path):
    handed = ["roebob_777_70_hw.ipynb", "poeal_8_80_hw.ipynb", "Bob Roe.ipynb"]
    grades = graded(assignment, tmp_path, handed, CANVAS + BOB + '"Poe, Al",8,,,A,\n')
    assert grades.classlist.submissions["Bob Roe.ipynb"].claim
    assert {row[1]: row[-1] for row in table(tmp_path)[2:]} == {"777": "2", "8": "2"}


def test_one_person_on_two_lines_gets_the_grade_on_both(assignment, tmp_path):
    ada = '"Right, Ada",1001,s,ada,{},\n'
    grades = graded(
        assignment,
        tmp_path,
        ["rightada_1001_1_h.ipynb", "halfhal_1002_2_h.ipynb"],
        CANVAS + ada.format("A") + '"Half, Hal",1002,s,hal,A,\n' + ada.format("B"),
    )
    assert [(row[1], row[-1]) for row in table(tmp_path)[2:]] == [("1001", "2"), ("1002", "2"), ("1001", "2")]
    listed = grades.lists()
    assert "On the roster, and nothing handed in" not in listed
    assert ["ada: 2 lines"] in listed.values()
    assert lists.FIRST not in listed
    assert not grades.files.errors


NAMES_ONLY = {  # what a student chose as a display name, another's identifier: (files, roster, table, {number: points})
    "a number without blanks": (["M 201_5011_assignsubmission_file_/a.ipynb"], "M201"),
    "a number with a mark": (["201 ._5011_assignsubmission_file_/a.ipynb"], "201"),
    "an address": (["u201@x.edu_5011_assignsubmission_file_/a.ipynb"], "M201"),
    "what stands before the @": (["u201_5011_assignsubmission_file_/a.ipynb"], "M201"),
    "a username of Canvas's": (["u201_5011_7_a.ipynb"], "u201"),
}


@pytest.mark.parametrize("name", NAMES_ONLY)
def test_a_display_name_is_compared_with_names_alone(name, assignment, tmp_path):
    handed, number = NAMES_ONLY[name]
    canvas = handed[0].endswith("_7_a.ipynb")
    own = (
        ["rightalice_5001_8_a.ipynb", "blankbob_5003_9_a.ipynb"]
        if canvas
        else ["Alice Right_5001_assignsubmission_file_/a.ipynb", "Bob Blank_5003_assignsubmission_file_/a.ipynb"]
    )
    people = f"First name,Last name,ID number,Email address\nAlice,Right,{number},u201@x.edu\nMal,Lory,M211,m@x.edu\n"
    people += "Bob,Blank,M203,u203@x.edu\n"
    grades = graded(assignment, tmp_path, handed + own, people)
    assert sorted(person["first"] for person in grades.classlist.matching.matched.values()) == ["Alice", "Bob"]
    assert not any("5011" in student for student in grades.classlist.matching.matched)
    if not canvas:
        rows = {row[0]: row[2] for row in table(tmp_path, "moodle.csv")[1:]}
        assert rows == {"Participant 5001": "2", "Participant 5003": "2"}
    alone = graded(assignment, tmp_path / "alone", handed + own[1:], people)
    assert [person["first"] for person in alone.classlist.matching.matched.values()] == ["Bob"]


def test_a_worksheet_with_fewer_columns_takes_no_name_for_a_number(assignment, tmp_path):
    people = "Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade\n"
    for mals in ("201", "M201", "u201@x.edu"):
        folder = tmp_path / mals
        listed = f"Participant 201,Alice Right,M201,u201@x.edu,,,10\nParticipant 211,{mals},M211,u211@x.edu,,,10\n"
        listed += "Participant 203,Bob Blank,M203,u203@x.edu,,,10\n"
        handed = [f"{mals}_211_assignsubmission_file_/a.ipynb", "Bob Blank_203_assignsubmission_file_/a.ipynb"]
        grades = graded(assignment, folder, handed, people + listed)
        assert {student: person["number"] for student, person in grades.classlist.matching.matched.items()} == {
            f"{mals}_211": "M211",
            "Bob Blank_203": "M203",
        }


def test_what_one_student_writes_removes_no_row_of_another(assignment, tmp_path):
    """Mallory calls himself as Alice: each of them keeps the row of the platform's own number."""
    people = "First name,Last name,ID number\nAlice,Right,M201\nMal,Lory,M211\nBob,Blank,M203\n"
    handed = [f"{name}_assignsubmission_file_/a.ipynb" for name in ("Alice Right_1", "Alice Right_2", "Bob Blank_3")]
    grades = graded(assignment, tmp_path, handed, people)
    assert "under its own number" in grades.classlist.claims[0]
    assert {row[0]: row[2] for row in table(tmp_path, "moodle.csv")[1:]} == {
        f"Participant {number}": "2" for number in (1, 2, 3)
    }
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as pages:
        assert {name.split("_")[1] for name in pages.namelist()} == {"1", "2", "3"}


@pytest.mark.parametrize("number", ["X110", "11 0", "S-110", "1~10"])
def test_a_part_of_an_identifier_is_none(number, assignment, tmp_path):
    people = CANVAS + f'"Zed, Zoe",{number},s1,zz,A,\n"Blank, Bob",102,s2,bb,A,\n'
    grades = graded(assignment, tmp_path, ["lorymal_110_5010_m.ipynb", "blankbob_102_5002_x.ipynb"], people)
    assert {*grades.classlist.matching.matched} == {"blankbob_102"}
    assert "lorymal_110" in grades.classlist.matching.unmatched
    assert {row[0]: row[-1] for row in table(tmp_path)[2:]} == {"Zed, Zoe": "", "Blank, Bob": "2"}


@pytest.mark.parametrize("name", ["201", "u201@x.edu", "M 201"])
def test_gradescopes_names_are_no_identifiers(name, assignment, tmp_path):
    text = "".join(
        f"submission_{n}:\n  :submitters:\n  - :name: {who}\n    :sid: ''\n    :email: {address}\n"
        for n, who, address in ((1, name, "mal@elsewhere.org"), (2, "Alice Right", "u201@x.edu"))
    )
    for n in (1, 2):
        platforms.put(tmp_path / "in", f"submission_{n}/a.ipynb", RIGHT)
    platforms.put(tmp_path / "in", "submission_metadata.yml", text.encode())
    people = "Name,Student ID,Email\nAlice Right,201,u201@x.edu\nMal Lory,211,u211@x.edu\n"
    grades = graded(assignment, tmp_path, [], people)
    assert {student: person["number"] for student, person in grades.classlist.matching.matched.items()} == {
        "u201@x.edu": "201"
    }
    assert not grades.classlist.claims


@pytest.mark.parametrize("outer", ["", "assignment_7_export/", "Downloads/assignment_7_export/"])
@pytest.mark.parametrize(
    "files",
    [
        ["submission_302/m.ipynb"],
        ["submission_302/m.ipynb", "submission_302/sub/n.ipynb"],
        ["submission_302/m.ipynb", "submission_302/submission_metadata.yml"],
        ["submission_302/m.ipynb", "a note.txt", "another.txt"],
    ],
)
def test_metadata_say_whose_a_single_submission_is(outer, files, tmp_path):
    for file in files:
        platforms.put(tmp_path / "in", outer + file, RIGHT)
    text = b"submission_302:\n  :submitters:\n  - :name: Jo Roe\n    :sid: '9'\n    :email: jo@x\n"
    platforms.put(tmp_path / "in", outer + "submission_metadata.yml", text)
    there = downloads.read(tmp_path / "in")
    assert there.platform == "Gradescope"
    assert [(one.student, one.user) for one in there.submissions.values() if not one.claim] == [("jo@x", "9")]


WORKSHEET = "Identifier,Full name,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
PICARD = "Participant 12345,Jean_Luc Picard,,,10,-,\nParticipant 203,Bob Blank,,,10,-,\n"


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("people", ["", WORKSHEET + PICARD])
def test_a_name_with_a_line_in_it_is_moodles_too(people, flat, assignment, tmp_path):
    handed = [
        f"{name}_assignsubmission_file_{'' if flat else '/'}a.ipynb"
        for name in ("Jean_Luc Picard_12345", "Bob Blank_203")
    ]
    grades = graded(assignment, tmp_path, handed, people)
    assert {one.user for one in grades.classlist.submissions.values()} == {"12345", "203"}
    assert not grades.classlist.claims
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as pages:
        assert {name.split("_", 4)[1] for name in pages.namelist()} == {"12345", "203"}, "as Moodle reads it"


def test_the_page_of_whom_a_table_names_has_moodles_number(assignment, tmp_path):
    handed = ["Jean.ipynb", "Bob Blank_203_assignsubmission_file_/a.ipynb", "Al Poe_204_assignsubmission_file_/a.ipynb"]
    lines = "file,student\nJean.ipynb,Jean_Luc Picard\n"
    grades = graded(assignment, tmp_path, handed, WORKSHEET + PICARD + "Participant 204,Al Poe,,,10,-,\n", table=lines)
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as pages:
        assert {name.split("_")[1] for name in pages.namelist()} == {"12345", "203", "204"}
    assert "no page" not in str(grades.lists())
    alone = graded(assignment, tmp_path / "alone", handed, table=lines)
    assert "Jean_Luc Picard: nothing says what its number is" in " ".join(alone.lists()["Before you import"])


def test_a_table_that_is_not_written_leaves_no_old_one_in_its_place(assignment, tmp_path):
    people = CANVAS + BOB + MALLORY
    graded(assignment, tmp_path, ["roebob_777_70_hw.ipynb"], people)
    old = (tmp_path / "out" / "canvas.csv").read_bytes()
    twice = people.replace("HW (1)", "HW (1),HW (1)").replace(",A,", ",A,,")
    for _ in range(2):
        grades = graded(assignment, tmp_path, ["roebob_777_70_hw.ipynb"], twice, {"column": "HW (1)"})
        assert not (tmp_path / "out" / "canvas.csv").exists()
        assert (tmp_path / "out" / "canvas.of-an-earlier-run.csv").read_bytes() == old
    assert "rename one in Canvas" in " ".join(grades.lists()["Before you import"])
    first = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "has another name now" not in first
    graded(assignment, tmp_path, ["roebob_777_70_hw.ipynb"], people)
    assert (tmp_path / "out" / "canvas.csv").read_bytes() == old
    grades = graded(assignment, tmp_path, ["roebob_777_70_hw.ipynb"], twice, {"column": "HW (1)"})
    assert ["canvas.csv is now canvas.of-an-earlier-run.csv"] in grades.lists().values()


@pytest.mark.parametrize("people", ["", WORKSHEET + PICARD, WORKSHEET + PICARD + "Participant 7,Q,,,10,-,\n"])
def test_no_worksheet_tells_which_of_two_readings_is_true(people, tmp_path):
    flat = "Jean_Luc Picard_12345_assignsubmission_file_my_7_assignsubmission_file_x.ipynb"
    there, _ = read(tmp_path, [flat, "Bob Blank_203_assignsubmission_file_a.ipynb"], people)
    assert flat in there.claims[0]
