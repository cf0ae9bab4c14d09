"""Examine one submission in a process of its own: `grade` asks, `serve` answers there.

That process runs the hidden tests, under limits of time and memory, and asks the student's worker, which runs in a
sandbox of its own. Where a test brings it down, that test is lost, and another process goes on with the next. One
process serves many submissions while it behaves. No byte that a student wrote is parsed in the process that asks.
"""

import atexit
import contextlib
import math
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

from . import cgroup, marks, protocol, pythons, sandbox
from .model import Mark, Result, load_assignment
from .student import Raised, Student

LARGEST = 1 << 30  # bytes of a message between grader and examiner, which trust each other
_running: dict = {}  # {(process, thread): its examiner}


def grade(files, assignment, seed=marks.SEED, limits=None, unsafe=False):
    """Return the `Result` of [[name, order, bytes or a sentence], …]. What goes wrong costs this submission only."""
    limits = limits or sandbox.Limits()
    try:
        return _examined(files, assignment, str(seed), limits, unsafe)
    except Exception as error:
        end()
        return Result(None, remarks=[f"{type(error).__name__}: {error}"])


def _examined(files, assignment, seed, limits, unsafe):
    """Ask examiners until every test has a mark."""
    tests, marked, state, slow = marks.tests(assignment), [], {"frozen": None, "skipped": []}, False
    deadline = time.monotonic() + limits.total + limits.test + limits.grace
    request = {"files": files, "assignment": asdict(assignment), "seed": seed, "unsafe": unsafe,
               "limits": asdict(limits) | {"pythons": list(map(list, limits.pythons))}}  # fmt: skip
    while state["frozen"] is None or len(marked) < len(tests):
        examiner, why = _examiner(), ""
        done = {"marked": len(marked), "left": deadline - time.monotonic()} | state
        try:
            examiner.send(request | done, deadline)
            while state["frozen"] is None or len(marked) < len(tests):
                message = examiner.receive(deadline)
                if "bug" in message:
                    raise RuntimeError(message["bug"])
                slow = slow or message.pop("slow")
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
        slow = slow or not why.startswith("Crash")
        late = tests[len(marked) :] if why.startswith("OutOfTime") else [tests[len(marked)]]
        marked += [marks.marked(question, test, why) for question, test in late]
    result, score = Result.load(state["frozen"]), sum(mark.earned for mark in marked)
    problem = result.problem if not score else ""
    return replace(result, score=score, marks=marked, remarks=result.remarks + [problem] * bool(problem),
                   problem=problem, slow=slow)  # fmt: skip


class Examiner(protocol.Conversation):
    """A process that runs `serve`."""

    def __init__(self):
        serve = "import sys; sys.path.insert(0, sys.argv[1]); from attncourse import examiner; examiner.serve()"
        command = [sys.executable, "-B", "-c", serve, str(Path(__file__).parents[1])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, start_new_session=True, bufsize=0)  # fmt: skip
        super().__init__(self.process.stdin.fileno(), self.process.stdout.fileno(), LARGEST)

    def end(self):
        """End the process; its sandbox ends with it."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()
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
    requests, replies, nowhere = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(nowhere, fd)
    line, used = protocol.Conversation(replies, requests, LARGEST), _address_space()
    _bound(resource.RLIMIT_CORE, 0)
    while True:
        try:
            request = line.receive(math.inf)
        except protocol.PeerEnded:
            return
        request["limits"]["pythons"] = tuple(map(tuple, request["limits"]["pythons"]))
        limits = sandbox.Limits(**request.pop("limits"))
        tell = lambda **message: line.send(message, math.inf)  # noqa: E731
        _bound(resource.RLIMIT_AS, used + limits.test_memory + 2 * sum(len(data) for *_, data in request["files"]))
        _bound(resource.RLIMIT_CPU, math.ceil(time.process_time() + limits.total + limits.test))
        assignment = load_assignment(request.pop("assignment"))
        student = Student(request["files"], assignment, limits, request["unsafe"])
        student.deadline = time.monotonic() + min(limits.total, request["left"])
        try:
            _examine(student, request, tell)
        except BaseException as error:  # a fault of the grader's: who asked raises it
            tell(bug=f"{type(error).__name__}: {error}")
        finally:
            student.close()


def _examine(student, request, tell):
    """Read, run and test. What the student's page says of the run is `frozen` before any test, and told at once."""
    record, frozen, tests = student.read(), request["frozen"], marks.tests(student.assignment)
    if record["file"] < 0:
        result = Result(None, remarks=record["remarks"], problem=record["problem"], unused=record["unused"])
        nothing = [asdict(marks.marked(question, test, record["problem"])) for question, test in tests]
        tell(frozen=asdict(result), marks=nothing, slow=student.slow)
        return
    student.skipped = {tuple(place) for place in request["skipped"]}
    with contextlib.suppress(Raised):
        student.run()
    if frozen is None:
        written = {student.assignment.questions[int(n)].name: text for n, text in record["written"].items()}
        python = student.python or pythons.look().version
        result = Result(None, [], student.remarks(), record["problem"], written, record["tokens"], python,
                        student.numpy, record["file"], record["unused"])  # fmt: skip
        tell(frozen=asdict(result), skipped=list(map(list, student.skipped)), marks=[], slow=student.slow)
    for question, test in tests[request["marked"] :]:
        tell(marks=[asdict(_mark(student, question, test, request["seed"]))], slow=student.slow)


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
