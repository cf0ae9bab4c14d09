"""Say which modules of the packages a piece of Python depends on, by reading import lines and running nothing.

A module depends on what it imports, directly or through others, and on the ``__init__.py`` of the packages that hold
it. What such an ``__init__.py`` imports for the convenience of others does not count.
"""

import ast
import re

PACKAGES = ("attnbook", "attnfigures")  # what chapters import
NAMES = "|".join(PACKAGES)
CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def modules(code):
    """Return {module of the packages: its file} in the folder that holds them."""
    files = [path for package in PACKAGES for path in sorted((code / package).rglob("*.py"))]
    paths = {path.relative_to(code).with_suffix("").parts: path for path in files}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for parts, path in paths.items()}


def results(code):
    """Return {name of a stored result: its file}."""
    return {f"results {path.stem}": path for path in sorted((code / "attnbook" / "results").glob("*.json"))}


def results_read(cells, stored):
    """Return which of the ``stored`` results cells read: those whose names stand there in quotation marks."""
    return {name for name in stored if any(f'"{name.removeprefix("results ")}"' in cell for cell in cells)}


def imported(source, modules, name=""):
    """Return which of the ``modules`` Python source imports; ``name`` is its own module, for relative imports."""
    names = set()
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = name.split(".")[: -node.level or None] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            names |= {start, *(f"{start}.{alias.name}" for alias in node.names)}
    return names & set(modules)


def _statements(node):
    """Yield the statements inside a module or a statement, but no expressions: these are many, and import nothing."""
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        for child in getattr(node, part, ()):
            yield child
            yield from _statements(child)


def imports(modules):
    """Return {module: the modules that it imports itself}."""
    packages = {name for name, path in modules.items() if path.name == "__init__.py"}
    # In a package, `from . import x` counts from the package itself.
    return {
        name: imported(path.read_text("utf-8"), modules, f"{name}.__init__" if name in packages else name)
        for name, path in modules.items()
    }


def imported_by_cells(cells, modules):
    """Return modules that cells import. Cells may hold what is no Python, so only their import lines count."""
    lines = [line for cell in cells for line in cell.splitlines() if re.match(rf"\s*(from|import) ({NAMES})\b", line)]
    return {name for line in lines for name in _imported_by_line(line.strip(), modules)}


def _imported_by_line(line, modules):
    try:
        return imported(line, modules)
    except SyntaxError:  # an import over several lines: its first line names the module
        return set(re.findall(rf"\b(?:{NAMES})\b[\w.]*", line)) & set(modules)


def closure(names, imports):
    """Return the modules ``names`` and all they depend on, where ``imports`` says what each imports itself."""
    reached = set()
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= imports[name] - reached
    parents = {".".join(name.split(".")[:i]) for name in reached for i in range(1, name.count(".") + 1)}
    return reached | parents


def statements(path):
    """Return the code of a module without its comments and docstrings."""
    module = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(module)
