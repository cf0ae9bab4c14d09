"""Show the checks that hold when their cell ends: as text, as HTML, and as data that the site reads.

Checks of one line of code are shown once, with their number and their worst case, so a loop over all 720
permutations leaves one line.
"""

import ast
import dataclasses
import inspect
import linecache
import sys

from ..arrays import brief
from .record import MIME, Check, as_data, as_html, as_text

__all__ = ["add", "words"]

_records = {}


def add(check: Check) -> None:
    """Collect one check that holds; of repetitions of one line the record closest to failing is kept."""
    frame = inspect.currentframe().f_back.f_back
    key = (frame.f_code.co_filename, frame.f_lineno, check.law)
    old = _records.get(key)
    if old is not None:
        closer = check if check.worst > old.worst else old
        check = dataclasses.replace(closer, times=old.times + 1, widest=max(old.widest, check.widest))
    _records[key] = check
    shell = _shell()
    if shell is None:
        print(as_text([_records.pop(key)]))
    elif _show not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", _show)


def words(pattern: str, law: str | None) -> str:
    """Return the law in words: ``law``, or ``pattern`` with the source text of the first arguments of the check."""
    if not isinstance(law, str | None):
        raise TypeError(f"law = {brief(law)}; expected text: a margin is given as by=, an error as error=")
    if law:
        return law
    name, frame = sys._getframe(1).f_code.co_name, sys._getframe(2)
    first, last, start, end = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    lines = linecache.getlines(frame.f_code.co_filename)[first - 1 : last]
    if lines and None not in (start, end):
        # Columns count bytes; the last line is cut first, in case it is also the first.
        lines[-1] = lines[-1].encode()[:end].decode()
        lines[0] = lines[0].encode()[start:].decode()
    try:
        call = ast.parse("".join(lines), mode="eval").body
    except SyntaxError:
        call = None
    if isinstance(call, ast.Call) and getattr(call.func, "attr", name) == name:
        given = [ast.unparse(argument) for argument in call.args if not isinstance(argument, ast.Starred)]
        if len(given) >= (wanted := pattern.count("{}")):
            return pattern.format(*given[:wanted])
    return pattern.format("left", "right")


def _shell():
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _show(result=None):
    """Display the records of the cell that has just run."""
    from IPython.display import display

    checks = list(_records.values())
    _records.clear()
    if checks:
        bundle = {"text/plain": as_text(checks), "text/html": as_html(checks), MIME: list(map(as_data, checks))}
        display(bundle, raw=True)
