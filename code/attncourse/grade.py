"""Mark one submission: the bytes of a notebook in, a plain dictionary out. The same bytes give the same dictionary.

The student's cells run in a sandbox. A cell that hangs or ends its process is skipped: a new worker runs the others
again, so that the rest still earns its points. The tests run in a process of their own, with a deadline.
"""

import functools
import re
import time
from pathlib import Path

from . import author, deadline, marks, pythons, reading, sandbox

STAND_INS = (Path(__file__).parent / "standins.py").read_text(encoding="utf-8")
NO_PYTHON = ("SyntaxError", "IndentationError", "TabError")


class Raised(Exception):
    """An error in the student's function, or the end of its process; ``kind`` is its type by name."""

    def __init__(self, kind, words):
        super().__init__(words)
        self.kind = kind


class Student:
    """The cells of one student, kept running: calls of their functions go through `call`."""

    def __init__(self, sources, limits, unsafe=False, python=""):
        self.sources, self.limits, self.unsafe, self.python = sources, limits, unsafe, python
        self.session, self.ran = None, 0
        self.skipped, self.errors = {}, {}
        self.deadline = time.monotonic() + limits.total

    def run(self):
        """Run every cell that is not skipped, in a new worker if the last one is gone."""
        while self.session is None or self.ran < len(self.sources):
            if self.session is None:
                self._left()
                self.session, self.ran = sandbox.Session(self.limits, self.unsafe, self.python), 0
                continue
            number, self.ran = self.ran, self.ran + 1
            if number not in self.skipped:
                try:
                    reply = self.session.ask(min(self.limits.cell, self._left()), cell=self.sources[number])
                except sandbox.WorkerDied as error:
                    self.skipped[number], self.session = str(error), None
                    continue
                self.errors[number] = reply.get("error")

    def call(self, name, arguments, named):
        """Return the value of name(*arguments, **named), or raise Raised."""
        if self.session is None:
            raise Raised("Ended", "its process was ended")
        seconds = min(self.limits.call, self._left())
        try:
            reply = self.session.ask(seconds, call=name, arguments=list(arguments), named=named)
        except sandbox.WorkerDied as error:
            self.session = None
            raise Raised("Ended", f"a call of {name} was ended: {error}") from None
        if "error" in reply:
            raise Raised(*_words(reply["error"])[:2])
        return reply.get("value")

    def _left(self):
        left = self.deadline - time.monotonic()
        return left if left > 0 else self.out_of_time()

    def out_of_time(self):
        raise Raised("OutOfTime", f"the {self.limits.total:.3g} s for one submission are used up")

    def functions(self, names):
        """Return functions that call the student's of these names."""
        return {name: functools.partial(self._call, name) for name in names}

    def _call(self, name, /, *arguments, **named):
        return self.call(name, arguments, named)

    def close(self):
        """End the worker; `run` starts another."""
        if self.session is not None:
            self.session.close()
            self.session = None

    def remarks(self, written):
        """Return one line for each cell that was skipped or raised an error; `written` are the student's own cells."""
        for number in range(len(self.sources)):
            # The given cell stands before the student's.
            name = _name(number, written[number - 1]) if number else "The given cell"
            if number in self.skipped:
                yield f"{name} was skipped: {self.skipped[number]}."
            elif self.errors.get(number):
                kind, words, line = _words(self.errors[number])
                rest = {"OutOfTime": "", **dict.fromkeys(NO_PYTHON, "; nothing of the cell ran")}
                told = f"{name}{f', line {line}' if line else ''}: {kind}: {words}"[:300]
                yield told + rest.get(kind, "; the rest of the cell ran") + "."


def _name(number, source):
    """Return which cell this is, so that the student finds it: code cells are counted, the empty ones too."""
    first = next((line.strip() for line in source.splitlines() if line.strip()), "")
    return f"Code cell {number}" + (f" ({first[:40]}{'…' * (len(first) > 40)})" if first else "")


def _words(error):
    """Return type, words and line of an error for one line of text."""
    kind, words, line = error
    return kind[:60], " ".join(words.split())[:200], line


def run_tests(bundle, student, seed):
    """Run every test and return the marks."""
    asked = [name for exercise in bundle["exercises"] for name in author.functions(exercise)]
    tests, found = [test | {"asks": asked} for test in marks.tests(bundle)], []
    while len(found) < len(tests):
        try:
            student.run()
            reason = deadline.run(tests, student, seed, found)
        except Raised as error:  # the time is over, for this test and the others
            reason = f"{error.kind}: {error}"
            found += [marks.marked(test, reason) for test in tests[len(found) :]]
        if reason and len(found) < len(tests):
            found.append(marks.marked(tests[len(found)], reason))
        if len(found) < len(tests):
            student.close()  # its worker may be in the middle of an answer
    return found


def grade(data, bundle, seed=marks.SEED, limits=None, unsafe=False):
    """Return marks and remarks for the bytes of one notebook: {"score", "marks", "remarks", "written", "python"}."""
    limits = limits or sandbox.Limits()
    try:
        sources, texts, named = reading.notebook(data)
    except reading.NotGradable as error:
        return no_file(str(error), bundle)
    asked = {name for exercise in bundle["exercises"] for name in author.functions(exercise)}
    plain = [STAND_INS + bundle["given"], *reading.translate(sources)]
    python = dict(limits.pythons).get(named, "")
    student = Student(plain, limits, unsafe, python)
    try:
        try:
            student.run()
        except Raised as error:
            student.errors[max(student.ran - 1, 0)] = [error.kind, str(error), None]
        found = run_tests(bundle, student, seed)
    finally:
        student.close()
    result = {"score": marks.earned(found), "marks": found, "remarks": list(student.remarks(sources))}
    result["written"] = author.written_answers(texts, bundle)
    result["python"] = named if python else pythons.look().version
    if named not in ("", result["python"]):
        result["remarks"].append(
            f"The notebook was written with Python {named}; it was marked with {result['python']}."
        )
    if not any(re.search(rf"^\s*(async\s+)?def\s+{name}\b|^\s*{name}\b.*=", source, re.MULTILINE)
               for name in asked for source in sources):  # fmt: skip
        result["file"] = "It defines none of the functions that are asked for: perhaps it is another notebook."
        result["remarks"].append(result["file"])
    return result


def no_file(reason, bundle):
    """Return the result where there is no notebook to run: no points, and the reason under `file`."""
    found = [marks.marked(test, reason) for test in marks.tests(bundle)]
    return {"score": 0, "marks": found, "remarks": [reason], "file": reason}
