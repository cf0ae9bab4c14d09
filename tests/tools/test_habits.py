"""What a contributor meets first: the guide, hooks, forms, Dependabot, editor settings and the devcontainer."""

import configparser
import inspect
import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import book
import pytest
import run_tests
import system
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
GUIDES = ["CONTRIBUTING.md", "ARCHITECTURE.md", ".github/pull_request_template.md", ".devcontainer/devcontainer.json"]
GUIDES += [form.relative_to(ROOT).as_posix() for form in FORMS]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def extras():
    return tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]


@pytest.mark.parametrize("name", GUIDES)
def test_every_command_is_a_target_with_the_variables_it_takes(name):
    makefile = read("Makefile")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.M))
    for verb, rest in re.findall(r"(?:`|^|- |: )make ([a-z-]+)((?: [A-Z]+=)?)", read(name), flags=re.M):
        assert verb in targets, f"{name}: make {verb} is no target"
        assert f"$({rest.strip(' =')})" in makefile or not rest, f"{name}: make {verb} takes no {rest}"


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_a_guide_links_to_files_that_exist(name):
    linked = re.findall(r"\]\(([^)#:]+)\)", read(name))
    assert [path for path in linked if not (ROOT / path).exists()] == []


def test_every_file_that_the_guide_names_exists():
    named = re.findall(r"`((?:chapters|code|course|tests|tools)/[\w./-]*)`", read("CONTRIBUTING.md"))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_readme_leads_to_both_guides():
    assert {"(CONTRIBUTING.md)", "(ARCHITECTURE.md)"} <= set(re.findall(r"\([A-Z]+\.md\)", read("README.md")))


# --- Hooks --------------------------------------------------------------------------------------------------------


def test_the_hooks_are_the_linters_of_make_check():
    (repository,) = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert repository["repo"] == "local"
    hooks = {hook["name"]: shlex.split(hook["entry"]) for hook in repository["hooks"]}
    assert hooks == {name: [".venv/bin/python", "-m", *rest] for name, rest in run_tests.LINTERS.items()}


def test_the_hooks_fetch_nothing_and_look_at_the_whole_tree():
    (repository,) = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    for hook in repository["hooks"]:
        assert (hook["language"], hook["pass_filenames"], hook["always_run"]) == ("system", False, True), hook["id"]


# --- GitHub -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_form_is_one_that_github_shows(form):
    content = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert content["name"]
    assert content["description"]
    assert {"bug", "enhancement"}.issuperset(content["labels"])  # labels that every repository has
    ids = [part["id"] for part in content["body"]]
    assert len(ids) == len(set(ids))
    for part in content["body"]:
        assert part["type"] in ("dropdown", "input", "textarea")
        assert part["attributes"]["label"]
        assert ("options" in part["attributes"]) == (part["type"] == "dropdown")


def test_there_is_a_form_for_each_of_three_things():
    assert [form.stem for form in FORMS] == ["failure", "idea", "mistake"]


def test_the_form_for_mistakes_lists_the_pages_of_the_book():
    files = re.findall(r"(?:root|file): (\S+)", read("_toc.yml"))
    titles = [re.search(r"^# (.+)$", read(f"{name}.md").partition("\n---\n")[2], flags=re.M)[1] for name in files]
    (pages,) = [part for part in yaml.safe_load(read(FORMS[-1]))["body"] if part["id"] == "page"]
    assert pages["attributes"]["options"] == [*titles, "Somewhere else"]


def test_dependabot_looks_after_actions_and_libraries_once_a_month_together():
    content = yaml.safe_load(read(".github/dependabot.yml"))
    assert content["version"] == 2
    updates = {update["package-ecosystem"]: update for update in content["updates"]}
    assert set(updates) == {"github-actions", "pip"}
    for update in updates.values():
        assert (update["directory"], update["schedule"]) == ("/", {"interval": "monthly"})
        assert [group["patterns"] for group in update["groups"].values()] == [["*"]]
    lines = [line.partition("#")[0].strip() for line in read("requirements.txt").splitlines()]
    capped = {Requirement(line).name for line in lines if "<" in line}
    assert {rule["dependency-name"] for rule in updates["pip"]["ignore"]} <= capped


