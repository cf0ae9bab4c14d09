"""Run a student's code in a sandbox; the conversation with it ends on time whatever the code does.

bubblewrap leaves it no network, no home, no /proc, an own /tmp and own process numbers, so that one kill ends
everything inside. Of this machine's files it sees, read-only, the program and the standard library of one Python,
NumPy, the libraries that these two load, and the files of the grader that read and run a notebook: a list of what is
shown, not of what is hidden. The worker sets the system's limits on itself before it runs the student's code.
"""

import contextlib
import functools
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
PYTHON_VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
PREFIX = os.path.realpath(sys.base_prefix)
SHOWN = "/python"  # PREFIX inside, on every machine: a home folder has a name
SITE = "/site"  # where a sandbox has NumPy, the libraries and the grader's files
LIBRARIES = f"{SITE}/lib"
WORKER = f"{SITE}/attncourse/worker.py"
LOADED = re.compile(r"^[ \t]+(?:(\S+) => )?(/.+?) \(0x[0-9a-f]+\)$", re.MULTILINE)  # as ldd prints it
# Names in the folder of the standard library that are its own.
STANDARD = {*sys.stdlib_module_names, "lib-dynload", "__pycache__", "__hello__", "__phello__", "LICENSE"}
NOT_NEEDED = ("ensurepip/_bundled",)  # pip is in there, which is a package
OF_A_SCREEN = ("_tkinter", "_curses", "_curses_panel", "readline", "nis")  # modules whose libraries are not shown
TRANSLATOR = ("core/inputtransformer2.py", "utils/tokenutil.py")  # what of IPython it sees
READERS = ("reading", "choosing", "parsing", "translating", "finding", "scopes", "tokens", "spoken")
INSIDE = tuple(f"{name}.py" for name in ("worker", "protocol", *READERS, "standins"))  # what of the grader it sees
POLL = 0.05  # seconds between two looks at what a sandbox uses
START = 60  # seconds a worker may take to start on a busy machine
VERSION = re.compile(r"(?<!\d)\d+\.\d+[.\d]*")
NEEDED = 4  # walls, the first that `environment` returns, without which nobody should grade
OLDEST = (0, 8)  # the bubblewrap that has --disable-userns
_count = itertools.count()
_starting = threading.Lock()
_groups: set = set()  # the process groups of bubblewrap that this process has started


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
    replay: float = 10  # to call functions once more, after the tests, and look for slips
    test: int = 5  # seconds of the processor that one test may work on what came back
    test_memory: int = 1 << 30  # bytes of memory for the same


class SandboxError(RuntimeError):
    """The sandbox itself does not work, through no fault of a student."""


def reason_unavailable():
    """Return why code cannot be sandboxed here, in one sentence; None if it can."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux: grade on a Linux machine, in a virtual machine or in WSL 2."
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed: install the package bubblewrap (apt, dnf and pacman all have it)."
    version = bubblewrap()[0]
    if tuple(map(int, version.split(".")[:2])) < OLDEST:
        return f"bubblewrap {version} is too old: 0.8 or newer is needed, which Debian 12 and Ubuntu 24.04 have."
    try:
        command = [*bwrap_command(Limits()), "--", python(), "-I", "-S", "-c", "pass"]
    except SandboxError as error:
        return str(error)
    probe = _start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
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
    reason, (version, program) = reason_unavailable(), bubblewrap() if shutil.which("bwrap") else ("", "")
    walls = [
        ("bubblewrap", bool(version), f"{version}, {program}" if version else "not installed"),
        ("namespaces", reason is None, reason or "a sandbox starts here"),
    ]
    filtered = "no filter of system calls is known for this machine"
    seen = "nothing is known without a sandbox"
    if reason is None:
        seen = _error_inside(WALK.format(known=_known(), hidden=[path for path, _ in _of_python()[1]]))
        if seccomp.program():
            filtered = "the filter of system calls does not hold" if _error_inside(OPEN_CALL) else ""
    walls.append(("files", not seen, seen or "only what is listed here can be seen"))
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


OPEN_CALL = """
import os
try: os.memfd_create("x")
except PermissionError: pass
else: raise SystemError("it is open")
"""
WALK = """
import os

def holds(path):
    try:
        return os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
    except OSError:
        return None

known, strange = {known}, []
for folder, inside, files in os.walk("/"):
    inside[:] = [name for name in inside if os.path.join(folder, name) not in known]
    strange += [path for path in (os.path.join(folder, name) for name in files) if path not in known]
