"""Read the names in a download: what of a name the platform wrote, in every way in which that can be read.

A platform puts a student's display name, its own numbers and the name of the student's file into one name, and the
student chooses two of these three. So a name may have several readings, and nothing in it says which one is true.
Every function here returns all of them; `downloads` decides, or claims. A platform's names are written as patterns,
in which ``{field}`` stands for text and what stands in brackets may be missing. An instructor's own pattern is written
in the same way.

* Canvas, `lib/content_zipper.rb`: `<name>_[LATE_]<user>_<attachment>_<file>`, for anonymous assignments `anon_<code>`
  in the place of name and user, and `…_text.html` or `…_link.html` for what is no file. The name is in small letters
  and keeps letters, marks, digits and `_` of every script. In a group assignment it is the name of the group.
* Moodle, `mod/assign/locallib.php`: a folder `<full name>_<user>_assignsubmission_<plugin>`, since 4.1 without the `_`
  at its end; the same in front of the file where folders are switched off. A `_` in a full name becomes
  a blank, but not in every version.
* Gradescope's export: `submission_<number>/`, whose submitters stand in `submission_metadata.yml`.
"""

import functools
import itertools
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from .model import CourseError

LONGEST = 1000  # characters of a name that is read
MOST = 1000  # readings of one name that are looked for; a name with so many is uncertain whatever they say
FIELD, OPTIONAL = re.compile(r"\{([^{}]*)\}"), re.compile(r"\[([^\[\]]*)\]")
KINDS = {  # what a field can be
    "student": re.compile(r"(?s).+"),
    "github": re.compile(r"[A-Za-z0-9-]+"),  # a login that the student chose: it is compared with no other column
    "name": re.compile(r"(?s).+"),
    "number": re.compile(r"[0-9]+"),
    "time": re.compile(r"[0-9]{4}(?:[^0-9A-Za-z]?[0-9]{2}){4,5}"),
    "file": re.compile(r"(?s).+"),
    "any": re.compile(r"(?s).*"),
}
OWN = KINDS | {  # and only in the patterns of this module
    "small": re.compile(r"[^A-Z\x00-/:-@\[-^`{-\x7f]*"),  # of ASCII, Canvas leaves small letters, digits and _
    "number": re.compile("[1-9][0-9]*"),  # of a platform's database: a date such as 2026_03_01 has other ones
    "late": re.compile("LATE"),
    "code": re.compile("[A-Za-z0-9]+"),
    "order": re.compile("[1-9][0-9]*"),
    "plugin": re.compile("[a-z]+"),
}
MORE = {  # what would go on: a number or a time is never cut, neither before its first digit nor behind its last
    "number": re.compile(r"[0-9]"),
    "order": re.compile(r"[0-9]"),
    "time": re.compile(r"[^0-9A-Za-z]?[0-9]{2}|[0-9]"),
}
CANVAS = ("{small}_[{late}_]{number}_{order}_{file}", "[{late}_]anon_{code}_{order}_{file}")
CANVAS_NO_FILE = {
    "text": ("{small}_[{late}_]{number}_text.html", "[{late}_]anon_{code}_text.html"),
    "a link": ("{small}_[{late}_]{number}_link.html", "[{late}_]anon_{code}_link.html"),
}
MOODLE_FOLDER = "{name}_{number}_assignsubmission_{plugin}[_]"
MOODLE_FLAT = "{name}_{number}_assignsubmission_{plugin}_{file}"
GRADESCOPE = re.compile(r"submission_([0-9]+)")
STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?[ ]?(Z|UTC|[+-]\d\d:?\d\d)?")
TIME = "%Y-%m-%d-%H-%M-%S"


@dataclass(frozen=True)
class Reading:
    """One way to read the name of a file."""

    student: str  # the name under which the grade is written
    user: str = ""  # the platform's number of the student
    login: str = ""
    name: str = ""
    late: bool | None = None  # None where the platform's names never say
    time: str = ""  # year-month-day-hour-minute-second, if the name says when the file arrived; with a Z in UTC
    order: int = 0  # of two files, the newer has the larger
    file: str = ""  # the student's own name of it
    instead: str = ""  # what was handed in and is no file
    github: bool = False  # the login is GitHub's
    team: str = ""  # what several students handed in together

    @property
    def key(self):
        """Return what is the same for files of one student and for no other's."""
        return (self.user or self.login or self.student, self.team)

    @property
    def says(self):
        """Return what matters: whose the file is, whether it is late, and when it came."""
        return (*self.key, self.late, self.time)


