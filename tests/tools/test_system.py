"""What the tests need of the system is installed where that is allowed, and named where it is missing."""

import pytest
import system


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """programs(name, script): put a program on PATH, which has no others; return the file that logs its calls."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def write(name, script="echo 1"):
        log = tmp_path / f"{name}.log"
        (tmp_path / name).write_text(f"#!/bin/sh\necho \"$*\" >>'{log}'\n{script}\n")
        (tmp_path / name).chmod(0o755)
        return log

    return write


@pytest.mark.parametrize(("version", "enough"), [("0.6.1", False), ("0.8.0", True), ("0.11.0", True), ("1.0", True)])
def test_bubblewrap_must_be_new_enough(programs, version, enough):
    programs("bwrap", f"echo bubblewrap {version}")
    assert system.has_bubblewrap() is enough


def test_a_sandbox_that_the_kernel_forbids_is_missing(programs):
    programs("bwrap", 'case "$1" in --version) echo bubblewrap 0.9;; *) exit 1;; esac')
    assert system.NAMESPACES in system.missing()
    programs("bwrap", "echo bubblewrap 0.9")
    assert system.NAMESPACES not in system.missing()


@pytest.mark.parametrize("allowed", [True, False])
def test_each_missing_package_is_tried_by_itself(programs, tmp_path, monkeypatch, capfd, allowed):
    """The first that Debian knows is enough; without rights nothing is called. What stays missing is named."""
    here = lambda name: (tmp_path / name).exists()  # noqa: E731
    needs = {
        "first": (lambda: here("right"), ["wrong", "right", "spare"]),
        "second": (lambda: here("unknown"), ["unknown"]),
    }
    monkeypatch.setattr(system, "NEEDS", needs)
    monkeypatch.setattr(system.os, "geteuid", lambda: 0 if allowed else 1000)
    programs("env", 'shift; exec "$@"')
    programs("sudo", "exit 1")
    log = programs("apt-get", f"for package; do :; done; test $package != right || : > '{tmp_path}/right'")
    system.install()
    asked = [line.split()[-1] for line in log.read_text().splitlines()] if log.exists() else []
    assert asked == (["update", "wrong", "right", "unknown"] if allowed else [])
    named = capfd.readouterr().err
    assert "second" in named
    assert ("first" in named) is not allowed