strange += filter(holds, {hidden})
if strange: raise SystemError(f"the sandbox sees {{len(strange)}} files more than it needs, such as {{strange[0]}}")
"""


def _error_inside(code):
    """Run statements in a sandbox; return the message of the first that fails, "" if none does."""
    session = Session(Limits())
    try:
        session.ask(START, read=[], public={"given": code, "questions": []})
        statements = range(len(session.ask(START, cell=0)["value"]))
        replies = [session.ask(START, statement=[0, number]) for number in statements]
    finally:
        session.close()
    return next((reply["error"][1] for reply in replies if "error" in reply), "")


def python():
    """Return the path of Python's program in the sandbox."""
    return _inside(PYTHON)


def _inside(path):
    """Return the path in the sandbox of a path below Python's prefix."""
    return os.path.join(SHOWN, os.path.relpath(path, PREFIX))


@functools.cache
def _of_python():
    """Return what is shown of Python, [(path here, path inside)], and what of it is hidden, [(path inside, a folder?)].

    The folder of the standard library is shown, and of that again not what is not the standard library's.
    """
    library = os.path.dirname(os.path.realpath(os.__file__))
    shown = [(PYTHON, python()), (library, _inside(library))]
    folders = [library, os.path.join(library, "__pycache__")]
    strange = [entry for folder in folders if os.path.isdir(folder) for entry in os.scandir(folder)]
    strange = [entry for entry in strange if entry.name.split(".")[0] not in STANDARD and not entry.is_symlink()]
    hidden = [entry.path for entry in strange if not entry.name.startswith("_sysconfigdata")]
    hidden += [path for path in (os.path.join(library, name) for name in NOT_NEEDED) if os.path.isdir(path)]
    shown += _libraries(Path(library, "lib-dynload"), Path(np.__file__).parent)
    return shown, [(_inside(path), os.path.isdir(path)) for path in sorted(hidden)]


def _libraries(*folders):
    """Return what Python and the extensions in these folders load, [(path here, path in the sandbox)].

    A library that is asked for by name alone is shown in `LIBRARIES`; one that is asked for by its path, such as the
    loader itself, stands where it is asked for.
    """
    loaded = {}
    for name, path in LOADED.findall("".join(map(_loads, folders))):
        own = os.path.commonpath([os.path.realpath(path), str(_numpy_libraries())]) == str(_numpy_libraries())
        if name and "/" not in name and not own:
            loaded[f"{LIBRARIES}/{name}"] = path
        elif not own:
            asked = os.path.normpath(name or path)
            loaded[asked] = path
            if asked.startswith(f"{PREFIX}/"):  # beside Python's program, by a path that begins with its folder
                loaded[_inside(asked)] = path
    return [(path, inside) for inside, path in sorted(loaded.items())]


def _loads(folder):
    """Return what the system's loader says that Python loads together with all extensions of a folder.

    It is asked once for all of them: ldd starts four processes for each. Their paths begin at the folder, because a
    blank or a colon would end a name.
    """
    extensions = [path for path in folder.rglob("*.so") if path.name.split(".")[0] not in OF_A_SCREEN]
    names = ":".join(f"./{path.relative_to(folder)}" for path in extensions)
    command = [_loader(), *(["--preload", names] if names else []), "--list", PYTHON]
    return _said(command, cwd=folder if names else None)


@functools.cache
def _loader():
    """Return the path of the system's loader, which ldd prints without a name."""
    ldd = shutil.which("ldd")
    if ldd is None:
        raise SandboxError("ldd, which names the libraries of Python, is not installed: it belongs to the C library.")
    loader = next((path for name, path in LOADED.findall(_said([ldd, PYTHON])) if not name), None)
    if loader is None:
        raise SandboxError(f"ldd names no loader for {PYTHON}, so that nobody knows what it loads.")
    return loader


def _said(command, **options):
    """Return what a program of the C library prints."""
    quiet = {"capture_output": True, "text": True, "errors": "replace"}
    return subprocess.run(command, env={"PATH": os.defpath}, **quiet, **options).stdout


def _numpy_libraries():
    """Return the folder of the libraries that NumPy brings along, which is shown as a whole."""
    return Path(os.path.realpath(np.__file__)).parent.with_name("numpy.libs")


