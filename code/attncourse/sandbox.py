"""Run a student's code in a sandbox; the conversation with it ends on time whatever the code does.

bubblewrap leaves it no network, no home, no /proc, a read-only system, an own /tmp and own process numbers, so
that one kill ends everything inside. The worker sets the system's limits on itself before it runs the student's code.
"""

import contextlib
import functools
import glob
import importlib.util
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import cgroup, seccomp
from .protocol import Conversation, PeerEnded

HERE = Path(__file__).parent
PYTHON = os.path.realpath(sys.executable)  # runs students' code too
PREFIX = os.path.realpath(sys.base_prefix)
SHOWN = PREFIX if os.path.commonpath([PREFIX, "/usr"]) == "/usr" else "/python"  # inside: a home folder has a name
INSIDE = ("worker.py", "protocol.py", "reading.py", "standins.py")  # what of the grader the sandbox sees
POLL = 0.05  # seconds between two looks at what a sandbox uses
START = 60  # seconds a worker may take to start on a busy machine
VERSION = re.compile(r"(?<!\d)\d+\.\d+[.\d]*")
NEEDED = 3  # walls, the first that `environment` returns, without which nobody should grade
OLDEST = (0, 8)  # the bubblewrap that has --disable-userns
_count = itertools.count()


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Times are seconds on the clock."""

    read: float = 20  # to unpack and read the files
    cell: float = 10
    call: float = 5
    total: float = 90
    grace: float = 20  # beyond all that, before the grader gives a submission up
    memory: int = 1 << 30  # bytes of address space a process
    processes: int = 4  # threads too; together they can fill four times `memory`
    disk: int = 32 << 20  # bytes, of /tmp and of one file
    files: int = 10_000  # in /tmp; and 50 ms of making more
    reply: int = 1 << 20  # bytes of one message back
    record: int = 8 << 20  # and of what the files hold
    test: int = 5  # seconds of the processor that one test may work on what came back
    test_memory: int = 1 << 30  # bytes of memory for the same


class SandboxError(RuntimeError):
    """The sandbox itself does not work, through no fault of a student."""


def missing():
    """Say why code cannot be sandboxed here, in one sentence; None if it can."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux: grade on a Linux machine, in a virtual machine or in WSL 2."
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed: install the package bubblewrap (apt, dnf and pacman all have it)."
    version = bubblewrap()[0]
    if tuple(map(int, version.split(".")[:2])) < OLDEST:
        return f"bubblewrap {version} is too old: 0.8 or newer is needed, which Debian 12 and Ubuntu 24.04 have."
    probe = _start([*bwrap_command(Limits()), "--", "/usr/bin/true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    reason = " ".join(probe.communicate(timeout=START)[1].decode(errors="replace").split())[:200]
    if probe.returncode:
        return f"bubblewrap cannot make a sandbox here ({reason}): allow user namespaces, or grade on another machine."
    try:
        Session(Limits()).close()
    except SandboxError as error:
        return str(error)
    return None


def bubblewrap():
    """Return the version of bubblewrap that runs here, and the real path of its program."""
    program = os.path.realpath(shutil.which("bwrap") or "")
    output = subprocess.run([program, "--version"], env={}, capture_output=True, text=True, timeout=START).stdout
    version = VERSION.search(output)
    return version[0] if version else "999", program


def environment():
    """Return [(wall, whether it holds, details)] for this machine; the first NEEDED must hold."""
    reason, (version, program) = missing(), bubblewrap() if shutil.which("bwrap") else ("", "")
    walls = [("bubblewrap", bool(version), f"{version}, {program}" if version else "not installed"),
             ("namespaces", reason is None, reason or "a sandbox starts here")]  # fmt: skip
    filtered = "no filter of system calls is known for this machine"
    if reason is None and seccomp.program():
        session = Session(Limits())
        probe = (
            "import os\ntry: os.memfd_create('x')\nexcept PermissionError: pass\nelse: raise SystemError('it is open')"
        )
        try:
            session.ask(START, read=[], public={"given": probe, "questions": []})
            statements = range(len(session.ask(START, cell=0)["value"]))
            held = not any("error" in session.ask(START, statement=[0, number]) for number in statements)
            filtered = "" if held else "the filter of system calls does not hold"
        finally:
            session.close()
    walls.append(("seccomp", not filtered, filtered or "system calls are filtered"))
    memory, root = memory_in_force(Limits()), os.geteuid() == 0
    walls.append(("cgroups", memory.startswith("A whole"), memory))
    walls.append(("user", not root, "root: grade as an ordinary user" if root else "an ordinary user"))
    return walls


def memory_in_force(limits, unsafe=False):
    """Say in one sentence which limit of memory is in force here: for a whole sandbox, or for each of its processes."""
    amount = f"{limits.memory >> 20} MiB of memory"
    if unsafe:
        return f"Each process of a student's may use {amount}; there is no sandbox."
    group = cgroup.make(limits.memory, limits.processes)
    cgroup.remove(group)
    if group:
        return f"A whole sandbox may use {amount} (cgroup v2)."
    return (
        f"Each process in a sandbox may use {amount}, so count {limits.processes} times that for a sandbox: this user "
        "cannot make a control group (cgroup v2)."
    )


def _start(arguments, **options):
    """Start bubblewrap with nothing of this process's environment, which may hold secrets."""
    program = shutil.which(arguments[0])
    if program is None:
        raise SandboxError("bubblewrap is not installed.")
    return subprocess.Popen(arguments, executable=program, env={}, **options)


@functools.cache
def _packages():
    """List the folders of installed packages: they may be the instructor's own, and they tell paths of this machine."""
    places = (f"{top}/{lib}/python3*/*-packages" for top in (PREFIX, "/usr", "/usr/local") for lib in ("lib", "lib64"))
    return sorted({folder for place in places for folder in glob.glob(place) if not os.path.islink(folder)})


def bwrap_command(limits):
    """Return the bwrap command in front of the worker's: it says what the student's code can see."""
    command = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() == 0:  # root in a user namespace would stay root outside: the worker becomes a nameless user
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:  # no process of bubblewrap's inside: it would be the same user's, and open to the student's code
        command += ["--unshare-user", "--disable-userns", "--as-pid-1"]
    command += ["--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    if SHOWN != PREFIX:
        environment["LD_LIBRARY_PATH"] = f"{SHOWN}/lib"
    for name, value in environment.items():
        command += ["--setenv", name, value]
    command += _bound("/usr", "/usr")
    for folder in map(Path, ("/bin", "/lib", "/lib64", "/lib32")):
        if folder.is_symlink():
            command += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.exists():
            command += _bound(folder, folder)
    for path in ("/etc/ld.so.cache", "/etc/alternatives"):
        command += _bound(path, path)
    if SHOWN != PREFIX:
        command += _bound(PREFIX, SHOWN)
    # NumPy, what the grader needs inside, IPython's translator, and no other package: the same on every machine.
    inside = "/site/ipython/IPython"
    for folder in ("/site", "/site/ipython", inside, f"{inside}/core", f"{inside}/utils"):
        command += ["--perms", "0755", "--dir", folder]
    package = Path(np.__file__).parent
    for path in [package, package.with_name("numpy.libs"), *(HERE / name for name in INSIDE)]:
        command += _bound(path, f"/site/{path.name}")
    for module in ("core/inputtransformer2.py", "utils/tokenutil.py"):
        command += _bound(Path(_ipython(), module), f"{inside}/{module}")
    for folder in _packages():
        folder = folder.replace(PREFIX, SHOWN, 1)
        command += ["--perms", "0755", "--tmpfs", folder, "--remount-ro", folder]
    # No /proc: it would show the paths of this machine, and the memory and environment of every process inside.
    command += ["--dev", "/dev", "--remount-ro", "/dev"]
    command += ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", "/tmp", "--remount-ro", "/"]
    return command


@functools.cache
def _ipython():
    """Return the folder of IPython, without importing it."""
    spec = importlib.util.find_spec("IPython")
    return spec.submodule_search_locations[0] if spec else "/nowhere"


def _bound(path, shown):
    """Return the options that bind a path read-only, resolved here: no link is left to bubblewrap (CVE-2026-87766)."""
    real = os.path.realpath(path)
    return ["--ro-bind", real, str(shown)] if os.path.exists(real) else []


def _resources(limits, unsafe):
    """Return the limits that the worker sets on itself."""
    resources = {"RLIMIT_AS": limits.memory, "RLIMIT_CPU": int(limits.total) + 1, "RLIMIT_FSIZE": limits.disk,
                 "RLIMIT_CORE": 0, "RLIMIT_NOFILE": 64, "RLIMIT_MEMLOCK": 0, "RLIMIT_MSGQUEUE": 0,
                 "RLIMIT_SIGPENDING": 64}  # fmt: skip
    if not unsafe:  # outside, the processes of the user's whole desktop would count
        resources["RLIMIT_NPROC"] = limits.processes
    return resources


class Session(Conversation):
    """A worker that runs in the sandbox, until `close`."""

    def __init__(self, limits, unsafe=False):
        self.limits, self.process, self.first, self.files, self.reason = limits, None, None, None, ""
        self.group = None if unsafe else cgroup.make(limits.memory, limits.processes + 2)  # two of bubblewrap's own
        # A user number of its own for every worker: the system counts processes by user.
        user = None if unsafe else 1_000_000 + os.getpid() * 16 + next(_count) % 16
        info, info_end = os.pipe()
        try:
            self.process = self._worker(unsafe, info_end)
            super().__init__(self.process.stdin.fileno(), self.process.stdout.fileno(), limits.reply)
            deadline = time.monotonic() + START
            self.send({"resources": _resources(limits, unsafe), "user": user}, deadline)
            self.numpy = str(self.receive(deadline).get("ready"))[:20]
            if not unsafe:
                first = json.loads(os.read(info, 4096))["child-pid"]  # bubblewrap wrote it before the worker ran
                self.first = os.pidfd_open(first)
                self.files = os.open(Path("/proc", str(first), "root", "tmp"), os.O_PATH | os.O_DIRECTORY)
                threading.Thread(target=self._watch, args=[os.dup(self.files), self.first], daemon=True).start()
        except (PeerEnded, TimeoutError, OSError) as error:
            self.close()
            raise SandboxError(f"The sandbox did not start: {error or 'it took too long'}.") from None
        finally:
            os.close(info)
            os.close(info_end)

    def _worker(self, unsafe, info_end):
        """Start the worker; bubblewrap writes to `info_end` which process it put into the sandbox."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        pipes |= {"bufsize": 0, "start_new_session": True}
        if unsafe:
            return subprocess.Popen([sys.executable, "-I", "-B", str(HERE / "worker.py")], **pipes)
        with seccomp.filter_file() as calls:
            options = ["--info-fd", str(info_end)] + (["--seccomp", str(calls)] if calls is not None else [])
            program = os.path.join(SHOWN, os.path.relpath(PYTHON, PREFIX))
            worker = [program, "-I", "-S", "-B", "/site/worker.py"]
            command = cgroup.entering(self.group, [*bwrap_command(self.limits), *options, "--", *worker])
            return _start(command, pass_fds=[info_end] if calls is None else [info_end, calls], **pipes)

    def ask(self, seconds, **message):
        """Ask the worker, and end it if it has made too many files meanwhile."""
        reply = super().ask(seconds, **message)
        return self.fail(self.reason) if self.files is not None and self._too_many(self.files) else reply

    def _too_many(self, files):
        """Return whether there are too many files: even an empty one takes memory of the kernel."""
        about = os.fstatvfs(files)
        if about.f_files - about.f_ffree > self.limits.files:
            self.reason = f"it made more than {self.limits.files} files"
        return bool(self.reason)

    def _watch(self, files, first):
        """End the worker if it makes too many files while nobody asks."""
        while self.first == first:
            if self._too_many(files):
                self._kill()
                break
            time.sleep(POLL)
        os.close(files)

    def _kill(self):
        with contextlib.suppress(ProcessLookupError, OSError, TypeError):
            signal.pidfd_send_signal(self.first, signal.SIGKILL)  # all others inside end with it

    def fail(self, why, kind=PeerEnded):
        """End the worker and say why."""
        super().fail(self.reason or why, kind)

    def close(self):
        """End the worker and everything that it has started."""
        self._kill()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                pipe.close()
        opened, self.first, self.files = (self.first, self.files), None, None
        for fd in opened:
            if fd is not None:
                os.close(fd)
        cgroup.remove(self.group)
