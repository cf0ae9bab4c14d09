"""Rules of every test run: what may be skipped in CI, which tests share a worker, and in which order folders begin."""

import os
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

MAY_SKIP = {  # in CI a skipped test fails, but for these patterns of its id: why it may be skipped
    "tests/course/*root]": "an ordinary user who runs the tests cannot grade as root",
    "tests/course/test_sandbox.py::test_a_whole_sandbox_is_limited*": "not every machine lets a control group be made",
}
# Folders with long tests begin first, so that no core waits for the last of them. The site comes last: its browser
# stays open, and a process with an open browser cannot start another event loop.
ORDER = ("notebooks", "course", "tools", "package", "source", "site")
CHAPTERS = Path(__file__).parent.parent / "chapters"
SLUGS = ["404", "search", *(p.relative_to(CHAPTERS).with_suffix("").as_posix() for p in CHAPTERS.rglob("*.md"))]


def forbid_skip(report):
    """Turn a skip into a failure in CI, unless it is listed."""
    if report.skipped and os.environ.get("CI") and not any(fnmatch(report.nodeid, pattern) for pattern in MAY_SKIP):
        reason = getattr(report, "wasxfail", report.longrepr)
        report.outcome, report.longrepr = "failed", f"{report.nodeid} was skipped, which CI does not allow: {reason}"
        vars(report).pop("wasxfail", None)  # or pytest counts it as expected


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    report = yield
    forbid_skip(report)
    return report


def scope(nodeid):
    """Name what the tests that run on one worker, one after the other, have in common: as a rule their file.

    The tests of a page stay together, because it is loaded once for all of them; so do those of the published
    notebooks, which first build the branch. Attacks on the grader need nothing of each other, nor do live figures.
    """
    file, _, test = nodeid.partition("::")
    folder, _, name = file.removeprefix("tests/").partition("/")
    if folder == "site":
        page = re.search(r"package/[\w.]+", test)  # a page without a file
        return page[0] if page else max((slug for slug in SLUGS if slug in test), key=len, default=nodeid)
    if folder == "notebooks":
        return "servers" if name in ("test_lab.py", "test_live_figures.py") else "published notebooks"
    return {"test_hostile.py": nodeid, "test_live.py": nodeid.partition("[")[0]}.get(name, file)


def pytest_xdist_make_scheduler(config, log):
    """Distribute tests by `scope`, in their order."""
    from xdist.scheduler import LoadScopeScheduling

    class ByScope(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return scope(nodeid)

    config.option.loadscopereorder = False
    return ByScope(config, log)


def pytest_collection_modifyitems(items):
    folders = [item.nodeid.removeprefix("tests/").partition("/")[0] for item in items]
    rank = {id(item): ORDER.index(f) if f in ORDER else len(ORDER) for item, f in zip(items, folders, strict=True)}
    items.sort(key=lambda item: rank[id(item)])
