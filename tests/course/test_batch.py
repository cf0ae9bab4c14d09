"""A folder is graded as a whole: damaged files, interruption, a worker that dies, a busy machine, a full disk."""

import csv
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from attncourse import batch, downloads, examiner, gradebook, marks, model
from coursework import SHORT, answers, graded, notebook


@pytest.fixture
def folder(tmp_path, assignment, bubblewrap):
    place = tmp_path / "in"
    place.mkdir()
    for number in range(6):
        (place / f"student{number}.ipynb").write_bytes(notebook(*answers(assignment)[:number]))
    (place / "=cmd.ipynb").write_bytes(b"")
    (place / "notes.pdf").write_bytes(b"%PDF")
    (place / "empty").mkdir()
    (place / ("n" * 249 + ".ipynb")).write_bytes(notebook("1", *answers(assignment)))  # a page's ending has no room
    (place / "link.ipynb").symlink_to(place / "student5.ipynb")
    (place / "esc\x1b\n[31m.ipynb").write_bytes(b"{")
    (place / "Anna.ipynb").write_bytes(notebook(*answers(assignment)[:1]))
    (place / "anna.ipynb").write_bytes(b"{")
    (place / "far").mkdir()
    _far(place / "far")
    with open(os.fsencode(place) + b"/M\xfcller.ipynb", "wb") as file:
        file.write(notebook(*answers(assignment)))
    return place


def _far(folder):
    """Make a file whose path is too long for this machine, as a clone may have one."""
    before = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(20):
            os.mkdir("\x1b]0;x\x07" + "d" * 220)
            os.chdir("\x1b]0;x\x07" + "d" * 220)
        Path("hw.ipynb").write_bytes(b"{")
    finally:
        os.chdir(before)


def run(folder, assignment, out, mapper=None, seen=None, **more):
    mapper = mapper or batch.on_threads(2, assignment, marks.SEED, SHORT)
    return batch.run(assignment, downloads.read(folder), out, mapper, marks.SEED, SHORT, seen, **more)


def result(score=2, slow=False):
    """A result that no student's code is needed for."""
    return model.Result(score, [model.Mark("witness", "a test", True, score, True)], slow=slow)


def made_of(results, seen=None):
    """A mapper that gives prepared results, and notes what it was asked for."""

    def mapper(pairs):
        for name, _ in pairs:
            if seen is not None:
                seen.append(name)
            yield name, results(name) if callable(results) else results[name]

    return mapper


def plain(tmp_path, *names):
    place = tmp_path / "in"
    place.mkdir()
    for name in names:
        (place / f"{name}.ipynb").write_bytes(notebook(f"# {name}"))
    return place


def rows(out):
    return {row["student"]: row for row in csv.DictReader((out / "grades.csv").open(encoding="utf-8-sig", newline=""))}


def test_a_folder_with_damaged_files(folder, assignment, tmp_path):
    results = run(folder, assignment, tmp_path / "out")
    nothing = {"=cmd", "notes", "empty", "link", "student0", "esc  [31m", "anna (2)"} | {"far"}  # student0: no function
    assert {name: result.score for name, result in results.items()} == {
        **{f"student{n}": 2 * n for n in range(6)}, **dict.fromkeys(nothing, 0), "n" * 249: 10, "Anna": 2,
        "M\ufffdller": 10}  # fmt: skip
    assert len(rows(tmp_path / "out")) == len(results) == 16
    pages = [path.name for path in (tmp_path / "out" / "feedback").glob("*.html")]
    assert len({name.casefold() for name in pages}) == 16, "where case does not matter each has a page, too"
    assert all(name.isprintable() for name in pages)
    assert {name for name, result in results.items() if result.problem} == nothing
    assert run(folder, assignment, tmp_path / "out") == results, "again, from what is stored"


def test_a_stored_result_is_used_only_where_everything_is_the_same(assignment):
    one = [["a.ipynb", [0, ""], b"{}"]]
    first = (one, assignment, "1", SHORT)
    others = [([["b.ipynb", [0, ""], b"{}"]], assignment, "1", SHORT), (one * 2, assignment, "1", SHORT)]
    others += [(one, replace(assignment, title="x"), "1", SHORT), (one, assignment, "2", SHORT)]
    others += [(one, assignment, "1", replace(SHORT, cell=9)), ([["a.ipynb", [0, ""], "{}"]], assignment, "1", SHORT)]
    keys = [batch.key(*given) for given in (first, *others)]
    assert len(set(keys)) == len(keys)
    assert batch.key(*first) == keys[0]


