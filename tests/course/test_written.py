"""Answers in words: people mark them line by line, their files become points, and the report says which are left."""

import csv
import io
import json
from dataclasses import replace

import pytest
from attncourse import author, clean, downloads, finding, marking, model, notebooks, roster
from attncourse import marks as marks_of
from coursework import IN_WORDS, OF_TESTS, ROOT, Class
from test_gradebook import earns


def handed_in(assignment, *answers):
    """A notebook with an answer in each of these cells, as the grader reads it."""
    document = json.loads(notebooks.student(assignment))
    document["cells"].pop()  # runs the visible tests: the grader sets it aside
    document["cells"][-1]["source"] = answers[0] if answers else document["cells"][-1]["source"]
    document["cells"] += [{"cell_type": "markdown", "metadata": {}, "source": answer} for answer in answers[1:]]
    return document


def result(assignment, *answers):
    """The result of a student who solved everything that tests mark and wrote this."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in handed_in(assignment, *answers)["cells"]]
    cells = [cell for cell in cells if cell[1].strip() != assignment.check.strip()]  # as `reading.read` does
    found = finding.written_answers(cells, assignment.public()["questions"])
    written = {assignment.questions[int(number)].name: text for number, text in found.items()}
    return replace(earns(assignment, *(question.name for question in assignment.questions)), written=written)


def graded(assignment, folder, decisions=None, people="", **results):
    """The finished grades of students with these results; the list of the class, if there is one, has these lines."""
    for name in results:
        (folder / "in").mkdir(parents=True, exist_ok=True)
        (folder / "in" / f"{name}.ipynb").write_bytes(b"{}")
    (folder / "r.csv").write_text(f"Login\n{people}\n", encoding="utf-8")
    known = roster.read(folder / "r.csv") if people else None
    grades = Class(assignment, downloads.read(folder / "in"), folder / "out", decisions, known)
    for name, found in results.items():
        grades.add(name, found)
    grades.finish()
    return grades


def page(grades, name):
    return (grades.folder / name).read_text(encoding="utf-8")


def marks(folder, marker, *rows, question="in-words"):
    """Save a marker's file: (text of the answer, ticks, remark, …) a row, as the marking page does."""
    table = [list(marking.COLUMNS)]
    for number, (text, ticks, remark, *settles) in enumerate(rows):
        said = ["yes" if tick == "1" else "no" for tick in ticks]
        when = f"2026-03-01T10:00:{number:02}Z"
        table.append([question, marking.code(question, text), *said, remark, marker, when, *(settles or ["no"]), ""])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"marks-{marker}.csv").write_bytes(clean.table(table))


SUM, ROOT_ALONE = "Because\nvariances *add*.", "It is the root."


def test_marks_become_points_and_remarks(with_words, tmp_path):
    def students():
        return {"ada": result(with_words, SUM), "ben": result(with_words, ROOT_ALONE), "cid": result(with_words)}

    grades = graded(with_words, tmp_path, **students())
    assert [grades.final(name).score for name in ("ada", "ben", "cid")] == [8, 8, 8]
    assert ["in-words: 2"] in grades.lists().values()
    for text in ("Because", "the root.", "Dividing by the standard deviation", "One point for the variance"):
        assert text in page(grades, "marking.html"), text
    assert "Dividing by the standard deviation" not in page(grades, "feedback/ada.html"), (
        "nothing of a rubric before the marks"
    )
    marks(tmp_path / "out", "Zoe", (SUM, "101", "Write the\nsum."), (ROOT_ALONE, "000", ""))
    again = graded(with_words, tmp_path, **students())
    assert [again.final(name).score for name in ("ada", "ben", "cid")] == [9.33, 8, 8]
    own = page(again, "feedback/ada.html")
    for text in ("1.33 of 2", "✓ yes:</span> The variance of a sum", "– no:</span> Dividing", "<p>sum.</p>"):
        assert text in own, text
    assert "Zoe" not in own
    assert "0 of 2" in page(again, "feedback/ben.html")
    assert ["ada: 8 → 9.33 (written answers marked)", "ben: 8 → 8 (written answers marked)"] in again.lists().values()
    table = csv.DictReader(io.StringIO(page(again, "grades.csv").lstrip("\ufeff")))
    assert [row["in-words"] for row in table] == ["1.33", "0", "0"]
    third = graded(with_words, tmp_path, {"students": {"ada": {"points": {"in-words": 2}}}}, **students())
    assert third.final("ada").score == 10, "what is decided by name wins"


