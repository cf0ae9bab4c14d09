"""Read `submissions.csv`: whose files are where their names do not say, or do not say it in one way only.

What the table says of a file is believed; what it leaves open, the name says.
"""

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, replace

from . import clean, roster, whose
from .model import CourseError
from .submissions import Submission, file_of, ordered

TABLE = "submissions.csv"
NO_DIGITS, MOMENT = re.compile("[^0-9]+"), re.compile("[0-9]{4}(?:-[0-9]{2}){4,5}")
YES = {"yes": True, "true": True, "1": True, "late": True, "no": False, "false": False, "0": False, "": None}


@dataclass(frozen=True)
class Line:
    """A line of `submissions.csv`: a file or folder of the download, and the student whose it is."""

    file: str
    student: str
    time: str = ""
    late: bool | None = None


def read(path):
    """Return the lines of a table with the columns `file` and `student`, and if need be `time` and `late`."""
    header, *rows = roster.cells(path, "The table")
    places = {name.strip().casefold(): place for place, name in enumerate(header)}
    if not {"file", "student"} <= places.keys():
        raise CourseError(f"The table {path} needs the columns file and student; it has {', '.join(header)[:200]}.")
    lines = []
    for number, row in enumerate(rows, 2):
        told = {name: row[place].strip() if place < len(row) else "" for name, place in places.items()}
        if not told["file"] or not told["student"]:
            raise CourseError(f"The table {path}, line {number}: it names no file, or no student.")
        late, time = told.get("late", "").casefold(), NO_DIGITS.sub("-", told.get("time", ""))
        if late not in YES:
            raise CourseError(f"The table {path}, line {number}: late is {told['late']!r}, neither yes nor no.")
        if told.get("time") and not MOMENT.fullmatch(time):
            raise CourseError(f"The table {path}, line {number}: time is {told['time']!r}, not 2026-03-01 23:59.")
        if time.count("-") == 4:  # without seconds
            time += "-59"
        file = told["file"].replace("\\", "/").strip("/")
        lines.append(Line(file, told["student"], time, YES[late]))
    return lines


def divide(table, entries, claims):
    """Return ([(Line, [Entry, …]), …], entries of which the table says nothing); a line without a file is claimed.

    CourseError where lines of one file differ in when it came.
    """
    told, lines_of = [], defaultdict(list)
    for line in table:
        wanted = _composed(line.file)
        own = [entry for entry in entries if (_composed(entry.path) + "/").startswith(wanted + "/")]
        own = own or [entry for entry in entries if _inside(wanted, _composed(entry.path))]
        if own:
            told.append((line, own))
            for entry in own:
                lines_of[entry.path].append(line)
        else:
            claims.append(f"{clean.line(line.file)} is in {TABLE}, and not in the download.")
    for path, lines in lines_of.items():
        for what in ("late", "time"):
            if len({getattr(line, what) for line in lines}) > 1:
                whose = ", ".join(clean.line(line.student) for line in lines)
                raise CourseError(
                    f"The table's lines for {clean.line(path)} ({whose}) differ in the column {what}: these students "
                    "handed it in together, so write the same in each."
                )
    return told, [entry for entry in entries if entry.path not in lines_of]


def _inside(wanted, path):
    """Return whether a path is the wanted one, or lies in it, when the wanted one begins with the outer folder."""
    return any(f"{path}/".startswith(f"{rest}/") for rest in [wanted.partition("/")[2]] if rest)


def _composed(text):
    return unicodedata.normalize("NFC", text)


def join_submissions(told, submissions, title, readings_of, people):
    """Return submissions with the files of which a table says whose they are.

    They join the other files of the student whom the table names as the download or the roster does. A file that
    several lines name was handed in by these students together.
    """
    known = whose.Index(people) if people else None
    owners: dict = defaultdict(list)
    for line, own in told:
        for entry in own:
            owners[entry.path].append(line.student)
    for line, own in told:
        team = own[0].path if len(owners[own[0].path]) > 1 else ""
        files = [_told_file(line, entry, readings_of(entry.parts)) for entry in own]
        meant = next((each for entry in own for each in readings_of(entry.parts) if _means(line, each)), None)
        place = None if team else _place_of(line.student, meant, submissions, known)
        if place is not None:
            before = submissions[place]
            submissions[place] = replace(before, files=ordered([*before.files, *files]))
        elif meant:
            student = Submission(meant.student, ordered(files), title, meant.user, meant.login, meant.name)
            submissions.append(replace(student, team=team))
        else:
            submissions.append(Submission(clean.line(line.student), ordered(files), team=team))
    return submissions


def _means(line, each):
    """Return whether a line of a table names the student of a reading, as the reading does."""
    return roster.normalized(line.student) in map(roster.normalized, (each.student, each.user))


def _told_file(line, entry, readings):
    """Return the `File` of an entry as a table tells it; what the table leaves open, the name says."""
    known = {each.late for each in readings} - {None}
    late = line.late if line.late is not None else any(known) if known else None
    times = {each.time for each in readings}
    time = line.time or (times.pop() if len(times) == 1 else "")
    order = max((each.order for each in readings), default=0)
    return replace(file_of(entry), late=late, time=time, order=(order, time or entry.stamp))


def _place_of(student, meant, submissions, known):
    """Return the number of the one submission of the student whom a table names, or None."""
    wanted = roster.normalized(student)
    numbers = {person["user"] for person in whose.people_called(known, student)} - {""} if known else set()
    numbers |= {meant.user} - {""} if meant else set()
    named: list = []
    places: list = []  # by an identifier, which wins: a student may choose that of another one as a name
    for place, one in enumerate(submissions):
        if one.claim or one.team:
            continue
        own = map(roster.normalized, (one.student, one.user, one.login))
        if wanted in own or (one.platform and one.user in numbers):
            places.append(place)
        elif wanted == roster.normalized(one.name):
            named.append(place)
    places = places or named
    return places[0] if len(places) == 1 else None
