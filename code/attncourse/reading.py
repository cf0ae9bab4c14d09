"""Read the code cells of a notebook, and let IPython itself translate what it adds to Python.

Nothing of the student's runs here. The translation splits a cell into tokens once for each addition in it, so its work
is bounded by sizes; a cell beyond them stays as it is.
"""

import functools
import json
import re

LARGEST = 20 << 20  # bytes of a notebook, with its outputs
CELLS = 500
TRANSLATED = 1 << 19  # characters that are split into tokens, for one notebook
LINE = 2000  # characters of a line that is translated
SPECIAL = re.compile(r"^[ \t]*(?:[%!?]|>>>|In \[)|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
GROWTH = 60  # characters that one addition becomes, in plain Python
OLD = 4  # before this version of the format, cells lay in worksheets, and their text in `input`


class NotGradable(ValueError):
    """A file that is no notebook; one sentence for student and instructor."""


def notebook(data):
    """Return (code cells, other cells, the version of Python that the notebook names, or ""); a cell is its text."""
    if not data.strip():
        raise NotGradable("The file is empty.")
    if len(data) > LARGEST:
        raise NotGradable(f"The file is larger than {LARGEST >> 20} MB: clear its outputs, save it, hand it in again.")
    try:
        document = json.loads(data)
        cells = document["cells"] if "cells" in document else document["worksheets"][0]["cells"]
        code = [_text(cell) for cell in cells if cell.get("cell_type") == "code"]
        texts = [_text(cell) for cell in cells if cell.get("cell_type") != "code"]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise NotGradable("The file is not a Jupyter notebook.") from None
    if len(code) > CELLS:
        raise NotGradable(f"The notebook has more than {CELLS} code cells.")
    return code, texts, _python(document)


def _text(cell):
    """Return the text of a cell: one string or a list of lines; a cell without text is empty."""
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str)).encode("utf-8", "replace").decode("utf-8")


def _python(document):
    """Return the version of Python in the metadata, such as 3.12."""
    try:
        found = re.match(r"3\.\d{1,2}\b", document["metadata"]["language_info"]["version"])
    except (KeyError, TypeError):
        return ""
    return found[0] if found else ""


@functools.cache
def _ipython():
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager()


def translate(cells):
    """Return the cells in plain Python. Those that cannot be translated stay as they are."""
    left, done = TRANSLATED, []
    for cell in cells:
        indented = cell.lstrip("\n").startswith((" ", "\t"))  # as a whole, which IPython allows
        special = indented + len(SPECIAL.findall(cell[:TRANSLATED]))
        work = (special + 1) * (len(cell) + GROWTH * special)
        if special and work <= left and max(map(len, cell.splitlines()), default=0) <= LINE:
            left -= work
            cell = _translated(cell)
        done.append(cell)
    return done


def _translated(cell):
    """Translate one cell, with its lines where they were."""
    blank = re.match(r"(?:[ \t]*\n)*", cell)[0].count("\n")  # IPython takes the empty lines at the top away
    try:
        return "\n" * blank + _ipython().transform_cell(cell)
    except Exception:  # the cell is no Python; the worker says so, with the line
        return cell
