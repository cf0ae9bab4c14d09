"""Where there is a sandbox, which limit of memory is in force, and what bubblewrap must be."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from attncourse import cgroup, protocol, sandbox, seccomp


@pytest.mark.parametrize(
    ("version", "old"), [("0.6.1", True), ("0.7.0", True), ("0.8.0", False), ("0.11.0", False), ("1.0", False)]
)
def test_an_old_bubblewrap_is_named(version, old, tmp_path, monkeypatch):
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\ntest \"$1\" = --version && echo 'bubblewrap {version}' || exit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (f"{version} is too old" in sandbox.reason_unavailable()) == old, "a new one fails for another reason"


def test_a_sandbox_that_is_not_there_or_does_not_start_says_why(bubblewrap, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "HERE", sandbox.HERE / "nowhere")
        assert "did not start" in sandbox.reason_unavailable()
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert "bubblewrap" in sandbox.reason_unavailable()
    assert not any(holds for _, holds, _ in sandbox.environment()[: sandbox.NEEDED])
    with pytest.raises(sandbox.SandboxError, match="bubblewrap"):
        sandbox.Session(sandbox.Limits())


def test_bubblewrap_gets_no_environment(bubblewrap, monkeypatch):
    monkeypatch.setenv("SEED", "tell-no-student")
    session = sandbox.Session(sandbox.Limits())
    with open(f"/proc/{session.process.pid}/environ", "rb") as file:
        text = file.read()
    session.close()
    assert b"tell-no-student" not in text


def run(session, code):
    """Run a cell in a sandbox, statement by statement."""
    session.ask(20, read=[], public={"given": code, "questions": []})
    return [session.ask(60, statement=[0, n]) for n in range(len(session.ask(20, cell=0)["value"]))]


STORM = """
import os
if os.fork() == 0:
    for n in range(10**6): os.mkdir(f"/tmp/{n}")
"""


def test_files_are_counted_while_nobody_asks(bubblewrap):
    session = sandbox.Session(sandbox.Limits())
    run(session, STORM)
    with pytest.raises(protocol.PeerEnded, match="made more than 10000 files"):
        for _ in range(100):
            session.ask(20, cell=0)
            time.sleep(0.1)


def test_what_is_bound_is_a_real_path(bubblewrap, tmp_path, monkeypatch):
    """A link among the packages is resolved by the grader, never by bubblewrap."""
    os.symlink(os.path.dirname(sandbox.np.__file__), tmp_path / "numpy")
    monkeypatch.setattr(sandbox.np, "__file__", str(tmp_path / "numpy" / "__init__.py"))
    command = sandbox.bwrap_command(sandbox.Limits())
    assert {word for word in command if "bind" in word} == {"--ro-bind"}
    bound = [command[n + 1] for n, word in enumerate(command) if word == "--ro-bind"]
    assert all(path == os.path.realpath(path) for path in bound)
    assert str(tmp_path / "numpy") not in bound


def test_this_machine_is_described_wall_by_wall(bubblewrap, monkeypatch):
    walls = sandbox.environment()
    assert [what for what, *_ in walls] == ["bubblewrap", "namespaces", "files", "seccomp", "cgroups", "user"]
    assert all(holds for _, holds, _ in walls[: sandbox.NEEDED]), walls
    assert sandbox.bubblewrap()[0] in walls[0][2]
    monkeypatch.setattr(seccomp, "program", lambda machine=None: b"\x06\0\0\0\0\0\xff\x7f")  # a filter that allows all
    assert not sandbox.environment()[3][1], "a filter that allows everything is noticed"


def test_a_file_that_the_sandbox_need_not_see_is_noticed(bubblewrap, tmp_path, monkeypatch):
    tmp_path.chmod(0o755)  # pytest's own is closed to a nameless user
    (tmp_path / "solutions.py").write_text("tell-no-student")
    command = sandbox.bwrap_command
    more = ["--ro-bind", str(tmp_path), "/opt"]
    monkeypatch.setattr(sandbox, "bwrap_command", lambda limits: [*command(limits)[:-2], *more, *command(limits)[-2:]])
    name, holds, details = sandbox.environment()[2]
    assert (name, holds) == ("files", False)
    assert "/opt/solutions.py" in details


FINDS = """
import os, sys
found = []
for folder, inside, files in os.walk("/"):
    inside[:] = [name for name in inside if folder != "/" or name not in ("dev", "site")]
    for path in (os.path.join(folder, name) for name in files):
        try:
            with open(path, "rb") as file:
                if b"tell-no" + b"-student" in file.read():
                    found.append(path)
        except PermissionError:  # hidden
            pass
