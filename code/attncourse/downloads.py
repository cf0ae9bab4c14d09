"""List what was handed in, one `Submission` for each student: a folder or a zip as a platform gives it, or a plain one.

`platforms` says what of a name the platform wrote. In a plain folder or zip whoever saved the files wrote the names: a
file or a folder for each student. Nothing here looks into a student's file.
"""

import os
import re
import stat
import time
import unicodedata
import zipfile
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from . import clean, platforms, reading
from .model import CourseError

ROSTER = "roster.csv"
OF_THE_PLATFORM = {"index.html", "grades.csv", "submission_metadata.yml", "comments.txt", "timestamp.txt",
                   "feedbacktext.html", ".ds_store", ROSTER}  # fmt: skip
METADATA = "submission_metadata.yml"
LISTED, READ, BYTES = 1000, 50, 60 << 20  # files of one student that are listed and read, the newest first; bytes
ENDINGS = (*reading.OTHER_ENDINGS, reading.NOTEBOOK)  # the longer ones first
COPY = re.compile(r" ?\(\d+\)$")  # as a browser marks a second download
DIGITS = re.compile(r"\d+|\b[A-Z]$")  # by which sections differ
WORTH_READING = (*ENDINGS, ".zip", ".json")


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


def read(place):
    """Return the `Download` at a path; CourseError names a layout that is not known."""
    place = Path(place)
    if place.is_dir():
        entries = list(_in_folder(place))
    elif place.is_file():
        try:
            entries = list(_in_zip(zipfile.ZipFile(place)))
        except Exception:
            raise CourseError(f"{place} is neither a folder nor a zip that can be opened.") from None
    else:
        raise CourseError(f"There is no folder {place} with submissions.")
    extra, entries = _without_outer_folders(entries)
    title, name_of = platforms.read([parts for parts, *_ in entries])
    kept = [entry for entry in entries if ".git" not in entry[0][1:]]
    only_git = {parts[0] for parts, *_ in entries} - {parts[0] for parts, *_ in kept}
    kept += [((top, ""), "", lambda: "The folder is empty.") for top in sorted(only_git)]
    named = [(entry, name_of(entry[0])) for entry in kept]
    if title == "Blackboard":
        named = list(_with_notices(named))
    if title == "Gradescope":
        named = list(_with_submitters(named, extra))
    claims, students, plain = [], defaultdict(list), []
    for (parts, stamp, get), name in named:
        if name is None:
            (extra if parts[-1].lower() in OF_THE_PLATFORM else plain).append((parts, stamp, get))
            continue
        rest = "/".join(parts[1:]) or parts[0]
        order = (name.order, name.time or stamp)
        students[name.key].append((name, File("/".join(parts), rest, get, name.late, name.time, order, name.instead)))
    submissions = [_submission(title, several) for several in students.values()]
    if title and plain:
        tops = sorted({parts[0] for parts, *_ in plain})
        claims += [
            f"{clean.line(top)} is not named as {title} does: the student is taken from the name." for top in tops
        ]
    submissions += _plain(plain, claims)
    if not any(file.may_answer or file.instead for submission in submissions for file in submission.files):
        seen = ", ".join(clean.line("/".join(parts))[:80] for parts, *_ in [*entries, *extra][:3]) or "nothing"
        raise CourseError(f"The folder {place} holds no submission: seen are {seen}. Known are the downloads of "
                          f"{', '.join(platforms.TITLES)}, and plain folders or zips with a file or a folder for each "
                          "student.")  # fmt: skip
    claims += _double_claims([name for _, name in named if name])
    unused = [(clean.line("/".join(parts)), "not a student's file") for parts, *_ in extra]
    return Download(_labelled(submissions, claims), title, claims, unused)


def _is_foreign(parts):
    """Return whether a platform or a program, and not a student, put a file there, by the top of its path."""
    return parts[0] in reading.SYSTEM or (len(parts) == 1 and parts[0].lower() in OF_THE_PLATFORM)


def _without_outer_folders(entries):
    """Return (the platform's own files, entries without a folder that holds all of them, unless it is a student's)."""
    extra = []
    while True:
        extra += [entry for entry in entries if _is_foreign(entry[0])]
        entries = [entry for entry in entries if not _is_foreign(entry[0])]
        if len({parts[0] for parts, *_ in entries}) != 1 or any(len(parts) == 1 for parts, *_ in entries):
            return extra, entries
        inner = [(parts[1:], *rest) for parts, *rest in entries]
        tops = {parts[0] for parts, *_ in inner if parts[0].lower() not in OF_THE_PLATFORM}
        folders = {parts[0] for parts, *_ in inner if len(parts) > 1}
        notebooks = sum(top.lower().endswith(reading.NOTEBOOK) for top in tops)
        outer = platforms.read([parts for parts, *_ in entries])[0]
        named = platforms.read([parts for parts, *_ in inner])[0] not in ("", "Google Classroom")
        if outer or not (named or notebooks > 2 or (len(tops) > 1 and folders - {".git"})):
            return extra, entries
        entries = inner


