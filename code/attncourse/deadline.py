"""Run tests in a process of their own, with a deadline.

What a student's functions return can keep a test busy or fill its memory: then the system ends that process, even in
the middle of a loop in C, and another one goes on with the next test. One process serves many submissions while it
behaves. It runs no code of a student's; it asks the student's worker through the worker's pipes.
"""

import atexit
import contextlib
import json
import math
import os
import resource
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

from . import conversation, marks, sandbox

SIZE = struct.Struct("!I")
_here = threading.local()  # the process for tests of this thread, and the socket to it


def run(tests, student, seed, found):
    """Run the tests that `found` lacks and append their marks; return why the next one failed, or None.

    It also stops, without a reason, after a test that lost its worker.
    """
    session, limits = student.session, sandbox.describe(student.limits)
    about = {"limits": limits, "deadline": student.deadline, "asked": session.asked, "seed": seed}
    text = json.dumps(about | {"tests": tests[len(found) :]}).encode()
    try:
        process, line = _process()
        with contextlib.suppress(BrokenPipeError):  # it has ended: so there will be nothing to read
            socket.send_fds(line, [SIZE.pack(len(text))], [session.to, session.back])
            line.sendall(text)
        if _collect(line, student, found):
            return None
        status = process.wait()
    except sandbox.WorkerDied as error:
        end()
        return f"Ended: {error}"
    except BaseException:
        end()
        raise
    end()
    return _why(-status, student.limits)


def _process():
    """Return this thread's process for tests and the socket to it; start them if there are none."""
    if getattr(_here, "owner", None) != os.getpid() or _here.process.poll() is not None:
        ours, theirs = socket.socketpair()
        serve = (
            "import sys; sys.path.insert(0, sys.argv[1]); from attncourse import deadline; deadline.serve(sys.argv[2])"
        )
        command = [sys.executable, "-B", "-c", serve, str(Path(__file__).parents[1]), str(theirs.fileno())]
        nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        with theirs:
            _here.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], start_new_session=True, **nowhere)
        _here.line, _here.owner = ours, os.getpid()
    return _here.process, _here.line


@atexit.register
def end():
    """End this thread's process for tests, if there is one; it would also end when this process does."""
    if getattr(_here, "owner", None) == os.getpid():
        _here.owner = None
        _here.line.close()
        _here.process.kill()
        _here.process.wait()


def _why(number, limits):
    """Say why the process for tests was ended by the signal of this number."""
    if number == signal.SIGXCPU:
        return f"Deadline: the test worked for more than {limits.test} s on what the functions returned"
    if number <= 0 or number == signal.SIGKILL:  # nobody here sent it
        raise RuntimeError("the process that runs the tests was ended, perhaps because the machine had no memory left")
    return f"Crash: the test ended on what the functions returned ({signal.Signals(number).name})"


def _collect(line, student, found):
    """Append the marks that arrive; return whether all did. `WorkerDied` or `Raised` if they must not be awaited."""
    text = b""
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_READ)
        while True:
            if selector.select(conversation.POLL):
                piece = line.recv(1 << 16)
                *lines, text = (text + piece).split(b"\n")
                for about in map(json.loads, lines):
                    if "bug" in about:
                        raise RuntimeError(about["bug"])
                    if "done" in about:
                        return True
                    found.append(about)
                if not piece:
                    return False
            student.session.watch()
            if time.monotonic() > student.deadline + student.limits.test:
                student.out_of_time()


def serve(number):
    """Run the tests that arrive on the socket of this number, until it is closed."""
    used = _address_space()
    with socket.socket(fileno=int(number)) as line:
        while True:
            size, pipes, *_ = socket.recv_fds(line, SIZE.size, 2)
            if not size:
                return
            about = json.loads(line.recv(SIZE.unpack(size)[0], socket.MSG_WAITALL))
            about["limits"] = limits = sandbox.Limits(**about["limits"])
            _bound(resource.RLIMIT_AS, used + limits.test_memory)
            _bound(resource.RLIMIT_CORE, 0)
            try:
                _run_here(line, about, pipes)
                _write(line, {"done": True})
            except BaseException as error:  # a fault of the grader's: who asked raises it
                _write(line, {"bug": f"{type(error).__name__}: {error}"})
            for pipe in pipes:
                os.close(pipe)


def _run_here(line, about, pipes):
    """Run tests and write a mark for each; stop after one that lost its worker."""
    from . import grade  # which uses this module

    limits = about["limits"]
    student = grade.Student([], limits)
    to, back = pipes
    student.session = sandbox.Conversation(limits, to, back, about["asked"])
    student.deadline = about["deadline"]
    for test in about["tests"]:
        _bound(resource.RLIMIT_CPU, math.ceil(time.process_time()) + limits.test)
        mark = marks.run(test, student.functions(test["asks"]), about["seed"])
        if student.session is None and mark["passed"]:  # it passed without an answer
            mark = marks.marked(test, "Ended: its process was ended")
        _write(line, mark)
        if student.session is None:
            return


def _bound(kind, value):
    """Set the soft limit; where it ends this process, the system does it, even in the middle of a loop in C."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _address_space():
    """Return the bytes of address space that this process has now, where the system tells."""
    about = Path("/proc/self/statm")
    return int(about.read_text().split()[0]) * resource.getpagesize() if about.exists() else 0


def _write(line, about):
    line.sendall(json.dumps(about).encode() + b"\n")
