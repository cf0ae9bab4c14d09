"""List what was handed in, one `Submission` for each student: a folder or a zip as a platform gives it, or a plain one.

`platforms` returns every reading of a name. Where all of them agree in whose a file is, when it came and whether it was
late, that is taken; where they do not, the platform's own gradebook may say which one is true, or a line of
`submissions.csv`. Else the file is claimed: it is graded apart, and its points are in no table for a platform. In a
plain folder or zip whoever saved the files wrote the names: a file or a folder for each student. Nothing here looks
into a student's file.
"""

import os
import re
import stat
import time
import unicodedata
import zipfile
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from . import clean, platforms, reading, roster
from .model import CourseError

ROSTER, TABLE = "roster.csv", "submissions.csv"
METADATA = "submission_metadata.yml"
NOT_A_STUDENTS = {"index.html", "grades.csv", METADATA, "comments.txt", "timestamp.txt", "feedbacktext.html",
                  ".ds_store", ROSTER, TABLE}  # fmt: skip
LISTED, READ, BYTES = 1000, 50, 60 << 20  # files of one student that are listed and read, the newest first; bytes
ENDINGS = (*reading.OTHER_ENDINGS, reading.NOTEBOOK)  # the longer ones first
COPY = re.compile(r" ?\(\d+\)$")  # as a browser marks a second download
NO_DIGITS, MOMENT = re.compile("[^0-9]+"), re.compile("[0-9]{4}(?:-[0-9]{2}){4,5}")
WORTH_READING = (*ENDINGS, ".zip", ".json")
YES = {"yes": True, "true": True, "1": True, "late": True, "no": False, "false": False, "0": False, "": None}
HOW = f"Say whose it is in `{TABLE}`, or in the file that TABLE names, and run it again."


@dataclass(frozen=True)
class Entry:
    """One file of a download. `read` returns its bytes, or a sentence that says why it cannot be read."""

    parts: tuple  # of its path
    stamp: str  # when it was changed, year-month-day-hour-minute-second, if that says anything
    read: object

    @property
    def path(self):
        """Return the path with slashes."""
        return "/".join(self.parts)

    @property
    def rest(self):
        """Return the path below the first folder, or the name of a file that lies in none."""
        return "/".join(self.parts[1:]) or self.parts[0]


@dataclass(frozen=True)
class File:
    """One file of a student. `read` returns its bytes, or a sentence that says why it cannot be read."""

    path: str  # in the download
    name: str  # without what the platform adds
    read: object
    late: bool = False  # as the platform says
    time: str = ""  # year-month-day-hour-minute-second, if the platform says when it arrived
    order: tuple = (0, "")  # of two files, the one with the larger order is the newer
    instead: str = ""

    @property
    def may_answer(self):
        """Return whether its name allows a notebook in it."""
        return self.name.lower().endswith(WORTH_READING) or "." not in self.name


@dataclass(frozen=True)
class Submission:
    """What one student has handed in."""

    student: str  # the name under which the grade is written
    files: tuple
    platform: str = ""
    user: str = ""  # the platform's number of the student
    login: str = ""
    name: str = ""
    github: bool = False  # the login is GitHub's
    team: str = ""  # what several students handed in together has one team
    claim: str = ""  # why it is not certain whose it is: then it is graded, and in no table for a platform
    maybe: tuple = ()  # the platform's numbers of those whose it can be

    def load(self):
        """Return [[name, order, bytes or a sentence], …] for the sandbox: the newest files, within limits."""
        loaded, left, number = [], BYTES, 0
        for file in self.files[:LISTED]:
            number += file.may_answer
            data = f"It was handed in as {file.instead}, not as a notebook." if file.instead else b""
            if file.may_answer and not file.instead:
                data = file.read() if number <= READ and left > 0 else "It was not read: there are too many files."
            left -= len(data)
            loaded.append([file.name, list(file.order), data])
        return loaded


@dataclass
class Download:
    """A class: {student: Submission}, and how it was read."""

    submissions: dict
    platform: str  # its title, "" for a plain folder
    claims: list  # conflicting or uncertain identities: first on the report
    unused: list  # (path, reason)
    helped: list = field(default_factory=list)  # names that only the gradebook made certain


