"""Write what each platform takes back: its table of grades, and a zip of pages. `grades` is a `gradebook.Grades`."""

import io
import re
import unicodedata
import zipfile
from pathlib import PurePosixPath

from . import clean
from .author import POINTS

TOTAL = re.compile(r"\[Total Pts: ([\d.,]+)")
PLATFORMS_OWN = re.compile(r"\(\d+\)\s*$|\[Total Pts:.*$")  # what a platform adds to the name of a column


def _filled(grades, place, column, comments=-1):
    """Return the roster's own table with the grades in the column at a place, or in a new one at its end."""
    header, rows = list(grades.people.header), [list(row) for row in grades.people.rows]
    place = place if place >= 0 else len(header)
    header += [column] * (place == len(header))
    by_row = {person["row"]: student for student, person in [*grades.matched.items(), *grades.absent.items()]}
    for index, row in enumerate(rows):
        row += [""] * (len(header) - len(row))
        final = grades.final(by_row[index]) if index in by_row else None
        if final is not None and final.score is not None:
            row[place] = clean.number(final.score)
            if comments >= 0 and final.comments:
                row[comments] = " ".join(final.comments)
    return [header, *([clean.cell(cell) for cell in row] for row in rows)]


def _place(header, column):
    """Return where the one column of this name stands, or -1."""
    places = [n for n, name in enumerate(header) if _same_column(name, column)]
    return places[0] if len(places) == 1 else -1


def before_import(grades):
    """Yield what to know before an import: the gradebook lacks the column, or the column is worth other points."""
    column, people = grades.policy.get("column") or grades.assignment.title, grades.people
    if not people or not people.platform:
        return
    place = people.grade if people.platform == "Moodle" else _place(people.header, column)
    best = {"Canvas": [row[place] for row in people.rows if row[0].strip() == "Points Possible" and len(row) > place],
            "Moodle": [row[place + 1] for row in people.rows if len(row) > place + 1],
            "Blackboard": TOTAL.findall(people.header[place])}[people.platform] if place >= 0 else []  # fmt: skip
    worth = (best or [""])[0].replace(",", ".")
    if worth.replace(".", "").isdigit() and float(worth) != POINTS:
        yield f"The column is worth {float(worth):g} points there, and these grades are of {POINTS}: change one."
    if place >= 0:
        return
    there = [name for name in people.header if PLATFORMS_OWN.search(name)]
    yield (
        f"{people.platform.lower()}.csv has a new column, {column!r}. For one of the gradebook's, set `column` in the "
        f"policy file{': there are ' + ', '.join(there) if there else ''}."
    )


def canvas(grades):
    """Write Canvas's gradebook: the columns that its import asks for, and one assignment."""
    column = grades.policy.get("column") or grades.assignment.title
    if grades.people and grades.people.platform == "Canvas":
        header, *rows = _filled(grades, _place(grades.people.header, column), column)
        place = next(n for n, name in enumerate(header) if _same_column(name, column))
        for row in rows:
            if row[0].strip() == "Points Possible" and not row[place]:
                row[place] = POINTS
        keep = [n for n, name in enumerate(header) if name.strip() in
                ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Integration ID", "Root Account")
                or _same_column(name, column)]  # fmt: skip
        return [[row[n] if n < len(row) else "" for n in keep] for row in [header, *rows]]
    rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column],
            ["    Points Possible", "", "", "", "", POINTS]]  # fmt: skip
    for student in _graded(grades):
        handed, person = grades.submissions.get(student), grades.person(student)
        user = handed.user if handed else person.get("user", "")
        rows.append([clean.cell(grades.name(student)), clean.cell(user), clean.cell(person.get("number", "")),
                     clean.cell(person.get("login", "")), "", clean.number(grades.final(student).score)])  # fmt: skip
    return rows


def moodle(grades):
    """Write Moodle's grading worksheet, which must have the columns Identifier, Grade and Last modified (grade)."""
    if grades.people and grades.people.platform == "Moodle":
        return _filled(grades, grades.people.grade, "Grade", grades.people.comments)
    rows: list = [["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments"]]
    for student in _graded(grades):
        handed, final = grades.submissions.get(student), grades.final(student)
        if handed and handed.user:
            rows.append([f"Participant {handed.user}", clean.cell(grades.name(student)), clean.number(final.score),
                         POINTS, "-", clean.cell(" ".join(final.comments))])  # fmt: skip
    return rows


def blackboard(grades):
    """Write Blackboard's grade centre, which knows a student by the username and a column by its whole heading."""
    column = grades.policy.get("column") or grades.assignment.title
    if grades.people and grades.people.platform == "Blackboard":
        return _filled(grades, _place(grades.people.header, column), column)
    rows = [["Username", column]]
    for student in _graded(grades):
        handed, person = grades.submissions.get(student), grades.person(student)
        login = (handed.login if handed else "") or person.get("login", "")
        rows.append([clean.cell(login or student), clean.number(grades.final(student).score)])
    return rows


def _graded(grades):
    return [student for student in grades.everyone() if grades.final(student).score is not None]


def pages(grades):
    """Zip every page under the name by which its platform finds the student."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for student in sorted({*grades.results, *grades.groups}):
            page = grades.attempt(f"the page of {student}", grades.page, student)
            if page is not None:
                info = zipfile.ZipInfo(unicodedata.normalize("NFC", _page_name(grades, student)), (1980, 1, 1, 0, 0, 0))
                made.writestr(info, page, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _page_name(grades, student):
    handed, result = grades.submissions.get(student), grades.result(student)
    person = grades.absent.get(student) or {}
    if grades.platform == "Moodle" and person.get("user"):  # a member of a group, whose file another one handed in
        return f"{clean.file_name(person['name'])}_{person['user']}_assignsubmission_file_/feedback.html"
    file = handed.files[max(result.file, 0)] if handed is not None else None
    top = clean.file_name(file.path.split("/")[0]) if file else ""
    if file is not None and handed.platform == "Moodle":
        return f"{clean.file_name(handed.name)}_{handed.user}_assignsubmission_file_/feedback.html"
    if file is not None and handed.platform == "Canvas" and file.order[0]:
        return PurePosixPath(top).stem + ".html"  # its numbers name the attachment
    return grades.pages[student]


def _same_column(name, column):
    """Return whether a heading is the column, but for what platforms add: ` (4711)`, ` [Total Pts: …] |4711`."""
    short = PLATFORMS_OWN.sub("", name.strip()).strip()
    return column.strip() in (name.strip(), short)


TABLES = {"Canvas": canvas, "Moodle": moodle, "Blackboard": blackboard}
