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
AMOUNT = re.compile("([0-9]+) (year|day|hour|min|sec)")
SECONDS = {"year": 365 * 86400, "day": 86400, "hour": 3600, "min": 60, "sec": 1}
WHOLE = re.compile(r"\d+[.,]0{1,2}")  # and one with places after a point
LINES = (line.partition(": ") for line in Path(__file__).with_name("headings.txt").read_text("utf-8").splitlines()[1:])
HEADINGS: dict = defaultdict(list)  # what a column may be called: what it is to us
for _kind, _, _words in LINES:
    for _word in _words.split(" | "):
        HEADINGS["".join(filter(str.isalnum, _word.casefold()))].append(_kind)
NAMING = ("name", "last", "user", "number", "login", "email", "github")
IDS = ("user", "number", "login", "email")  # what of a person means no other
NUMBERS = ("number", "user", "login")


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
        seen = ", ".join(clean.line(cell)[:40] for cell in header if cell.strip())[:300] or "nothing"
        examples = {kind: [heading for heading in HEADINGS if kind in HEADINGS[heading]][:3] for kind in NAMING}
        known = ", ".join(f"{kind} ({', '.join(headings)}, …)" for kind, headings in examples.items())
        raise CourseError(f"The roster {path} has no column that names students. Its columns are {seen}; known are "
                          f"{known}, in English and in the 20 languages of `headings.txt`.")  # fmt: skip
    roster = Roster(_platform(header, kinds), header, rows, kinds=kinds)
    for number, row in enumerate(rows):
        person = _person(row, kinds, number, roster.platform)
        if [cell.strip() for cell in row] == header:  # of a table that was put together from several
            continue
        if roster.platform == "Canvas" and (
            not (person["user"] or "damaged" in person) or person.get("name") == TESTER
        ):
            continue  # the lines for points possible, and the test student
        if person.keys() & {*NAMING} - {"user"} or person["user"]:
            damaged = person.pop("damaged", False)
            if damaged:
                roster.damaged.append(label(person))
            _join(roster, person)
    return roster


def cells(path, what):
    """Return the rows of a CSV file, with any separator; `what` begins the sentence that says why it is none."""
    text = _text(path, what)
    separator = max(",;\t|", key=text.partition("\n")[0].count)
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
    parts = unicodedata.normalize("NFKD", str(text)).casefold()
    return "".join(
        c for c in parts if c.isalnum() or (unicodedata.category(c)[0] == "M" and not "\u0300" <= c <= "\u036f")
    )


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


@dataclass
class Index:
    """The people of a roster by what names them."""

    platform: str
    by_id: dict = field(default_factory=lambda: defaultdict(list))
    by_kind: dict = field(default_factory=lambda: defaultdict(list))  # (kind, identifier) as it is typed
    by_words: dict = field(default_factory=lambda: defaultdict(list))
    by_name: dict = field(default_factory=lambda: defaultdict(list))  # whose words are not told apart
    by_user: dict = field(default_factory=lambda: defaultdict(list))
    by_login: dict = field(default_factory=lambda: defaultdict(list))
    by_github: dict = field(default_factory=lambda: defaultdict(list))
    by_address: dict = field(default_factory=lambda: defaultdict(list))


def index(roster):
    """Return the `Index` of a roster."""
    known = Index(roster.platform)
    for person in roster.people:
        for key in called(person):
            known.by_id[key].append(person)
        for kind in IDS:
            if person.get(kind):
                known.by_kind[kind, _typed(person[kind])].append(person)
        for key in names(person, spelled):
            known.by_words[key].append(person)
        for key in names(person):
            known.by_name[key].append(person)
        if person["user"]:
            known.by_user[person["user"].lstrip("0")].append(person)
        for kind, people in (("login", known.by_login), ("github", known.by_github)):
            if person.get(kind):
                people[person[kind].casefold()].append(person)
        address = normalized(person.get("email", "").partition("@")[0])
        if address:
            known.by_address[address].append(person)
    return known


def called_so(known, text):
    """Return the people whom a text means: by an identifier, else by all words of a name.

    Without its blanks, a name is no more certain than what stands before an `@`: `lina` may be Li Na or Lina.
    """
    key = normalized(text)
    sure = known.by_id.get(key) or (" " in spelled(text) and known.by_words.get(spelled(text)))
    return _once(sure or known.by_name.get(key, []) + known.by_address.get(key, []))


