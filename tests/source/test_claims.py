"""The claims ledger: every claim has a verdict, and the evidence that the verdict needs.

That each check was executed and is of the kind that is named is seen when the pages are built.
"""

import copy
import re
from collections import Counter
from types import SimpleNamespace

import pytest
import yaml
from attnbook.check.record import Check
from bookext.audit.evidence import (
    SIDES,
    evidence,
    misplaced,
    sorted_by_verdict,
    stated,
    unfounded,
    unmeasured,
    unresolved,
)
from bookext.audit.ledger import line_of

from chapters import ROOT, report

LEDGER = ROOT / "chapters" / "audit" / "claims.yml"
QUICK = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
FIELDS = ("source", "line", "chapter", "verdict", "claim", "figure")


@pytest.fixture(scope="module")
def claims():
    claims = yaml.load(LEDGER.read_text("utf-8"), Loader=QUICK)
    return {key: claim for key, claim in claims.items() if key != "sources"}


@pytest.fixture(scope="module")
def contradictions():
    return yaml.safe_load(LEDGER.with_name("contradictions.yml").read_text("utf-8"))


def test_no_claim_hides_another():
    """YAML keeps the last of two entries of one name."""
    times = Counter(re.findall(r"^(\w[\w-]*):", LEDGER.read_text("utf-8"), flags=re.M))
    report(f"claims.yml: {key} stands {number} times" for key, number in times.items() if number > 1)


def test_every_claim_has_a_verdict_and_its_evidence(claims):
    for key, claim in claims.items():
        fields = [*FIELDS, *(["reason"] if claim.get("verdict") == "uncheckable" else [])]
        missing = [name for name in fields if not isinstance(claim.get(name), str) or not claim[name].strip()]
        assert not missing, f"claims.yml, {key}: no text for {', '.join(missing)}"
        assert claim["verdict"] in SIDES, f"claims.yml, {key}: no verdict {claim['verdict']!r}"
    report(f"claims.yml, {key}: {problem}" for key, claim in claims.items() for problem in misplaced(key, claim))


def test_every_claim_that_an_entry_refers_to_is_there(claims):
    report(
        f"claims.yml, {key}: refers to {other}"
        for key, claim in claims.items()
        for other in re.findall(r"S\d-\d+", f"{claim['claim']} {claim['figure']} {claim.get('reason')}")
        if other not in claims
    )


def test_a_contradiction_is_decided_by_the_verdicts(claims, contradictions):
    """Each sentence of a resolution is a right statement of a claim that decides."""
    for entry in contradictions:
        due = sorted_by_verdict(entry, claims)
        assert entry["sides"] == due, f"contradictions.yml, {entry['id']}: the verdicts say {due}"
    report(f"contradictions.yml, {e['id']}: {problem}" for e in contradictions for problem in unresolved(e, claims))


WRONG = {
    "verdict": "wrong",
    "claim": "softmax([3, −3]) = [0.95, 0.05].",
    "figure": "It is [0.9975, 0.0025], off by 0.05, as 1 of 5000 examples shows (see S1-071).",
    "corrected": "This ledger once said 0.93, of 40 examples. It is 0.9975.",
    "decided": {"fails": {"notes": [{"differs": "as printed"}]}, "right": {"notes": [{"equal": "a sigmoid"}]}},
}
PRINTED = (
    Check("differs", "a = b", 0.0475, 0.04, label="as printed"),
    "examples, share = 5_000, 0.5",
    "[0.99753 0.00247]",
)
SIGMOID = Check("equal", "a sigmoid", 0.0, 1e-15, label="a sigmoid"), "", ""
EXECUTED = {
    ("notes", check.label): [SimpleNamespace(check=check, code=code, output=output)]
    for check, code, output in (PRINTED, SIGMOID)
}


def problems(claim):
    claims = {"S1-070": claim}
    missing = [problem for _, problem in unfounded(claims, EXECUTED)]
    return [*misplaced("S1-070", claim), *missing, *unmeasured(stated(claim), claims, EXECUTED)]


def evidence_of(claim, side="fails"):
    return claim["decided"][side]["notes"]


