"""Every assignment is sound: its solutions earn everything, wrong answers do not, and its tests see through stubs."""

import ast
import dataclasses
import json
import re
import time

import numpy as np
import pytest
from attncourse import author, kit, marks, model, notebooks
from coursework import CHAPTERS, ROOT, bounded_memory, earned

STUBS = ("0", "1", "True", "None", "the input", "zeros of the right shape", "an error", "NotImplementedError")
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


def stub(kind, right):
    """A function that does not do the work."""
    if kind in ("an error", "NotImplementedError"):
        return lambda *given, **named: (_ for _ in ()).throw(ValueError if kind == "an error" else NotImplementedError)
    if kind == "the input":
        return lambda *given, **named: [*given, *named.values()][0]
    if kind == "zeros of the right shape":
        return lambda *given, **named: zeros(right(*given, **named))
    return lambda *given, **named: {"0": 0, "1": 1, "True": True, "None": None}[kind]


@pytest.fixture(params=CHAPTERS)
def assignment(request, assignments):
    return assignments[request.param]


def test_an_assignment_belongs_to_a_chapter():
    import yaml

    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    chapters = [c["file"].rpartition("/")[2] for part in parts if part.get("numbered") for c in part["chapters"]]
    assert set(CHAPTERS) <= set(chapters)


def alone(assignment, question):
    """The assignment with one question."""
    return dataclasses.replace(assignment, questions=[question])


def test_stubs_earn_nothing(assignment):
    right = author.reference(assignment)
    for question in assignment.questions:
        names = question.functions
        for kind in STUBS:
            found = marks.mark(alone(assignment, question), {name: stub(kind, right[name]) for name in names})
            passed = [m.test for m in found if m.earned]
            assert not passed, f"{assignment.chapter}: {question.name}: a stub returning {kind} passes {passed}"


def test_hostile_values_earn_nothing_and_take_no_time(assignment):
    """Hidden tests run in the trusted process: no value that a student returns may make them work long."""
    for question in assignment.questions:
        for value in HOSTILE:
            names = {name: lambda *given, value=value, **named: value for name in question.functions}
            start = time.process_time()
            with bounded_memory():
                found = marks.mark(alone(assignment, question), names)
            where = f"{assignment.chapter}: {question.name}: {str(value)[:60]}"
            assert earned(found, question.name) == 0, where
            assert time.process_time() - start < 3, where


def test_goals_are_goals_of_the_chapter(assignment):
    text = (ROOT / "chapters" / f"{assignment.chapter}.md").read_text(encoding="utf-8")
    listed = text.partition("After this chapter you can")[2].partition("```")[0].count("\n- ")
    tested = {goal for question in assignment.questions for goal in question.goals}
    assert tested <= set(range(1, listed + 1))
    assert len(tested) >= listed - 1, f"{assignment.chapter}: goals {tested} of {listed}"


def test_the_student_notebook_needs_numpy_only(assignment):
    cells = json.loads(notebooks.student(assignment))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    imported = {line.split()[1] for line in code.splitlines() if line.strip().startswith(("import ", "from "))}
    assert imported <= {"numpy", "math", "itertools"}
    assert code.count("assert ") >= len(assignment.questions)


@pytest.mark.parametrize(
    ("value", "expected", "holds"),
    [(1.0, 1, True), (True, 1, False), (1, True, False), ([1, 2], np.array([1.0, 2.0]), True),
     ([[1, 2]], [1, 2], False), (np.nan, 1.0, False), (None, 0, False), ("1", 1, False),
     ([[1], [2, 3]], [1, 2], False), (1 + 1e-12, 1, True),
     (1.001, 1, False), (np.inf, np.inf, True)],
)  # fmt: skip
def test_same(value, expected, holds):
    assert kit.same(value, expected) is holds


def library(source):
    """Functions of NumPy and Python's library that a source uses, by their last name."""
    for node in ast.walk(ast.parse(source)):
        name = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if re.fullmatch(r"(np|math|itertools)(\.[a-z_]\w*)+", name) and name not in ("np.linalg", "np.random"):
            yield name.rpartition(".")[2]


def test_the_solution_uses_what_the_book_or_the_question_names(assignment):
    """What an answer needs stands in a chapter, as code, or is explained where it is asked for."""
    book = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "chapters").glob("*.md"))
    for question in assignment.questions:
        for name in {name for source in question.answer for name in library(model.solution(source))}:
            known = re.search(rf"\.{name}\b", book) or re.search(rf"\b{name}\b", question.text)
            assert known, f"{assignment.chapter}: {question.name}: {name} is in no chapter and not explained"
