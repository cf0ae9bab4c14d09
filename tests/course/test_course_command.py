"""The command as it is typed: what is kept, what is said, and one sentence where a word is bad."""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from types import SimpleNamespace

import platforms
import pytest
from attncourse import notebooks
from coursework import ROOT, answers, needs_a_sandbox, notebook

CHAPTER = "sqrt-dk-scaling"


@pytest.fixture(scope="module")
def course_folder(tmp_path_factory):
    """A course of one chapter."""
    folder = tmp_path_factory.mktemp("course")
    (folder / f"{CHAPTER}.md").write_bytes((ROOT / "course" / f"{CHAPTER}.md").read_bytes())
    return folder


@pytest.fixture
def call(tmp_path, course_folder, monkeypatch, capsys):
    """Run the command with its own folder for work; returns its exit code, what it printed and its last words."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import course

    for name in course.NAMES:
        monkeypatch.delenv(name, raising=False)

    def run(*words):
        given = [f"WORK={tmp_path / 'work'}", f"COURSE={course_folder}", "PROCESSES=1"]
        code, stderr = 0, ""
        capsys.readouterr()
        try:
            course.run([words[0], *given, *words[1:]])
        except SystemExit as end:
            code, stderr = 1, str(end)
        return SimpleNamespace(returncode=code, stdout=capsys.readouterr().out, stderr=stderr)

    return run


@pytest.fixture
def work(tmp_path, assignment):
    """A made assignment, with a seed of its own; only what grading reads."""
    folder = tmp_path / "work" / "assignments" / CHAPTER
    folder.mkdir(parents=True)
    (folder / "bundle.json").write_text(json.dumps({"seed": "a $word's"} | asdict(assignment)), encoding="utf-8")
    return tmp_path / "work"


def class_folder(place, assignment, *students):
    for number, student in enumerate(students):
        platforms.put(place, f"{student}.ipynb", notebook(*answers(assignment)[: 1 + number]))
    return place


def grades_of(work):
    return {
        path.parent.name: path.read_text(encoding="utf-8-sig") for path in work.glob(f"grades/{CHAPTER}/*/grades.csv")
    }


def test_the_seed_is_kept_and_said(work, call, assignment, tmp_path):
    needs_a_sandbox()
    place = class_folder(tmp_path / "in", assignment, "a")
    said = call("grade", CHAPTER, str(place)).stdout
    assert "a $word's (as made)" in said
    assert "***" not in said
    other = call("grade", CHAPTER, str(place), "SEED=other").stdout
    assert "other (given; the assignment was made with another one" in other
    public = call("grade", CHAPTER, str(place), "SEED=2026").stdout
    assert "*** This seed is the public default" in public


def test_making_keeps_the_seed_and_what_others_wrote(call, tmp_path):
    assert "***" in call("make").stdout, "the public default is said loudly"
    assert "a $word's (given" in call("make", "SEED=a $word's").stdout
    folder = tmp_path / "work" / "assignments" / CHAPTER
    kept = [folder / "nbgrader" / "gradebook.db", folder / "nbgrader" / "submitted" / "jane" / CHAPTER / "x.ipynb",
            folder / "notes.txt"]  # fmt: skip
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kept")
    assert "a $word's (as made)" in call("make").stdout
    assert all(path.read_text() == "kept" for path in kept)


def test_two_folders_of_submissions_have_grades_of_their_own(work, call, assignment, tmp_path):
    needs_a_sandbox()
    first = class_folder(tmp_path / "a" / "submissions", assignment, "anna")
    second = class_folder(tmp_path / "b" / "submissions", assignment, "ben", "bea")
    for place in (first, second, first):
        assert call("grade", CHAPTER, str(place)).returncode == 0
    grades = grades_of(work)
    assert sorted(grades) == ["submissions", "submissions-2"]
    assert "anna" in grades["submissions"]
    assert "ben" in grades["submissions-2"]
    assert "anna" not in grades["submissions-2"]


def test_a_download_a_roster_and_a_policy(work, call, assignment, tmp_path):
    needs_a_sandbox()
    place, wrong = tmp_path / "in", notebook("def something(): pass")
    platforms.canvas(place, notebook(*answers(assignment)), wrong)
    for path in sorted(place.glob("*.ipynb"))[8:]:  # few, so that the test is quick
        if "12347" not in path.name:
            path.unlink()
    platforms.put(place, "zz_777_888_other.ipynb", wrong)
    (place / "roster.csv").write_bytes(platforms.canvas_roster())
    (work / f"{CHAPTER}.yml").write_text("column: RNN assignment\nlate: {per_day: 1}\n")
    archive = platforms.zipped(place, tmp_path / "submissions.zip")
    for source in (place, archive):
        (tmp_path / "r.csv").write_bytes(platforms.canvas_roster())
        done = call("grade", CHAPTER, str(source), f"ROSTER={tmp_path / 'r.csv'}")
        assert done.returncode == 0, done.stderr
        zeros = done.stdout.partition("No points because of the file, not because of an answer: ")[2].partition("\n\n")[
            0
        ]
        assert {line.split(":")[0].split("_")[-1] for line in zeros.splitlines()[1:]} == {
            "12348",
            "12349",
            "12350",
            "777",
        }
        for words in ("gone1", "zz_777 is not on the roster", "Late, in days: 1", "Files that were not graded: "):
            assert words in done.stdout
    folders = list(work.glob(f"grades/{CHAPTER}/*"))
    assert len(folders) == 2
    for folder in folders:
        assert {"grades.csv", "canvas.csv", "feedback.zip", "report.html"} <= {path.name for path in folder.iterdir()}


def test_force_and_an_unknown_student(work, call, assignment, tmp_path):
    needs_a_sandbox()
    place = class_folder(tmp_path / "in", assignment, "anna")
    call("grade", CHAPTER, str(place))
    store = next(work.glob(f"grades/{CHAPTER}/in/results/*.json"))
    before = store.stat().st_mtime_ns
    assert call("grade", CHAPTER, str(place)).returncode == 0
    assert store.stat().st_mtime_ns == before
    assert call("grade", CHAPTER, str(place), "FORCE=anna").returncode == 0
    assert store.stat().st_mtime_ns > before
    assert "nobody" in call("grade", CHAPTER, str(place), "FORCE=nobody").stderr


BAD = {
    "PROCESSES=two": "PROCESSES=two is not a whole number",
    "PROCESSES=0": "PROCESSES=0 is not a whole number",
    "PROCESSES=-1": "PROCESSES=-1 is not a whole number",
    "PROCESSES=²": "is not a whole number",
    "CLUSTER=here": "CLUSTER=here is not an address",
    "CLUSTER=tcp://127.0.0.1:1": "No dask scheduler answers at CLUSTER=tcp://127.0.0.1:1",
    "CLUSTER=foo://a:1": "No dask scheduler answers at CLUSTER=foo://a:1",
    "UNSAFE=true": "UNSAFE=true is neither yes nor no",
    "SUBMISSIONS=/no/$such folder": "There is no folder /no/$such folder",
    "SUBMISSIONS=": "Say what to grade",
    "ASSIGNMENT=poetry": "There is no assignment 'poetry'; there are sqrt-dk-scaling",
    "ROSTER=/no/roster.csv": "The roster /no/roster.csv cannot be read",
    "POLICY=/no/policy.yml": "The policy /no/policy.yml cannot be read",
    "WORK=/proc/no": "run `make course` first",
    "PYTHONS=/no/python": "PYTHONS: /no/python cannot be used",
    "PROCESSES=1.5": "PROCESSES=1.5 is not a whole number",
    "CLUSTER=tcp://127.0.0.1": "No dask scheduler answers at CLUSTER=tcp://127.0.0.1",
    "NUMBER=3": "'NUMBER=3' is not understood",
}


@pytest.mark.parametrize("word", BAD)
def test_a_bad_word_is_one_sentence(word, work, call, assignment, tmp_path):
    needs_a_sandbox()
    place = class_folder(tmp_path / "in", assignment, "a")
    done = call("grade", f"ASSIGNMENT={CHAPTER}", f"SUBMISSIONS={place}", word)
    assert done.returncode
    assert BAD[word] in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_file_that_is_no_download_and_a_folder_without_course(work, call, tmp_path):
    (tmp_path / "x.zip").write_bytes(b"no")
    done = call("grade", CHAPTER, str(tmp_path / "x.zip"))
    assert "neither a folder nor a zip" in done.stderr
    done = call("make", f"COURSE={tmp_path / 'nowhere'}")
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_refuses_without_a_sandbox(work, assignment, tmp_path):
    place = class_folder(tmp_path / "in", assignment, "a")
    command = [sys.executable, str(ROOT / "tools/course.py"), "grade", CHAPTER, str(place), f"WORK={work}"]
    done = subprocess.run(command, env=os.environ | {"PATH": "/nowhere"}, capture_output=True, text=True, timeout=170)
    assert done.returncode
    assert "UNSAFE=yes" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_make_passes_every_word_as_it_was_typed(tmp_path):
    """A `$`, quotes, commas and spaces reach the script; a stub stands for Python and shows what it is given."""
    stub = tmp_path / "python"
    stub.write_text('#!/bin/sh\n[ "$1" = -c ] && exit 0\nprintf "%s\\n" "$@"\n')
    stub.chmod(0o755)
    typed = '/tmp/a $b\'s, "c" $(HOME) `d`'
    for given, environ in (
        ([f"SUBMISSIONS={typed}", "SEED=p$w", f"PYTHONS={typed}"], {}),
        ([], {"SUBMISSIONS": typed, "SEED": "p$w", "PYTHONS": typed}),
    ):
        command = ["make", "-s", "-C", str(ROOT), "grade", f"PYTHON={stub}", "ASSIGNMENT=x", *given]
        done = subprocess.run(command, env=os.environ | environ, capture_output=True, text=True, timeout=60)
        lines = done.stdout.splitlines()
        assert f"SUBMISSIONS={typed}" in lines, done
        assert f"PYTHONS={typed}" in lines
        assert "SEED=p$w" in lines


def test_a_student_tries_a_notebook(call, assignment, tmp_path):
    needs_a_sandbox()
    path = tmp_path / "my work.ipynb"
    path.write_bytes(notebook("%matplotlib inline\n1 / 0", *answers(assignment)[:2]))
    done = call("try", f"NOTEBOOK={path}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("1 of 1 visible tests hold") == 2
    assert "Code cell 1 (%matplotlib inline), line 2: ZeroDivisionError" in done.stdout
    assert not any(test.name in done.stdout for e in assignment.questions for test in e.hidden)
    path.write_bytes(notebooks.student(assignment).encode())
    assert "0 of 1 visible tests hold" in call("try", f"NOTEBOOK={path}").stdout


@pytest.mark.parametrize(
    ("data", "words"),
    [(None, "No such file"), (b"", "The file is empty"), (b"%PDF", "not a Jupyter notebook"),
     (notebook("x = 1"), "say ASSIGNMENT=<chapter>")],
)  # fmt: skip
def test_a_notebook_that_cannot_be_tried(data, words, call, tmp_path):
    if data is not None:
        (tmp_path / "n.ipynb").write_bytes(data)
    done = call("try", f"NOTEBOOK={tmp_path / 'n.ipynb'}")
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_page_gives_to_commands_only_words_that_they_know():
    page = (ROOT / "chapters" / "instructors.md").read_text(encoding="utf-8")
    import course

    assert {"SEED"} < set(re.findall(r"\b([A-Z]{4,})=", page)) - {"PYTHONPATH"} <= set(course.NAMES)


def test_this_machine_is_described(call):
    needs_a_sandbox()
    done = call("safe")
    assert done.returncode == 0, done
    assert "bubblewrap: 0." in done.stdout
    assert "seccomp: system calls are filtered" in done.stdout


@pytest.mark.parametrize("word", ["SUBMISSIONS=many", "SUBMISSIONS=3"])
def test_a_class_of_no_size_is_not_generated(word, call):
    assert "is not a number from 6 to 100000" in call("bench", word).stderr


@pytest.mark.thorough
def test_a_generated_class_survives_what_befalls_a_cluster(call):
    needs_a_sandbox()
    done = call("bench", "SUBMISSIONS=24")
    assert "Every honest student has the points" in done.stdout, done
