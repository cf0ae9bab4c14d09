"""An assignment is read, proved with its seed, made for one chapter alone, and may have an answer in words."""

import json
from dataclasses import asdict, replace

import pytest
from attncourse import author, gradescope, marks, model, notebooks
from coursework import IN_WORDS, OF_TESTS, ROOT, breaks, earned


def source(name="sqrt-dk-scaling"):
    return (OF_TESTS / f"{name}.md").read_text(encoding="utf-8")


def test_a_seed_that_fails_the_solution_is_refused(assignment):
    broken = breaks(assignment, "rng.random() < 0.5")
    refused = []
    for seed in range(20):
        try:
            author.prove(broken, seed)
        except model.CourseError as error:
            refused.append(str(error))
            assert f"SEED={seed} " in refused[-1]
            assert "general-variance: Means are zero" in refused[-1]
    assert 0 < len(refused) < 20


def test_a_solution_that_does_not_run_is_refused(assignment):
    with pytest.raises(model.CourseError, match=r"sqrt-dk-scaling: .*ZeroDivisionError"):
        author.prove(replace(assignment, given="1 / 0"))


def test_one_chapter_alone():
    assert list(author.assignments(ROOT / "course", "capstone")) == ["capstone"]
    with pytest.raises(model.CourseError, match=r"'cap'.*capstone, "):
        author.assignments(ROOT / "course", "cap")


def test_a_written_answer_in_the_bundle(with_words):
    words = with_words.questions[-1]
    assert (words.name, words.kind, words.points) == ("in-words", "written", 2)
    assert [e.kind for e in with_words.questions] == ["code"] * 4 + ["written"]
    assert sum(q.points for q in with_words.questions) == author.POINTS
    assert author.points_by_tests(with_words) == 8
    author.prove(with_words)
    assert earned(marks.mark(with_words, author.reference(with_words))) == 8
    assert model.load_assignment(json.loads(json.dumps(asdict(with_words)))) == with_words


def test_a_written_answer_in_the_notebooks(with_words):
    notes, rubric = with_words.questions[-1].notes, with_words.questions[-1].rubric
    assert rubric[0] == "The variance of a sum of $d_k$ independent products is the sum of theirs."
    for text, secret in ((notebooks.student(with_words), False), (notebooks.instructor(with_words), True)):
        cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        assert "*Write your answer here.*" in cells
        assert any("(2 points" in cell and "In your own words" in cell for cell in cells)
        assert any(notes in cell for cell in cells) is secret
        assert [any(line in cell for cell in cells) for line in rubric] == [secret] * 3
    cells = json.loads(notebooks.nbgrader(with_words))["cells"]
    roles = [cell["metadata"].get("nbgrader") for cell in cells if cell["cell_type"] == "markdown"]
    assert [role for role in roles if role] == [
        {
            "grade": True,
            "solution": True,
            "locked": False,
            "task": False,
            "schema_version": 3,
            "points": 2,
            "grade_id": f"cell-{len(cells) - 1}",
        }
    ]
    assert sorted(gradescope.otter_tests(with_words)) == sorted(
        f"{e.name.replace('-', '_')}.py" for e in with_words.questions if e.kind == "code"
    )


