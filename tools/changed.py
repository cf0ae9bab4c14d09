"""Say what an edit reaches: the files changed since the last commit, and the tests and chapters that import them."""

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def files(root=ROOT):
    """The files that differ from the last commit or are new, as paths from the top of the tree."""
    commands = (["diff", "--name-only", "HEAD"], ["ls-files", "--others", "--exclude-standard"])
    said = [subprocess.run(["git", *c], cwd=root, capture_output=True, text=True, check=True).stdout for c in commands]
    return sorted({line for text in said for line in text.splitlines()})


def modules(root=ROOT):
    """{module of the package: its file}."""
    found = sorted((root / "code" / "attnbook").rglob("*.py"))
    names = [path.relative_to(root / "code").with_suffix("").parts for path in found]
    return {".".join(n[:-1] if n[-1] == "__init__" else n): path for n, path in zip(names, found, strict=True)}


def imported(source, known, name=""):
    """Which of the ``known`` modules Python source imports; ``name`` is its own module, for relative imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = name.split(".")[: -node.level or None] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            found |= {start, *(f"{start}.{alias.name}" for alias in node.names)}
    return found & set(known)


def reached(since, root=ROOT):
    """Every module of the package that changed, or imports one that did, directly or through others."""
    known = modules(root)
    packages = {name for name, path in known.items() if path.name == "__init__.py"}
    # In a package, `from . import x` counts from the package itself.
    uses = {n: imported(p.read_text("utf-8"), known, f"{n}.__init__" if n in packages else n) for n, p in known.items()}
    found = {name for name, path in known.items() if path.relative_to(root).as_posix() in since}
    while more := {name for name, using in uses.items() if using & found} - found:
        found |= more
    return found


def reaching(since, root=ROOT):
    """Test files that an edit reaches: those that changed, and those of the package that import what changed.

    Tests of the site, the notebooks and coursework need more than a minute and are left to `make test`.
    """
    known, hit = modules(root), reached(since, root)
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
    """The pages with cells that changed, by their names below chapters/."""
    pages = [root / path for path in since if re.fullmatch(r"chapters/[\w/-]+\.md", path)]
    return [_name(page, root) for page in pages if page.exists() and CELL.search(page.read_text("utf-8"))]


def importing(since, known_already=(), root=ROOT):
    """The pages whose cells import what an edit reaches, by their names below chapters/."""
    known, hit = modules(root), reached(since, root)
    pages = sorted((root / "chapters").rglob("*.md"))
    names = [_name(page, root) for page in pages if _cells_import(page, known) & hit]
    return [name for name in names if name not in known_already]


def _name(page, root):
    return page.relative_to(root / "chapters").with_suffix("").as_posix()


def _cells_import(page, known):
    """Modules that the cells of a page import. Cells may hold what is no Python, so only their import lines count."""
    lines = [line for cell in CELL.findall(page.read_text("utf-8")) for line in cell.splitlines()]
    return {name for line in lines if re.match(r"(from|import) attnbook", line) for name in _line(line, known)}


def _line(line, known):
    try:
        return imported(line, known)
    except SyntaxError:  # an import over several lines: its first line names the module
        return set(re.findall(r"attnbook[\w.]*", line)) & set(known)
