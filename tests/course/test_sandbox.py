"""Where there is a sandbox, which limit of memory is in force, and what bubblewrap must be."""

import os
import subprocess
import time

import pytest
from attncourse import cgroup, protocol, sandbox, seccomp


@pytest.mark.parametrize(("version", "old"), [("0.6.1", True), ("0.7.0", True), ("0.8.0", False), ("0.11.0", False),
                                              ("1.0", False)])  # fmt: skip
def test_an_old_bubblewrap_is_named(version, old, tmp_path, monkeypatch):
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\ntest \"$1\" = --version && echo 'bubblewrap {version}' || exit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (f"{version} is too old" in sandbox.missing()) == old, "a new one fails for another reason"


def test_a_sandbox_that_is_not_there_or_does_not_start_says_why(bubblewrap, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "HERE", sandbox.HERE / "nowhere")
        assert "did not start" in sandbox.missing()
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert "bubblewrap" in sandbox.missing()
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
    assert [what for what, *_ in walls] == ["bubblewrap", "namespaces", "seccomp", "cgroups", "user"]
    assert all(holds for _, holds, _ in walls[: sandbox.NEEDED]), walls
    assert sandbox.bubblewrap()[0] in walls[0][2]
    monkeypatch.setattr(seccomp, "program", lambda machine=None: b"\x06\0\0\0\0\0\xff\x7f")  # a filter that allows all
    assert not sandbox.environment()[2][1], "a filter that allows everything is noticed"


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
    monkeypatch.setattr(os, "access", lambda path, mode: path.parent.name != "app" and path != groups / "app"
                        and allowed(path, mode))  # fmt: skip
    assert cgroup.parent() == groups  # root's, for root
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert cgroup.parent() is None
    assert cgroup.make(1, 1) is None


def test_a_sandbox_enters_its_control_group(groups, monkeypatch):
    group = cgroup.make(1 << 20, 6)
    assert group.parent == groups / "app"
    limits = {path.name: path.read_text() for path in group.iterdir()}
    assert limits == {"memory.max": "1048576", "pids.max": "6", "memory.swap.max": "0", "memory.oom.group": "1"}
    done = subprocess.run(cgroup.entering(group, ["sh", "-c", "echo $$"]), capture_output=True, text=True)
    assert (group / "cgroup.procs").read_text() == done.stdout
    for path in group.iterdir():
        path.unlink()  # the kernel's own are not in the way
    cgroup.remove(group)
    assert not group.exists()
    assert cgroup.entering(None, ["x"]) == ["x"]


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