@functools.cache
def forms(pattern):
    """Return every form of a pattern without its brackets, each a list: text, field, text, field, …, text."""
    pieces = OPTIONAL.split(pattern)
    optional = [("", piece) if number % 2 else (piece,) for number, piece in enumerate(pieces)]
    return [FIELD.split("".join(chosen)) for chosen in itertools.product(*optional)]


def split(pattern, text, kinds=OWN):
    """Return every way to split a text as a pattern says, {field: value} each, but never more than `MOST`."""
    found: list = []
    if len(text) <= LONGEST:
        for form in forms(pattern):
            _split(form, text, kinds, found)
    return found


def _split(form, text, kinds, found):
    """Add to `found` the ways to split a text as one form says: text, field, text, field, …, text."""
    hopeless = set()  # (part, place) from which there is no way to the end
    values: dict = {}

    def follow(part, place):
        before = len(found)
        literal = form[part]
        if text.startswith(literal, place) and len(found) < MOST:
            place += len(literal)
            if part == len(form) - 1:
                if place == len(text):
                    found.append(dict(values))
            elif (part, place) not in hopeless:
                for end in _ends(form, part, text, place):
                    field = form[part + 1]
                    if kinds[field].fullmatch(text, place, end) and _whole(field, text, place, end):
                        values[field] = text[place:end]
                        follow(part + 2, end)
                if len(found) == before:
                    hopeless.add((part, place))

    follow(0, 0)


def _whole(field, text, place, end):
    """Return whether a field that is a number or a time is not a part of one."""
    if field not in MORE:
        return True
    longest = field == "time" and sum(map(str.isdigit, text[place:end])) == 14
    return not text[place - 1 : place].isdigit() and (longest or not MORE[field].match(text, end))


def _ends(form, part, text, place):
    """Yield where the field behind a part may end: at its next text, or at the end of everything."""
    literal = form[part + 2]
    if part + 2 == len(form) - 1:
        last = len(text) - len(literal)
        if last >= place:
            yield last
        return
    end = text.find(literal, place)
    while end >= 0:
        yield end
        end = text.find(literal, end + 1)


def canvas(parts):
    """Return the readings of a name of Canvas's."""
    if len(parts) > 1:
        return []
    found = [(fields, "") for pattern in CANVAS for fields in split(pattern, parts[0])]
    for instead, patterns in CANVAS_NO_FILE.items():
        found += [(fields, instead) for pattern in patterns for fields in split(pattern, parts[0])]
    readings = []
    for fields, instead in found:
        name, order = fields.get("small", ""), int(fields.get("order", 0))
        user = fields.get("number") or f"anon_{fields['code']}"
        label = f"{name}_{user}".lstrip("_")
        file, late = fields.get("file", ""), "late" in fields
        readings.append(Reading(label, user, name=name, late=late, order=order, file=file, instead=instead))
    return readings


def moodle(parts):
    """Return the readings of a name of Moodle's."""
    readings = []
    for fields in split(MOODLE_FOLDER if len(parts) > 1 else MOODLE_FLAT, parts[0]):
        name, user = fields["name"], fields["number"]
        instead = "text" if fields["plugin"] == "onlinetext" else ""
        readings.append(Reading(f"{name}_{user}", user, name=name, file=fields.get("file", ""), instead=instead))
    return readings


def gradescope(parts):
    """Return the reading of a name of Gradescope's; who submitted stands in another file."""
    match = GRADESCOPE.fullmatch(parts[0]) if len(parts) > 1 else None
    return [Reading(parts[0], team=match[1])] if match else []


READERS = {"Moodle": moodle, "Canvas": canvas, "Gradescope": gradescope}


