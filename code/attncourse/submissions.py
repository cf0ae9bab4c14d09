"""What was handed in: a file of a download, what one student's files are, and a whole class."""

import errno
from collections.abc import Callable
from dataclasses import dataclass, field

from . import choosing

LISTED = 1000  # files of one student, the newest first
READ = 50  # of them, those that are read
BYTES = 60 << 20  # of them all
ENDINGS = (*choosing.OTHER_ENDINGS, choosing.NOTEBOOK)  # the longer ones first
WORTH_READING = (*ENDINGS, ".zip", ".json")


@dataclass(frozen=True)
class Entry:
    """One file of a download. `read` returns its bytes, or a sentence that says why it cannot be read."""

    parts: tuple  # of its path; a folder that is empty or cannot be read is an entry, too: its last part is ""
    stamp: str  # when it was changed, year-month-day-hour-minute-second, if that says anything
    read: Callable[[], bytes | str]

    @property
    def path(self):
        """Return the path with slashes."""
        return "/".join(self.parts)

    @property
    def rest(self):
        """Return the path below the first folder, or the name of a file that lies in none."""
        return "/".join(self.parts[1:]) or self.parts[0]

    def read_bytes(self):
        """Return the bytes as a `Path` does; OSError where they cannot be read."""
        data = self.read()
        if isinstance(data, str):
            raise OSError(errno.EIO, data.rstrip("."))
        return data

    def __str__(self):
        return self.path


@dataclass(frozen=True)
class File:
    """One file of a student. `read` returns its bytes, or a sentence that says why it cannot be read."""

    path: str  # in the download
    name: str  # without what the platform adds
    read: object
    late: bool | None = None  # as the platform or a table says; None if neither does
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
    maybe: tuple = ()  # whose it can be: `identity` of each

    @property
    def identity(self):
        """Return what the platform calls the student: a number, a username, or whatever there is."""
        return self.user or self.login or self.student

    def load(self):
        """Return [[name, order, bytes or a sentence], …] for the sandbox: the newest files, within limits."""
        loaded, left, number = [], BYTES, 0
        for file in self.files[:LISTED]:
            number += file.may_answer
            if file.instead:
                data = f"It was handed in as {file.instead}, not as a notebook."
            elif not file.may_answer:
                data = b""
            elif number <= READ and left > 0:
                data = file.read()
            else:
                data = "It was not read: there are too many files."
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
    helped: list = field(default_factory=list)  # names that only the roster made certain


def file_of(entry, each=None):
    """Return the `File` of an entry, with what a reading of its name says."""
    if each is None:
        return File(entry.path, entry.rest, entry.read, order=(0, entry.stamp))
    order = (each.order, each.time or entry.stamp)
    return File(entry.path, each.file or entry.rest, entry.read, each.late, each.time, order, each.instead)


def ordered(files):
    """Return files, those first that may hold an answer, and of them the newest."""
    return tuple(sorted(files, key=lambda file: (file.name.lower().endswith(WORTH_READING), file.order), reverse=True))
