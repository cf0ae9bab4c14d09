"""Examine one submission in a process of its own: `grade` asks that process, `serve` answers in it.

The examiner keeps a `Student`, whose files are read and whose code runs in a worker behind the walls of `sandbox`, and
runs the hidden tests under limits of time and memory. Where a test brings it down, that test is lost, and another
examiner goes on with the next. One process serves many submissions while it behaves. No byte that a student wrote is
parsed in the process that asks.
"""

import atexit
import contextlib
import functools
import math
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

from . import cgroup, marks, protocol, reading, sandbox
from .model import Mark, Result, load_assignment

LARGEST = 1 << 30  # bytes of a message between grader and examiner, which trust each other
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
NO_PYTHON = ("SyntaxError", "IndentationError", "TabError")
REMARKS = 60
SHOWN = 5  # failures of one cell that are shown
HANGS = 2  # calls of one function that may take too long; further ones fail at once, and others have time left
DEATHS = 3  # in one cell; then the rest of it is skipped
UNANSWERED = ("NotImplementedError", "your code here")  # kind and message, as `model.stub` has it
ENDING = 1  # seconds that an examiner has to end by itself
NOT_GRADED = "The grader failed, through no fault of this notebook."
_running: dict = {}  # {(process, thread): its examiner}


def grade(files, assignment, seed=marks.SEED, limits=None, unsafe=False):
    """Return the `Result` of [[name, order, bytes or a sentence], …]. What goes wrong costs this submission only."""
    limits = limits or sandbox.Limits()
    try:
        return _examined(files, assignment, str(seed), limits, unsafe)
    except Exception as error:
        end()
        return Result(None, remarks=[NOT_GRADED], fault=f"{type(error).__name__}: {error}")


def _examined(files, assignment, seed, limits, unsafe):
    """Ask examiners until every test has a mark."""
    tests, marked, state, slow = marks.tests(assignment), [], {"frozen": None, "skipped": []}, 0
    deadline = time.monotonic() + limits.total + limits.test + limits.grace
    request = {"files": files, "assignment": asdict(assignment), "seed": seed, "unsafe": unsafe}
    request["limits"] = asdict(limits)
    while state["frozen"] is None or len(marked) < len(tests):
        examiner, why = _examiner(), ""
        done = {"marked": len(marked), "left": deadline - time.monotonic()} | state
        try:
            examiner.send(request | done, deadline)
            while state["frozen"] is None or len(marked) < len(tests):
                message = examiner.receive(deadline)
                if "bug" in message:
                    raise RuntimeError(message["bug"])
                slow = max(slow, message.pop("slow"))
                marked += [Mark(**mark) for mark in message.pop("marks")]
                state |= message
            continue
        except TimeoutError:
            end()
            why = f"OutOfTime: the {limits.total:.3g} s for one submission are used up"
        except protocol.PeerEnded:
            code = examiner.process.wait()
            end()
            why = _why(code - 128 if code > 128 else -code, limits)  # a shell or bubblewrap around it adds 128
        if state["frozen"] is None:
            raise RuntimeError(f"the examiner ended before the first test: {why}")
        slow += not why.startswith("Crash")
        late = tests[len(marked) :] if why.startswith("OutOfTime") else [tests[len(marked)]]
        marked += [marks.marked(question, test, why) for question, test in late]
    result, score = Result.load(state["frozen"]), sum(mark.earned for mark in marked)
    # The remarks stay as they were frozen; the instructor's list of files without points follows the points.
    return replace(result, score=score, marks=marked, problem="" if score else result.problem, slow=slow)


class Examiner(protocol.Conversation):
    """A process that runs `serve`."""

    def __init__(self):
        serve = "import sys; sys.path.insert(0, sys.argv[1]); from attncourse import examiner; examiner.serve()"
        command = [sys.executable, "-B", "-c", serve, str(Path(__file__).parents[1])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, start_new_session=True, bufsize=0)  # fmt: skip
        super().__init__(self.process.stdin.fileno(), self.process.stdout.fileno(), LARGEST)

    def end(self):
        """End the process, which ends its sandbox first; one that is busy is killed, and its sandbox ends with it."""
        self.process.stdin.close()
        try:
            self.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        cgroup.remove_all(self.process.pid)


def _examiner():
    """Return this thread's examiner; start it if there is none."""
    here = os.getpid(), threading.get_ident()
    if here not in _running or _running[here].process.poll() is not None:
        _running[here] = Examiner()
    return _running[here]


def end():
    """End this thread's examiner, if there is one."""
    examiner = _running.pop((os.getpid(), threading.get_ident()), None)
    if examiner is not None:
        examiner.end()


