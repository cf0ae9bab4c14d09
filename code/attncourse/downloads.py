"""Read what a learning platform gives for download, as it is: a folder or a zip from Canvas, Moodle or Blackboard.

How files are named. Canvas (public source, lib/content_zipper.rb): `<name>[_LATE]_<user>_<attachment>_<file>`, the name
in small letters without spaces, the two numbers first of their kind; `anon_<code>` in the place of name and number;
`…_text.html` and `…_link.html` for what is no file. Moodle (public source, mod/assign): one folder for each student,
`<Full name>_<number>_assignsubmission_file`, before version 4.1 with `_` at its end; the same in front of the name of
the file where folders are switched off. Blackboard (its source is not public; assumed from its help pages and from
tools that read such downloads): `<Assignment>_<username>_attempt_<time>_<file>`, and for each attempt a `….txt` with
the name.
"""

import re
import unicodedata
import zipfile
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path, PurePosixPath

from . import author, files

CANVAS = re.compile(r"(?P<name>(?:(?!LATE_|anon_)\w*?_)?)(?P<late>LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]+)_"
                    r"(?:(?P<order>\d+)_(?P<file>.+)|(?P<instead>text|link)\.html)", re.IGNORECASE)  # fmt: skip
MOODLE = re.compile(r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?")
BLACKBOARD = re.compile(r"(?P<head>.+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)")
NOTICE = re.compile(rb"^Name:[ \t]*(.*?)[ \t]*\(([^()\r\n]+)\)[ \t]*\r?$", re.MULTILINE)  # in Blackboard's .txt
SYSTEM = ("__MACOSX", ".ipynb_checkpoints", "Thumbs.db", "desktop.ini")
ROSTER = "roster.csv"
OTHER = "another file of the same student"


@dataclass(frozen=True)
class Submission:
    """What one student has handed in. `read` gives its bytes, or a sentence: why there is nothing to grade."""

    student: str  # the name under which the grade is written
    read: object
    file: str = ""  # its path in the download
    platform: str = "plain"
    user: str = ""  # the platform's number of the student
    login: str = ""
    name: str = ""
    late: bool = False  # as the platform says
    time: str = ""  # year-month-day-hour-minute-second
    order: tuple = (0, "")  # of two files, the one with the larger order is the newer
    dated: bool = False  # the time is when the platform got it


def load(handed):
    """Return the bytes of a submission; a sentence if they cannot be had."""
    return handed.read()


def _is_of_the_system(path):
    return any(part.startswith((".", "~$")) or part in SYSTEM for part in path.parts)


def _without_roster(entries):
    """Return paths without a roster beside them, which is no student's and may stand outside one folder or inside."""
    return [entry for entry in entries if entry[0] != PurePosixPath(ROSTER)]


def _without_one_folder_around(entries):
    """Return paths without a folder that holds all of them, unless it is a student's."""
    while entries and len({path.parts[0] for path, *_ in entries}) == 1:
        deeper = [(PurePosixPath(*path.parts[1:]), *rest) for path, *rest in entries if len(path.parts) > 1]
        inside = {path.parts[0] for path, *_ in deeper}
        several = len(inside) > 1 and any(len(path.parts) > 1 for path, *_ in deeper)
        several = several or sum(name.lower().endswith(".ipynb") for name in inside) > 2
        named = any(pattern.fullmatch(part) for part in inside for pattern in (CANVAS, MOODLE, BLACKBOARD))
        if len(deeper) < len(entries) or MOODLE.fullmatch(entries[0][0].parts[0]) or not (several or named):
            break
        entries = deeper
    return entries


def _platform(entries):
    """Return the platform that most names point to."""
    tops = [path.parts[0] for path, *_ in entries]
    for platform, pattern in (("moodle", MOODLE), ("blackboard", BLACKBOARD), ("canvas", CANVAS)):
        if 2 * sum(bool(pattern.fullmatch(top)) for top in tops) >= len(tops) > 0:
            return platform
    return "plain"


def read(place, asked=()):
    """Return {student: Submission}, what was set aside as (path, reason) pairs, and the platform of a download.

    `asked` are the names of functions: of two notebooks, one that defines any of them is the assignment.
    """
    place = Path(place)
    if place.is_dir():
        entries = list(files.in_folder(place))
    elif place.is_file():
        try:
            entries = list(files.in_zip(place))
        except (zipfile.BadZipFile, OSError):
            raise author.CourseError(f"{place} is neither a folder nor a zip that can be opened.") from None
    else:
        raise author.CourseError(f"There is no folder {place} with submissions.")
    aside = [(str(path), "not a student's file") for path, *_ in entries if _is_of_the_system(path)]
    entries = [entry for entry in entries if not _is_of_the_system(entry[0])]
    entries = _without_roster(_without_one_folder_around(_without_roster(entries)))
    platform = _platform(entries)
    students = {}
    for handed in _handed(entries, platform):
        students.setdefault(handed.student, []).append(handed)
    if not students:
        raise author.CourseError(f"The folder {place} holds no submission.")
    found = {}
    for student, handed in sorted(students.items()):
        found[student], left = choose(handed, asked)
        aside += left
    return found, aside, platform


def _handed(entries, platform):
    """Return a Submission for every file."""
    logins = _logins(entries) if platform == "blackboard" else {}
    for path, moment, get in entries:
        path = PurePosixPath(unicodedata.normalize("NFC", str(path)))
        top, stamp = path.parts[0], "-".join(f"{n:02}" for n in moment)
        handed = Submission("", get, str(path), platform, time=stamp, order=(0, stamp))
        match = {"canvas": CANVAS, "moodle": MOODLE, "blackboard": BLACKBOARD}.get(platform, CANVAS).fullmatch(top)
        if platform == "plain" or not match:
            yield replace(handed, platform="plain", student=top if len(path.parts) > 1 else _stem(path))
        elif platform == "canvas":
            name, user = match["name"].rstrip("_"), match["user"]
            handed = replace(handed, student=f"{name}_{user}".lstrip("_"), user=user.removeprefix("anon_"), name=name)
            if match["instead"]:
                what = "text" if match["instead"].lower() == "text" else "a link"
                handed = replace(handed, read=lambda what=what: f"It was handed in as {what}, not as a notebook.")
            yield replace(handed, late=bool(match["late"]), order=(int(match["order"] or 0), stamp))
        elif platform == "moodle":
            handed = replace(handed, student=f"{match['name']}_{match['user']}", user=match["user"], name=match["name"])
            if match["plugin"] == "onlinetext":
                handed = replace(handed, read=lambda: "It was handed in as text, not as a notebook.", order=(-1, stamp))
            yield handed
        else:
            login, name = logins.get(match["head"]) or (match["head"].rpartition("_")[2], "")
            handed = replace(handed, student=login, login=login, name=name, time=match["time"], dated=True)
            yield replace(handed, order=(0, match["time"])) if match["file"] else replace(handed, file="")


def _stem(path):
    """Return the name of a student from the name of a file: without its ending, and without a browser's ` (1)`."""
    return re.sub(r" ?\(\d+\)$", "", path.stem) or path.stem


def _logins(entries):
    """Return {head of the file name: (username, name)} from the .txt that Blackboard puts beside each attempt."""
    found = {}
    for path, _, get in entries:
        match = BLACKBOARD.fullmatch(path.parts[0])
        data = get() if match and not match["file"] else b""
        notice = NOTICE.search(data[:4096]) if isinstance(data, bytes) else None
        if notice and match["head"].endswith("_" + notice[2].decode("utf-8", "replace")):
            found[match["head"]] = tuple(part.decode("utf-8", "replace") for part in (notice[2], notice[1]))
    return found


def choose(several, asked=()):
    """Return the file to grade of one student's, and the others with the reason why not."""
    known = [handed for handed in several if handed.file]
    notebooks = [handed for handed in known if handed.file.lower().endswith(".ipynb")]
    if not notebooks:
        notebooks = [book for handed in known if handed.file.lower().endswith(".zip") for book in _unpacked(handed)]
    if not notebooks:
        last = max(known or several, key=lambda handed: handed.order)
        text = last.read() if len(known) == 1 else ""
        if not isinstance(text, str) or not text:
            names = ", ".join(PurePosixPath(handed.file).name for handed in known)
            text = f"No notebook was handed in{': found ' + names if names else ''}."
        return replace(last, read=lambda: text), []
    chosen = max(notebooks, key=lambda handed: (len(notebooks) == 1 or _defines(handed, asked), handed.order))
    late = any(handed.late for handed in several)
    others = [h for h in [*known, *notebooks] if h.read is not chosen.read]
    left = {(h.file, _why_not(h.file, chosen.file)) for h in others if not chosen.file.startswith(f"{h.file}/")}
    return replace(chosen, late=late), sorted(left)


def _why_not(file, chosen):
    """Say why a file of a student is not graded and another one is."""
    if file == chosen:  # the two ways to write an accent look the same
        return "an older file of the same name"
    return f"{OTHER}: {chosen} is graded" if file.lower().endswith(".ipynb") else "no notebook"


def _unpacked(handed):
    """Return the notebooks in a zip that a student has handed in."""
    data = handed.read()
    try:
        inside = list(files.in_zip(BytesIO(data))) if isinstance(data, bytes) else []
    except (zipfile.BadZipFile, OSError, ValueError):
        inside = []
    return [
        replace(handed, file=f"{handed.file}/{path}", read=get, order=(*handed.order, *stamp))
        for path, stamp, get in inside
        if path.suffix.lower() == ".ipynb" and not _is_of_the_system(path)
    ]


def _defines(handed, asked):
    """Return whether the text of a notebook defines any of the functions."""
    data = handed.read()
    return isinstance(data, bytes) and any(b"def " + name.encode() in data for name in asked)
