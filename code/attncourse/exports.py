"""Write what each platform takes back: its table of grades, and a zip of pages. `grades` is a `gradebook.Grades`.

What `cells` does not understand in a platform's table stays as it is, and `import_notes` says so.
"""

import io
import re
import unicodedata
import zipfile
from pathlib import PurePosixPath
from typing import NamedTuple

from . import cells, clean
from .author import POINTS

BLACKBOARD_TOTAL = re.compile(r"\[Total Pts: ([^\]]*?)(?: Score)?\]")
PLATFORMS_OWN = re.compile(r"\([0-9]+\)\s*$|\[Total Pts:.*$")  # what a platform adds to the name of a column
IGNORED = re.compile("(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)")  # as Canvas does
CANVAS_COLUMNS = {
    "Student",
    "LastName",
    "FirstName",
    "ID",
    "SIS User ID",
    "SIS Login ID",
    "Section",
    "Integration ID",
    "Root Account",
}  # the columns that its import reads
POINTS_POSSIBLE = "Points Possible"  # what Canvas has in the place of a student, in the line of them


def table_name(platform):
    """Return the name of the file for a platform."""
    return f"{platform.lower()}.csv"


def matching_columns(roster, columns):
    """Return where columns of these names are in a platform's table: those of the first name that is there.

    A heading that is the name wins over one to which the platform has added something.
    """
    if roster.platform == "Moodle":
        return [place for place, kind in enumerate(roster.kinds) if kind == "grade"]
    for column in columns:
        exact = [place for place, name in enumerate(roster.header) if name.strip() == column.strip()]
        near = [place for place, name in enumerate(roster.header) if _short(name) == column.strip()]
        if exact or near:
            return exact or near
    return []


def _short(name):
    """Return a heading without what platforms add: ` (4711)`, ` [Total Pts: …] |4711`."""
    return PLATFORMS_OWN.sub("", name.strip()).strip()


class Column(NamedTuple):
    """The platform's column for the grades: its name, and where in the platform's table columns of that name are."""

    name: str
    places: list


def column_of(roster, names):
    """Return the `Column` of a name, or of the first of several names that the platform's table has."""
    names = [names] if isinstance(names, str) else names
    if not roster or not roster.platform:
        return Column(names[0], [])
    found = matching_columns(roster, names)
    if roster.platform == "Moodle" or not found:
        return Column(names[0], found)
    return Column(next(name for name in names if matching_columns(roster, [name])), found)


def current_cells(classlist, column):
    """Return {student: cell} of the grades in the platform's table, {} unless exactly one column is theirs."""
    if len(column.places) != 1:
        return {}
    place = column.places[0]
    current = {}
    for student, person in classlist.students_on_roster():
        there = [_cell(classlist.roster.rows[row], place) for row in person["rows"]]
        current[student] = next((cell for cell in there if not cells.is_nothing(cell)), "")
    return current


def _cell(row, place):
    """Return a cell of a row, "" beyond its end."""
    return row[place].strip() if place < len(row) else ""


def import_notes(grades):
    """Yield what to know before an import: how the column is called and what it is worth, and what would change."""
    for student in without_moodle_number(grades):
        yield (
            f"{student}: nothing says what its number is, so that Moodle finds no page, and no grade. "
            "Take its own grading worksheet as ROSTER."
        )
    roster = grades.classlist.roster
    if not roster or not roster.platform:
        return
    if len(grades.column.places) > 1:
        yield _several_fit(grades)
        return
    if not grades.column.places:
        yield _new_column(grades)
    ignored = IGNORED.search(_heading(grades))
    if roster.platform == "Canvas" and ignored:
        yield f"Canvas imports no column whose name holds {ignored[0]!r}: rename it there."
    yield from _points_worth(grades)
    yield from _kept_words(grades)
    yield from _changed_grades(grades)


def _several_fit(grades):
    """Say that a table is not written, because several columns fit."""
    roster = grades.classlist.roster
    fitting = [roster.header[place] for place in grades.column.places]
    if len({name.strip() for name in fitting}) < len(fitting):
        how = f"They have one name: rename one in {roster.platform}, and export the table again."
    else:
        how = "Set `column` in the policy file to one of them."
    there = ", ".join(map(repr, fitting))
    return f"{table_name(roster.platform)} is not written: several columns fit, {there}. {how}"


