"""Nothing on disk is destroyed before its successor exists: interruptions, a full disk, a killed process, a typo."""

import contextlib
import csv
import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import types
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from attncourse import batch, clean, downloads, layouts, marks, together
from coursework import ROOT, SHORT, Class, answers, needs_a_sandbox, notebook
from test_batch import made_of, plain, result, rows

CHAPTER = "sqrt-dk-scaling"


def run(place, assignment, out, mapper, seed=marks.SEED, **more):
    """Grade a folder; returns the `Grades`, also where the run is interrupted."""
    grades = Class(assignment, downloads.read(place), out)
    with contextlib.suppress(KeyboardInterrupt):
        batch.run(grades, grades.files, mapper, seed, SHORT, **more)
    return grades


def contents(out):
    """Every file that an instructor reads or imports, with its bytes."""
    files = [path for path in out.rglob("*") if path.is_file() and not {"results", ".lock"} & {*path.parts}]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def in_place(files):
    """Those of these files that an instructor sees."""
    return {
        name: data
        for name, data in files.items()
        if name.split("/")[0] not in (together.NEW, together.READY) and not name.endswith(".part")
    }


def interrupted(after, points=2):
    """A mapper that is interrupted after so many results."""

    def mapper(pairs):
        for number, (name, _) in enumerate(pairs):
            if number == after:
                raise KeyboardInterrupt
            yield name, result(points)

    return mapper


def add(place, *names):
    for name in names:
        (place / f"{name}.ipynb").write_bytes(notebook(f"# {name}"))


@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_interruption_loses_no_row_and_no_page(after, assignment, tmp_path):
    """New files come first in the alphabet, so that they are graded before those that are stored."""
    place, out = plain(tmp_path, "m", "n", "o"), tmp_path / "out"
    run(place, assignment, out, made_of(lambda name: result(7)))
    before = contents(out)
    add(place, "a", "b", "c")
    grades = run(place, assignment, out, interrupted(after))
    assert grades.files.written
    assert {name: row["score"] for name, row in rows(out).items()} == dict.fromkeys("mno", "7") | dict.fromkeys(
        "abc"[:after], "2"
    )
    assert {f"feedback/{name}.html" for name in "mno"} <= contents(out).keys()
    assert all(contents(out)[f"feedback/{name}.html"] == before[f"feedback/{name}.html"] for name in "mno")
    assert ["abc"[n] for n in range(after, 3)] in grades.lists().values()


@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_interruption_after_a_changed_assignment_leaves_the_tables_of_the_last_run(after, assignment, tmp_path):
    place, out = plain(tmp_path, "a", "b", "c"), tmp_path / "out"
    run(place, assignment, out, made_of(lambda name: result(7)))
    before = contents(out)
    grades = run(place, replace(assignment, title="Another"), out, interrupted(after))
    assert not grades.files.written
    assert contents(out) == before
    asked = []
    grades = run(place, replace(assignment, title="Another"), out, made_of(lambda name: result(2), asked))
    assert len(asked) == 3 - after, "and what was graded is stored"
    assert {row["score"] for row in rows(out).values()} == {"2"}


WRITES = ("write_bytes", "write_text", "mkdir")


class Stopped(BaseException):
    """What ends a process at once."""