@pytest.fixture
def own_case(tmp_path):
    """An assignment whose written question is about a case of the student's own."""
    source = (OF_TESTS / "sqrt-dk-scaling.md").read_text(encoding="utf-8")
    head, title, rest = source.partition("# Coursework: Why √dₖ\n")
    given = """\n```{code-cell} ipython3\n:tags: [given]\nCASE = own("case", range(1000))\nOTHER = 7\n```\n"""
    before = rest.partition('+++ {"tags": ["question"], "exercise": "witness"')[0]
    path = tmp_path / "own" / "sqrt-dk-scaling.md"
    path.parent.mkdir()
    path.write_text(head + title + given + before + IN_WORDS.replace("Why is", "With `CASE`: why is"), encoding="utf-8")
    return author.read(path)


def test_a_marker_reads_whose_numbers_an_answer_is_about_and_marks_each_by_itself(own_case, tmp_path):
    def students():
        return {name: result(own_case, SUM) for name in ("ada", "ben")}

    cases = {name: f"CASE = {marks_of.data(own_case.for_login(name))['CASE']}" for name in ("ada", "ben")}
    assert len({*cases.values()}) == 2
    grades = graded(own_case, tmp_path, people="ada\nben", **students())
    shown = page(grades, "marking.html")
    assert [shown.count(case) for case in cases.values()] == [1, 1], "which is which a marker must know"
    assert "OTHER" not in shown
    assert "ada" not in shown
    marks(tmp_path / "out", "Zoe", (f"{cases['ada']}\n{SUM}", "110", "Yes."))
    again = graded(own_case, tmp_path, people="ada\nben", **students())
    assert again.final("ada").verdicts["in-words"].ticks == [True, True, False]
    assert "in-words" not in again.final("ben").verdicts


def test_a_mark_stays_with_its_answer_whoever_wrote_it(with_words, tmp_path):
    marks(tmp_path / "out", "Zoe", (SUM, "111", ""), ("An answer that is gone.", "111", ""))
    respaced = SUM.replace(" ", "  ") + "\n"
    results = {"renamed": result(with_words, respaced), "other": result(with_words, SUM + " Always.")}
    grades = graded(with_words, tmp_path, **results)
    assert grades.final("renamed").score == 10
    assert grades.final("other").score == 8
    assert ["Zoe: 1"] in grades.lists().values(), "marks that fit nothing are counted"


def test_markers_who_differ_are_named_until_one_settles_it(with_words, tmp_path):
    alike = "Both say the same of this."
    marks(tmp_path / "out", "Zoe", (SUM, "110", "Which hypothesis?"), (alike, "100", "Good."))
    marks(tmp_path / "out", "Yan", (SUM, "100", ""), (alike, "100", "Why?"))
    results = {"ada": result(with_words, SUM), "ben": result(with_words, alike)}
    grades = graded(with_words, tmp_path, **results)
    assert grades.final("ada").parts["in-words"] is None
    assert grades.final("ben").verdicts["in-words"].remarks == ["Why?", "Good."]
    (line,) = grades.lists()["Written answers on which markers differ, without points so far"]
    assert "ada" in line
    assert "Yan ✓––, Zoe ✓✓–" in line
    marks(tmp_path / "out", "Yan", (SUM, "110", "Agreed.", "yes"), (alike, "100", "Why?"))
    settled = graded(with_words, tmp_path, **results)
    assert settled.final("ada").verdicts["in-words"] == marking.Verdict([True, True, False], ["Agreed."])


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (b"", "is empty"),
        (b"question;answer\r\nin-words;b\r\n", "it has no column first, second, third"),
        (
            b"question,answer,first,second,third\nin-words,bcd,yes,maybe,no\n",
            "row 2: first, second, third are yes or no",
        ),
        (b"question,answer,first,second,third\nother,bcd,yes,no,no\n", "there is no written question 'other'"),
        (b"PK\x03\x04", "is an Excel workbook"),
    ],
)
def test_a_file_of_marks_that_is_not_understood_is_named(table, says, with_words, tmp_path):
    marks(tmp_path / "out", "Zoe", (SUM, "111", ""))
    (tmp_path / "out" / "marks-x.csv").write_bytes(table)
    grades = graded(with_words, tmp_path, ada=result(with_words, SUM))
    assert grades.final("ada").score == 10
    (line,) = grades.lists()["Files of markers that are not understood"]
    assert "marks-x.csv" in line
    assert says in line


