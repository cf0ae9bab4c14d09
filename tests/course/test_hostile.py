"""Submissions that fail, cheat and attack. The grade is the one the real work deserves; nothing outside is touched."""

import dataclasses
import os
import socket
import time

import numpy as np
import pytest
from attncourse import author, model, policy, report, seccomp
from coursework import EXAMINERS, HASTY, SHORT, SOMEBODY, answers

WRONG = [
    "def score_variance(mu_q, Sigma_q, mu_k, Sigma_k):\n    return len(mu_q)",
    "def leaves(d_k, t): return 0.5\ndef row_leaves(d_k, t, m): return 0.5",
    "def gradient_left(S): return S[:, 0] * 0 + 0.5",
    "def query_sigma(d, d_k, sigma_K, wanted): return 1 / 8\ndef draw(d, d_k, sigma, seed): return np.zeros((d, d_k))",
    "def witness(seed): return np.ones((2, 3)), np.ones((2, 3))",
]
FORGE = """
import os, json, struct
def forged(value):
    text = json.dumps(value).encode()
    return struct.pack("!II", len(text), 0) + text
for fd in range(3, 20):
    for number in range(40):
        try:
            os.write(fd, forged({"id": number, "value": True, "score": 10, "earned": 10, "names": ["leaves"]}))
        except OSError:
            pass
"""
EVERYTHING = """
class Everything(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __le__(self, other): return True
    __lt__ = __ge__ = __gt__ = __le__
    def __abs__(self): return self
    def __sub__(self, other): return self
    __rsub__ = __mul__ = __rmul__ = __add__ = __radd__ = __sub__
    def __array__(self, *a, **k): return np.array(0.0)
    __hash__ = float.__hash__
class Same:
    def __eq__(self, other): return True
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
    __array_ufunc__ = lambda self, *a, **k: True
score_variance = lambda *a: Everything(1)
leaves = row_leaves = lambda *a: Same()
gradient_left = query_sigma = draw = lambda *a, **k: Same()
witness = lambda seed: (Same(), Same())
"""
NOBODY = """
import os
def is_open(fd):
    try: os.fstat(fd)
    except OSError: return False
    return True
assert os.getuid() != 0 and os.listdir("/tmp") == [], os.getuid()
assert set(os.listdir("/site")) <= {"lib", "numpy", "numpy.libs", "ipython", "attncourse"}
assert set(os.listdir("/site/attncourse")) == {"worker.py", "protocol.py", "reading.py", "choosing.py", "parsing.py",
                                               "translating.py", "finding.py", "scopes.py", "tokens.py", "spoken.py",
                                               "standins.py"}
assert not {"USER", "SEED", "SSH_AUTH_SOCK", "PYTHONPATH"} & set(os.environ), os.environ
assert len(os.listdir("/dev")) < 20
try:
    os.kill(1, 0)
    assert os.getpid() == 1, "a process of the same user"
except PermissionError:
    pass
assert not [name for name in ("/proc", "/sys", "/home", "/root", "/run", "/var", "/etc/passwd") if os.path.exists(name)]
assert not [name for name in ("/bin", "/usr", "/etc") if os.path.exists(name)], "of the system, only libraries"
assert sum(map(is_open, range(64))) <= 6  # input, output and errors to nowhere, and the two ways to the grader
"""
REFUSED_CALLS = f"""
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
column = {[*seccomp.MACHINES]}.index(os.uname().machine)
for name, numbers in {seccomp.REFUSED}.items():
    if numbers[column] is not None:
        assert libc.syscall(numbers[column], 0, 0, 0, 0, 0, 0) == -1 and ctypes.get_errno() == errno.EPERM, name
assert libc.syscall({seccomp.NEWEST + 1}) == -1 and ctypes.get_errno() == errno.ENOSYS
assert libc.syscall({seccomp.CLONE}[column], 0x10000011, 0, 0, 0, 0) == -1  # a user namespace of its own
"""
NO_SOCKETS = """
import asyncio, socket
made = set()
for family in range(50):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            made.add(socket.socket(family, kind).family)
        except OSError:
            pass
assert made == {socket.AF_UNIX}, made
assert asyncio.run(asyncio.sleep(0, 1)) == 1  # which needs a pair of sockets
"""
PATHS_OF_THE_HOST = """
import glob, os, sys
assert sys.executable.startswith("/python/") and sys.orig_argv[-1] == "/site/attncourse/worker.py", sys.orig_argv
assert not glob.glob(f"{sys.prefix}/lib*/python3*/*-packages/*")
assert not glob.glob(f"{sys.prefix}/lib*/python3*/ensurepip/_bundled/*")
assert sorted(os.listdir(sys.prefix)) in (["bin", "lib"], ["bin", "lib64"]), os.listdir(sys.prefix)
assert len(os.listdir(f"{sys.prefix}/bin")) == 1
try:
    import pip
except ImportError:
    pass
else:
    raise SystemError(pip.__file__)
"""
MEMORY_OF_THE_KERNEL = """
import ctypes, fcntl, os, signal
libc = ctypes.CDLL(None, use_errno=True)
with open("file", "w") as file:
    for lock in (lambda: fcntl.lockf(file, fcntl.LOCK_EX, 1), lambda: fcntl.fcntl(file, 37, bytes(32))):
        try:
            lock()
        except OSError:
            continue
        raise SystemError("a lock")
    assert fcntl.fcntl(file, fcntl.F_GETFD) == 1
os.remove("file")
timer, signals = ctypes.c_void_p(), 0
signal.pthread_sigmask(signal.SIG_BLOCK, [40])
while signals < 10**4 and libc.sigqueue(os.getpid(), 40, None) == 0:
    signals += 1
assert signals <= 64, signals
while signals < 10**4 and libc.timer_create(1, None, ctypes.byref(timer)) == 0:
    signals += 1
assert signals <= 64, signals
"""
BUFFERS = """
import array, fcntl, os, socket

def filled(end):
    held = 0
    os.set_blocking(end, False)
    try:
        while True:
            held += os.write(end, bytes(1 << 16))
    except OSError:
        return held

held, kept, (carrier, other) = 0, [], socket.socketpair()
for _ in range(200):
    try:
        first, last = socket.socketpair()
    except OSError:
        break
    kept.append((first, last))
    try:
        first.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 26)
    except OSError:
        pass
    held += filled(first.fileno())
    try:
        ends = array.array("i", [first.fileno(), last.fileno()])
        carrier.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, ends)])
        kept.pop()
    except OSError:
        pass
assert 0 < held < 32 << 20, held
del kept, carrier, other, first, last
first, last = os.pipe()
try:
    fcntl.fcntl(last, 1031, 1 << 20)
except OSError:
    pass
assert 0 < filled(last) < 1 << 18
"""
OUTLIVING = """
import ctypes, os, time
assert ctypes.CDLL(None).prctl(1, 0) == -1  # the signal that ends this process with the grader
if os.fork() == 0:
    os.setsid()
    time.sleep(3600)
"""
OTHER_MACHINE = """
import ctypes, mmap, os
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex("b814000000cd80c3"))  # getpid, by the numbers of 32-bit programs
assert os.uname().machine == "x86_64"
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
"""
ANOTHER_PROGRAM = """
import os, sys
os.dup2(3, 0)
os.dup2(4, 1)
repeats = "import os\\nwhile data := os.read(0, 65536): os.write(1, data)"
os.execv(sys.executable, ["python", "-I", "-S", "-c", repeats])
"""
PATCH = """
import numpy, builtins
numpy.allclose = numpy.isclose = numpy.array_equal = lambda *a, **k: True
numpy.testing.assert_allclose = lambda *a, **k: None
builtins.AssertionError = type("Never", (Exception,), {})
"""
STORM = """
import os, time
made = 0
for _ in range(200):
    try:
        if os.fork() == 0:
            time.sleep(30); os._exit(0)
        made += 1
    except OSError:
        break
assert 0 < made < 4, made
"""
SEARCH = """
import os, sys
found = []
for top in ("/", "/proc/self", "/proc/1"):
    for folder, inside, files in os.walk(top):
        inside[:] = [d for d in inside if d not in ("sys", "proc", "task") or folder != "/"][:200]
        if folder.count("/") > 6 or folder.startswith(("/usr", "/proc/self/map_files")): inside.clear(); continue
        for file in files:
            if "bundle" in file or "course" in folder.removeprefix("/site/attncourse"):
                found.append(os.path.join(folder, file))
frame = sys._getframe()
while frame:
    if "test_every" + "_walk" in repr(frame.f_locals): found.append(repr(frame.f_locals)[:200])
    frame = frame.f_back
if sys.executable.startswith("/ho" + "me") or os.path.exists("/proc"): found.append("/proc")
assert not found, found
"""
DELETE = """
import shutil, os
for top in ("/site", "/tmp", "/etc"):
    shutil.rmtree(top, ignore_errors=True)
assert os.path.exists("/site/attncourse/worker.py")
for path in ("/site/attncourse/worker.py", "/usr/x", "/x"):
    try:
        open(path, "a").close()
    except OSError:
        continue
    raise SystemError("written: " + path)
"""
LOOP = "while True:\n    pass"
CATCHES = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"

