"""Say what an edit reaches: the files changed since the last commit, and the tests and chapters that import them."""

import re
import subprocess
from pathlib import Path

from bookext.run.dependencies import CELL, imported, imported_by_cells, imports, modules

ROOT = Path(__file__).resolve().parent.parent


def files(root=ROOT):
    """Return the files that differ from the last commit or are new, as paths from the top of the tree."""
    commands = (["diff", "--name-only", "HEAD"], ["ls-files", "--others", "--exclude-standard"])
    said = [subprocess.run(["git", *c], cwd=root, capture_output=True, text=True, check=True).stdout for c in commands]
    return sorted({line for text in said for line in text.splitlines()})


def reached(since, root=ROOT):
    """Return every module of the package that changed, or imports one that did, directly or through others."""
    known = modules(root / "code")
    using = imports(known)
    found = {name for name, path in known.items() if path.relative_to(root).as_posix() in since}
    while more := {name for name, its in using.items() if its & found} - found:
        found |= more
    return found


def reaching(since, root=ROOT):
    """Return test files that an edit reaches: those that changed, and those of the package that import what changed.

    Tests of the site, the notebooks and coursework need more than a minute and are left to `make test`.
    """
    known, hit = modules(root / "code"), reached(since, root)
    own = [path for path in since if re.match(r"tests/(package|tools)/test_\w+\.py$", path) and (root / path).exists()]
    named = {f"tests/tools/test_{Path(path).stem}.py" for path in since if path.startswith("tools/")}
    using = [
        path.relative_to(root).as_posix()
        for path in sorted((root / "tests" / "package").glob("test_*.py"))
        if imported(path.read_text("utf-8"), known) & hit
    ]
    there = [name for name in sorted(named) if (root / name).exists()]
    return [root / path for path in sorted({*own, *using, *there})]


def chapters(since, root=ROOT):
    """Return the pages with cells that changed, by their names below chapters/."""
    pages = [root / path for path in since if re.fullmatch(r"chapters/[\w/-]+\.md", path)]
    return [_name(page, root) for page in pages if page.exists() and CELL.search(page.read_text("utf-8"))]


def importing(since, known_already=(), root=ROOT):
    """Return the pages whose cells import what an edit reaches, by their names below chapters/."""
    known, hit = modules(root / "code"), reached(since, root)
    pages = sorted((root / "chapters").rglob("*.md"))
    names = [
        _name(page, root) for page in pages if imported_by_cells(CELL.findall(page.read_text("utf-8")), known) & hit
    ]
    return [name for name in names if name not in known_already]


def _name(page, root):
    return page.relative_to(root / "chapters").with_suffix("").as_posix()
