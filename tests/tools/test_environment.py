"""The environment of the book: what is concluded from pip's and uv's words, when it is made anew, and editions."""

import datetime
import re
import shutil
import sys
import threading
import time
import tomllib
from pathlib import Path

import environment
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def test_fits_compares_versions_as_numbers():
    inside = ("2.13.0+cpu", ">=2.3"), ("2.3", "==2.3.0"), ("2.10.0", ">=2.9"), ("2.6.0a0+git1", ">2.5,<=2.6"), ("1", "")
    beyond = ("2.2.9", ">=2.3"), ("3.0", ">=2.3,<3"), ("2.9.1", ">=2.3, !=2.9.1")
    assert [pair for pair in inside if not environment.fits(*pair)] == []
    assert [pair for pair in beyond if environment.fits(*pair)] == []


def test_newest_cpu_prefers_a_cpu_build_over_a_newer_general_one():
    listing = "torch (2.15.0)\nAvailable versions: 2.15.0, 2.13.0+cpu, 2.13.0, 2.12.0+cpu, 2.11.0+cu128\n"
    assert environment.newest_cpu(listing, ">=2.3") == "2.13.0+cpu"
    assert environment.newest_cpu(listing, ">=2.3,<2.13") == "2.12.0+cpu"
    assert environment.newest_cpu(listing, ">=3") is environment.newest_cpu("ERROR: none", "") is None


def test_torch_range_of_this_book_is_readable():
    spec = environment.torch_range()
    assert re.fullmatch(r"((>=|<=|==|!=|>|<)[\d.]+,?)+", spec.replace(" ", "")), spec
    assert not environment.fits("1.0", spec)


# What pip 24 and uv 0.13 wrote.
UV = "error: No solution found when resolving dependencies\n  cause: "
UNSAT = "we can conclude that your requirements are unsatisfiable."
OUTPUTS = {
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device": "disk is full",
    "PermissionError: [Errno 13] Permission denied: '/x/.venv'": "writable",
    "WARNING: Retrying after connection broken by 'X'\nERROR: No matching distribution found for torch": "network",
    "ERROR: No matching distribution found for torch>=2.3": "There is no torch>=2.3 for this Python",
    "ERROR: Cannot install a and b\nERROR: ResolutionImpossible: for help visit x": "do not fit together",
    "error: Failed to fetch: https://i/simple/numpy/\n  cause: error sending request for url (https://i/)": "network",
    "error: Failed to install: a.whl\n  cause: No space left on device (os error 28)": "disk is full",
    "error: failed to create directory `/x/.venv/a`\n  cause: Read-only file system (os error 30)": "writable",
    f"{UV}Because only torch<=2.13.0 is available and you require torch>=9, {UNSAT}": "There is no torch>=9 for",
    f"{UV}Because zz was not found in the package registry and you\n require zz==1, {UNSAT}": "There is no zz==1 for",
    f"{UV}Because a==1 depends on b<2 and you require b>=2, we can conclude that a==1 and": "do not fit together",
    "error: invalid value 'x' for '--python'": "(error: invalid value 'x' for '--python')",
    "Collecting pytest-timeout\nERROR: something unheard of\n": "(ERROR: something unheard of)",
    "": "no reason given",
}


@pytest.mark.parametrize(("output", "words"), OUTPUTS.items())
def test_explain_says_one_sentence(output, words):
    (sentence,) = environment.explain(output).splitlines()
    assert words in sentence


