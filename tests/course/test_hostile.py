"""Submissions that fail, cheat and attack. The grade is the one the real work deserves; nothing outside is touched."""

import contextlib
import json
import os
import socket
import threading
import time

import numpy as np
import ordinary_user
import pytest
from attncourse import author, grade, sandbox, values
from conftest import SHORT, answers, notebook

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
assert set(os.listdir("/site")) <= {"numpy", "numpy.libs", "worker.py", "values.py"}
assert not {"USER", "SEED", "SSH_AUTH_SOCK", "PYTHONPATH"} & set(os.environ), os.environ
assert len(os.listdir("/dev")) < 20
assert not [name for name in ("/proc", "/sys", "/home", "/root", "/run", "/var", "/etc/passwd") if os.path.exists(name)]
assert sum(map(is_open, range(64))) <= 6  # input, output and errors to nowhere, and the two ways to the grader
"""
MEMORY_OF_NO_PROCESS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
assert libc.shmget(0, 1 << 20, 0o1600) == -1 and ctypes.get_errno() == 1
try:
    os.memfd_create("x")
except PermissionError:
    pass
else:
    raise SystemError("a file in memory")
assert libc.unshare(0x10000000) == -1 and ctypes.get_errno() == 1
assert libc.syscall(56 if os.uname().machine == "x86_64" else 220, 0x10000011, 0, 0, 0, 0) == -1
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
            if "bundle" in file or "course" in folder:
                found.append(os.path.join(folder, file))
frame = sys._getframe()
while frame:
    if "test_every" + "_walk" in repr(frame.f_locals): found.append(repr(frame.f_locals)[:200])
    frame = frame.f_back
if "/home/" in sys.executable or os.path.exists("/proc"): found.append("/proc")
assert not found, found
"""
DELETE = """
import shutil, os
for top in ("/site", "/tmp", "/etc"):
    shutil.rmtree(top, ignore_errors=True)
assert os.path.exists("/site/worker.py")
for path in ("/site/worker.py", "/usr/x", "/x"):
    try:
        open(path, "a").close()
    except OSError:
        continue
    raise SystemError("written: " + path)
"""
LOOP = "while True:\n    pass"

# name: (cells before the answers, cells after them, does it also run cleanly)
AROUND = {
    "right": ([], [], True),
    "output flood": (["for _ in range(20000): print('x' * 1000)"], [], True),
    "raising": (["1 / 0"], ["raise RuntimeError('late')"], False),
    "syntax error": (["def broken(:"], [], False),
    "sys.exit": (["import sys; sys.exit(0)"], ["raise SystemExit"], False),
    "os._exit": (["import os; os._exit(0)"], [], False),
    "endless loop in a cell": ([LOOP], [], False),
    "endless loop that catches": (
        ["while True:\n    try:\n        while True: pass\n    except BaseException: pass"],
        [],
        False,
    ),
    "sleeping": (["import time; time.sleep(600)"], [], False),
    "missing package": (["import pandas as pd"], [], False),
    "huge memory": (["x = np.ones(10**11)"], ["y = [0] * 10**10"], False),
    "magics": (["%matplotlib inline\n!ls", "%%bash\nrm -rf /"], [], True),
    "a per cent sign that is no magic": (["rest = (7\n  % 3)\nassert rest == 1"], [], True),
    "a timed cell": (["%%time\nx = 1", "assert x == 1"], [], True),
    "memory that no limit counts": ([MEMORY_OF_NO_PROCESS], [], True),
    "storm of processes": ([STORM], [], True),
    "reading for tests": ([SEARCH], [], True),
    "being nobody": ([NOBODY], [], True),
    "deleted files": ([DELETE], [], True),
    "patched numpy.allclose": ([PATCH], [], True),
    "killing its parent": (
        ["import os, signal\ntry:\n    os.kill(os.getppid(), signal.SIGKILL)\nexcept OSError: pass"],
        [],
        True,
    ),
}


