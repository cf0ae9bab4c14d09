"""A check that became weaker is named; one that became stricter, or measured another number, is not."""

import pytest
from strictness import SIDES, strictness, typed, weaker

LAWS = {
    "sum": ["equal", 5, 0.0, 1e-15],
    "exact": ["equal", 1, 0.0, 0.0],
    "gap": ["differs", 1, 2.0, 0.5],
    "near": ["below", 3, 0.9, 1.0],
    "far": ["below", 1, 1e-9, 0.5],
    "least": ["below", 1, 0.9, 1.0, SIDES[0]],
    "most": ["below", 1, 0.01, 0.1, SIDES[1]],
    "apart": ["below", 1, 0.3, 0.9, "", 0.2],
    "digits": ["prints", 1, "0.1234", "0.12"],
    "refused": ["refuses", 1, "no", "ValueError"],
    "share": ["estimate", 1, 2.5, 20.0],
    "lonely": ["estimate", 1, 2.5, 0.0],
}
WEAKER = {
    "fewer": ("sum", ["equal", 4, 0.0, 1e-15]),
    "another kind": ("sum", ["below", 5, 0.0, 1e-15]),
    "a wider tolerance": ("sum", ["equal", 5, 0.0, 1e-14]),
    "no longer exact": ("exact", ["equal", 1, 0.0, 1e-12]),
    "a smaller difference": ("gap", ["differs", 1, 2.0, 0.49]),
    "a smaller typed number": ("least", ["below", 1, 0.65, 1.0]),
    "a larger typed number": ("most", ["below", 1, 0.01, 0.11]),
    "a typed number is gone": ("least", ["below", 1, 0.5, 0.9]),
    "a typed number stays": ("least", ["below", 1, 0.9, 9.0]),
    "a wider bound": ("near", ["below", 3, 0.9, 2.0]),
    "another value": ("near", ["below", 3, 0.1, 1.0]),
    "no bound": ("far", ["below", 1, 1e-9, "inf"]),
    "a smaller margin": ("apart", ["below", 1, 0.3, 0.9, "", 0.1]),
    "no margin": ("apart", ["below", 1, 0.3, 0.9]),
    "a typed side, no margin": ("apart", ["below", 1, 0.3, 0.9, SIDES[1]]),
    "fewer digits": ("digits", ["prints", 1, "0.1234", "0.1"]),
    "a rival that is far away": ("share", ["estimate", 1, 2.5, 60.0]),
    "a rival that is farther away": ("share", ["estimate", 1, 2.5, 23.0]),
    "no rival": ("share", ["estimate", 1, 2.5, 0.0]),
    "another refusal": ("refused", ["refuses", 1, "no", "TypeError"]),
}
AS_STRICT = {
    "more": ("sum", ["equal", 6, 0.0, 1e-15]),
    "another machine": ("sum", ["equal", 5, 1e-16, 1.2e-15]),
    "a larger difference": ("gap", ["differs", 1, 3.0, 0.6]),
    "another training": ("near", ["below", 3, 0.8, 1.05]),
    "nearer": ("near", ["below", 3, 0.99, 1.0]),
    "another rounding": ("far", ["below", 1, 1e-12, 0.5]),
    "another accuracy": ("least", ["below", 1, 0.9, 0.98]),
    "a typed number that is nearer": ("least", ["below", 1, 0.95, 1.0]),
    "another error": ("most", ["below", 1, 0.02, 0.1]),
    "a larger margin": ("apart", ["below", 1, 0.3, 0.9, "", 0.5]),
    "a first margin": ("near", ["below", 3, 0.9, 1.0, "", 0.05]),
    "another sample": ("share", ["estimate", 1, 0.1, 21.0]),
    "a nearer rival": ("share", ["estimate", 1, 2.5, 7.0]),
    "a first rival": ("lonely", ["estimate", 1, 2.5, 7.0]),
}


@pytest.mark.parametrize("change", WEAKER)
def test_a_weaker_check_is_named(change):
    law, now = WEAKER[change]
    (sentence,) = weaker("a page", LAWS, LAWS | {law: now})
    assert sentence.startswith(f"a page: {law!r} ")


def test_a_law_that_is_gone_is_named():
    assert list(weaker("a page", LAWS, {})) == [f"a page: {law!r} is no longer checked" for law in LAWS]


@pytest.mark.parametrize("change", AS_STRICT)
def test_a_check_as_strict_as_before_is_not(change):
    law, now = AS_STRICT[change]
    assert not list(weaker("a page", LAWS, LAWS | {law: now, "new": ["equal", 1, 0.0, 0.0]}))


CELLS = """
check.below(0.9, accuracy, "at least")
check.below(abs(x - y), 1 / 3, law="at most")
check.below(-1e-12, gap.min())
check.below(error, 2 * other, "both were computed")
for name, accuracy in found:
    check.below(0.8, accuracy, f"{name}: more than 0.8")
    check.below(accuracy, 0.9, law)
check.below(x, y, "apart", by=0.2)
check.below(0.5, y, "at least, and apart", by=0.3)
check.below(x, 0.1, "once this, once that")
check.below(x, 0.2, "once this, once that")
check.below(x, y, "here by more", by=0.4)
check.below(x, z, "here by more", by=0.1)
check.below(x, y, "here apart", by=0.4)
check.below(x, z, "here apart")
check.below(x, [0.1, 0.2], "a list")
check.equal(x, 0.1, "another kind")
"""


def test_what_is_typed_is_found():
    left, right = SIDES
    said = {
        "at least": [left],
        "at most": [right],
        "-1e-12 < gap.min()": [left],
        "T5: more than 0.8": [left],
        "apart": ["", 0.2],
        "at least, and apart": [left, 0.3],
        "here by more": ["", 0.1],
    }
    silent = ["both were computed", "once this, once that", "a list", "another kind", "a name says this", "here apart"]
    laws = {law: ["equal" if law == "another kind" else "below", 1, 0.0, 1.0] for law in [*said, *silent]}
    assert typed(laws, [CELLS]) == said
    checks = [
        {"law": law, "kind": "below", "times": 1, "value": 0.0, "bound": 1.0} for law in ("at most", "apart", "x")
    ]
    assert [row[4:] for row in strictness(checks, [CELLS]).values()] == [[right], ["", 0.2], []]


@pytest.mark.parametrize(
    ("kind", "first", "second", "kept"),
    [
        ("below", (0.9, 1.0), (0.1, 1.0), [0.1, 1.0]),
        ("differs", (2.0, 0.5), (9.0, 0.1), [9.0, 0.1]),
        ("equal", (0.0, 1e-15), (0.0, 1e-12), [0.0, 1e-12]),
        ("below", (0.9, 1.0), (0.1, "inf"), [0.1, "inf"]),
    ],
)
def test_of_several_checks_of_a_law_the_widest_margin_counts(kind, first, second, kept):
    checks = [{"law": "law", "kind": kind, "times": 2, "value": v, "bound": b, "widest": b} for v, b in (first, second)]
    assert strictness(checks) == strictness(checks[::-1]) == {"law": [kind, 4, *kept]}