def named_so(known, name):
    """Return the people whose whole name a display name is; it is never compared with an identifier.

    A student chooses it, and may choose the number, the username or the address of another one.
    """
    return _once(known.by_words.get(spelled(name), []) or known.by_name.get(normalized(name), []))


def identified_so(known, kinds, text):
    """Return the people of whom one of these kinds of identifiers is a text, whole."""
    return _once([person for kind in kinds for person in known.by_kind.get((kind, _typed(text)), [])])


def _typed(text):
    """Return an identifier without case and the blanks around it; of a number, without zeros before it."""
    plain = unicodedata.normalize("NFC", str(text)).strip().casefold()
    return plain.lstrip("0") or plain if plain.isdecimal() else plain


def persons(known, title, one):
    """Return the people whom a reading of a name, or a submission, can mean.

    Where the roster is the platform's own, its number decides. Elsewhere others count their users for themselves, so
    that a number says something only if the roster has no names, or if an instructor's pattern calls it a number. What
    a platform calls a name is compared with names alone, an address with addresses, a number with numbers.
    """
    if title in ("Canvas", "Moodle") and known.platform == title:
        return known.by_user.get(one.user.lstrip("0"), [])
    if one.github:  # students choose these logins: they match nothing else
        return known.by_github.get(one.login.casefold(), [])
    if title in ("Canvas", "Moodle"):
        several = named_so(known, one.name) if one.name else []
        return several or [person for person in known.by_user.get(one.user.lstrip("0"), []) if not person.get("name")]
    if title == "Gradescope":  # its address, number and name: the first that is on the roster
        told = ((one.login, ("email", "login")), (one.user, NUMBERS))
        known_by = (identified_so(known, kinds, text) for text, kinds in told if text)
        return next(filter(None, known_by), None) or (named_so(known, one.name) if one.name else [])
    if one.login and known.by_login.get(one.login.casefold()):
        return known.by_login[one.login.casefold()]
    if one.user:
        return identified_so(known, NUMBERS, one.user)
    if one.name and not one.login:  # a pattern that knows the display name only
        return named_so(known, one.name)
    return called_so(known, one.login or one.student)


def _once(people):
    """Return people without those who are there already."""
    return [person for number, person in enumerate(people) if not any(person is other for other in people[:number])]


def numbered(roster, handed):
    """Return whether a platform's number says whose a submission is, whatever names are on a roster of another's."""
    return handed.platform in ("Canvas", "Moodle") and bool(handed.user) and roster.platform != handed.platform


def match(roster, submissions):
    """Return ({student: person}, people without a submission, {student: why}, claims).

    Two submissions for one person belong to nobody until the instructor decides: both are graded and reported.
    """
    fits, unmatched, claims, known = {}, {}, [], index(roster)
    for student, handed in sorted(submissions.items()):
        if handed.claim:
            unmatched[student] = handed.claim
            continue
        several = persons(known, handed.platform, handed)
        if len(several) == 1:
            fits[student] = several[0]
        else:
            unmatched[student] = f"fits {len(several)} lines of the roster" if several else "is not on the roster"
            claims += [f"{student} {unmatched[student]}."] * bool(several)
    by_person = defaultdict(list)
    for student, person in fits.items():
        by_person[person["rows"][0]].append(student)
    taken = {*by_person}
    for several in by_person.values():
        if len(several) > 1:
            own = all(numbered(roster, submissions[student]) for student in several)
            where = "each is in the platform's table under its own number" if own else "none is in the platform's table"
            claims.append(f"{', '.join(several)} are all {label(fits[several[0]])} on the roster: each is graded, "
                          f"{where}. Take the wrong ones away and run it again.")  # fmt: skip
            for student in several:
                unmatched[student] = f"is one of {len(several)} submissions for {label(fits.pop(student))}"
    if roster.people and len(submissions) > 2 * len(fits) and not claims:
        columns = zip(roster.header, roster.kinds, strict=False)
        read = clean.line(", ".join(f"{cell} ({kind or 'not understood'})" for cell, kind in columns))
        claims.append(f"Of {len(submissions)} submissions only {len(fits)} are on the roster. Its columns: {read}.")
    if roster.damaged:
        claims.append("A spreadsheet has damaged numbers in the roster (such as 1.2E+11). Export it again, and do not "
                      f"open it: {', '.join(roster.damaged[:20])}.")  # fmt: skip
    return fits, [person for person in roster.people if person["rows"][0] not in taken], unmatched, claims
