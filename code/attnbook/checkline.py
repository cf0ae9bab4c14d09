"""How a check that holds is shown: one quiet line, as HTML in a notebook and as text elsewhere.

Checks of one line of code are shown once, with their number and their worst case, so a loop over all 720
permutations leaves one line. Lines are collected while a cell runs and shown when it ends.
"""

import html
import inspect
import math

__all__ = ["add"]

MIME = "application/vnd.attnbook.check+json"  # what the ledger of claims reads from an executed notebook
SPOKEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"  # heard, not seen
_lines = {}


def add(law, figure, claim, worst):
    """Record one check that holds. Of repetitions of one line the figure of the largest ``worst`` is shown."""
    frame = inspect.currentframe().f_back.f_back
    claims = [claim] if isinstance(claim, str) else list(claim)
    key = (frame.f_code.co_filename, frame.f_lineno, law)
    line = _lines.setdefault(key, {"law": law, "figure": figure, "claims": [], "times": 0, "worst": worst})
    line["times"] += 1
    line["claims"] += [name for name in claims if name not in line["claims"]]
    if worst > line["worst"]:
        line.update(figure=figure, worst=worst)
    shell = _shell()
    if shell is None:
        _lines.pop(key)
        print(_text(line))
    elif _show not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", _show)


def _shell():
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _show(result=None):
    """Display the collected lines of the cell that has just run."""
    from IPython.display import display

    lines = list(_lines.values())
    _lines.clear()
    if lines:
        bundle = {
            "text/plain": "\n".join(_text(line) for line in lines),
            "text/html": '<div class="checks">' + "".join(_html(line) for line in lines) + "</div>",
            MIME: [line | {"worst": _jsonable(line["worst"])} for line in lines],
        }
        display(bundle, raw=True)


def _jsonable(worst):
    return abs(worst) if math.isfinite(worst) else str(worst)


def _figure(line):
    times = line["times"]
    return f"{line['figure']}, {times} times" if times > 1 else line["figure"]


def _text(line):
    return f"✓ {line['law']}  ·  {_figure(line)}"


def _html(line):
    claims = "".join(f' <span class="check-claim">{html.escape(claim)}</span>' for claim in line["claims"])
    return (
        f'<p class="check" data-claims="{html.escape(" ".join(line["claims"]))}">'
        f'<span class="check-mark" aria-hidden="true">✓</span><span style="{SPOKEN}">holds: </span> '
        f'<span class="check-law">{html.escape(line["law"])}</span> '
        f'<span class="check-figure">{html.escape(_figure(line))}</span>{claims}</p>'
    )
