"""A folder is graded as a whole: damaged files, interruption, a process that dies, a busy machine, a full disk."""

import csv
import json
import os
import threading
import tracemalloc
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from attncourse import asking, batch, downloads, gradebook, gradefiles, marks, model, submissions
from coursework import SHORT, Class, answers, graded, notebook


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


def run(folder, assignment, out, mapper=None, progress=None, **more):
    """Grade a folder, or a `Download`; returns the `Grades`, also where the mapper breaks."""
    download = downloads.read(folder) if isinstance(folder, Path) else folder
    grades = Class(assignment, download, out)
    mapper = mapper or batch.on_threads(2, assignment, marks.SEED, SHORT)
    batch.run(grades, grades.files, mapper, marks.SEED, SHORT, progress, **more)
    return grades


def result(score=2, slow=0, passed=True, seen=0):
    """A result that no student's code is needed for; `slow` limits were reached, `seen` of them before the tests."""
    mark = model.Mark("witness", "a test", True, score, passed)
    return model.Result(score, [mark], file=0, slow=slow, slow_before_tests=seen)


def made_of(results, asked=None):
    """A mapper that gives prepared results, and notes what it was asked for."""

    def mapper(pairs):
        for name, _ in pairs:
            if asked is not None:
                asked.append(name)
            yield name, results(name) if callable(results) else results[name]

    return mapper


def always(name):
    return result()


def plain(tmp_path, *names):
    place = tmp_path / "in"
    place.mkdir()
    for name in names:
        (place / f"{name}.ipynb").write_bytes(notebook(f"# {name}"))
    return place


def rows(out):
    return {row["student"]: row for row in csv.DictReader((out / "grades.csv").open(encoding="utf-8-sig", newline=""))}


def test_a_folder_with_damaged_files(folder, assignment, tmp_path):
    results = run(folder, assignment, tmp_path / "out").results
    nothing = {"=cmd", "notes", "empty", "link", "student0", "esc  [31m", "anna (2)", "far"}  # student0: no function
    assert {name: result.score for name, result in results.items()} == {
        **{f"student{n}": 2 * n for n in range(6)},
        **dict.fromkeys(nothing, 0),
        "n" * 249: 10,
        "Anna": 2,
        "M\ufffdller": 10,
    }
    assert len(rows(tmp_path / "out")) == len(results) == 16
    pages = [path.name for path in (tmp_path / "out" / "feedback").glob("*.html")]
    assert len({name.casefold() for name in pages}) == 16, "where case does not matter each has a page, too"
    assert all(name.isprintable() for name in pages)
    assert {name for name, result in results.items() if result.problem} == nothing
    assert run(folder, assignment, tmp_path / "out").results == results, "again, from what is stored"


def test_a_stored_result_is_used_only_where_everything_is_the_same(assignment):
    def key(files, *depends):
        return batch.key(batch.hashed(files), batch.about(*depends))

    one = [["a.ipynb", [0, ""], b"{}"]]
    first = (one, assignment, "1", SHORT)
    others = [([["b.ipynb", [0, ""], b"{}"]], assignment, "1", SHORT), (one * 2, assignment, "1", SHORT)]
    others += [(one, replace(assignment, title="x"), "1", SHORT), (one, assignment, "2", SHORT)]
    others += [(one, assignment, "1", replace(SHORT, cell=9)), ([["a.ipynb", [0, ""], "{}"]], assignment, "1", SHORT)]
    keys = [key(*about) for about in (first, *others)]
    assert len(set(keys)) == len(keys)
    assert key(*first) == keys[0]


def test_an_interrupted_run_goes_on_and_two_runs_agree(folder, assignment, tmp_path):
    done, again = [], []

    def grading(into, stop):
        for pair in batch.on_threads(1, assignment, marks.SEED, SHORT)(stop):
            if into is done and len(done) == 3:
                raise KeyboardInterrupt
            into.append(pair[0])
            yield pair

    with pytest.raises(KeyboardInterrupt):
        run(folder, assignment, tmp_path / "a", lambda pairs: grading(done, pairs))
    assert set(rows(tmp_path / "a")) >= {name.replace("=cmd", "'=cmd") for name in done}
    first = run(folder, assignment, tmp_path / "a", lambda pairs: grading(again, pairs))
    assert not set(done) & set(again)
    assert len(again) == len(first.results) - 3
    run(folder, assignment, tmp_path / "b")
    for name in ["grades.csv", "report.html", "feedback.zip", "feedback/student3.html"]:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_what_cannot_be_written_is_named_and_loses_nothing_else(assignment, tmp_path):
    """A folder where a page should lie, one where a result should, and a grader that breaks in the middle."""
    place, out = plain(tmp_path, "a", "b", "c"), tmp_path / "out"
    (out / "feedback" / "a.html").mkdir(parents=True)
    (out / "feedback" / "notes.txt").write_text("mine")
    there = downloads.read(place)
    handed = batch.hashed(there.submissions["b"].load())
    key = batch.key(handed, batch.about(assignment, marks.SEED, SHORT))
    (out / "results" / f"{key}.json").mkdir(parents=True)

    def mapper(pairs):
        yield from made_of(always)(pairs)
        raise RuntimeError("a process is gone")

    with pytest.raises(RuntimeError):
        run(place, assignment, out, mapper)
    assert {name: row["score"] for name, row in rows(out).items()} == dict.fromkeys("abc", "2")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "a.html" in page
    assert key in page
    assert (out / "feedback" / "notes.txt").read_text() == "mine"
    assert (out / "feedback" / "b.html").is_file()