def test_a_file_that_a_spreadsheet_saved_again_is_read(with_words, tmp_path):
    marks(tmp_path / "out", "Zoe", (SUM, "101", "Größe; und mehr"))
    path = tmp_path / "out" / "marks-Zoe.csv"
    table = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"))))
    with path.open("w", encoding="cp1252", newline="") as file:
        csv.writer(file, delimiter=";").writerows([row[:6] for row in table])
    grades = graded(with_words, tmp_path, ada=result(with_words, SUM))
    assert grades.final("ada").verdicts["in-words"] == marking.Verdict([True, False, True], ["Größe; und mehr"])


def test_a_reworded_rubric_keeps_its_marks_and_is_said(with_words, tmp_path):
    marks(tmp_path / "out", "Zoe", (SUM, "101", ""))
    path = tmp_path / "out" / "marks-Zoe.csv"
    path.write_bytes(path.read_bytes().replace(b"no,\r\n", b"no,otherwords\r\n"))
    grades = graded(with_words, tmp_path, ada=result(with_words, SUM))
    assert grades.final("ada").score == 9.33
    assert grades.lists()["Marked by other lines than the rubric has now"] == ["in-words: 1"]


def test_an_answer_without_its_heading_waits_for_a_person(with_words, tmp_path):
    lost, none = replace(result(with_words), written={}), model.Result(0, problem="The file is empty.")
    other = replace(lost, problem="It is another notebook.")
    grades = graded(with_words, tmp_path, None, ada=lost, ben=other, cid=none)
    assert ["ada: in-words"] in grades.lists().values()
    shown = [name for name in ("report", "feedback/ada", "feedback/cid") if "heading" in page(grades, f"{name}.html")]
    assert shown == ["report", "feedback/ada"]
    assert "Mark the written answers: 0" not in page(grades, "report.html")


def test_a_group_is_graded_once(with_words, tmp_path):
    decisions = {"groups": [["ada", "bea"]], "students": {"ada": {"points": {"in-words": 2}}}}
    grades = graded(with_words, tmp_path, decisions, "ada\nbea", ada=result(with_words, "Because."))
    assert grades.final("bea").score == 10
    assert page(grades, "marking.html").count("Because.") == 1
    assert "Because." in page(grades, "feedback/bea.html")
    own = decisions["students"] | {"bea": {"points": {"in-words": 1}}}
    decisions |= {"students": own}
    grades = graded(with_words, tmp_path, decisions, "ada\nbea", ada=result(with_words, "Because."))
    assert grades.final("bea").score == 9


def test_a_very_long_answer_is_cut(with_words):
    pieces = [f"{n} " + "x" * 90 for n in range(30_000)]
    answer = result(with_words, *pieces).written["in-words"]
    assert len(answer) < finding.LONGEST + 100
    assert answer.endswith(f"{len(''.join(pieces)) + 2 * len(pieces) - 2} characters.)")


def test_a_student_sees_whether_an_answer_is_found(with_words, bubblewrap, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import course

    (tmp_path / "n.ipynb").write_text(json.dumps(handed_in(with_words, "Because variances add.")), encoding="utf-8")
    course.run(["try", f"NOTEBOOK={tmp_path / 'n.ipynb'}", f"COURSE={tmp_path / 'words'}"])
    assert "In your own words: a person will read it; words found: 3\n" in capsys.readouterr().out
