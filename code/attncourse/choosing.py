"""Choose among the files of one student: find every notebook, in zips too, and say why the other files are none.

This runs in the sandbox, before any code of the student's. Standard library only.
"""

import io
import zipfile
from dataclasses import dataclass, replace

from . import finding, parsing

ALL = 60 << 20  # bytes of everything that is unpacked for one student
MEMBERS = 1000  # files in a student's zip
UNUSED = 100  # files of which it is said why they are not used
NOTEBOOK, OTHER_ENDINGS = ".ipynb", (".ipynb.txt", ".ipynb.json")  # as a browser or a mail program saves one
ALL_ENDINGS = (NOTEBOOK, *OTHER_ENDINGS)
ZIP, ZIP_BEGINS = ".zip", b"PK\x03\x04"
SYSTEM = ("__MACOSX", ".ipynb_checkpoints", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class File:
    """A file of a student's, or one in a zip of theirs."""

    index: int  # of the file that was handed in
    name: str
    order: list  # of two files, the one with the larger order is the newer
    data: bytes | str  # a sentence says why it cannot be read


@dataclass
class Candidate:
    """A notebook that may be graded, and the file in which it was, without its bytes."""

    index: int
    name: str
    order: list
    notebook: parsing.Notebook
    answered: int  # how many of the functions that are asked for are more than a stub

    @property
    def rank(self):
        """Return what is larger for the notebook that is meant: one with an answer, then the newer one."""
        return self.answered > 0, self.order, self.answered, self.name


def candidates(files, asked):
    """Return every Candidate of [[name, order, bytes or a sentence], …], and "name: why" for the files that are none.

    The functions with the names `asked` tell an answer from a stub. NotGradable where there is no notebook.
    """
    search = _Search(asked)
    others = search.read_notebooks([File(index, *file) for index, file in enumerate(files)])
    if not search.found:
        search.look_into(others)
    else:  # a notebook beside a zip or a file without an ending is the one that is meant
        for file in others:
            search.set_aside(file)
    if not search.found:
        raise parsing.NotGradable(_why_nothing([name for name, *_ in files], search.reasons))
    return search.found, search.unused[:UNUSED]


def is_of_the_system(path):
    """Return whether a program, and not the student, put a file of this name there."""
    return any(part.startswith(("._", "~$", ".~")) or part in SYSTEM for part in path.split("/"))


def short(name):
    """Return a name, or the beginning of a long one."""
    return name if len(name) <= 100 else f"{name[:99]}…"


class _Search:
    """The notebooks that were found among the files of a student, and why the other files are none."""

    def __init__(self, asked):
        self.asked = asked
        self.found: list[Candidate] = []
        self.unused: list[str] = []  # "name: why"
        self.reasons: list[str] = []  # why those that should be notebooks are none
        self.left = ALL  # bytes that may still be unpacked

    def read_notebooks(self, files):
        """Read the files that are notebooks by their names; return those whose names leave it open."""
        others = []
        for file in files:
            if isinstance(file.data, str):
                self.refuse(file, file.data)
            elif is_of_the_system(file.name):
                self.unused.append(f"{short(file.name)}: not a student's file")
            elif file.name.lower().endswith(ALL_ENDINGS):
                self.read(file)
            else:
                others.append(file)
        return others

    def look_into(self, files):
        """Unpack zips, and read what begins as a notebook does."""
        for file in files:
            if file.name.lower().endswith(ZIP) or file.data.startswith(ZIP_BEGINS):
                self.unpack(file)
            elif file.data.lstrip()[:1] == b"{":
                self.read(file)
            else:
                self.unused.append(f"{short(file.name)}: no notebook")

    def set_aside(self, file):
        """Note that a file is not looked into; one without a name stands for no file."""
        if file.name:
            self.unused.append(f"{short(file.name)}: no notebook")

    def refuse(self, file, reason):
        """Note why a file is no notebook."""
        self.reasons.append(reason)
        self.unused.append(f"{short(file.name)}: {reason}")

    def read(self, file):
        """Read a notebook."""
        try:
            notebook = parsing.parse(file.data)
        except parsing.NotGradable as error:
            self.refuse(file, str(error))
            return
        if not file.name.lower().endswith(NOTEBOOK):
            notebook.remarks.append(f"The file was read as a notebook in spite of its name, {short(file.name)}.")
        answered = sum(finding.is_answered(finding.body(notebook.code, name)) for name in self.asked)
        self.found.append(Candidate(file.index, file.name, file.order, notebook, answered))

    def unpack(self, file):
        """Read every notebook in a zip, one after the other."""
        try:
            archive = _opened(file.data)
            for member in _notebooks(archive):
                self.read(replace(file, name=f"{file.name}/{member.filename}", data=self.unpacked(archive, member)))
        except parsing.NotGradable as error:
            self.refuse(file, str(error))

    def unpacked(self, archive, member):
        """Return the bytes of one file in a zip."""
        try:
            with archive.open(member) as file:
                data = file.read(min(parsing.LARGEST, self.left) + 1)
        except Exception as error:  # a damaged member, a password, a method that nobody knows
            kind = type(error).__name__
            raise parsing.NotGradable(f"{short(member.filename)} in the zip cannot be read ({kind}).") from None
        self.left -= len(data)
        if self.left < 0:
            raise parsing.NotGradable(f"The zip unpacks to more than {ALL >> 20} MB.")
        return data


def _opened(data):
    """Return a zip that can be opened and does not hold too many files."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        number = len(archive.infolist())
    except Exception as error:
        raise parsing.NotGradable(f"The zip cannot be opened ({type(error).__name__}).") from None
    if number > MEMBERS:
        raise parsing.NotGradable(f"The zip holds {number} files; at most {MEMBERS} are read.")
    return archive


def _notebooks(archive):
    """Return those members of a zip that are notebooks by their names."""
    members = [
        member
        for member in archive.infolist()
        if member.filename.lower().endswith(ALL_ENDINGS) and not is_of_the_system(member.filename)
    ]
    if not members:
        raise parsing.NotGradable("The zip holds no notebook.")
    return members


def _why_nothing(names, reasons):
    """Say why none of the files is a notebook: what the last one said, or what is there."""
    listed = ", ".join(short(name) for name in names if name)
    seen = f": found {listed}" if listed else ""
    reason = reasons[-1] if reasons else f"No notebook was handed in{seen}."
    return reason if len(reason) <= 500 else f"{reason[:500]}…"
