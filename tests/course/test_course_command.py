"""The command as it is typed: what it remembers, what it says, and one sentence where an option is bad."""

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
from coursework import OF_TESTS, ROOT, answers, breaks, needs_a_sandbox, notebook
from environment import exclusive

CHAPTER = "sqrt-dk-scaling"


@pytest.fixture(scope="module")
def course_folder(tmp_path_factory):
    """A course of one chapter."""
    folder = tmp_path_factory.mktemp("course")
    (folder / f"{CHAPTER}.md").write_bytes((OF_TESTS / f"{CHAPTER}.md").read_bytes())
    return folder


@pytest.fixture
def call(tmp_path, course_folder, monkeypatch, capsys):
    """Run the command with its own folder for work; returns its exit code, what it printed and its last words."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import course

    for name in course.NAMES:
        monkeypatch.delenv(name, raising=False)

    def run(*arguments):
        options = [f"WORK={tmp_path / 'work'}", f"COURSE={course_folder}", "PROCESSES=1"]
        code, stderr = 0, ""
        capsys.readouterr()
        try:
            course.run([arguments[0], *options, *arguments[1:]])
        except SystemExit as end:
            code, stderr = 1, str(end)
        return SimpleNamespace(returncode=code, stdout=capsys.readouterr().out, stderr=stderr)

    return run


@pytest.fixture
def work(tmp_path, assignment):
    """A made assignment, with a seed of its own; only what grading reads."""
    needs_a_sandbox()
    folder = tmp_path / "work" / "assignments" / CHAPTER
    folder.mkdir(parents=True)
    (folder / "bundle.json").write_text(json.dumps({"seed": "a $word's"} | asdict(assignment)), encoding="utf-8")
    return tmp_path / "work"


def class_folder(place, assignment, *students):
    for number, student in enumerate(students):
        platforms.put(place, f"{student}.ipynb", notebook(*answers(assignment)[: 1 + number]))
    return place


def test_the_seed_is_remembered_and_results_are_stored(work, call, assignment, tmp_path):
    place = class_folder(tmp_path / "in", assignment, "anna")
    first = call("grade", CHAPTER, str(place))
    assert first.returncode == 0
    assert "a $word's" in first.stdout
    assert "***" not in first.stdout
    stored = next(work.glob(f"grades/{CHAPTER}/in/results/*.json"))
    before = stored.stat().st_mtime_ns
    assert call("grade", CHAPTER, str(place)).returncode == 0
    assert stored.stat().st_mtime_ns == before
    assert call("grade", CHAPTER, str(place), "FORCE=anna").returncode == 0
    assert stored.stat().st_mtime_ns > before
    assert "nobody" in call("grade", CHAPTER, str(place), "FORCE=nobody").stderr
    public = call("grade", CHAPTER, str(place), "SEED=2026").stdout
    assert "***" in public, "the seed that everybody knows"
    assert "a $word's" in public, "and with which one the assignment was made"


def test_making_keeps_the_seed_and_what_others_wrote(call, tmp_path):
    assert "***" in call("make").stdout
    assert "a $word's" in call("make", "SEED=a $word's").stdout
    folder = tmp_path / "work" / "assignments" / CHAPTER
    others = [
        folder / "nbgrader" / "gradebook.db",
        folder / "nbgrader" / "submitted" / "jane" / CHAPTER / "x.ipynb",
        folder / "notes.txt",
    ]
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    assert "a $word's" in call("make").stdout
    assert all(path.read_text() == "mine" for path in others)


def test_a_seed_is_remembered_for_the_whole_course(call, course_folder, tmp_path):
    """Another chapter that is made later takes it; one that has a seed of its own keeps that."""
    assert "a-word" in call("make", "SEED=a-word").stdout
    other = tmp_path / "other"
    other.mkdir()
    text = (OF_TESTS / f"{CHAPTER}.md").read_text(encoding="utf-8")
    (other / "second.md").write_text(text, encoding="utf-8")
    done = call("make", f"COURSE={other}")
    assert "a-word (of the course)" in done.stdout
    assert "***" not in done.stdout
    assert "another-word (given" in call("make", f"COURSE={other}", "SEED=another-word").stdout
    assert "another-word (as made)" in call("make", f"COURSE={other}").stdout
    assert "a-word (as made)" in call("make").stdout
    (tmp_path / "work" / "assignments" / CHAPTER / "bundle.json").unlink()
    assert "a-word (of the course)" in call("make").stdout


def test_nothing_of_an_error_reaches_the_terminal_but_letters(work, call, tmp_path):
    platforms.put(tmp_path / "\x1b]0;pwned\x07in", "x.txt", b"")
    said = call("grade", CHAPTER, str(tmp_path / "\x1b]0;pwned\x07in")).stderr
    assert "pwned" in said
    assert said.isprintable()


def test_nothing_is_made_or_graded_with_a_seed_that_fails_the_solution(work, call, assignment, tmp_path):
    text = (OF_TESTS / f"{CHAPTER}.md").read_text(encoding="utf-8")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "broken.md").write_text(text.replace("(d_k, t):", "(d_k, t):\n    1 / 0", 1))
    done = call("make", f"COURSE={tmp_path / 'broken'}")
    assert done.stderr.startswith("broken: ")
    assert not (tmp_path / "work" / "assignments" / "broken").exists()
    (work / "assignments" / CHAPTER / "bundle.json").write_text(json.dumps(asdict(breaks(assignment, "True"))))
    done = call("grade", CHAPTER, str(class_folder(tmp_path / "in", assignment, "a")), "SEED=a-word")
    assert "SEED=a-word" in done.stderr
    assert assignment.questions[0].hidden[0].name in done.stderr
    assert not (work / "grades").exists()


def test_two_folders_of_submissions_have_grades_of_their_own(work, call, assignment, tmp_path):
    first = class_folder(tmp_path / "a" / "submissions", assignment, "anna")
    second = class_folder(tmp_path / "b" / "submissions", assignment, "ben", "bea")
    for place in (first, second, first):
        assert call("grade", CHAPTER, str(place)).returncode == 0
    tables = sorted(work.glob(f"grades/{CHAPTER}/*/grades.csv"))
    assert ["anna" in path.read_text() for path in tables] == [True, False]
    assert ["ben" in path.read_text() for path in tables] == [False, True]


def test_commands_that_write_to_one_folder_take_turns(work, assignment, course_folder, tmp_path):
    place = class_folder(tmp_path / "in", assignment, "anna")
    command = [sys.executable, str(ROOT / "tools/course.py")]
    with exclusive(work / ".lock", "grading"):
        running = [
            subprocess.Popen([*command, *task, f"WORK={work}"], stdout=subprocess.PIPE, text=True)
            for task in (["grade", CHAPTER, str(place)], ["make", f"COURSE={course_folder}"])
        ]
        for process in running:
            assert f"process {os.getpid()}" in process.stdout.readline()
        assert not (work / "grades").exists()
    assert [process.communicate(timeout=170) and process.returncode for process in running] == [0, 0]


def test_a_download_a_roster_and_a_policy(work, call, assignment, tmp_path):
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
        for student in ("12348", "12349", "12350", "gone1", "zz_777", "Late, in days: 1"):
            assert student in done.stdout
    folders = list(work.glob(f"grades/{CHAPTER}/*"))
    assert len(folders) == 2
    for folder in folders:
        assert {"grades.csv", "canvas.csv", "feedback.zip", "report.html"} <= {path.name for path in folder.iterdir()}


BAD = {  # an option: what its one sentence names
    "PROCESSES=two": "PROCESSES=two",
    "PROCESSES=0": "PROCESSES=0",
    "PROCESSES=²": "PROCESSES=²",
    "UNSAFE=true": "UNSAFE=true",
    "SUBMISSIONS=/no/$such folder": "/no/$such folder",
    "SUBMISSIONS=": "SUBMISSIONS",
    "ASSIGNMENT=poetry": "'poetry'; there are sqrt-dk-scaling",
    "ROSTER=/no/roster.csv": "/no/roster.csv",
    "POLICY=/no/policy.yml": "/no/policy.yml",
    "WORK=/proc/no": "make course",
    "NUMBER=3": "NUMBER=3",
}


@pytest.mark.parametrize("option", BAD)
def test_a_bad_option_is_one_sentence(option, work, call, assignment, tmp_path):
    place = class_folder(tmp_path / "in", assignment, "a")
    done = call("grade", f"ASSIGNMENT={CHAPTER}", f"SUBMISSIONS={place}", option)
    assert done.returncode
    assert BAD[option] in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_files_that_are_not_there_or_no_download_are_one_sentence(work, call, tmp_path):
    (tmp_path / "x.zip").write_bytes(b"no")
    for options in (
        ["grade", CHAPTER, str(tmp_path / "x.zip")],
        ["make", f"COURSE={tmp_path / 'nowhere'}"],
        ["try", f"NOTEBOOK={tmp_path / 'n.ipynb'}"],
    ):
        done = call(*options)
        assert options[-1].rpartition("=")[2] in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


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
    typed = {"SUBMISSIONS": '/tmp/a $b\'s, "c" $(HOME) `d`', "SEED": "p$w", "ROSTER": '/tmp/a $b\'s, "c" `d`'}
    words = [f"{name}={value}" for name, value in typed.items()]
    for options, environ in ((words, {}), ([], typed)):
        command = ["make", "-s", "-C", str(ROOT), "grade", f"PYTHON={stub}", "ASSIGNMENT=x", *options]
        done = subprocess.run(command, env=os.environ | environ, capture_output=True, text=True, timeout=60)
        assert {*words} <= {*done.stdout.splitlines()}, done


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
    path.write_bytes(notebook("x = 1"))
    assert "ASSIGNMENT=" in call("try", f"NOTEBOOK={path}").stderr, "which may be the book's, of another chapter"


def test_the_page_names_only_options_that_there_are():
    page = (ROOT / "chapters" / "instructors.md").read_text(encoding="utf-8")
    import course

    assert {"SEED"} < set(re.findall(r"\b([A-Z]{4,})=", page)) - {"PYTHON"} <= set(course.NAMES)


def test_this_machine_is_described(call):
    needs_a_sandbox()
    done = call("safe")
    assert done.returncode == 0, done
    assert "bubblewrap" in done.stdout


@pytest.mark.parametrize(
    ("task", "typed"),
    [
        ("grade", "ROSTERS=r.csv"),
        ("grade", "POLICIES=p.yml"),
        ("grade", "CHAPTER=x"),
        ("course", "ROSTER=r.csv"),
        ("try", "NOTEBOOKS=n.ipynb"),
        ("grade-safe", "SEED=x"),
    ],
)
def test_make_refuses_a_variable_that_the_task_does_not_know(task, typed):
    """Those of the environment are nobody's slip."""
    clean = {name: value for name, value in os.environ.items() if name not in ("MAKELEVEL", "MAKEFLAGS")}
    command = ["make", "-n", task]
    done = subprocess.run([*command, typed], cwd=ROOT, env=clean, capture_output=True, text=True)
    assert done.returncode
    assert f"{typed.partition('=')[0]}= is not known here" in done.stderr
    assert "course.py" not in done.stdout
    name, _, value = typed.partition("=")
    for more in ([], ["PYTHON=python3", "LOCKED=2"]):
        done = subprocess.run([*command, *more], cwd=ROOT, env=clean | {name: value}, capture_output=True, text=True)
        assert done.returncode == 0
        assert "course.py" in done.stdout


def test_a_name_with_a_comma_can_be_graded_again(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from attncourse.model import CourseError

    import course

    known = {"Doe, Jane": "doejane_1", "a": "a", "b": "b"}

    def student(name):
        if name not in known:
            raise CourseError(f"There is no submission of {name!r}.")
        return known[name]

    grades = SimpleNamespace(student=student)
    assert course._forced(grades, "Doe, Jane") == {"doejane_1"}
    assert course._forced(grades, "a, b") == {"a", "b"}
    assert course._forced(grades, " ") == set()
    with pytest.raises(CourseError, match="nobody"):
        course._forced(grades, "a,nobody")