def _new_column(grades):
    """Say that no column fits, and which there are."""
    roster = grades.classlist.roster
    there = [name for name in roster.header if PLATFORMS_OWN.search(name)]
    known = f": there are {', '.join(there)}" if there else ""
    return (
        f"{table_name(roster.platform)} has a new column, {grades.column.name!r}. For one of the gradebook's, set "
        f"`column` in the policy file{known}."
    )


def _kept_words(grades):
    """Yield a line for each word in the platform's column that stays."""
    there = current_cells(grades.classlist, grades.column)
    for student, word in sorted(grades.kept_cells.items()):
        if there.get(student) == word and word.casefold() == "ex":
            yield f"{student} is excused ({word}) and stays so; `excused: no` in the policy file writes the grade."
        elif there.get(student) == word:
            yield f"{student}: {word!r} in the column is not understood, and stays. Empty it there for the grade."


def _changed_grades(grades):
    """Yield a line for each grade in the platform's column that would become another one."""
    for student, cell in sorted(current_cells(grades.classlist, grades.column).items()):
        score = None if grades.is_withheld(student) else grades.final(student).score
        new = clean.number(score) if score is not None else _kept_word(grades, student)
        if not cells.is_nothing(cell) and new and cell != new and not (cells.numbers(new) & cells.numbers(cell)):
            yield f"{student}: the import changes {cell} to {new}."


def _kept_word(grades, student):
    """Return the word that Canvas's table keeps for a student, "" for any other student or platform."""
    return grades.kept_cells.get(student, "") if grades.classlist.roster.platform == "Canvas" else ""


def _heading(grades):
    """Return the heading under which the grades are imported."""
    column = grades.column
    return grades.classlist.roster.header[column.places[0]] if column.places else column.name


def _points_worth(grades):
    """Yield a line if the column is worth other points than these grades are of, or if that is not understood."""
    roster, column = grades.classlist.roster, grades.column
    if not column.places:
        return
    place = column.places[0]
    if roster.platform == "Canvas":
        said = [_cell(row, place) for row in roster.rows if row[0].strip() == POINTS_POSSIBLE]
    elif roster.platform == "Moodle":
        said = [_cell(row, place + 1) for row in roster.rows]
    else:
        said = BLACKBOARD_TOTAL.findall(roster.header[place])
    for text in sorted({text for text in said if text and "read only" not in text}):
        meant = cells.numbers(text)
        if not meant:
            yield f"What the column is worth is not understood: {text!r}. These grades are of {POINTS} points."
        elif POINTS not in meant:
            yield f"The column is worth {text} points there, and these grades are of {POINTS}: change one."
        elif len(meant) > 1:
            yield f"The column is worth {text} points there; make sure that this means {POINTS}."


def _filled_table(grades):
    """Return the roster's own table with the grades in their column, or in a new one at its end, and its place.

    A student who stands on several lines gets the grade on each.
    """
    roster = grades.classlist.roster
    header, rows = list(roster.header), [list(row) for row in roster.rows]
    place = grades.column.places[0] if grades.column.places else len(header)
    if place == len(header):
        header.append(grades.column.name)
    for row in rows:
        row += [""] * (len(header) - len(row))  # a line can be shorter
    comments = roster.kinds.index("comments") if "comments" in roster.kinds and roster.platform == "Moodle" else None
    for student, person in grades.classlist.students_on_roster():
        final = grades.final(student)
        word = _kept_word(grades, student)
        if (final.score is None and not word) or grades.is_withheld(student):
            continue
        for number in person["rows"]:
            rows[number][place] = word or clean.number(final.score)
            if comments is not None and final.comments:
                rows[number][comments] = " ".join(final.comments)
    return [header, *([clean.cell(cell) for cell in row] for row in rows)], place


