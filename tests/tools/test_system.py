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