assert not found, found
assert sys.path[0] == "", sys.path
for name in ("solutions", "secret_module", "thesis"):
    try:
        module = __import__(name)
    except (ImportError, PermissionError):
        continue
    if getattr(module, "__file__", None):
        raise SystemError(f"{name} can be imported")  # an empty folder can, too
import asyncio, bz2, ctypes, decimal, hashlib, json, lzma, multiprocessing, sqlite3, ssl, uuid, zlib, zoneinfo
import numpy as np
assert np.allclose(np.linalg.solve(np.eye(3), np.ones(3)), 1) and np.fft.fft(np.ones(4))[0] == 4
assert np.random.default_rng(0).normal() != 0
assert open("x", "w").encoding.lower() == "utf-8"
"""
SEES = """
import sys
sys.path[:0] = sys.argv[1].split(":")
from attncourse import sandbox
assert sandbox.PREFIX == sys.argv[2], sandbox.PREFIX
assert sandbox.reason_unavailable() is None, sandbox.reason_unavailable()
assert sandbox.environment()[2][1], sandbox.environment()[2]
print(sandbox._error_inside(sys.argv[3]), *sandbox.describe_visible(), sep="\\n")
"""


def test_a_prefix_full_of_other_things_shows_none_of_them(bubblewrap, tmp_path):
    """Such as conda's, with environments in it, or a home folder: one Python is seen, and its standard library."""
    prefix, library = tmp_path / "home" / "miniconda 3", Path(os.path.realpath(os.__file__)).parent
    inside = prefix / library.relative_to(sandbox.PREFIX)
    left_out = shutil.ignore_patterns("test", "tests", "site-packages", "config-*", "idlelib", "lib2to3", "*.opt-*.pyc")
    shutil.copytree(library, inside, ignore=left_out)
    program = prefix / "bin" / Path(sandbox.PYTHON).name
    program.parent.mkdir()
    shutil.copy(sandbox.PYTHON, program)
    for shared in Path(sandbox.PREFIX, "lib").glob("libpython*.so.*"):
        shutil.copy(shared, prefix / "lib")
    secrets = [
        "envs/thesis/lib/python3.11/site-packages/solutions.py",
        "etc/token",
        "bin/secret",
        "lib/libsecret.so",
        f"{inside}/secret_module.py",
        f"{inside}/__pycache__/secret_module.cpython-311.pyc",
        "pkgs/a/b.txt",
        f"{inside}/site-packages/thesis.py",
        f"{inside}/my-notes/a.txt",
        f"{inside}/solutions/__init__.py",
        ".ssh/id_ed25519",
        f"{inside}/ensurepip/_bundled/pip.whl",
    ]
    for name in secrets:
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).write_text("tell-no-student")
    (prefix / "share").symlink_to(prefix / "etc")
    packages = Path(sandbox.np.__file__).parents[1]
    environ = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(prefix / "lib")}
    arguments = [f"{sandbox.HERE.parent}:{packages}", str(prefix), FINDS]
    done = subprocess.run([program, "-c", SEES, *arguments], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0] == "", said[0]
    assert any(line.startswith("/python/bin/") and str(program) in line for line in said), said
    assert not any("thesis" in line or "etc" in line for line in said)


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A folder that looks like control groups: app is this user's own, and this process is in app/shell."""
    for name, limits in (("", "cpu memory pids"), ("app", "memory pids"), ("app/shell", "")):
        (tmp_path / "fs" / name).mkdir() if name else (tmp_path / "fs").mkdir()
        (tmp_path / "fs" / name / "cgroup.subtree_control").write_text(limits)
        (tmp_path / "fs" / name / "cgroup.procs").write_text("")
    (tmp_path / "own").write_text("1:name=systemd:/x\n0::/app/shell\n")
    monkeypatch.setattr(cgroup, "ROOT", tmp_path / "fs")
    monkeypatch.setattr(cgroup, "OWN", tmp_path / "own")
    return tmp_path / "fs"