def test_an_interrupted_run_goes_on_and_two_runs_agree(folder, assignment, tmp_path):
    done = []

    def stops(pairs):
        for pair in batch.on_threads(1, assignment, marks.SEED, SHORT)(pairs):
            if len(done) == 3:
                raise KeyboardInterrupt
            done.append(pair[0])
            yield pair

    with pytest.raises(KeyboardInterrupt):
        run(folder, assignment, tmp_path / "a", stops)
    assert set(rows(tmp_path / "a")) >= {name.replace("=cmd", "'=cmd") for name in done}, (
        "what is graded is in the table"
    )
    again = []

    def watched(pairs):
        for name, result in batch.on_threads(1, assignment, marks.SEED, SHORT)(pairs):
            again.append(name)
            yield name, result

    first = run(folder, assignment, tmp_path / "a", watched)
    assert not set(done) & set(again)
    assert len(again) == len(first) - 3
    run(folder, assignment, tmp_path / "b")
    for name in ["grades.csv", "report.html", "feedback.zip", "feedback/student3.html"]:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_table_is_written_as_results_arrive(assignment, tmp_path):
    place, out = plain(tmp_path, "a", "b", "c"), tmp_path / "out"
    seen = []

    def mapper(pairs):
        for name, _ in pairs:
            if name != "a":
                seen.append(set(rows(out)))
            yield name, result()

    run(place, assignment, out, mapper)
    assert seen == [{"a"}, {"a", "b"}]


def test_one_bad_thing_loses_nothing_else(assignment, tmp_path):
    """A folder where a page should lie, one where a result should, and a grader that breaks in the middle."""
    place, out = plain(tmp_path, "a", "b", "c"), tmp_path / "out"
    (out / "feedback" / "a.html").mkdir(parents=True)
    (out / "feedback" / "mine").mkdir()
    (out / "feedback" / "notes.txt").write_text("kept")
    there = downloads.read(place)
    grades = gradebook.Grades(assignment, there, out)
    key = batch.key(there.submissions["b"].load(), assignment, marks.SEED, SHORT)
    (out / "results" / f"{key}.json").mkdir(parents=True)

    def mapper(pairs):
        yield from made_of(lambda name: result())(pairs)
        raise RuntimeError("a worker is gone")

    with pytest.raises(RuntimeError):
        batch.run(assignment, there, out, mapper, marks.SEED, SHORT, None, grades)
    assert set(rows(out)) == {"a", "b", "c"}
    assert len(grades.errors) == 2
    assert (out / "report.html").is_file()
    assert (out / "feedback" / "notes.txt").read_text() == "kept"
    assert (out / "feedback" / "b.html").is_file()


def test_a_full_disk_is_told_and_grading_goes_on(assignment, tmp_path, monkeypatch):
    place, out = plain(tmp_path, "a", "b"), tmp_path / "out"
    real = Path.write_bytes

    def full(path, data):
        if "results" in path.parts:
            raise OSError(28, "No space left on device", str(path))
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    grades = gradebook.Grades(assignment, downloads.read(place), out)
    batch.run(assignment, None, out, made_of(lambda name: result()), marks.SEED, SHORT, None, grades)
    assert {name: row["score"] for name, row in rows(out).items()} == {"a": "2", "b": "2"}
    assert "No space left" in grades.lists()["Could not be written"][0]


def test_pages_of_students_who_left_go_and_nothing_else(assignment, tmp_path):
    place, out = plain(tmp_path, "a", "b"), tmp_path / "out"
    run(place, assignment, out, made_of(lambda name: result()))
    (out / "feedback" / "mine.html").write_text("kept")
    (place / "b.ipynb").unlink()
    run(place, assignment, out, made_of(lambda name: result()))
    assert sorted(p.name for p in (out / "feedback").glob("*.html")) == ["a.html", "mine.html"]


