"""`make experiments` on a small tree, here or on a cluster: it runs what is not stored, and goes on."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from importlib import import_module

import pytest

import experiments

TRAINING = "def doubled(x):\n    return 2 * x\n"
EXPERIMENT = '''"""Measure doubling."""

from pathlib import Path

from doubling_task import doubled

MEMBERS = range(4)


def member(seed):
    """One."""
    Path(__file__).with_name(f"ran-{seed}").touch()
    return [doubled(seed), seed / 3]


def summary(results):
    """Sum."""
    return {"sum": sum(entry for entry, _ in results)}
'''


@pytest.fixture
def tree(write_files, monkeypatch):
    """A function that runs the tool with threads and returns the seeds that ran."""
    root = write_files({"experiments/doubling.py": EXPERIMENT, "doubling_task.py": TRAINING})
    monkeypatch.syspath_prepend(root)
    monkeypatch.setattr(experiments, "ProcessPoolExecutor", lambda jobs, **_: ThreadPoolExecutor(jobs))

    def run(*options):
        experiments.load.cache_clear()
        for path in (root / "experiments").glob("ran-*"):
            path.unlink()
        experiments.main(["--jobs", "2", *options], root)
        return sorted(int(path.name[4:]) for path in (root / "experiments").glob("ran-*"))

    run.root, run.file = root, root / "code" / "attnbook" / "results" / "doubling.json"
    yield run
    experiments.load.cache_clear()


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_results_are_stored_rounded_and_run_again_where_the_experiment_changed(tree, workers):
    """Here, or on a worker of a cluster that knows the experiment as it was."""
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with import_module("distributed").LocalCluster(**options) if workers else nullcontext() as cluster:
        on_it = ("--cluster", cluster.scheduler_address) if workers else ()
        assert tree(*on_it) == [0, 1, 2, 3]
        record = json.loads(tree.file.read_text())
        assert record["members"] == [[0, 0.0], [2, 0.3333], [4, 0.6667], [6, 1.0]]
        assert record["summary"] == {"sum": 12}
        assert tree() == []
        (tree.root / "experiments" / "doubling.py").write_text(EXPERIMENT.replace("seed / 3", "seed / 4.0"))
        assert tree(*on_it) == [0, 1, 2, 3]
    assert json.loads(tree.file.read_text())["members"][1] == [2, 0.25]


def test_a_run_that_was_stopped_goes_on_and_writes_the_same_results(tree):
    tree()
    before = json.loads(tree.file.read_text())
    tree.file.unlink()
    store = tree.root / "_build" / "experiments" / "results.jsonl"
    lines = store.read_text().splitlines()
    store.write_text("\n".join(lines[:2]) + "\n" + lines[2][:9])
    assert len(tree()) == 2
    assert {**json.loads(tree.file.read_text()), "seconds": 0} == {**before, "seconds": 0}
    with pytest.raises(SystemExit, match="tripling"):
        experiments.named(tree.root, "tripling")


def test_a_changed_training_changes_the_source(write_files):
    files = {
        "code/attnbook/__init__.py": "",
        "code/attnbook/tasks/__init__.py": "from .doubling import doubled",
        "code/attnbook/tasks/doubling.py": "",
    }
    root, hashes = write_files(files), []
    experiment = (
        "'''Measure.'''\ndef member(seed): pass\nmember.__module__ = 'attnbook.tasks.doubling'\nMEMBERS = [1]\n"
    )
    write_files({"experiments/one.py": experiment + "summary = member\n"})
    for text in ("x = 1\n", "x = 1  # a remark\n", "x = 2\n"):
        write_files({"code/attnbook/tasks/doubling.py": text})
        experiments.load.cache_clear()
        hashes.append(experiments.source(root, "one"))
    experiments.load.cache_clear()
    assert hashes[0] == hashes[1] != hashes[2]
