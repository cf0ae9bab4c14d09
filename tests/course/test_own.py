"""Numbers of one's own: the same in the notebook and in the grader, which takes the login from the roster."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from attncourse import author, batch, downloads, finding, marks, model, notebooks, roster
from coursework import OF_TESTS, SHORT, Class, answers, earned, graded, notebook

GIVEN = """
```{code-cell} ipython3
:tags: [given]
SIZE = own("size", range(3, 1000))
MASK = [own(f"mask {n}", [True, False]) for n in range(12)]
```
"""
OWN_SIZE = '''
+++ {"tags": ["question"], "exercise": "my-size", "goals": [1]}

## My size

Write `twice()`: two times your `SIZE`, and your `MASK`.

```{code-cell} ipython3
:tags: [answer]
def twice():
    """Two times SIZE, and the mask."""
    ### BEGIN SOLUTION
    return 2 * SIZE, MASK
    ### END SOLUTION
```

```{code-cell} ipython3
:tags: [visible]
assert len(twice()) == 2
```

```{code-cell} ipython3
---
tags: [hidden]
points: 1
---
def test_twice(twice, SIZE, rng):
    """Two times one's own number"""
    assert twice()[0] == 2 * SIZE
```

```{code-cell} ipython3
---
tags: [hidden]
points: 1
---
def test_mask(twice, MASK, rng):
    """One's own mask"""
    assert twice()[1] == MASK
