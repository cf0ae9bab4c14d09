"""Run the tests of an assignment on functions. Where the functions run is not known here: they may lie in a sandbox.

Only hidden tests carry points: an assert that the student can read is satisfied by a constant.
"""

import ast
import hashlib
import math

import numpy as np

from . import kit
from .model import Mark

SEED = 2026  # of the tests, unless the instructor chooses another


def seed_of(seed, question, test):
    """Return the seed of one test: the same for every student, another one for every test."""
    digest = hashlib.sha256(f"{seed}/{question}/{test}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def tests(assignment):
    """Return (question, test) for every visible test, a source, and then for every hidden one."""
    # All visible ones first: what a function does there, the student may read, and no call of a hidden test can speak
    # through it.
    visible = [(question, source) for question in assignment.questions for source in question.visible]
    return visible + [(question, test) for question in assignment.questions for test in question.hidden]


def mark(assignment, functions, seed=SEED):
    """Run every test here, without a deadline, on {name: callable}; a missing name fails the tests that ask for it."""
    known = functions | data(assignment)
    return [run(question, test, known, seed) for question, test in tests(assignment)]


def data(assignment):
    """Return the given values by name, as they are in the assignment and not in a student's notebook."""
    space = {}
    exec(assignment.given, space)
    return {name: space[name] for name in assignment.data}


def run(question, test, functions, seed=SEED):
    """Run one test and return its `Mark`."""
    if isinstance(test, str):
        return marked(question, test, _failure(_run_visible, test, functions))
    rng = np.random.default_rng(seed_of(seed, question.name, test.function))
    return marked(question, test, _failure(_run_hidden, test, functions, rng))


def marked(question, test, why):
    """Return the mark of a test, which passed if there is no reason why not."""
    if isinstance(test, str):
        return Mark(question.name, test, False, 0, why is None, why or "")
    return Mark(question.name, test.name, True, test.points, why is None, why or "")


def _failure(run, *arguments):
    """Return None if a test holds, else why it does not, in one line."""
    try:
        with np.errstate(all="ignore"):
            run(*arguments)
    except Exception as error:  # whatever a student's values make a test do is the student's failure
        message = " ".join(str(error).split())
        return f"{getattr(error, 'kind', type(error).__name__)}: {message}"[:300].rstrip(": ")
    return None


def _tools():
    return {"__name__": "tests", "np": np, "math": math, "same": kit.same, "refuses": kit.refuses}


def _run_hidden(test, functions, rng):
    space = _tools()
    exec(compile(test.source, test.function, "exec"), space)
    arguments = {"rng": rng} | {name: _function(functions, name) for name in test.asks if name != "rng"}
    try:
        space[test.function](**{name: arguments[name] for name in test.asks})
    except AssertionError as error:
        raise AssertionError(f"{error} {_line(error, test)}".strip()) from None


def _line(error, test):
    """Return the line of a hidden test that does not hold: for the instructor."""
    trace, line = error.__traceback__, ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == test.function:
            line = test.source.splitlines()[trace.tb_lineno - 1].strip()
        trace = trace.tb_next
    return f"does not hold: {line}" if line else ""


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
    return kit.plain(functions[name])
