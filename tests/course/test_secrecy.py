"""No solution and no hidden test reaches the site, its sources, the published notebooks or the student's notebook."""

import pytest
from attncourse import layouts, secrecy
from coursework import CHAPTERS, ROOT, answers, notebook
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

PUBLIC = ("_build/html", "_build/notebooks", "chapters", "code/attnbook", "code/attnfigures")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_student_s_files_hold_no_answer(chapter, assignments, tmp_path):
    assignment = assignments[chapter]
    secret = secrecy.secret_lines(assignment)
    layouts.write(assignment, tmp_path)
    assert list(secrecy.leaks(secret, tmp_path / "instructor")), "the search finds nothing even where all of it is"
    assert list(secrecy.leaks(secret, tmp_path / "nbgrader"))
    for number, answer in enumerate(answers(assignment)):  # solutions alone, in each form they may take
        (tmp_path / f"{number}.ipynb").write_bytes(notebook(answer))
        (tmp_path / f"{number}.html").write_text(highlight(answer, PythonLexer(), HtmlFormatter()), encoding="utf-8")
    found = {line.partition(": ")[0] for line in secrecy.leaks(secret, tmp_path)}
    hits = [sum(str(tmp_path / f"{n}{end}") in found for n in range(number + 1)) for end in (".ipynb", ".html")]
    assert min(hits) >= 0.6 * (number + 1), hits  # a solution of one short line tells nothing
    assert list(secrecy.leaks(secret, tmp_path / "student")) == []


def test_the_book_gives_no_answer_away(assignments):
    """Read each page once, for the secrets of all chapters."""
    secret = set().union(*map(secrecy.secret_lines, assignments.values()))
    assert [leak for folder in PUBLIC for leak in secrecy.leaks(secret, ROOT / folder)] == []


def test_the_same_source_gives_the_same_bytes(assignment, tmp_path):
    for name in "ab":
        layouts.write(assignment, tmp_path / name)
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file()]
    assert len(files) == 6
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)