NOT_SHOWN = "quotes what no check"
FAULTS = {  # what is done to the entry, and what the problem names
    "another verdict": (lambda c: c.update(verdict="true"), "the evidence of a true claim"),
    "no wrong version fails": (lambda c: c["decided"].update(fails={"notes": [{"equal": "as printed"}]}), "fails:"),
    "a side without checks": (lambda c: c["decided"].update(right={"notes": []}), "right:"),
    "another kind": (lambda c: evidence_of(c)[0].update(prints=evidence_of(c)[0].pop("differs")), "'prints'"),
    "no such kind": (lambda c: evidence_of(c)[0].update(shows="as printed"), "'shows'"),
    "no such label": (lambda c: evidence_of(c)[0].update(differs="as read"), "as read"),
    "one check twice": (lambda c: evidence_of(c).append(evidence_of(c)[0]), "twice"),
    "one check on both sides": (lambda c: evidence_of(c, "right").append({"differs": "as printed"}), "twice"),
    "a digit of a decimal": (lambda c: c.update(figure="It is [0.9985, 0.0025]."), NOT_SHOWN),
    "a decimal of the code": (lambda c: c.update(figure="It holds for 0.5 of 5000."), NOT_SHOWN),
    "a whole number": (lambda c: c.update(figure="It holds for 5001 examples."), NOT_SHOWN),
    "a percentage": (lambda c: c.update(figure="It holds for 98.75%."), NOT_SHOWN),
    "a power": (lambda c: c.update(figure="It is 2.5e-4."), NOT_SHOWN),
    "a correction": (lambda c: c.update(corrected="This ledger once said 0.93. It is 0.9985."), NOT_SHOWN),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_verdict_without_its_evidence_is_refused(fault):
    change, name = FAULTS[fault]
    claim = copy.deepcopy(WRONG)
    change(claim)
    assert name in "; ".join(problems(claim))


GONE = {  # what has become of a check that a claim names, and what the message says of it
    "another label": (("notes", "as it was printed"), "'as it was printed'"),
    "another page": (("chapter", "as printed"), "it stands on chapter"),
    "no label": (("notes", ""), "label="),
}


@pytest.mark.parametrize("change", GONE)
def test_a_message_about_a_missing_label_says_where_the_check_has_gone(change):
    (page, label), told = GONE[change]
    check = Check("differs", "as printed", 0.0475, 0.04, label=label)
    moved = {("notes", "a sigmoid"): EXECUTED["notes", "a sigmoid"], (page, label): [SimpleNamespace(check=check)]}
    ((e, problem),) = unfounded({"S1-070": WRONG}, moved)
    assert (e.claim, e.label) == ("S1-070", "as printed")
    assert told in problem


def test_a_message_about_a_label_names_its_line():
    """In every form of YAML that a claim may have."""
    lines = LEDGER.read_text("utf-8").splitlines()
    claims = {key: claim for key, claim in yaml.load("\n".join(lines), Loader=QUICK).items() if key != "sources"}
    app = SimpleNamespace(srcdir=str(ROOT))
    for e in [*evidence(claims)][::200]:
        file, _, number = line_of(app, e).rpartition(":")
        assert file == "chapters/audit/claims.yml"
        assert yaml.safe_load(lines[int(number) - 1].strip().removeprefix("- ")) == {e.kind: e.label}


@pytest.mark.parametrize("text", [WRONG["figure"], "It is 99.75%.", "It is 9.975e-1.", "It is 1.0.", "Of 5 000 one."])
def test_a_verdict_with_its_evidence_stands(text):
    assert problems(WRONG | {"figure": text}) == []


def test_an_uncheckable_claim_quotes_no_number_of_its_own():
    claim = {"verdict": "uncheckable", "claim": "Six of 6.", "figure": "It says 6 (S1-103).", "reason": "A wording."}
    assert not list(misplaced("S1-036", claim))
    assert list(misplaced("S1-036", claim | {"figure": "It says 17."}))


@pytest.mark.parametrize(
    ("resolution", "right"),
    [
        ("It is equivariant: f(PX) = P f(X). An encoder is equivariant.", True),
        ("It is equivariant: f(PX) = P f(X). It is invariant.", False),
        ("It is equivariant: f(PX) = P f(X), and f(PX) = f(X).", False),
        ("Attention is invariant.", False),
    ],
)
def test_a_resolution_says_nothing_but_what_is_right(resolution, right):
    figure = "No.\nIt is equivariant: f(PX) = P f(X)."
    claims = {
        "a": {"verdict": "wrong", "claim": "Attention is invariant.", "figure": figure},
        "b": {"verdict": "true", "claim": "An encoder is equivariant.", "figure": "It holds."},
    }
    assert (not list(unresolved({"decided": ["a", "b"], "resolution": resolution}, claims))) == right