def test_the_limit_in_force_is_named(groups):
    limits = sandbox.Limits(memory=1 << 30, processes=4)
    assert "whole sandbox may use 1024 MiB" in sandbox.memory_in_force(limits)
    (groups / "app" / "cgroup.subtree_control").write_text("cpu")
    (groups / "cgroup.subtree_control").write_text("cpu")
    assert "4 times" in sandbox.memory_in_force(limits)
    cgroup.OWN.unlink()
    assert "4 times" in sandbox.memory_in_force(limits)


def test_a_control_group_is_the_nearest_that_may_be_limited(groups, monkeypatch):
    assert cgroup.parent() == groups / "app"
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: path.parent.name != "app" and path != groups / "app" and allowed(path, mode)
    )
    assert cgroup.parent() == groups  # root's, for root
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert cgroup.parent() is None
    assert cgroup.make(1, 1) is None


def test_a_sandbox_enters_its_control_group(groups, monkeypatch):
    group = cgroup.make(1 << 20, 6)
    assert group.parent == groups / "app"
    limits = {path.name: path.read_text() for path in group.iterdir()}
    assert limits == {"memory.max": "1048576", "pids.max": "6", "memory.swap.max": "0", "memory.oom.group": "1"}
    done = subprocess.run(cgroup.command_in_group(group, ["sh", "-c", "echo $$"]), capture_output=True, text=True)
    assert (group / "cgroup.procs").read_text() == done.stdout
    for path in group.iterdir():
        path.unlink()  # the kernel's own are not in the way
    cgroup.remove(group)
    assert not group.exists()
    assert cgroup.command_in_group(None, ["x"]) == ["x"]


def test_groups_of_a_killed_grader_are_removed_by_the_next(groups):
    ended = subprocess.Popen(["true"])
    ended.wait()
    for process in (ended.pid, os.getpid()):
        (groups / "app" / f"attncourse-{process}-7").mkdir()
    cgroup.make(1 << 20, 6)
    left = sorted(path.name.split("-")[1] for path in (groups / "app").glob("attncourse-*-7"))
    assert left == [str(os.getpid())]


def test_a_whole_sandbox_is_limited(bubblewrap):
    """Four processes of 300 MiB: each is allowed, and all together are not."""
    if cgroup.parent() is None:
        pytest.skip("not applicable: this user cannot make a control group (cgroup v2) here")
    fill = "x = np.ones(300 << 20, np.int8)\ntime.sleep(60)"
    cell = f"import os, time\nimport numpy as np\nfor _ in range(3):\n    if os.fork() == 0: break\n{fill}"
    session = sandbox.Session(sandbox.Limits(memory=1 << 30))
    with pytest.raises(protocol.PeerEnded, match="its process ended"):
        run(session, cell)
    assert not [*cgroup.parent().glob(f"attncourse-{os.getpid()}-*")]


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_every_call_has_a_number_in_the_filter(machine):
    column = [*seccomp.MACHINES].index(machine)
    numbers = [numbers[column] for numbers in seccomp.REFUSED.values() if numbers[column] is not None]
    assert len({*numbers}) == len(numbers)
    assert all(number <= seccomp.NEWEST for number in numbers)
    code = seccomp.program(machine)
    assert len(code) % 8 == 0
    assert len(code) < 8 * 4096  # the kernel takes no longer one
    assert seccomp.program("pdp11") is None


def test_a_sandbox_that_is_ended_while_it_starts_leaves_nothing(bubblewrap, monkeypatch):
    """Until bubblewrap's child has set itself up, it does not end with its parent, and nobody else would end it."""
    inside = []

    def children(process):
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]

    def runs(process):
        about = Path(f"/proc/{process}/stat")
        return about.exists() and about.read_text().rpartition(")")[2].split()[0] != "Z"  # ended, if nobody has asked

    def send(session, message, deadline):
        while not (found := children(session.process.pid)):
            time.sleep(0)
        inside.extend(found)
        raise TimeoutError

    monkeypatch.setattr(sandbox.Session, "send", send)
    with pytest.raises(sandbox.SandboxError):
        sandbox.Session(sandbox.Limits())
    time.sleep(0.5)
    left = [process for process in inside if runs(process)]
    for process in left:
        os.kill(process, 9)
    assert inside
    assert left == []
