"""Rules of every test run: what may be skipped in CI, what shares a worker, and in which order the groups begin."""

import os
from fnmatch import fnmatch
from pathlib import Path

import pytest

# {pattern of a test's id: why it may be skipped in CI}. Everywhere else a skipped test is counted and named.
MAY_SKIP = {
    "tests/course/*root]": "an ordinary user who runs the tests cannot grade as root",
    "tests/course/test_sandbox.py::test_a_whole_sandbox_is_limited*": "not every machine lets a control group be made",
}
# Folders whose tests take long begin first, so that no core is left waiting for the last of them. The tests of the site
# come last: their browser stays open, and a process with one cannot start another event loop.
FIRST = ("notebooks", "course", "tools", "package", "source", "site")
HERE = Path(__file__).parent
CHAPTERS = HERE.parent / "chapters"
SLUGS = ["404", "search", *(p.relative_to(CHAPTERS).with_suffix("").as_posix() for p in CHAPTERS.rglob("*.md"))]


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


def together(nodeid):
    """What the tests that run on one worker, one after the other, have in common.

    The tests of a page, because the page is loaded once for all of them; those of the published notebooks, which build
    a book first; attacks on the grader need nothing of each other; otherwise the tests of a file.
    """
    file, _, test = nodeid.partition("::")
    folder, name = file.split("/")[-2:] if "/" in file else ("", file)
    if folder == "site":
        return max((slug for slug in SLUGS if slug in test), key=len, default=nodeid)
    if folder == "notebooks":
        return "servers" if name in ("test_lab.py", "test_live_figures.py") else "published notebooks"
    return nodeid if name == "test_hostile.py" else file


def pytest_xdist_make_scheduler(config, log):
    """Hand out tests by `together`, in their order. (The marks of --dist=loadgroup are lost in pytest 9.2.)"""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return together(nodeid)

    config.option.loadscopereorder = False
    return Together(config, log)


def pytest_collection_modifyitems(items):
    def rank(item):
        path = Path(item.path)
        folder = path.relative_to(HERE).parts[0] if path.is_relative_to(HERE) else ""
        return FIRST.index(folder) if folder in FIRST else len(FIRST)

    items.sort(key=rank)