@pytest.fixture(autouse=True)
def untouched(bundle):
    """Nothing here is changed, and no process of a sandbox is left behind."""
    before = json.dumps(bundle)
    yield
    assert json.dumps(bundle) == before
    assert not np.allclose([1.0], [2.0])
    for _ in range(100):  # the system may take its time to end them
        left = [number for number in os.listdir("/proc") if number.isdigit() and _is_of_a_sandbox(number)]
        if not left:
            break
        time.sleep(0.1)
    assert not left, left


def _is_of_a_sandbox(number):
    """Whether a process belongs to a user that only a sandbox of these tests has."""
    first = 1_000_000 + os.getpid() * 16
    try:
        owner = os.stat(f"/proc/{number}").st_uid
        if first <= owner < first + 16:
            return True
        with open(f"/proc/{number}/cmdline", "rb") as file:
            return owner == ordinary_user.NUMBER and b"ordinary_user.py" not in file.read()
    except OSError:
        return False


@pytest.mark.parametrize("name", AROUND)
def test_right_answers_keep_their_points(name, marked, bundle):
    before, after, clean = AROUND[name]
    result = marked(*before, *answers(bundle), *after)
    assert result["score"] == author.POINTS, result["remarks"]
    assert (not result["remarks"]) == clean, result["remarks"]


@pytest.mark.parametrize("name", ["right", "patched numpy.allclose", "reading for tests", "raising"])
def test_wrong_answers_earn_nothing(name, marked):
    before, after, _ = AROUND[name]
    assert marked(*before, *WRONG, *after)["score"] == 0


def test_blank_and_partly_done(marked, bundle):
    stubs = [author.stub(source) for exercise in bundle["exercises"] for source in exercise["answer"]]
    assert marked(*stubs)["score"] == 0
    assert marked("")["score"] == 0
    assert marked(*answers(bundle)[:2], *stubs[2:])["score"] == 4


def test_a_cell_that_raises_keeps_what_it_defined(marked, bundle):
    assert marked("\n".join(answers(bundle)) + "\n1 / 0")["score"] == author.POINTS


@pytest.mark.parametrize("body", [LOOP, "import os; os._exit(0)", "import time; time.sleep(99)", "raise SystemExit"])
def test_a_function_that_never_returns_loses_its_own_points_only(body, marked, bundle):
    bad = "def gradient_left(S):\n" + "\n".join("    " + line for line in body.splitlines())
    result = marked(*answers(bundle), bad)
    assert result["score"] == author.POINTS - 2


def test_forged_messages_earn_nothing(marked):
    assert marked(FORGE, *WRONG)["score"] == 0
    assert marked(*WRONG, "leaves_ = leaves\n" + "def leaves(d_k, t):\n" + FORGE.replace("\n", "\n    "))["score"] == 0


def test_forged_messages_in_a_cell_cost_only_the_cell(marked, bundle):
    result = marked(FORGE, *answers(bundle))
    assert result["score"] == author.POINTS
    assert "skipped" in " ".join(result["remarks"])


def test_objects_that_equal_everything_earn_nothing(marked):
    assert marked(EVERYTHING)["score"] == 0


@pytest.mark.parametrize(
    "value",
    ["eval('[' * 90 + ']' * 90)", "np.zeros(10**7)", "'x' * 10**8", "np.array([object()])", "print", "10**5000",
     "(lambda l: l.append(l) or l)([])", "np.lib.stride_tricks.as_strided(np.zeros(1), (10**9,), (0,))", "np.nan"],
)  # fmt: skip
def test_deep_enormous_and_strange_replies_are_refused(value, marked, bundle):
    result = marked(*answers(bundle), f"def gradient_left(S):\n    return {value}")
    assert result["score"] == author.POINTS - 2


def test_nothing_reaches_the_network_of_the_machine(marked, bundle):
    """A listener on loopback, and nothing but loopback: the connection must not arrive."""
    arrived = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        listening = threading.Thread(target=lambda: _accept(server, arrived), daemon=True)
        listening.start()
        port = server.getsockname()[1]
        call = f"import socket\nsocket.create_connection(('127.0.0.1', {port}), timeout=2)"
        result = marked(call, *answers(bundle))
    assert "Code cell 1, line 2: OSError" in result["remarks"][0]
    assert result["score"] == author.POINTS
    assert not arrived


