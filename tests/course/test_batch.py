"""A folder is graded as a whole: damaged files, interruption, a worker that dies, a busy machine, a full disk."""

import csv
import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from attncourse import batch, downloads, gradebook, marks
from coursework import ROOT, SHORT, answers, notebook


@pytest.fixture
def folder(tmp_path, bundle, bubblewrap):
    place = tmp_path / "in"
    place.mkdir()
    for number in range(6):
        (place / f"student{number}.ipynb").write_bytes(notebook(*answers(bundle)[:number]))
    (place / "=cmd.ipynb").write_bytes(b"")
    (place / "notes.pdf").write_bytes(b"%PDF")
    (place / "empty").mkdir()
    (place / ("n" * 249 + ".ipynb")).write_bytes(notebook("1", *answers(bundle)))  # a page's ending has no room left
    (place / "link.ipynb").symlink_to(place / "student5.ipynb")
    return place


def run(folder, bundle, out, mapper=None, seen=None, **more):
    found = downloads.read(folder)[0]
    mapper = mapper or batch.in_process(bundle, marks.SEED, SHORT)
    return batch.run(bundle, found, out, mapper, marks.SEED, SHORT, seen, **more)


def result(score=2, remark=""):
    """A result that no student's code is needed for."""
    mark = {"exercise": "witness", "name": "a test", "hidden": True, "points": score, "earned": score, "passed": True}
    return {"score": score, "marks": [mark | {"remark": ""}], "remarks": [remark] * bool(remark)}


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


def test_a_folder_with_damaged_files(folder, bundle, tmp_path):
    results = run(folder, bundle, tmp_path / "out")
    assert {name: result["score"] for name, result in results.items()} == {
        **{f"student{n}": 2 * n for n in range(6)}, "=cmd": 0, "notes": 0, "empty": 0, "link": 0,
        "n" * 249: 10}  # fmt: skip
    assert len(rows(tmp_path / "out")) == 11
    assert len(list((tmp_path / "out" / "feedback").glob("*.html"))) == 11
    nothing = {name for name, result in results.items() if "file" in result}
    assert nothing == {"=cmd", "notes", "empty", "link", "student0"}  # student0 defines no function at all


def test_a_stored_result_is_used_only_where_everything_is_the_same(bundle):
    first = (b"{}", bundle, "1", SHORT)
    others = [(b"[]", bundle, "1", SHORT), (b"{}", bundle | {"title": "x"}, "1", SHORT), (b"{}", bundle, "2", SHORT)]
    others += [(b"{}", bundle, "1", replace(SHORT, cell=9)), ("{}", bundle, "1", SHORT)]
    keys = [batch.key(*given) for given in (first, *others)]
    assert len(set(keys)) == len(keys)
    assert batch.key(*first) == keys[0]


def test_an_interrupted_run_goes_on_and_two_runs_agree(folder, bundle, tmp_path):
    done = []

    def stops(pairs):
        for pair in batch.in_process(bundle, marks.SEED, SHORT)(pairs):
            if len(done) == 3:
                raise KeyboardInterrupt
            done.append(pair[0])
            yield pair

    with pytest.raises(KeyboardInterrupt):
        run(folder, bundle, tmp_path / "a", stops)
    assert set(rows(tmp_path / "a")) == {name.replace("=cmd", "'=cmd") for name in done}, (
        "what is graded is in the table"
    )
    again = []

    def watched(pairs):
        for name, result in batch.in_process(bundle, marks.SEED, SHORT)(pairs):
            again.append(name)
            yield name, result

    first = run(folder, bundle, tmp_path / "a", watched)
    assert not set(done) & set(again)
    assert len(again) == len(first) - 3
    run(folder, bundle, tmp_path / "b")
    for name in ["grades.csv", "report.html", "feedback.zip", "feedback/student3.html"]:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_table_is_written_as_results_arrive(bundle, tmp_path):
    place, out = plain(tmp_path, "a", "b", "c"), tmp_path / "out"
    seen = []

    def mapper(pairs):
        for name, _ in pairs:
            if name != "a":
                seen.append(set(rows(out)))
            yield name, result()

    run(place, bundle, out, mapper)
    assert seen == [{"a"}, {"a", "b"}]


def test_one_bad_thing_loses_nothing_else(bundle, tmp_path):
    """A folder where a page should lie, one where a result should, and a grader that breaks in the middle."""
    place, out = plain(tmp_path, "a", "b", "c"), tmp_path / "out"
    (out / "feedback" / "a.html").mkdir(parents=True)
    (out / "feedback" / "mine").mkdir()
    (out / "feedback" / "notes.txt").write_text("kept")
    found = downloads.read(place)[0]
    grades = gradebook.Grades(bundle, found, out)
    key = batch.key(notebook("# b"), bundle, marks.SEED, SHORT)
    (out / "results" / f"{key}.json").mkdir(parents=True)

    def mapper(pairs):
        yield from made_of(lambda name: result())(pairs)
        raise RuntimeError("a worker is gone")

    with pytest.raises(RuntimeError):
        batch.run(bundle, found, out, mapper, marks.SEED, SHORT, None, grades)
    assert set(rows(out)) == {"a", "b", "c"}
    assert len(grades.trouble) == 2
    assert (out / "report.html").is_file()
    assert (out / "feedback" / "notes.txt").read_text() == "kept"
    assert (out / "feedback" / "b.html").is_file()


