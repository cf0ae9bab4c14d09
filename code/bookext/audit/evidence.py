"""Hold the verdict of each claim to its evidence: the executed checks that claims.yml names for it.

An entry names a check by its side, page, kind and label. The sides that a verdict needs are in `SIDES`: a swapped
verdict has evidence on the wrong sides. Every number in what an entry says is right must stand in the claim, in a check
that decides it or in what its cell prints; whole numbers may also stand in the code of that cell.
"""

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from attnbook.check.render import figure

from ..language.messages import N_

KINDS = ("equal", "differs", "estimate", "below", "prints", "refuses")  # the functions of attnbook.check
SIDES = {
    "true": ("holds",),
    "conditional": ("holds", "fails"),
    "approximate": ("exact",),
    "wrong": ("fails", "right"),
    "uncheckable": (),
}
NEEDS = {  # of these kinds, at least one on the side of a wrong claim
    "fails": ("differs", "prints", "below", "refuses"),
    "right": ("equal", "prints", "estimate", "below"),
}
STANDS = {  # how a claim stands where it contradicts another
    N_("true"): N_("right"),
    N_("conditional"): N_("in part"),
    N_("approximate"): N_("in part"),
    N_("wrong"): N_("wrong"),
    N_("uncheckable"): N_("open"),
}
CANDIDATES = 8  # labels that a message about a missing one names
ONCE = "This ledger once "  # begins a sentence that quotes an earlier, wrong statement
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d+|\.\d+|\d+)(?:e[-+]?\d+)?%?")


@dataclass(frozen=True)
class Evidence:
    """A check that an entry names: what it shows about the claim, and where it is executed."""

    claim: str
    side: str
    page: str
    kind: str
    label: str


def evidence(claims):
    """Return what the entries {key: claim} name as their evidence."""
    return [
        Evidence(key, side, page, kind, label)
        for key, claim in claims.items()
        for side, pages in claim.get("decided", {}).items()
        for page, labels in pages.items()
        for entry in labels
        for kind, label in entry.items()
    ]


def misplaced(key, claim):
    """Yield where the evidence of a claim is not what its verdict needs; no build is needed."""
    verdict = claim["verdict"]
    named = evidence({key: claim})
    sides = tuple(claim.get("decided", {}))
    if sides != SIDES[verdict]:
        yield f"the evidence of a {verdict} claim is {' and '.join(SIDES[verdict]) or 'nothing'}, not {list(sides)}"
    for side in sides:
        needed = NEEDS.get(side, KINDS) if verdict == "wrong" else KINDS
        if not {e.kind for e in named if e.side == side} & set(needed):
            yield f"{side}: no check is of the kind {' or '.join(needed)}"
    for kind in sorted({e.kind for e in named} - set(KINDS)):
        yield f"no check is of the kind {kind!r}"
    if verdict == "uncheckable" and (loose := unshown(stated(claim), claim["claim"])):
        yield f"no check shows {', '.join(loose)}"
    for (page, label), times in Counter((e.page, e.label) for e in named).items():
        if times > 1:
            yield f"{label!r} of {page} is named twice"


def unfounded(claims, executed):
    """Yield (evidence, problem) for what was not executed as claims name it.

    ``executed`` is {(page, label): checks}; a check without a label stands at (page, "").
    """
    for e in evidence(claims):
        checks = executed.get((e.page, e.label), [])
        if not checks:
            yield e, f"no check of {e.page} has the label {e.label!r}; {'; '.join(_candidates(e, executed))}"
        elif kinds := {entry.check.kind for entry in checks} - {e.kind}:
            yield e, f"{e.label!r} of {e.page} is checked by {', '.join(sorted(kinds))}, not by {e.kind!r}"


def _candidates(e, executed):
    """Yield where the check that ``e`` names may have gone: to a page, or to another label of its page."""
    if elsewhere := sorted(page for page, label in executed if label == e.label):
        yield f"it stands on {', '.join(elsewhere)}"
    if any(entry.check.law == e.label for entry in executed.get((e.page, ""), [])):
        yield "a check has it for its code: name that one with label="
    there = {(page, label): checks for (page, label), checks in executed.items() if page == e.page and label}
    labels = [label for (_, label), checks in there.items() if e.kind in {entry.check.kind for entry in checks}]
    near = difflib.get_close_matches(e.label, labels, CANDIDATES, cutoff=0)
    yield f"of the kind {e.kind} it has {', '.join(map(repr, near))}" if near else f"it has none of the kind {e.kind}"


def stated(claim):
    """Return what an entry states as right: its figure, and its correction without earlier statements of the ledger."""
    corrected = sentences(claim.get("corrected", ""))
    return " ".join([claim["figure"], *(sentence for sentence in corrected if not sentence.startswith(ONCE))])


def unmeasured(text, claims, executed):
    """Yield the numbers of a text about claims that stand neither in them nor in the checks that decide them."""
    checks = [check for e in evidence(claims) for check in executed.get((e.page, e.label), [])]
    shown = [part for entry in checks for part in (entry.check.law, figure(entry.check), entry.output)]
    shown += [claim["claim"] for claim in claims.values()]
    if loose := unshown(text, " ".join(shown), " ".join(entry.code for entry in checks)):
        yield f"quotes what no check that decides it shows, nor its cell: {', '.join(loose)}"


def unshown(text, shown, code=""):
    """Return the numbers in ``text`` that none in ``shown`` rounds to; ``code`` may show whole numbers."""
    measured = [value(word) for word in written(shown)]
    typed = [value(word) for word in written(code)]
    loose = []
    for word in dict.fromkeys(written(text)):
        values = measured + typed if word.isdecimal() else measured
        if not any(rounds(x, word) for x in values):
            loose.append(word)
    return loose


def written(text):
    """Return the numbers in a text as they are written; the names of claims hold none."""
    text = re.sub(r"S\d-\d+", "", text).replace("−", "-")
    return NUMBER.findall(re.sub(r"(?<=\d)[ _\u202f](?=\d{3}\b)", "", text))


def value(word):
    """Return the value of a written number; 99.7% is 0.997."""
    return Decimal(word.rstrip("%")).scaleb(-2 if word.endswith("%") else 0)


def rounds(x, word):
    """Test whether a value, rounded to the digits of a written number, equals it."""
    return abs(x - value(word)) <= Decimal(5).scaleb(value(word).as_tuple().exponent - 1)


def sorted_by_verdict(entry, claims):
    """Return the claims of a contradiction by their verdicts: {right, in part, wrong or open: keys of claims}."""
    sides = {}
    for key in dict.fromkeys(statement["claim"] for statement in entry["says"]):
        sides.setdefault(STANDS[claims[key]["verdict"]], []).append(key)
    return sides


def unresolved(entry, claims):
    """Yield the sentences of a resolution that no deciding claim supports, as its right form or as a true claim."""
    deciding = [claims[key] for key in entry["decided"]]
    right = [claim["figure"] for claim in deciding] + [c["claim"] for c in deciding if c["verdict"] == "true"]
    supported = {sentence for text in right for sentence in sentences(text)}
    for sentence in sentences(entry["resolution"]):
        if sentence not in supported:
            yield f"no right statement of {', '.join(entry['decided'])} says: {sentence}"


def sentences(text):
    """Return the sentences of a text."""
    return re.split(r"(?<=[.?])\s+", " ".join(text.split()))