def read(place, people=None, table=None, pattern=""):
    """Return the `Download` at a path.

    Parameters
    ----------
    place : path
        A folder or a zip.
    people : roster.Roster, optional
        The platform's own gradebook decides between the readings of a name.
    table : list of Line, optional
        Whose some files are, as `read_table` returns it: these lines are believed.
    pattern : str, optional
        How the names are made, in place of the platforms that are known; see `platforms.by_pattern`.

    Raises
    ------
    CourseError
        If the place is no download, or the pattern is none.
    """
    extra, entries = _without_outer_folders(_without_times_of_clones(list(_entries(Path(place)))), pattern)
    if pattern:
        title, readings_of = "", platforms.by_pattern(pattern)
    else:
        title, readings_of = platforms.reader([entry.parts for entry in entries])
    if title == "Gradescope":
        readings_of = _with_submitters(readings_of, extra)
    kept = [entry for entry in entries if ".git" not in entry.parts[1:]]
    only_git = {entry.parts[0] for entry in entries} - {entry.parts[0] for entry in kept}
    kept += [Entry((top, ""), "", lambda: "The folder is empty.") for top in sorted(only_git)]
    claims, helped, extra_lines = [], [], []
    told, kept = _told(table or [], kept, claims)
    named, uncertain, others = _settled(kept, readings_of, title, people, helped)
    submissions = [_submission(title, several) for several in named.values()]
    submissions += _uncertain(uncertain, title, people, claims)
    for entry in list(others):
        if entry.parts[-1].lower() in NOT_A_STUDENTS and (title or pattern):
            others.remove(entry)
            extra_lines.append(entry)
    if title or pattern:
        submissions += _strangers(others, title or "the pattern", claims)
    else:
        submissions += _plain(others, claims)
    submissions = _with_told(told, submissions, title, readings_of, people)
    if not any(file.may_answer or file.instead for submission in submissions for file in submission.files):
        seen = ", ".join(clean.line(entry.path)[:80] for entry in [*entries, *extra][:3]) or "nothing"
        raise CourseError(f"The folder {place} holds no submission: seen are {seen}. Known are the downloads of "
                          f"{', '.join(platforms.READERS)}, and plain folders or zips with a file or a folder for each "
                          f"student; for others there are {TABLE} and PATTERN.")  # fmt: skip
    unused = [(clean.line(entry.path), "not a student's file") for entry in [*extra, *extra_lines]]
    return Download(_labelled(submissions, claims), title, claims, unused, helped)


def _entries(place):
    """Return every file of a folder or a zip."""
    if place.is_dir():
        return _in_folder(place)
    if not place.is_file():
        raise CourseError(f"There is no folder {place} with submissions.")
    try:
        return list(_in_zip(zipfile.ZipFile(place)))
    except Exception:
        raise CourseError(f"{place} is neither a folder nor a zip that can be opened.") from None


def _without_times_of_clones(entries):
    """Return entries in which no file of a git clone has a time: it would be that of the checkout."""
    clones = {entry.parts[: entry.parts.index(".git")] for entry in entries if ".git" in entry.parts}

    def cloned(parts):
        return any(parts[:depth] in clones for depth in range(len(parts)))

    return [replace(entry, stamp="") if clones and cloned(entry.parts) else entry for entry in entries]


def _is_foreign(parts):
    """Return whether a platform or a program, and not a student, put a file there, by the top of its path."""
    return parts[0] in reading.SYSTEM or (len(parts) == 1 and parts[0].lower() in NOT_A_STUDENTS)


def _without_outer_folders(entries, pattern):
    """Return (files that are no student's, entries without a folder that holds all others).

    Such a folder stays if a platform wrote its name, or if there is no more than one thing in it: then it is a
    student's.
    """
    extra = []
    while True:
        extra += [entry for entry in entries if _is_foreign(entry.parts)]
        entries = [entry for entry in entries if not _is_foreign(entry.parts)]
        if len({entry.parts[0] for entry in entries}) != 1 or any(len(entry.parts) == 1 for entry in entries):
            return extra, entries
        if entries[0].parts[0] == ".git" or (_reads(entries, pattern) and not pattern):
            return extra, entries
        inner = [replace(entry, parts=entry.parts[1:]) for entry in entries]
        tops = {entry.parts[0] for entry in inner if not _is_foreign(entry.parts)}
        folders = {entry.parts[0] for entry in inner if len(entry.parts) > 1}
        notebooks = [top for top in tops if top.lower().endswith(reading.NOTEBOOK)]
        if ".git" in tops or not (_reads(inner, pattern) or len(notebooks) > 2 or (len(tops) > 1 and folders)):
            return extra, entries
        entries = inner


def _reads(entries, pattern):
    """Return whether most names are those of a platform, or of the instructor's pattern."""
    if not pattern:
        return bool(platforms.reader([entry.parts for entry in entries])[0])
    readings_of = platforms.by_pattern(pattern)
    return sum(bool(readings_of(entry.parts)) for entry in entries) > len(entries) // 2