# name: (cells before the answers, cells after them, does it also run cleanly)
AROUND = {
    "right": ([], [], True),
    "output flood": (["for _ in range(20000): print('x' * 1000)"], [], True),
    "raising": (["1 / 0"], ["raise RuntimeError('late')"], False),
    "syntax error": (["def broken(:"], [], False),
    "sys.exit": (["import sys; sys.exit(0)"], ["raise SystemExit"], False),
    "os._exit": (["import os; os._exit(0)"], [], False),
    "endless loop in a cell": ([LOOP], [], False),
    "endless loop that catches": ([CATCHES], [], False),
    "sleeping": (["import time; time.sleep(600)"], [], False),
    "missing package": (["import pandas as pd"], [], False),
    "huge memory": (["x = np.ones(10**11)"], ["y = [0] * 10**10"], False),
    "magics": (["%matplotlib inline\n!ls", "%%bash\nrm -rf /"], [], True),
    "every refused call": ([REFUSED_CALLS], [], True),
    "storm of processes": ([STORM], [], True),
    "reading for tests": ([SEARCH], [], True),
    "being nobody": ([NOBODY], [], True),
    "sockets": ([NO_SOCKETS], [], True),
    "paths of the host": ([PATHS_OF_THE_HOST], [], True),
    "memory of the kernel": ([MEMORY_OF_THE_KERNEL], [], True),
    "buffers of sockets and pipes": ([BUFFERS], [], True),
    "a process that outlives the grader": ([OUTLIVING], [], True),
    "the calls of another machine": ([OTHER_MACHINE], [], False),
    "another program": ([ANOTHER_PROGRAM], [], False),
    "killing everything": (["import os\ntry: os.kill(-1, 9)\nexcept OSError: pass"], [], True),
    "stopping": (["import os\nos.kill(os.getpid(), 19)\nimport time; time.sleep(99)"], [], False),
    "deleted files": ([DELETE], [], True),
    "patched numpy.allclose": ([PATCH], [], True),
    "forged messages": ([FORGE], [], False),
    "killing its parent": (["import os\ntry:\n    os.kill(os.getppid(), 9)\nexcept OSError: pass"], [], True),
}
HANGING = ("endless loop in a cell", "endless loop that catches", "sleeping", "stopping")


