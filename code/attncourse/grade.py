"""Mark one submission: the bytes of a notebook in, a plain dictionary out. The same bytes give the same dictionary.

The student's cells run in a sandbox. A cell that hangs or ends its process is skipped: a new worker runs the others
again, so that the rest still earns its points. The tests run in a child of this process. What the student's functions
return can keep it busy or fill its memory: the system ends it then, and another child goes on with the next test.
"""

import faulthandler
import json
import math
import os
import resource
import selectors
import signal
import time
import warnings
from pathlib import Path

from . import author, marks, sandbox

LARGEST = 20 << 20  # bytes of a notebook
CELLS = 500


class NotGradable(ValueError):
    """A file that is no notebook; one sentence for student and instructor."""


class Raised(Exception):
    """An error in the student's function, or the end of its process; ``kind`` is its type by name."""

    def __init__(self, kind, words):
        super().__init__(words)
        self.kind = kind


def cells(data):
    """The code cells of a notebook in order."""
    if not data.strip():
        raise NotGradable("The file is empty.")
    if len(data) > LARGEST:
        raise NotGradable(f"The file is larger than {LARGEST >> 20} MB.")
    try:
        found = json.loads(data)["cells"]
        code = [cell["source"] for cell in found if cell["cell_type"] == "code"]
        code = ["".join(source) for source in code]  # text, or a list of lines
    except (ValueError, TypeError, KeyError, RecursionError):
        raise NotGradable("The file is not a Jupyter notebook.") from None
    if len(code) > CELLS:
        raise NotGradable(f"The notebook has more than {CELLS} cells.")
    return code


class Student:
    """The cells of one student, kept running: calls of their functions go through `call`."""

    def __init__(self, sources, limits, unsafe=False):
        self.sources, self.limits, self.unsafe = sources, limits, unsafe
        self.session, self.ran = None, 0
        self.skipped, self.errors = {}, {}
        self.deadline = time.monotonic() + limits.total

    def run(self):
        """Run every cell that is not skipped, in a new worker if the last one is gone."""
        while self.session is None or self.ran < len(self.sources):
            if self.session is None:
                self._left()
                self.session, self.ran = sandbox.Session(self.limits, self.unsafe), 0
                continue
            number, self.ran = self.ran, self.ran + 1
            if number not in self.skipped:
                try:
                    reply = self.session.ask(min(self.limits.cell, self._left()), cell=self.sources[number])
                except sandbox.Gone as error:
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
        except sandbox.Gone as error:
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

    def function(self, name):
        return lambda *arguments, **named: self.call(name, arguments, named)

    def close(self):
        """End the worker; `run` starts another."""
        if self.session is not None:
            self.session.close()
            self.session = None

    def remarks(self):
        """One line for each cell that was skipped or raised an error."""
        for number in range(len(self.sources)):
            name = f"Code cell {number}" if number else "The given cell"  # which stands before the student's
            if number in self.skipped:
                yield f"{name} was skipped: {self.skipped[number]}."
            elif self.errors.get(number):
                kind, words, line = _words(self.errors[number])
                yield f"{name}{f', line {line}' if line else ''}: {kind}: {words}"[:300]


def _words(error):
    """Return type, words and line of an error for one line of text."""
    kind, words, line = error
    return kind[:60], " ".join(words.split())[:200], line


def run_tests(bundle, student, seed):
    """Run every test in child processes and return the marks."""
    tests, found = marks.tests(bundle), []
    functions = {
        name: student.function(name) for exercise in bundle["exercises"] for name in author.functions(exercise)
    }
    while len(found) < len(tests):
        try:
            student.run()
            reason = _run_in_child(tests, student, functions, seed, found)
        except Raised as error:  # the time is over, for this test and the others
            reason = f"{error.kind}: {error}"
            found += [marks.marked(test, reason) for test in tests[len(found) :]]
        if reason and len(found) < len(tests):
            found.append(marks.marked(tests[len(found)], reason))
        if len(found) < len(tests):
            student.close()  # its worker may be in the middle of an answer
    return found


def _run_in_child(tests, student, functions, seed, found):
    """Run the tests that `found` lacks in a child; append their marks; return why the next one failed, or None.

    The child also ends, without a reason, after a test that lost its worker.
    """
    end, start = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of dask's: the child uses nothing of theirs
        child = os.fork()
    if child == 0:
        os.close(end)
        _be_child(tests[len(found) :], student, functions, seed, start)
    os.close(start)
    status = None
    try:
        _collect(end, student, found)
        status = os.waitpid(child, 0)[1]
    except sandbox.Gone as error:
        return f"Ended: {error}"
    finally:
        os.close(end)
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return _why(os.WTERMSIG(status), student.limits)
    return None


def _why(number, limits):
    """Say why a child was ended by this signal."""
    if number == signal.SIGXCPU:
        return f"Deadline: the test worked for more than {limits.test} s on what the functions returned"
    if number == signal.SIGKILL:  # nobody here sent it
        raise RuntimeError("the process that runs the tests was killed, perhaps because the machine had no memory left")
    return f"Crash: the test ended on what the functions returned ({signal.Signals(number).name})"


def _collect(pipe, student, found):
    """Append the marks that the child writes, until it closes the pipe; `Gone` or `Raised` if it must be ended."""
    text = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if selector.select(sandbox.POLL):
                piece = os.read(pipe, 1 << 16)
                if not piece:
                    return
                *lines, text = (text + piece).split(b"\n")
                for mark in map(json.loads, lines):
                    if "bug" in mark:
                        raise RuntimeError(mark["bug"])
                    found.append(mark)
            student.session.watch()
            if time.monotonic() > student.deadline + student.limits.test:
                student.out_of_time()


def _be_child(tests, student, functions, seed, pipe):
    """Run tests and write a line for each; never return."""
    try:
        faulthandler.disable()  # a crash is the parent's to report
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends this process
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        _bound(resource.RLIMIT_AS, _address_space() + student.limits.room)
        _bound(resource.RLIMIT_CORE, 0)
        for test in tests:
            _bound(resource.RLIMIT_CPU, math.ceil(time.process_time()) + student.limits.test)
            mark = marks.run(test, functions, seed)
            if student.session is None and mark["passed"]:  # it passed without an answer
                mark = marks.marked(test, "Ended: its process was ended")
            _write(pipe, mark)
            if student.session is None:
                break
    except BaseException as error:  # a fault of the grader's: the parent raises it
        _write(pipe, {"bug": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(0)


def _bound(kind, value):
    """Lower the soft limit; where it ends this process, the system does it, even in the middle of a loop in C."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _address_space():
    """Return the bytes of address space that this process has now, where the system tells."""
    about = Path("/proc/self/statm")
    return int(about.read_text().split()[0]) * resource.getpagesize() if about.exists() else 0


def _write(pipe, about):
    data = json.dumps(about).encode() + b"\n"
    while data:
        data = data[os.write(pipe, data) :]


def grade(data, bundle, seed=marks.SEED, limits=None, unsafe=False):
    """Return marks and remarks for the bytes of one notebook: {"score", "marks", "remarks"}."""
    try:
        sources = cells(data)
    except NotGradable as error:
        return {"score": 0, "marks": marks.mark(bundle, {}, seed), "remarks": [str(error)]}
    student = Student([bundle["given"], *sources], limits or sandbox.Limits(), unsafe)
    try:
        try:
            student.run()
        except Raised as error:
            student.errors[len(student.sources) - 1] = [error.kind, str(error), None]
        found = run_tests(bundle, student, seed)
    finally:
        student.close()
    return {"score": marks.earned(found), "marks": found, "remarks": list(student.remarks())}
