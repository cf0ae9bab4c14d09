"""A student's code runs with the Python that the notebook names, where the instructor has it, behind the same walls."""

import dataclasses
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from attncourse import author, batch, pythons, sandbox
from attncourse.model import CourseError
from coursework import ROOT, SHORT, answers, files, graded, notebook

OWN = pythons.look()
WHO = "import sys\nassert False, f'{sys.orig_argv[0]} {[*sys._xoptions]}'"


def program(place, **about):
    """A program that says it is a Python; without other words it is the one of these tests, as version 3.99."""
    other = Path(OWN.program).with_name("python3")  # another name of the same program: its code can tell
    told = dataclasses.asdict(dataclasses.replace(OWN, version="3.99", program=str(other))) | about
    place.mkdir(parents=True, exist_ok=True)
    path = place / "python3.99"
    start = f'exec {sys.executable} -X other "$@"'
    path.write_text(f"#!/bin/sh\ncase \"$3\" in *pythons.py) echo '{json.dumps(told)}';; *) {start};; esac\n")
    path.chmod(0o755)
    return str(path)


def written_with(version, *cells):
    document = json.loads(notebook(*cells))
    document["metadata"] = {"language_info": {"version": version}, "kernelspec": {"name": "python3"}}
    return json.dumps(document).encode()