def counted(monkeypatch, number, end):
    """Let `end` happen at one of the moments at which something on disk changes; returns the moments there were.

    A full disk shows where something is written, and not where a file takes the place of another one.
    """
    moments = []

    def at(name):
        real = getattr(Path, name)

        def call(self, *arguments, **options):
            moments.append(name)
            if len(moments) == number:
                if name.startswith("write"):
                    real(self, arguments[0][: len(arguments[0]) // 2])
                end(self)
            return real(self, *arguments, **options)

        monkeypatch.setattr(Path, name, call)

    for name in WRITES if end is no_room else (*WRITES, "replace", "unlink"):
        at(name)
    return moments


def stop(path):
    raise Stopped


def no_room(path):
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def killed(path):
    os.kill(os.getpid(), signal.SIGKILL)


def at_every_moment(assignment, folder, end):
    """Yield (files of the run before, of the next, and those after it was ended), for every moment of its end."""
    number, over = 0, False
    while not over:
        number += 1
        (folder / str(number)).mkdir()
        place, out = plain(folder / str(number), "a", "b", "gone"), folder / str(number) / "out"
        run(place, assignment, out, made_of(lambda name: result(7)))
        before = contents(out)
        (place / "gone.ipynb").unlink()
        add(place, "c")
        process = os.fork()
        if process == 0:  # what ends there ends for itself alone
            with pytest.MonkeyPatch.context() as patch:
                moments = counted(patch, number, end)
                try:
                    run(place, assignment, out, made_of(lambda name: result(2)))
                except Stopped:
                    pass
                finally:
                    os._exit(0 if len(moments) >= number else 3)
        over = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 3
        after = contents(out)
        run(place, assignment, out, made_of(lambda name: result(2)))
        yield before, contents(out), after, out


@pytest.mark.parametrize("end", [stop, killed, no_room])
def test_at_every_moment_each_file_is_whole_and_no_grade_is_lost(end, assignment, tmp_path):
    """The old file or the new one; where the run ended in the middle, a table may lack the student who came last."""
    moments = 0
    for before, new, after, out in at_every_moment(assignment, tmp_path, end):
        moments += 1
        after = in_place(after)
        assert before.keys() - after.keys() <= {"feedback/gone.html"}, moments
        scores = {row["student"]: row["score"] for row in read_table(after["grades.csv"])}
        assert scores.items() >= {"a": "7", "b": "7"}.items(), moments
        assert scores.keys() <= {"a", "b", "c", "gone"}, moments
        partial = "c" not in scores and "gone" not in scores
        for name, data in after.items():
            assert partial or data in (before.get(name), new.get(name)), (moments, name)
        assert after["report.html"].endswith(b"</html>\n")
        assert zipfile.ZipFile(io.BytesIO(after["feedback.zip"])).testzip() is None
        assert contents(out) == in_place(contents(out)), "the next run clears up"
        if end is no_room:
            assert after in (before, new) or partial, moments
    assert moments > 10


CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink"}


def is_killed_at(number, task, *arguments):
    """Run a task in a process that is killed right before it changes the disk for this time; False if it never does."""
    process = os.fork()
    if process:
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert code in (0, -signal.SIGKILL)
        return code != 0
    seen, code = 0, 1

    def watch(event, arguments):
        nonlocal seen
        writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        seen += bool(event in CHANGES or writes)
        if seen == number:
            seen += 1  # the kill is an event, too
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    try:
        task(*arguments)
        code = 0
    finally:
        os._exit(code)


@pytest.fixture
def regraded(assignment, tmp_path):
    """A class that is graded twice, each grade otherwise: the folder after each run, and how to begin the second."""
    place = plain(tmp_path, "a", "b", "gone")
    run(place, assignment, tmp_path / "old", made_of(lambda name: result(7)))
    (place / "gone.ipynb").unlink()
    add(place, "c")

    def again(out):
        return run(place, assignment, out, made_of(lambda name: result(2)), "another seed")

    shutil.copytree(tmp_path / "old", tmp_path / "new")
    again(tmp_path / "new")
    return types.SimpleNamespace(
        old=tmp_path / "old",
        before=contents(tmp_path / "old"),
        after=contents(tmp_path / "new"),
        again=again,
        starts=lambda out: Class(assignment, downloads.read(place), out),
    )


def test_a_kill_at_every_step_leaves_the_files_of_one_run_or_the_next_start_does(regraded, tmp_path):
    assert {row["score"] for row in read_table(regraded.before["grades.csv"])} == {"7"}
    assert {row["score"] for row in read_table(regraded.after["grades.csv"])} == {"2"}
    number, halfway, sets = 1, 0, []
    out = tmp_path / str(number)
    shutil.copytree(regraded.old, out)
    while is_killed_at(number, regraded.again, out):
        there, counts = in_place(contents(out)), (out / together.READY / together.PLAN).exists()
        assert there.keys() >= {"feedback/a.html", "feedback/b.html"}, number
        assert counts or there in (regraded.before, regraded.after), number
        halfway += there not in (regraded.before, regraded.after)
        regraded.starts(out)
        assert contents(out).keys() == in_place(contents(out)).keys() or not counts, number
        assert in_place(contents(out)) == (regraded.after if counts else there), number
        sets.append(in_place(contents(out)) == regraded.after)
        number += 1
        out = tmp_path / str(number)
        shutil.copytree(regraded.old, out)
    assert contents(out) == regraded.after
    assert sets == sorted(sets), "from one step on it is the new set"
    assert {*sets} == {True, False}
    assert halfway > 5, "some kills came while files were put in place"


def test_what_was_cut_short_can_be_cut_short_again(regraded, tmp_path):
    number = 1
    out = tmp_path / "cut"
    shutil.copytree(regraded.old, out)
    while in_place(contents(out)) in (regraded.before, regraded.after):
        shutil.rmtree(out)
        shutil.copytree(regraded.old, out)
        assert is_killed_at(number, regraded.again, out)
        number += 1
    step = 1
    while is_killed_at(step, regraded.starts, out):
        step = step % 3 + 1
    assert contents(out) == regraded.after


def read_table(data):
    return csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))