def canvas(grades):
    """Return the rows of Canvas's gradebook: the columns that its import asks for, and one assignment."""
    roster = grades.classlist.roster
    if roster and roster.platform == "Canvas":
        table, place = _filled_table(grades)
        for row in table[1:]:
            if row[0].strip() == POINTS_POSSIBLE and not row[place]:
                row[place] = POINTS
        keep = [n for n, name in enumerate(table[0]) if name.strip() in CANVAS_COLUMNS or n == place]
        return [[row[n] for n in keep] for row in table]
    return [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", grades.column.name],
        [f"    {POINTS_POSSIBLE}", "", "", "", "", POINTS],
        *(_canvas_row(grades, student) for student in _exported_students(grades)),
    ]


def _canvas_row(grades, student):
    """Return a student's line of Canvas's gradebook."""
    handed, person = grades.classlist.submissions.get(student), grades.classlist.roster_entry(student)
    user = handed.user if handed else person.get("user", "")
    about = [grades.classlist.name(student), user, person.get("number", ""), person.get("login", "")]
    return [*map(clean.cell, about), "", clean.number(grades.final(student).score)]


def moodle(grades):
    """Return the rows of Moodle's grading worksheet; it asks for Identifier, Grade and Last modified (grade)."""
    roster = grades.classlist.roster
    if roster and roster.platform == "Moodle":
        return _filled_table(grades)[0]
    rows: list = [["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments"]]
    for student in _exported_students(grades):
        handed, final = grades.classlist.submissions.get(student), grades.final(student)
        if handed and handed.user:
            name, comments = clean.cell(grades.classlist.name(student)), clean.cell(" ".join(final.comments))
            rows.append([f"Participant {handed.user}", name, clean.number(final.score), POINTS, "-", comments])
    return rows


def blackboard(grades):
    """Return the rows of Blackboard's grade centre; it knows a student by username, a column by its whole heading."""
    return _filled_table(grades)[0]


def _exported_students(grades):
    """Return the students who have a grade and are identified with certainty."""
    certain = [student for student in grades.everyone() if grades.is_exported(student)]
    return [student for student in certain if grades.final(student).score is not None]


def pages(grades, page_of):
    """Zip every page under the name by which its platform finds the student; `page_of` returns its bytes, or None."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for student in filter(grades.is_exported, grades.with_results()):
            page = page_of(student)
            if page is not None:
                info = zipfile.ZipInfo(unicodedata.normalize("NFC", _page_name(grades, student)), (1980, 1, 1, 0, 0, 0))
                made.writestr(info, page, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def without_moodle_number(grades):
    """Yield the students whose page Moodle cannot place, because nothing says what its number of them is."""
    if grades.classlist.platform != "Moodle":
        return
    for student in filter(grades.is_exported, grades.with_results()):
        if not _moodle_number(grades, student):
            yield student


def _moodle_number(grades, student):
    """Return Moodle's number of a student, "" if neither the download nor the roster has it."""
    handed = grades.classlist.submissions.get(student)
    return (handed.user if handed else "") or grades.classlist.roster_entry(student).get("user") or ""


def _page_name(grades, student):
    """Return the name by which a student's platform finds the page."""
    classlist = grades.classlist
    handed = classlist.submissions.get(student)
    if classlist.platform == "Moodle" and _moodle_number(grades, student):
        # A member of a group, or a student of whom only a table tells, has no submission with a number.
        name = handed.name if handed and handed.user else classlist.roster_entry(student).get("name", "")
        return _moodle_file(name, _moodle_number(grades, student))
    if handed and handed.platform == "Canvas":
        file = _marked_file(grades, student, handed)
        if file.order[0]:
            top = clean.file_name(file.path.split("/")[0])
            return PurePosixPath(top).stem + ".html"  # its numbers name the attachment
    return classlist.page_names[student]


def _moodle_file(name, number):
    """Return where Moodle looks for a page: it takes what stands behind the first `_` for its number."""
    return f"{clean.file_name(name).replace('_', ' ')}_{number}_assignsubmission_file_/feedback.html"


def _marked_file(grades, student, handed):
    """Return the file that was graded, or the first where none was."""
    result = grades.results.get(student) or grades.result(student)
    return handed.files[min(max(result.file, 0), len(handed.files) - 1)]


TABLES = {"Canvas": canvas, "Moodle": moodle, "Blackboard": blackboard}