```

+++ {"tags": ["wrong"]}

- ["once", "2 * SIZE", "SIZE"]

+++ {"tags": ["notes"]}

Twice.
'''


@pytest.fixture(scope="module")
def personal(tmp_path_factory):
    """An assignment of which one exercise asks for numbers of one's own."""
    path = tmp_path_factory.mktemp("own") / "sqrt-dk-scaling.md"
    source = (OF_TESTS / path.name).read_text(encoding="utf-8")
    head, title, rest = source.partition("# Coursework: Why √dₖ\n")
    rest = rest.partition('+++ {"tags": ["question"], "exercise": "witness"')[0]
    path.write_text(head + title + GIVEN + rest + OWN_SIZE, encoding="utf-8")
    return author.read(path)


def values(assignment, login):
    return marks.data(assignment.for_login(login))


def handed_in(assignment, login, *more):
    """The notebook of a student who wrote this login, and something more, and solved everything."""
    return notebook(f'LOGIN = "{login}"', model.WHOSE.sub("", assignment.given), *more, *answers(assignment))


def test_numbers_follow_the_login_and_nothing_else(personal):
    sizes = {values(personal, f"s{n}")["SIZE"] for n in range(100)}
    assert len(sizes) > 80
    for written in ("Ada", " ada ", "ada@u.edu"):
        assert values(personal, written)["SIZE"] == values(personal, "ada")["SIZE"]
    assert values(personal, "ada")["SIZE"] == 693, "another version would change the numbers of students who began"


def test_the_notebook_has_the_numbers_that_the_grader_has(personal):
    """Run the notebook as a student does, with nothing of the grader's there."""
    cells = [c for c in json.loads(notebooks.student(personal))["cells"] if c["cell_type"] == "code"][:2]
    login, given = ("".join(cell["source"]) for cell in cells)
    assert login == 'LOGIN = ""'
    for typed, fits in (("Hal@u.edu", True), ("", False)):
        code = "\n".join([f"LOGIN = {typed!r}", given, "print(SIZE, MASK)"])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        own = values(personal, "hal")
        assert (done.stdout == f"{own['SIZE']} {own['MASK']}\n") is fits
        assert ("Write your login" in done.stderr) is not fits


@pytest.mark.parametrize(
    ("typed", "logins", "score"),
    [
        ("hal", ["hal", "1002"], 10),
        ("Hal@u.edu", ["hal", "1002"], 10),
        ("1002", ["hal", "1002"], 10),
        ("ada", ["hal", "1002"], 8),
        ("an-easy-one", ["hal"], 8),
        ("an-easy-one", [], 10),
    ],
)
def test_a_roster_decides_whose_numbers_count(typed, logins, score, personal, bubblewrap):
    result = graded(handed_in(personal, typed), personal, logins=logins)
    assert result.score == score
    assert bool([line for line in result.remarks if "numbers of hal" in line]) is (score < 10)


AGAIN = """
SIZE = own("size", range(3, 1000))
MASK = [own(f"mask {n}", [True, False]) for n in range(12)]
"""


@pytest.mark.parametrize(
    "trick",
    [
        f'LOGIN = "ada"{AGAIN}LOGIN = "hal"',
        f'globals().update(LOGIN="ada"){AGAIN}',
        f"def own(name, choices): return choices[0]{AGAIN}",
        "SIZE, MASK = 3, [True] * 12",
    ],
)
def test_nobody_chooses_easy_numbers(trick, personal, bubblewrap):
    assert graded(handed_in(personal, "hal", trick), personal, logins=["hal"]).score == 8


def test_a_notebook_without_its_first_cells_has_the_students_numbers(personal, bubblewrap):
    assert graded(notebook(*answers(personal)), personal, logins=["hal"]).score == 10
    assert graded(notebook('LOGIN = ""', *answers(personal)), personal, logins=["hal"]).score == 10


def test_a_login_that_is_anothers_is_said_by_name(personal, bubblewrap, tmp_path):
    (tmp_path / "in").mkdir()
    typed = {"hal": "ada", "ada": "ada", "eve": "nobody", "sue": "", "tom": "tom@u.edu"}
    for name, login in typed.items():
        (tmp_path / "in" / f"{name}.ipynb").write_bytes(handed_in(personal, login))
    (tmp_path / "r.csv").write_text("Name,Login\n" + "".join(f"{n.title()} X,{n}\n" for n in typed))
    people = roster.read(tmp_path / "r.csv")
    grades = Class(personal, downloads.read(tmp_path / "in"), tmp_path / "out", None, people)
    mapper = batch.on_threads(2, personal, marks.SEED, SHORT, logins_of=grades.logins)
    batch.run(grades, grades.files, mapper, limits=SHORT)
    assert {name: grades.final(name).score for name in typed} == {"hal": 8, "ada": 10, "eve": 8, "sue": 10, "tom": 10}
    (lines,) = (lines for title, lines in grades.lists().items() if "other numbers" in title)
    assert lines == [
        "eve: the notebook says 'nobody'; marked with those of eve",
        "hal: the notebook says 'ada', who is ada; marked with those of hal",
        "sue: the notebook says none; marked with those of sue",
    ]
    assert "sue" not in (tmp_path / "out" / "feedback" / "hal.html").read_text()
    unsure = Class(personal, downloads.read(tmp_path / "in"), tmp_path / "out2")
    mapper = batch.on_threads(2, personal, marks.SEED, SHORT, logins_of=unsure.logins)
    batch.run(unsure, unsure.files, mapper, limits=SHORT)
    (lines,) = (lines for title, lines in unsure.lists().items() if "no roster" in title)
    assert "ada, hal: 'ada'" in lines


def test_another_roster_grades_again(personal, tmp_path):
    keys = {batch.key(batch.hashed([["n", [0, ""], b""]]), {}, logins) for logins in ((), ["hal"], ["ada"])}
    assert len(keys) == 3


def test_the_solution_must_hold_for_the_numbers_of_others(personal):
    author.prove(personal)
    given = personal.given.replace("range(3, 1000)", "[1, 0]")
    sizes = {login: values(replace(personal, given=given), login)["SIZE"] for login in ("somebody", *author.LOGINS)}
    assert sizes["somebody"] == 1
    assert 0 in sizes.values()
    answer = [personal.questions[-1].answer[0].replace("2 * SIZE", "2 * SIZE // SIZE")]
    questions = [*personal.questions[:-1], replace(personal.questions[-1], answer=answer)]
    with pytest.raises(model.CourseError, match="the numbers of"):
        author.prove(replace(personal, given=given, questions=questions))


def own_names(assignment):
    """Return the names of the given values that differ from student to student."""
    drawn = [marks.data(assignment.for_login(f"s{number}")) for number in range(8)]
    return {name for name in assignment.data if len({repr(values[name]) for values in drawn}) > 1}


def with_own_numbers(assignments):
    """Every exercise whose tests ask for given values that are the student's own, as an assignment of its own."""
    for assignment in assignments.values():
        for question in assignment.questions:
            asks = {ask for test in question.hidden for ask in test.asks}
            if asks & own_names(assignment):
                yield replace(assignment, questions=[question]), question


@pytest.mark.parametrize("logins", [3, pytest.param(40, marks=pytest.mark.thorough)])
def test_own_numbers_are_fair_to_all_and_of_no_use_to_others(logins, assignments):
    for assignment, question in with_own_numbers(assignments):
        right = [*map(model.solution, question.answer), *question.right]
        lucky = Counter()
        for login in [f"s{number}" for number in range(logins)]:
            own = assignment.for_login(login)

            def passes(functions, own=own, worth=question.points):
                return earned(marks.mark(own, functions)) == worth

            assert all(passes(author.reference(own, source)) for source in right), (question.name, login)
            lucky["the answer of another"] += passes(author.reference(assignment.for_login(f"not-{login}")))
            lucky.update(slip.name for slip in question.wrong if passes(author.reference(own, slip.source)))
        assert max(lucky.values()) <= logins / 10, (question.name, lucky)


def test_the_last_login_counts():
    assert finding.login(["x = 1", "LOGIN = 'a'\nLOGIN = \"b \"", "# LOGIN = 'c'"]) == "b"
    assert finding.login(["LOGIN = f(1)"]) == ""
