"""The page for instructors shows commands and scripts that exist under these names."""

import ast
import re

import pytest
from coursework import ROOT

import course

PAGE = (ROOT / "chapters" / "instructors.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)

# Names and keywords of dask-jobqueue 0.9.0 and dask-kubernetes 2026.3.0, read from their signatures.
KNOWN = {
    "dask_jobqueue": {
        "SLURMCluster": {"cores", "processes", "memory", "walltime", "job_script_prologue", "queue", "account"},
    },
    "dask_kubernetes.operator": {
        "make_cluster_spec": {"name", "image", "n_workers", "resources", "env", "worker_command"},
        "KubeCluster": {"custom_cluster_spec"},
    },
}
METHODS = {"scale": {"jobs"}, "print": set(), "input": set()}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.split()[1])
def test_a_script_of_the_page_uses_names_that_exist(script):
    tree = ast.parse(script)
    known = dict(METHODS)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            known |= {alias.name: KNOWN[node.module][alias.name] for alias in node.names}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
        assert {keyword.arg for keyword in call.keywords} <= known[name], name
    assert "cluster.scheduler_address" in script, "it prints what CLUSTER takes"


def test_both_kinds_of_cluster_have_a_script():
    assert [script.split()[1] for script in SCRIPTS] == ["dask_jobqueue", "dask_kubernetes.operator"]


def test_every_word_that_the_page_gives_to_a_command_is_one_of_its_names():
    words = set(re.findall(r"\b([A-Z]{4,})=", PAGE)) - {"PYTHONPATH"}
    assert {"CLUSTER", "SUBMISSIONS", "SEED"} <= words <= set(course.NAMES)


def test_every_option_that_the_page_gives_to_dask_exists():
    from distributed.cli import dask_scheduler, dask_worker

    for program, command in (("scheduler", dask_scheduler.main), ("worker", dask_worker.main)):
        there = {option for parameter in command.params for option in parameter.opts}
        given = set(re.findall(r"--[a-z]+", " ".join(re.findall(rf'dask {program}([^\n"]*)', PAGE))))
        assert given <= there, given - there
    assert "--nthreads" in given
