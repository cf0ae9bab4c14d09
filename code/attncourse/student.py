"""In an examiner's process: one student's files and code, kept behind the walls of `sandbox`.

The worker at the other end of the sandbox's pipe reads the files and runs the code. What it answers is checked here:
the student's code may have written it.
"""

import functools
import time

from . import protocol, reading, sandbox
from .sandbox import PYTHON_VERSION

NO_PYTHON = ("SyntaxError", "IndentationError", "TabError")
REMARKS = 60
SHOWN = 5  # failures of one cell that are shown
HANGS = 2  # calls of one function that may take too long; further ones fail at once, and others have time left
DEATHS = 3  # in one cell; then the rest of it is skipped
UNANSWERED = ("NotImplementedError", "your code here")  # kind and message, as `model.stub` has it


class Raised(Exception):
    """An error in the student's function, or the end of its process; ``kind`` is its type by name."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class RaisedValueError(Raised, ValueError):
    """An error of the student's that is a ValueError, of whatever subclass."""


class Student:
    """The files of one student and their code, kept running in a sandbox: `read`, then `run`, then calls of functions.

    A statement that hangs or ends its process is skipped: a new worker runs the others again, so that the rest still
    earns its points.
    """

    def __init__(self, files, assignment, limits, unsafe=False):
        self.files, self.assignment, self.limits, self.unsafe = files, assignment, limits, unsafe
        self.session = None  # the worker
        self.numpy = ""  # its version in there
        self.record = None  # what the first worker read: see `reading.Record`
        self.ran = 0  # cells that the worker has run
        self.slow = 0  # time limits that were reached
        self.problems = {}  # {(cell, statement): (line, kind, message)}; statement -1 is the cell as a whole
        self.skipped = set()  # (cell, statement) of each that hung, or ended its process
        self.hung = []  # the name of a function for each call that took too long
        self.deadline = time.monotonic() + limits.total

    def read(self):
        """Start a worker, let it read the files, and return their record, checked: see `reading.RECORD`."""
        left = self._seconds_left()
        self.session = sandbox.Session(self.limits, self.unsafe)
        self.session.largest = self.limits.record
        self.numpy = self.session.numpy
        self.ran = 0
        record, problem = self._ask_to_read(min(self.limits.read, left))
        if problem:
            record = reading.nothing(f"The files could not be read: {problem}.")
        else:
            self.session.largest = self.limits.reply
        self.record = self.record or record
        return self.record

    def _ask_to_read(self, seconds):
        """Return the record of the files that the worker sends, and "" or why it cannot be used."""
        try:
            reply = self.session.ask(seconds, read=self.files, public=self.assignment.public())
        except protocol.PeerEnded as error:
            self.session = None
            self.slow += isinstance(error, protocol.TimedOut)
            return None, str(error)
        if "error" in reply:
            return None, reply["error"][0][0]
        record = reply.get("value")
        if not protocol.conforms(record, reading.RECORD) or record["file"] >= len(self.files):
            return None, "what came back has a wrong form"
        return record, ""

    def run(self):
        """Run every cell, in a new worker if the last one is gone."""
        if self.session is None:
            self.read()
        while self.ran <= len(self.record["labels"]):
            if self.session is None:
                raise Raised("Ended", "its files can no longer be read")
            cell, self.ran = self.ran, self.ran + 1
            try:
                self._run_cell(cell)
            except protocol.PeerEnded:
                self.read()
            except Raised as error:
                self.problems[cell, -1] = (None, error.kind, str(error))
                raise

    def _run_cell(self, cell):
        """Run one cell, statement by statement: after one that fails the others still run."""
        if (cell, -1) in self.skipped:
            return
        lines = self._step(cell, -1, None, self.limits.cell, {"cell": cell}).get("value")
        until = time.monotonic() + self.limits.cell
        for number, line in enumerate(lines if protocol.conforms(lines, [int]) else []):
            dead = {place for place in self.skipped if place[0] == cell}
            if (cell, number) not in dead and len(dead) < DEATHS:
                self._step(cell, number, line, until - time.monotonic(), {"statement": [cell, number]})
        if any(place + 1 == cell for _, place in self.record["reused"]):
            self._step(cell, -1, None, self.limits.cell, {"keep": cell})

    def _step(self, cell, number, line, seconds, message):
        """Ask the worker for one step of a cell, and note what goes wrong."""
        left = self._seconds_left()
        try:
            reply = self.session.ask(min(max(seconds, 0.01), left), **message)
        except protocol.PeerEnded as error:
            slow = isinstance(error, protocol.TimedOut)
            self.slow += slow
            self.skipped.add((cell, number))
            why = f"the cell took more than {min(self.limits.cell, left):.3g} s" if slow else str(error)
            self.problems[cell, number] = (line, "", why)
            self.session = None
            raise
        if "error" in reply:
            (kind, *_), text, at = reply["error"]
            self.problems[cell, number] = (at or line, kind[:60], text)
        return reply

    def call(self, name, after, /, *arguments, **named):
        """Return the value of name(*arguments, **named) with all names as they were after a cell, or raise Raised."""
        if self.session is None:
            raise Raised("Ended", "its process was ended")
        if self.hung.count(name) >= HANGS:
            raise Raised("Ended", f"{name} took more than {self.limits.call:.3g} s in earlier tests")
        seconds = min(self.limits.call, self._seconds_left())
        try:
            reply = self.session.ask(seconds, call=name, arguments=list(arguments), named=named, after=after)
        except protocol.PeerEnded as error:
            slow = isinstance(error, protocol.TimedOut)
            self.session = None
            if slow:
                self.slow += 1
                self.hung.append(name)
            raise Raised("Ended", f"a call of {name} was ended: {error}") from None
        if "error" in reply:
            (kind, *kinds), text, _ = reply["error"]
            raised = RaisedValueError if "ValueError" in kinds else Raised
            raise raised(kind[:60], " ".join(text.split())[:200])
        return reply.get("value")

    def defines_any(self):
        """Return whether one of the functions that are asked for exists, wherever it comes from."""
        if self.session is None or not self.record["problem"]:
            return not self.record["problem"]
        try:
            reply = self.session.ask(min(self.limits.call, self._seconds_left()), defined=self.assignment.functions)
        except (protocol.PeerEnded, Raised):
            self.session = None
            return False
        return reply.get("value") is True

    def functions(self, after=None):
        """Return the functions that are asked for, with all names as they were after a cell, or at the end."""
        return {name: functools.partial(self.call, name, after) for name in self.assignment.functions}

    def answered_after(self, question):
        """Return the cell after which a question was answered, if names of the answer got another meaning later."""
        numbers = [q.name for q in self.assignment.questions]
        return next((place + 1 for number, place in self.record["reused"] if numbers[number] == question), None)

    def _seconds_left(self):
        """Return the time that is left for this submission; raise Raised if none is."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            self.slow += 1
            raise Raised("OutOfTime", f"the {self.limits.total:.3g} s for one submission are used up")
        return left

    def close(self):
        """End the worker; `run` starts another."""
        if self.session is not None:
            self.session.close()
            self.session = None

    def remarks(self):
        """Return one line for each failure; they are frozen before the first hidden test."""
        failed = {place: problem for place, problem in self.problems.items() if problem[1:] != UNANSWERED}
        lines = [
            *self.record["remarks"],
            *self._about_stubs(self.problems.keys() - failed.keys()),
            *self._about_failures(failed),
            *self._about_python(),
        ]
        return lines if len(lines) <= REMARKS else [*lines[:REMARKS], f"And {len(lines) - REMARKS} remarks more."]

    def _about_stubs(self, places):
        """Yield one line about all cells that call a function without an answer."""
        cells = {cell for cell, _ in places}
        if cells:
            call = "One cell calls" if len(cells) == 1 else f"{len(cells)} cells call"
            yield f"{call} a function that is still as it was handed out."

    def _about_failures(self, failed):
        """Yield a line for each failure, up to a number for each cell."""
        labels = ["The given cell", *self.record["labels"]]
        for cell in sorted({cell for cell, _ in failed}):
            problems = [failed[place] for place in sorted(failed) if place[0] == cell]
            yield from (_failure(labels[cell], *problem) for problem in problems[:SHOWN])
            if len(problems) > SHOWN:
                yield f"{labels[cell]}: {len(problems) - SHOWN} more statements failed."

    def _about_python(self):
        """Yield a line if the notebook was written with another Python, or may have been."""
        written_with = self.record["python"]
        if written_with and written_with != PYTHON_VERSION:
            yield f"The notebook was written with Python {written_with}; it was marked with {PYTHON_VERSION}."
        elif not written_with and any(kind in NO_PYTHON for _, kind, _ in self.problems.values()):
            yield f"The notebook does not say which Python wrote it; it was marked with {PYTHON_VERSION}."


def _failure(label, line, kind, text):
    """Return the remark about one statement that failed."""
    where = f"{label}, line {line}" if line else label
    what = f"{kind}: {' '.join(text.split())}".rstrip(": ") if kind else f"skipped, {text}"
    if kind == "OutOfTime":
        rest = ""
    elif kind in NO_PYTHON:
        rest = "; nothing of the cell ran"
    else:
        rest = "; the rest of the cell ran"
    return f"{where}: {what}"[:300] + rest + "."
