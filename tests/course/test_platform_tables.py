"""What the platform's table holds is read in the open: numbers in any notation, words, values that are there."""

import csv
import io

import platforms
import pytest
from attncourse import downloads, lists, model, roster
from attncourse.cells import numbers
from coursework import Class, notebook
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

RIGHT = notebook("def leaves(d_k, t): return 1")
TABLES = {  # a table with one column for the grades: worth, and the cells of two students
    "Canvas": """\
Student,ID,SIS User ID,SIS Login ID,Section,HW (4711)
    Points Possible,,,,,{worth}
"Right, Ada",1001,s,ada,A,{ada}
"Half, Hal",1002,s,hal,A,{hal}
""",
    "Moodle": """\
Identifier,Full name,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments
Participant 1001,Ada Right,S,{ada},{worth},-,
Participant 1002,Hal Half,S,{hal},{worth},-,
""",
    "Blackboard": """\
Last Name,First Name,Username,Availability,HW [Total Pts: {worth} Score] |98765
Right,Ada,ada,Yes,{ada}
Half,Hal,hal,Yes,{hal}
""",
}
HANDED = {
    "Canvas": ["rightada_1001_1_h.ipynb", "halfhal_1002_2_h.ipynb"],
    "Moodle": ["Ada Right_1001_assignsubmission_file/h.ipynb", "Hal Half_1002_assignsubmission_file/h.ipynb"],
    "Blackboard": ["ada.ipynb", "hal.ipynb"],
}


def quoted(text):
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([text])
    return out.getvalue() if text else text


def graded(assignment, folder, platform, worth="10", ada="", hal="", decisions=None, change=str):
    """The finished grades of two students, who have 5 points each; `change` alters the platform's table."""
    title = "HW [Total Pts: {worth}" if platform == "Blackboard" else ""
    text = TABLES[platform].replace(title, f'"{title}').replace("|98765", '|98765"') if title else TABLES[platform]
    cells = {"ada": quoted(ada), "hal": quoted(hal), "worth": worth.replace('"', '""') if title else quoted(worth)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "r.csv").write_text(change(text.format(**cells)), encoding="utf-8")
    for name in HANDED[platform]:
        platforms.put(folder / "in", name, RIGHT)
    people = roster.read(folder / "r.csv")
    there = downloads.read(folder / "in", people)
    grades = Class(assignment, there, folder / "out", {"column": "HW"} | (decisions or {}), people)
    for student in grades.classlist.to_grade():
        grades.add(student, model.Result(5, [model.Mark("witness", "a test", True, 5, True)]))
    assert grades.finish()
    return grades


def cells(grades, platform):
    """What the table for the platform holds in the column of the grades, for Ada and Hal."""
    data = (grades.folder / f"{platform.lower()}.csv").read_bytes().decode("utf-8-sig")
    head, *rows = csv.reader(io.StringIO(data, newline=""))
    place = next(n for n, name in enumerate(head) if name.startswith("HW") or name == "Grade")
    return [row[place] for row in rows if "Ada" in "".join(row) or "Hal" in "".join(row)]


def before(grades):
    return grades.lists().get("Before you import", [])


NUMBERS = {
    "10": {10},
    "10.00": {10},
    "10,00": {10},
    "1,000.00": {1000},
    "1.000,00": {1000},
    "1 000": {1000},
    "1\u00a0000,5": {1000.5},
    "1\u202f000": {1000},
    "1'000.00": {1000},
    "1’000": {1000},
    "1,000": {1000, 1},
    "10.000": {10, 10000},
    "12,34,567.00": {1234567},
    "1.234.567": {1234567},
    "١٠٫٥": {10.5},
    "１０": {10},
    "١٬٠٠٠": {1000},
    "0": {0},
    "0.5": {0.5},
    "0.010": {0.01},
    "0,500": {0.5},
    "10.0.0": set(),
    "1,00,0": set(),
    "EX": set(),
    "": set(),
    "-": set(),
    "10%": set(),
    "1e3": set(),
    "nan": set(),
    "inf": set(),
    "1_000": set(),
    "½": set(),
}


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number_in_any_notation(text):
    assert numbers(text) == NUMBERS[text]


@pytest.mark.parametrize("platform", TABLES)
@pytest.mark.parametrize("worth", ["10", "10.00", "10,00", "1,000.00", "1.000,00", "1,000", "10.000", "A to F", "100"])
def test_what_the_column_is_worth_is_said_as_it_stands(platform, worth, assignment, tmp_path):
    grades = graded(assignment, tmp_path, platform, worth)
    assert not grades.files.errors
    assert cells(grades, platform) == ["5", "5"]
    sound = worth in ("10", "10.00", "10,00")
    said = before(grades)
    assert len(said) == (0 if sound else 1), said
    assert all(worth in line for line in said), said


