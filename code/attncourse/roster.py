"""Read the list of a class: any CSV with names, numbers or logins, such as the gradebook that a platform exports."""

import csv
import io
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from . import clean
from .model import CourseError

TESTER = "Student, Test"  # Canvas's own
TITLES = 10  # lines that may stand above the headings
DAMAGED = re.compile(r"\d(?:[.,]\d+)?[eE]\+?\d+")  # an id that a spreadsheet took for a number
WHOLE = re.compile(r"\d+[.,]0+")  # and one with places after a point
BEST = re.compile(r"\d+[.,]\d+")  # the best grade, in Moodle's worksheet
WORD = re.compile(r"[^\W_]+")
PARTICIPANT = re.compile(r"(\D*)(\d+)")  # Moodle's own identifier, in any language: Participant 123
LINES = (line.partition(": ") for line in Path(__file__).with_name("headings.txt").read_text("utf-8").splitlines()[1:])
HEADINGS: dict = defaultdict(list)  # what a column may be called: what it is to us
for _kind, _, _words in LINES:
    for _word in _words.split(" | "):
        HEADINGS["".join(filter(str.isalnum, _word.casefold()))].append(_kind)
NAMING = ("file", "name", "last", "user", "number", "login", "email", "github")


@dataclass
class Roster:
    """The table as it was read, and the people in it: {"user", "login", "name", …, "row"} each."""

    platform: str
    header: list
    rows: list
    people: list = field(default_factory=list)
    kinds: list = field(default_factory=list)
    grade: int = -1  # the column of Moodle's grades
    comments: int = -1
    damaged: list = field(default_factory=list)  # labels of people whose id a spreadsheet damaged


def read(path):
    """Return the roster in a CSV file, with any separator, in any of the usual encodings."""
    try:
        text = _text(path.read_bytes())
    except OSError as error:
        raise CourseError(f"The roster {path} cannot be read: {error.strerror}.") from None
    header, rows = _table(text)
    kinds = _kinds(header)
    roster = Roster(_platform(header, kinds), header, rows)
    if roster.platform != "Moodle":
        kinds = _as_moodle(roster, kinds)
    if not set(kinds) & set(NAMING):
        seen = ", ".join(clean.line(cell)[:40] for cell in header if cell.strip())[:300] or "nothing"
        examples = {kind: [heading for heading in HEADINGS if kind in HEADINGS[heading]][:3] for kind in NAMING}
        known = ", ".join(f"{kind} ({', '.join(headings)}, …)" for kind, headings in examples.items())
        raise CourseError(f"The roster {path} has no column that names students. Its columns are {seen}; known are "
                          f"{known}, in English and in the 20 languages of `headings.txt`.")  # fmt: skip
    if roster.platform == "Moodle":
        roster.grade = kinds.index("grade") if "grade" in kinds else roster.grade
        roster.comments = kinds.index("comments") if "comments" in kinds else -1
    roster.kinds = kinds
    for number, row in enumerate(rows):
        person = _person(row, kinds, number)
        if roster.platform == "Canvas" and (
            not (person["user"] or "damaged" in person) or person.get("name") == TESTER
        ):
            continue  # the lines for points possible, and the test student
        if person.keys() & {*NAMING} - {"user"} or person["user"]:
            roster.people.append(person)
            if person.pop("damaged", False):
                roster.damaged.append(label(person))
    return roster


def _text(data):
    """Decode a file that somebody's spreadsheet wrote."""
    if data[:4] == b"PK\x03\x04":
        raise CourseError("The roster is an Excel workbook: save it as CSV.")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
    elif data[:200].count(0) > len(data[:200]) // 4:  # UTF-16 without its mark: every other byte of ASCII is 0
        text = data.decode("utf-16-le" if data[1:200:2].count(0) >= data[:200:2].count(0) else "utf-16-be", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252" if b"\n" in data else "mac_roman", "replace")
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))


def _table(text):
    """Return (header, rows) with the separator and the line of headings under which most is known."""
    best = (-1, [], [])
    for separator in ",;\t|":
        lines = text.split("\n", 1)[1:] if text[:4].lower() == "sep=" else [text]
        try:
            rows = list(csv.reader(io.StringIO("".join(lines)), delimiter=separator))
        except csv.Error:
            continue
        for number, row in enumerate(rows[:TITLES]):
            header = [cell.strip() for cell in row]
            score = sum(kind is not None for kind in _kinds(header)) + (len(header) > 1) / 2 - number / 100
            if score > best[0]:
                best = (score, header, [row for row in rows[number + 1 :] if any(map(str.strip, row))])
    return best[1:]


