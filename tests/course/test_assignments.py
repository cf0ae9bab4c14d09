"""Every assignment is sound: right answers earn everything for every seed, and wrong ones, stubs and tricks do not."""

import json
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from attncourse import author, kit, marks, notebooks
from attncourse.shares import bounded_memory
from coursework import CHAPTERS, ROOT, earned

STUBS = {
    "0": lambda *values, **named: 0,
    "1": lambda *values, **named: 1,
    "True": lambda *values, **named: True,
    "None": lambda *values, **named: None,
    "the input": lambda *values, **named: [*values, *named.values()][0],
    "an error": lambda *values, **named: (_ for _ in ()).throw(ValueError),
    "NotImplementedError": lambda *values, **named: (_ for _ in ()).throw(NotImplementedError),
}
HOSTILE = [
    *[np.nan, -1, 10**400, 1e308, 2**62, "x" * 10**6, b"", [], {}, (), [[[]]], [[1], [2, 3]], {"a": 1}, (1, 2)],
    *[np.zeros((0, 10**9)), np.zeros(10**6), np.zeros((300, 300)), np.full((2, 2), np.inf), np.arange(10**5)],
    *[[1] * 10**5, (np.zeros((10**5, 1)), np.zeros((10**5, 1))), np.zeros((1,) * 16), np.ones(3) * 1j],
]


def zeros(value):
    if isinstance(value, list | tuple):
        return type(value)(zeros(item) for item in value)
    if isinstance(value, dict):
        return {key: zeros(item) for key, item in value.items()}
    return np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)() if value is not None else None


@pytest.fixture(params=CHAPTERS)
def assignment(request, assignments):
    return assignments[request.param]


def alone(assignment, question, **parts):
    """The assignment with one question, in which these parts are others."""
    return replace(assignment, questions=[replace(question, **parts)])


@pytest.mark.parametrize("seeds", [8, pytest.param(200, marks=pytest.mark.thorough)])
def test_every_test_accepts_the_solution_for_every_seed(assignment, seeds):
    functions, failed = author.reference(assignment), []
    for question in assignment.questions:
        failed += [m for m in marks.mark(alone(assignment, question, hidden=[]), functions) if not m.passed]
        for test in question.hidden:
            one = alone(assignment, question, visible=[], hidden=[test])
            for seed in range(seeds if "rng." in test.source else 1):  # a test that draws nothing knows no seed
                failed += [(seed, m) for m in marks.mark(one, functions, seed) if not m.passed]
    assert failed == []


def test_stubs_earn_nothing(assignment):
    right = author.reference(assignment)
    for question in assignment.questions:
        stubs = {kind: dict.fromkeys(question.functions, stub) for kind, stub in STUBS.items()}
        stubs["zeros of the right shape"] = {
            name: lambda *values, name=name, **named: zeros(right[name](*values, **named))
            for name in question.functions
        }
        for kind, functions in stubs.items():
            passed = [m.test for m in marks.mark(alone(assignment, question), functions) if m.earned]
            assert not passed, f"{assignment.chapter}: {question.name}: a stub returning {kind} passes {passed}"


def test_hostile_values_earn_nothing_and_take_no_time(assignment):
    """Hidden tests run in the trusted process: no value that a student returns may make them work long.

    A test may read the largest value some times, item by item, and not once for each of its items.
    """
    start = time.process_time()
    sorted(map(list, "x" * 10**6))
    once = time.process_time() - start
    for question in assignment.questions:
        for value in HOSTILE:
            functions = {name: lambda *values, value=value, **named: value for name in question.functions}
            start = time.process_time()
            with bounded_memory(4 << 30):
                found = marks.mark(alone(assignment, question), functions)
            where = f"{assignment.chapter}: {question.name}: {str(value)[:60]}"
            assert earned(found, question.name) == 0, where
            assert time.process_time() - start < 20 * once, where


def failed(assignment, source, seed=marks.SEED):
    """The marks of the tests that fail with functions that replace those of the solution."""
    functions = author.reference(assignment, source)
    with bounded_memory():
        return [mark for mark in marks.mark(assignment, functions, seed) if not mark.passed]


@pytest.mark.parametrize("seeds", [1, pytest.param(5, marks=pytest.mark.thorough)])
def test_wrong_answers_lose_points_and_other_right_ones_do_not(assignment, seeds):
    for question in assignment.questions:
        one = alone(assignment, question, visible=[])
        for slip in question.wrong:
            found = failed(assignment if seeds > 1 else one, slip.source)
            where = f"{question.name}: {slip.name}"
            assert any(mark.hidden for mark in found), f"{where}: all points"
            assert {mark.question for mark in found} == {question.name}, f"{where}: loses points of other questions"
            assert all(failed(one, slip.source, seed) for seed in range(1, seeds)), f"{where}: all points"
        for source in question.right:
            assert not any(failed(one, source, seed) for seed in range(seeds)), question.name


