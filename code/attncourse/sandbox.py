"""Run a student's code in a sandbox; the conversation with it ends on time whatever the code does.

bubblewrap leaves it no network, no home, no /proc, a read-only system, an own /tmp and own process numbers, so
that one kill ends everything inside. The worker sets the system's limits on itself before it runs the student's code.
"""

import contextlib
import functools
import glob
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from . import cgroup, pythons, seccomp, values
from .conversation import Conversation, Limits, SandboxError, WorkerDied

HERE = Path(__file__).parent
START = 60  # seconds a worker may take to start on a busy machine
OLDEST = (0, 8)  # the bubblewrap that has --disable-userns
_count = itertools.count()


def missing(limits=None):
    """Say why code cannot be sandboxed here, with each Python of the limits, in one sentence; None if it can."""
    limits = limits or Limits()
    if sys.platform != "linux":
        return "bubblewrap needs Linux: grade on a Linux machine, in a virtual machine or in WSL 2."
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed: install the package bubblewrap (apt, dnf and pacman all have it)."
    version = subprocess.run([program, "--version"], env={}, capture_output=True, text=True, timeout=START).stdout
    found = re.search(r"(\d+)\.(\d+)[.\d]*", version)
    if found and (int(found[1]), int(found[2])) < OLDEST:
        return f"bubblewrap {found[0]} is too old: 0.8 or newer is needed, which Debian 12 and Ubuntu 24.04 have."
    probe = _start([*bwrap_command(limits), "--", "/usr/bin/true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    reason = " ".join(probe.communicate(timeout=START)[1].decode(errors="replace").split())[:200]
    if probe.returncode:
        return f"bubblewrap cannot make a sandbox here ({reason}): allow user namespaces, or grade on another machine."
    for python in ["", *dict(limits.pythons).values()]:
        try:
            Session(limits, python=python).close()
        except SandboxError as error:
            return f"With {python}: {error}" if python else str(error)
    return None


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
    """Start bubblewrap with nothing of this process's environment: who grades may have secrets there."""
    program = shutil.which(arguments[0])
    if program is None:
        raise SandboxError("bubblewrap is not installed.")
    return subprocess.Popen(arguments, executable=program, env={}, **options)


@functools.cache
def _packages(prefix):
    """List the folders of installed packages: they may be the instructor's own, and they tell paths of this machine."""
    places = (f"{top}/{lib}/python3*/*-packages" for top in (prefix, "/usr", "/usr/local") for lib in ("lib", "lib64"))
    return sorted({folder for place in places for folder in glob.glob(place) if not os.path.islink(folder)})


def bwrap_command(limits, python=""):
    """Return the bwrap command in front of the worker's: what the student's code can see, with one Python in it."""
    command = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() == 0:  # root in a user namespace would stay root outside: the worker becomes a nameless user
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:  # no process of bubblewrap's inside: it would be the same user's, and open to the student's code
        command += ["--unshare-user", "--disable-userns", "--as-pid-1"]
    command += ["--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    used = pythons.look(python)
    prefix, shown = used.prefix, used.shown
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    if shown != prefix:
        environment["LD_LIBRARY_PATH"] = f"{shown}/lib"
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
    if shown != prefix:
        command += ["--ro-bind", prefix, shown]
    # NumPy and the two files of the worker, and no other package: the same on every machine.
    command += ["--perms", "0755", "--dir", "/site"]
    package = Path(used.numpy)
    for path in [package, package.with_name("numpy.libs"), HERE / "worker.py", HERE / "values.py"]:
        command += ["--ro-bind-try", str(path), f"/site/{path.name}"]
    for folder in _packages(prefix):
        folder = folder.replace(prefix, shown, 1)
        command += ["--perms", "0755", "--tmpfs", folder, "--remount-ro", folder]
    # No /proc: it would show the paths of this machine, and the memory and environment of every process inside.
    command += ["--dev", "/dev", "--remount-ro", "/dev"]
    command += ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", "/tmp", "--remount-ro", "/"]
    return command


def _resources(limits, unsafe):
    """Return the limits that the worker sets on itself."""
    resources = {"RLIMIT_AS": limits.memory, "RLIMIT_CPU": int(limits.total) + 1, "RLIMIT_FSIZE": limits.disk,
                 "RLIMIT_CORE": 0, "RLIMIT_NOFILE": 64, "RLIMIT_MEMLOCK": 0, "RLIMIT_MSGQUEUE": 0,
                 "RLIMIT_SIGPENDING": 64}  # fmt: skip
    if not unsafe:  # outside, the processes of the user's whole desktop would count
        resources["RLIMIT_NPROC"] = limits.processes
    return resources


class Session(Conversation):
    """A worker that runs in the sandbox, until `close`; `python` is a program, if not the Python that runs this."""

    def __init__(self, limits, unsafe=False, python=""):
        super().__init__(limits, None, None)
        self.process = self.first = self.files = None
        self.group = None if unsafe else cgroup.make(limits.memory, limits.processes + 2)  # two of bubblewrap's own
        # A user number of its own for every worker: the system counts processes by user.
        user = None if unsafe else 1_000_000 + os.getpid() * 16 + next(_count) % 16
        told, tells = os.pipe()
        try:
            self.process = self._worker(unsafe, tells, python)
            self.to, self.back = self.process.stdin.fileno(), self.process.stdout.fileno()
            for pipe in (self.to, self.back):
                os.set_blocking(pipe, False)
            deadline = time.monotonic() + START
            self._send(values.encode({"resources": _resources(limits, unsafe), "user": user}), deadline)
            self._receive(deadline)
            if not unsafe:
                first = json.loads(os.read(told, 4096))["child-pid"]  # bubblewrap wrote it before the worker ran
                self.first = os.pidfd_open(first)
                self.files = os.open(Path("/proc", str(first), "root", "tmp"), os.O_PATH | os.O_DIRECTORY)
        except (WorkerDied, TimeoutError, OSError, pythons.Unusable) as error:
            self.close()
            raise SandboxError(f"The sandbox did not start: {error or 'it took too long'}.") from None
        finally:
            os.close(told)
            os.close(tells)

    def _worker(self, unsafe, tells, python):
        """Start the worker; bubblewrap writes to `tells` which process it put into the sandbox."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        pipes |= {"bufsize": 0, "start_new_session": True}
        if unsafe:
            return subprocess.Popen([python or sys.executable, "-I", "-B", str(HERE / "worker.py")], **pipes)
        with seccomp.filter_file() as calls:
            options = ["--info-fd", str(tells)] + (["--seccomp", str(calls)] if calls is not None else [])
            worker = [pythons.look(python).inside, "-I", "-S", "-B", "/site/worker.py"]
            command = cgroup.entering(self.group, [*bwrap_command(self.limits, python), *options, "--", *worker])
            return _start(command, pass_fds=[tells] if calls is None else [tells, calls], **pipes)

    def watch(self):
        """End the worker if it has made too many files: even an empty one takes memory of the kernel."""
        if self.files is not None:
            about = os.fstatvfs(self.files)
            if about.f_files - about.f_ffree > self.limits.files:
                self._end(f"it made more than {self.limits.files} files")

    def close(self):
        """End the worker and everything that it has started."""
        if self.first is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.first, signal.SIGKILL)  # all others inside end with it
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                pipe.close()
        for fd in filter(None, (self.first, self.files)):
            os.close(fd)
        self.first = self.files = None
        cgroup.remove(self.group)


def describe(limits):
    """Return the limits as a plain dictionary: part of what a stored result depends on."""
    return asdict(limits)
