"""Translate cells of Jupyter's into plain Python, which IPython does for all but the magics of a whole cell.

This runs in the sandbox, before any code of the student's. Standard library only; IPython's translator is bound beside
it.
"""

import functools
import re

TRANSLATED = 1 << 19  # characters that IPython splits into tokens, for one notebook
LINE = 2000  # characters of a line that is translated
GROWTH = 60  # characters that one addition of IPython's becomes, in plain Python
RUN = ("time", "capture", "prun", "debug")  # cell magics whose cell runs as if they were not there
OTHER_LANGUAGES = ("bash", "sh", "script", "cmd", "perl", "ruby", "python2", "javascript", "js")
SHOWN = ("html", "HTML", "latex", "markdown", "svg", "SVG")
NOTHING = ("timeit", "writefile", "file", *OTHER_LANGUAGES, *SHOWN)  # and those whose cell is nothing to run in Python
SPECIAL = re.compile(r"^[ \t]*(?:[%!?]|>>>|In \[)|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
CELL_MAGIC = re.compile(r"\s*%%(\w+)[ \t]*([^\n]*)\n?")


def translate(cells):
    """Return the cells in plain Python, on the lines where they were. Work is bounded; a cell beyond stays as it is."""
    left, done = TRANSLATED, []
    for cell in map(_without_magic, cells):
        work = _work(cell)
        if 0 < work <= left and max(map(len, cell.splitlines()), default=0) <= LINE:
            left -= work
            cell = _translated(cell)
        done.append(cell)
    return done


def unknown_magic(cell):
    """Return the name of the magic above a cell that nobody here knows, or ""."""
    magic = CELL_MAGIC.match(cell)
    return magic[1] if magic and magic[1] not in (*RUN, *NOTHING) else ""


def _without_magic(cell):
    """Return a cell without the cell magics that only watch it; Jupyter translates the lines below them too."""
    above = ""
    while (magic := CELL_MAGIC.match(cell)) and magic[1] in RUN:
        above += _in_place_of(magic)
        cell = cell[magic.end() :]
    return above + cell


def _in_place_of(magic):
    """Return as many lines as a cell magic has: what it captures can be shown, and is empty."""
    name, lines = (magic[2].split() or [""])[-1], magic[0].count("\n")
    if magic[1] == "capture" and name.isidentifier():
        return "\n" * (lines - 1) + f"{name} = get_ipython()\n"
    return "\n" * lines


def _work(cell):
    """Return how many characters IPython may split into tokens for a cell; 0 if it has nothing to translate there."""
    indented = cell.lstrip("\n").startswith((" ", "\t"))  # as a whole, which IPython allows
    special = indented + len(SPECIAL.findall(cell[:TRANSLATED]))
    return (special + 1) * (len(cell) + GROWTH * special) if special else 0


def _translated(cell):
    """Let IPython translate one cell."""
    blank = cell[: len(cell) - len(cell.lstrip())].count("\n")  # IPython takes the empty lines at the top away
    try:
        return "\n" * blank + _ipython().transform_cell(cell)
    except Exception:  # the cell is no Python, and running it says so, with the line; or there is no translator
        return cell


@functools.cache
def _ipython():
    """Return IPython's translator, or None where this Python is one that IPython does not know."""
    try:
        from IPython.core.inputtransformer2 import TransformerManager

        return TransformerManager()
    except Exception:
        return None