@pytest.fixture
def course(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import course

    return course


def others(course, words, **options):
    return course.other_pythons(SimpleNamespace(**{"pythons": words, "cluster": "", "unsafe": False} | options))


@pytest.mark.parametrize("unsafe", [False, True])
def test_the_python_that_the_notebook_names_runs_the_code(unsafe, assignment, bubblewrap, tmp_path):
    other = program(tmp_path)
    limits = dataclasses.replace(SHORT, pythons=(("3.99", other),))
    name = "['other']" if unsafe else f"{OWN.shown}/bin/python3 []"  # without walls the program itself is started
    found = graded(written_with("3.99.1", WHO, *answers(assignment)), assignment, limits=limits, unsafe=unsafe)
    assert (found.python, found.score) == ("3.99", author.POINTS)
    assert f"{name}; " in found.remarks[0]
    assert len(found.remarks) == 1
    found = graded(written_with("3.98.1", WHO, *answers(assignment)), assignment, limits=limits)
    assert (found.python, found.score) == (OWN.version, author.POINTS)
    assert f"AssertionError: {OWN.inside} []; " in found.remarks[0]
    told = f"The notebook was written with Python 3.98; it was marked with {OWN.version}."
    assert found.remarks[1:] == [told]
    found = graded(notebook(WHO), assignment, limits=limits)
    assert f"{OWN.shown}/bin/python3 []; " in found.remarks[0], "a notebook that names none gets the newest"


def test_the_other_python_stands_behind_the_same_walls(bubblewrap, tmp_path):
    elsewhere = {"prefix": f"{tmp_path}{OWN.prefix}", "program": f"{tmp_path}{OWN.program}"}
    for folder in (OWN.prefix, OWN.numpy, f"{OWN.numpy}.libs"):
        os.makedirs(f"{tmp_path}{folder}", exist_ok=True)
    there = pythons.look(program(tmp_path, **elsewhere, numpy=f"{tmp_path}{OWN.numpy}"))
    assert there.shown == "/python"
    assert there.inside == f"/python/{os.path.relpath(OWN.program, OWN.prefix)}"

    def bound(command):
        assert {word for word in command if "bind" in word} == {"--ro-bind"}
        return {command[n + 1] for n, word in enumerate(command) if word.startswith("--ro-bind")}

    def its_own(about):
        return {about.prefix, about.numpy, f"{about.numpy}.libs"}

    own, other = bound(sandbox.bwrap_command(SHORT)), bound(sandbox.bwrap_command(SHORT, str(tmp_path / "python3.99")))
    assert other == (own - its_own(OWN)) | its_own(there)


def test_what_pythons_names_is_used_and_a_wrong_name_is_one_sentence(course, bubblewrap, tmp_path):
    good = program(tmp_path / "a place" / "bin")
    os.symlink(good, tmp_path / "a place" / "bin" / "python")
    assert others(course, f"'{good}'") == (("3.99", good),)
    assert others(course, f"'{tmp_path / 'a place'}'") == (("3.99", f"{tmp_path / 'a place' / 'bin' / 'python'}"),)
    old = program(tmp_path / "old", version="3.9")
    broken = program(tmp_path / "broken", program="/nowhere/python")
    for words, says in {
        "/nowhere": "it does not run (No such file or directory)",
        "no-such-python": "it does not run (No such file or directory)",
        "/usr/bin/true": "it does not run or has no NumPy (it says nothing)",
        old: "it is Python 3.9, and 3.10 or newer is needed",
        broken: "The sandbox did not start",
        f"'{good}' /nowhere": "/nowhere cannot be used",
        "'": "is not understood: No closing quotation",
    }.items():
        with pytest.raises(CourseError) as error:
            others(course, words)
        assert str(error.value).startswith("PYTHONS")
        assert says in str(error.value)
        assert "\n" not in str(error.value)


def test_without_pythons_those_on_the_path_that_can_are_used(course, bubblewrap, tmp_path, monkeypatch):
    good = program(tmp_path / "good")
    monkeypatch.setattr(course, "ON_PATH", ["python3.98", "python3.99"])
    monkeypatch.setenv("PATH", f"{tmp_path / 'bad'}:{tmp_path / 'good'}:{os.environ['PATH']}")
    assert others(course, "") == (("3.99", good),)
    program(tmp_path / "bad", program="/nowhere/python")
    assert others(course, "") == (), "one that cannot is not named, so it is no error"
    program(tmp_path / "own", version=OWN.version)
    monkeypatch.setenv("PATH", f"{tmp_path / 'own'}:{os.environ['PATH']}")
    assert others(course, "") == (), "the grader's own is there already"
    monkeypatch.setenv("PATH", f"{tmp_path / 'good'}:{os.environ['PATH']}")
    assert others(course, "", cluster="tcp://far:8786") == (), "this machine's are not those of the workers"


def test_a_worker_without_that_python_is_refused(bubblewrap):
    reason = sandbox.missing(dataclasses.replace(SHORT, pythons=(("3.99", "/nowhere/python3.99"),)))
    assert reason == "With /nowhere/python3.99: The sandbox did not start: it does not run (No such file or directory)."


def test_a_stored_result_depends_on_the_pythons(assignment):
    keys = {
        batch.key(files(b"{}"), assignment, 1, dataclasses.replace(SHORT, pythons=each))
        for each in ((), (("3.99", "/x"),))
    }
    assert len(keys) == 2


def test_the_command_says_which_pythons_and_which_limit_of_memory(course, assignment, bubblewrap, tmp_path, capsys):
    (tmp_path / "bundle.json").write_text(json.dumps({"seed": "s"} | dataclasses.asdict(assignment)), encoding="utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada.ipynb").write_bytes(written_with("3.99.1", *answers(assignment)))
    words = [str(tmp_path / "bundle.json"), str(tmp_path / "in"), f"WORK={tmp_path}", "PROCESSES=1"]
    course.run(["grade", *words, f"PYTHONS={program(tmp_path)}"])
    told = capsys.readouterr().out.partition("Graded: ")[0]
    assert f"Python for students' code: {OWN.version}, or 3.99 for notebooks that name it\n" in told
    assert told.endswith(f"\n{sandbox.memory_in_force(sandbox.Limits())}\n")
    course.run(["grade", *words, "UNSAFE=yes"])
    told = capsys.readouterr().out
    assert "there is no sandbox" in told
    assert "3.99 for notebooks" not in told.partition("Graded: ")[0]
    assert f"it was marked with {OWN.version}." in next(tmp_path.glob("grades/*/in/grades.csv")).read_text("utf-8")
