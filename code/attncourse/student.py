"""The files of one student, and their code, kept running in a sandbox: `read`, then `run`, then calls of functions.

A statement that hangs or ends its process is skipped: a new worker runs the others again, so that the rest still earns
its points.
"""

import functools
import time

from . import protocol, pythons, reading, sandbox

NO_PYTHON = ("SyntaxError", "IndentationError", "TabError")
TOLD = 60  # remarks
SHOWN = 5  # failures of one cell that are shown
HANGS = 2  # calls of one function that may take too long; further ones fail at once, and others have time left
DEATHS = 3  # in one cell; then the rest of it is skipped


class Raised(Exception):
    """An error in the student's function, or the end of its process; ``kind`` is its type by name."""

    def __init__(self, kind, words):
        super().__init__(words)
        self.kind = kind


class RaisedValueError(Raised, ValueError):
    """An error of the student's that is a ValueError, of whatever subclass."""


class Student:
    """One student's notebook. After `run`, `functions` gives what calls their functions."""

    def __init__(self, files, assignment, limits, unsafe=False):
        self.files, self.assignment, self.limits, self.unsafe = files, assignment, limits, unsafe
        self.session, self.ran, self.python, self.numpy = None, 0, "", ""
        self.record, self.slow = None, False  # slow: a time limit was reached
        self.problems = {}  # {(cell, statement): (line, kind, words)}; statement -1 is the cell as a whole
        self.skipped, self.hung = set(), []  # (cell, statement); names of functions that took too long
        self.deadline = time.monotonic() + limits.total

    def read(self):
        """Return the record of the student's files, checked: see `reading.RECORD`."""
        self._start()
        others = dict(self.limits.pythons)
        named = self.record["python"]
        if not named and others:  # Colab's notebooks name none, and are written with a new one
            named = max(others, key=_version)
            named = named if _version(named) > _version(pythons.look().version) else ""
        if named in others:
            self.python = named
            self.close()
        return self.record

    def _start(self):
        """Start a worker and let it read the files."""
        self._left()
        self.session = sandbox.Session(self.limits, self.unsafe, dict(self.limits.pythons).get(self.python, ""))
        self.session.largest, self.numpy, self.ran = self.limits.record, self.session.numpy, 0
        try:
            seconds = min(self.limits.read, self._left())
            reply = self.session.ask(seconds, read=self.files, public=self.assignment.public())
            problem = reply["error"][0][0] if "error" in reply else ""
            record = reply.get("value")
        except protocol.PeerEnded as error:
            self.session, problem, record = None, str(error), None
        if not problem and not (protocol.conforms(record, reading.RECORD) and record["file"] < len(self.files)):
            problem = "what came back has a wrong form"
        if problem:
            record = reading.nothing(f"The files could not be read: {problem}.")
        elif self.session:
            self.session.largest = self.limits.reply
        self.record = self.record or record

    def run(self):
        """Run every cell, in a new worker if the last one is gone."""
        if self.session is None:
            self._start()
        while self.ran <= len(self.record["labels"]):
            if self.session is None:
                raise Raised("Ended", "its files can no longer be read")
            cell, self.ran = self.ran, self.ran + 1
            try:
                self._run_cell(cell)
            except protocol.PeerEnded:
                self._start()
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
        left = self._left()
        try:
            reply = self.session.ask(min(max(seconds, 0.01), left), **message)
        except protocol.PeerEnded as error:
            slow = isinstance(error, protocol.TimedOut)
            self.slow = self.slow or slow
            self.skipped.add((cell, number))
            words = f"the cell took more than {min(self.limits.cell, left):.3g} s" if slow else str(error)
            self.problems[cell, number] = (line, "", words)
            self.session = None
            raise
        if "error" in reply:
            (kind, *_), words, at = reply["error"]
            self.problems[cell, number] = (at or line, kind[:60], words)
        return reply

    def call(self, name, arguments, named, after=None):
        """Return the value of name(*arguments, **named), or raise Raised."""
        if self.session is None:
            raise Raised("Ended", "its process was ended")
        if self.hung.count(name) >= HANGS:
            raise Raised("Ended", f"{name} took more than {self.limits.call:.3g} s in earlier tests")
        seconds = min(self.limits.call, self._left())
        try:
            reply = self.session.ask(seconds, call=name, arguments=list(arguments), named=named, after=after)
        except protocol.PeerEnded as error:
            slow = isinstance(error, protocol.TimedOut)
            self.session, self.slow, self.hung = None, self.slow or slow, self.hung + [name] * slow
            raise Raised("Ended", f"a call of {name} was ended: {error}") from None
        if "error" in reply:
            (kind, *kinds), words, _ = reply["error"]
            raise (RaisedValueError if "ValueError" in kinds else Raised)(kind[:60], " ".join(words.split())[:200])
        return reply.get("value")

    def functions(self, after=None):
        """Return the functions that are asked for, as names stood after a cell, or at the end."""
        return {name: functools.partial(self._call, name, after) for name in self.assignment.functions}

    def _call(self, name, after, /, *arguments, **named):
        return self.call(name, arguments, named, after)

    def place(self, question):
        """Return the cell after which a question was answered, if names of the answer got another meaning later."""
        numbers = [q.name for q in self.assignment.questions]
        return next((place + 1 for number, place in self.record["reused"] if numbers[number] == question), None)

    def _left(self):
        left = self.deadline - time.monotonic()
        if left <= 0:
            self.slow = True
            raise Raised("OutOfTime", f"the {self.limits.total:.3g} s for one submission are used up")
        return left

    def close(self):
        """End the worker; `run` starts another."""
        if self.session is not None:
            self.session.close()
            self.session = None

    def remarks(self):
        """Return one line for each failure; they are frozen before the first hidden test."""
        labels = ["The given cell", *self.record["labels"]]
        lines = list(self.record["remarks"])
        for cell in sorted({cell for cell, _ in self.problems}):
            problems = [self.problems[place] for place in sorted(self.problems) if place[0] == cell]
            for line, kind, words in problems[:SHOWN]:
                where = labels[cell] + (f", line {line}" if line else "")
                what = f"{kind}: {' '.join(words.split())}".rstrip(": ") if kind else f"skipped, {words}"
                rest = {"OutOfTime": "", **dict.fromkeys(NO_PYTHON, "; nothing of the cell ran")}
                lines.append(f"{where}: {what}"[:300] + rest.get(kind, "; the rest of the cell ran") + ".")
            if len(problems) > SHOWN:
                lines.append(f"{labels[cell]}: {len(problems) - SHOWN} more statements failed.")
        named, ran = self.record["python"], self.python or pythons.look().version
        failed = any(kind in NO_PYTHON for _, kind, _ in self.problems.values())
        if named and named != ran:
            lines.append(f"The notebook was written with Python {named}; it was marked with {ran}.")
        elif not named and failed:
            lines.append(f"The notebook does not say which Python wrote it; it was marked with {ran}.")
        return lines if len(lines) <= TOLD else [*lines[:TOLD], f"And {len(lines) - TOLD} remarks more."]


def _version(text):
    return tuple(map(int, text.split(".")))
