"""Answers in words: a person reads all of them on one page, grades them in the policy, and sees which are left."""

import csv
import io
import json
from dataclasses import replace

from attncourse import downloads, gradebook, model, notebooks, reading, roster
from coursework import ROOT
from test_gradebook import earns


def handed_in(assignment, *answers):
    """A notebook with an answer in each of these cells, as the grader reads it."""
    document = json.loads(notebooks.student(assignment))
    written = document["cells"][-2]  # the last cell runs the visible tests
    written["source"] = answers[0] if answers else written["source"]
    document["cells"] += [{"cell_type": "markdown", "metadata": {}, "source": answer} for answer in answers[1:]]
    return document


def result(assignment, *answers):
    """The result of a student who solved everything that tests mark and wrote this."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in handed_in(assignment, *answers)["cells"]]
    cells = [cell for cell in cells if cell[1].strip() != assignment.check.strip()]  # as `reading.read` does
    found = reading.written_answers(cells, assignment.public()["questions"])
    written = {assignment.questions[int(number)].name: text for number, text in found.items()}
    return replace(earns(assignment, *(question.name for question in assignment.questions)), written=written)


def graded(assignment, folder, decisions=None, people="", **results):
    """The finished grades of students with these results; the list of the class, if there is one, has these lines."""
    for name in results:
        (folder / "in").mkdir(parents=True, exist_ok=True)
        (folder / "in" / f"{name}.ipynb").write_bytes(b"{}")
    (folder / "r.csv").write_text(f"Login\n{people}\n", encoding="utf-8")
    known = roster.read(folder / "r.csv") if people else None
    grades = gradebook.Grades(assignment, downloads.read(folder / "in"), folder / "out", decisions, known)
    for name, found in results.items():
        grades.add(name, found)
    grades.finish()
    return grades


def page(grades, name):
    return (grades.folder / name).read_text(encoding="utf-8")


def test_a_person_reads_all_answers_on_one_page_and_sees_which_are_left(with_words, tmp_path):
    decisions = {"students": {"ada": {"points": {"in-words": 1.5}, "comment": "One hypothesis is missing."}}}
    grades = graded(
        with_words,
        tmp_path,
        decisions,
        ada=result(with_words, "Because\nvariances *add*."),
        ben=result(with_words, "It is the root."),
        cid=result(with_words),
    )
    shown = page(grades, "report.html").partition("(in-words)")[2]
    assert "Why is $\\sqrt{d_k}$" in shown
    assert "One point for the variance" in shown
    assert shown.index("ben: ") < shown.index("ada: ") < shown.index("cid: "), "first what is left to do"
    ben, ada, cid = (shown.partition(f"<h3>{name}: ")[2].partition("<h3>")[0] for name in ("ben", "ada", "cid"))
    assert "It is the root." in ben
    for text in ("1.5 of 2", "One hypothesis is missing.", "Because\nvariances *add*."):
        assert text in ada
    assert "0 of 2" in cid
    assert ["ben: in-words"] in grades.lists().values()
    assert [grades.final(name).score for name in ("ada", "ben", "cid")] == [9.5, 8, 8]
    table = csv.DictReader(io.StringIO(page(grades, "grades.csv").lstrip("\ufeff")))
    assert [row["in-words"] for row in table] == ["1.5", "", "0"]


def test_an_answer_without_its_heading_waits_for_a_person(with_words, tmp_path):
    lost, none = replace(result(with_words), written={}), model.Result(0, problem="The file is empty.")
    other = replace(lost, problem="It is another notebook.")
    grades = graded(with_words, tmp_path, None, ada=lost, ben=other, cid=none)
    assert ["ada: in-words"] in grades.lists().values()
    shown = [name for name in ("report", "feedback/ada", "feedback/cid") if "heading" in page(grades, f"{name}.html")]
    assert shown == ["report", "feedback/ada"]


def test_a_group_is_graded_once(with_words, tmp_path):
    decisions = {"groups": [["ada", "bea"]], "students": {"ada": {"points": {"in-words": 2}}}}
    grades = graded(with_words, tmp_path, decisions, "ada\nbea", ada=result(with_words, "Because."))
    assert grades.final("bea").score == 10
    assert page(grades, "report.html").count("Because.") == 1
    assert "Because." in page(grades, "feedback/bea.html")
    own = decisions["students"] | {"bea": {"points": {"in-words": 1}}}
    decisions |= {"students": own}
    grades = graded(with_words, tmp_path, decisions, "ada\nbea", ada=result(with_words, "Because."))
    assert grades.final("bea").score == 9


def test_a_very_long_answer_is_cut(with_words):
    pieces = [f"{n} " + "x" * 90 for n in range(30_000)]
    answer = result(with_words, *pieces).written["in-words"]
    assert len(answer) < reading.LONGEST + 100
    assert answer.endswith(f"{len(''.join(pieces)) + 2 * len(pieces) - 2} characters.)")


def test_a_student_sees_whether_an_answer_is_found(with_words, bubblewrap, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import course

    (tmp_path / "n.ipynb").write_text(json.dumps(handed_in(with_words, "Because variances add.")), encoding="utf-8")
    course.run(["try", f"NOTEBOOK={tmp_path / 'n.ipynb'}", f"COURSE={tmp_path / 'words'}"])
    assert "In your own words: a person will read it; words found: 3\n" in capsys.readouterr().out
