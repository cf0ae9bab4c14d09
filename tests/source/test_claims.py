"""The claims ledger is complete, and the evidence of every claim is what its verdict needs."""

import re
from collections import Counter

import pytest
import yaml
from bookext.collect.evidence import ONCE, evidence, misplaced, sentences, sorted_by_verdict, unresolved

from chapters import ROOT, report

LEDGER = ROOT / "chapters" / "audit" / "claims.yml"
CONTRADICTIONS = LEDGER.with_name("contradictions.yml")
IDS = [f"{s}-{i:03}" for s, n in {"S0": 37, "S1": 246, "S2": 46, "S3": 30, "S4": 43}.items() for i in range(1, n + 1)]
LAW = re.compile(r'        - [a-z]+: "')  # one line each, however long
THE_FORMULA = {"S0-005", "S3-007"}  # softmax(QKᵀ/√d_k) V, decided by the one check of it
# Words for a size that no bound shows: a right statement says the bound.
VAGUE = re.compile(
    r"near chance|by a wide margin|hardly at all|decoded well|does well|few or none|nearly all|mostly falls"
)
VERDICTS = ("true", "conditional", "approximate", "wrong", "uncheckable")
COUNTS = {  # how many claims of each verdict a chapter settles
    "rnn-bottleneck": (13, 28, 1, 1, 0),
    "query-key-value": (30, 21, 0, 3, 8),
    "sqrt-dk-scaling": (23, 6, 6, 4, 0),
    "softmax-convex-combination": (17, 7, 0, 8, 5),
    "permutation-matrices": (39, 8, 0, 2, 0),
    "equivariance-invariance": (29, 33, 0, 13, 6),
    "positional-encoding": (15, 21, 0, 2, 3),
    "beside": (18, 12, 0, 5, 15),
}