def test_a_timeout_is_not_stored_and_is_tried_once_more_alone(assignment, tmp_path):
    place, out, asked = plain(tmp_path, "busy", "good", "loop"), tmp_path / "out", []
    first, second = (
        replace(result(n, n == 0), remarks=[f"the {words}"]) for n, words in ((0, "first run"), (9, "second"))
    )
    times = {"busy": iter([first, second]), "good": iter([result(5)])}
    times["loop"] = iter([result(n, True) for n in range(1, 5)])
    grades = gradebook.Grades(assignment, downloads.read(place), out)
    mapper = made_of(lambda name: next(times[name]), asked)
    batch.run(assignment, None, out, mapper, marks.SEED, SHORT, None, grades)
    assert asked == ["busy", "good", "loop", "busy", "loop"]
    assert grades.results["busy"].score == 9
    assert grades.results["busy"].remarks[0] == "the first run"
    assert "the second" not in repr(grades.results["busy"]), "which may know what a hidden test asked"
    assert grades.lists()["A time limit was reached, also when tried alone"] == ["loop"]
    assert len(list((out / "results").glob("*.json"))) == 2
    run(place, assignment, out, mapper)
    assert asked[5:] == ["loop", "loop"]


def test_a_real_timeout_is_recognised(assignment, bubblewrap):
    limits = replace(SHORT, cell=0.5, call=0.5)
    for cells in (["while True: pass"], ["def leaves(d_k, t):\n    while True: pass"]):
        assert graded(notebook(*cells), assignment, limits=limits).slow
    assert graded(notebook(*["while True: pass"] * 3), assignment, limits=replace(SHORT, cell=0.5, total=0.7)).slow
    assert not graded(notebook("1 / 0"), assignment).slow


@pytest.mark.parametrize("where", ["_row_now", "_page", "final"])
def test_an_error_while_something_is_written_costs_that_student_only(where, assignment, tmp_path, monkeypatch):
    """Whatever is raised, of whatever type."""
    place, out = plain(tmp_path, "a", "b", "c"), tmp_path / "out"
    real = getattr(gradebook.Grades, where)

    def breaks(self, student, *given):
        if student == "b" and (where != "final" or self.results.get("b", result()).score is not None):
            raise RecursionError("deep")
        return real(self, student, *given)

    monkeypatch.setattr(gradebook.Grades, where, breaks)
    run(place, assignment, out, made_of(lambda name: result()))
    assert {name: row["score"] for name, row in rows(out).items()} == {
        "a": "2",
        "b": "" if where == "final" else "2",
        "c": "2",
    }
    assert "RecursionError: deep" in (out / "report.html").read_text()
    assert (out / "feedback" / "c.html").is_file()


def test_force_grades_one_student_again(assignment, tmp_path):
    place, out, asked = plain(tmp_path, "a", "b"), tmp_path / "out", []
    run(place, assignment, out, made_of(lambda name: result(1)))
    results = run(place, assignment, out, made_of(lambda name: result(7), asked), force={"b"})
    assert asked == ["b"]
    assert {name: r.score for name, r in results.items()} == {"a": 1, "b": 7}
    assert run(place, assignment, out, made_of({}))["b"].score == 7, "and the new result is stored"


def test_a_damaged_stored_result_is_graded_again(assignment, tmp_path):
    place, out = plain(tmp_path, "a"), tmp_path / "out"
    run(place, assignment, out, made_of(lambda name: result(1)))
    for path in (out / "results").iterdir():
        path.write_text("{")
    assert run(place, assignment, out, made_of(lambda name: result(3)))["a"].score == 3


def test_an_examiner_that_is_killed_costs_one_submission_at_most(folder, assignment, tmp_path):
    killed = []

    def kill_one():
        if not killed:
            killed.append(next(iter(examiner._running.values())).process)
            killed[0].kill()

    results = run(folder, assignment, tmp_path / "out", None, kill_one)
    scores = {n: results[f"student{n}"].score for n in range(6)}
    assert sum(score != 2 * n for n, score in scores.items()) <= 1
    assert json.loads((tmp_path / "out" / "feedback" / ".written").read_text())
    again = run(folder, assignment, tmp_path / "out")
    assert {n: again[f"student{n}"].score for n in range(6)} == {n: 2 * n for n in range(6)}


def test_why_a_hidden_test_failed_is_for_the_instructor_alone(assignment, tmp_path):
    place, out = plain(tmp_path, "a"), tmp_path / "out"
    why = "ValueError: =secret\x1b of a hidden test"
    failed = model.Result(0, [model.Mark("witness", "a test", True, 1, False, why)])
    run(place, assignment, out, made_of({"a": failed}))
    table = (out / "hidden.csv").read_text(encoding="utf-8-sig").splitlines()
    assert table[1] == "a,witness,a test,1,ValueError: =secret  of a hidden test"
    for path in out.rglob("*"):
        if path.is_file() and path.name != "hidden.csv" and path.parent.name != "results":
            assert b"secret" not in path.read_bytes(), path
