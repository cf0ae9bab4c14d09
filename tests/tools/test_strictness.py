"""A check that became weaker is named; one that became stricter, or measured another number, is not."""

import pytest
from strictness import strictness, weaker

LAWS = {
    "sum": ["equal", 5, 0.0, 1e-15],
    "exact": ["equal", 1, 0.0, 0.0],
    "gap": ["differs", 1, 2.0, 0.5],
    "near": ["below", 3, 0.9, 1.0],
    "far": ["below", 1, 1e-9, 0.5],
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
    "a smaller difference": ("gap", ["differs", 1, 2.0, 0.1]),
    "a wider bound": ("near", ["below", 3, 0.9, 2.0]),
    "another value": ("near", ["below", 3, 0.1, 1.0]),
    "no bound": ("far", ["below", 1, 1e-9, "inf"]),
    "fewer digits": ("digits", ["prints", 1, "0.1234", "0.1"]),
    "a rival that is far away": ("share", ["estimate", 1, 2.5, 60.0]),
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
    "another sample": ("share", ["estimate", 1, 0.1, 25.0]),
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
    checks = [{"law": "law", "kind": kind, "times": 2, "value": v, "bound": b} for v, b in (first, second)]
    assert strictness(checks) == strictness(checks[::-1]) == {"law": [kind, 4, *kept]}
