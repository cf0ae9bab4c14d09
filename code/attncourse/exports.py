"""Write what each platform takes back: its table of grades, and a zip of pages. `grades` is a `gradebook.Grades`."""

import io
import re
import unicodedata
import zipfile
from pathlib import PurePosixPath

from . import author, report
from .tables import number, page_name, safe


def _filled(grades, column, extra=None):
    """Return the roster's own table with the grades in a column that is there already, or in a new one."""
    header, rows = list(grades.people.header), [list(row) for row in grades.people.rows]
    places = [n for n, name in enumerate(header) if _same_column(name, column)]
    place = places[0] if len(places) == 1 else len(header)
    header += [column] * (place == len(header))
    by_row = {person["row"]: student for student, person in [*grades.matched.items(), *grades.absent.items()]}
    for index, row in enumerate(rows):
        row += [""] * (len(header) - len(row))
        student = by_row.get(index)
        result = grades.final(student) if student is not None else None
        if result is not None and result["score"] is not None:
            row[place] = number(result["score"])
            for name, words in (extra or (lambda r: {}))(result).items():
                if name in header:
                    row[header.index(name)] = words
    return [header, *([safe(cell) for cell in row] for row in rows)]


def new_column(grades):
    """Return a warning if the gradebook that came as the roster lacks the column of the grades, else ""."""
    column = grades.policy.get("column") or grades.bundle["title"]
    people = grades.people
    if not people or people.platform not in ("canvas", "blackboard"):
        return ""
    if sum(_same_column(name, column) for name in people.header) == 1:
        return ""
    there = [name for name in people.header if re.search(r"\(\d+\)\s*$|\[Total Pts:", name)]
    return (
        f"{people.platform}.csv has a new column, {column!r}. For one that is in the gradebook, set `column` in the "
        f"policy file{': there are ' + ', '.join(there) if there else ''}."
    )


def canvas(grades):
    """Write Canvas's gradebook: the columns that its import asks for, and one assignment."""
    column = grades.policy.get("column") or grades.bundle["title"]
    if grades.people and grades.people.platform == "canvas":
        header, *rows = _filled(grades, column)
        place = next(n for n, name in enumerate(header) if _same_column(name, column))
        for row in rows:
            if row[0].strip() == "Points Possible" and not row[place]:
                row[place] = author.POINTS
        keep = [n for n, name in enumerate(header) if name.strip() in
                ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Integration ID", "Root Account")
                or _same_column(name, column)]  # fmt: skip
        return [[row[n] if n < len(row) else "" for n in keep] for row in [header, *rows]]
    rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column],
            ["    Points Possible", "", "", "", "", author.POINTS]]  # fmt: skip
    for student in _graded(grades):
        handed, person = grades.found.get(student), grades.matched.get(student) or grades.absent.get(student) or {}
        user = handed.user if handed else person.get("user", "")
        rows.append([safe(grades.name(student)), safe(user), safe(person.get("number", "")),
                     safe(person.get("login", "")), "", number(grades.final(student)["score"])])  # fmt: skip
    return rows


def moodle(grades):
    """Write Moodle's grading worksheet, which must have the columns Identifier, Grade and Last modified (grade)."""
    if grades.people and grades.people.platform == "moodle":
        return _filled(grades, "Grade", lambda result: {"Feedback comments": " ".join(result["comments"])})
    rows: list = [["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments"]]
    for student in _graded(grades):
        handed, result = grades.found.get(student), grades.final(student)
        if handed and handed.user:
            rows.append([f"Participant {handed.user}", safe(grades.name(student)), number(result["score"]),
                         author.POINTS, "-", safe(" ".join(result["comments"]))])  # fmt: skip
    return rows


def blackboard(grades):
    """Write Blackboard's grade centre, which knows a student by the username and a column by its whole heading."""
    column = grades.policy.get("column") or grades.bundle["title"]
    if grades.people and grades.people.platform == "blackboard":
        return _filled(grades, column)
    rows = [["Username", column]]
    for student in _graded(grades):
        handed, person = grades.found.get(student), grades.matched.get(student) or grades.absent.get(student) or {}
        login = (handed.login if handed else "") or person.get("login", "")
        rows.append([safe(login or student), number(grades.final(student)["score"])])
    return rows


def _graded(grades):
    return [student for student in grades.everyone() if grades.final(student)["score"] is not None]


def pages(grades):
    """Zip every page under the name by which its platform finds the student."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for student in sorted({*grades.results, *grades.groups}):
            handed = grades.found.get(student)
            text = report.feedback(grades.bundle, student, grades.final(student), grades.name(student))
            name = page_name(student)
            if handed is not None and handed.platform == "moodle":
                top = PurePosixPath(handed.file).parts[0]
                name = top[: top.index("_assignsubmission_")] + "_assignsubmission_file_/feedback.html"
            elif handed is not None and handed.platform == "canvas" and handed.order[0]:
                name = PurePosixPath(handed.file.split("/")[0]).stem + ".html"  # its numbers name the attachment
            info = zipfile.ZipInfo(unicodedata.normalize("NFC", name), (1980, 1, 1, 0, 0, 0))
            made.writestr(info, text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _same_column(name, column):
    """Return whether a heading is the column, but for what platforms add: ` (4711)`, ` [Total Pts: …] |4711`."""
    short = re.sub(r"\s*(\(\d+\)|\[Total Pts:.*)\s*$", "", name.strip())
    return column.strip() in (name.strip(), short)


TABLES = {"canvas": canvas, "moodle": moodle, "blackboard": blackboard}