def shown_paths():
    """Return [(real path here, path in the sandbox)] for everything of this machine that a sandbox sees."""
    shown = _of_python()[0]
    shown = [*shown, (Path(np.__file__).parent, f"{SITE}/numpy"), (_numpy_libraries(), f"{SITE}/numpy.libs")]
    shown += [(HERE / name, f"{SITE}/attncourse/{name}") for name in INSIDE]
    for module in TRANSLATOR:
        shown.append((Path(_ipython(), module), f"{SITE}/ipython/IPython/{module}"))
    real = [(os.path.realpath(path), inside) for path, inside in shown]
    return [(path, inside) for path, inside in real if os.path.exists(path)]


def _known():
    """Return the paths in a sandbox whose insides are known."""
    return {"/dev", "/tmp", *(inside for _, inside in shown_paths())}


def describe_visible():
    """Return lines that say what of this machine a student's code can read."""
    lines, libraries = [], []
    for path, shown in shown_paths():
        if shown.startswith(LIBRARIES):
            libraries.append(shown.rpartition("/")[2])
        else:
            lines.append(f"{shown}: {path}")
    hidden = len(_of_python()[1])
    lines.append(f"{LIBRARIES}: {len(libraries)} libraries, which Python and NumPy load: {', '.join(libraries)}")
    lines.append(f"Hidden in Python's folder, because they are not the standard library: {hidden}")
    lines.append("/dev: null, zero, random and the like; /tmp: empty, and its own")
    return lines


def _end_group(group):
    """End bubblewrap with its child: until that has set itself up, it does not end with its parent."""
    if group in _groups:
        _groups.discard(group)
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


def end_all():
    """End every sandbox of this process, and let none start any more: the process is about to end itself."""
    _starting.acquire()
    for group in list(_groups):
        _end_group(group)


def bwrap_command(limits):
    """Return the bwrap command in front of the worker's: it says what the student's code can see."""
    command = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() == 0:  # root in a user namespace would stay root outside: the worker becomes a nameless user
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:  # no process of bubblewrap's inside: it would be the same user's, and open to the student's code
        command += ["--unshare-user", "--disable-userns", "--as-pid-1"]
    command += ["--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    environment = {"PATH": f"{SHOWN}/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    environment["LD_LIBRARY_PATH"] = LIBRARIES
    for name, value in environment.items():
        command += ["--setenv", name, value]
    shown = shown_paths()
    folders = {folder for _, path in shown for folder in Path(path).parents} - {Path("/")}
    for folder in sorted(folders):
        command += ["--perms", "0755", "--dir", str(folder)]
    for path, inside in shown:  # every link is resolved here, and none left to bubblewrap (CVE-2026-87766)
        command += ["--ro-bind", path, inside]
    for path, folder in _of_python()[1]:
        if folder:
            command += ["--perms", "0755", "--tmpfs", path, "--remount-ro", path]
        else:
            command += ["--ro-bind", "/dev/null", path]
    # No /proc: it would show the paths of this machine, and the memory and environment of every process inside.
    command += ["--dev", "/dev", "--remount-ro", "/dev"]
    command += ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", "/tmp", "--remount-ro", "/"]
    return command


@functools.cache
def _ipython():
    """Return the folder of IPython, without importing it."""
    spec = importlib.util.find_spec("IPython")
    return spec.submodule_search_locations[0] if spec else "/nowhere"


def _resources(limits, unsafe):
    """Return the limits that the worker sets on itself."""
    resources = {
        "RLIMIT_AS": limits.memory,
        "RLIMIT_CPU": int(limits.total) + 1,
        "RLIMIT_FSIZE": limits.disk,
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": 64,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_SIGPENDING": 64,
    }
    if not unsafe:  # outside, the processes of the user's whole desktop would count
        resources["RLIMIT_NPROC"] = limits.processes
    return resources


class Session(Conversation):
    """A worker that runs in the sandbox, until `close`."""

    def __init__(self, limits, unsafe=False):
        self.limits = limits
        self.process = None  # bubblewrap
        self.first = None  # a handle of the first process inside
        self.files = None  # and of its /tmp
        self.reason = ""  # why it was ended, if it was for its files
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
            worker = [python(), "-I", "-S", "-B", WORKER]
            command = cgroup.command_in_group(self.group, [*bwrap_command(self.limits), *options, "--", *worker])
            with _starting:
                process = _start(command, pass_fds=[info_end] if calls is None else [info_end, calls], **pipes)
                _groups.add(process.pid)
            return process

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
            _end_group(self.process.pid)
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                pipe.close()
        opened = (self.first, self.files)
        self.first = self.files = None
        for fd in opened:
            if fd is not None:
                os.close(fd)
        cgroup.remove(self.group)