def reader(entries):
    """Return the platform's title, or "", and what reads the parts of a path: all readings, [] for another's name."""
    tops = {parts[0] for parts in entries}
    matches = {title: len({parts[0] for parts in entries if read(parts)}) for title, read in READERS.items()}
    title = max(READERS, key=lambda title: matches[title])
    if 2 * matches[title] > len(tops):
        return title, READERS[title]
    return "", lambda parts: []


def by_pattern(pattern):
    """Return what reads the parts of a path as an instructor's pattern says.

    The pattern has as many parts between slashes as matter; a file may lie deeper.
    """
    wanted = pattern.split("/")
    fields = FIELD.findall(pattern)
    texts = "".join(text for part in wanted for form in forms(part) for text in form[::2])
    if not {*fields} <= {*KINDS} or {*"[]{}"} & {*texts}:
        known = ", ".join(f"{{{kind}}}" for kind in KINDS)
        raise CourseError(
            f"The pattern {pattern} is not understood: in it may stand {known}, and in brackets what may be missing."
        )
    if not {"student", "number", "name", "github"} & {*fields}:
        raise CourseError(f"The pattern {pattern} does not say whose a file is, for example by {{student}}.")
    if any(fields.count(field) > 1 for field in fields if field != "any"):
        raise CourseError(f"The pattern {pattern} has a field twice; only {{any}} may be.")

    def read(parts):
        if len(parts) < len(wanted):
            return []
        ways = [split(part, text, KINDS) for part, text in zip(wanted, parts, strict=False)]
        chosen = itertools.islice(itertools.product(*ways), MOST)
        return [_of_fields({field: value for way in several for field, value in way.items()}) for several in chosen]

    return read


def _of_fields(fields):
    """Return the reading of an instructor's pattern."""
    github, user, name = (fields.get(kind, "") for kind in ("github", "number", "name"))
    login = github or fields.get("student", "")
    digits = "".join(filter(str.isdigit, fields.get("time", "")))
    pairs = [digits[:4], *(digits[at : at + 2] for at in range(4, len(digits), 2))]
    time = "-".join([*pairs, "00"][:6]) if digits else ""
    return Reading(
        login or user or name,
        user,
        login,
        name,
        time=time,
        file=fields.get("file", "").lstrip("_ "),
        github=bool(github),
    )


def submitters(text):
    """Return {submission number: ([{"name", "email", "sid"}, …], time)} from Gradescope's metadata, line by line.

    Names stand at fixed columns; what a student's program printed stands deeper, and is not read.
    """
    submissions: dict = {}
    current: list = []
    people = False
    for line in text.splitlines():
        key, _, value = line.partition(":") if not line.startswith("-") else ("", "", "")
        if GRADESCOPE.fullmatch(key):
            current, people = submissions.setdefault(key[11:], [[], ""]), False
        elif current and line.startswith("  :"):
            name, _, value = line[3:].partition(":")
            people = name == "submitters"
            if name == "created_at":
                current[1] = _utc(value.strip().strip("'\""))
        elif people and line.startswith(("  - :", "    :")):
            name, _, value = line[5:].partition(":")
            if line.startswith("  - :"):
                current[0].append({})
            if current[0] and name in ("name", "email", "sid"):
                current[0][-1][name] = value.strip().strip("'\"")[:200]
    return submissions


def submitted(reading, known):
    """Return a reading of Gradescope's once for each student who submitted it; `known` is what `submitters` found."""
    people, moment = known.get(reading.team, ([], ""))
    return [_by(person, reading, moment) for person in people] or [reading]


def _by(person, reading, moment):
    """Return a reading of Gradescope's with one of the students who submitted it."""
    address, number, name = (person.get(what, "") for what in ("email", "sid", "name"))
    student = address or number or name or reading.student
    return replace(reading, student=student, login=address, user=number, name=name, time=moment)


def _utc(text):
    """Return a moment such as `2026-03-02 05:00:00.5 -08:00` in UTC, with a `Z`; without a zone, as it is there."""
    match = STAMP.match(text)
    if not match:
        return ""
    zone = (match[3] or "").replace("UTC", "+00:00").replace("Z", "+00:00")
    try:
        moment = datetime.fromisoformat(f"{match[1]} {match[2]}{zone}")
    except ValueError:
        return ""
    return moment.astimezone(UTC).strftime(f"{TIME}Z") if zone else moment.strftime(TIME)