@atexit.register
def end_all():
    """End every examiner of this process."""
    for here in [here for here in _running if here[0] == os.getpid()]:
        _running.pop(here).end()


def _why(number, limits):
    """Say why an examiner was ended by the signal of this number."""
    if number == signal.SIGXCPU:
        return f"Deadline: the test worked for more than {limits.test} s on what the functions returned"
    if number <= 0 or number == signal.SIGKILL:  # nobody here sent it
        raise RuntimeError("the process that runs the tests was ended, perhaps because the machine had no memory left")
    return f"Crash: the test ended on what the functions returned ({signal.Signals(number).name})"


def serve():
    """Examine the submissions that arrive on the standard input, until it is closed."""
    requests, replies, null = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)
    threading.Thread(target=_end_with_the_grader, args=[requests], daemon=True).start()
    line, used = protocol.Conversation(replies, requests, LARGEST), _address_space()
    _bound(resource.RLIMIT_CORE, 0)
    while True:
        try:
            request = line.receive()
        except protocol.PeerEnded:
            return
        limits = sandbox.Limits(**request.pop("limits"))
        send = lambda **message: line.send(message)  # noqa: E731
        _bound(resource.RLIMIT_AS, used + limits.test_memory + 2 * sum(len(data) for *_, data in request["files"]))
        _bound(resource.RLIMIT_CPU, math.ceil(time.process_time() + limits.total + limits.test))
        assignment = load_assignment(request.pop("assignment"))
        student = Student(request["files"], assignment, limits, request["unsafe"])
        student.deadline = time.monotonic() + min(limits.total, request["left"])
        try:
            _examine(student, request, send)
        except BaseException as error:  # a fault of the grader's: `grade` raises it
            send(bug=f"{type(error).__name__}: {error}")
        finally:
            student.close()


def _end_with_the_grader(requests):
    """End this process, and so its sandbox, when the grader is gone, however it ended: its pipe is closed then."""
    closed = select.poll()
    closed.register(requests, 0)  # that the other side has hung up is always told
    closed.poll()
    sandbox.end_all()
    os._exit(1)


def _examine(student, request, send):
    """Read, run and test. What the student's page says of the run is `frozen` and sent before any test."""
    record, frozen, tests = student.read(), request["frozen"], marks.tests(student.assignment)
    if record["file"] < 0:
        result = Result(None, remarks=[*record["remarks"], record["problem"]], problem=record["problem"],
                        unused=record["unused"], slow_before_tests=student.slow)  # fmt: skip
        nothing = [asdict(marks.marked(question, test, record["problem"])) for question, test in tests]
        send(frozen=asdict(result), marks=nothing, slow=student.slow)
        return
    student.skipped = {tuple(place) for place in request["skipped"]}
    with contextlib.suppress(Raised):
        student.run()
    if frozen is None:
        written = {student.assignment.questions[int(n)].name: text for n, text in record["written"].items()}
        problem = "" if student.defines_any() else record["problem"]
        remarks = student.remarks() + [problem] * bool(problem)
        result = Result(None, [], remarks, problem, written, record["tokens"], PYTHON, student.numpy, record["file"],
                        record["unused"], slow_before_tests=student.slow)  # fmt: skip
        send(frozen=asdict(result), skipped=list(map(list, student.skipped)), marks=[], slow=student.slow)
    for question, test in tests[request["marked"] :]:
        send(marks=[asdict(_mark(student, question, test, request["seed"]))], slow=student.slow)


def _mark(student, question, test, seed):
    """Return the mark of one test. Where names of the answer got another meaning later, the better of two counts."""
    mark = None
    for after in dict.fromkeys([None, student.place(question.name)]):
        if mark is not None and mark.passed:
            break
        try:
            student.run()
        except Raised as error:  # the time is over, for this test and the others
            return marks.marked(question, test, f"{error.kind}: {error}")
        _bound(resource.RLIMIT_CPU, math.ceil(time.process_time()) + student.limits.test)
        again = marks.run(question, test, student.functions(after), seed)
        if student.session is None and again.passed:  # it passed without an answer
            again = marks.marked(question, test, "Ended: its process was ended")
        mark = again if mark is None or again.passed else mark
    return mark


