"""In an examiner's process: examine the submissions that the grader sends, and run the hidden tests on them.

`asking` starts this process and is at the other end of its pipe; `exchange` says what goes through. A `Student` keeps
the sandbox in which the files are read and the code runs. The tests run here, under limits of time and memory that end
this process where a test works too long on what a student's function returned.

What the student's page says of the run is frozen, that is, it goes to the grader before the first test and never
changes again: so it cannot tell what a hidden test asked.
"""

import contextlib
import functools
import math
import os
import resource
import select
import threading
import time
from dataclasses import asdict
from pathlib import Path

from . import marks, protocol, replaying, sandbox
from .exchange import LARGEST, Reply, Request
from .model import Result, login_of_numbers, plain_login
from .student import Raised, Student

REPLAYS = replaying.Replays()  # kept for the next submission


def serve():
    """Examine the submissions that arrive on the standard input, until it is closed."""
    requests, replies = _take_pipes()
    threading.Thread(target=_end_with_the_grader, args=[requests], daemon=True).start()
    grader, used = protocol.Conversation(replies, requests, LARGEST), _address_space()

    def reply(step):
        grader.send(asdict(step))

    _limit(resource.RLIMIT_CORE, 0)
    while True:
        try:
            message = grader.receive()
        except protocol.PeerEnded:
            return
        request = Request.load(message)
        _limit_all(request, used)
        with contextlib.closing(_student_of(request)) as student:
            try:
                examine(student, request, reply)
            except BaseException as error:  # a fault of the grader's: `asking` raises it
                reply(Reply(bug=f"{type(error).__name__}: {error}"))


def _take_pipes():
    """Return the pipe of requests and that of replies, and leave nothing at the standard input and output."""
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)  # what a test prints or reads must not reach a pipe
    return requests, replies


def _end_with_the_grader(requests):
    """End this process, and so its sandbox, when the grader has ended: its end of the pipe is closed then."""
    closed = select.poll()
    closed.register(requests, 0)  # it is always told when the other side has hung up
    closed.poll()
    sandbox.end_all()
    os._exit(1)


def _student_of(request):
    """Return the student of a request, with the time that is left."""
    assignment = request.assignment.for_login(next(iter(request.logins), ""))
    student = Student(request.files, assignment, request.limits, request.unsafe)
    student.deadline = time.monotonic() + min(request.limits.total, request.left)
    return student


def examine(student, request, reply):
    """Read the files, run the cells, freeze what the student's page says of the run, run the tests, look for slips."""
    marked = [*request.marks]
    not_marked = marks.tests(student.assignment)[len(marked) :]
    record = student.read()
    if record["file"] < 0:
        frozen = None if request.frozen else _without_a_notebook(student, record)
        nothing = [marks.marked(question, test, record["problem"]) for question, test in not_marked]
        reply(Reply(frozen, marks=nothing, recognised=[], slow=student.slow))
        return
    login = login_of_numbers(record["login"], request.logins)
    student.assignment = request.assignment.for_login(login)
    student.skipped = set(request.skipped)
    with contextlib.suppress(Raised):
        student.run()
    if not request.frozen:
        frozen = _after_the_run(student, record, login)
        reply(Reply(frozen, sorted(student.skipped), slow=student.slow))
    for question, test in not_marked:
        marked.append(_mark(student, question, test, request.seed))
        reply(Reply(marks=marked[-1:], slow=student.slow))
    slow = student.slow  # before slips are looked for: that costs no points, so its limits do not count
    reply(Reply(recognised=_recognised(student, marked, request), slow=slow))


def _without_a_notebook(student, record):
    """Return the result of files in which there is nothing to grade."""
    return Result(
        None,
        remarks=[*record["remarks"], record["problem"]],
        problem=record["problem"],
        unused=record["unused"],
        slow_before_tests=student.slow,
    )


def _after_the_run(student, record, login):
    """Return the result of a notebook before any test, which is marked with the numbers of a login."""
    questions = student.assignment.questions
    problem = "" if student.defines_any() else record["problem"]
    remarks = student.remarks()
    if student.assignment.personal and plain_login(record["login"]) != login:
        said = f"The notebook's login is {record['login']!r}" if record["login"] else "The notebook says no login"
        remarks.append(f"{said}; it was marked with the numbers of {login}.")
    if problem:
        remarks.append(problem)
    return Result(
        None,
        remarks=remarks,
        problem=problem,
        written={questions[int(number)].name: text for number, text in record["written"].items()},
        tokens=record["tokens"],
        sources=record["sources"],
        spoken=record["spoken"],
        login=record["login"],
        python=sandbox.PYTHON_VERSION,
        numpy=student.numpy,
        file=record["file"],
        unused=record["unused"],
        slow_before_tests=student.slow,
    )


def _mark(student, question, test, seed):
    """Return the mark of one test. Where names of the answer got another meaning later, the better of two counts."""
    at_the_end = _mark_after(None, student, question, test, seed)
    place = student.answered_after(question.name)
    if at_the_end.passed or place is None:
        return at_the_end
    at_its_place = _mark_after(place, student, question, test, seed)
    return at_its_place if at_its_place.passed else at_the_end


def _mark_after(cell, student, question, test, seed):
    """Return the mark of one test with all names as they were after a cell, or at the end."""
    mark = functools.partial(marks.marked, question, test)
    try:
        student.run()
    except Raised as error:  # the time is over, for this test and the others
        return mark(f"{error.kind}: {error}")
    _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + student.limits.test)
    known = student.functions(cell) | marks.data(student.assignment)
    result = marks.run(question, test, known, seed)
    if student.session is None and result.passed:  # it passed without an answer
        return mark("Ended: its process was ended")
    return result


def _recognised(student, marked, request):
    """Return the slips that the answers make; whatever a student's functions do now, no point is lost."""
    assignment, found = student.assignment, []
    student.deadline = min(student.deadline, time.monotonic() + request.limits.replay)
    for question, passed in replaying.questions_to_replay(assignment, marked):
        _limit(resource.RLIMIT_CPU, math.ceil(time.process_time() + request.limits.total))
        calls = REPLAYS.expected(assignment, question, request.seed)
        _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + request.limits.test)
        places = [None, student.answered_after(question.name)]
        answers = (_replayed(student, cell, question, calls, passed) for cell in dict.fromkeys(places))
        found.append(max(filter(None, answers), key=lambda one: one.keeps, default=None))
    return [*filter(None, found)]


def _replayed(student, cell, question, calls, passed):
    """Return the slips in one answer with all names as they were after a cell, or at the end, or None."""
    try:
        student.run()
    except Raised:  # the time is over
        return None
    return replaying.recognised(question, calls, student.functions(cell), passed)


def _limit_all(request, used):
    """Limit the memory and time of this process for one submission; `used` is the memory that it had at its start."""
    limits, handed_in = request.limits, sum(len(data) for *_, data in request.files)
    _limit(resource.RLIMIT_AS, used + limits.test_memory + 2 * handed_in)
    _limit(resource.RLIMIT_CPU, math.ceil(time.process_time() + limits.total + limits.test))


def _limit(kind, value):
    """Set the soft limit; where it ends this process, the system does it, even in the middle of a loop in C."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _address_space():
    """Return the bytes of address space that this process has now, where the system tells."""
    about = Path("/proc/self/statm")
    return int(about.read_text().split()[0]) * resource.getpagesize() if about.exists() else 0
