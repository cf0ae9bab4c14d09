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
    """The seed of one test: the same for every student, another one for every test."""
    digest = hashlib.sha256(f"{seed}/{exercise}/{test}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def mark(bundle, functions, seed=SEED):
    """Every visible test, then every hidden one: [{"exercise", "name", "hidden", "points", "earned", "remark"}, …].

    ``functions`` maps names to callables; a name that is missing fails the tests that ask for it.
    """
    marks = []
    for exercise in bundle["exercises"]:  # all of these first: what a function does here, the student may read
        for source in exercise["visible"]:
            remark = _failure(_run_visible, source, functions)
            marks.append(_mark(exercise, source, False, 0, remark))
    for exercise in bundle["exercises"]:  # and no call of these can speak through an earlier one
        for test in exercise["hidden"]:
            rng = np.random.default_rng(seed_of(seed, exercise["name"], test["function"]))
            remark = _failure(_run_hidden, test, functions, rng)
            marks.append(_mark(exercise, test["name"], True, test["points"], remark))
    return marks


def _mark(exercise, name, hidden, points, remark):
    earned = points if remark is None else 0
    passed = remark is None
    return {"exercise": exercise["name"], "name": name, "hidden": hidden, "points": points, "earned": earned,
            "passed": passed, "remark": remark or ""}  # fmt: skip


def _failure(run, *arguments):
    """None if a test holds, else why it does not, in one line."""
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
    """The points earned, in one exercise or in all."""
    return sum(m["earned"] for m in marks if exercise in (None, m["exercise"]))
