"""A verdict without its evidence, and a number that nothing shows, are named."""

import copy
from types import SimpleNamespace

import pytest
from attnbook.check.record import Check
from bookext.collect.evidence import evidence, misplaced, sorted_by_verdict, stated, unfounded, unmeasured, unresolved
from bookext.collect.ledger import Claims, deciding_checks

WRONG = {
    "verdict": "wrong",
    "claim": "softmax([3, −3]) = [0.95, 0.05].",
    "figure": "It is [0.9975, 0.0025], off by 0.05, as 1 of 5000 examples shows (see S1-071).",
    "corrected": "This ledger once said 0.93, of 40 examples. It is 0.9975.",
    "decided": {"fails": {"notes": [{"differs": "as printed"}]}, "right": {"notes": [{"equal": "a sigmoid"}]}},
}
EXECUTED = {
    ("notes", "as printed"): SimpleNamespace(
        check=Check("differs", "as printed", 0.0475, 0.04),
        code="examples, share = 5_000, 0.5",
        output="[0.99753 0.00247]",
    ),
    ("notes", "a sigmoid"): SimpleNamespace(check=Check("equal", "a sigmoid", 0.0, 1e-15), code="", output=""),
}
EXECUTED = {place: [law] for place, law in EXECUTED.items()}


def problems(claim, executed=EXECUTED):
    claims = {"S1-070": claim}
    return [*misplaced("S1-070", claim), *unfounded(claims, executed), *unmeasured(stated(claim), claims, executed)]


def test_a_verdict_with_its_evidence_has_no_problem():
    assert problems(WRONG) == []
    assert [e.side for e in evidence({"S1-070": WRONG})] == ["fails", "right"]


@pytest.mark.parametrize("verdict", ["true", "conditional", "approximate", "uncheckable"])
def test_another_verdict_needs_other_evidence(verdict):
    assert any(f"the evidence of a {verdict} claim is" in problem for problem in problems(WRONG | {"verdict": verdict}))


def fails(claim):
    return claim["decided"]["fails"]["notes"]


FAULTS = {
    "no wrong version fails": lambda c: c["decided"].update(fails={"notes": [{"equal": "as printed"}]}),
    "no law is right": lambda c: c["decided"].update(right={"notes": [{"refuses": "a sigmoid"}]}),
    "a side without checks": lambda c: c["decided"].update(right={"notes": []}),
    "another kind": lambda c: fails(c)[0].update(prints=fails(c)[0].pop("differs")),
    "no such kind": lambda c: fails(c)[0].update(shows=fails(c)[0].pop("differs")),
    "no such law": lambda c: fails(c)[0].update(differs="as read"),
    "one check twice": lambda c: fails(c).append(fails(c)[0]),
    "one check on both sides": lambda c: c["decided"]["right"]["notes"].append({"differs": "as printed"}),
    "a digit of a decimal": lambda c: c.update(figure="It is [0.9985, 0.0025]."),
    "a decimal of the code": lambda c: c.update(figure="It holds for 0.5 of 5000."),
    "a whole number": lambda c: c.update(figure="It holds for 5001 examples."),
    "a percentage": lambda c: c.update(figure="It holds for 98.75%."),
    "a power": lambda c: c.update(figure="It is 2.5e-4."),
    "a correction": lambda c: c.update(corrected="This ledger once said 0.93. It is 0.9985."),
    "a correction that does not quote": lambda c: c.update(corrected="It was 0.93."),
}


SAYS = {
    "no wrong version fails": "fails: no check is of the kind differs",
    "no law is right": "right: no check is of the kind equal",
    "a side without checks": "right: no check is of the kind equal",
    "another kind": "as 'prints' what notes checks by differs",
    "no such kind": "no check is of the kind 'shows'",
    "no such law": "a law that notes does not check: as read",
    "one check twice": "is named twice",
    "one check on both sides": "is named twice",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(fault):
    claim = copy.deepcopy(WRONG)
    FAULTS[fault](claim)
    assert SAYS.get(fault, "quotes what no check") in "; ".join(problems(claim))


def test_the_page_of_a_source_holds_a_correction_to_its_checks():
    entry = Claims.entry(None, "S1-070", WRONG | {"source": "S1", "line": "7"})
    (place,) = entry.findall(deciding_checks)
    assert place["quotes"].endswith("(see S1-071). It is 0.9975.")


@pytest.mark.parametrize("text", ["It is 99.75%.", "It is 9.975e-1.", "It is 1.0.", "Of 5 000 examples one."])
def test_a_number_may_be_written_in_another_way(text):
    assert problems(WRONG | {"figure": text}) == []


def test_an_uncheckable_claim_quotes_no_number():
    claim = {"verdict": "uncheckable", "claim": "Six of 6.", "figure": "It says 6 (S1-103).", "reason": "A wording."}
    assert not list(misplaced("S1-036", claim))
    assert list(misplaced("S1-036", claim | {"figure": "It says 17."}))


def test_who_is_right_follows_from_the_verdicts():
    verdicts = {"a": "true", "b": "wrong", "c": "conditional", "d": "approximate", "e": "uncheckable"}
    entry = {"says": [{"claim": key} for key in "abcdea"]}
    sides = sorted_by_verdict(entry, {key: {"verdict": verdict} for key, verdict in verdicts.items()})
    assert sides == {"right": ["a"], "wrong": ["b"], "in part": ["c", "d"], "open": ["e"]}


@pytest.mark.parametrize(
    ("resolution", "right"),
    [
        ("It is equivariant: f(PX) = P f(X). An encoder is equivariant.", True),
        ("It is equivariant: f(PX) = P f(X). It is invariant.", False),
        ("An encoder is equivariant.", True),
        ("It is invariant: f(PX) = f(X). It is equivariant: f(PX) = P f(X).", False),
        ("It is equivariant: f(PX) = P f(X), and f(PX) = f(X).", False),
        ("Attention is invariant.", False),
    ],
)
def test_a_resolution_says_nothing_but_what_is_right(resolution, right):
    claims = {
        "a": {
            "verdict": "wrong",
            "claim": "Attention is invariant.",
            "figure": "No.\nIt is equivariant: f(PX) = P f(X).",
        },
        "b": {"verdict": "true", "claim": "An encoder is equivariant.", "figure": "It holds."},
    }
    assert (not list(unresolved({"decided": ["a", "b"], "resolution": resolution}, claims))) == right