def _with_notices(named):
    """Return entries of Blackboard's under the usernames that its notices give."""
    texts, files = {}, {name.key for _, name in named if name and not name.instead}
    for (_, _, get), name in named:
        if name and name.instead:
            data = get()
            texts[name.key[0]] = data if isinstance(data, bytes) else b""
    known = platforms.notices(texts)
    for entry, name in named:
        if name and name.instead and name.key in files:
            continue
        if name and name.key[0] in known:
            login, full = known[name.key[0]]
            name = replace(name, key=(login,), student=login, login=login, name=full)
        yield entry, name


def _with_submitters(named, extra):
    """Return entries of Gradescope's export, once for each student who submitted them."""
    data = next((get() for parts, _, get in extra if parts[-1] == METADATA), b"")
    known = platforms.submitters(data.decode("utf-8", "replace")) if isinstance(data, bytes) else {}
    for entry, name in named:
        people, moment = known.get(name.key[0], ([], "")) if name else ([], "")
        if not people:
            yield entry, name
        for person in people:
            student = person.get("email") or person.get("sid") or person.get("name") or name.student
            yield entry, replace(name, key=(*name.key, student), student=student, login=person.get("email", ""),
                                 user=person.get("sid", ""), name=person.get("name", ""), time=moment)  # fmt: skip


def _ordered(files):
    """Return files, those first that may hold an answer, and of them the newest."""
    return tuple(sorted(files, key=lambda file: (file.name.lower().endswith(WORTH_READING), file.order), reverse=True))


def _submission(title, several):
    """Return the `Submission` of the files that one student handed in, the newest first."""
    name = several[0][0]
    files = _ordered(file for _, file in several)
    student = clean.line(name.student).strip() or clean.line(files[0].path)
    return Submission(student, files, title, name.user, name.login, name.name)


def _plain(entries, claims):
    """Return submissions of a plain folder or zip: a file or a folder for each student, maybe below sections."""
    tops, submissions = defaultdict(list), []
    for parts, stamp, get in entries:
        tops[parts[0]].append((parts, stamp, get))
    sections = _sections({top: [parts for parts, *_ in inside] for top, inside in tops.items()})
    if sections:
        claims.append(f"Read as sections, with a student in each file or folder of them: {', '.join(sections)}.")
    for top, inside in sorted(tops.items()):
        if top in sections:
            submissions += _plain([(parts[1:], *rest) for parts, *rest in inside if len(parts) > 1], claims)
            continue
        files = _ordered(
            File("/".join(parts), "/".join(parts[1:]) or parts[0], get, order=(0, stamp))
            for parts, stamp, get in inside
        )
        books = [f for f in files if f.name.lower().endswith(reading.NOTEBOOK) and not reading.is_of_the_system(f.name)]
        if len(books) > 1:
            names = ", ".join(clean.line(file.name)[:60] for file in books[:4]) + ", …" * (len(books) > 4)
            claims.append(f"{clean.line(top)} is one student with {len(books)} notebooks ({names}): if they are of "
                          "several people, move the files out of the folder.")  # fmt: skip
        submissions.append(Submission(clean.line(_stem(top) if len(inside[0][0]) == 1 else top), files))
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


def _sections(tops):
    """Return folders that hold a class each and not a student: they differ only by a number, and hold several people.

    {folder: paths in it}. Several people: notebooks directly inside, few of them of one name in all folders, or several
    folders with notebooks.
    """
    folders = {top: paths for top, paths in tops.items() if all(len(parts) > 1 for parts in paths)}
    if len(folders) < 2 or len({DIGITS.sub("", top) for top in folders}) > 1 or len(folders) < len(tops):
        return []
    names = [parts[1] for paths in folders.values() for parts in paths if parts[-1].lower().endswith(reading.NOTEBOOK)]
    several = [len({parts[1] for parts in paths}) > 1 for paths in folders.values()]
    return sorted(folders) if 2 * len({*names}) > len(names) and 2 * sum(several) >= len(folders) else []


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
            labelled[label] = replace(submission, student=label)
            labels.append(label)
        if len(same) > 1:
            claims.append(f"{len(same)} submissions under one name, each graded: {', '.join(labels)}.")
    return dict(sorted(labelled.items()))


def _double_claims(names):
    users, people = platforms.doubles(names)
    for user in users:
        labels = sorted({clean.line(name.student) for name in names if user in (name.user, name.login)})
        if len(labels) > 1:
            yield f"Number or username {clean.line(user)} is in {len(labels)} names, each graded: {', '.join(labels)}."
    for person in people:
        labels = sorted({clean.line(n.student) for n in names if " ".join(n.name.casefold().split()) == person})
        yield f"{len(labels)} students have one name, each graded: {', '.join(labels)}."


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
    """Yield (parts of the path, time, read) for every file, link, and folder that is empty or cannot be read."""
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
            yield _decoded(parts), _stamp(moment), lambda path=path: read_file(path)
        if not inside and not names and top != str(folder):
            yield (*_decoded(PurePosixPath(os.path.relpath(top, folder)).parts), ""), "", lambda: "The folder is empty."
    for top in closed:
        yield (*_decoded(PurePosixPath(os.path.relpath(top, folder)).parts), ""), "", lambda: "It cannot be read."


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
                yield (*parts, ""), "", lambda: "The folder is empty."
        elif parts:
            yield parts, _stamp(info.date_time), lambda info=info: _read_member(archive, info)


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
