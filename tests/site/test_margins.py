"""A bound far from what it bounds has a reason in chapters/margins.yml, and no reason there is left over.

A value of 1e-16 that is held against 0.1 would also pass where it is wrong by fourteen digits: of ``below`` and
``differs``, value and bound must lie within a factor ``FAR``. Where the distance is of the nature of the law, as
between a rounding error that happens to be 0 and what rounding may reach, the reason stands in the file. The values
are those of this machine, so this is a test and never ends a reader's build.
"""

import functools
import pickle
from collections import Counter

import pytest
import yaml
from attnbook.check.record import Check
from bookext.collect import checks
from built_site import ROOT, SITE, named, report

FAR = 100
ROUNDING = 1e-14  # what is smaller counts as this much: a sum of a few hundred terms in double precision
REASONS = yaml.safe_load((ROOT / "chapters" / "margins.yml").read_text("utf-8"))
GIVEN = Counter((page, law) for entry in REASONS for page, laws in entry["laws"].items() for law in laws)


@functools.cache
def built():
    """The checks that the build collected: {page: list of Check}."""
    named("index")
    environment = pickle.loads((SITE.parent / ".doctrees" / "environment.pickle").read_bytes())
    return {page: [law.check for law in laws] for page, laws in checks.laws(environment).items()}


def factor(check):
    """How many times the larger of value and bound exceeds the smaller; 1 for kinds that have no such bound."""
    if check.kind not in ("below", "differs"):
        return 1.0
    small, large = sorted(abs(float(side)) for side in (check.value, check.bound))
    return large / max(small, ROUNDING)


def far(page, found, given):
    """Yield a sentence for each check of the page whose bound is far, without a reason."""
    short = page.rpartition("/")[2]
    for check in found:
        if factor(check) > FAR and (short, check.law) not in given:
            yield (
                f"{page}: {check.law!r} holds {float(check.value):.3g} against {float(check.bound):.3g}. "
                f"Choose a bound within a factor {FAR}, or give a reason in chapters/margins.yml."
            )


@pytest.mark.parametrize(("kind", "value", "bound", "expected"), [
    ("below", 1e-3, 0.5, 500), ("below", -2.0, 0.01, 200), ("below", 0.0, 0.5, 5e13), ("below", 0.0, 1e-12, 100),
    ("below", 1.0, "inf", float("inf")),
    ("differs", 3.0, 0.5, 6), ("equal", 1e-18, 1e-9, 1), ("estimate", 0.01, 6, 1), ("refuses", "no", "ValueError", 1),
])  # fmt: skip
def test_the_factor_between_value_and_bound(kind, value, bound, expected):
    assert factor(Check(kind, "a law", value, bound)) == pytest.approx(expected)


def test_a_far_bound_needs_a_reason():
    found = [Check("below", "a law", 1e-9, 0.1), Check("differs", "near", 2.0, 0.5)]
    (sentence,) = far("chapters/deeper/one", found, {})
    assert sentence.startswith("chapters/deeper/one: 'a law' holds 1e-09 against 0.1.")
    assert not list(far("chapters/deeper/one", found, {("one", "a law"): 1}))


def test_a_bound_is_near_what_it_bounds_or_has_a_reason(source):
    report(far(source.name, built().get(source.name, []), GIVEN))


def test_a_reason_is_given_once_and_for_a_check_that_is_there():
    known = {(page.rpartition("/")[2], check.law) for page, found in built().items() for check in found}
    report(f"chapters/margins.yml: {page} has no check {law!r}" for page, law in GIVEN if (page, law) not in known)
    report(f"chapters/margins.yml names {law!r} of {page} twice" for (page, law), times in GIVEN.items() if times > 1)