def _bound(kind, value):
    """Set the soft limit; where it ends this process, the system does it, even in the middle of a loop in C."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _address_space():
    """Return the bytes of address space that this process has now, where the system tells."""
    about = Path("/proc/self/statm")
    return int(about.read_text().split()[0]) * resource.getpagesize() if about.exists() else 0


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
        self.session, self.ran, self.numpy = None, 0, ""
        self.record, self.slow = None, 0  # slow: time limits that were reached
        self.problems = {}  # {(cell, statement): (line, kind, message)}; statement -1 is the cell as a whole
        self.skipped, self.hung = set(), []  # (cell, statement); names of functions that took too long
        self.deadline = time.monotonic() + limits.total

    def read(self):
        """Start a worker, let it read the files, and return their record, checked: see `reading.RECORD`."""
        left = self._left()
        self.session = sandbox.Session(self.limits, self.unsafe)
        self.session.largest, self.numpy, self.ran = self.limits.record, self.session.numpy, 0
        try:
            reply = self.session.ask(min(self.limits.read, left), read=self.files, public=self.assignment.public())
            problem = reply["error"][0][0] if "error" in reply else ""
            record = reply.get("value")
        except protocol.PeerEnded as error:
            self.session, problem, record = None, str(error), None
            self.slow += isinstance(error, protocol.TimedOut)
        if not problem and not (protocol.conforms(record, reading.RECORD) and record["file"] < len(self.files)):
            problem = "what came back has a wrong form"
        if problem:
            record = reading.nothing(f"The files could not be read: {problem}.")
        elif self.session:
            self.session.largest = self.limits.reply
        self.record = self.record or record
        return self.record

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
        left = self._left()
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
        seconds = min(self.limits.call, self._left())
        try:
            reply = self.session.ask(seconds, call=name, arguments=list(arguments), named=named, after=after)
        except protocol.PeerEnded as error:
            slow = isinstance(error, protocol.TimedOut)
            self.session, self.slow, self.hung = None, self.slow + slow, self.hung + [name] * slow
            raise Raised("Ended", f"a call of {name} was ended: {error}") from None
        if "error" in reply:
            (kind, *kinds), text, _ = reply["error"]
            raise (RaisedValueError if "ValueError" in kinds else Raised)(kind[:60], " ".join(text.split())[:200])
        return reply.get("value")

    def defines_any(self):
        """Return whether a function that is asked for is there, which may have come from elsewhere than a cell."""
        if self.session is None or not self.record["problem"]:
            return not self.record["problem"]
        try:
            reply = self.session.ask(min(self.limits.call, self._left()), defined=self.assignment.functions)
        except (protocol.PeerEnded, Raised):
            self.session = None
            return False
        return reply.get("value") is True

    def functions(self, after=None):
        """Return the functions that are asked for, as names stood after a cell, or at the end."""
        return {name: functools.partial(self.call, name, after) for name in self.assignment.functions}

    def place(self, question):
        """Return the cell after which a question was answered, if names of the answer got another meaning later."""
        numbers = [q.name for q in self.assignment.questions]
        return next((place + 1 for number, place in self.record["reused"] if numbers[number] == question), None)

    def _left(self):
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
        labels = ["The given cell", *self.record["labels"]]
        lines = list(self.record["remarks"])
        failed = {place: problem for place, problem in self.problems.items() if problem[1:] != UNANSWERED}
        if len(failed) < len(self.problems):
            cells = len({cell for cell, _ in self.problems.keys() - failed.keys()})
            call = "One cell calls" if cells == 1 else f"{cells} cells call"
            lines.append(f"{call} a function that is still as it was handed out.")
        for cell in sorted({cell for cell, _ in failed}):
            problems = [failed[place] for place in sorted(failed) if place[0] == cell]
            for line, kind, text in problems[:SHOWN]:
                where = labels[cell] + (f", line {line}" if line else "")
                what = f"{kind}: {' '.join(text.split())}".rstrip(": ") if kind else f"skipped, {text}"
                rest = {"OutOfTime": "", **dict.fromkeys(NO_PYTHON, "; nothing of the cell ran")}
                lines.append(f"{where}: {what}"[:300] + rest.get(kind, "; the rest of the cell ran") + ".")
            if len(problems) > SHOWN:
                lines.append(f"{labels[cell]}: {len(problems) - SHOWN} more statements failed.")
        written_with = self.record["python"]
        if written_with and written_with != PYTHON:
            lines.append(f"The notebook was written with Python {written_with}; it was marked with {PYTHON}.")
        elif not written_with and any(kind in NO_PYTHON for _, kind, _ in self.problems.values()):
            lines.append(f"The notebook does not say which Python wrote it; it was marked with {PYTHON}.")
        return lines if len(lines) <= REMARKS else [*lines[:REMARKS], f"And {len(lines) - REMARKS} remarks more."]
