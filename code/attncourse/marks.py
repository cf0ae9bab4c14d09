"""Run the tests of a bundle on functions. Where the functions run is not known here: they may lie in a sandbox.

Only hidden tests carry points: an assert that the student can read is satisfied by a constant.
"""

import ast
import hashlib
import math

import numpy as np

from . import kit

SEED = 2026  # of the tests, unless the instructor chooses another


def seed_of(seed, exercise, test):
    """Return the seed of one test: the same for every student, another one for every test."""
    digest = hashlib.sha256(f"{seed}/{exercise}/{test}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def mark(bundle, functions, seed=SEED):
    """Run every test here: [{"exercise", "name", "hidden", "points", "earned", "passed", "remark"}, …].

    ``functions`` maps names to callables; a name that is missing fails the tests that ask for it. There is no deadline:
    for functions of a student see `grade`.
    """
    return [run(test, functions, seed) for test in tests(bundle)]


def tests(bundle):
    """List every visible test, then every hidden one: {"exercise", "name", "points", and "source" or "test"}."""
    found = []
    for exercise in bundle["exercises"]:  # all of these first: what a function does here, the student may read
        for source in exercise["visible"]:
            found.append({"exercise": exercise["name"], "name": source, "points": 0, "source": source})
    for exercise in bundle["exercises"]:  # and no call of these can speak through an earlier one
        for test in exercise["hidden"]:
            found.append({"exercise": exercise["name"], "name": test["name"], "points": test["points"], "test": test})
    return found


def run(test, functions, seed=SEED):
    """Run one of `tests` and return its mark."""
    if "source" in test:
        return marked(test, _failure(_run_visible, test["source"], functions))
    rng = np.random.default_rng(seed_of(seed, test["exercise"], test["test"]["function"]))
    return marked(test, _failure(_run_hidden, test["test"], functions, rng))


def marked(test, remark):
    """Return the mark of one of `tests`, which passed if there is no remark."""
    passed = remark is None
    earned = test["points"] if passed else 0
    return {"exercise": test["exercise"], "name": test["name"], "hidden": "test" in test, "points": test["points"],
            "earned": earned, "passed": passed, "remark": remark or ""}  # fmt: skip


def _failure(run, *arguments):
    """Return None if a test holds, else why it does not, in one line."""
    try:
        with np.errstate(all="ignore"):
            run(*arguments)
    except Exception as error:  # whatever a student's values make a test do is the student's failure
        words = " ".join(str(error).split())
        return f"{getattr(error, 'kind', type(error).__name__)}: {words}"[:300].rstrip(": ")
    return None


def _tools():
    return {"__name__": "tests", "np": np, "math": math, "same": kit.same, "refuses": kit.refuses}


def _run_hidden(test, functions, rng):
    space = _tools()
    exec(compile(test["source"], test["function"], "exec"), space)
    given = {"rng": rng} | {name: _function(functions, name) for name in test["asks"] if name != "rng"}
    space[test["function"]](**{name: given[name] for name in test["asks"]})


def _run_visible(source, functions):
    space = _tools() | dict(functions)
    for statement in ast.parse(source).body:
        try:
            exec(compile(ast.Module([statement], []), "visible test", "exec"), space)
        except AssertionError as error:
            raise AssertionError(f"{error} does not hold: {ast.unparse(statement)}".strip()) from None


def _function(functions, name):
    if name not in functions:
        raise LookupError(f"there is no function {name}")
    return functions[name]


def earned(marks, exercise=None):
    """Return the points earned, in one exercise or in all."""
    return sum(m["earned"] for m in marks if exercise in (None, m["exercise"]))
