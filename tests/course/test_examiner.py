"""Tests run in a process of their own. Whatever a student's function returns, one test is lost and no more; and nothing
that a hidden test asked comes back to the student.
"""

import dataclasses
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from attncourse import asking, examining, exchange, marks, model, reading, sandbox
from coursework import EXAMINERS, OF_TESTS, ROOT, files, notebook

TESTS = {
    "compares": "assert same(f(1), 2)",
    "a loop in C": "import math\n    assert math.factorial(f(10**7)) < 0",
    "a loop that catches": "while f(1) == 2:\n        pass",
    "rows": "for row in f(0): assert len(row) == 0",
    "memory": "assert np.ones((f(50000), 50001), np.int8).shape",
    "a crash": "import ctypes\n    ctypes.string_at(f(1))",
    "a long sleep": "f(1)\n    import time; time.sleep(3600)",
    "catches all": "try: f('end')\n    except Exception: pass",
    "asks": "f(7)",
}


def made(*names):
    """An assignment of one question with these tests, of one point each, and before them a visible one."""
    hidden = [model.HiddenTest("test", name, 1, ["f"], f"def test(f):\n    {TESTS[name]}") for name in names]
    question = model.Question(
        "one", "One", "", [1], answer=["def f(x): return x + 1"], hidden=hidden, visible=["assert f(1) == 2"]
    )
    return model.Assignment("c", "C", "import numpy as np", [question])


LIMITS = sandbox.Limits(cell=4, call=3, total=45, test=1, test_memory=1 << 29, grace=3)
RIGHT = "def f(x): return x + 1"


@pytest.mark.parametrize(
    ("name", "answer", "word"),
    [
        ("a loop in C", RIGHT, "Deadline: the test worked for more than 1 s"),
        ("memory", RIGHT, "MemoryError"),
        ("a crash", RIGHT, "Crash: the test ended on what the functions returned (SIGSEGV)"),
        ("rows", "def f(x): return x + 1 if x else np.zeros((10**18, 0), np.int8)", "axis longer than 1048576"),
        ("catches all", "import os\ndef f(x): return x + 1 if x != 'end' else os._exit(0)", "Ended"),
    ],
)
def test_one_test_is_lost_and_the_others_are_run(name, answer, word, marked):
    result = marked(answer, assignment=made("compares", name, "compares"), limits=LIMITS)
    found = [(mark.passed, mark.why) for mark in result.marks]
    assert [passed for passed, _ in found] == [True, True, False, True], found
    assert word in found[2][1]
    assert result.score == 2
    assert not result.remarks


def test_no_submission_takes_longer_than_all_its_time(marked):
    limits = sandbox.Limits(cell=4, call=3, total=5, test=1, grace=1)
    result = marked(RIGHT, assignment=made("compares", "a long sleep", "compares"), limits=limits)
    assert [mark.passed for mark in result.marks] == [True, True, False, False]
    assert {mark.why for mark in result.marks[2:]} == {"OutOfTime: the 5 s for one submission are used up"}


@pytest.mark.parametrize(
    ("body", "word"),
    [("raise SystemExit('stop')", "SystemExit: stop"), ("import os; os.kill(os.getpid(), 9)", "was ended")],
)
def test_a_fault_of_the_grader_is_no_mark_and_no_end(body, word, bubblewrap, monkeypatch):
    monkeypatch.setitem(TESTS, "compares", body)
    result = EXAMINERS.grade(files(notebook(RIGHT)), made("compares"), limits=LIMITS)
    assert result.score is None
    assert word in result.fault
    assert result.remarks == [model.NOT_GRADED], "which a test may have caused"


def test_the_two_ways_to_run_tests_agree(assignments, marked):
    """In this process, on the instructor's functions, and in one of their own, on the same cells as a student's."""
    for assignment in assignments.values():
        cells = [source for question in assignment.questions for source in question.answer]
        space = {}
        exec("\n\n".join([assignment.given, *cells]), space)
        there, here = marked(*cells, assignment=assignment).marks, marks.mark(assignment, space)
        assert [(m.test, m.passed) for m in there] == [(m.test, m.passed) for m in here]
        assert [m.why for m in there if not m.hidden] == [m.why for m in here if not m.hidden]


TELLS_LATER = """
import os, time
def f(x):
    if x == {asked}:
        time.sleep(max(0, {slot} - time.time()))  # the slot tells the next worker what was asked
        os._exit(0)
    return 2
"""
SPEAKS = "import time, os\nif time.time() > {slot}: os._exit(0)"


def test_what_a_student_sees_is_frozen_before_the_first_hidden_test(bubblewrap):
    """A function ends its process in a hidden test, at a time that says what it was asked; the cells run once more."""
    slot = time.time() + 7
    cells = [TELLS_LATER.format(asked=7, slot=slot), SPEAKS.format(slot=slot), "assert f(1) == 2"]
    limits = dataclasses.replace(LIMITS, call=8, total=60)
    result = EXAMINERS.grade(files(notebook(*cells)), made("asks", "compares"), limits=limits)
    assert time.time() > slot, "the trick was played"
    assert [mark.passed for mark in result.marks] == [True, False, True]
    assert result.remarks == []