def test_pages_of_students_who_left_go_and_nothing_else(assignment, tmp_path):
    place, out = plain(tmp_path, "a", "b"), tmp_path / "out"
    run(place, assignment, out, made_of(always))
    (out / "feedback" / "mine.html").write_text("mine")
    (place / "b.ipynb").unlink()
    run(place, assignment, out, made_of(always))
    assert sorted(p.name for p in (out / "feedback").glob("*.html")) == ["a.html", "mine.html"]


def test_a_timeout_is_tried_once_more_alone_and_never_again(assignment, tmp_path):
    place, out, asked = plain(tmp_path, "busy", "good", "loop"), tmp_path / "out", []
    first = replace(result(0, 1, False, seen=1), remarks=["the first run"], problem="too slow for a point")
    second = result(9)
    times = {"busy": iter([first, replace(second, remarks=["the second"])]), "good": iter([result(5)])}
    times["loop"] = iter([result(1, 3, False), result(2, 3, False)])
    mapper = made_of(lambda name: next(times[name]), asked)
    grades = run(place, assignment, out, mapper)
    assert asked == ["busy", "good", "loop", "busy", "loop"]
    assert grades.results["busy"].score == 9
    assert grades.results["busy"].remarks == ["the first run", batch.AGAIN]
    assert not grades.results["busy"].problem
    assert "the second" not in repr(grades.results["busy"]), "which may know what a hidden test asked"
    assert ["loop"] in grades.lists().values()
    assert len(list((out / "results").glob("*.json"))) == 3
    again = run(place, assignment, out, mapper)
    assert len(asked) == 5, "what is slow by itself costs its time once"
    assert ["loop"] in again.lists().values()
    assert again.results == grades.results


def test_a_file_that_was_not_read_in_time_is_graded_as_the_second_attempt_finds_it(assignment, tmp_path):
    unread = replace(result(0, 1, False), file=-1, problem="The files could not be read: it took too long.")
    read = replace(result(5), file=0, written={"in-words": "An answer."}, sources={"f": "def f(): ..."})
    times = iter([unread, read])
    grades = run(plain(tmp_path, "a"), assignment, tmp_path / "out", made_of(lambda name: next(times)))
    assert grades.results["a"] == replace(read, remarks=[batch.AGAIN])


def test_a_result_comes_as_soon_as_it_is_there(assignment, monkeypatch):
    """At the end of a class, too, where an early one may take long: whatever came is kept if the run is interrupted."""
    fast_came = threading.Event()

    def grade(self, files, *_):
        if files == "slow":
            fast_came.wait(20)
        return result()

    monkeypatch.setattr(asking.Examiners, "grade", grade)
    results = batch.on_threads(2, assignment, marks.SEED, SHORT)((name, name) for name in ("slow", "fast"))
    assert next(results)[0] == "fast"
    fast_came.set()
    assert next(results)[0] == "slow"


def test_many_slow_submissions_share_one_time_for_second_attempts(assignment, tmp_path, monkeypatch):
    """Who reached fewest limits goes first; who has every point needs none; the others keep their first result."""
    place, out, asked, clock = plain(tmp_path, *"abcdef"), tmp_path / "out", [], [0]
    limits = {"a": 9, "b": 7, "c": 8, "d": 1, "e": 2, "f": 6}
    monkeypatch.setattr(batch.time, "monotonic", lambda: clock[0])

    def graded(name):
        clock[0] += batch.SECOND_ATTEMPT_SECONDS * 0.6 if asked.count(name) == 2 else 0
        return result(3, limits[name], passed=name == "e")

    grades = run(place, assignment, out, made_of(graded, asked))
    assert asked[6:] == ["d", "f"]
    assert sorted(grades.results) == list("abcdef")
    assert grades.lists()["A time limit was reached"] == list("abcdef")
    assert len(list((out / "results").glob("*.json"))) == 6
    run(place, assignment, out, made_of(graded, asked), force={"b"})
    assert asked[8:] == ["b", "b"], "whoever is asked for by name has a second attempt"


