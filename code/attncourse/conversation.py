"""Questions to a worker through two pipes. Each has a deadline, and nothing that comes back is trusted."""

import os
import select
import time
from dataclasses import dataclass

from . import values

POLL = 0.05  # seconds between two looks at what a sandbox uses


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Times are seconds on the clock."""

    cell: float = 10
    call: float = 5
    total: float = 90
    memory: int = 1 << 30  # bytes of address space a process
    processes: int = 4  # threads too; together they can fill four times `memory`
    disk: int = 32 << 20  # bytes, of /tmp and of one file
    files: int = 10_000  # in /tmp; and 50 ms of making more
    reply: int = 1 << 20  # bytes of one message back
    test: int = 5  # seconds of the processor that one test may work on what came back
    test_memory: int = 1 << 30  # bytes of memory for the same
    pythons: tuple = ()  # (version, program) of other Pythons, for notebooks that name the version


class SandboxError(RuntimeError):
    """The sandbox itself does not work: nothing that a student did."""


class WorkerDied(Exception):
    """The student's process had to be ended, or ended itself; the words say why."""


class Conversation:
    """Questions to a worker through two pipes. Each has a deadline; after `WorkerDied` the conversation is over."""

    def __init__(self, limits, to, back, asked=0):
        self.limits, self.to, self.back, self.asked, self.buffer = limits, to, back, asked, bytearray()

    def ask(self, seconds, **message):
        """Send a message and return the reply, a dict; `WorkerDied` if there is none in time or it is none.

        A reply holds a "value", or an "error": a type, words and a line (or None), or neither.
        """
        self.asked += 1
        deadline = time.monotonic() + seconds
        try:
            self._send(values.encode(message | {"id": self.asked}), deadline)
            reply = self._receive(deadline)
            self.watch()
        except TimeoutError:
            self._end(f"it took more than {seconds:.3g} s")
        number = reply.pop("id", None)
        if type(number) is not int or number != self.asked:  # an array compares, but to no truth
            self._end("it wrote a message that was not asked for")
        if not (set(reply) <= {"value"} or (set(reply) == {"error"} and _is_error(reply["error"]))):
            self._end("it wrote a message of the wrong form")
        return reply

    def _send(self, data, deadline):
        data, fd = memoryview(data), self.to
        while data:
            try:
                data = data[os.write(fd, data) :]
            except BlockingIOError:
                self._wait(fd, select.POLLOUT, deadline)
            except BrokenPipeError:
                self._end("its process ended")

    def _receive(self, deadline):
        text, body = values.HEAD.unpack(self._read(values.HEAD.size, deadline))
        if text + body > self.limits.reply:
            self._end(f"it returned more than {self.limits.reply >> 10} KiB")
        data = self._read(text + body, deadline)
        try:
            reply = values.decode(data[:text], data[text:])
        except values.Refused as error:
            self._end(f"it wrote {error}")
        return reply if isinstance(reply, dict) else self._end("it wrote no message")

    def _read(self, size, deadline):
        fd = self.back
        while len(self.buffer) < size:
            self._wait(fd, select.POLLIN, deadline)
            try:
                piece = os.read(fd, 1 << 16)
            except BlockingIOError:
                continue
            if not piece:
                self._end("its process ended")
            self.buffer += piece
        data, self.buffer = bytes(self.buffer[:size]), self.buffer[size:]
        return data

    def _wait(self, fd, event, deadline):
        poll = select.poll()
        poll.register(fd, event)
        while not poll.poll(1000 * max(0, min(POLL, deadline - time.monotonic()))):
            self.watch()
            if time.monotonic() >= deadline:
                raise TimeoutError

    def watch(self):
        """Do nothing: who started the worker looks at what it uses."""

    def close(self):
        """Do nothing: who started the worker ends it."""

    def _end(self, why):
        self.close()
        raise WorkerDied(why)


def _is_error(error):
    """Return whether this is what a worker says about an error: a type, words and a line."""
    if not isinstance(error, list) or [*map(type, error[:2])] != [str, str] or len(error) != 3:
        return False
    return error[2] is None or (type(error[2]) is int and 0 <= error[2] < 10**6)
