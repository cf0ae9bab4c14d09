"""What the system must have for the tests: each need fails by its own name, and what can be installed is installed."""

import functools
from pathlib import Path

import pytest
import system

ROOT = Path(__file__).resolve().parents[2]

NAMES = [need.name for need in system.NEEDS]


@pytest.mark.parametrize("name", NAMES)
def test_the_system_has(name):
    sentence = system.missing().get(name)
    if sentence:
        pytest.fail(sentence, pytrace=False)


# --- How each fault is seen ----------------------------------------------------------------------------------------


@pytest.fixture
def put(tmp_path, monkeypatch):
    """put(name, said, code): a program that says this and ends so, the only ones on PATH. Root asks for nothing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(system, "is_root", lambda: True)

    def write(name, said="", code=0):
        file = tmp_path / name
        log = f"printf '%s\\n' \"$*\" >>'{tmp_path}/{name}.log'"
        file.write_text(f"#!/bin/sh\n{log}\n{said}\nexit {code}\n")
        file.chmod(0o755)
        return tmp_path / f"{name}.log"

    return write


def fault(name):
    """What is wrong with one need, or None."""
    return next(need.fault() for need in system.NEEDS if need.name == name)


def test_an_empty_system_lacks_everything_but_namespaces(put, monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr("browser.COMMANDS", ("chromium",))  # not the one outside PATH
    found = system.missing()
    assert list(found) == [name for name in NAMES if name != "user namespaces"]  # nothing tells without bubblewrap
    assert all(line.endswith("install it, or run the tests on Linux.") for line in found.values())


def test_a_missing_font_is_named(tmp_path, monkeypatch):
    """The real fontconfig, told of no folder with fonts."""
    (tmp_path / "fonts.conf").write_text("<?xml version='1.0'?><fontconfig></fontconfig>")
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    assert system.missing()["Chinese font"].startswith("There is no font with Chinese characters (")


@pytest.mark.parametrize(("name", "command"), [("Chromium", "chromium"), ("Firefox", "firefox")])
def test_a_browser_is_started_once(put, tmp_path, monkeypatch, name, command):
    """Ubuntu has programs of these names that only ask for a snap."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr("browser.COMMANDS", ("chromium",))
    words = f"Command '{command}' requires the snap to be installed."
    asked = put(command, f'echo; echo "{words}" >&2; echo Please install it.', 1)
    assert fault(name) == f"{name} does not start, and {tmp_path / command} says: {words}"
    assert asked.read_text() == "--version\n"
    put(command)  # it starts and says nothing, as no browser does
    assert fault(name) == f"{name} does not start, and {tmp_path / command} says: nothing"
    put(command, "echo Browser 140.0.7339.16")
    assert fault(name) is None


def test_a_browser_that_hangs_is_given_up(put, monkeypatch):
    put("firefox", "while :; do :; done")
    monkeypatch.setattr(system, "said_by", functools.partial(system.said_by, limit=1))
    assert fault("Firefox").startswith("Firefox does not start, and ")
    assert fault("Firefox").endswith(" timed out after 1 seconds")


@pytest.mark.parametrize(("version", "old"), [("0.6.1", True), ("0.8.0", False), ("0.11.0", False), ("1.0", False)])
def test_bubblewrap_must_be_new_enough(put, version, old):
    put("bwrap", f"echo bubblewrap {version}")
    assert fault("bubblewrap") == (f"bubblewrap is {version}, older than 0.8" if old else None)


def test_apparmor_is_told_from_other_reasons(put, tmp_path, monkeypatch):
    setting = tmp_path / system.RESTRICTION.name
    monkeypatch.setattr(system, "RESTRICTION", setting)
    monkeypatch.setattr(system, "is_root", lambda: False)
    setting.write_text("1\n")
    put("bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2", 1)
    command = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    assert fault("user namespaces").startswith(f"AppArmor forbids user namespaces: run `{command}` to allow them")
    setting.write_text("0\n")
    other = "User namespaces are not allowed (bwrap: setting up uid map: Permission denied): "
    assert fault("user namespaces").startswith(other)
    setting.unlink()  # a system without AppArmor
    assert fault("user namespaces").startswith(other)
    setting.write_text("1\n")
    put("bwrap")  # a profile lets bubblewrap do it
    assert fault("user namespaces") is None


# --- What is installed ---------------------------------------------------------------------------------------------

APT = """
for package in "$@"; do :; done
case $package in right) made=first;; third) made=third;; *) exit 100;; esac
printf '#!/bin/sh\\n' >'{folder}/'$made
/bin/chmod 755 '{folder}/'$made
"""


@pytest.fixture
def lacking(put, tmp_path, monkeypatch):
    """Three needs, the first and last with two packages, and the log of an apt-get that knows one package for each."""
    listed = [("first", ("wrong", "right")), ("second", ("unknown",)), ("third", ("third", "spare"))]
    made = [
        system.Need(name, "the tests call it", system.program(name), {"apt-get": packages}) for name, packages in listed
    ]
    monkeypatch.setattr(system, "NEEDS", made)
    put("env", 'shift; exec "$@"')
    return put("apt-get", APT.format(folder=tmp_path))


def test_every_absent_package_is_tried_by_itself(lacking, capsys):
    system.install_missing()
    option = "install -y --no-install-recommends"
    calls = ["update", f"{option} wrong", f"{option} right", f"{option} unknown", f"{option} third"]
    assert lacking.read_text().splitlines() == calls
    (last,) = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("Installing ")]
    assert last == "There is no second (the tests call it): run `apt-get install unknown`."


def test_what_is_there_is_not_installed(lacking, put, capsys):
    for name in ("first", "second", "third"):
        put(name)
    system.install_missing()
    assert not lacking.exists()
    assert capsys.readouterr().out == ""


def test_without_rights_nothing_is_called_and_every_sentence_has_its_command(lacking, put, monkeypatch, capsys):
    monkeypatch.setattr(system, "is_root", lambda: False)
    asked = put("sudo", "", 1)  # it would ask for a password
    system.install_missing()
    assert asked.read_text() == "-n true\n"
    assert not lacking.exists()
    assert [line.partition("run ")[2] for line in capsys.readouterr().out.splitlines()] == [
        "`sudo apt-get install wrong || sudo apt-get install right`.",
        "`sudo apt-get install unknown`.",
        "`sudo apt-get install third || sudo apt-get install spare`.",
    ]


def test_sudo_that_does_not_ask_is_used(lacking, put, monkeypatch, capsys):
    monkeypatch.setattr(system, "is_root", lambda: False)
    put("sudo", 'shift; exec "$@"')
    put("true")
    system.install_missing()
    assert lacking.read_text().splitlines()[0] == "update"
    assert "There is no third" not in capsys.readouterr().out


def test_homebrew_is_never_called_with_sudo(put, monkeypatch):
    put("brew")
    monkeypatch.setattr(system, "is_root", lambda: False)
    assert system.rights() == ["env", "DEBIAN_FRONTEND=noninteractive"]
    assert system.missing()["git"].endswith(": run `brew install git`.")
    assert system.missing()["bubblewrap"].endswith(": install it, or run the tests on Linux.")
    monkeypatch.setattr(system, "is_root", lambda: True)
    assert system.rights() is None