def test_a_page_goes_only_when_its_student_is_no_longer_in_the_download(assignment, tmp_path):
    place, out = plain(tmp_path, "a", "b"), tmp_path / "out"
    run(place, assignment, out, made_of(lambda name: result(7)))
    (out / "feedback" / "mine.html").write_text("mine")
    (place / "b.ipynb").write_bytes(notebook("# another"))
    run(place, assignment, out, interrupted(0))
    assert sorted(path.name for path in (out / "feedback").iterdir()) == ["a.html", "b.html", "mine.html"]
    (place / "b.ipynb").unlink()
    run(place, assignment, out, made_of(lambda name: result(7)))
    assert sorted(path.name for path in (out / "feedback").iterdir()) == ["a.html", "mine.html"]


@pytest.fixture
def typed(tmp_path, assignment, monkeypatch):
    """Run the command on a class that has been graded; returns what it said, and whether any file changed."""
    needs_a_sandbox()
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import course

    for name in course.NAMES:
        monkeypatch.delenv(name, raising=False)
    made = tmp_path / "work" / "assignments" / CHAPTER / "bundle.json"
    made.parent.mkdir(parents=True)
    made.write_text(json.dumps({"seed": "x"} | asdict(assignment)), encoding="utf-8")
    (tmp_path / "in").mkdir()
    add(tmp_path / "in", "a", "b")

    def call(*options):
        before = contents(tmp_path / "work")
        try:
            course.run(["grade", CHAPTER, str(tmp_path / "in"), f"WORK={tmp_path / 'work'}", "PROCESSES=1", *options])
        except SystemExit as end:
            return str(end), contents(tmp_path / "work") == before
        return "", contents(tmp_path / "work") == before

    return call


TYPOS = {
    "FORCE=nobody": "nobody",
    "FORCE=a,nobody": "nobody",
    "ROSTER=/no/r.csv": "/no/r.csv",
    "POLICY=/no/p.yml": "/no/p.yml",
    "TABLE=/no/t.csv": "/no/t.csv",
    "PATTERN={who}": "{who}",
    "SUBMISSIONS=/no/such": "/no/such",
}


@pytest.mark.parametrize("graded", [True, False])
@pytest.mark.parametrize("typo", TYPOS)
def test_a_typo_changes_nothing(typo, graded, typed):
    if graded:
        assert typed() == ("", False)
    said, same = typed(typo)
    assert TYPOS[typo] in said
    assert same


def test_the_command_puts_in_place_what_a_killed_run_left(typed, tmp_path):
    """Also where it then ends, because of what was typed."""
    typed()
    (folder,) = (path.parent for path in tmp_path.rglob("grades.csv"))
    together.write(folder, "grades.csv", b"what a killed run wrote")
    together.commit(folder, {}, [])
    assert "nobody" in typed("FORCE=nobody")[0]
    assert (folder / "grades.csv").read_bytes() == b"what a killed run wrote"
    assert not (folder / together.READY).exists()