def test_what_is_frozen_stays_where_the_files_can_no_longer_be_read():
    """An examiner that goes on with the second test reads them again: its page and its first mark are there already."""
    assignment, replies = made("compares", "asks"), []
    lost = SimpleNamespace(assignment=assignment, slow=1, read=lambda: reading.nothing("It took too long."))
    there = [marks.marked(*test, None) for test in marks.tests(assignment)[:2]]
    request = exchange.Request(files(b""), assignment, "1", LIMITS, frozen=True, marks=there)
    examining.examine(lost, request, replies.append)
    (reply,) = replies
    assert reply.frozen is None
    assert [mark.test for mark in reply.marks] == ["asks"]


def test_a_limit_that_ended_an_examiner_counts_beside_those_that_the_next_one_reports():
    assignment = made("compares")
    progress = asking.Progress(marks.tests(assignment))
    progress.take(exchange.Reply(model.Result(None), slow=1))
    progress.lose(asking.Loss("Deadline"))
    mark = marks.marked(*progress.tests[1], None)
    progress.take(exchange.Reply(marks=[mark], slow=2))  # it has run the cells again, with their limit
    progress.take(exchange.Reply(recognised=[], slow=2))
    assert progress.complete
    assert progress.result().slow == 3


def test_a_crash_before_the_tests_ends_nothing(bubblewrap, monkeypatch):
    EXAMINERS.end()
    monkeypatch.setattr(asking.sys, "executable", "/usr/bin/false")
    result = EXAMINERS.grade(files(notebook(RIGHT)), made("compares"), limits=LIMITS)
    assert result.score is None
    EXAMINERS.end()
    monkeypatch.undo()
    assert EXAMINERS.grade(files(notebook(RIGHT)), made("compares"), limits=LIMITS).score == 1


def test_no_examiner_outlives_its_run(bubblewrap):
    """Nor does a submission that was still waiting start another one."""
    with asking.Examiners() as examiners:
        assert examiners.grade(files(notebook(RIGHT)), made("compares"), limits=LIMITS).score == 1
        (examiner,) = examiners.running.values()
    assert examiner.process.poll() is not None
    late = examiners.grade(files(notebook(RIGHT)), made("compares"), limits=LIMITS)
    assert late.score is None
    assert not examiners.running


def test_an_examiner_that_died_between_two_submissions_leaves_nothing_open(bubblewrap, monkeypatch):
    """Such as one that the kernel killed for memory: its pipes are closed and its control groups removed."""
    removed = []
    monkeypatch.setattr(asking.cgroup, "remove_all", removed.append)
    with asking.Examiners() as examiners:
        assert examiners.grade(files(notebook(RIGHT)), made("compares"), limits=LIMITS).score == 1
        (dead,) = examiners.running.values()
        dead.process.kill()
        dead.process.wait()
        assert examiners.grade(files(notebook(RIGHT)), made("compares"), limits=LIMITS).score == 1
        assert dead.process.stdin.closed
        assert dead.process.stdout.closed
        assert removed == [dead.process.pid]


def test_the_process_that_asks_parses_nothing(bubblewrap, monkeypatch):
    """Whatever reads a notebook or a zip is gone here, and grading goes on."""
    from attncourse import choosing, parsing, reading

    monkeypatch.setattr(reading, "read", lambda *given: os._exit(1))
    monkeypatch.setattr(choosing, "candidates", None)
    monkeypatch.setattr(parsing, "parse", None)
    assert EXAMINERS.grade(files(notebook(RIGHT)), made("compares"), limits=LIMITS).score == 1


HANGS = """
import json, os, subprocess, sys, threading, time
sys.path[:0] = [{code!r}, {tests!r}]
from attncourse import asking, author, sandbox
from coursework import ROOT, files, notebook
examiners = asking.Examiners()
assignment = author.read({assignment!r})
hang = {hang!r}
threading.Thread(target=lambda: examiners.grade(files(notebook(*[hang] * 8)), assignment, unsafe={unsafe})).start()
while not examiners.running: time.sleep(0.01)
print(next(iter(examiners.running.values())).process.pid, flush=True)
time.sleep(100)
"""


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("hang", ["import time; time.sleep(88)", "while True: pass"])
def test_what_a_student_started_ends_with_the_grader_even_if_that_is_killed(hang, unsafe, bubblewrap):
    """Nothing else would end it: the lock of the command is free again at once."""
    code = HANGS.format(
        code=str(ROOT / "code"),
        tests=str(ROOT / "tests" / "course"),
        hang=hang,
        unsafe=unsafe,
        assignment=str(OF_TESTS / "sqrt-dk-scaling.md"),
    )
    grader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        examiners = int(grader.stdout.readline())
        started = wait_for(lambda: len(below(examiners)) >= (1 if unsafe else 2) and below(examiners))
        assert started, "the cell runs"
        time.sleep(1)
        started = [examiners, *below(examiners)]
    finally:
        grader.kill()
        grader.wait()
        grader.stdout.close()
    assert wait_for(lambda: not any(map(running, started))), [pid for pid in started if running(pid)]


def below(process):
    """The processes that a process has started, and those that they have."""
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            children = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return [pid for child in children for pid in (child, *below(child))]


def running(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(holds, seconds=10):
    """Whether something holds within some seconds."""
    until = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < until:
        time.sleep(0.05)
    return found
