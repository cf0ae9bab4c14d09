"""Describe one law that was evaluated and holds: the record that every reader of a check shares.

A cell emits its records as MIME data of the type ``MIME``. The site, the ledger, the notebooks and the tools read these
records; nothing reads a check's words to learn what it is.
"""

import dataclasses
import html
import math
from collections.abc import Sequence
from typing import Any

__all__ = ["MIME", "Check", "as_data", "as_html", "as_text", "figure", "from_data", "summary"]

#: The type of the data that a cell emits for its checks.
MIME = "application/vnd.attnbook.check+json"
HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
SPOKEN = f'<span style="{HIDDEN}">holds: </span>'  # heard, not seen


@dataclasses.dataclass(frozen=True)
class Check:
    """One law that holds: what was measured, what was allowed, how often, and how close it came to failing."""

    kind: str  # the function of attnbook.check: equal, differs, estimate, below, prints, refuses
    law: str
    value: float | str  # what was measured; of a refusal, its message
    bound: float | str  # what the value was held against; of a refusal, the name of the exception
    times: int = 1
    worst: float = 0.0  # larger is closer to failing; of repetitions of one law the record of the largest is kept
    note: str = ""  # more words for the reader


def as_data(check: Check) -> dict[str, Any]:
    """The record as JSON can hold it: infinite numbers become text."""
    fields = dataclasses.asdict(check).items()
    return {k: str(v) if isinstance(v, float) and not math.isfinite(v) else v for k, v in fields}


def from_data(data: dict[str, Any]) -> Check:
    """The record that `as_data` wrote."""
    return Check(**data | {"worst": float(data["worst"])})


def _numbers(*values):
    """Numbers with four digits, or with as many as tell them apart; text as it is."""
    for digits in range(4, 18):
        words = [value if isinstance(value, str) else f"{value:.{digits}g}" for value in values]
        if len(set(words)) == len(set(values)):
            break
    return words


def figure(check: Check) -> str:
    """The measured value beside its bound, in words.

    >>> figure(Check("below", "1 < 2", 1.0, 2.0))
    '1 < 2'
    """
    value, bound = _numbers(check.value, check.bound)
    match check.kind:
        case "equal" if check.bound:
            words = f"largest difference {f'{check.value:.1e}' if check.value else 0}, allowed {check.bound:.1e}"
        case "equal":
            words = "exactly equal"
        case "differs":
            words = f"largest difference {value}, at least {bound} expected"
        case "estimate":
            words = f"off by {check.value:.1f} of {bound} standard errors"
        case "below":
            words = f"{value} < {bound}"
        case "prints":
            words = f"{value} prints as {bound}"
        case "refuses":
            words = f"{bound}: {value}"
    return words + (f"; {check.note}" if check.note else "") + (f", {check.times} times" if check.times > 1 else "")


def summary(checks: Sequence[Check]) -> str:
    """One line for several laws: how many hold, and the largest error of an equation beside what was allowed."""
    errors = [check for check in checks if check.kind == "equal" and check.value]
    worst = max(errors, key=lambda check: check.worst, default=None)
    error = f" · largest error {worst.value:.1e}, allowed {worst.bound:.1e}" if worst else ""
    return f"{len(checks)} laws hold{error}"


def as_text(checks: Sequence[Check]) -> str:
    """A line for each law.

    >>> as_text([Check("equal", "2 + 2 = 4", 0.0, 0.0)])
    '✓ 2 + 2 = 4  ·  exactly equal'
    """
    return "\n".join(f"✓ {check.law}  ·  {figure(check)}" for check in checks)


def as_html(checks: Sequence[Check], anchors: Sequence[str | None] = ()) -> str:
    """A line for one law; for several, one line that opens to a line each. ``anchors`` are the addresses of laws."""
    anchors = anchors or [""] * len(checks)
    if len(checks) == 1:
        return f'<div class="checks">{_line(checks[0], anchors[0], SPOKEN)}</div>'
    lines = [_line(check, anchor) for check, anchor in zip(checks, anchors, strict=True)]
    head = f'<summary><span class="check-mark" aria-hidden="true">✓</span> {html.escape(summary(checks))}</summary>'
    return f'<details class="checks">{head}{"".join(lines)}</details>'


def _line(check, anchor="", said=""):
    """A law as HTML; its mark is a link to it where it has an address."""
    mark = '<span class="check-mark" aria-hidden="true">✓</span>'
    if anchor:
        mark = f'<a class="check-mark" href="#{anchor}" aria-label="Link to this check">✓</a>'
    address = f' id="{anchor}"' if anchor else ""
    return (
        f'<p class="check" data-kind="{check.kind}"{address}>{mark}{said} '
        f'<span class="check-law">{html.escape(check.law)}</span> '
        f'<span class="check-figure">{html.escape(figure(check))}</span></p>'
    )
