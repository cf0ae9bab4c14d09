"""An assignment is read, proved with its seed, made for one chapter alone, and may have an answer in words."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, replace

import pytest
from attncourse import author, gradescope, marks, model, notebooks
from coursework import CHAPTERS, IN_WORDS, ROOT, earned


def source(name="sqrt-dk-scaling"):
    return (ROOT / "course" / f"{name}.md").read_text(encoding="utf-8")


def make(*program, **environ):
    """Run `make course` with these variables: code, output, message."""
    command = [sys.executable, *(program or ["course.py"]), "make"]
    done = subprocess.run(command, cwd=ROOT / "tools", env=os.environ | environ, capture_output=True, text=True,
                          timeout=170)  # fmt: skip
    return done.returncode, done.stdout, done.stderr.strip()


def breaks(assignment, wrong):
    """The assignment with a hidden test that an honest answer fails where `wrong` holds of its generator."""
    question = assignment.questions[0]
    test = question.hidden[0]
    body = f"def {test.function}(rng):\n    assert not ({wrong})"
    hidden = [replace(test, source=body, asks=["rng"]), *question.hidden[1:]]
    return replace(assignment, questions=[replace(question, hidden=hidden), *assignment.questions[1:]])


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_reference_solution_is_proved(chapter, assignments):
    author.prove(assignments[chapter])


def test_a_seed_that_fails_the_solution_is_refused(assignment):
    broken = breaks(assignment, "rng.random() < 0.5")
    found = []
    for seed in range(20):
        try:
            author.prove(broken, seed)
        except model.CourseError as error:
            found.append(str(error))
            assert f"SEED={seed} " in found[-1]
            assert "general-variance: Means are zero" in found[-1]
    assert 0 < len(found) < 20


def test_a_solution_that_does_not_run_is_refused(assignment):
    with pytest.raises(model.CourseError, match="the reference solution does not run: ZeroDivisionError"):
        author.prove(replace(assignment, given="1 / 0"))


def test_make_stops_before_it_writes_an_assignment_that_fails(tmp_path):
    text = source().replace("    for d_k in (2, 3, 5):\n", "    assert rng.random() < 0\n    for d_k in (2, 3, 5):\n")
    assert text != source()
    (tmp_path / "broken.md").write_text(text, encoding="utf-8")
    code, out, error = make(COURSE=str(tmp_path), SEED="a-word")
    assert (code, out) == (1, "")
    assert error.startswith("broken: with SEED=a-word the reference solution itself fails general-variance")
    assert "\n" not in error


def test_grade_stops_before_it_grades_with_a_seed_that_fails(assignment, tmp_path):
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(asdict(breaks(assignment, "rng.random() < 2"))), encoding="utf-8")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ada.ipynb").write_text(notebooks.student(assignment), encoding="utf-8")
    command = [sys.executable, str(ROOT / "tools" / "course.py"), "grade", str(path), str(tmp_path / "class")]
    done = subprocess.run([*command, "SEED=a-word", f"WORK={tmp_path}"], capture_output=True, text=True, timeout=170)
    assert done.returncode == 1
    assert "with SEED=a-word the reference solution itself fails general-variance" in done.stderr.splitlines()[-1]
    assert "Graded" not in done.stdout


def test_one_chapter_alone(tmp_path):
    assert list(author.assignments(ROOT / "course", "capstone")) == ["capstone"]
    with pytest.raises(model.CourseError, match=r"no assignment 'cap'.*there are capstone, "):
        author.assignments(ROOT / "course", "cap")
    for name in ("sqrt-dk-scaling", "capstone"):
        shutil.copy(ROOT / "course" / f"{name}.md", tmp_path)
    code, out, error = make(COURSE=str(tmp_path), CHAPTER="cap")
    assert (code, out) == (1, "")
    assert error.startswith("There is no assignment 'cap'")
    assert "\n" not in error
    writes_nothing = "import course; course.layouts.write = lambda *given: None; course.main(['make'])"
    code, out, error = make("-c", writes_nothing, COURSE=str(tmp_path), CHAPTER="capstone")
    assert code == 0, error
    assert out.startswith("capstone: ")
    assert "sqrt-dk-scaling" not in out


def test_a_written_answer_in_the_bundle(with_words):
    words = with_words.questions[-1]
    assert (words.name, words.kind, words.points) == ("in-words", "written", 2)
    assert [e.kind for e in with_words.questions] == ["code"] * 4 + ["written"]
    assert sum(q.points for q in with_words.questions) == author.POINTS
    assert author.by_tests(with_words) == 8
    author.prove(with_words)
    assert earned(marks.mark(with_words, author.reference(with_words))) == 8
    assert model.load_assignment(json.loads(json.dumps(asdict(with_words)))) == with_words


def test_a_written_answer_in_the_notebooks(with_words):
    notes = with_words.questions[-1].notes
    for text, secret in ((notebooks.student(with_words), False), (notebooks.instructor(with_words), True)):
        cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        assert "*Write your answer here.*" in cells
        assert any("(2 points)" in cell and "In your own words" in cell for cell in cells)
        assert any(notes in cell for cell in cells) is secret
    cells = json.loads(notebooks.nbgrader(with_words))["cells"]
    roles = [cell["metadata"].get("nbgrader") for cell in cells if cell["cell_type"] == "markdown"]
    assert [role for role in roles if role] == [
        {"grade": True, "solution": True, "locked": False, "task": False, "schema_version": 3, "points": 2,
         "grade_id": f"cell-{len(cells) - 1}"}
    ]  # fmt: skip
    assert sorted(gradescope.otter_tests(with_words)) == sorted(
        f"{e.name.replace('-', '_')}.py" for e in with_words.questions if e.kind == "code"
    )


TWICE = '+++ {"tags": ["written"], "points": 1}\n\nHere too.\n\n+++ {"tags": ["notes"]}\n\nOne point'
TESTED = '```{code-cell} ipython3\n:tags: [visible]\nassert True\n```\n\n+++ {"tags": ["written"]'
WALK = "points: 1\n---\ndef test_every_walk"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"points": 2}', '"points": 0}', "a written answer is one text cell with points above 0"),
        ('+++ {"tags": ["notes"]}\n\nOne point', TWICE, "a written answer is one text cell"),
        ('+++ {"tags": ["written"]', TESTED, "a written answer has no code and no tests"),
        (WALK, WALK.replace("1", "2", 1), "test_every_walk has 2 points: split it"),
    ],
)
def test_what_cannot_be_used_is_named(old, new, says, tmp_path):
    text = source().partition('+++ {"tags": ["question"], "exercise": "witness"')[0] + IN_WORDS
    assert old in text
    start, _, rest = text.rpartition(old)
    (tmp_path / "a.md").write_text(start + new + rest, encoding="utf-8")
    with pytest.raises(model.CourseError, match=says):
        author.read(tmp_path / "a.md")