def _kinds(header):
    """Return what each column is, or None. A heading that means several things means what is missing."""
    known = [HEADINGS.get("".join(filter(str.isalnum, cell.casefold())), []) for cell in header]
    last = any("last" in kinds for kinds in known)
    there = "name" if last else "first"
    return [next((kind for kind in kinds if kind != there), (kinds or [None])[0]) for kinds in known]


def _platform(header, kinds):
    names = {cell.casefold() for cell in header}
    if {"student", "id"} <= names and names & {"section", "sis login id", "sis user id"}:
        return "Canvas"
    if "user" in kinds and "grade" in kinds and "graded" in kinds:
        return "Moodle"
    if "username" in names and (names & {"availability", "last access"} or any("total pts" in n for n in names)):
        return "Blackboard"
    return ""


def _as_moodle(roster, kinds):
    """Take a table for Moodle's worksheet in a language that is not known, if its columns say so; return their kinds.

    Its first column has one word and a number in every row, its second the full name, and somewhere a column of grades,
    empty or not, stands before one with the same number in all rows: the best grade.
    """
    cells = [PARTICIPANT.fullmatch(row[0].strip()) for row in roster.rows if row]
    prefixes = {match[1] if match else None for match in cells}
    if len(prefixes) != 1 or prefixes & {None, ""} or len(roster.header) < 6:
        return kinds
    for place in reversed(range(3, len(roster.header))):  # where all grades are equal, the best grade comes after them
        values = {row[place].strip() for row in roster.rows if len(row) > place}
        if len(values) == 1 and BEST.fullmatch(*values):
            roster.platform, roster.grade = "Moodle", place - 1
            return ["user", "name", *(kind if kind not in ("user", "name") else None for kind in kinds[2:])]
    return kinds


def _person(row, kinds, number):
    """Return one person; an id that a spreadsheet damaged is left out, and reported."""
    person: dict = {"row": number}
    for kind, cell in zip(kinds, row, strict=False):
        cell = cell.strip().lstrip("#") if kind in ("number", "login", "user") else cell.strip()
        if kind in ("number", "user", "login") and DAMAGED.fullmatch(cell):
            person["damaged"] = True
        elif kind and cell:
            whole = kind in ("number", "user") and WHOLE.fullmatch(cell)
            person.setdefault(kind, cell.rstrip("0").rstrip(".,") if whole else cell)
    if "first" in person and "last" not in person and "name" in person:  # Name; Vorname
        person["last"] = person.pop("name")
    if "first" in person or "last" in person:
        person.setdefault("name", f"{person.get('last', '')}, {person.get('first', '')}".strip(", "))
    person["user"] = "".join(filter(str.isdigit, person.get("user", ""))) or person.get("user", "")
    return person


def normalized(text):
    """Normalize a name: without case, accents, spaces and punctuation."""
    parts = unicodedata.normalize("NFKD", str(text)).casefold()
    return "".join(c for c in parts if c.isalnum())


def label(person):
    """Return how a person on the roster is called in a table of grades."""
    kinds = ("login", "email", "name", "number", "user", "file", "github")
    return next(person[kind] for kind in kinds if person.get(kind))


def names(person):
    """Return the name of a person in the orders in which it is written."""
    whole = person.get("name", "")
    last, comma, first = whole.partition(",")
    parts = whole.split()
    turned = first + last if comma else " ".join(parts[-1:] + parts[:-1])
    return {normalized(whole), normalized(turned)} - {""}


def called(person):
    """Return the identifiers of one person, which unlike a name mean no other."""
    keys = {normalized(person[kind]) for kind in ("number", "login", "email", "user") if person.get(kind)}
    return (keys | {normalized(person.get("file", "").removesuffix(".ipynb"))}) - {""}


