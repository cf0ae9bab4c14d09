"""The workflows of GitHub Actions: sound, pinned, with few rights, and with all their logic in make."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github" / "workflows"
NAMES = sorted(path.name for path in FOLDER.glob("*.yml"))
MAY_WRITE = {
    "publish.yml": {"notebooks": {"contents"}, "site": {"pages", "id-token"}},
    "weekly.yml": {"report": {"issues"}},
}


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def workflow(name):
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


# Colab's image may not fit beside what the runners bring for other languages.
FREE_DISK = "sudo rm -rf /usr/local/lib/android /usr/local/.ghcup /usr/share/dotnet /usr/share/swift"
# Ubuntu's runners forbid what the grader's sandbox is made of; `make` changes no setting of a kernel by itself.
USER_NAMESPACES = "sudo sysctl -e -w kernel.apparmor_restrict_unprivileged_userns=0"


def actionlint(*paths):
    """Exit code and findings. Its own helpers are left out: what they say depends on what else is installed."""
    program = shutil.which("actionlint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert program, "actionlint is not here; the extra test installs it"
    command = [program, "-no-color", "-shellcheck=", "-pyflakes=", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_there_are_the_three_workflows():
    assert NAMES == ["publish.yml", "test.yml", "weekly.yml"]


def test_actionlint_finds_nothing(name):
    assert actionlint(FOLDER / name) == (0, "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("needs: build", "needs: bild"),
        ("contents: write", "contents: writes"),
        ("${{ github.server_url }}", "${{ github.server_uri }}"),
        ("runs-on: ubuntu-latest", "runs_on: ubuntu-latest"),
        ("steps.deployment.outputs", "steps.deploy.outputs"),
    ],
)
def test_actionlint_sees_a_fault(tmp_path, old, new):
    text = (FOLDER / "publish.yml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "broken.yml").write_text(text.replace(old, new), encoding="utf-8")
    code, said = actionlint(tmp_path / "broken.yml")
    assert code == 1, said


def test_every_action_is_pinned_to_a_commit_and_says_its_version(name):
    uses = re.findall(r"uses: *(.*)", (FOLDER / name).read_text(encoding="utf-8"))
    assert uses, "a workflow without actions checks nothing out"
    loose = [line for line in uses if not re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)]
    assert loose == []


def test_one_action_has_one_commit_everywhere():
    pins = {}
    for name in NAMES:
        for action, pin in re.findall(r"uses: *(\S+)@(.*)", (FOLDER / name).read_text(encoding="utf-8")):
            pins.setdefault(action, set()).add(pin)
    assert {action: found for action, found in pins.items() if len(found) > 1} == {}


def test_only_the_jobs_that_publish_may_write(name, workflow):
    assert workflow["permissions"] == {"contents": "read"}
    found = {
        job: {right for right, level in rest["permissions"].items() if level == "write"}
        for job, rest in workflow["jobs"].items()
        if "permissions" in rest
    }
    assert found == MAY_WRITE.get(name, {})


def test_a_job_that_does_not_push_keeps_no_credentials(workflow):
    for job, rest in workflow["jobs"].items():
        pushes = rest.get("permissions", {}).get("contents") == "write"
        for step in rest["steps"]:
            if step.get("uses", "").startswith("actions/checkout@") and not pushes:
                assert step["with"]["persist-credentials"] is False, job


def test_every_job_ends_by_itself(workflow):
    assert [job for job, rest in workflow["jobs"].items() if "timeout-minutes" not in rest] == []


def test_publishing_asks_for_the_default_branch_and_not_for_its_name():
    workflow = yaml.safe_load((FOLDER / "publish.yml").read_text(encoding="utf-8"))
    assert workflow[True]["push"] == {"branches-ignore": ["notebooks"]}  # YAML reads `on` as true
    first = [job for job in workflow["jobs"].values() if "needs" not in job]
    assert [job["if"] for job in first] == ["github.ref_name == github.event.repository.default_branch"]


def test_what_runs_is_make(workflow):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert runs
    for run in runs:
        if run in (USER_NAMESPACES, FREE_DISK):
            continue
        verb = re.fullmatch(r"make ([a-z-]+)", run)
        assert verb, f"{run!r} is logic outside make"
        assert verb[1] in targets


@pytest.mark.parametrize(
    ("name", "verb"), [("test.yml", "test"), ("publish.yml", "test-all"), ("weekly.yml", "test-all")]
)
def test_the_tests_run_with_a_sandbox_and_take_no_skip(name, verb):
    """GitHub sets CI=true, so a skipped test fails; user namespaces are allowed before the tests begin."""
    jobs = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))["jobs"]
    (runs,) = [
        [step["run"] for step in job["steps"] if "run" in step]
        for job in jobs.values()
        if any(step.get("run") == f"make {verb}" for step in job["steps"])
    ]
    assert runs.index(USER_NAMESPACES) < runs.index(f"make {verb}")


def test_the_week_builds_and_tests_the_translation_with_accents():
    assert {"run": "make pseudo", "env": {"TEST": 1}}.items() <= jobs("weekly.yml")["translation"]["steps"][-1].items()


def test_a_job_of_the_week_that_fails_is_reported():
    weekly = jobs("weekly.yml")
    assert set(weekly["report"]["needs"]) == set(weekly) - {"report"}


def jobs(name):
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))["jobs"]


def test_the_address_of_the_site_is_a_variable_of_the_repository():
    """Unset, it is empty, and the site is that of the repository on GitHub Pages: see bookext.theme.social."""
    assert jobs("publish.yml")["build"]["env"]["BOOK_ADDRESS"] == "${{ vars.BOOK_ADDRESS }}"


def test_a_missing_source_of_pages_is_said_before_the_site_is_deployed():
    steps = jobs("publish.yml")["site"]["steps"]
    (asked,) = [i for i, step in enumerate(steps) if step.get("run") == "make pages"]
    (deployed,) = [i for i, step in enumerate(steps) if "actions/deploy-pages" in step.get("uses", "")]
    assert asked < deployed
    assert set(steps[asked]["env"]) == {"GH_TOKEN", "GH_REPO"}


def test_the_disk_is_made_free_before_an_image_is_fetched(name):
    """The image of a job's `container` is fetched before its first step, so no job has one."""
    for job, rest in jobs(name).items():
        assert "container" not in rest, job
        steps = rest["steps"]
        if any("IMAGE" in step.get("env", {}) for step in steps):
            assert steps[0].get("run") == FREE_DISK, job