@pytest.fixture(autouse=True)
def untouched(assignment):
    """Nothing here is changed, and no process of a sandbox is left behind."""
    before = repr(assignment)
    yield
    assert repr(assignment) == before
    assert not np.allclose([1.0], [2.0])
    for _ in range(100):  # the system may take its time to end them
        left = [number for number in os.listdir("/proc") if number.isdigit() and _is_of_a_sandbox(number)]
        if not left:
            break
        time.sleep(0.1)
    assert not left, left


def _is_of_a_sandbox(number):
    """Whether a process belongs to a user that only a sandbox of these tests has."""
    examiners = {running.process.pid for running in EXAMINERS.running.values()}
    try:
        owner = os.stat(f"/proc/{number}").st_uid
        if (owner - 1_000_000) // 16 in examiners:
            return True
        with open(f"/proc/{number}/cmdline", "rb") as file:
            inside = b"/site/attncourse/worker.py" in file.read()
    except OSError:
        return False
    return inside and owner == SOMEBODY


@pytest.mark.parametrize("name", AROUND)
def test_right_answers_keep_their_points(name, marked, assignment):
    before, after, clean = AROUND[name]
    result = marked(*before, *answers(assignment), *after, limits=HASTY if name in HANGING else SHORT)
    assert result.score == author.POINTS, result.remarks
    assert (not result.remarks) == clean, result.remarks