def _with_submitters(readings_of, extra):
    """Return a reader of Gradescope's names that returns one reading for each student who submitted a file."""
    data = next((entry.read() for entry in extra if entry.parts[-1] == METADATA), b"")
    known = platforms.submitters(data.decode("utf-8", "replace")) if isinstance(data, bytes) else {}
    return lambda parts: [one for each in readings_of(parts) for one in platforms.submitted(each, known)]


def _settled(entries, readings_of, title, people, helped):
    """Return ({key: [(Reading, Entry), …]}, [(Entry, readings) that are not certain], [other entries])."""
    known = roster.index(people) if people else None
    named, several, others = defaultdict(list), [], []
    for entry in entries:
        readings = readings_of(entry.parts)
        if not readings:
            others.append(entry)
        elif title == "Gradescope":  # each of its readings is true
            for each in readings:
                named[each.key].append((each, entry))
        elif len({each.says for each in readings}) == 1 and len(readings) < platforms.MOST:
            each = min(readings, key=lambda each: each.order)
            named[each.key].append((each, entry))
        else:
            several.append((entry, readings))
    certain, uncertain = {*named}, []
    for entry, readings in several:
        each = _true(readings, title, known) if known else None
        # A file that only the gradebook made certain never stands beside one that was certain without it.
        if each is None or each.key in certain:
            uncertain.append((entry, readings))
        else:
            named[each.key].append((each, entry))
            helped.append(f"{clean.line(entry.path)}: {clean.line(each.student)}")
    return named, uncertain, others


def _true(readings, title, known):
    """Return the one reading that can be true by the gradebook, or None.

    Of the platform's own gradebook: no other number is in it, and the platform would write that name for this number.
    Of a list for an instructor's pattern: no other student is on it.
    """
    if (title and known.platform != title) or len(readings) >= platforms.MOST:
        return None
    possible = [each for each in readings if roster.persons(known, title, each)]
    if len({each.says for each in possible}) > 1:
        fitting = []
    elif title:
        fitting = [each for each in possible for person in roster.persons(known, title, each)
                   if platforms.same(each.name) in platforms.written(title, person.get("name", ""))]  # fmt: skip
    else:
        fitting = possible
    return min(fitting, key=lambda each: each.order, default=None)


def _file(entry, each=None):
    """Return the `File` of an entry, with what a reading of its name says."""
    if each is None:
        return File(entry.path, entry.rest, entry.read, order=(0, entry.stamp))
    order = (each.order, each.time or entry.stamp)
    return File(entry.path, each.file or entry.rest, entry.read, each.late, each.time, order, each.instead)


def _ordered(files):
    """Return files, those first that may hold an answer, and of them the newest."""
    return tuple(sorted(files, key=lambda file: (file.name.lower().endswith(WORTH_READING), file.order), reverse=True))


def _submission(title, several):
    """Return the `Submission` of the files that one student handed in, the newest first."""
    each = several[0][0]
    files = _ordered(_file(entry, own) for own, entry in several)
    student = clean.line(each.student).strip() or clean.line(files[0].path)
    return Submission(student, files, title, each.user, each.login, each.name, each.github, each.team)


def _uncertain(uncertain, title, people, claims):
    """Yield a submission for each file whose readings differ, and claim it."""
    helps = title == "Canvas" and (people is None or people.platform != title)
    how = f"{HOW} Canvas's own gradebook as ROSTER may tell." if helps else HOW
    for entry, readings in uncertain:
        said = {}
        for each in readings:
            late = ", late" if each.late else ""
            said.setdefault(each.says, f"{clean.line(each.student)}{late}{f', {each.time}' if each.time else ''}")
        ways = "; or ".join([*said.values()][:4])
        claims.append(f"{clean.line(entry.path)} can be read as {ways}. {how}")
        file = File(entry.path, entry.rest, entry.read, order=(0, entry.stamp))
        maybe = tuple(sorted({each.user for each in readings} - {""}))
        yield Submission(clean.line(entry.path), (file,), title, claim="can be read in several ways", maybe=maybe)


def _strangers(entries, what, claims):
    """Yield a submission for each file or folder whose name is not made like the others, and claim it."""
    tops = defaultdict(list)
    for entry in entries:
        tops[entry.parts[0]].append(_file(entry))
    for top, files in sorted(tops.items()):
        claims.append(f"{clean.line(top)} is not named as {'by ' * (what == 'the pattern')}{what}. {HOW}")
        yield Submission(clean.line(top), _ordered(files), claim="has no name of the platform's")