def test_progress_shows_progress_and_only_large_files_in_a_log():
    assert environment.progress("Collecting numpy>=1.26 (from a)") == ("Collecting numpy>=1.26", False)
    assert environment.progress("  Downloading torch-2.13.0.whl (190.9 MB)\n")[1] is True
    assert environment.progress("  Downloading attrs.whl (67 kB)\n")[1] is False
    assert environment.progress("Downloading scipy (33.6MiB)\n")[1] is True  # uv
    assert environment.progress("Installing collected packages: a, b, c\n") == ("Installing 3 packages", True)
    assert environment.progress("Resolved 1 package in 96ms") == ("Resolved 1 package in 96ms", True)
    assert environment.progress("Requirement already satisfied: numpy") is None


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A tree whose environment looks finished, with its paths put into the module."""
    monkeypatch.delenv("LOCKED", raising=False)
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    for name in ("PYTHON", "LOG", "LOCK", "STAMP", "UNFINISHED"):
        monkeypatch.setattr(environment, name, tmp_path / getattr(environment, name).name)
    for path in (environment.PYTHON, tmp_path / "pyproject.toml", tmp_path / "requirements.txt"):
        path.touch()
    environment.STAMP.write_text(environment.key() + " test\n")
    (tmp_path / "constraints").mkdir()
    for edition in ("2", "3", "10"):
        (tmp_path / "constraints" / f"{edition}.txt").write_text(f"numpy==2.{edition}\ntorch==2.{edition}.0\n")
    return tmp_path


@pytest.fixture
def steps(ready, monkeypatch):
    """The installing steps leave notes instead of doing anything: the list of them."""
    notes = []
    for name in ("make_venv", "install_torch", "install"):
        monkeypatch.setattr(environment, name, lambda *_, name=name: notes.append(name))
    return notes


def test_a_stamped_environment_installs_nothing(steps):
    assert environment.ensure(set()) is environment.ensure({"test"}) is None
    assert steps == []


CHANGES = ["pyproject.toml", "requirements.txt", "extra", "UNFINISHED", "PYTHON", "STAMP", "LOCKED"]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_makes_the_environment_be_installed_again(steps, monkeypatch, change):
    if change.endswith(("toml", "txt")):
        (environment.ROOT / change).write_text("other")
    elif change == "UNFINISHED":
        environment.UNFINISHED.touch()
    elif change == "LOCKED":
        monkeypatch.setenv("LOCKED", "3")
    elif change != "extra":
        getattr(environment, change).unlink()
    environment.ensure({"other"} if change == "extra" else {"test"})
    assert steps == ["make_venv", "install_torch", "install"]  # torch first
    assert environment.STAMP.read_text().split()[0] == environment.key()


def test_an_installation_cut_short_leaves_no_stamp(steps, monkeypatch):
    (environment.ROOT / "requirements.txt").write_text("other")
    monkeypatch.setattr(environment, "install", lambda *_: pytest.fail("cut short"))
    with pytest.raises(pytest.fail.Exception):
        environment.ensure(set())
    assert not environment.STAMP.exists()


def test_an_extra_that_is_part_of_an_installed_one_installs_nothing(steps, ready):
    (ready / "pyproject.toml").write_text(
        '[project.optional-dependencies]\ntest = ["attnbook[pdf]"]\npdf = ["a"]\nlab = ["attnbook[test]"]\n'
    )
    environment.STAMP.write_text(environment.key() + " test\n")
    environment.ensure({"pdf"})
    assert steps == []
    environment.ensure({"lab"})
    assert "install" in steps


def until(capsys, words):
    """Wait until these words are on the screen."""
    seen, end = "", time.monotonic() + 60
    while words not in seen:
        assert time.monotonic() < end, seen
        time.sleep(0.01)
        seen += capsys.readouterr().out


def test_two_commands_do_not_install_at_once(steps, capsys):
    """The second says that it waits, and then finds everything in place."""
    (environment.ROOT / "requirements.txt").write_text("other")
    second = threading.Thread(target=environment.ensure, args=({"test"},), daemon=True)
    with environment.alone():
        second.start()
        until(capsys, "waiting until it has ended")
        environment.make({"test"})
    second.join(60)
    assert steps == ["make_venv", "install_torch", "install"]


SILENT = """import pathlib, time
print("Collecting numpy", flush=True)
while not pathlib.Path("answered").exists():
    print("WARNING: Retrying", flush=True)  # which is not shown
    time.sleep(0.01)
