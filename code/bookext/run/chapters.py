"""Run one chapter of any tree, with other random numbers if asked, and return what its checks say.

The site keeps outputs; the tools that ask how strict the checks are need only this. Both run cells by `kernels`.
"""

import functools
import hashlib
import inspect
import os
import re
import time
from pathlib import Path

import jupytext
from attnbook.check.record import MIME
from nbformat.v4 import new_code_cell

from . import forked, kernels, reseed

FIXED = {"reproduces-source", "fixed-draw"}  # tags of cells that quote figures of one draw: they keep their seeds


def read(path):
    """Read a page as a notebook; each code cell has the line of its fence in its metadata, as "line"."""
    text = path.read_text("utf-8")
    fences = [i for i, line in enumerate(text.splitlines(), 1) if re.match(r"`{3,}\{code-cell\}", line)]
    notebook = jupytext.reads(text, fmt="md:myst")
    for line, cell in zip(fences, [cell for cell in notebook.cells if cell.cell_type == "code"], strict=True):
        cell.metadata["line"] = line
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return notebook


def sources(path):
    """Return the code of the cells of a page."""
    return [cell.source for cell in read(path).cells]


def digest(*parts):
    """Hash texts and files: the same name as long as all of them are the same."""
    mixed = hashlib.sha256()
    for part in parts:
        mixed.update((part.read_bytes() if isinstance(part, Path) else str(part).encode()) + b"\0")
    return mixed.hexdigest()[:20]


def code(path):
    """Return what a run of a page depends on: the sources and tags of its cells, and none of its prose."""
    return repr([(cell.source, sorted(cell.metadata.get("tags", []))) for cell in read(path).cells])


def run(tree, page, *, draw=0, stop=True, limit=300):
    """Run a page below chapters/ with the package of ``tree``, for at most ``limit`` seconds of processor time.

    ``draw`` = 1, 2, … gives every generator of random numbers other seeds, except in cells tagged with one of FIXED;
    0 leaves the seeds as they are. With ``stop`` the first failing cell is the last.

    Returns {"checks": their records as data, "seconds": …, "failures": [{"line", "kind", "message"}]}. The kind of a
    failure is "check" where a check does not hold, "error" for any other exception, and "died" where the kernel ended
    or took too long.
    """
    _prepare()
    path = tree / "chapters" / f"{page}.md"
    start = time.monotonic()
    notebook = read(path)
    if draw:
        _add_seeds(notebook, draw)
    environment = os.environ | {"PYTHONPATH": str(tree / "code"), forked.CPU_LIMIT: str(limit)}
    error, _ = kernels.attempt(notebook, str(path.parent), stop=stop, env=environment)
    checks = []
    failures = []
    for cell in notebook.cells:
        line = cell.metadata.get("line", 0)
        for output in cell.outputs:
            checks += output.get("data", {}).get(MIME, [])
            if output.output_type == "error":
                kind = "check" if output.ename == "CheckFailed" else "error"
                message = output.evalue if kind == "check" else f"{output.ename}: {output.evalue}"
                failures.append({"line": line, "kind": kind, "message": message[:300]})
    if error and not failures:
        failures.append({"line": 0, "kind": "died", "message": f"{type(error).__name__}: {error}"[:300]})
    return {"checks": checks, "seconds": round(time.monotonic() - start, 1), "failures": failures}


@functools.cache
def _prepare():
    os.environ.update(kernels.ENVIRONMENT)
    forked.install()


def _add_seeds(notebook, draw):
    """Let all cells but those with a tag of FIXED draw other numbers."""
    cells = [new_code_cell(f"{inspect.getsource(reseed)}\ninstall_other_seeds({draw})")]
    for cell in notebook.cells:
        fixed = FIXED & set(cell.metadata.get("tags", []))
        cells += (
            [new_code_cell("book_draws_again[0] = False"), cell, new_code_cell("book_draws_again[0] = True")]
            if fixed
            else [cell]
        )
    notebook.cells = cells
