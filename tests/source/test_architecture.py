"""ARCHITECTURE.md is true: its table of chapters, its table of imports, and every file that it names."""

import ast
import functools
import re

import pytest

from chapters import ROOT, page, report, toc

PARTS = ("chapters", "code/attnbook", "code/attncourse", "code/bookext", "tools", "experiments")
PACKAGES = ("attnbook", "attncourse", "bookext")
EVERYWHERE = {"check", "explore", "figures.style", "figures.tables"}  # what nearly every page imports has no column


@functools.cache
def origins(package):
    """Where the names come from that a package's __init__ takes from its modules: {"fit": "training"}."""
    file = ROOT / "code" / package.replace(".", "/") / "__init__.py"
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if file.is_file() else ()
    return {a.name: n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module and n.level for a in n.names}


def imports(tree):
    """Modules of the book that a syntax tree imports: {"attnbook.attention", "attnbook.tasks.training"}."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in PACKAGES)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module.split(".")[0] in PACKAGES:
            folder = ROOT / "code" / node.module.replace(".", "/")
            for alias in node.names:
                is_module = (folder / f"{alias.name}.py").is_file() or (folder / alias.name).is_dir()
                module = alias.name if is_module else origins(node.module).get(alias.name)
                yield f"{node.module}.{module}" if module else node.module


def rows(heading):
    """The rows of the first table below a heading of ARCHITECTURE.md: for each, the names in backticks of its cells."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    below = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in below.splitlines() if line.startswith("|")][2:]
    return [[re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")] for line in lines]


@functools.cache
def used(name):
    """The modules of attnbook that a page imports, without those that nearly every page imports."""
    found = {module for cell in page(name).cells for module in imports(cell.tree)}
    names = {module.removeprefix("attnbook.") for module in found} - EVERYWHERE
    return {name for name in names if name.partition(".")[0] != "live"}


@functools.cache
def met_by(name):
    """The modules that a file of tests/package imports."""
    tree = ast.parse((ROOT / "tests" / "package" / f"{name}.py").read_text(encoding="utf-8"))
    return {module.removeprefix("attnbook.") for module in imports(tree)}


@pytest.fixture(scope="module")
def chapters():
    """The table of chapters: {chapter: (laws, drawings, tests)}."""
    table = {chapter: cells for (chapter,), *cells in rows("From chapter to test")}
    assert table, "ARCHITECTURE.md: no table below 'From chapter to test'"
    return table


def test_every_page_with_cells_has_one_row_in_the_order_of_the_book(chapters):
    assert list(chapters) == [name.removeprefix("chapters/") for name in toc()[0] if page(name).cells]


def test_a_row_names_what_its_chapter_imports_and_nothing_else(chapters):
    for chapter, (laws, drawings, _) in chapters.items():
        if (ROOT / "chapters" / f"{chapter}.md").is_file():
            wanted = used(f"chapters/{chapter}")
            named = {*laws, *(f"figures.{drawing}" for drawing in drawings)}
            assert named == wanted, f"ARCHITECTURE.md: the row of {chapter} needs {sorted(wanted)}"


def test_the_tests_of_a_row_import_its_laws(chapters):
    """Every law is met by a test of its row; a task may be tested by its chapters alone."""
    for chapter, (laws, _, tests) in chapters.items():
        met = {test: met_by(test) for test in tests if (ROOT / "tests" / "package" / f"{test}.py").is_file()}
        for law in laws:
            if not law.startswith("tasks."):
                assert any(law in modules for modules in met.values()), f"row of {chapter}: no test imports {law}"
        for test, modules in met.items():
            assert modules & used(f"chapters/{chapter}"), f"row of {chapter}: {test} imports nothing that stands there"


def test_every_named_file_exists(chapters):
    named = re.findall(r"`([\w./-]+/[\w./-]*|[\w.-]+\.(?:md|yml|py))`", (ROOT / "ARCHITECTURE.md").read_text("utf-8"))
    named = [name for name in named if not name.startswith("_build/") and name not in chapters]
    named += [f"chapters/{chapter}.md" for chapter in chapters]
    for laws, drawings, tests in chapters.values():
        named += [f"code/attnbook/{law.replace('.', '/')}.py" for law in laws]
        named += [f"code/attnbook/figures/{drawing}.py" for drawing in drawings]
        named += [f"tests/package/{test}.py" for test in tests]
    report(f"ARCHITECTURE.md: {name} does not exist" for name in named if not (ROOT / name).exists())


@pytest.mark.parametrize("part", PARTS)
def test_no_part_imports_more_than_the_table_allows(part):
    allowed = {name.rstrip("/"): set(may) for (name,), may in rows("What may import what")}
    assert tuple(allowed) == PARTS, "ARCHITECTURE.md: the table of imports has other rows than this test"
    if part == "chapters":
        trees = [(name, cell.tree) for name in toc()[0] for cell in page(name).cells]
    else:
        files = sorted((ROOT / part).rglob("*.py"))
        trees = [(file.relative_to(ROOT), ast.parse(file.read_text(encoding="utf-8"))) for file in files]
    assert trees, f"{part} holds no Python"
    may = allowed[part] | {part.removeprefix("code/")}
    report(
        f"{at}: imports {name}"
        for at, tree in trees
        for name in imports(tree)
        if not {name.split(".")[0], ".".join(name.split(".")[:2])} & may
    )


def test_the_laws_import_neither_drawings_nor_tasks():
    files = sorted((ROOT / "code" / "attnbook").glob("*.py"))
    drawing = {"figures", "tasks", "explore", "live"}
    report(
        f"{file.relative_to(ROOT)}: imports {name}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level
        for name in [(node.module or "").split(".")[0] or node.names[0].name]
        if name in drawing
    )
