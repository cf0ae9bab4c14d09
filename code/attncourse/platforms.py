"""Say for each part of a name in a download whether the platform wrote it or the student.

Only what the platform wrote names a student, dates a file or orders two; `file` is the student's own. Sources:

* Canvas, `lib/content_zipper.rb`: `<name>[_LATE]_<user>_<attachment>_<file>`, the name in small letters, `anon_<code>`
  in the place of name and user, and `…_text.html` or `…_link.html` for what is no file.
* Moodle, `mod/assign/locallib.php`: a folder `<full name>_<user>_assignsubmission_<plugin>`, since 4.1 without the `_`
  at its end; the same in front of the file where folders are switched off. A `_` in a full name becomes a blank.
* Blackboard (assumed from its help pages and from tools that read its downloads):
  `<assignment>_<username>_attempt_<time>_<file>`, and for each attempt a `.txt` that begins `Name: <name> (<user>)`.
* Brightspace (assumed from tools): `<user>-<folder> - <name> - <time>`, a folder, or ` - <file>` behind it.
* Gradescope's export: `submission_<number>/`, whose submitters stand in `submission_metadata.yml`.
* GitHub Classroom, `gh classroom clone`: `<assignment>-<login>/`, a clone, below `<assignment>-submissions/`.
* Sakai: `<name>(<user>)/Submission attachment(s)/`. Google Classroom: `<name> - <file>`.
"""

import os
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

LONGEST = 1000  # characters of a name that is read
CANVAS = re.compile(r"(?s)(?P<name>(?:(?!anon_)[^\WA-Z]*?_)?)(?P<late>LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]+)_"
                    r"(?:(?P<order>\d+)_(?P<file>.+)|(?P<instead>text|link)\.html)")  # fmt: skip
MOODLE_FOLDER = re.compile(r"(?s)(?P<name>.+)_(?P<user>\d+)_assignsubmission_(?P<plugin>[a-z]+)_?")
MOODLE_FLAT = re.compile(r"(?s)(?P<name>[^_]+)_(?P<user>\d+)_assignsubmission_(?P<plugin>[a-z]+)_(?P<file>.+)")
BLACKBOARD = re.compile(r"(?s)(?>(?P<head>.+?)_attempt_(?P<time>\d{4}(?:-\d\d){5}))(?:_(?P<file>.+)|\.txt)")
MOMENT = r"[A-Z][a-z]{2} \d{1,2}, \d{4} \d{3,4} [AP]M"
BRIGHTSPACE = re.compile(rf"(?s)(?P<user>\d+-\d+) - (?P<name>.+?) - (?P<time>{MOMENT})(?: - (?P<file>.+))?")
GRADESCOPE = re.compile(r"submission_(?P<user>\d+)")
SAKAI = re.compile(r"(?s)(?P<name>[^(]+)\((?P<login>[^()]+)\)")
ATTACHED = "Submission attachment(s)"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class Name:
    """What the platform says about one file: `key` is the same for files of one student and for no other's."""

    key: tuple
    student: str  # the name under which the grade is written
    user: str = ""  # the platform's number of the student
    login: str = ""
    name: str = ""
    late: bool = False
    time: str = ""  # year-month-day-hour-minute-second, if the platform says when the file arrived
    order: int = 0  # of two files, the newer has the larger
    instead: str = ""  # what was handed in and is no file


def canvas(parts):
    """Read a name of Canvas's."""
    match = CANVAS.fullmatch(parts[0])
    if not match or len(parts) > 1:
        return None
    name, user = match["name"].rstrip("_"), match["user"]
    what = {"text": "text", "link": "a link"}.get(match["instead"], "")
    return Name((user, name), f"{name}_{user}".lstrip("_"), user.removeprefix("anon_"), name=name,
                late=bool(match["late"]), order=int(match["order"] or 0), instead=what)  # fmt: skip


def moodle(parts):
    """Read a name of Moodle's."""
    match = (MOODLE_FOLDER if len(parts) > 1 else MOODLE_FLAT).fullmatch(parts[0])
    if not match:
        return None
    text = "text" if match["plugin"] == "onlinetext" else ""
    return Name((match["user"], match["name"]), f"{match['name']}_{match['user']}", match["user"],
                name=match["name"], instead=text)  # fmt: skip


def blackboard(parts):
    """Read a name of Blackboard's; the username is what `notices` says of its head, else its last word."""
    match = BLACKBOARD.fullmatch(parts[0])
    if not match or len(parts) > 1:
        return None
    login = match["head"].rpartition("_")[2]
    return Name((match["head"],), login, login=login, time=match["time"], instead="" if match["file"] else "text")


