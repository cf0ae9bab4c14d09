"""The claims ledger is complete, and every claim that can be checked is checked by a cell."""

import ast
import re
from collections import Counter

import pytest
import yaml

from chapters import ROOT, report

LEDGER = ROOT / "chapters" / "claims.yml"
IDS = [f"{s}-{i:03}" for s, n in {"S0": 37, "S1": 246, "S2": 46, "S3": 30, "S4": 43}.items() for i in range(1, n + 1)]
VERDICTS = ("true", "conditional", "approximate", "wrong", "uncheckable")
COUNTS = {  # how many claims of each verdict a chapter settles
    "rnn-bottleneck": (13, 28, 1, 1, 0),
    "query-key-value": (33, 18, 0, 3, 8),
    "sqrt-dk-scaling": (23, 6, 6, 4, 0),
    "softmax-convex-combination": (17, 7, 0, 8, 5),
    "permutation-matrices": (39, 8, 0, 2, 0),
    "equivariance-invariance": (29, 32, 0, 14, 6),
    "positional-encoding": (17, 19, 0, 2, 3),
    "appendix": (19, 10, 0, 6, 15),
}


@pytest.fixture(scope="module")
def ledger():
    return yaml.safe_load(LEDGER.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def claims(ledger):
    return {key: value for key, value in ledger.items() if key != "sources"}


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
        if set(claim) - {"corrected"} != wanted:
            yield f"fields {sorted(set(claim) ^ wanted)} missing, or of no use with this verdict"
        for name, value in claim.items():
            if not isinstance(value, str) or not value.strip():
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
    assert totals == dict(zip(VERDICTS, (190, 128, 7, 40, 37), strict=True))
    found = Counter((claim["chapter"], claim["verdict"]) for claim in claims.values())
    for chapter, counts in COUNTS.items():
        assert tuple(found[chapter, verdict] for verdict in VERDICTS) == counts, f"claims.yml: {chapter}"


def test_the_ledger_stays_readable():
    lines = LEDGER.read_text(encoding="utf-8").splitlines()
    report(f"claims.yml:{i}: {len(s)} characters" for i, s in enumerate(lines, 1) if len(s) > 120)


@pytest.fixture(scope="module")
def arguments(all_pages):
    """Every claim= of every check in every cell: its value, None if it is not written out, with file and line."""

    def value(node):
        try:
            ids = ast.literal_eval(node)
        except ValueError:
            return None
        ids = [ids] if isinstance(ids, str) else ids
        return ids if isinstance(ids, list | tuple) and all(isinstance(i, str) for i in ids) else None

    return [
        (value(keyword.value), where)
        for source in all_pages
        for _, call, name, where in source.calls()
        if re.fullmatch(r"(attnbook\.)?check\.\w+", name)
        for keyword in call.keywords
        if keyword.arg == "claim"
    ]


@pytest.fixture(scope="module")
def named(arguments):
    return {key for ids, _ in arguments for key in ids or ()}


def test_claims_are_written_out(arguments):
    report(
        f"{where}: claim= must be an id or a list of ids, written out so that it can be read without running the cell"
        for ids, where in arguments
        if ids is None
    )


def test_every_id_named_by_a_check_is_in_the_ledger(arguments, claims):
    report(f"{where}: no claim {key!r}" for ids, where in arguments for key in ids or () if key not in claims)


@pytest.mark.parametrize("slug", COUNTS)
def test_every_checkable_claim_is_checked(slug, named, claims):
    due = [key for key, c in claims.items() if c["chapter"] == slug and c["verdict"] != "uncheckable"]
    missing = [key for key in due if key not in named]
    assert not missing, f"{slug}: {len(missing)} of {len(due)} claims are named by no check: {' '.join(missing)}"
