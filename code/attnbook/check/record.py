"""Describe one law that was evaluated and holds: the record that every reader of a check shares.

A cell emits its records as MIME data of the type ``MIME``. The site, the ledger, the notebooks and the tools read these
records; nothing reads a check's words to learn what it is.
"""

import dataclasses
import html
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["MIME", "WORDS", "Check", "as_data", "as_html", "as_text", "figure", "from_data", "summary", "typeset"]

#: The type of the data that a cell emits for its checks.
MIME = "application/vnd.attnbook.check+json"
HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SPOKEN = '<span style="{}">{} </span>'  # heard, not seen

#: What `figure`, `summary` and `as_html` say around numbers, for who translates them.
WORDS = {
    "largest difference {value}, allowed {bound}",
    "exactly equal",
    "largest difference {value}, at least {bound} expected",
    "off by {value} of {bound} standard errors",
    "{value} prints as {bound}",
    "{words}, {times} times",
    "{count} laws hold",
    "{words} · largest error {value}, allowed {bound}",
    "holds:",
    "Link to this check",
}


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
    rival: float = 0.0  # of an estimate with a rival, how many standard errors it is away
    widest: float = 0.0  # of an equality, the largest bound of all repetitions: rounding does not choose it
    reason: str = ""  # why the bound is far from the value, where the author gives one


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


def figure(check: Check, say: Callable[[str], str] = str) -> str:
    """The measured value beside its bound, in words; ``say`` translates them.

    >>> figure(Check("below", "1 < 2", 1.0, 2.0))
    '1 < 2'
    """
    value, bound = _numbers(check.value, check.bound)
    match check.kind:
        case "equal" if check.bound:
            value, bound = f"{check.value:.1e}" if check.value else "0", f"{check.bound:.1e}"
            words = say("largest difference {value}, allowed {bound}").format(value=value, bound=bound)
        case "equal":
            words = say("exactly equal")
        case "differs":
            words = say("largest difference {value}, at least {bound} expected").format(value=value, bound=bound)
        case "estimate":
            value = f"{check.value:.1f}"
            words = say("off by {value} of {bound} standard errors").format(value=value, bound=bound)
        case "below":
            words = f"{value} < {bound}"
        case "prints":
            words = say("{value} prints as {bound}").format(value=value, bound=bound)
        case "refuses":
            words = f"{bound}: {value}"
    words += f"; {say(check.note)}" if check.note else ""
    return say("{words}, {times} times").format(words=words, times=check.times) if check.times > 1 else words


def typeset(text: str) -> str:
    """Numbers as a page writes them.

    >>> typeset("-1.5, 2.7e-05")
    '−1.5, 2.7·10⁻⁵'
    """
    text = re.sub(r"(\d)e([-+]\d+)", lambda m: f"{m[1]}·10{str(int(m[2])).translate(RAISED)}", text)
    return re.sub(r"(?<!\w)-(?=[\d.])", "−", text)


def summary(checks: Sequence[Check], say: Callable[[str], str] = str) -> str:
    """One line for several laws: how many hold, and the largest error of an equation beside what was allowed."""
    errors = [check for check in checks if check.kind == "equal" and check.value]
    worst = max(errors, key=lambda check: check.worst, default=None)
    words = say("{count} laws hold").format(count=len(checks))
    if worst is None:
        return words
    error = {"value": f"{worst.value:.1e}", "bound": f"{worst.bound:.1e}"}
    return say("{words} · largest error {value}, allowed {bound}").format(words=words, **error)


def as_text(checks: Sequence[Check]) -> str:
    """A line for each law.

    >>> as_text([Check("equal", "2 + 2 = 4", 0.0, 0.0)])
    '✓ 2 + 2 = 4  ·  exactly equal'
    """
    return "\n".join(f"✓ {check.law}  ·  {figure(check)}" for check in checks)


def as_html(checks: Sequence[Check], anchors: Sequence[str | None] = (), say: Callable[[str], str] = str) -> str:
    """A line for one law; for several, one line that opens to a line each. ``anchors`` are the addresses of laws."""
    anchors = anchors or [""] * len(checks)
    if len(checks) == 1:
        return f'<div class="checks">{_line(checks[0], anchors[0], say, SPOKEN.format(HIDDEN, say("holds:")))}</div>'
    lines = [_line(check, anchor, say) for check, anchor in zip(checks, anchors, strict=True)]
    words = html.escape(typeset(summary(checks, say)))
    head = f'<summary><span class="check-mark" aria-hidden="true">✓</span> {words}</summary>'
    return f'<details class="checks">{head}{"".join(lines)}</details>'


def _line(check, anchor, say, said=""):
    """A law as HTML; its mark is a link to it where it has an address."""
    mark = '<span class="check-mark" aria-hidden="true">✓</span>'
    if anchor:
        mark = f'<a class="check-mark" href="#{anchor}" aria-label="{say("Link to this check")}">✓</a>'
    address = f' id="{anchor}"' if anchor else ""
    return (
        f'<p class="check" data-kind="{check.kind}"{address}>{mark}{said} '
        f'<span class="check-law">{html.escape(say(check.law))}</span> '
        f'<span class="check-figure">{html.escape(typeset(figure(check, say)))}</span></p>'
    )
