"""Show the checks that hold when their cell ends: as text, as HTML, and as data that the site reads.

Checks of one line of code are shown once, with their number and their worst case, so a loop over all 720
permutations leaves one line. In a notebook, a cell that was run too early is explained.
"""

import ast
import dataclasses
import itertools
import linecache
import os
import sys
from types import FrameType

from ..arrays import brief
from .record import MIME, Check, as_data
from .render import as_html, as_text

__all__ = ["add", "is_live", "words"]

_records: dict[tuple, Check] = {}  # by file, line and law


def add(check: Check) -> None:
    """Collect one check that holds; of repetitions of one line the record closest to failing is kept."""
    frame = sys._getframe(2)  # where the check was called
    key = (frame.f_code.co_filename, frame.f_lineno, check.law)
    if old := _records.get(key):
        closest = max(old, check, key=lambda each: each.worst)
        check = dataclasses.replace(closest, times=old.times + 1, widest=max(old.widest, check.widest))
    _records[key] = check
    shell = _shell()
    if shell is None:
        print(as_text([_records.pop(key)]))
    elif _show not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", _show)


def words(pattern: str, law: str | None, label: str) -> tuple[str, str, bool]:
    """Return the law, the label of the check, and whether the law is code.

    Without ``law``, it is ``pattern`` with the source text of the first arguments of the check; a ``law`` in words is
    also the label where the author gives no other.
    """
    if not isinstance(law, str | None):
        raise TypeError(f"law = {brief(law)}; expected text: a margin is given as by=, an error as error=")
    if not isinstance(label, str):
        raise TypeError(f"label = {brief(label)}; expected text")
    if not law:
        sides = _arguments(sys._getframe(2), sys._getframe(1).f_code.co_name)
        if len(sides) < pattern.count("{}"):
            sides = ["left", "right"]
        return pattern.format(*sides), label, True
    return law, label or law, False


def _arguments(frame: FrameType, name: str) -> list[str]:
    """Return the source texts of the positional arguments of the function ``name``, which ``frame`` is calling."""
    instruction = frame.f_lasti // 2  # each takes two bytes
    first, last, start, end = next(itertools.islice(frame.f_code.co_positions(), instruction, None))
    lines = linecache.getlines(frame.f_code.co_filename)[first - 1 : last]
    if not lines:
        return []
    place = ast.expr(lineno=1, end_lineno=len(lines), col_offset=start, end_col_offset=end)
    text = ast.get_source_segment("".join(lines), place)
    try:
        call = ast.parse(text or "", mode="eval").body
    except SyntaxError:  # Python keeps no columns, or the file has changed
        return []
    if not isinstance(call, ast.Call) or getattr(call.func, "attr", name) != name:
        return []  # another function calls the check, such as functools.reduce
    return [ast.unparse(each) for each in call.args if not isinstance(each, ast.Starred)]


def is_live() -> bool:
    """Detect an interactive kernel: neither a build of the book nor a plain script."""
    return hasattr(_shell(), "kernel") and not os.environ.get("ATTNBOOK_BUILD")


def _shell():
    """Return the shell of IPython; None in a plain script."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def _show(result=None):
    """Display the records of the cell that has just run."""
    from IPython.display import display

    if checks := [_records.pop(key) for key in list(_records)]:
        bundle = {"text/plain": as_text(checks), "text/html": as_html(checks), MIME: list(map(as_data, checks))}
        display(bundle, raw=True)


def _explain(shell, kind, error, trace, tb_offset=None):
    """Add to a ``NameError`` what a reader who ran a cell too early has to do."""
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    if kind is NameError:
        print(
            f"{error.name or 'A name'} is not defined yet: if a cell above defines it, choose "
            "Run › Run All Above Selected Cell (in Colab: Runtime › Run before), then run this cell again."
        )


if _shell():
    _shell().set_custom_exc((NameError,), _explain)