UNEARNED = {
    "wrong": WRONG,
    "with a patched NumPy": [PATCH, *WRONG],
    "with a search for the tests": [SEARCH, *WRONG],
    "below an error": ["1 / 0", *WRONG, "raise RuntimeError"],
    "objects that equal everything": [EVERYTHING],
    "forged messages from a cell": [FORGE, *WRONG],
    "forged messages from a call": [*WRONG, "def leaves(d_k, t):\n" + FORGE.replace("\n", "\n    ")],
}


@pytest.mark.parametrize("name", UNEARNED)
def test_wrong_answers_earn_nothing(name, marked):
    assert marked(*UNEARNED[name]).score == 0


def test_blank_and_partly_done(marked, assignment):
    stubs = [model.stub(source) for question in assignment.questions for source in question.answer]
    assert marked(*stubs).score == 0
    assert marked("").score == 0
    assert marked(*answers(assignment)[:2], *stubs[2:]).score == 4


@pytest.mark.parametrize("body", [LOOP, "import os; os._exit(0)", "import time; time.sleep(99)", "raise SystemExit"])
def test_a_function_that_never_returns_loses_its_own_points_only(body, marked, assignment):
    bad = "def gradient_left(S):\n" + "\n".join("    " + line for line in body.splitlines())
    result = marked(*answers(assignment), bad, limits=HASTY)
    assert result.score == author.POINTS - 2


FALSE_REPLIES = {  # the number of the question, what else is in the message, and bytes behind it
    "a number that is an array": ('{"array": ["<i8", [2], false]}', "", 16),
    "a number that is an array of one": ('{"array": ["<i8", [1], true]}', "", 8),
    "a number that is a list": ('{"list": [2]}', "", 0),
    "a number that is true": ("true", "", 0),
    "an error that is an array": ("11", ', ["error", {"array": ["<i8", [3], false]}]', 24),
    "an error of arrays": ("11", ', ["error", {"list": [{"array": ["<i8", [2], false]}, "", null]}]', 16),
    "an error of lists": ("11", ', ["error", {"list": [{"list": []}, {"dict": []}, null]}]', 0),
    "an error of no type": ("11", ', ["error", {"list": [{"list": []}, "w", null]}]', 0),
    "a line without end": ("11", ', ["error", {"list": [{"list": ["a"]}, "b", %s]}]' % ("9" * 4000), 0),
    "a line that is true": ("11", ', ["error", {"list": [{"list": ["a"]}, "b", true]}]', 0),
    "an error and a value": ("11", ', ["error", {"list": [{"list": ["a"]}, "b", 1]}], ["value", 1]', 0),
    "rows without end": ("11", ', ["value", {"array": ["|i1", [1000000000000000000, 0], false]}]', 0),
    "no dictionary": ("", "", 0),
}


ONE_OF_EACH = ("an array", "of lists", "without end", "an error and a value", "no dictionary")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name.endswith(ONE_OF_EACH) else pytest.mark.thorough) for name in FALSE_REPLIES],
)
def test_false_replies_cost_only_the_cell(name, marked, assignment):
    """The third statement of the student's first cell is the eleventh question."""
    number, rest, size = FALSE_REPLIES[name]
    text = f'{{"dict": [["id", {number}]{rest}]}}' if number else '{"list": []}'
    forge = f"""
import os, struct
def forge():
    os.write(4, struct.pack("!II", {len(text)}, {size}) + {text.encode()!r} + bytes({size}))
    os._exit(0)
forge()
"""
    result = marked(forge, *answers(assignment))
    assert result.score == author.POINTS
    assert len(result.remarks) == 1
    assert "skipped, it wrote" in result.remarks[0]
    assert ("not asked for" in result.remarks[0]) == name.startswith("a number")