def test_an_image_runs_the_notebooks_by_docker():
    def said(*words):
        environ = {key: value for key, value in os.environ.items() if key not in ("IMAGE", "FOLDER", "MAKEFLAGS")}
        command = ["make", "--no-print-directory", "--dry-run", "run-notebooks", *words]
        return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True).stdout

    assert re.fullmatch(
        r'docker run .*:/book" .* --entrypoint python3 "colab:1" tools/notebooks.py run "published"\n',
        said("IMAGE=colab:1", "FOLDER=published"),
    )
    assert "docker" not in said()


@pytest.fixture
def checklist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.partition("\n### Before the first push\n")[2].partition("\n#")[0]


def test_the_checklist_for_the_first_push_says_what_the_workflows_do(checklist):
    """How long publishing takes at most, in which order it goes on, and what happens to other branches."""
    published, tested = jobs("publish.yml"), yaml.safe_load((FOLDER / "test.yml").read_text(encoding="utf-8"))
    assert published["build"]["timeout-minutes"] == 150
    assert (
        "`publish` takes up to two and a half hours: it tests, pushes the branch `notebooks`, then publishes"
        in checklist
    )
    assert (published["notebooks"]["needs"], published["site"]["needs"]) == ("build", "notebooks")
    runs = [step.get("run") for step in published["build"]["steps"]]
    assert "make test-all" in runs[: runs.index("make notebooks")]
    assert "Any other branch is tested by `make test` in a pull request." in checklist
    assert list(tested[True]) == ["pull_request"]  # YAML reads `on` as true
    assert "make test" in [step.get("run") for step in tested["jobs"]["test"]["steps"]]
    named = re.findall(r"the job `(\w+)`", checklist)
    assert named
    assert set(named) <= {*published, *jobs("weekly.yml")}