@pytest.fixture(scope="module")
def ledger():
    return yaml.safe_load(LEDGER.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def claims(ledger):
    return {key: value for key, value in ledger.items() if key != "sources"}


@pytest.fixture(scope="module")
def contradictions():
    return yaml.safe_load(CONTRADICTIONS.read_text(encoding="utf-8"))


def test_the_ids_are_complete_unique_and_in_order(claims):
    keys = re.findall(r"^(S\d-\d+):", LEDGER.read_text(encoding="utf-8"), flags=re.M)
    assert not (twice := [k for k, n in Counter(keys).items() if n > 1]), f"claims.yml: written twice: {twice}"
    assert not (gone := set(IDS) - set(claims)), f"claims.yml: missing: {sorted(gone)}"
    assert not (new := set(claims) - set(IDS)), f"claims.yml: unknown: {sorted(new)}"
    assert list(claims) == IDS, "claims.yml: not in the order of the ids"


def test_the_sources_are_described(ledger):
    sources = ledger["sources"]
    assert list(sources) == ["S0", "S1", "S2", "S3", "S4"]
    report(
        f"claims.yml: source {key} has no {name}"
        for key, source in sources.items()
        for name in ("title", "language", "kind")
        if not source.get(name)
    )


def test_every_entry_has_its_fields(claims):
    def problems(key, claim):
        wanted = {"source", "line", "chapter", "verdict", "claim", "figure"}
        wanted |= {"reason"} if claim.get("verdict") == "uncheckable" else set()
        if set(claim) - {"corrected", "decided"} != wanted:
            yield f"fields {sorted(set(claim) ^ wanted)} missing, or of no use with this verdict"
        for name, value in claim.items():
            if name != "decided" and (not isinstance(value, str) or not value.strip()):
                yield f"{name} is {value!r}; expected text" + ' (quote it: "true")' * isinstance(value, bool)
        if claim.get("source") != key[:2]:
            yield f"source is {claim.get('source')}"
        if not re.fullmatch(r"\d+(-\d+)?", str(claim.get("line"))):
            yield f"line is {claim.get('line')!r}; expected a line or first-last"
        if claim.get("chapter") not in COUNTS:
            yield f"no chapter {claim.get('chapter')!r}"
        if claim.get("verdict") not in VERDICTS:
            yield f"no verdict {claim.get('verdict')!r}"
        for other in re.findall(r"S\d-\d+", f"{claim.get('claim')} {claim.get('figure')} {claim.get('reason')}"):
            if other not in claims or other == key:
                yield f"refers to {other}"

    report(f"claims.yml, {key}: {p}" for key, claim in claims.items() for p in problems(key, claim))


def test_the_counts_have_not_changed(claims):
    totals = Counter(claim["verdict"] for claim in claims.values())
    assert totals == dict(zip(VERDICTS, (184, 136, 7, 38, 37), strict=True))
    found = Counter((claim["chapter"], claim["verdict"]) for claim in claims.values())
    for chapter, counts in COUNTS.items():
        assert tuple(found[chapter, verdict] for verdict in VERDICTS) == counts, f"claims.yml: {chapter}"


def test_the_ledger_stays_readable():
    lines = LEDGER.read_text(encoding="utf-8").splitlines()
    long = [(i, len(s)) for i, s in enumerate(lines, 1) if len(s) > 120 and not LAW.match(s)]
    report(f"claims.yml:{i}: {length} characters" for i, length in long)


def test_every_claim_has_the_evidence_that_its_verdict_needs(claims):
    """Whether each check is executed, and of its kind, is seen when the pages are built; another ends the build."""
    assert len(evidence(claims)) > 900
    report(f"claims.yml, {key}: {problem}" for key, claim in claims.items() for problem in misplaced(key, claim))


def test_no_claim_could_have_another_verdict_with_its_evidence(claims):
    report(
        f"claims.yml, {key}: {other} passes as well as {claim['verdict']}"
        for key, claim in claims.items()
        for other in set(VERDICTS) - {claim["verdict"]}
        if not list(misplaced(key, claim | {"verdict": other}))
    )


def test_hardly_a_claim_is_decided_by_laws_of_many_claims_alone(claims):
    """A law that decides five claims or more is seldom just what one of them says."""
    times = Counter((e.page, e.law) for e in evidence(claims))
    found = {key: [(e.page, e.law) for e in evidence({key: claim})] for key, claim in claims.items()}
    report(
        f"claims.yml, {key}: each of its laws decides five claims or more: {laws}"
        for key, laws in found.items()
        if laws and min(times[law] for law in laws) >= 5 and key not in THE_FORMULA
    )


def test_a_right_statement_says_the_bound_that_its_check_shows(claims):
    found = {key: VAGUE.findall(" ".join(claim["figure"].split())) for key, claim in claims.items()}
    report(f"claims.yml, {key}: says {words}, which no check can show" for key, words in found.items() if words)


def test_a_correction_begins_with_what_this_ledger_once_said(claims):
    corrected = {key: sentences(claim["corrected"]) for key, claim in claims.items() if "corrected" in claim}
    assert len(corrected) > 10
    report(
        f"claims.yml, {key}: corrected begins with {first!r}, not with {ONCE!r}, or quotes twice"
        for key, (first, *rest) in corrected.items()
        if not first.startswith(ONCE) or any(said.startswith(ONCE) for said in rest)
    )


def test_who_is_right_in_a_contradiction_is_what_the_verdicts_say(claims, contradictions):
    for entry in contradictions:
        due = sorted_by_verdict(entry, claims)
        assert entry["sides"] == due, f"contradictions.yml, {entry['id']}: the verdicts say {due}"


def test_every_sentence_of_a_resolution_is_a_right_statement_of_a_claim_that_decides(claims, contradictions):
    """So an inverted one is seen here, unless the ledger is inverted with it."""
    report(f"contradictions.yml, {e['id']}: {problem}" for e in contradictions for problem in unresolved(e, claims))


def test_any_inverted_sentence_of_a_resolution_is_named(claims, contradictions):
    inverted = [(e, said) for e in contradictions for said in sentences(e["resolution"])]
    assert len(inverted) > 40
    for entry, said in inverted:
        text = " ".join(entry["resolution"].split()).replace(said, f"It is false that {said}")
        (problem,) = unresolved(entry | {"resolution": text}, claims)
        assert problem.endswith(f"It is false that {said}"), entry["id"]


def test_no_cell_names_a_claim(all_pages):
    report(
        f"{where}: claim= stands in chapters/audit/claims.yml"
        for source in all_pages
        for _, call, _, where in source.calls()
        if "claim" in {keyword.arg for keyword in call.keywords}
    )