def match(roster, submissions):
    """Return ({student: person}, people without a submission, {student: why}, claims).

    Two submissions for one person belong to nobody until the instructor decides: both are graded and reported.
    """
    fits, unmatched, claims = {}, {}, []
    by_id, by_name, by_user, by_login, by_github, by_address = (defaultdict(list) for _ in range(6))
    ids = {handed.user.lstrip("0") for handed in submissions.values()} - {""}
    ids &= {person["user"].lstrip("0") for person in roster.people}  # else the school has numbers of its own
    for person in roster.people:
        for key in called(person):
            by_id[key].append(person)
        for key in names(person):
            by_name[key].append(person)
        by_user[person["user"].lstrip("0")].append(person)
        by_login[person.get("login", "").casefold()].append(person)
        by_address[normalized(person.get("email", "").partition("@")[0])].append(person)
        by_github[person.get("github", "").casefold()].append(person)
    for student, handed in sorted(submissions.items()):
        if handed.user and handed.platform in ("Canvas", "Moodle") and roster.platform == handed.platform and ids:
            several = by_user[handed.user.lstrip("0")] or _safe(by_name, handed, roster)
        elif handed.platform == "GitHub Classroom":  # students choose these logins: they match nothing else
            several = by_github.get(handed.login.casefold(), [])
        elif handed.login and by_login[handed.login.casefold()]:
            several = by_login[handed.login.casefold()]
        else:
            number = handed.user if handed.platform == "Gradescope" else ""  # others count their users for themselves
            own = {normalized(key) for key in (student, handed.login, number)} - {""}
            keys = own | {normalized(handed.name)}
            several = [person for key in sorted(keys - {""}) for person in by_id[key] * (key in own) + by_name[key]]
            several = several or [person for key in sorted(own) for person in by_address[key]]
            several = several or _within(handed.name or student, roster.people, ids=not handed.platform)
            if handed.user and not several:  # a list of numbers alone can be the platform's
                several = [person for person in by_user[handed.user.lstrip("0")] if not person.get("name")]
        rows = {person["row"]: person for person in several}
        if len(rows) == 1:
            fits[student] = several[0]
        else:
            unmatched[student] = f"fits {len(rows)} lines of the roster" if rows else "is not on the roster"
            claims += [f"{student} {unmatched[student]}."] * bool(rows)
    by_row = defaultdict(list)
    for student, person in fits.items():
        by_row[person["row"]].append(student)
    for several in by_row.values():
        if len(several) > 1:
            claims.append(f"{', '.join(several)} are all {label(fits[several[0]])} on the roster: each is graded, none "
                          "is in the table for the platform. Take the wrong ones away and run it again.")  # fmt: skip
            for student in several:
                unmatched[student] = f"is one of {len(several)} submissions for {label(fits.pop(student))}"
    taken = {person["row"] for person in fits.values()} | {row for row, several in by_row.items() if len(several) > 1}
    if roster.people and len(submissions) > 2 * len(fits) and not claims:
        columns = zip(roster.header, roster.kinds, strict=False)
        read = clean.line(", ".join(f"{cell} ({kind or 'not understood'})" for cell, kind in columns))
        claims.append(f"Of {len(submissions)} submissions only {len(fits)} are on the roster. Its columns: {read}.")
    if roster.damaged:
        claims.append("A spreadsheet has damaged ids in the roster (such as 1.2E+11); these people were looked for by "
                      f"name: {', '.join(roster.damaged[:20])}.")  # fmt: skip
    return fits, [person for person in roster.people if person["row"] not in taken], unmatched, claims


def _within(text, people, ids):
    """Return people whose number or login, or whose whole name, stands in a name among other words."""
    parts = {normalized(word) for word in WORD.findall(text)}
    known = [normalized(p[kind]) for p in people for kind in ("number", "login") if len(p.get(kind, "")) > 3]
    if ids and parts & {*known}:
        return [p for p in people if parts & {normalized(p.get("number", "")), normalized(p.get("login", ""))} - {""}]
    names = [{*map(normalized, WORD.findall(person.get("name", "")))} for person in people]
    return [person for person, name in zip(people, names, strict=True) if len(name) > 1 and name <= parts]


def _safe(by_name, handed, roster):
    """Return people of the student's name, if their own id was damaged: only then does a name stand for a number."""
    return [person for person in by_name[normalized(handed.name)] if not person["user"] and roster.damaged]
