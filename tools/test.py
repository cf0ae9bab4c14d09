"""Everything that `make test` checks: lint, the build of the book, and the tests, group by group.

python tools/test.py    with .venv's Python, the extra `test` installed
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import environment
from browser import chromium

ROOT = Path(__file__).resolve().parent.parent
CODE = ("code", "tests", "tools")
GROUPS = ("tests/package", "tests/tools", "tests/source", "tests/site", "tests/notebooks", "tests/course")


def heading(text):
    """Announce a group."""
    print(f"\n{text}", flush=True)


def run(*command):
    """Run one command from the top of the tree with this Python; return its exit code."""
    return subprocess.run([sys.executable, *command], cwd=ROOT).returncode


def once(*commands):
    """Several commands that count as one test: all run, and one failure fails it."""
    failed = int(sum(run(*command) != 0 for command in commands) > 0)
    return Counter(passed=1 - failed, failed=failed)


def count(report, code):
    """Passed, failed and skipped of one pytest run, from its JUnit report (None if there is none) and exit code."""
    total = Counter()
    for suite in ElementTree.fromstring(report).iter("testsuite") if report else ():
        number = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        total["failed"] += number["failures"] + number["errors"]
        total["skipped"] += number["skipped"]
        total["passed"] += number["tests"] - number["failures"] - number["errors"] - number["skipped"]
    if code and not total["failed"]:  # it crashed, or collected nothing: that is a failure too
        total["failed"] = 1
    return total


def pytest(group):
    """Run one group of tests."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code = run("-m", "pytest", group, f"--junitxml={report}")
        return count(report.read_bytes() if report.exists() else None, code)


def line(total):
    """`N passed, N failed`, and how many were skipped if any were."""
    return f"{total['passed']} passed, {total['failed']} failed" + (
        f", {total['skipped']} skipped" * bool(total["skipped"])
    )


def main():
    """Run every group, whatever the one before did; the exit code says whether all is well."""
    environment.install_missing()
    if chromium():
        os.environ["CHROMIUM"] = chromium()
    results = {}
    heading("ruff")
    results["ruff"] = once(("-m", "ruff", "check", *CODE), ("-m", "ruff", "format", "--check", *CODE))
    heading("make book")
    results["make book"] = once(("tools/book.py", "build"))
    for group in GROUPS:
        heading(group)
        results[group] = pytest(group)
    heading("Summary")
    for name, total in results.items():
        print(f"{name}: {line(total)}")
    total = sum(results.values(), Counter())
    print(line(total))
    sys.exit(total["failed"] > 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted.")