@pytest.mark.parametrize(
    "make",
    [
        "open(f'/tmp/{n}', 'x').close()",
        *(
            pytest.param(make, marks=pytest.mark.thorough)
            for make in ("os.mkdir(f'/tmp/{n}')", "os.link('/tmp/a', f'/tmp/{n}')", "os.symlink('a', f'/tmp/{n}')")
        ),
    ],
)
def test_files_without_content_are_counted(make, marked, assignment):
    """They take none of the room in /tmp, and a kibibyte of the kernel's memory each."""
    storm = f"import os\nopen('/tmp/a', 'x').close()\nfor n in range(12000): {make}"
    result = marked(storm, *answers(assignment), limits=dataclasses.replace(SHORT, cell=40, total=120))
    assert len(result.remarks) == 1
    assert "it made more than 10000 files" in result.remarks[0]
    assert result.score == author.POINTS


def test_an_error_in_strange_letters_is_one_line(marked, assignment):
    result = marked(
        "class Bad(Exception): pass\nBad.__name__ = '\\udc80' * 99\nraise Bad('a\\nb\\0\\ud800' * 99)",
        *answers(assignment),
    )
    assert result.score == author.POINTS
    assert len(result.remarks[0].splitlines()) == 1
    assert len(result.remarks[0]) <= 300


@pytest.mark.parametrize(
    "value",
    [
        "eval('[' * 90 + ']' * 90)",
        "np.zeros(10**7)",
        "'x' * 10**7",
        "np.array([object()])",
        "print",
        "10**5000",
        "(lambda l: l.append(l) or l)([])",
        "np.lib.stride_tricks.as_strided(np.zeros(1), (10**9,), (0,))",
        "np.nan",
    ],
)
def test_deep_enormous_and_strange_replies_are_refused(value, marked, assignment):
    result = marked(*answers(assignment), f"def gradient_left(S):\n    return {value}")
    assert result.score == author.POINTS - 2


def test_nothing_reaches_the_network_of_the_machine(marked, assignment):
    """The one kind of socket that can be made has names in a network, too: the connection must not arrive."""
    name = f"\0attncourse-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        server.settimeout(0)
        call = f"import socket\nsocket.socket(socket.AF_UNIX).connect({name!r})"
        result = marked(call, *answers(assignment))
        with pytest.raises(BlockingIOError):
            server.accept()
    assert "line 2: ConnectionRefusedError" in result.remarks[0]
    assert result.score == author.POINTS


def test_the_same_submission_gets_the_same_result(marked, assignment):
    cells = [*answers(assignment)[:3], *WRONG[3:], "1 / 0"]
    assert marked(*cells) == marked(*cells)


def test_hidden_tests_are_not_shown_through_an_error(marked, assignment):
    """What a function says about its arguments must not come back to the student."""
    result = marked("def gradient_left(S):\n    raise ValueError('I was called with ' + repr(S.tolist()))")
    text = report.feedback(assignment, "x", result, policy.apply({}, assignment, policy.Work("x", result)))
    hidden = [m for m in result.marks if m.hidden and m.question == "saturation"]
    assert all("called with" in m.why for m in hidden)
    assert len(hidden) >= 2
    visible = [m.why for m in result.marks if not m.hidden]
    assert not any(m.why in text for m in hidden if m.why not in visible)
    assert not any(test.source in text for question in assignment.questions for test in question.hidden)


def test_what_a_hidden_test_asked_cannot_be_said_later(marked, assignment):
    """A function that keeps what one question was called with must not find a test it may speak in afterwards."""
    keeps = "seen = []\ndef score_variance(*given):\n    seen.append(given)\n    return 0.0"
    tells = "def witness(seed):\n    raise ValueError(f'{len(seen)} calls seen')"
    visible = [m.why for m in marked(keeps, tells).marks if not m.hidden and m.question == "witness"]
    assert visible == ["ValueError: 1 calls seen"]  # the one that the visible test of its own question made
