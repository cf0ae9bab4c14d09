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

__all__ = ["MIME", "Check", "as_data", "as_html", "as_text", "figure", "from_data", "summary", "typeset"]

#: The type of the data that a cell emits for its checks.
MIME = "application/vnd.attnbook.check+json"
SAID = {  # around numbers, for who translates it: of a check by its kind, and of several checks
    "equal": "largest difference {value}, allowed {bound}",
    "exactly": "exactly equal",
    "differs": "largest difference {value}, at least {bound} expected",
    "estimate": "off by {value} of {bound} standard errors",
    "prints": "{value} prints as {bound}",
    "noted": "{words}; {note}",
    "times": "{words}, {times} times",
    "count": "{count} laws hold",
    "largest": "{words} · largest error {value}, allowed {bound}",
    "holds": "holds:",
    "link": "Link to this check",
}
SIGNS = {"below": "{value} < {bound}", "refuses": "{bound}: {value}"}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MARK = '<span class="check-mark" aria-hidden="true">✓</span>'
HEARD = '<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)">{} </span>'


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
    label: str = ""  # by what a claim names it: the author's label, or the law where the author gives it


def as_data(check: Check) -> dict[str, Any]:
    """The record as JSON can hold it: infinite numbers become text."""
    return {k: str(v) if isinstance(v, float) and not math.isfinite(v) else v for k, v in vars(check).items()}


def from_data(data: dict[str, Any]) -> Check:
    """The record that `as_data` wrote."""
    return Check(**data | {"worst": float(data["worst"])})


def _figures(check):
    """The value and the bound as text: two digits of rounding; else four, or as many as tell the two apart."""
    value, bound = check.value, check.bound
    if check.kind == "equal":
        return [f"{x:.1e}" if x else "0" for x in (value, bound)]
    if check.kind == "estimate":
        return [f"{value:.1f}", f"{bound:.4g}"]
    for digits in range(4, 18):
        words = [x if isinstance(x, str) else f"{x:.{digits}g}" for x in (value, bound)]
        if words[0] != words[1] or value == bound:
            break
    return words


def figure(check: Check, say: Callable[[str], str] = str) -> str:
    """The measured value beside its bound, in words; ``say`` translates them."""
    value, bound = _figures(check)
    kind = "exactly" if check.kind == "equal" and not check.bound else check.kind
    words = (SIGNS.get(kind) or say(SAID[kind])).format(value=value, bound=bound)
    if check.note:
        words = say(SAID["noted"]).format(words=words, note=say(check.note))
    return say(SAID["times"]).format(words=words, times=check.times) if check.times > 1 else words


def typeset(text: str) -> str:
    """Numbers as a page writes them.

    >>> typeset("-1.5, 2.7e-05, 差-1.5")
    '−1.5, 2.7·10⁻⁵, 差−1.5'
    """
    text = re.sub(r"(\d)e([-+]\d+)", lambda m: f"{m[1]}·10{str(int(m[2])).translate(RAISED)}", text)
    # Behind a Chinese sign a number begins as behind a space.
    return re.sub(r"(?<![^\W\u3400-\u9fff])-(?=[\d.])", "−", text)


def summary(checks: Sequence[Check], say: Callable[[str], str] = str) -> str:
    """One line for several laws: how many hold, and the largest error of an equation beside what was allowed."""
    words = say(SAID["count"]).format(count=len(checks))
    errors = [check for check in checks if check.kind == "equal" and check.value]
    if not errors:
        return words
    value, bound = _figures(max(errors, key=lambda check: check.worst))
    return say(SAID["largest"]).format(words=words, value=value, bound=bound)


def as_text(checks: Sequence[Check]) -> str:
    """A line for each law."""
    return "\n".join(f"✓ {check.law}  ·  {figure(check)}" for check in checks)


def as_html(checks: Sequence[Check], anchors: Sequence[str | None] = (), say: Callable[[str], str] = str) -> str:
    """A line for one law; for several, one line that opens to a line each. ``anchors`` are the addresses of laws."""
    heard = HEARD.format(say(SAID["holds"])) if len(checks) == 1 else ""
    lines = "".join(_line(*pair, say, heard) for pair in zip(checks, anchors or [None] * len(checks), strict=True))
    if len(checks) == 1:
        return f'<div class="checks">{lines}</div>'
    words = html.escape(typeset(summary(checks, say)))
    return f'<details class="checks"><summary>{MARK} {words}</summary>{lines}</details>'


def _line(check, anchor, say, heard):
    """A law as HTML; its mark is a link to it where it has an address; what is ``heard`` is not seen."""
    link = f'<a class="check-mark" href="#{anchor}" aria-label="{say(SAID["link"])}">✓</a>'
    mark, address = (link, f' id="{anchor}"') if anchor else (MARK, "")
    label = f' data-label="{html.escape(check.label)}"' if check.label not in ("", check.law) else ""
    return (
        f'<p class="check" data-kind="{check.kind}"{label}{address}>{mark}{heard} '
        f'<span class="check-law">{html.escape(say(check.law))}</span> '
        f'<span class="check-figure">{html.escape(typeset(figure(check, say)))}</span></p>'
    )
