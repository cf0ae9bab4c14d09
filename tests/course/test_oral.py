"""Questions to ask aloud: three for each student, made of the student's own notebook, on a page to print."""

import re
from dataclasses import replace

import pytest
from attncourse import model, oral, spoken
from coursework import answers, graded, notebook
from test_gradebook import XSS, earns
from test_own import handed_in, personal, values  # noqa: F401 (a fixture)

CELL = """
import math

def helper(x):
    return x

def leaves(d_k, t):
    far = [math.comb(d_k, ups) for ups in range(d_k + 1) if abs(2 * ups - d_k) > t]
    return sum(far) / 2**d_k
"""


def test_questions_are_about_the_students_own_lines():
    sources, questions = spoken.about(["def leaves(): return 0", CELL], ["leaves", "row_leaves"])
    assert sources == {"leaves": CELL[CELL.index("def leaves") :].strip()}
    asked = {kind: [text for _, other, text in questions if other == kind] for kind in ("name", "change", "line")}
    assert any("`far`" in text for text in asked["name"])
    assert any("`abs(2 * ups - d_k) >= t`" in text for text in asked["change"])
    assert any(text.startswith("`return sum(far) / 2**d_k`.") for text in asked["line"])


@pytest.mark.parametrize(
    "cell",
    [
        "def leaves(:",
        "def leaves(d_k, t):\n    x = " + "(" * 5000 + ")" * 5000,
        "def leaves(d_k, t):\n    return " + "+".join("1" * 9000),
        "def leaves(d_k, t):\n" + "    x = 1\n" * 50_000,
        "\0def leaves(): return 1",
        "def leaves():\n    \ud800x = 1",
    ],
)
def test_odd_code_is_asked_about_or_not(cell):
    _, questions = spoken.about([cell], ["leaves"])
    assert len(questions) <= spoken.LOOKED_AT
    assert all(len(text) < 2000 for *_, text in questions)


def test_each_student_has_three_of_different_exercises(assignment, bubblewrap):
    result = graded(notebook(*answers(assignment)), assignment)
    chosen = {student: oral.questions(assignment, student, result) for student in ("ada", "hal", "sue")}
    for asked in chosen.values():
        assert len({question.name for question, *_ in asked}) == oral.MANY
        assert any("What changes" in text for _, text, _ in asked)
        for _, text, source in asked:
            line = re.match(r"In `\w+`: `(.*?)`[.] What", text)
            assert line is None or line[1] in source
    assert len({str(asked) for asked in chosen.values()}) == 3, "two with one notebook are asked different things"
    again = graded(notebook(*answers(assignment)), assignment)
    assert oral.questions(assignment, "ada", again) == chosen["ada"]


def test_nothing_is_asked_about_what_was_not_answered(assignment, bubblewrap):
    blank = graded(notebook(*(model.stub(s) for q in assignment.questions for s in q.answer)), assignment)
    assert oral.questions(assignment, "ada", blank) == []
    one = graded(notebook(CELL), assignment)
    assert {question.name for question, *_ in oral.questions(assignment, "ada", one)} == {"rows-that-leave"}
    assert len(oral.questions(assignment, "ada", one)) == oral.MANY
    assert "nothing that one could ask" in oral.page(assignment, [("ada", "Ada", blank, "")])


def test_an_author_may_ask_with_the_students_own_numbers(personal, bubblewrap):  # noqa: F811
    questions = [replace(q, oral=["With your {SIZE} of {NOBODY}: why?"]) for q in personal.questions]
    assignment = replace(personal, questions=questions)
    result = graded(handed_in(personal, "hal"), assignment, logins=["hal"])
    page = oral.page(assignment, [("hal_1002", "Hal", result, "hal")])
    size = values(assignment, "hal")["SIZE"]
    assert f"With your {size} of {{NOBODY}}: why?" in page
    assert f"SIZE = {size}" in page


def test_a_written_answer_is_asked_about(with_words):
    result = replace(earns(with_words), written={"in-words": "Because of variance."})
    (asked,) = oral.questions(with_words, "ada", result)
    assert "“Because of variance.”" in asked[1]


def test_nothing_of_a_student_becomes_a_tag(with_words):
    plain = oral.page(with_words, [("x", "x", spoken_by(with_words, "x"), "x")])
    for attack in XSS:
        page = oral.page(with_words, [(attack, attack, spoken_by(with_words, attack), attack)])
        assert page.count("<") == plain.count("<"), attack


def spoken_by(assignment, text):
    """A result with one text in every place from which a question is made."""
    asked = [["leaves", kind, text] for kind in ("name", "change", "line")]
    return replace(earns(assignment), spoken=asked, sources={"leaves": text}, written={"in-words": text})