def _plain(entries, claims):
    """Return submissions of a plain folder or zip: a file or a folder for each student."""
    tops, submissions = defaultdict(list), []
    for entry in entries:
        tops[entry.parts[0]].append(entry)
    for top, inside in sorted(tops.items()):
        files = _ordered(map(_file, inside))
        books = [f for f in files if f.name.lower().endswith(reading.NOTEBOOK) and not reading.is_of_the_system(f.name)]
        if len(books) > 1:
            names = ", ".join(clean.line(file.name)[:60] for file in books[:4]) + ", …" * (len(books) > 4)
            claims.append(f"{clean.line(top)} is one student with {len(books)} notebooks ({names}): if they are of "
                          "several people, move the files out of the folder.")  # fmt: skip
        submissions.append(Submission(clean.line(_stem(top) if len(inside[0].parts) == 1 else top), files))
    return _one_for_each_name(submissions)


def _one_for_each_name(submissions):
    """Return submissions in which files of exactly one name but for the ending, one a notebook, are one student's."""
    by_name = defaultdict(list)
    for submission in submissions:
        by_name[submission.student].append(submission)
    for several in by_name.values():
        books = [s for s in several if any(file.name.lower().endswith(ENDINGS) for file in s.files)]
        if len(several) > 1 and len(books) <= 1:
            yield replace(several[0], files=_ordered(file for submission in several for file in submission.files))
        else:
            yield from several


@dataclass(frozen=True)
class Line:
    """A line of `submissions.csv`: a file or folder of the download, and the student whose it is."""

    file: str
    student: str
    time: str = ""
    late: bool | None = None


def read_table(path):
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
        file = told["file"].replace("\\", "/").strip("/")
        lines.append(Line(file, told["student"], time + "-59" * (time.count("-") == 4), YES[late]))
    return lines


def _told(table, entries, claims):
    """Return ([(Line, [Entry, …]), …], entries of which the table says nothing); a line without a file is claimed."""
    told, taken = [], set()
    for line in table:
        wanted = _composed(line.file)
        own = [entry for entry in entries if (_composed(entry.path) + "/").startswith(wanted + "/")]
        own = own or [entry for entry in entries if _inside(wanted, _composed(entry.path))]
        if not own:
            claims.append(f"{clean.line(line.file)} is in {TABLE}, and not in the download.")
        taken |= {entry.path for entry in own}
        told += [(line, own)] * bool(own)
    return told, [entry for entry in entries if entry.path not in taken]


def _inside(wanted, path):
    """Return whether a path is the wanted one, or lies in it, when the wanted one begins with the outer folder."""
    return any(f"{path}/".startswith(f"{rest}/") for rest in [wanted.partition("/")[2]] if rest)


def _composed(text):
    return unicodedata.normalize("NFC", text)


def _with_told(told, submissions, title, readings_of, people):
    """Return submissions with the files of which a table says whose they are.

    They join the other files of the student whom the table names as the download or the roster does. A file that
    several lines name was handed in by these students together.
    """
    known = roster.index(people) if people else None
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
            submissions[place] = replace(before, files=_ordered([*before.files, *files]))
        elif meant:
            student = Submission(meant.student, _ordered(files), title, meant.user, meant.login, meant.name)
            submissions.append(replace(student, team=team))
        else:
            submissions.append(Submission(clean.line(line.student), _ordered(files), team=team))
    return submissions


def _means(line, each):
    """Return whether a line of a table names the student of a reading, as the reading does."""
    return roster.normalized(line.student) in map(roster.normalized, (each.student, each.user))


def _told_file(line, entry, readings):
    """Return the `File` of an entry as a table tells it; what the table leaves open, the name says."""
    late = any(each.late for each in readings) if line.late is None else line.late
    times = {each.time for each in readings}
    time = line.time or (times.pop() if len(times) == 1 else "")
    order = max((each.order for each in readings), default=0)
    return replace(_file(entry), late=late, time=time, order=(order, time or entry.stamp))


def _place_of(student, meant, submissions, known):
    """Return the number of the one submission of the student whom a table names, or None."""
    wanted = roster.normalized(student)
    numbers = {person["user"] for person in roster.called_so(known, student)} - {""} if known else set()
    numbers |= {meant.user} - {""} if meant else set()
    places = []
    for place, one in enumerate(submissions):
        own = map(roster.normalized, (one.student, one.user, one.login, one.name))
        if not one.claim and not one.team and (wanted in own or (one.platform and one.user in numbers)):
            places.append(place)
    return places[0] if len(places) == 1 else None


