"""Two builds of the same sources, in two folders, give the same figures and the same numbers, byte for byte."""

import os
import shutil
import subprocess
import sys
from itertools import zip_longest

import lxml.etree
import pytest
from built_site import ROOT, has_class, parse, report

NOT_COPIED = shutil.ignore_patterns(".*", "_build", "__pycache__", "*.egg-info", "node_modules")
LOADED = ("site.css", "site.js", "copy.js")  # by every page
# A cell tagged wall-time shows the time of a clock, on which no two runs agree; everything else must agree.
TIMED = f"[not(ancestor::*[{has_class('tag_wall-time')}])]"
COMPARED = {name: f"//*[{has_class(name)}]{TIMED}" for name in ("check", "cell_output")}
COMPARED["figure"] = f"//*[local-name()='svg']{TIMED}"


def copy(tree):
    """Copy what a build needs into a folder of its own; return the folder."""
    return shutil.copytree(ROOT, tree, ignore=NOT_COPIED)


def build(tree, seed):
    """Build the book in a folder; return the folder of the site."""
    environ = os.environ | {"PYTHONPATH": str(tree / "code"), "PYTHONHASHSEED": seed, "TZ": f"UTC{seed}"}
    command = [sys.executable, "tools/book.py", "build"]
    done = subprocess.run(command, cwd=tree, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return tree / "_build" / "html"


def pieces(path):
    """Everything on a page that cells have made: (kind, bytes), in the order of the page."""
    page = parse(path)
    return [
        (kind, lxml.etree.tostring(e, with_tail=False)) for kind, xpath in COMPARED.items() for e in page.xpath(xpath)
    ]


@pytest.mark.thorough
@pytest.mark.timeout(2400)
def test_two_builds_agree(tmp_path):
    one, two = build(copy(tmp_path / "one"), "1"), build(copy(tmp_path / "another"), "2")
    names = [sorted(path.relative_to(site) for path in site.rglob("*.html")) for site in (one, two)]
    assert names[0] == names[1], "the two builds do not have the same pages"
    problems, compared = [], 0
    for name in names[0]:
        for number, (a, b) in enumerate(zip_longest(pieces(one / name), pieces(two / name)), 1):
            compared += 1
            if a != b:
                problems.append(f"{name}: piece {number}, a {(a or b)[0]}: {a and a[1][:500]} and {b and b[1][:500]}")
                break  # the first of each page
    assert compared, "no page has a figure, a check or a result: nothing was compared"
    report(problems)

    loaded = {name: (one / "_static" / name).read_bytes() for name in LOADED}
    build(tmp_path / "one", "1")
    assert {name: (one / "_static" / name).read_bytes() for name in LOADED} == loaded, "built again without a change"
