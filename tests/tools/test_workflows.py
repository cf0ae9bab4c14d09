"""What GitHub runs: a broken workflow publishes nothing, and a careless one publishes what nobody tested."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from bookext.contents import executable

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SETUP = ROOT / ".github" / "actions" / "setup" / "action.yml"
RUNS_ANYWAY = re.compile(r"(always|cancelled|failure)\(\)")  # in the condition of a job: what it needs may have failed


def test_actionlint_accepts_every_workflow():
    program = Path(sys.executable).parent / "actionlint"
    # Its helpers are left out: what they say depends on what else is installed.
    done = subprocess.run([program, "-shellcheck=", "-pyflakes=", *WORKFLOWS], capture_output=True, text=True)
    assert (WORKFLOWS != [], done.returncode) == (True, 0), done.stdout + done.stderr


@pytest.mark.parametrize("path", [*WORKFLOWS, SETUP], ids=lambda path: path.stem)
def test_nobody_can_change_an_action_behind_our_back(path):
    assert re.findall(r"uses: (?!\./|\S+@[0-9a-f]{40}\b)(.*)", path.read_text("utf-8")) == []


def is_tested(name, jobs):
    """Return whether a job runs, or waits for the success of a job that runs, `make test`."""
    if any(step.get("run") in ("make test", "make test EDITIONS=none") for step in jobs[name].get("steps", ())):
        return True
    needs, condition = jobs[name].get("needs", []), jobs[name].get("if", "")
    needs = [needs] if isinstance(needs, str) else needs
    if RUNS_ANYWAY.search(condition):
        needs = [need for need in needs if f"needs.{need}.result == 'success'" in condition]
    return any(is_tested(need, jobs) for need in needs)


def test_only_what_passed_the_tests_is_published():
    workflows = {path.stem: yaml.safe_load(path.read_text("utf-8"))["jobs"] for path in WORKFLOWS}
    every = [(name, jobs, f"{workflow}: {name}") for workflow, jobs in workflows.items() for name in jobs]
    publishing = [job for job in every if re.search("deploy-pages|publish-notebooks", str(job[1][job[0]]))]
    tested = {where: is_tested(name, jobs) for name, jobs, where in publishing}
    assert set(tested.values()) == {True}, tested


def test_a_changed_cell_is_computed_once_and_kept_for_the_next_run():
    """GitHub never writes a cache again whose key it has: the key changes with every page that has cells."""
    patterns = re.search(r"hashFiles\((.*)\)", SETUP.read_text("utf-8"))[1].replace("'", "").split(", ")
    hashed = {path for pattern in patterns for path in ROOT.glob(pattern)}
    assert {name for name in executable(ROOT) if ROOT / "chapters" / f"{name}.md" not in hashed} == set()