def test_a_full_disk_is_told_and_grading_goes_on(bundle, tmp_path, monkeypatch):
    place, out = plain(tmp_path, "a", "b"), tmp_path / "out"
    real = Path.write_bytes

    def full(path, data):
        if "results" in path.parts:
            raise OSError(28, "No space left on device", str(path))
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    grades = gradebook.Grades(bundle, downloads.read(place)[0], out)
    batch.run(bundle, grades.found, out, made_of(lambda name: result()), marks.SEED, SHORT, None, grades)
    assert {name: row["score"] for name, row in rows(out).items()} == {"a": "2", "b": "2"}
    assert "No space left" in grades.lists()["Could not be written"][0]


def test_pages_of_students_who_left_go_and_nothing_else(bundle, tmp_path):
    place, out = plain(tmp_path, "a", "b"), tmp_path / "out"
    run(place, bundle, out, made_of(lambda name: result()))
    (out / "feedback" / "mine.html").write_text("kept")
    (place / "b.ipynb").unlink()
    run(place, bundle, out, made_of(lambda name: result()))
    assert sorted(p.name for p in (out / "feedback").glob("*.html")) == ["a.html", "mine.html"]


SLOW = ["Code cell 2 was skipped: it took more than 10 s.", "OutOfTime: the 90 s for one submission are used up"]


@pytest.mark.parametrize("words", SLOW)
def test_a_timeout_is_not_stored_and_is_tried_once_more_alone(words, bundle, tmp_path):
    place, out, asked = plain(tmp_path, "busy", "good", "loop"), tmp_path / "out", []
    times = {"busy": iter([result(0, words), result(9)]), "good": iter([result(5)])}
    times["loop"] = iter([result(1, words), result(2, words), result(3, words), result(4, words)])
    grades = gradebook.Grades(bundle, downloads.read(place)[0], out)
    mapper = made_of(lambda name: next(times[name]), asked)
    batch.run(bundle, grades.found, out, mapper, marks.SEED, SHORT, None, grades)
    assert asked == ["busy", "good", "loop", "busy", "loop"]
    assert grades.results["busy"]["score"] == 9
    assert grades.lists()["A time limit was reached, also when tried alone"] == ["loop"]
    assert len(list((out / "results").glob("*.json"))) == 2
    run(place, bundle, out, mapper)
    assert asked[5:] == ["loop", "loop"]


def test_a_real_timeout_is_recognised(bundle, bubblewrap):
    limits = replace(SHORT, cell=0.5, call=0.5)
    for cells in (["while True: pass"], ["def leaves(d_k, t):\n    while True: pass"]):
        assert batch.timed_out(batch.grade_or_say(notebook(*cells), bundle, marks.SEED, limits))
    short = replace(SHORT, cell=0.5, total=0.7)
    assert batch.timed_out(batch.grade_or_say(notebook(*["while True: pass"] * 3), bundle, marks.SEED, short))
    assert not batch.timed_out(batch.grade_or_say(notebook("1 / 0"), bundle, marks.SEED, SHORT))


def test_force_grades_one_student_again(bundle, tmp_path):
    place, out, asked = plain(tmp_path, "a", "b"), tmp_path / "out", []
    run(place, bundle, out, made_of(lambda name: result(1)))
    results = run(place, bundle, out, made_of(lambda name: result(7), asked), force={"b"})
    assert asked == ["b"]
    assert {name: r["score"] for name, r in results.items()} == {"a": 1, "b": 7}
    assert run(place, bundle, out, made_of({}))["b"]["score"] == 7, "and the new result is stored"


def test_a_damaged_stored_result_is_graded_again(bundle, tmp_path):
    place, out = plain(tmp_path, "a"), tmp_path / "out"
    run(place, bundle, out, made_of(lambda name: result(1)))
    for path in (out / "results").iterdir():
        path.write_text("{")
    assert run(place, bundle, out, made_of(lambda name: result(3)))["a"]["score"] == 3


def test_a_killed_worker_loses_nothing(folder, bundle, tmp_path):
    from dask.distributed import Client, LocalCluster

    os.environ["PYTHONPATH"] = str(ROOT / "code")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        seen = []

        def kill_one():
            if not seen:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            seen.append(1)

        results = run(folder, bundle, tmp_path / "out", batch.on_cluster(client, bundle, marks.SEED, SHORT), kill_one)
    assert {n: results[f"student{n}"]["score"] for n in range(6)} == {n: 2 * n for n in range(6)}
    assert len(seen) == 11
    assert json.loads((tmp_path / "out" / "feedback" / ".written").read_text())
