"""Run tests in a child of this process. What a student's functions return can keep a test busy or fill its memory: then
the system ends the child, even in the middle of a loop in C, and another child goes on with the next test.
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

from . import marks, sandbox


def run_in_child(tests, student, functions, seed, found):
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
