"""Parse the bytes of a file as a Jupyter notebook of any version, or say in one sentence what the file is instead.

This runs in the sandbox, before any code of the student's. Standard library only.
"""

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

LARGEST = 20 << 20  # bytes of a notebook, with its outputs
CELLS = 500
CODE = 2 << 20  # characters in code cells
VERSION = re.compile(r"3\.\d{1,2}\b")
BYTE_ORDER = (b"\xff\xfe", b"\xfe\xff")  # begins a file in UTF-16


class NotGradable(ValueError):
    """Files in which there is nothing to grade; one sentence for student and instructor."""


class Cell(NamedTuple):
    """A cell as it stands in the file."""

    kind: str  # "code", or another kind such as "markdown"
    text: str


@dataclass
class Notebook:
    """What the bytes of a file hold."""

    cells: list[Cell]
    python: str  # the version that wrote them, such as 3.12, or ""
    remarks: list[str]  # for the student

    @property
    def code(self):
        """Return the texts of the code cells."""
        return [cell.text for cell in self.cells if cell.kind == "code"]


def parse(data):
    """Return the `Notebook` in these bytes; NotGradable where there is none, or too much of it."""
    if not data.strip():
        raise NotGradable("The file is empty.")
    if len(data) > LARGEST:
        raise NotGradable(f"The file is larger than {LARGEST >> 20} MB: clear its outputs, save it, hand it in again.")
    text, remarks = _decoded(data)
    try:
        document = json.loads(text)
        cells = [Cell(str(cell.get("cell_type")), _text(cell)) for cell in _cells(document)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise NotGradable(_why_no_notebook(text)) from None
    notebook = Notebook(cells, _python(document), remarks)
    _refuse_too_much(notebook.code)
    return notebook


def _decoded(data):
    """Return the text of a file, and remarks: letters that are not UTF-8 are replaced."""
    try:
        return data.decode("utf-16" if data[:2] in BYTE_ORDER else "utf-8-sig"), []
    except UnicodeDecodeError as error:
        remark = f"The file is not all UTF-8 (byte {error.start}): letters there are shown as \ufffd."
        return data.decode("utf-8", "replace"), [remark]


def _cells(document):
    """Return the cells of a notebook of any version; before version 4 of the format, they lay in worksheets."""
    cells = document.get("cells")
    if cells is not None:
        return cells
    return [cell for sheet in document["worksheets"] for cell in sheet["cells"]]


def _text(cell):
    """Return the text of a cell: one string or a list of lines; a cell without text is empty."""
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str)).encode("utf-8", "replace").decode("utf-8")


def _python(document):
    """Return the version of Python that the metadata name, such as 3.12, or ""."""
    try:
        match = VERSION.match(document["metadata"]["language_info"]["version"])
    except (KeyError, TypeError):
        return ""
    return match[0] if match else ""


def _refuse_too_much(code):
    """Raise NotGradable if the code cells are too many, or too large."""
    if len(code) > CELLS:
        raise NotGradable(f"The notebook has more than {CELLS} code cells.")
    if sum(map(len, code)) > CODE:
        raise NotGradable(f"The code cells hold more than {CODE >> 20} million characters.")


def _why_no_notebook(text):
    """Say what a file is that is no notebook."""
    start = text[:4096].lstrip().lower()
    if start.startswith(("<!doctype", "<html", "<?xml")):
        return "The file is a saved web page, not a notebook: download the .ipynb itself."
    if "\n<<<<<<< " in text and "\n>>>>>>> " in text:
        return "The file holds the marks of a merge conflict (<<<<<<<): resolve it, save, and hand it in again."
    if start.startswith("{") and not text.rstrip().endswith("}"):
        return "The file ends in the middle of a notebook: the download was cut short; hand it in again."
    return "The file is not a Jupyter notebook."
