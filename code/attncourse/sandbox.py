"""A process for a student's code, and a conversation with it that ends on time whatever the code does.

bubblewrap makes the walls: no network, no home, a read-only system, an own /tmp and own process numbers, so that one
kill ends everything inside. The worker sets the limits of the system on itself before it runs a line of the student's.
"""

import itertools
import json
import os
import selectors
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from . import calls, values

HERE = Path(__file__).parent
START = 60  # seconds a worker may take to start on a busy machine
FILTER = "the file of the filter"  # stands for its number until that is known
_count = itertools.count()


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Times are seconds on the clock."""

    cell: float = 10
    call: float = 5
    total: float = 90
    memory: int = 1 << 30  # bytes of address space a process
    processes: int = 4  # threads too; together they can fill four times `memory`
    disk: int = 32 << 20  # bytes, of /tmp and of one file
    reply: int = 1 << 20  # bytes of one message back


class SandboxError(RuntimeError):
    """The sandbox itself does not work: nothing that a student did."""


class Gone(Exception):
    """The student's process had to be ended, or ended itself; the words say why."""


def missing():
    """Why code cannot be sandboxed here, in one sentence, or None if it can."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux: grade on a Linux machine, in a virtual machine or in WSL 2."
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed: install the package bubblewrap (apt, dnf and pacman all have it)."
    probe = _start([*walls(Limits()), "/usr/bin/true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    reason = " ".join(probe.communicate(timeout=START)[1].split())[:200]
    if probe.returncode:
        return f"bubblewrap cannot make a sandbox here ({reason}): allow user namespaces, or grade on another machine."
    return None


def _start(arguments, **pipes):
    """Start bubblewrap, with the filter of calls if there is one for this machine; or a worker without walls."""
    if FILTER not in arguments:
        return subprocess.Popen(arguments, **pipes)
    with calls.filter_file() as fd:
        given = {"--seccomp": ["--seccomp", str(fd)] if fd is not None else [], FILTER: []}
        arguments = [part for argument in arguments for part in given.get(argument, [argument])]
        return subprocess.Popen(arguments, pass_fds=[] if fd is None else [fd], **pipes)


def walls(limits):
    """The bwrap command in front of the worker's: what the student's code can see."""
    import numpy

    command = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() == 0:  # root in a user namespace would stay root outside: the worker becomes a nameless user
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user", "--disable-userns"]
    command += ["--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    for name, value in environment.items():
        command += ["--setenv", name, value]
    command += ["--ro-bind", "/usr", "/usr"]
    for folder in map(Path, ("/bin", "/lib", "/lib64", "/lib32")):
        if folder.is_symlink():
            command += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.exists():
            command += ["--ro-bind", str(folder), str(folder)]
    for path in ("/etc/ld.so.cache", "/etc/alternatives"):
        command += ["--ro-bind-try", path, path]
    prefix = os.path.realpath(sys.base_prefix)
    if not prefix.startswith("/usr/") and prefix != "/usr":
        for folder in [*reversed(Path(prefix).parents)][1:]:
            command += ["--perms", "0755", "--dir", str(folder)]  # empty but for the one that follows
        command += ["--ro-bind", prefix, prefix]
    # NumPy and the two files of the worker, and no other package: the same on every machine.
    command += ["--perms", "0755", "--dir", "/site"]
    package = Path(numpy.__file__).parent
    for path in [package, package.with_name("numpy.libs"), HERE / "worker.py", HERE / "values.py"]:
        command += ["--ro-bind-try", str(path), f"/site/{path.name}"]
    command += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    command += ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", "/tmp", "--remount-ro", "/"]
    return [*command, "--seccomp", FILTER, "--"]


def command(limits, unsafe=False):
    """The whole command that starts a worker; ``unsafe`` leaves the walls out and keeps the limits."""
    resources = {"RLIMIT_AS": limits.memory, "RLIMIT_CPU": int(limits.total) + 1, "RLIMIT_FSIZE": limits.disk,
                 "RLIMIT_CORE": 0, "RLIMIT_NOFILE": 64}  # fmt: skip
    if not unsafe:  # outside, the processes of the user's whole desktop would count
        resources["RLIMIT_NPROC"] = limits.processes
    # A user number of its own for every worker: the system counts processes by user.
    user = None if unsafe else 1_000_000 + os.getpid() * 16 + next(_count) % 16
    about = {"resources": resources, "user": user, "site": str(HERE) if unsafe else "/site", "folder": "/tmp"}
    python = [os.path.realpath(sys.executable), "-I", "-S", "-B"]
    if unsafe:
        python, about["site"] = [sys.executable, "-I", "-B"], str(HERE)
        return [*python, str(HERE / "worker.py"), json.dumps(about)]
    return [*walls(limits), *python, "/site/worker.py", json.dumps(about)]


class Session:
    """A running worker. Every question has a deadline; after `Gone` the session is over."""

    def __init__(self, limits, unsafe=False):
        self.limits = limits
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = _start(command(limits, unsafe), bufsize=0, start_new_session=True, **pipes)
        self.buffer, self.asked = bytearray(), 0
        for pipe in (self.process.stdin, self.process.stdout):
            os.set_blocking(pipe.fileno(), False)
        try:
            self._receive(time.monotonic() + START)
        except Gone as error:
            raise SandboxError(f"The sandbox did not start: {error}.") from None

    def ask(self, seconds, **message):
        """Send a message and return the reply, a dict; `Gone` if there is none in time or it is none."""
        self.asked += 1
        deadline = time.monotonic() + seconds
        try:
            self._send(values.encode(message | {"id": self.asked}), deadline)
            reply = self._receive(deadline)
        except TimeoutError:
            self._end(f"it took more than {seconds:.3g} s")
        if reply.pop("id", None) != self.asked:
            self._end("it wrote a message that was not asked for")
        return reply

    def _send(self, data, deadline):
        data, fd = memoryview(data), self.process.stdin.fileno()
        while data:
            self._wait(fd, selectors.EVENT_WRITE, deadline)
            try:
                data = data[os.write(fd, data) :]
            except BlockingIOError:
                continue
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
        fd = self.process.stdout.fileno()
        while len(self.buffer) < size:
            self._wait(fd, selectors.EVENT_READ, deadline)
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
        with selectors.DefaultSelector() as selector:
            selector.register(fd, event)
            if not selector.select(max(0, deadline - time.monotonic())):
                raise TimeoutError

    def _end(self, why):
        self.close()
        raise Gone(why)

    def close(self):
        """End the worker and everything that it has started."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


def describe(limits):
    """The limits as a plain dictionary: part of what a stored result depends on."""
    return asdict(limits)