def _stem(name):
    """Return the name of a student from the name of a file: without its ending."""
    ending = next((end for end in ENDINGS if name.lower().endswith(end)), "") or os.path.splitext(name)[1]
    return name[: len(name) - len(ending)] or name


def _folded(text):
    """Return a name without case and without the ` (1)` of a browser, with accents composed."""
    return COPY.sub("", " ".join(unicodedata.normalize("NFC", text).casefold().split()))


def _labelled(submissions, claims):
    """Return {student: Submission} with a unique label for each; names that look the same are claimed."""
    groups, labelled = defaultdict(list), {}
    for submission in submissions:
        groups[_folded(submission.student)].append(submission)
    for same in groups.values():
        labels = []
        for submission in sorted(same, key=lambda s: (s.student, s.files[0].path)):
            alone = len(same) == 1 and not submission.platform
            base = COPY.sub("", submission.student) if alone else submission.student
            base = unicodedata.normalize("NFC", base) or submission.student
            label, number = base, 2
            while label in labelled or label.casefold() in map(str.casefold, labels):
                label, number = f"{base} ({number})", number + 1
            claim = submission.claim or ("has the name of another one" if len(same) > 1 else "")
            labelled[label] = replace(submission, student=label, claim=claim)
            labels.append(label)
        if len(same) > 1:
            names = ", ".join(f"{label} ({clean.line(labelled[label].files[0].path)})" for label in labels)
            claims.append(f"{len(same)} submissions under one name, each graded: {names}.")
    return dict(sorted(labelled.items()))


def read_file(path):
    """Return the bytes of a file, or a sentence that says why it cannot be read. Links are not followed."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return "It is not an ordinary file."
            return file.read(reading.LARGEST + 1)
    except OSError as error:
        return f"It cannot be read: {error.strerror}."


def _in_folder(folder):
    """Yield an `Entry` for every file, link, and folder that is empty or cannot be read."""
    closed: list = []
    for top, inside, names in os.walk(folder, onerror=lambda error: closed.append(error.filename)):
        links = [name for name in inside if os.path.islink(os.path.join(top, name))]
        for name in sorted([*names, *links]):
            path = os.path.join(top, name)
            try:
                moment = time.localtime(os.lstat(path).st_mtime)[:6]
            except OSError:  # a path that is too long for this machine
                moment = (0,) * 6
            parts = PurePosixPath(os.path.relpath(path, folder)).parts
            yield Entry(_decoded(parts), _stamp(moment), lambda path=path: read_file(path))
        if not inside and not names and top != str(folder):
            yield Entry(
                (*_decoded(PurePosixPath(os.path.relpath(top, folder)).parts), ""), "", lambda: "The folder is empty."
            )
    for top in closed:
        yield Entry(
            (*_decoded(PurePosixPath(os.path.relpath(top, folder)).parts), ""), "", lambda: "It cannot be read."
        )


def _in_zip(archive):
    """Yield the same for a zip, in which the platform or the instructor, not a student, has packed every file."""
    holders = {os.path.dirname(name.rstrip("/")) for name in archive.namelist()}
    for info in archive.infolist():
        name = info.filename
        if not info.flag_bits & 0x800:  # some programs write UTF-8 and do not say so
            try:
                name = name.encode("cp437").decode("utf-8")
            except ValueError:
                name = info.filename
        name = name if "/" in name else name.replace("\\", "/")  # as some programs on Windows write
        parts = _decoded(part for part in PurePosixPath(name).parts if part not in ("/", ".."))
        if parts and info.is_dir():
            if info.filename.rstrip("/") not in holders:
                yield Entry((*parts, ""), "", lambda: "The folder is empty.")
        elif parts:
            yield Entry(parts, _stamp(info.date_time), lambda info=info: _read_member(archive, info))


def _read_member(archive, info):
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "It cannot be read from the zip: no platform packs files like this."
    try:
        with archive.open(info) as file:
            return file.read(reading.LARGEST + 1)
    except Exception as error:  # a damaged member costs only itself
        return f"It cannot be read from the zip ({type(error).__name__})."


def _decoded(parts):
    """Return parts of a path as text; bytes that are not UTF-8 become replacement characters."""
    return tuple(os.fsencode(part).decode("utf-8", "replace") for part in parts)


def _stamp(moment):
    return "-".join(f"{number:02}" for number in moment)
