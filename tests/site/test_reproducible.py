"""Two builds of the same sources, in two folders, give the same figures and the same numbers, byte for byte."""

import os
import shutil
import signal
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import lxml.etree
import pytest
from built_site import ROOT, has_class, parse, report

NOT_COPIED = shutil.ignore_patterns(".*", "_build", "__pycache__", "*.egg-info", "node_modules")
# A cell tagged wall-time shows what a clock said, which no two runs agree on; everything else must agree.
TIMED = f"[not(ancestor::*[{has_class('tag_wall-time')}])]"
COMPARED = {name: f"//*[{has_class(name)}]{TIMED}" for name in ("check", "cell_output")}
COMPARED["figure"] = f"//*[local-name()='svg']{TIMED}"


@pytest.fixture
def start_build(tmp_path):
    """start_build(name, hash seed): begin a build from nothing in a folder of its own; none outlives the test."""
    builds = []

    def start(name, seed):
        tree = tmp_path / name
        shutil.copytree(ROOT, tree, ignore=NOT_COPIED)
        environ = os.environ | {"PYTHONPATH": str(tree / "code"), "PYTHONHASHSEED": seed, "TZ": f"UTC{seed}"}
        with open(tmp_path / f"{name}.log", "wb") as log:
            command = [sys.executable, "tools/book.py", "build"]
            build = subprocess.Popen(command, cwd=tree, env=environ, stdout=log, stderr=log, start_new_session=True)
        builds.append(build)
        build.log, build.site = Path(log.name), tree / "_build" / "html"
        return build

    yield start
    for build in builds:
        if build.poll() is None:
            os.killpg(build.pid, signal.SIGKILL)
            build.wait()
        shutil.rmtree(build.site.parents[1], ignore_errors=True)


def pieces(path):
    """Everything on a page that cells have made: (kind, bytes), in the order of the page."""
    page = parse(path)
    return [
        (kind, lxml.etree.tostring(e, with_tail=False)) for kind, xpath in COMPARED.items() for e in page.xpath(xpath)
    ]


@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_two_builds_agree(start_build):
    one, two = start_build("one", "1"), start_build("another", "2")
    for build in (one, two):
        if build.wait():
            lines = build.log.read_text(errors="replace").strip().splitlines()
            pytest.fail("A build from nothing fails:\n" + "\n".join(lines[-15:]), pytrace=False)
    names = [sorted(p.relative_to(b.site) for p in b.site.rglob("*.html")) for b in (one, two)]
    assert names[0] == names[1], "the two builds do not have the same pages"
    problems, compared = [], 0
    for name in names[0]:
        for number, (a, b) in enumerate(zip_longest(pieces(one.site / name), pieces(two.site / name)), 1):
            compared += 1
            if a != b:
                problems.append(f"{name}: piece {number}, a {(a or b)[0]}: {a and a[1][:500]} and {b and b[1][:500]}")
                break  # the first of each page
    assert compared, "no page has a figure, a check or a result: nothing was compared"
    report(problems)