TWICE = '+++ {"tags": ["written"], "points": 1}\n\nHere too.\n\n+++ {"tags": ["notes"]}\n\nOne point'
TESTED = '```{code-cell} ipython3\n:tags: [visible]\nassert True\n```\n\n+++ {"tags": ["written"]'
GIVEN = "```{code-cell} ipython3\n:tags: [given]\nDATA = 1\n```\n\n"
WALK = "points: 1\n---\ndef test_every_walk"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"points": 2}', '"points": 0}', "a written answer is one text cell with points above 0"),
        ('+++ {"tags": ["notes"]}\n\nOne point', TWICE, "a written answer is one text cell"),
        ('+++ {"tags": ["written"]', TESTED, "a written answer has no code and no tests"),
        ("- Dividing by the standard deviation makes it 1.\n", "", "a rubric has 3 lines, and this one has 2"),
        ('"points": 2}', '"points": 2, "asks": "essay"}', "it asks for 'essay'; there are explain"),
        ('+++ {"tags": ["rubric"]}', '+++ {"tags": ["notes"]}', "it has no rubric"),
        (WALK, WALK.replace("1", "2", 1), "test_every_walk has 2 points: split it"),
        ('+++ {"tags": ["notes"]}', GIVEN + '+++ {"tags": ["notes"]}', "given stands below a question: 'DATA = 1'"),
        (f"{WALK}(", f"{WALK}(DATA, ", "asks for DATA, which neither answer nor given cell defines"),
    ],
)
def test_what_cannot_be_used_is_named(old, new, says, tmp_path):
    text = source().partition('+++ {"tags": ["question"], "exercise": "witness"')[0] + IN_WORDS
    assert old in text
    start, _, rest = text.rpartition(old)
    (tmp_path / "a.md").write_text(start + new + rest, encoding="utf-8")
    with pytest.raises(model.CourseError, match=says):
        author.read(tmp_path / "a.md")


LISTED = '- ["one mean", " + mu_k @ Sigma_q @ mu_k", ""]'
ENTRY = """- slip: one mean
  change: [" + mu_k @ Sigma_q @ mu_k", ""]
  keeps: 0.5
  says: One of the two mean terms is missing.
  read: sqrt-dk-scaling.md#thm-variance
"""


def with_entry(entry, folder):
    """The assignment with this entry as the only wrong answer of its first question's list."""
    before, _, rest = source().partition('+++ {"tags": ["wrong"]}')
    path = folder / "a.md"
    path.write_text(f'{before}+++ {{"tags": ["wrong"]}}\n\n{entry}\n+++{rest.partition("+++")[2]}', encoding="utf-8")
    return author.read(path)


def test_a_slip_carries_a_share_and_a_sentence(tmp_path):
    made = with_entry(ENTRY, tmp_path)
    slip = made.questions[0].wrong[-1]
    assert (slip.name, slip.keeps, slip.one_line) == ("one mean", 0.5, True)
    assert (slip.says, slip.read) == ("One of the two mean terms is missing.", "sqrt-dk-scaling.md#thm-variance")
    assert with_entry(LISTED, tmp_path).questions[0].wrong[-1] == model.Slip("one mean", slip.source, one_line=True)
    assert model.load_assignment(json.loads(json.dumps(asdict(made)))) == made
    assert slip.says in author.secrets(made)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("slip: one mean", "slip: ", "has no name"),
        ("slip: one mean", "slip: forgets the means", "two wrong answers are called 'forgets the means'"),
        ("keeps: 0.5", "keeps: 1", "keeps is 1, not a share"),
        ("keeps: 0.5", "keeps: half", "keeps is 'half', not a share"),
        ("keeps: 0.5", "keeps: -0.5", "keeps is -0.5, not a share"),
        ("keeps: 0.5", "kept: 0.5", "no part 'kept'; there are slip, change"),
        ("  says: One of the two mean terms is missing.\n", "", "says nothing to the student"),
        ("says: One", "says: |\n    One\n    and", "one sentence"),
        ("#thm-variance", "", "read is 'sqrt-dk-scaling.md', not page.md#label"),
        (' + mu_k @ Sigma_q @ mu_k", "', 'mu_q * mu_k", "', "solution does not contain 'mu_q . mu_k'"),
        (', ""]', "]", "not .text of the solution, text in its place"),
        ("  keeps", "  source: x = 1\n  keeps", "one of change: .old, new. and source"),
        ('change: [" + mu_k @ Sigma_q @ mu_k", ""]', "source: x = 1", "defines none of the functions"),
        ('change: [" + mu_k @ Sigma_q @ mu_k", ""]', "source: score_variance = (", "defines none of the functions"),
        (ENTRY, "- one mean", "wrong answers are a list of"),
    ],
)
def test_a_slip_that_is_not_understood_names_what(old, new, says, tmp_path):
    assert old in ENTRY
    with pytest.raises(model.CourseError, match=says):
        with_entry(ENTRY.replace(old, new, 1), tmp_path)
