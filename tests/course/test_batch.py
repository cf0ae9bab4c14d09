"""A folder is graded as a whole: damaged files, interruption, a worker that dies, two runs."""

import csv
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from attncourse import batch, marks, report
from conftest import ROOT, SHORT, answers, notebook


@pytest.fixture
def folder(tmp_path, bundle, bubblewrap):
    place = tmp_path / "in"
    place.mkdir()
    for number in range(6):
        (place / f"student{number}.ipynb").write_bytes(notebook(*answers(bundle)[:number]))
    (place / "=cmd.ipynb").write_bytes(b"")
    (place / "notes.pdf").write_bytes(b"%PDF")
    (place / "two").mkdir()
    for name in "ab":
        (place / "two" / f"{name}.ipynb").write_bytes(notebook("1"))
    (place / ("n" * 249 + ".ipynb")).write_bytes(notebook("1", *answers(bundle)))  # a page's ending has no room left
    (place / "link.ipynb").symlink_to(place / "student5.ipynb")
    return place


def run(folder, bundle, out, mapper=None, seen=None):
    found = batch.submissions(folder)
    mapper = mapper or batch.here(bundle, marks.SEED, SHORT)
    return batch.run(bundle, found, out, mapper, marks.SEED, SHORT, seen)


def test_a_folder_with_damaged_files(folder, bundle, tmp_path):
    results = run(folder, bundle, tmp_path / "out")
    assert {name: result["score"] for name, result in results.items()} == {
        **{f"student{n}": 2 * n for n in range(6)}, "=cmd": 0, "notes": 0, "two": 0, "link": 0,
        "n" * 249: 10}  # fmt: skip
    rows = list(csv.reader((tmp_path / "out" / f"{bundle['chapter']}.csv").open(encoding="utf-8")))
    assert len(rows) == 12
    assert not any(cell.startswith(report.FORMULA) for row in rows for cell in row)
    assert len(list((tmp_path / "out" / bundle["chapter"] / "feedback").iterdir())) == 11


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
        for pair in batch.here(bundle, marks.SEED, SHORT)(pairs):
            if len(done) == 3:
                raise KeyboardInterrupt
            done.append(pair[0])
            yield pair

    with pytest.raises(KeyboardInterrupt):
        run(folder, bundle, tmp_path / "a", stops)
    again = []

    def watched(pairs):
        for name, result in batch.here(bundle, marks.SEED, SHORT)(pairs):
            again.append(name)
            yield name, result

    first = run(folder, bundle, tmp_path / "a", watched)
    assert not set(done) & set(again)
    assert len(again) == len(first) - 3
    run(folder, bundle, tmp_path / "b")
    for name in [f"{bundle['chapter']}.csv", f"{bundle['chapter']}/feedback/student3.md"]:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


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

        results = run(folder, bundle, tmp_path / "out", batch.on(client, bundle, marks.SEED, SHORT), kill_one)
    assert {n: results[f"student{n}"]["score"] for n in range(6)} == {n: 2 * n for n in range(6)}
    assert len(seen) == 11


def test_the_command_refuses_without_a_sandbox(folder, bundle, tmp_path):
    made = tmp_path / "bundle.json"
    made.write_text(json.dumps(bundle), encoding="utf-8")
    command = [sys.executable, str(ROOT / "tools/course.py"), "grade", str(made), str(folder)]
    environ = os.environ | {"PATH": "/nowhere"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert done.returncode
    assert "UNSAFE=yes" in done.stderr
    assert len(done.stderr.splitlines()) == 1
