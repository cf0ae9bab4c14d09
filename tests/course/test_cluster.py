"""A class is graded on a cluster that loses a worker or its scheduler, without ever holding the class in memory.

What is graded here are sentences in the place of notebooks, which cost nothing: no test needs a sandbox.
"""

import csv
import json
import tracemalloc
from dataclasses import asdict
from types import SimpleNamespace

import course_scale
import pytest
from attncourse import batch, downloads, examiner, marks, model, sandbox
from attncourse.model import CourseError
from coursework import SHORT, answers, files, notebook
from dask.distributed import Client, LocalCluster

import course

CLASS = {f"student{n:02}": f"Nothing to grade, for reason {n}." for n in range(60)}


@pytest.fixture
def cluster():
    """A scheduler and two workers as processes, on the loopback: start, kill and ask them by name."""
    port, running = course_scale.free_port(), {}

    def start(*names):
        for name in names:
            program = course_scale.scheduler if name == "scheduler" else lambda port: course_scale.workers(port, 1)
            running[name] = program(port)

    def kill(name):
        for child in course_scale.worker_processes(running[name]):
            child.kill()
        course_scale.end(running[name])

    start("scheduler", "one", "two")
    with Client(f"tcp://127.0.0.1:{port}", timeout=120) as first:
        first.wait_for_workers(2)
    yield SimpleNamespace(address=f"tcp://127.0.0.1:{port}", start=start, kill=kill)
    for name in running:
        course_scale.end(running[name])


@pytest.fixture
def client(cluster):
    with Client(cluster.address, timeout=60) as client:
        yield client


PAIRS = [(name, files(text)) for name, text in CLASS.items()]


def handed(texts):
    one = {name: downloads.File(name, f"{name}.ipynb", lambda text=text: text) for name, text in texts.items()}
    found = {name: downloads.Submission(name, (file,)) for name, file in one.items()}
    return downloads.Download(found, "", [], [])


def reasons(results):
    return {name: result.remarks[0] for name, result in results.items()}


def test_a_worker_that_ends_for_good_loses_nothing(cluster, client, assignment):
    mapper, results = batch.on_cluster(client, assignment, marks.SEED, SHORT), {}
    for name, result in mapper(PAIRS):
        results[name] = result
        if len(results) == 20:
            cluster.kill("one")
    assert reasons(results) == CLASS


def test_a_scheduler_that_is_started_again_goes_on(cluster, client, assignment):
    mapper, results = batch.on_cluster(client, assignment, marks.SEED, SHORT), {}
    for name, result in mapper(PAIRS):
        assert name not in results
        results[name] = result
        if len(results) == 20:
            cluster.kill("scheduler")
            cluster.start("scheduler", "one")
    assert reasons(results) == CLASS


def test_a_scheduler_that_stays_away_costs_only_the_rest(cluster, assignment, tmp_path):
    done, asked = [], []

    def graded():
        done.append(1)
        if len(done) == 20:
            cluster.kill("scheduler")

    def watched(pairs):
        for name, data in pairs:
            asked.append(name)
            yield name, examiner.grade(data, assignment, marks.SEED, SHORT)

    with Client(cluster.address, timeout=5) as client:  # so long it waits for another one
        mapper = batch.on_cluster(client, assignment, marks.SEED, SHORT)
        with pytest.raises(CourseError, match="What is graded is kept"):
            batch.run(assignment, handed(CLASS), tmp_path, mapper, marks.SEED, SHORT, graded)
    table = (tmp_path / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    kept = {row["student"] for row in csv.DictReader(table)}
    assert 20 <= len(kept) < 60
    results = batch.run(assignment, handed(CLASS), tmp_path, watched, marks.SEED, SHORT)
    assert set(asked) == CLASS.keys() - kept
    assert reasons(results) == CLASS


def test_few_submissions_are_on_their_way_and_more_when_workers_come(assignment):
    """Neither the scheduler nor this process ever holds the class; a cluster that grows gets more to do."""
    taken, most = [], {1: 0, 2: 0}

    def pairs():
        for pair in PAIRS:
            taken.append(pair)
            yield pair

    with (
        LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=None) as local,
        Client(local) as client,
    ):
        for count, _ in enumerate(batch.on_cluster(client, assignment, marks.SEED, SHORT)(pairs())):
            workers = len(local.scheduler.workers)
            most[workers] = max(most[workers], len(taken) - count)
            assert len(local.scheduler.tasks) <= 3 * workers * batch.AHEAD
            if count == 20:
                local.scale(2)
                client.wait_for_workers(2)
    assert len(taken) == 60
    assert most == {1: batch.AHEAD, 2: 2 * batch.AHEAD}


@pytest.mark.parametrize("where", ["outputs", "source", "result"])
def test_memory_does_not_grow_with_the_class(where, assignment, tmp_path):
    """60 notebooks of a megabyte, or results with the text of long tests; few are held at a time, in the report too."""
    cells = [*answers(assignment), f"# {'x' * (1 << 20)}" if where == "source" else "1"]
    book = json.loads(notebook(*cells))
    if where == "outputs":
        book["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * (1 << 20)}]
    data = json.dumps(book).encode()
    there = handed(dict.fromkeys(CLASS, data))
    mark = model.Mark("witness", "x" * ((1 << 20) if where == "result" else 1), True, 1, True)
    text = json.dumps(asdict(model.Result(1, [mark])))

    def mapper(pairs):
        for name, _ in pairs:
            yield name, model.Result.load(json.loads(text))

    tracemalloc.start()
    try:
        batch.run(assignment, there, tmp_path, mapper, marks.SEED, SHORT)
        peak = tracemalloc.get_traced_memory()[1] >> 20
    finally:
        tracemalloc.stop()
    assert peak < 20
    assert (tmp_path / "report.html").is_file()


def asked(workers, versions, missing):
    """What a client says of its workers."""
    memory = dict.fromkeys(missing, "what is in force")
    replies = {batch.version: versions, sandbox.missing: missing, sandbox.memory_in_force: memory}
    return SimpleNamespace(
        nthreads=lambda: workers,
        run=lambda function, *_, **__: replies[function],
        wait_for_workers=lambda n: workers.update(late=1),
    )


REFUSED = {
    "a worker without the package": ({"w": ModuleNotFoundError("No module named 'attncourse'")}, {}, "cannot load"),
    "a worker with another version": ({"w": "older"}, {}, "another version of the grader"),
    "a worker without a sandbox": ({"w": batch.version()}, {"v": None, "w": "No bubblewrap."}, "No bubblewrap"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_worker_that_cannot_grade_is_named_before_grading_begins(case):
    versions, missing, words = REFUSED[case]
    with pytest.raises(CourseError, match=words):
        course.ask_workers(asked({"w": 1}, versions, missing), "tcp://a:1", sandbox.Limits(), False)
