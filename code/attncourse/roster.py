"""Read the list of a class: any CSV with names, numbers or logins, such as the gradebook that a platform exports."""

import csv
import io
import math
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
APART = re.compile(r"[\s,._-]+")  # what stands between the words of a name
PARTICIPANT = re.compile(r"\D*\s(\d+)")  # Moodle's number behind its word
WORKSHEETS = re.compile(r"\D*(\d+)\D*")  # and in its own worksheet, where some languages have no blank
STATUS = "status"  # its English heading over what Moodle says of a submission, extensions counted
LATE = re.compile(r"(?:^| - )((?:[0-9]+ (?:year|day|hour|min|sec)s? )+)late(?: - |$)")
AMOUNT = re.compile(r"\b([0-9]+) (year|day|hour|min|sec)")
SECONDS = {"year": 365 * 86400, "day": 86400, "hour": 3600, "min": 60, "sec": 1}
WHOLE = re.compile(r"\d+[.,]0{1,2}")  # and one with places after a point
NAMING = ("name", "last", "user", "number", "login", "email", "github")
IDS = ("user", "number", "login", "email")  # what of a person means no other
NUMBERS = ("number", "user", "login")
SEPARATORS = ",;\t|"


def _squeezed(heading):
    """Return a heading without case, blanks and signs."""
    return "".join(filter(str.isalnum, heading.casefold()))


def _headings():
    """Return {what a column may be called: what it can be to us}."""
    known = defaultdict(list)
    lines = Path(__file__).with_name("headings.txt").read_text("utf-8").splitlines()
    for line in lines[1:]:
        kind, _, words = line.partition(": ")
        for word in words.split(" | "):
            known[_squeezed(word)].append(kind)
    return known


HEADINGS = _headings()


@dataclass
class Roster:
    """The table as it was read, and the people in it: {"user", "login", "name", …, "rows"} each."""

    platform: str
    header: list
    rows: list
    people: list = field(default_factory=list)
    kinds: list = field(default_factory=list)
    damaged: list = field(default_factory=list)  # labels of people whose id a spreadsheet damaged


def read(path):
    """Return the roster in a CSV file, with any separator, in any of the usual encodings."""
    header, rows = _table(_text(path, "The roster"))
    kinds = _kinds(header)
    if not set(kinds) & set(NAMING):
        raise CourseError(_names_nobody(path, header))
    roster = Roster(_platform(header, kinds), header, rows, kinds=kinds)
    for number, row in enumerate(rows):
        person = _person(row, kinds, number, roster.platform)
        damaged = person.pop("damaged", False)
        if [cell.strip() for cell in row] == header:  # of a table that was put together from several
            continue
        if roster.platform == "Canvas" and not (person["user"] or damaged):  # such as the line of points possible
            continue
        if roster.platform == "Canvas" and person.get("name") == TESTER:
            continue
        if not person["user"] and not person.keys() & {*NAMING} - {"user"}:
            continue
        if damaged:
            roster.damaged.append(label(person))
        _join(roster, person)
    return roster


def _names_nobody(path, header):
    """Say that no column of a table names students, and which would."""
    seen = ", ".join(clean.line(cell)[:40] for cell in header if cell.strip())[:300] or "nothing"
    examples = {kind: [heading for heading in HEADINGS if kind in HEADINGS[heading]][:3] for kind in NAMING}
    known = ", ".join(f"{kind} ({', '.join(headings)}, …)" for kind, headings in examples.items())
    return (
        f"The roster {path} has no column that names students. Its columns are {seen}; known are {known}, "
        "in English and in the 20 languages of `headings.txt`."
    )


def cells(path, what):
    """Return the rows of a CSV file, with any separator; `what` begins the sentence that says why it is none.

    `path` may be anything with a name and `read_bytes`, such as a file in a zip.
    """
    text = _text(path, what)
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(map(str.strip, row))]
    except csv.Error as error:
        raise CourseError(f"{what} {path} is no CSV: {error}.") from None
    if not rows:
        raise CourseError(f"{what} {path} is empty.")
    return rows


def _join(roster, person):
    """Add a person to a roster, or a line to the one who is there: same name, an id in common, and none that differs.

    Who is in two sections stands on two lines.
    """
    for other in roster.people:
        shared = {kind for kind in IDS if person.get(kind) and other.get(kind)}
        if shared and all(person[kind] == other[kind] for kind in shared) and names(person) == names(other):
            other["rows"] += person["rows"]
            return
    roster.people.append(person)