# --- Editors ------------------------------------------------------------------------------------------------------


def test_every_file_is_as_the_editor_settings_want_it():
    settings = configparser.ConfigParser()
    settings.read_string("[top]\n" + read(".editorconfig"))
    everywhere = {"charset": "utf-8", "end_of_line": "lf", "insert_final_newline": "true"}
    assert everywhere.items() <= dict(settings["*"]).items()
    assert settings["*"]["max_line_length"] == str(tomllib.loads(read("pyproject.toml"))["tool"]["ruff"]["line-length"])
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"\0"
        if b"\0" not in content and "vendor" not in name:
            assert b"\r" not in content, f"{name}: a line ends in CR LF"
            assert content.endswith(b"\n") or not content, f"{name}: the last line has no end"
            assert not re.search(rb"[ \t]+$", content, flags=re.M), f"{name}: spaces at the end of a line"
            assert b"\t" not in content or name == "Makefile", f"{name}: a tab"
            content.decode("utf-8")


# --- What the guides say ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_a_guide_names_what_the_tests_need_of_the_system(name):
    """Every program that is not there before anyone begins: make and git are."""
    needs = {need.name for need in system.NEEDS if need.packages} - {"make", "git"}
    sentence = re.search(r"[^.]*?(?:tests need|`make test` also) (.*?)(?:\.|, which)", read(name), flags=re.S)[1]
    said = re.split(r",\s+|\s+and\s+", sentence)
    assert {"Chinese font" if "font with" in words else words for words in said} == needs


def test_a_live_figure_is_about_as_long_as_the_guide_says():
    least, most = map(
        int, re.search(r"(\d+) to (\d+) lines together, with few exceptions", read("CONTRIBUTING.md")).groups()
    )
    folder = ROOT / "code" / "attnbook" / "live"
    both = [path for path in folder.glob("*.js") if path.with_suffix(".py").exists()]
    lengths = [sum(p.with_suffix(s).read_text("utf-8").count("\n") for s in (".js", ".py")) for p in both]
    exceptions = [length for length in lengths if not least <= length <= most]
    assert lengths
    assert len(exceptions) <= len(lengths) / 8, exceptions


# --- Devcontainer -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def container():
    """devcontainer.json without its comments, which stand on lines of their own."""
    return json.loads(re.sub(r"^ *//.*\n", "", read(".devcontainer/devcontainer.json"), flags=re.M))


def test_the_container_is_ready_for_make_test(container):
    _, script, system, *options, tool, task = container["postCreateCommand"].split()
    assert (ROOT / script).is_file()
    assert (ROOT / tool).is_file()
    assert (system, task) == ("--system", "build")  # what the tests need of the system, package by package
    named = {extra for flag, extra in zip(options[::2], options[1::2], strict=True) if flag == "--extra"}
    assert named <= set(extras())
    assert named == set(re.findall(r"--extra (\w+)", re.search(r"^EXTRAS = (.*)", read("Makefile"), flags=re.M)[1]))


def test_the_container_forwards_the_port_of_make_serve(container):
    port = inspect.signature(book.serve).parameters["first"].default
    assert container["forwardPorts"] == [port]
    assert list(container["portsAttributes"]) == [str(port)]


def test_the_container_allows_what_bubblewrap_does_and_runs_as_its_user(container):
    assert {"seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined"} == set(container["securityOpt"])
    users = re.findall(r"^USER (\w+)", read(".devcontainer/Dockerfile"), flags=re.M)
    assert users == [container["remoteUser"]]


def test_the_user_of_the_image_may_install_what_the_tests_need():
    """One unknown name stops `apt-get install` for all: the image has what is there on every Debian, and no more."""
    image = read(".devcontainer/Dockerfile")
    assert re.search(r"^FROM python:3\.\d+-\w+$", image, flags=re.M)  # by its name, on no particular host
    assert re.findall(r"install .*?recommends ([\w -]+?) *\\?\n", image) == ["git make sudo"]
    assert "NOPASSWD:ALL" in image
