"""A class is graded on a cluster that loses a worker or its scheduler, without ever holding the class in memory.

What is graded here are sentences in the place of notebooks, which cost nothing: no test needs a sandbox.
"""

import csv
import json
import tracemalloc
from contextlib import ExitStack
from types import SimpleNamespace

import course_scale
import pytest
from attncourse import author, batch, downloads, marks, sandbox
from coursework import SHORT, answers, notebook
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


def handed(texts):
    return {name: downloads.Submission(name, lambda text=text: text, f"{name}.ipynb") for name, text in texts.items()}


def reasons(results):
    return {name: result["remarks"][0] for name, result in results.items()}


def test_a_worker_that_ends_for_good_loses_nothing(cluster, client, bundle):
    mapper, results = batch.on_cluster(client, bundle, marks.SEED, SHORT), {}
    for name, result in mapper(CLASS.items()):
        results[name] = result
        if len(results) == 20:
            cluster.kill("one")
    assert reasons(results) == CLASS


def test_a_scheduler_that_is_started_again_goes_on(cluster, client, bundle):
    mapper, results = batch.on_cluster(client, bundle, marks.SEED, SHORT), {}
    for name, result in mapper(CLASS.items()):
        assert name not in results
        results[name] = result
        if len(results) == 20:
            cluster.kill("scheduler")
            cluster.start("scheduler", "one")
    assert reasons(results) == CLASS


def test_a_scheduler_that_stays_away_costs_only_the_rest(cluster, bundle, tmp_path):
    done, asked = [], []

    def graded():
        done.append(1)
        if len(done) == 20:
            cluster.kill("scheduler")

    def watched(pairs):
        for name, data in pairs:
            asked.append(name)
            yield name, batch.grade_or_say(data, bundle, marks.SEED, SHORT)

    with Client(cluster.address, timeout=5) as client:  # so long it waits for another one
        mapper = batch.on_cluster(client, bundle, marks.SEED, SHORT)
        with pytest.raises(author.CourseError, match="What is graded is kept"):
            batch.run(bundle, handed(CLASS), tmp_path, mapper, marks.SEED, SHORT, graded)
    table = (tmp_path / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    kept = {row["student"] for row in csv.DictReader(table)}
    assert 20 <= len(kept) < 60
    results = batch.run(bundle, handed(CLASS), tmp_path, watched, marks.SEED, SHORT)
    assert set(asked) == CLASS.keys() - kept
    assert reasons(results) == CLASS


def test_few_submissions_are_on_their_way_and_more_when_workers_come(bundle):
    """Neither the scheduler nor this process ever holds the class; a cluster that grows gets more to do."""
    taken, most = [], {1: 0, 2: 0}

    def pairs():
        for pair in CLASS.items():
            taken.append(pair)
            yield pair

    with (
        LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=None) as local,
        Client(local) as client,
    ):
        for count, _ in enumerate(batch.on_cluster(client, bundle, marks.SEED, SHORT)(pairs())):
            workers = len(local.scheduler.workers)
            most[workers] = max(most[workers], len(taken) - count)
            assert len(local.scheduler.tasks) <= 3 * workers * batch.AHEAD
            if count == 20:
                local.scale(2)
                client.wait_for_workers(2)
    assert len(taken) == 60
    assert most == {1: batch.AHEAD, 2: 2 * batch.AHEAD}


@pytest.mark.parametrize("where", ["outputs", "source", "result"])
def test_memory_does_not_grow_with_the_class(where, bundle, tmp_path):
    """60 notebooks of a megabyte, or results with the text of long tests; few are held at a time, in the report too."""
    cells = [*answers(bundle), f"# {'x' * (1 << 20)}" if where == "source" else "1"]
    book = json.loads(notebook(*cells))
    if where == "outputs":
        book["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * (1 << 20)}]
    data = json.dumps(book).encode()
    found = {
        name: downloads.Submission(name, lambda n=n: data[:-1] + b" " * n + b"}", f"{name}.ipynb")
        for n, name in enumerate(CLASS)
    }

    mark = {"exercise": "witness", "name": "x" * ((1 << 20) if where == "result" else 1), "hidden": True, "points": 1,
            "earned": 1, "passed": True, "remark": ""}  # fmt: skip
    text = json.dumps({"score": 1, "marks": [mark], "remarks": []})

    def mapper(pairs):
        for name, _ in pairs:
            yield name, json.loads(text)

    tracemalloc.start()
    try:
        batch.run(bundle, found, tmp_path, mapper, marks.SEED, SHORT)
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
    with pytest.raises(author.CourseError, match=words):
        course.ask_workers(asked({"w": 1}, versions, missing), "tcp://a:1", sandbox.Limits(), False)


def test_the_command_says_that_it_waits_for_the_first_worker(capsys):
    """As on Slurm, where jobs stand in a queue."""
    client = asked({}, {"late": batch.version()}, {"late": None})
    course.ask_workers(client, "tcp://a:1", sandbox.Limits(), False)
    assert capsys.readouterr().out.splitlines()[0].startswith("No worker has joined tcp://a:1 yet")
    course.ask_workers(client, "tcp://a:1", sandbox.Limits(), False)
    assert capsys.readouterr().out == "what is in force\n"


def test_a_cluster_for_this_machine_warns_of_no_port(recwarn):
    """8787 is dask's own port, and on a machine that many use it is taken."""
    with LocalCluster(0, processes=False, dashboard_address="127.0.0.1:8787"), ExitStack() as stack:
        recwarn.clear()
        course.connect(stack, "", 1)
        assert not [w for w in recwarn if "8787" in str(w.message)]
