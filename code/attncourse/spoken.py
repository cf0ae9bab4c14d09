"""Find what a student can be asked of their own functions: a name, a line, what would change if a piece were another.

This runs in the sandbox, before any code of the student's. Standard library only. `oral` chooses among what it finds.
"""

import ast
import itertools

LONGEST = 20_000  # characters of a function that is looked at, and of one cell ten times as many
LOOKED_AT = 40  # pieces of one function
SHOWN = 200  # characters of a line
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
NEIGHBOURS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}


def about(cells, names):
    """Return ({name: source} of the functions, [[name, kind, question], …] about them)."""
    found = {name: source for cell in cells for name, source in _functions(cell, names)}
    questions = [
        [name, kind, text]
        for name, source in found.items()
        for kind, text in itertools.islice(_questions(source), LOOKED_AT)
    ]
    return found, questions


def _functions(cell, names):
    """Yield (name, source) of the functions of these names that stand in a cell by themselves."""
    for node in _tree(cell[: 10 * LONGEST]).body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            yield node.name, (ast.get_source_segment(cell, node) or "")[:LONGEST]


def _tree(source):
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _questions(source):
    """Yield (kind, question) about one function."""
    lines = source.splitlines()
    for node in ast.walk(_tree(source)):
        if not hasattr(node, "lineno") or node.lineno > len(lines):
            continue
        line = lines[node.lineno - 1].strip()
        if len(line) > SHOWN or line.startswith("def "):
            continue
        for kind, asks in _asked(node, source):
            yield kind, f"`{line}`. {asks}"


def _asked(node, source):
    """Yield (kind, what is asked) about one piece of a line."""

    def text(part):
        return (ast.get_source_segment(source, part) or "")[:SHOWN]

    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        yield "name", f"What does `{node.targets[0].id[:40]}` stand for, and which shape or kind of value has it?"
    if isinstance(node, ast.Compare) and type(node.ops[0]) in NEIGHBOURS:
        other = f"{text(node.left)} {NEIGHBOURS[type(node.ops[0])]} {text(node.comparators[0])}"
        yield "change", f"What changes if `{text(node)}` were `{other}`? Name an input that shows it."
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        yield (
            "change",
            f"What changes without `{SIGNS[type(node.op)]} {text(node.right)}`? Name an input that shows it.",
        )
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield "change", f"What changes if `{text(node)}` were `{text(node.value)}`? Which shapes would still fit?"
    if isinstance(node, ast.keyword) and node.arg in ("axis", "keepdims", "ddof"):
        yield "change", f"What changes without `{text(node)}`? Say it for an array of shape (2, 3)."
    if isinstance(node, ast.Return) and node.value is not None:
        yield "line", "What comes out of this line for the smallest input that your function takes?"