def test_the_command_says_what_an_interruption_left(assignment, tmp_path):
    """A real Ctrl-C while a notebook hangs: two that are stored stay in the table, and are not graded again."""
    needs_a_sandbox()
    made = tmp_path / "work" / "assignments" / CHAPTER / "bundle.json"
    made.parent.mkdir(parents=True)
    made.write_text(json.dumps({"seed": "x"} | asdict(assignment)), encoding="utf-8")
    place, out = plain(tmp_path, "m", "n"), tmp_path / "work" / "grades" / CHAPTER / "in"
    (place / "n.ipynb").write_bytes(notebook(*answers(assignment)))
    command = [
        sys.executable,
        str(ROOT / "tools/course.py"),
        "grade",
        CHAPTER,
        str(place),
        f"WORK={tmp_path / 'work'}",
        "PROCESSES=1",
    ]
    assert subprocess.run(command, capture_output=True, timeout=170).returncode == 0
    before = contents(out)
    endings = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def as_in_a_terminal():  # these tests may run where such signals are ignored, and a child inherits that
        for ending in endings:
            signal.signal(ending, signal.SIG_DFL)

    for ending in endings:
        (place / "hangs.ipynb").write_bytes(notebook("while True: pass", "while True: pass", f"# {ending}"))
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=as_in_a_terminal
        )
        while "Python for" not in process.stdout.readline():
            pass
        time.sleep(3)
        process.send_signal(ending)
        said = process.communicate(timeout=60)[1]
        assert "Interrupted: what is graded is in the tables." in said
        assert {name: row["score"] for name, row in rows(out).items()} == {"m": "0", "n": "10"}
        assert {name: contents(out)[name] for name in before if name.startswith("feedback/")} == {
            name: data for name, data in before.items() if name.startswith("feedback/")
        }


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_signal_while_files_are_put_in_place_waits_until_all_of_them_are(ending, number, assignment, tmp_path):
    """Also where another thread takes the signal: Python runs its handler in the main one, whatever that one blocks."""
    place, out = plain(tmp_path, "a", "b"), tmp_path / "out"
    run(place, assignment, out, made_of(lambda name: result(7)))
    another = replace(assignment, title="Another")
    grades = Class(another, downloads.read(place), out)
    over, moved, real = threading.Event(), [], Path.replace

    def moving(self, target):
        if together.READY in self.parts:
            moved.append(self.name)
            if len(moved) == number:
                os.kill(os.getpid(), ending)
                time.sleep(0.02)
        return real(self, target)

    before = signal.signal(ending, signal.default_int_handler)
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "replace", moving)
            with pytest.raises(KeyboardInterrupt):
                batch.run(grades, grades.files, made_of(lambda name: result(2)), marks.SEED, SHORT)
    finally:
        over.set()
        other.join()
        signal.signal(ending, before)
    assert grades.files.written
    assert {name: row["score"] for name, row in rows(out).items()} == {"a": "2", "b": "2"}
    after = contents(out)
    run(place, another, out, made_of(lambda name: result(2)))
    for name in ("grades.csv", "feedback/a.html", "feedback/b.html", "feedback.zip"):
        assert after[name] == contents(out)[name]
    assert after == in_place(after)


@pytest.mark.parametrize("end", [stop, no_room])
def test_making_an_assignment_again_keeps_its_seed_at_every_moment(end, assignment, tmp_path):
    layouts.write(assignment, tmp_path, "old")
    known = contents(tmp_path)
    number, over = 0, False
    while not over:
        number += 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                layouts.gradescope, "autograder", lambda assignment, path, seed: path.write_bytes(seed.encode())
            )
            moments = counted(patch, number, end)
            with contextlib.suppress(Stopped, OSError):
                layouts.write(assignment, tmp_path, "new")
            over = len(moments) < number
        now = contents(tmp_path)
        assert known.keys() <= now.keys()
        seed = json.loads(now["bundle.json"])["seed"]
        assert seed == ("new" if over else "old"), number
        layouts.write(assignment, tmp_path, "old") if over else None
    assert number > 5


def test_a_damaged_bundle_is_one_sentence(typed, tmp_path):
    path = tmp_path / "work" / "assignments" / CHAPTER / "bundle.json"
    path.write_text("{", encoding="utf-8")
    said, same = typed()
    assert "bundle.json is damaged" in said
    assert same
    assert "\n" not in said


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    with pytest.MonkeyPatch.context() as patch:
        counted(patch, 1, no_room)
        with pytest.raises(OSError, match="No space"):
            clean.write(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"old"
