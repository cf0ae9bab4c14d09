"""In the grader's process: have submissions examined, each in another process, and keep what comes back.

No byte that a student wrote is parsed here. `exchange` says what goes through the pipe; `examining` runs at its other
end. One examiner serves many submissions while it behaves. Where a test brings it down, that test is lost, and another
examiner goes on with the next.
"""

import contextlib
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from . import cgroup, marks, protocol, sandbox
from .exchange import LARGEST, Reply, Request
from .model import Mark, Result, parts

SERVE = "import sys; sys.path.insert(0, sys.argv[1]); from attncourse import examining; examining.serve()"
ENDING = 1  # seconds that an examiner has to end by itself


class Examiner(protocol.Conversation):
    """A process that runs `examining.serve`."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-c", SERVE, str(Path(__file__).parents[1])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        super().__init__(self.process.stdin.fileno(), self.process.stdout.fileno(), LARGEST)

    def hang_up(self):
        """Let the process end itself, its sandbox first; nobody waits for it."""
        self.process.stdin.close()

    def end(self, until=None):
        """Hang up, wait until a time, then kill the process if it is still busy; at once if this is interrupted.

        Its sandbox ends with it.
        """
        self.hang_up()
        until = time.monotonic() + ENDING if until is None else until
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(max(0, until - time.monotonic()))
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            cgroup.remove_all(self.process.pid)


@dataclass(frozen=True)
class Loss:
    """Why an examiner did not finish: the next test is lost, or every one that is left."""

    why: str
    every: bool = False
    slow: bool = True  # whether a time limit was reached


AFTER_THE_TESTS = Loss("the examiner ended while it looked for slips", slow=False)


@dataclass
class Progress:
    """What is known of one submission so far, from all examiners that worked on it."""

    tests: list  # (question, test), in the order in which they run
    frozen: Result | None = None
    skipped: list = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    recognised: list | None = None  # slips; looked for after the last test, so that no test is lost with them
    limits_reached: int = 0  # the largest count that any examiner reported: each starts counting at the cells again
    lost_to_limits: int = 0  # tests whose time limit ended an examiner, which could not say so

    @property
    def complete(self):
        """Return whether nothing more is to come."""
        return self.tested and self.recognised is not None

    @property
    def tested(self):
        """Return whether every test has a mark."""
        return self.frozen is not None and len(self.marks) == len(self.tests)

    def take(self, reply):
        """Take what one reply brings."""
        if reply.bug:
            raise RuntimeError(reply.bug)
        if reply.frozen is not None:
            self.frozen, self.skipped = reply.frozen, reply.skipped
        self.marks += reply.marks
        self.recognised = reply.recognised  # only the last reply has it
        self.limits_reached = max(self.limits_reached, reply.slow)

    def lose(self, loss):
        """Mark the lost tests as failed. After the last test, only the slips are lost."""
        if self.tested:
            self.recognised = []
            return
        not_marked = self.tests[len(self.marks) :]
        lost = not_marked if loss.every else not_marked[:1]
        self.marks += [marks.marked(question, test, loss.why) for question, test in lost]
        self.lost_to_limits += loss.slow

    def result(self):
        """Return the frozen result with the marks.

        The remarks stay as they were frozen; the instructor's list of files without points follows the points.
        """
        score = sum(parts(self.marks, self.recognised).values())
        problem = "" if score else self.frozen.problem
        slow = self.limits_reached + self.lost_to_limits
        return replace(
            self.frozen, score=score, marks=self.marks, recognised=self.recognised, problem=problem, slow=slow
        )


class Examiners:
    """The examiners of one run, one for each thread that asks; all of them end with the `with` block."""

    def __init__(self):
        self.running = {}  # {thread: its examiner}; whoever takes one out ends it
        self.closed = False  # then none is started any more
        self.lock = threading.Lock()  # held while an examiner is put in or taken out

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with self.lock:
            self.closed = True
        self.end_all()

    def grade(self, files, assignment, seed=marks.SEED, limits=None, unsafe=False, logins=()):
        """Return the `Result` of [[name, order, bytes or a sentence], …]. A fault of ours costs this one only."""
        request = Request(files, assignment, str(seed), limits or sandbox.Limits(), unsafe, list(logins))
        try:
            return self._examined(request)
        except Exception as error:
            self.end()
            return Result.failed(error)

    def _examined(self, request):
        """Let one examiner after another go on until nothing more is to come; return the result."""
        progress, limits = Progress(marks.tests(request.assignment)), request.limits
        deadline = time.monotonic() + limits.total + limits.test + limits.grace
        while not progress.complete:
            loss = self._attempt(request, progress, deadline)
            if loss is not None and progress.frozen is None:
                raise RuntimeError(f"the examiner ended before the first test: {loss.why}")
            if loss is not None:
                progress.lose(loss)
        return progress.result()

    def _attempt(self, request, progress, deadline):
        """Let this thread's examiner go on with a submission; return the `Loss`, or None if it came to its end."""
        examiner = self._mine()
        so_far = {
            "left": deadline - time.monotonic(),
            "frozen": progress.frozen is not None,
            "skipped": progress.skipped,
            "marks": progress.marks,
        }
        try:
            examiner.send(asdict(replace(request, **so_far)), deadline)
            while not progress.complete:
                progress.take(Reply.load(examiner.receive(deadline)))
            return None
        except TimeoutError:
            self.end()
            return Loss(f"OutOfTime: the {request.limits.total:.3g} s for one submission are used up", every=True)
        except protocol.PeerEnded:
            number = _signal(examiner.process.wait())
            self.end()
            return AFTER_THE_TESTS if progress.tested else _lost_to(number, request.limits)

    def _mine(self):
        """Return this thread's examiner; start one if there is none, or if the last one died after its submission."""
        thread = threading.get_ident()
        known = self.running.get(thread)
        if known is not None and known.process.poll() is not None:
            self.end()
        with self.lock:
            if self.closed:
                raise RuntimeError("the run has ended")
            if thread not in self.running:
                self.running[thread] = Examiner()
            return self.running[thread]

    def end(self):
        """End this thread's examiner, if there is one."""
        with self.lock:
            examiner = self.running.pop(threading.get_ident(), None)
        if examiner is not None:
            examiner.end()

    def end_all(self):
        """End every examiner, all at the same time; an interruption leaves them none."""
        until = time.monotonic() + ENDING
        with self.lock:
            ending = [*self.running.values()]
            self.running.clear()
        try:
            for examiner in ending:
                examiner.hang_up()
            while ending:
                ending.pop().end(until)
        finally:
            while ending:
                ending.pop().end(0)


def _signal(code):
    """Return the number of the signal that ended a process; a shell or bubblewrap around it adds 128 to it."""
    return code - 128 if code > 128 else -code


def _lost_to(number, limits):
    """Return what is lost where the signal of this number ended an examiner."""
    if number == signal.SIGXCPU:
        return Loss(f"Deadline: the test worked for more than {limits.test} s on what the functions returned")
    if number <= 0 or number == signal.SIGKILL:  # nobody here sent it
        raise RuntimeError("the process that runs the tests was ended, perhaps because the machine had no memory left")
    name = signal.Signals(number).name
    return Loss(f"Crash: the test ended on what the functions returned ({name})", slow=False)
