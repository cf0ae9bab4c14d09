"""A bound far from what it bounds ends the build, unless chapters/margins.yml gives a reason that is still needed."""

from types import SimpleNamespace

import pytest
from attnbook.check_record import Check
from bookext.collect.margins import factor, problems


def law(kind, value, bound, words="a law"):
    return SimpleNamespace(check=Check(kind, words, value, bound))


@pytest.mark.parametrize(("kind", "value", "bound", "expected"), [
    ("below", 1e-3, 0.5, 500), ("below", -2.0, 0.01, 200), ("below", 0.0, 0.5, 5e13), ("below", 0.0, 1e-12, 100),
    ("below", 1.0, "inf", float("inf")),
    ("differs", 3.0, 0.5, 6), ("equal", 1e-18, 1e-9, 1), ("estimate", 0.01, 6, 1), ("refuses", "no", "ValueError", 1),
])  # fmt: skip
def test_the_factor_between_value_and_bound(kind, value, bound, expected):
    assert factor(Check(kind, "a law", value, bound)) == pytest.approx(expected)


def test_a_far_bound_needs_a_reason_and_a_reason_a_far_bound():
    pages = {"chapters/deeper/one": [law("below", 1e-9, 0.1), law("differs", 2.0, 0.5, "near")], "chapters/two": []}
    given = [{"reason": "It is random.", "laws": {"one": ["a law"]}}]
    assert not list(problems(pages, given))
    (refused,) = problems(pages, [])
    assert refused.startswith("one: 'a law' holds 1e-09 against 0.1.")
    (unneeded,) = problems(pages, [*given, {"reason": "Once there.", "laws": {"one": ["gone"]}}])
    assert "one has no check 'gone'" in unneeded
    (twice,) = problems(pages, given * 2)
    assert "twice" in twice