"""


def test_an_index_that_does_not_answer_makes_news(ready, monkeypatch, capsys):
    monkeypatch.setattr(environment, "PATIENCE", 0.25)
    monkeypatch.setattr(environment, "child_environ", dict)
    installing = threading.Thread(target=environment.follow, args=(sys.executable, "-c", SILENT), daemon=True)
    installing.start()
    until(capsys, "  Collecting numpy: nothing new for 0.5 s, still waiting\n")
    (ready / "answered").touch()
    installing.join(60)
    assert not installing.is_alive()


def test_the_question_which_torch_there_is_makes_news(ready, monkeypatch, capsys):
    monkeypatch.setattr(environment, "PATIENCE", 0.1)
    monkeypatch.setattr(environment, "torch_range", lambda: ">=2.3")
    monkeypatch.setattr(environment, "in_venv", lambda *_: (1, ""))
    monkeypatch.setattr(environment.platform, "system", lambda: "Linux")
    monkeypatch.setattr(environment.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(
        environment, "find_cpu_torch", lambda _: until(capsys, "asked for torch: nothing new") or ["torch"]
    )
    monkeypatch.setattr(environment, "run", lambda *words: None)
    environment.install_torch()


# --- Editions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "edition"), [("", None), ("0", None), ("1", "10.txt"), ("2", "2.txt"), ("10", "10.txt")]
)
def test_locked_names_an_edition_or_the_newest(ready, monkeypatch, wanted, edition):
    monkeypatch.setenv("LOCKED", wanted)
    found = environment.locked()
    assert (found and found.name) == edition
    assert environment.constrained() == (["-c", str(ready / "constraints" / edition)] if edition else [])


def test_an_edition_that_does_not_exist_is_one_sentence_with_those_that_do(ready, monkeypatch):
    monkeypatch.setenv("LOCKED", "4")
    with pytest.raises(SystemExit, match=r"no constraints/4\.txt.* 2, 3, 10\.$"):
        environment.locked()
    shutil.rmtree(ready / "constraints")
    monkeypatch.setenv("LOCKED", "1")
    with pytest.raises(SystemExit, match=r"none yet\.$"):
        environment.locked()


def test_each_edition_has_a_stamp_of_its_own(ready, monkeypatch):
    keys = []
    for wanted in ("", "2", "3", "10", "1"):
        monkeypatch.setenv("LOCKED", wanted)
        keys.append(environment.key())
    assert len(set(keys)) == 4  # 1 is 10 here
    (ready / "constraints" / "10.txt").write_text("torch==2.10.1\n")
    assert environment.key() != keys[-1]


def test_a_locked_edition_says_which_torch(ready, monkeypatch):
    (ready / "pyproject.toml").write_text('[project]\ndependencies = ["torchvision>=1", "torch >=2.3"]\n')
    assert environment.torch_range() == ">=2.3"
    monkeypatch.setenv("LOCKED", "3")
    assert environment.torch_range() == "==2.3.0"


LISTING = "WARNING: old\nzope.interface==1.0\nPyYAML==6.0.3\ntorch==2.13.0+cpu\nast_serialize==0.13.1\n"


def test_an_edition_is_written_from_the_environment(ready, monkeypatch):
    asked = []

    def in_venv(*words):
        asked.append(words)
        return 0, "Python 3.11.7\n" if words == ("-V",) else LISTING

    monkeypatch.setattr(environment, "in_venv", in_venv)
    monkeypatch.setattr(environment.platform, "machine", lambda: "riscv")
    environment.write_constraints("4.1", {"test"})
    lines = (ready / "constraints" / "4.1.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins == ["ast-serialize==0.13.1", "pyyaml==6.0.3", "torch==2.13.0", "zope-interface==1.0"]
    assert f"{datetime.date.today():%Y-%m}" in lines[1]
    assert lines[2].startswith("# Python 3.11.7 on ")
    assert lines[2].endswith("(riscv), with the extras test.")
    assert {"--exclude-editable", "--exclude=pip", "--exclude=setuptools"} <= set(asked[0])


@pytest.mark.parametrize("edition", ["", "1", "two", "../2", "2."])
def test_an_edition_is_a_number_from_two_on(ready, edition):
    with pytest.raises(SystemExit, match="Name an edition by a number"):
        environment.write_constraints(edition, set())


@pytest.mark.parametrize("change", ["pyproject.toml", "requirements.txt", "extra", "UNFINISHED", "STAMP"])
def test_no_edition_is_written_from_an_environment_that_is_not_current(ready, change):
    if change.endswith(("toml", "txt")):
        (ready / change).write_text("other")
    elif change == "UNFINISHED":
        environment.UNFINISHED.touch()
    elif change == "STAMP":
        environment.STAMP.unlink()
    with pytest.raises(SystemExit, match=r"^\.venv is not what .* ask for now: run `make test` first\.$"):
        environment.write_constraints("4", {"other"} if change == "extra" else {"test"})
    assert not (ready / "constraints" / "4.txt").exists()


def test_the_newest_edition_lies_within_the_ranges(monkeypatch):
    """Else the book that is published could not be installed: write the edition anew, or a new one."""
    monkeypatch.setenv("LOCKED", "1")
    text = environment.locked().read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([a-z0-9-]+)==(\S+)$", text, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [line.partition("#")[0] for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line.strip() and not line.startswith("-")]
    for extra in ([*project["dependencies"], *lines], *project["optional-dependencies"].values()):
        for requirement in map(Requirement, extra):
            name = canonicalize_name(requirement.name)
            if name != "attnbook":
                assert name in pins, f"{environment.locked().name} lacks {name}: run `make constraints`"
                assert requirement.specifier.contains(pins[name]), f"{name} {pins[name]} is outside {requirement}"


# --- uv or pip ------------------------------------------------------------------------------------------------------


@pytest.fixture
def installers(ready, monkeypatch):
    """installers(uv): put a uv on PATH that says this and ends so, or none; the list of what is called."""
    calls = []
    monkeypatch.setattr(environment, "run", lambda *words: calls.append(["pip", *words]))
    monkeypatch.setenv("PATH", str(ready))
    monkeypatch.setattr(environment, "child_environ", lambda: {"PATH": "/usr/bin:/bin"})

    def put(said, code):
        uv = ready / "uv"
        uv.write_text(f"#!/bin/sh\necho \"$*\" >>'{ready}/calls'\ncat <<'EOF'\n{said}\nEOF\nexit {code}\n")
        uv.chmod(0o755)
        return calls

    return put


def test_without_uv_pip_installs(ready, installers, monkeypatch):
    calls = installers("", 0)
    (ready / "uv").unlink()
    monkeypatch.setenv("LOCKED", "2")
    environment.install("-r", "requirements.txt")
    assert calls == [["pip", *environment.INSTALL, "-c", f"{ready}/constraints/2.txt", "-r", "requirements.txt"]]


def test_uv_installs_where_it_is_there(ready, installers, monkeypatch):
    calls = installers("Resolved 3 packages in 1ms", 0)
    monkeypatch.setenv("LOCKED", "2")
    environment.install("-r", "requirements.txt")
    (words,) = (ready / "calls").read_text().splitlines()
    options, _, rest = words.partition(f" --python {environment.PYTHON} ")
    assert options.startswith("pip install")
    assert rest == f"-c {ready}/constraints/2.txt -r requirements.txt"
    assert calls == []
    assert not environment.UNFINISHED.exists()


@pytest.mark.parametrize(
    "said", ["error: Failed to fetch: x", f"{UV}Because only a<=2 is available and you require a>=3, {UNSAT}"]
)
def test_pip_tries_what_uv_does_not_find(installers, capsys, said):
    calls = installers(said, 1)
    environment.install("-r", "requirements.txt")
    assert [call[0] for call in calls] == ["pip"]
    (line,) = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"The(re| package).*, says uv; pip, which has settings of its own, tries\.", line)


SAID = {
    "No space left on device (os error 28)": "disk is full",
    "Permission denied (os error 13)": "writable",
    "the wheel is broken": "Failed to install",
}


@pytest.mark.parametrize(("cause", "words"), SAID.items())
def test_uv_that_cannot_write_ends_in_one_sentence(installers, cause, words):
    calls = installers(f"Resolved 3 packages in 1ms\nerror: Failed to install: a.whl\n  cause: {cause}", 2)
    with pytest.raises(SystemExit, match=words) as stop:
        environment.install("-r", "requirements.txt")
    assert len(str(stop.value).splitlines()) == 1
    assert calls == []
    assert environment.UNFINISHED.exists()  # a package may be there by half