def test_an_interruption_before_the_second_attempt_keeps_it(assignment, tmp_path):
    place, out, asked = plain(tmp_path, "a", "b"), tmp_path / "out", []

    def interrupted(pairs):
        if asked:
            raise KeyboardInterrupt
        yield from made_of(lambda name: result(1, 1, False), asked)(pairs)

    with pytest.raises(KeyboardInterrupt):
        run(place, assignment, out, interrupted)
    assert {name: row["score"] for name, row in rows(out).items()} == {"a": "0", "b": "0"}
    times = iter([result(1, 1, False)] * 2 + [result(5)] * 2)
    later = run(place, assignment, out, made_of(lambda name: next(times), asked))
    assert {name: r.score for name, r in later.results.items()} == {"a": 5, "b": 5}


@pytest.mark.parametrize("when", ["in a cell", "in a hidden test", "in a visible test"])
def test_a_student_hears_of_a_second_attempt_only_where_no_test_caused_it(when, assignment, tmp_path, bubblewrap):
    """Right answers, and below them the same name again: slow for what only a test asks, or for everything."""
    asks = {"in a cell": "False", "in a hidden test": "len(S) not in (1, 3)", "in a visible test": "S.shape == (1, 2)"}[
        when
    ]
    later = f"def gradient_left(S):\n    import time\n    if {asks}: time.sleep(60)\n    raise ValueError"
    visible = [source for question in assignment.questions for source in question.visible]
    cells = [*answers(assignment), *visible, later, "import time; time.sleep(60)" if when == "in a cell" else "1"]
    place = plain(tmp_path, "x")
    (place / "x.ipynb").write_bytes(notebook(*cells))
    limits, out = replace(SHORT, cell=0.5, call=0.5), tmp_path / "out"
    grades = Class(assignment, downloads.read(place), out)
    batch.run(grades, grades.files, batch.on_threads(1, assignment, marks.SEED, limits), marks.SEED, limits)
    page = (out / "feedback" / "x.html").read_text(encoding="utf-8")
    heard = "time limit" in page or "more than" in page
    assert grades.results["x"].slow, "a limit was reached"
    assert grades.results["x"].score == 10
    assert heard == (when == "in a cell")


def test_a_real_timeout_is_recognised(assignment, bubblewrap):
    limits = replace(SHORT, cell=0.5, call=0.5)
    for cells in (["while True: pass"], ["def leaves(d_k, t):\n    while True: pass"]):
        assert graded(notebook(*cells), assignment, limits=limits).slow
    assert graded(notebook(*["while True: pass"] * 3), assignment, limits=replace(SHORT, cell=0.5, total=0.7)).slow
    assert not graded(notebook("1 / 0"), assignment).slow


@pytest.mark.parametrize("where", ["_row", "page", "final"])
def test_an_error_while_something_is_written_costs_that_student_only(where, assignment, tmp_path, monkeypatch):
    """Whatever is raised, of whatever type."""
    out, owner = tmp_path / "out", gradebook.Grades if where == "final" else gradefiles.GradeFiles
    real = getattr(owner, where)

    def breaks(self, student, *more):
        if student == "b" and (where != "final" or self.results.get("b", result()).score is not None):
            raise RecursionError("deep")
        return real(self, student, *more)

    monkeypatch.setattr(owner, where, breaks)
    run(plain(tmp_path, "a", "b", "c"), assignment, out, made_of(always))
    expected = {"a": "2", "c": "2"} | ({"b": "" if where == "final" else "2"} if where != "_row" else {})
    assert {name: row["score"] for name, row in rows(out).items()} == expected
    assert "RecursionError: deep" in (out / "report.html").read_text()
    assert (out / "feedback" / "c.html").is_file()


def test_a_forced_student_and_a_damaged_result_are_graded_again(assignment, tmp_path):
    place, out, asked = plain(tmp_path, "a", "b"), tmp_path / "out", []
    run(place, assignment, out, made_of(lambda name: result(1)))
    forced = run(place, assignment, out, made_of(lambda name: result(7), asked), force={"b"})
    assert asked == ["b"]
    assert {name: r.score for name, r in forced.results.items()} == {"a": 1, "b": 7}
    assert run(place, assignment, out, made_of({})).results["b"].score == 7, "and the new result is stored"
    for path in (out / "results").iterdir():
        path.write_text("{")
    assert run(place, assignment, out, made_of(lambda name: result(3))).results["a"].score == 3