def _text(path, what):
    """Read and decode a file that somebody's spreadsheet wrote."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CourseError(f"{what} {path} cannot be read: {error.strerror}.") from None
    if data[:4] == b"PK\x03\x04":
        raise CourseError(f"{what} {path} is an Excel workbook: save it as CSV.")
    text = _decoded(data).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return unicodedata.normalize("NFC", text)


def _decoded(data):
    """Return the text of a file in whatever encoding a spreadsheet chose."""
    start = data[:200]
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if start.count(0) > len(start) // 4:  # UTF-16 without its mark: every other byte of ASCII is 0
        little = start[1::2].count(0) >= start[::2].count(0)
        return data.decode("utf-16-le" if little else "utf-16-be", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252" if b"\n" in data else "mac_roman", "replace")


def _table(text):
    """Return (header, rows) with the separator and the line of headings under which most is known."""
    lines = text.split("\n", 1)[1:] if text[:4].lower() == "sep=" else [text]
    best, header, below = -1, [], []
    for separator in SEPARATORS:
        try:
            rows = list(csv.reader(io.StringIO("".join(lines)), delimiter=separator))
        except csv.Error:
            continue
        for number, row in enumerate(rows[:TITLES]):
            headings = [cell.strip() for cell in row]
            known = sum(kind is not None for kind in _kinds(headings))
            score = known + (0.5 if len(headings) > 1 else 0) - number / 100
            if score > best:
                best, header, below = score, headings, rows[number + 1 :]
    return header, [row for row in below if any(map(str.strip, row))]


def _kinds(header):
    """Return what each column is, or None. A heading that means several things means what is missing."""
    known = [HEADINGS.get(_squeezed(cell), []) for cell in header]
    there = "name" if any("last" in kinds for kinds in known) else "first"
    return [_kind(kinds, there) for kinds in known]


def _kind(kinds, there):
    """Return the first of the things that a heading means which is not there already."""
    missing = [kind for kind in kinds if kind != there]
    return next(iter(missing or kinds), None)


def _platform(header, kinds):
    """Return whose export a table is, or ""."""
    headings = {cell.casefold() for cell in header}
    named = "student" in headings or {"lastname", "firstname"} <= headings
    if named and "id" in headings and headings & {"section", "sis login id", "sis user id"}:
        return "Canvas"
    if "user" in kinds and "grade" in kinds and "graded" in kinds:
        return "Moodle"
    total = any("total pts" in heading for heading in headings)
    if "username" in headings and (headings & {"availability", "last access"} or total):
        return "Blackboard"
    return ""


def _person(row, kinds, number, platform):
    """Return one person; an id that a spreadsheet damaged is left out, and reported."""
    person: dict = {"rows": [number]}
    for kind, cell in zip(kinds, row, strict=False):
        cell = cell.strip().lstrip("#") if kind in NUMBERS else cell.strip()
        if kind in NUMBERS and DAMAGED.fullmatch(cell):
            person["damaged"] = True
        elif kind and cell:
            whole = kind in ("number", "user") and WHOLE.fullmatch(cell)
            person.setdefault(kind, cell.rstrip("0").rstrip(".,") if whole else cell)
    if "first" in person and "last" not in person and "name" in person:  # Name; Vorname
        person["last"] = person.pop("name")
    if "first" in person or "last" in person:
        person.setdefault("name", f"{person.get('last', '')}, {person.get('first', '')}".strip(", "))
    said = person.get("user", "")
    moodles = (WORKSHEETS if platform == "Moodle" else PARTICIPANT).fullmatch(said)
    person["user"] = moodles[1] if moodles else said
    return person


def status(people, person):
    """Return what Moodle's grading worksheet in English says of a person's submission, "" where nothing does."""
    places = [place for place, name in enumerate(people.header) if name.strip().casefold() == STATUS]
    if people.platform != "Moodle" or len(places) != 1:
        return ""
    rows = [people.rows[number] for number in person.get("rows", [])]
    return next((row[places[0]].strip() for row in rows if places[0] < len(row)), "")


def days_late(said):
    """Return the days begun that a status of Moodle's says, None where it is not understood.

    Moodle leaves out what is smaller than the second unit, such as minutes beside days: these begin no other day.
    """
    late = LATE.search(said)
    if late is None:
        return None
    return math.ceil(sum(int(number) * SECONDS[unit] for number, unit in AMOUNT.findall(late[1])) / SECONDS["day"])


def normalized(text):
    """Normalize a name: without case, accents, spaces and punctuation; vowels that are marks stay."""
    return "".join(filter(_stays, unicodedata.normalize("NFKD", str(text)).casefold()))


def _stays(letter):
    """Return whether a sign belongs to a name: a letter, a digit, or a vowel that is written as a mark."""
    accent = "\u0300" <= letter <= "\u036f"
    return letter.isalnum() or (unicodedata.category(letter)[0] == "M" and not accent)


def spelled(text):
    """Return a name as `normalized` does, word for word."""
    return " ".join(filter(None, map(normalized, APART.split(str(text)))))


def label(person):
    """Return how a person on the roster is called in a table of grades."""
    kinds = ("login", "email", "name", "number", "user", "github")
    return next(person[kind] for kind in kinds if person.get(kind))


def names(person, form=normalized):
    """Return the name of a person in the orders in which it is written, also with the name that the person prefers."""
    whole, preferred = person.get("name", ""), person.get("preferred", "")
    before, comma, behind = whole.partition(",")
    words = whole.split()
    last, first = (before, behind) if comma else (" ".join(words[-1:]), " ".join(words[:-1]))
    known = {whole, f"{first} {last}", f"{last} {first}"}
    if preferred:
        known |= {preferred, f"{preferred} {last}", f"{last} {preferred}"}
    return {*map(form, known)} - {""}


def called(person):
    """Return the identifiers of one person, which unlike a name mean no other."""
    return {normalized(person[kind]) for kind in IDS if person.get(kind)} - {""}