def _accept(server, arrived):
    with contextlib.suppress(OSError):
        arrived.append(server.accept())


BAD_FILES = {
    "empty": b"",
    "no notebook": b"%PDF-1.7 not a notebook",
    "a list": b"[1, 2]",
    "deep": b"[" * 200_000,
    "no cells": b'{"cells": 3}',
    "a cell that is none": b'{"cells": [3]}',
    "not text": bytes(range(256)),
    "large": b" " * (21 << 20) + b"{}",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_files_that_are_no_notebooks(name, marked):
    result = marked(BAD_FILES[name])
    assert result["score"] == 0
    assert result["remarks"][0].endswith(".")


def test_the_same_submission_gets_the_same_result(marked, bundle):
    cells = [*answers(bundle)[:3], *WRONG[3:], "1 / 0"]
    assert marked(*cells) == marked(*cells)


def test_hidden_tests_are_not_told_through_an_error(marked, bundle):
    """What a function says about its arguments must not come back to the student."""
    from attncourse import report

    result = marked("def gradient_left(S):\n    raise ValueError('I was called with ' + repr(S.tolist()))")
    text = report.feedback(bundle, "x", result)
    hidden = [m for m in result["marks"] if m["hidden"] and m["exercise"] == "saturation"]
    assert all("called with" in m["remark"] for m in hidden)
    assert len(hidden) == 2
    visible = [m["remark"] for m in result["marks"] if not m["hidden"]]
    assert not any(m["remark"] in text for m in hidden if m["remark"] not in visible)
    assert not any(test["source"] in text for exercise in bundle["exercises"] for test in exercise["hidden"])


def test_what_a_hidden_test_asked_cannot_be_told_later(marked, bundle):
    """A function that keeps what one exercise was called with must not find a test it may speak in afterwards."""
    keeps = "seen = []\ndef score_variance(*given):\n    seen.append(given)\n    return 0.0"
    tells = "def witness(seed):\n    raise ValueError(f'{len(seen)} calls seen')"
    visible = [m["remark"] for m in marked(keeps, tells)["marks"] if not m["hidden"] and m["exercise"] == "witness"]
    assert visible == ["ValueError: 1 calls seen"]  # the one that the visible test of its own exercise made


VALUES = [None, True, 3, -2.5, "π", [1, (2, 3)], {"a": np.arange(6.0).reshape(2, 3)}, 1 + 2j, np.float32(0.1), [],
          np.zeros((0, 3)), np.array([True, False]), {"x": {"y": [np.arange(3), np.arange(2)]}}]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_survive(value):
    data = values.encode(value)
    size = values.HEAD.unpack(data[:8])[0]
    again = values.decode(data[8 : 8 + size], data[8 + size :])
    assert type(again) is type(value)
    assert repr(again) == repr(value)


@pytest.mark.parametrize(
    ("text", "body"),
    [(b"", b""), (b"[1]", b""), (b"{}", b""), (b'{"array": ["<f8", [2], false]}', b"short"), (b"1", b"left over"),
     (b'{"array": ["|O8", [1], false]}', b"12345678"), (b'{"array": ["<f8", [-1], false]}', b""), (b"\xff", b""),
     (b'{"array": ["<M8[s]", [1], false]}', b"12345678"), (b'{"array": ["<U2", [1], false]}', b"12345678"),
     (b'{"list": 3}', b""), (b'{"dict": [[1, 2]]}', b""), (b'{"list": [' * 5000, b""), (b'{"pickle": "x"}', b""),
     (b'{"array": ["<f8", [1e3], false]}', b""), (b'{"dict": [["a"]]}', b""), (b'{"complex": ["1", "2"]}', b"")],
)  # fmt: skip
def test_bytes_that_are_no_message_are_refused(text, body):
    with pytest.raises(values.Refused):
        values.decode(text, body)


def test_without_bubblewrap_it_refuses_and_says_why(monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert "not installed" in sandbox.missing()
    with pytest.raises(sandbox.SandboxError, match="not installed"):
        grade.grade(notebook("1"), {"given": "", "exercises": []}, limits=SHORT)
