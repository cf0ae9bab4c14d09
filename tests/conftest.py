"""Rules of every test run: what may be skipped in CI, what shares a worker, and in which order the groups begin."""

import os
from fnmatch import fnmatch
from pathlib import Path

import pytest

# {pattern of a test's id: why it may be skipped in CI}. Everywhere else a skipped test is counted and named.
MAY_SKIP: dict[str, str] = {}
# Folders whose tests take long begin first, so that no core is left waiting for the last of them.
FIRST = ("notebooks", "course", "site", "tools", "package", "source")
HERE = Path(__file__).parent


def not_allowed(nodeid, reason):
    """Why a skipped test fails, or None where it may be skipped."""
    if not os.environ.get("CI") or any(fnmatch(nodeid, pattern) for pattern in MAY_SKIP):
        return None
    return f"{nodeid} was skipped, and in CI no test may be unless tests/conftest.py says why: {reason}"


def _reason(report):
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", report.longrepr)


def _fail(report, nodeid):
    said = report.outcome == "skipped" and not_allowed(nodeid, _reason(report))
    if said:
        report.outcome, report.longrepr = "failed", said
        vars(report).pop("wasxfail", None)  # or pytest counts it as expected


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    _fail((yield).get_result(), item.nodeid)


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    _fail((yield).get_result(), collector.nodeid)


def group_of(item):
    """The tests that run on one worker, one after the other: those of a file, unless a mark says otherwise."""
    marker = item.get_closest_marker("xdist_group")
    return None if marker else item.nodeid.partition("::")[0]


def pytest_collection_modifyitems(items):
    def rank(item):
        path = Path(item.path)
        folder = path.relative_to(HERE).parts[0] if path.is_relative_to(HERE) else ""
        return FIRST.index(folder) if folder in FIRST else len(FIRST)

    items.sort(key=rank)
    for item in items:
        if group := group_of(item):
            item.add_marker(pytest.mark.xdist_group(group))
