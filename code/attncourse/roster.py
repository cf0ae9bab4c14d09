"""Read the list of a class: any CSV with names, numbers or logins, such as the gradebook that a platform exports."""

import csv
import io
import re
import unicodedata
from dataclasses import dataclass, field

from . import author

COLUMNS = {  # what a column is called: what it is to us
    "file": "file", "student": "name", "name": "name", "full name": "name", "fullname": "name",
    "id": "user", "identifier": "user", "user id": "user", "student id": "number", "sis user id": "number",
    "id number": "number", "sis login id": "login", "username": "login", "login": "login", "login id": "login",
    "user name": "login", "email": "email", "email address": "email", "e-mail": "email", "first name": "first",
    "last name": "last", "surname": "last",
}  # fmt: skip


@dataclass
class Roster:
    """The table as it was read, and the people in it: {"user", "login", "name", …, "row"} each."""

    platform: str
    header: list
    rows: list
    people: list = field(default_factory=list)


def read(path):
    """Return the roster in a CSV file; commas, semicolons or tabs, UTF-8, UTF-16 or Windows' own encoding."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise author.CourseError(f"The roster {path} cannot be read: {error.strerror}.") from None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", "replace")
    text = unicodedata.normalize("NFC", text)
    first = text.partition("\n")[0]
    rows = list(csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count)))
    header = [cell.strip() for cell in rows[0]] if rows else []
    kinds = [COLUMNS.get(cell.casefold()) for cell in header]
    if not set(kinds) - {None, "first"}:
        raise author.CourseError(f"The roster {path} has no column that names students, such as name, login or email.")
    roster = Roster(_platform(header), header, rows[1:])
    for number, row in enumerate(roster.rows):
        person: dict = {"row": number}
        for kind, cell in zip(kinds, row, strict=False):
            if kind and cell.strip():
                person.setdefault(kind, cell.strip())
        if "first" in person or "last" in person:
            person.setdefault("name", f"{person.get('last', '')}, {person.get('first', '')}".strip(", "))
        person["user"] = re.sub(r"^\D+", "", person["user"]) if "user" in person else ""  # Moodle: Participant 123
        if roster.platform == "canvas" and (not person["user"] or person.get("name") == "Student, Test"):
            continue  # the lines for points possible, and Canvas's own test student
        if person.keys() & {"name", "login", "email", "number", "file"} or person["user"]:
            roster.people.append(person)
    return roster


def _platform(header):
    names = {cell.casefold() for cell in header}
    if {"student", "id"} <= names and names & {"section", "sis login id", "sis user id"}:
        return "canvas"
    if "identifier" in names and "grade" in names:
        return "moodle"
    if "username" in names and (names & {"availability", "last access"} or any("total pts" in n for n in names)):
        return "blackboard"
    return "plain"


def normalized(text):
    """Normalize a name: without case, accents, spaces and punctuation."""
    parts = unicodedata.normalize("NFKD", str(text)).casefold()
    return "".join(c for c in parts if c.isalnum())


def label(person):
    """Return how a person on the roster is called in a table of grades."""
    return next(person[kind] for kind in ("login", "email", "name", "number", "user", "file") if person.get(kind))


def names(person):
    """Return the name of a person in the orders in which it is written."""
    whole = person.get("name", "")
    last, comma, first = whole.partition(",")
    words = whole.split()
    turned = first + last if comma else " ".join(words[-1:] + words[:-1])
    return {normalized(whole), normalized(turned)} - {""}


def called(person):
    """Return the identifiers of one person, which unlike a name mean no other."""
    keys = {normalized(person[kind]) for kind in ("file", "number", "login", "email", "user") if person.get(kind)}
    return (keys | {normalized(person.get("email", "").partition("@")[0])}) - {""}


def match(roster, found):
    """Return ({student: person}, people without a submission, {student: why the file belongs to nobody}).

    Of two files for one person the newer counts.
    """
    matched, strangers = {}, {}
    users = any(person["user"] for person in roster.people)
    logins = any(person.get("login") for person in roster.people)
    for student, handed in sorted(found.items(), key=lambda item: (item[1].time, item[0]), reverse=True):
        if handed.user and users:
            fits = [person for person in roster.people if person["user"] == handed.user]
        elif handed.login and logins:
            fits = [person for person in roster.people if person.get("login", "").casefold() == handed.login.casefold()]
        else:
            own = {normalized(student), normalized(handed.login)} - {""}
            fits = [person for person in roster.people if own & called(person)]
            own.add(normalized(handed.name))
            fits = fits or [person for person in roster.people if own & names(person)]
        if len(fits) == 1 and any(person["row"] == fits[0]["row"] for person in matched.values()):
            strangers[student] = f"is an older file of {label(fits[0])}"
        elif len(fits) == 1:
            matched[student] = fits[0]
        else:
            strangers[student] = f"fits {len(fits)} lines of the roster" if fits else "is not on the roster"
    there = {person["row"] for person in matched.values()}
    return matched, [person for person in roster.people if person["row"] not in there], strangers
