"""Render checks that hold, as text and as HTML, in English or in the language of an edition.

``translate`` returns the translation of a message; it is given each text of ``MESSAGES``, and what authors wrote.
"""

import html
import re
from collections.abc import Callable, Sequence

from .record import Check

__all__ = ["as_html", "as_text", "count", "figure", "lines", "summary", "typeset"]

#: What stands around the numbers, to be translated.
MESSAGES = {
    # Of a check, by its kind.
    "equal": "largest difference {value}, allowed {bound}",
    "exactly": "exactly equal",
    "differs": "largest difference {value}, at least {bound} expected",
    "estimate": "off by {value} of {bound} standard errors",
    "prints": "{value} prints as {bound}",
    # Of a check that says more, or that was repeated.
    "noted": "{words}; {note}",
    "times": "{words}, {times} times",
    # Of several checks.
    "one": "{count} law holds",
    "count": "{count} laws hold",
    "largest": "{words} · largest error {value}, allowed {bound}",
    # Heard by who does not see the mark.
    "holds": "holds:",
    "link": "Link to this check",
}
SIGNS = {"below": "{value} < {bound}", "refuses": "{bound}: {value}"}  # without a word: nothing to translate
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MARK = '<span class="check-mark" aria-hidden="true">✓</span>'
# The style stands here because a notebook has no style sheet.
UNSEEN = '<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)">{} </span>'

Translate = Callable[[str], str]


def figure(check: Check, translate: Translate = str) -> str:
    """The measured value beside its bound, in words; ``translate`` translates them."""
    value, bound = _figures(check)
    is_exact = check.kind == "equal" and not check.bound
    kind = "exactly" if is_exact else check.kind
    pattern = SIGNS[kind] if kind in SIGNS else translate(MESSAGES[kind])
    words = pattern.format(value=value, bound=bound)
    if check.note:
        words = translate(MESSAGES["noted"]).format(words=words, note=translate(check.note))
    if check.times > 1:
        words = translate(MESSAGES["times"]).format(words=words, times=check.times)
    return words


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


def typeset(text: str) -> str:
    """Numbers as a page writes them.

    >>> typeset("-1.5, 2.7e-05, 差-1.5")
    '−1.5, 2.7·10⁻⁵, 差−1.5'
    """

    def power_of_ten(number):
        exponent = str(int(number[2]))
        return f"{number[1]}·10{exponent.translate(SUPERSCRIPTS)}"

    text = re.sub(r"(\d)e([-+]\d+)", power_of_ten, text)
    # Behind a Chinese sign a number begins as behind a space.
    return re.sub(r"(?<![^\W\u3400-\u9fff])-(?=[\d.])", "−", text)


def count(checks: Sequence[Check], translate: Translate = str) -> str:
    """How many laws hold, in words."""
    return translate(MESSAGES["one" if len(checks) == 1 else "count"]).format(count=len(checks))


def summary(checks: Sequence[Check], translate: Translate = str) -> str:
    """One line for several laws: how many hold, and the largest error of an equation beside what was allowed."""
    words = count(checks, translate)
    errors = [check for check in checks if check.kind == "equal" and check.value]
    if not errors:
        return words
    value, bound = _figures(max(errors, key=lambda check: check.worst))
    return translate(MESSAGES["largest"]).format(words=words, value=value, bound=bound)


def as_text(checks: Sequence[Check]) -> str:
    """A line for each law."""
    return "\n".join(f"✓ {check.law}  ·  {figure(check)}" for check in checks)


def as_html(checks: Sequence[Check], anchors: Sequence[str | None] = (), translate: Translate = str) -> str:
    """A line for one law; for several, one line that opens to a line each. ``anchors`` are the addresses of laws."""
    anchors = anchors or [None] * len(checks)
    if len(checks) == 1:
        # Several laws are said to hold by their summary.
        holds = UNSEEN.format(translate(MESSAGES["holds"]))
        return f'<div class="checks">{_line(checks[0], anchors[0], translate, holds)}</div>'
    words = html.escape(typeset(summary(checks, translate)))
    folded = "".join(lines(checks, anchors, translate))
    return f'<details class="checks"><summary>{MARK} {words}</summary>{folded}</details>'


def lines(checks: Sequence[Check], anchors: Sequence[str | None], translate: Translate = str) -> list[str]:
    """A line of HTML for each law, below a summary that says that all hold."""
    return [_line(check, anchor, translate) for check, anchor in zip(checks, anchors, strict=True)]


def _line(check, anchor, translate, holds=""):
    """A law as HTML; its mark is a link to it where it has an address."""
    mark, address = MARK, ""
    if anchor:
        name = translate(MESSAGES["link"])
        mark = f'<a class="check-mark" href="#{anchor}" aria-label="{name}">✓</a>'
        address = f' id="{anchor}"'
    law = html.escape(translate(check.law))
    measured = html.escape(typeset(figure(check, translate)))
    label = ""
    if check.label not in ("", check.law):
        label = f' data-label="{html.escape(check.label)}"'
    return (
        f'<p class="check" data-kind="{check.kind}"{label}{address}>{mark}{holds} '
        f'<span class="check-law">{law}</span> '
        f'<span class="check-figure">{measured}</span></p>'
    )