def test_the_checklist_for_the_first_push_names_what_is_there(checklist):
    """At most eight lines; each name in it that is set as code is one that the workflows, or GitHub, use."""
    part = checklist
    points = re.findall(r"^(\d)\. ", part, flags=re.M)
    assert 0 < len(points) <= 8
    everything = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in NAMES)
    for word in re.findall(r"`([^`]+)`", part):
        assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", everything), word


def test_the_stored_cells_are_those_of_the_package(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    if "actions/cache@" in text:
        assert text.count("cells-${{ hashFiles('code/attnbook/**/*.py') }}-") == 2 * text.count("actions/cache@")


# --- Whether Pages takes the site ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "said", "words"),
    [
        (0, '{"build_type": "workflow"}', None),
        (0, '{"build_type": "legacy"}', "GitHub Pages takes its files from a branch, not from this workflow: under S"),
        (
            1,
            "gh: Not Found (HTTP 404)",
            "GitHub Pages is not enabled for this repository: under Settings, Pages",
        ),
        (1, "gh: Bad credentials (HTTP 401)", "GitHub does not say whether Pages is enabled: gh: Bad cred"),
        (1, "", "GitHub does not say whether Pages is enabled: no reason given"),
    ],
)
def test_what_pages_lacks_is_one_sentence(tmp_path, code, said, words):
    gh = tmp_path / "gh"
    gh.write_text(
        f"#!/bin/sh\n[ \"$*\" = 'api repos/me/book/pages' ] || exit 9\necho '{said}' >&{code + 1}\nexit {code}\n"
    )
    gh.chmod(0o755)
    command = [sys.executable, str(ROOT / "tools" / "pages.py")]
    environ = os.environ | {"PATH": f"{tmp_path}:/usr/bin:/bin", "GH_REPO": "me/book"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert done.returncode == (words is not None)
    assert done.stderr.startswith(words or "")
    assert len(done.stderr.splitlines()) == (words is not None)


# --- The issue that a failed week opens ---------------------------------------------------------------------------

GH = """#!{python}
import json, pathlib, sys
log = pathlib.Path({log!r})
log.write_text((log.read_text() if log.exists() else "") + json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1:3] == ["issue", "list"]:
    print({opened!r})
sys.exit({code})
"""


@pytest.fixture
def report(tmp_path):
    """report(opened, code, address): exit code, output and the calls of a gh that knows the open issue."""

    def report(opened="", code=0, address="https://example.org/run/7"):
        log = tmp_path / "log"
        gh = tmp_path / "gh"
        gh.write_text(GH.format(python=sys.executable, log=str(log), opened=opened, code=code))
        gh.chmod(0o755)
        environ = os.environ | {"PATH": str(tmp_path)}
        command = [sys.executable, str(ROOT / "tools" / "report.py"), address]
        done = subprocess.run(command, env=environ, capture_output=True, text=True)
        calls = [line.split('", "')[1].rstrip('"]') for line in log.read_text().splitlines()] if log.exists() else []
        return done.returncode, done.stdout + done.stderr, calls

    return report


def test_the_first_failure_opens_an_issue(report):
    assert report() == (0, "Issue opened: https://example.org/run/7\n", ["list", "create"])


def test_the_next_failure_adds_to_it(report):
    assert report(opened="12") == (0, "Issue 12: https://example.org/run/7\n", ["list", "comment"])


def test_gh_that_fails_is_one_sentence(report):
    assert report(code=1) == (1, "gh issue list failed: no reason given\n", ["list"])


def test_a_run_without_an_address_is_one_sentence(report):
    code, said, calls = report(address="")
    assert (code, calls) == (1, [])
    assert said == "Name the run that failed by its address: make report RUN=https://…\n"