def test_an_examiner_that_is_killed_costs_one_submission_at_most(folder, assignment, tmp_path, monkeypatch):
    started, killed = [], []

    class Seen(asking.Examiner):
        def __init__(self):
            super().__init__()
            started.append(self.process)

    monkeypatch.setattr(asking, "Examiner", Seen)

    def kill_one():
        if not killed:
            killed.append(started[0])
            killed[0].kill()

    results = run(folder, assignment, tmp_path / "out", None, kill_one).results
    assert killed
    assert sum(results[f"student{n}"].score != 2 * n for n in range(6)) <= 1
    again = run(folder, assignment, tmp_path / "out").results
    assert {n: again[f"student{n}"].score for n in range(6)} == {n: 2 * n for n in range(6)}


@pytest.mark.parametrize("again", [False, True])
def test_an_interruption_ends_every_examiner_first_and_starts_none(
    again, assignment, tmp_path, monkeypatch, bubblewrap
):
    """Wherever it comes, with submissions that hang and others that wait; a second one waits for nobody."""
    place, started, seen = plain(tmp_path, "a", "b", "c", "d"), [], []
    for name in "bcd":
        (place / f"{name}.ipynb").write_bytes(notebook("while True: pass"))

    class Seen(asking.Examiner):
        def __init__(self):
            super().__init__()
            started.append(self.process)
            wait, self.process.wait = self.process.wait, lambda *limits: interrupted(wait, *limits)

    def interrupted(wait, *limits):
        if again and limits and not seen:
            seen.append("again")
            raise KeyboardInterrupt
        return wait(*limits)

    def stop():
        raise KeyboardInterrupt

    alive = []
    monkeypatch.setattr(asking, "Examiner", Seen)
    monkeypatch.setattr(
        gradefiles.GradeFiles, "finish", lambda files: alive.extend(process.poll() is None for process in started)
    )
    with pytest.raises(KeyboardInterrupt):
        run(place, assignment, tmp_path / "out", batch.on_threads(2, assignment, marks.SEED, SHORT), stop)
    assert alive == [False, False]
    assert len(started) == 2
    assert (seen == ["again"]) == again


def test_why_a_hidden_test_failed_is_for_the_instructor_alone(assignment, tmp_path):
    out, why = tmp_path / "out", "ValueError: =secret\x1b of a hidden test"
    failed = model.Result(0, [model.Mark("witness", "a test", True, 1, False, why)])
    run(plain(tmp_path, "a"), assignment, out, made_of({"a": failed}))
    table = (out / "hidden.csv").read_text(encoding="utf-8-sig").splitlines()
    assert table[1] == "a,witness,a test,1,ValueError: =secret  of a hidden test,"
    for path in out.rglob("*"):
        if path.is_file() and path.name != "hidden.csv" and path.parent.name != "results":
            assert b"secret" not in path.read_bytes(), path


@pytest.mark.parametrize("where", ["outputs", "source", "result"])
def test_memory_does_not_grow_with_the_class(where, assignment, tmp_path):
    """30 notebooks of a megabyte, or results with the text of long tests; few are held at a time, in the report too."""
    cells = [*answers(assignment), f"# {'x' * (1 << 20)}" if where == "source" else "1"]
    book = json.loads(notebook(*cells))
    if where == "outputs":
        book["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * (1 << 20)}]
    data = json.dumps(book).encode()
    names = [f"student{n:02}" for n in range(30)]
    files = {name: submissions.File(name, f"{name}.ipynb", lambda: bytes(bytearray(data))) for name in names}
    there = submissions.Download({name: submissions.Submission(name, (files[name],)) for name in names}, "", [], [])
    mark = model.Mark("witness", "x" * ((1 << 20) if where == "result" else 1), True, 1, True)
    text = json.dumps(asdict(model.Result(1, [mark])))
    tracemalloc.start()
    try:
        run(there, assignment, tmp_path, made_of(lambda name: model.Result.load(json.loads(text))))
        peak = tracemalloc.get_traced_memory()[1] >> 20
    finally:
        tracemalloc.stop()
    assert peak < 20
    assert (tmp_path / "report.html").is_file()


def test_a_second_attempt_that_the_grader_spoils_leaves_the_first(assignment, tmp_path):
    place, times = plain(tmp_path, "a"), iter([result(3, 1), model.Result(None, fault="no memory")])
    first = model.Mark("witness", "another", True, 1, False)
    given = [replace(found, marks=[*found.marks, first]) if found.score else found for found in times]
    grades = run(place, assignment, tmp_path / "out", made_of(lambda name: given.pop(0)))
    assert grades.results["a"].score == 3
    assert not given, "it was tried twice"