def in_form(leaf, sequence=None):
    """A function that gives every number in a value another form, and every list or tuple."""

    def form(value):
        if isinstance(value, list | tuple):
            return (sequence or type(value))(form(item) for item in value)
        if isinstance(value, dict):
            return {key: form(item) for key, item in value.items()}
        return leaf(value)

    return form


def complex_form(value):
    real = isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind in "fiu")
    return value * (1 + 0j) if real and np.all(np.isfinite(value)) else value


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62


def scalar(value):
    return whole(value) or isinstance(value, bool | float | np.generic)


FORMS = {
    "NumPy's True": in_form(lambda value: np.bool_(value) if isinstance(value, bool) else value),
    "NumPy's integers": in_form(lambda value: np.int64(value) if whole(value) else value),
    "NumPy's floats": in_form(lambda value: np.float64(value) if isinstance(value, float) else value),
    "Python's numbers": in_form(lambda value: value.item() if isinstance(value, np.generic) else value),
    "arrays without axes": in_form(lambda value: np.array(value) if scalar(value) else value),
    "complex numbers that are real": in_form(complex_form),
    "lists for tuples": in_form(lambda value: value, list),
    "tuples for lists": in_form(lambda value: value, tuple),
    "floats in place of arrays of integers": in_form(
        lambda value: value * 1.0 if isinstance(value, np.ndarray) and value.dtype.kind in "iu" else value
    ),
}
OWN = ("update", "finish")  # what update returns goes back to the student's own finish, in its own form


@pytest.mark.parametrize("form", FORMS)
def test_a_right_answer_is_right_in_every_form(form, assignment):
    """A value counts, not its type: NumPy's True is True, and a tuple will do for a list."""
    right = author.reference(assignment)
    functions = {
        name: right[name]
        if name in OWN
        else lambda *given, name=name, **named: FORMS[form](right[name](*given, **named))
        for name in assignment.functions
    }
    lost = [(mark.question, mark.test[-80:], mark.why) for mark in marks.mark(assignment, functions) if not mark.passed]
    assert lost == []


def test_goals_are_goals_of_the_chapter(assignment):
    text = (ROOT / "chapters" / f"{assignment.chapter}.md").read_text(encoding="utf-8")
    listed = text.partition("After this chapter you can")[2].partition("```")[0].count("\n- ")
    assert {goal for question in assignment.questions for goal in question.goals} <= {*range(1, listed + 1)}


def test_the_student_notebook_needs_numpy_and_the_standard_library_only(assignment):
    cells = json.loads(notebooks.student(assignment))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    imported = {line.split()[1] for line in code.splitlines() if line.strip().startswith(("import ", "from "))}
    assert imported <= {"numpy", *sys.stdlib_module_names}


@pytest.mark.parametrize(
    ("value", "expected", "holds"),
    [
        (1.0, 1, True),
        (True, 1, False),
        (1, True, False),
        ([1, 2], np.array([1.0, 2.0]), True),
        ([[1, 2]], [1, 2], False),
        (np.nan, 1.0, False),
        (None, 0, False),
        ("1", 1, False),
        ([[1], [2, 3]], [1, 2], False),
        (1 + 1e-12, 1, True),
        (1.001, 1, False),
        (np.inf, np.inf, True),
        (np.True_, True, True),
        (np.array(True), True, True),
        (1 + 0j, 1, True),
        (1 + 1e-3j, 1, False),
        (1 + 1e-12j, 1.0, True),
        (np.ones(2) + 0j, [1, 1], True),
        (1j, 0, False),
        (complex(1, np.nan), 1, False),
        (np.array([1, 2j]), [1, 2], False),
    ],
)
def test_same(value, expected, holds):
    assert kit.same(value, expected) is holds


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (np.True_, True),
        (np.False_, False),
        (np.array(True), True),
        (np.array(3), 3),
        (1 + 0j, 1.0),
        (1 + 2j, 1 + 2j),
        ([np.True_, (np.True_,)], [True, (True,)]),
        ({"a": np.True_}, {"a": True}),
        (1, 1),
        (None, None),
        ("x", "x"),
    ],
)
def test_hidden_tests_see_plain_values(value, seen):
    found = kit.plain(lambda: value)()
    assert found == seen
    assert repr(found).replace("np.float64(1.0)", "1.0").replace("np.int64(3)", "3") == repr(seen)
    assert kit.plain(lambda: np.ones(2) + 0j)().dtype == float
    assert len(kit.plain(np.linalg.svd)(np.eye(2))) == 3, "NumPy returns a tuple with names"


def test_the_instructor_reads_the_line_of_a_hidden_test_that_does_not_hold():
    source = "def test_it(f):\n    assert f(1) == 1\n    assert f(2) == 2\n"
    test = SimpleNamespace(function="test_it", source=source, asks=["f"], name="it", points=1)
    assert "assert f(2) == 2" in marks.run(SimpleNamespace(name="question"), test, {"f": lambda x: 1}).why
