"""Say what names mean in a notebook: which cells answer a question, and which cells below change what an answer needs.

This runs in the sandbox, before any code of the student's. Standard library only.
"""

import builtins
import re
import symtable
from typing import NamedTuple

DEF = re.compile(r"^(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
STUB = 'raise NotImplementedError("your code here")'
REMARKS, NAMES = 3, 3  # remarks about one question, and names in one of them


class Cell(NamedTuple):
    """A code cell, and the names to which it gives a meaning."""

    text: str  # as the student wrote it
    source: str  # in plain Python
    tree: symtable.SymbolTable | None  # None where it is no Python
    label: str  # by which the student finds it
    bound: set[str]  # names that may mean something else after it


class Reuse(NamedTuple):
    """A question whose answer needs a name that gets another meaning below the answer."""

    question: int  # its number, from 0
    last: int  # number, from 0, of the cell after which the question was answered
    remarks: list[str]


def analyse(text, source, label):
    """Return the Cell of a text, its plain Python and its label."""
    tree = parse(source)
    return Cell(text, source, tree, label, _bound(source, tree))


def parse(source):
    """Return the table of the names in a cell, or None where the cell is no Python."""
    try:
        return symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def defines(cell, names):
    """Return whether a cell defines, assigns or imports one of these names."""
    return not names.isdisjoint(_assigned(cell.source, cell.tree, imports=True))


def _assigned(source, tree, imports=False):
    """Return the names that a cell defines or assigns, and with `imports` those that it imports."""
    if tree is None:
        return set(DEF.findall(source))
    return {s.get_name() for s in tree.get_symbols() if s.is_assigned() and (imports or not s.is_imported())}


def _bound(source, tree):
    """Return the names that may mean something else after a cell: `import *` may hide any builtin."""
    names = _assigned(source, tree)
    return names | {*dir(builtins)} if "import *" in source else names


def reuses(cells, questions):
    """Return a Reuse for each question whose answer needs a name that gets another meaning below it.

    A question stands where its visible asserts are, in the cell of them that the student was given. Tests of such a
    question see the notebook as it was there, and as it is at the end; the better result counts.
    """
    texts = [_squeezed(cell.text) for cell in cells]
    found = []
    for number, question in enumerate(questions):
        visible = [_squeezed(source) for source in question["visible"]]
        asserts = [texts.index(text) for text in visible if text in texts]
        reuse = _reuse(number, {*question["functions"]}, asserts, cells)
        if reuse:
            found.append(reuse)
    return found


def _squeezed(text):
    """Return a text without its blanks."""
    return "".join(text.split())


def _reuse(number, asked, asserts, cells):
    """Return the Reuse of one question, or None where no name that its answer needs gets another meaning.

    The question asks for the functions `asked`; the cells with the numbers `asserts` are its visible asserts.
    """
    answers = _answers(asked, cells)
    last = max(asserts or answers, default=-1)
    answers = [index for index in answers if index <= last]
    if not answers:
        return None
    above, below = cells[: last + 1], cells[last + 1 :]
    needed = _needed(asked, [cells[index] for index in answers], above)
    known = {*dir(builtins)}.union(*(cell.bound for cell in above))  # what is not known gets its first meaning below
    changed = [(cell.label, cell.bound & needed & known) for cell in below]
    changed = [(label, names) for label, names in changed if names]
    if not changed:
        return None
    return Reuse(number, last, [_remark(label, names, number) for label, names in changed[:REMARKS]])


def _answers(asked, cells):
    """Return the numbers of the cells that define what is asked for, or else of those that give it another meaning."""
    defining = [index for index, cell in enumerate(cells) if _has_def(asked, cell.source)]
    return defining or [index for index, cell in enumerate(cells) if cell.bound & asked]


def _has_def(asked, source):
    """Return whether a cell has a `def` of what is asked for, and no stub."""
    return STUB not in source and not asked.isdisjoint(DEF.findall(source))


def _needed(asked, answers, above):
    """Return the names that an answer needs: its own, those that it reads, and those that its helpers above read."""
    names = asked.union(*(_read_in(cell.tree, asked) for cell in answers if cell.tree))
    return names.union(*(_read_in(cell.tree, names) for cell in above if cell.tree))


def _read_in(table, functions=None):
    """Return the global names that functions in a table read: the functions of these names, or all."""
    names = set()
    for inner in table.get_children():
        if functions is None or inner.get_name() in functions:
            names |= {s.get_name() for s in inner.get_symbols() if s.is_global() and s.is_referenced()}
            names |= _read_in(inner)
    return names


def _remark(label, names, number):
    """Return the remark about a cell that gives names of an answer another meaning."""
    listed = ", ".join(f"`{name[:40]}`" for name in sorted(names)[:NAMES])
    return (
        f"{label} gives {listed} another meaning, below the answer to question {number + 1}: "
        "the answer was tested with and without that cell, and the better result counts."
    )