def brightspace(parts):
    """Read a name of Brightspace's."""
    match = BRIGHTSPACE.fullmatch(parts[0])
    if not match or (len(parts) == 1) != bool(match["file"]):
        return None
    month, day, year, clock, half = match["time"].replace(",", "").split()
    if month not in MONTHS:
        return None
    hour, minute = int(clock[:-2]) % 12 + 12 * (half == "PM"), clock[-2:]
    time = f"{year}-{MONTHS.index(month) + 1:02}-{int(day):02}-{hour:02}-{minute}-00"
    return Name((match["user"],), f"{match['name']}_{match['user']}", name=match["name"], time=time)


def sakai(parts):
    """Read a name of Sakai's."""
    match = SAKAI.fullmatch(parts[0])
    if not match or len(parts) < 3 or parts[1] != ATTACHED:
        return None
    return Name((match["login"],), match["login"], login=match["login"], name=match["name"].strip())


def gradescope(parts):
    """Read a name of Gradescope's; who submitted stands in another file."""
    match = GRADESCOPE.fullmatch(parts[0])
    return Name((match["user"],), parts[0]) if match and len(parts) > 1 else None


def google(parts):
    """Read a name of Google Classroom's."""
    name, _, file = parts[0].partition(" - ")
    return Name((name,), name, name=name) if name and file and len(parts) == 1 else None


READERS = {"Moodle": moodle, "Blackboard": blackboard, "Canvas": canvas, "Brightspace": brightspace,
           "Gradescope": gradescope, "Sakai": sakai, "Google Classroom": google}  # fmt: skip
TITLES = [*READERS, "GitHub Classroom"]


def read(entries):
    """Return the platform's title, or "", and a function that reads the parts of a path: a `Name` or None."""
    entries = [parts for parts in entries if len(parts[0]) <= LONGEST]
    tops = {parts[0] for parts in entries}
    matches = {title: len({parts[0] for parts in entries if reader(parts)}) for title, reader in READERS.items()}
    title = max(READERS, key=lambda title: matches[title])
    if 2 * matches[title] > len(tops) and (title != "Google Classroom" or matches[title] == len(tops) > 1):
        return title, lambda parts: READERS[title](parts) if len(parts[0]) <= LONGEST else None
    clones = {parts[0] for parts in entries if ".git" in parts[1:2] or ".github" in parts[1:2]}
    if len(clones) > 1 and len(clones) == len(tops):
        start = os.path.commonprefix([*clones]).rpartition("-")[0] + "-"  # noqa: RUF071 (a part of a name)
        return "GitHub Classroom", lambda parts: _clone(parts, start)
    return "", lambda parts: None


def _clone(parts, start):
    login = parts[0].removeprefix(start)
    return Name((parts[0],), login, login=login)


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
                current[1] = _local(value.strip().strip("'\""))
        elif people and line.startswith(("  - :", "    :")):
            name, _, value = line[5:].partition(":")
            if line.startswith("  - :"):
                current[0].append({})
            if current[0] and name in ("name", "email", "sid"):
                current[0][-1][name] = value.strip().strip("'\"")[:200]
    return submissions


def _local(text):
    """Return a moment such as `2026-03-02 05:00:00.5 Z` in the time of this machine, in which deadlines are given."""
    moment, _, zone = text.replace("T", " ").partition(" ")[2].partition(" ")
    try:
        arrived = datetime.fromisoformat(
            f"{text[:10]} {moment[:8]}{zone.replace('Z', '+00:00').replace('UTC', '+00:00')}"
        )
    except ValueError:
        return ""
    return arrived.astimezone().strftime("%Y-%m-%d-%H-%M-%S")


def notices(texts):
    """Return {head: (username, name)} from the first line of Blackboard's notices, {head: bytes}."""
    people = {}
    for head, data in texts.items():
        label, _, line = data[:1000].partition(b"\n")[0].decode("utf-8", "replace").strip().partition(":")
        name, _, login = line.removesuffix(")").rpartition("(")
        if label == "Name" and head.endswith(f"_{login}") and line.endswith(")"):
            people[head] = login, name.strip()
    return people


def doubles(names):
    """Return (numbers with two names, names with two numbers): identities that two submissions claim."""
    users = Counter((name.user or name.login) for name in {n.key: n for n in names}.values() if name.user or name.login)
    people = Counter(" ".join(n.name.casefold().split()) for n in {n.key: n for n in names}.values() if n.name)
    blind = len(people) == 1 and len(names) > 2  # Moodle's anonymous marking: all are Participant
    return [u for u, many in users.items() if many > 1], [p for p, many in people.items() if many > 1 and not blind]