@pytest.mark.parametrize("excused", ["EX", "ex", "Ex"])
def test_an_excused_student_stays_excused(excused, assignment, tmp_path):
    grades = graded(assignment, tmp_path, "Canvas", ada=excused, hal="7")
    assert cells(grades, "Canvas") == [excused, "5"]
    assert any("rightada_1001 is excused" in line for line in before(grades))
    assert any("halfhal_1002: the import changes 7 to 5" in line for line in before(grades))
    page = (grades.folder / "feedback" / "rightada_1001.html").read_text(encoding="utf-8")
    assert "0 of 10" not in page.partition("<h2>")[0]
    table = (grades.folder / "grades.csv").read_bytes().decode("utf-8-sig")
    assert {row[0]: row[2] for row in csv.reader(io.StringIO(table, newline=""))}["rightada_1001"] == excused
    said = {"students": {"ada": {"excused": False}}}
    grades = graded(assignment, tmp_path / "no", "Canvas", ada=excused, decisions=said)
    assert cells(grades, "Canvas") == ["5", "5"]
    said = {"students": {"hal": {"excused": True}}}
    grades = graded(assignment, tmp_path / "yes", "Canvas", hal="7", decisions=said)
    assert cells(grades, "Canvas") == ["5", "EX"]
    assert any("halfhal_1002: the import changes 7 to EX" in line for line in before(grades))


THERE = {
    "": "",
    "-": "",
    "5": "",
    "5.00": "",
    "5,00": "",
    "7": "to 5",
    "7,50": "to 5",
    "N/A": "not understood",
    "A-": "not understood",
}


@pytest.mark.parametrize("platform", TABLES)
@pytest.mark.parametrize(("there", "line"), THERE.items())
def test_values_that_an_import_would_change_are_listed(platform, there, line, assignment, tmp_path):
    grades = graded(assignment, tmp_path, platform, hal=there)
    said = before(grades)
    assert len(said) == (1 if line else 0), said
    assert all(line in each for each in said), said
    assert cells(grades, platform) == ["5", there if line == "not understood" else "5"]


def test_a_column_that_is_there_twice_is_not_guessed(assignment, tmp_path):
    """Where one of them is named whole, that one is taken."""

    def twice(text):
        lines = text.replace("HW (4711)", "HW (4711),HW (4712)").splitlines()
        return "\n".join([lines[0], *(f"{line}," for line in lines[1:])])

    grades = graded(assignment, tmp_path, "Canvas", change=twice)
    assert not (grades.folder / "canvas.csv").exists()
    assert "'HW (4711)', 'HW (4712)'" in before(grades)[0]
    grades = graded(assignment, tmp_path / "b", "Canvas", decisions={"column": "HW (4712)"}, change=twice)
    head = (grades.folder / "canvas.csv").read_text(encoding="utf-8-sig").splitlines()[0]
    assert "HW (4712)" in head
    assert "4711" not in head


def test_a_column_that_was_renamed_is_named_and_one_that_canvas_ignores(assignment, tmp_path):
    grades = graded(assignment, tmp_path, "Canvas", change=lambda text: text.replace("HW (4711)", "Homework (4711)"))
    assert "new column, 'HW'" in before(grades)[0]
    assert "Homework (4711)" in before(grades)[0]
    grades = graded(assignment, tmp_path / "b", "Canvas", decisions={"column": "Final Grade of HW"})
    assert any("'Final Grade'" in line for line in before(grades))
    grades = graded(assignment, tmp_path / "c", "Canvas", decisions={"column": "The final HW"})
    assert not any("imports no column" in line for line in before(grades))


def test_one_policy_names_the_columns_of_several_platforms(assignment, tmp_path):
    for platform in TABLES:
        decisions = {"column": ["Nothing", "HW", "Coursework"]}
        grades = graded(assignment, tmp_path / platform, platform, decisions=decisions)
        assert cells(grades, platform) == ["5", "5"]
        assert not before(grades)


def test_an_export_with_two_columns_for_the_name_is_canvas_too(assignment, tmp_path):
    def split(text):
        text = text.replace("Student,ID", "LastName,FirstName,ID").replace(
            "    Points Possible,", "    Points Possible,,"
        )
        return text.replace('"Right, Ada"', "Right,Ada").replace('"Half, Hal"', "Half,Hal")

    grades = graded(assignment, tmp_path, "Canvas", change=split)
    assert cells(grades, "Canvas") == ["5", "5"]
    assert not before(grades)


CELLS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "1,000.00",
            "EX",
            "=1+1",
            "1e999",
            "٣",
            "-",
            "9" * 400,
            "\x00",
            '"',
            "\r",
            ";",
            "١٬٠",
            "²",
            "½",
            "nan",
            "１,０",
        ]
    ),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(TABLES)), CELLS, CELLS, CELLS, st.text(max_size=6))
def test_whatever_a_cell_holds_the_report_is_written(assignment, tmp_path_factory, platform, worth, ada, hal, heading):
    grades = graded(
        assignment,
        tmp_path_factory.mktemp("cell"),
        platform,
        worth,
        ada,
        hal,
        change=lambda text: text.replace("Section", f"Section,{quoted(heading)}"),
    )
    assert not grades.files.errors
    assert (grades.folder / "report.html").is_file()
    assert grades.lists() is not None


def test_a_list_that_fails_costs_only_itself(assignment, tmp_path, monkeypatch):
    def broken(grades):
        raise ValueError("1.000.00")

    monkeypatch.setitem(lists.LISTS, "Before you import", broken)
    grades = graded(assignment, tmp_path, "Canvas")
    assert (grades.folder / "report.html").is_file()
    assert cells(grades, "Canvas") == ["5", "5"]
    assert "ValueError: 1.000.00" in " ".join(grades.lists()["Could not be written"])
