"""No SEED fails a right answer: every hidden test accepts the reference solution, in `make test-all` for 200 seeds."""

import pytest
from attncourse import author, marks
from coursework import CHAPTERS


def only(bundle, exercise, test):
    """The bundle with one hidden test."""
    return bundle | {"exercises": [exercise | {"visible": [], "hidden": [test]}]}


@pytest.mark.parametrize("seeds", [20, pytest.param(200, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_hidden_test_accepts_the_solution_for_every_seed(chapter, seeds, bundles):
    bundle, failed = bundles[chapter], []
    functions = author.reference(bundle)
    for exercise in bundle["exercises"]:
        for test in exercise["hidden"]:
            one = only(bundle, exercise, test)
            for seed in range(seeds if "rng." in test["source"] else 1):  # a test that draws nothing knows no seed
                failed += [(m["name"], seed, m["remark"]) for m in marks.mark(one, functions, seed) if not m["passed"]]
    assert failed == []
