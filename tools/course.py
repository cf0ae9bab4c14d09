"""Coursework: make the assignments, grade a class, try one notebook, check this machine.

python tools/course.py make  [NAME=value …]                        with .venv's Python, the group `course` installed
python tools/course.py grade ASSIGNMENT SUBMISSIONS [NAME=value …]  names as for `make grade`: SEED, WORK, ROSTER, …
python tools/course.py try   NOTEBOOK=file [NAME=value …]
python tools/course.py safe                                          can this machine grade safely?
"""

import contextlib
import json
import os
import signal
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "code"))

from attncourse import (  # noqa: E402
    archives,
    asking,
    author,
    batch,
    clean,
    downloads,
    gradebook,
    gradefiles,
    gradescope,
    layouts,
    lists,
    marks,
    policy,
    roster,
    sandbox,
    tables,
    together,
)
from attncourse.model import CourseError, load_assignment  # noqa: E402
from bookext import addresses  # noqa: E402
from environment import exclusive  # noqa: E402

NAMES = (
    "ASSIGNMENT",
    "SUBMISSIONS",
    "COURSE",
    "CHAPTER",
    "SEED",
    "PROCESSES",
    "UNSAFE",
    "WORK",
    "ROSTER",
    "POLICY",
    "FORCE",
    "NOTEBOOK",
    "TABLE",
    "PATTERN",
    "GRADERS",
)
ABOUT = "about.json"  # whose grades a folder holds
SHOWN = 20  # lines of a list on the screen; those of the first list all appear
PUBLIC = f"""*** This seed is the public default, {marks.SEED}: students can draw the hidden tests' numbers themselves.
*** For marks that count, say make course SEED=a-word-of-your-own."""


def say_seed(seed, how):
    """Print the seed of the hidden tests, with a warning if it is the public one."""
    print(f"Seed of the hidden tests: {clean.line(seed)} ({how})")
    if seed == str(marks.SEED):
        print(PUBLIC)


def seed_for(chosen, made, course=None):
    """Return the seed to use, and where it comes from: the one given, of the assignment, or of the whole course."""
    if chosen and made and chosen != made:
        return chosen, f"given; the assignment was made with another one, {clean.line(made)}"
    if chosen:
        return chosen, "given"
    if made:
        return made, "as made"
    return (course, "of the course") if course else (str(marks.SEED), "not given")


def remembered(folder):
    """Return the seed with which an assignment was made, or None."""
    try:
        return json.loads((folder / "bundle.json").read_text(encoding="utf-8")).get("seed")
    except (OSError, ValueError, AttributeError):
        return None


def of_the_course(work, chosen=""):
    """Return the seed of the course, or None; the first one that is chosen is it."""
    path = work / "seed.txt"
    try:
        return path.read_text(encoding="utf-8").rstrip("\n")
    except FileNotFoundError:
        if not chosen:
            return None
    work.mkdir(parents=True, exist_ok=True)
    clean.write(path, f"{chosen}\n".encode())
    return chosen


def make(options):
    """Write every assignment of the folder, or the one of a chapter, below `assignments`."""
    seeds = set()
    files = author.assignments(options.course, options.chapter)
    course = of_the_course(options.work, options.seed)
    for chapter, path in files.items():
        folder = options.work / "assignments" / chapter
        assignment = author.read(path)
        seed, how = seed_for(options.seed, remembered(folder), course)
        author.prove(assignment, seed)
        layouts.write(assignment, folder, seed)
        print(f"{chapter}: {folder}")
        seeds.add((seed, how))
    for seed, how in sorted(seeds):
        say_seed(seed, how)
    if not gradescope.has_otter():
        old = any(options.work.glob("assignments/*/gradescope/autograder.zip"))
        print(
            "Nothing was written for Gradescope, whose tools are not installed: make course GRADERS=yes installs them."
        )
        if old:
            print("What lies there for it is of an earlier time.")


def made(name, work):
    """Read the assignment that `make course` has written, and its seed; `name` is a chapter or a path."""
    path = Path(name) if str(name).endswith(".json") else work / "assignments" / name / "bundle.json"
    if not path.is_file():
        there = sorted(p.parent.name for p in work.glob("assignments/*/bundle.json"))
        known = f"; there are {', '.join(there)}" if there else ": run `make course` first"
        raise CourseError(f"There is no assignment {name!r}{known}.")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        fields = {field: data[field] for field in data if field != "seed"}
    except (ValueError, TypeError):
        raise CourseError(f"{path} is damaged: run `make course` again, with the same SEED.") from None
    return load_assignment(fields), data.get("seed")


def refuse_without_sandbox(options):
    """Refuse to run untrusted code without a sandbox, unless the instructor has asked for it."""
    reason = sandbox.reason_unavailable()
    if reason and not options.unsafe:
        raise CourseError(
            f"No sandbox: {reason} The code could then read and delete your files. If you have read it and trust it, "
            "say UNSAFE=yes."
        )


def folder_for(submissions, chapter, work):
    """Return the folder for the grades of these submissions, which no other submissions share; make nothing."""
    source, number = str(submissions.resolve()), 1
    while True:
        name = submissions.resolve().stem if submissions.is_file() else submissions.resolve().name
        folder = work / "grades" / chapter / (f"{name}-{number}" if number > 1 else name)
        try:
            known = json.loads((folder / ABOUT).read_text(encoding="utf-8"))["submissions"]
        except FileNotFoundError:
            return folder
        except (ValueError, KeyError, TypeError):
            known = None
        if known == source:
            return folder
        number += 1


def read_class(options, assignment, folder):
    """Return the downloads, the roster and the policy as one `Grades`, and the `GradeFiles` that write it."""
    beside = options.submissions if options.submissions.is_dir() else None
    people = options.roster or (beside and beside / downloads.ROSTER)
    people = roster.read(people) if options.roster or (people and people.is_file()) else None
    table = tables.read(options.table) if options.table else None
    decisions = options.policy or options.work / f"{assignment.chapter}.yml"
    decisions = policy.read(decisions, assignment) if options.policy or decisions.is_file() else {}
    download = downloads.read(options.submissions, people, table, options.pattern)
    site = published()
    together.complete(folder)  # a run that was killed may have left files that are not in their place yet
    grades = gradebook.Grades(assignment, download, folder, decisions, people)
    return grades, gradefiles.GradeFiles(grades, site)


def published():
    """Return the address of the book's site, "" without one."""
    import yaml

    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    try:
        return addresses.read(config["sphinx"]["config"].get("book_repository"), config["html"]["baseurl"])[1]
    except ValueError as error:
        raise CourseError(f"Links to the book cannot be made: {error}.") from None


def grade_class(options):
    """Grade a folder; the exit code is 1 if a submission could not be graded or a file not be written."""
    from tqdm import tqdm

    if not options.assignment or not options.submissions:
        raise CourseError("Say what to grade: make grade ASSIGNMENT=<chapter> SUBMISSIONS=<folder or zip>")
    assignment, seed_made = made(options.assignment, options.work)
    if not options.submissions.exists():
        raise CourseError(f"There is no folder or zip {options.submissions} with submissions.")
    refuse_without_sandbox(options)
    seed, how = seed_for(options.seed, seed_made, of_the_course(options.work))
    say_seed(seed, how)
    author.prove(assignment, seed)
    # Everything that the instructor typed is read before anything is written.
    folder = folder_for(options.submissions, assignment.chapter, options.work)
    grades, files = read_class(options, assignment, folder)
    force = _forced(grades.classlist, options.force)
    limits = sandbox.Limits()
    if not options.unsafe:
        print("Sandbox: bubblewrap {}, {}".format(*sandbox.bubblewrap()))
    print(f"Python for students' code: {sandbox.PYTHON_VERSION}")
    print(sandbox.memory_in_force(limits, options.unsafe))
    mapper = batch.on_threads(options.processes, assignment, seed, limits, options.unsafe, grades.logins)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ABOUT).exists():  # it says the same in every run
        clean.write(folder / ABOUT, json.dumps({"submissions": str(options.submissions.resolve())}).encode())
    try:
        with tqdm(total=len(grades.classlist.to_grade()), unit="submission", disable=None, file=sys.__stderr__) as bar:
            batch.run(grades, files, mapper, seed, limits, bar.update, force)
    except KeyboardInterrupt:
        sys.exit(f"Interrupted: {_what_is_there(files)}. The same command goes on where it stopped.")
    summarize(grades, files)


def _forced(classlist, names):
    """Return the students whom FORCE names, one or several with commas between them; a name may have a comma in it."""
    if not names.strip():
        return set()
    try:
        return {classlist.student(names.strip())}
    except CourseError:
        if "," not in names:
            raise
    return {classlist.student(name.strip()) for name in names.split(",") if name.strip()}


def _what_is_there(files):
    """Say whose the tables are after an interruption."""
    if files.written:
        return "what is graded is in the tables"
    if not (files.folder / "grades.csv").exists():
        return "there are no tables yet"
    why = ", because the new ones would lack students" if files.lacks_students else ""
    return f"the tables are those of the last run{why}"


def summarize(grades, files):
    """Print what came out, and everything that an instructor must look at."""
    graded = {s: score for s in grades.everyone() if (score := grades.final(s).score) is not None}
    untried = {student for students in lists.who_tried_nothing(grades).values() for student in students}
    scores = [score for student, score in graded.items() if student not in untried]
    mean = f", mean {sum(scores) / len(scores):.2f} of {author.POINTS}" if scores else ""
    some = f"; {len(scores)} of them tried" if len(scores) < len(graded) else ""
    print(
        f"Graded: {len(graded)}{some}{mean}. The grades are in {grades.folder}: begin with report.html and grades.csv."
    )
    listed = lists.all_of(grades, files)
    for number, (title, lines) in enumerate(listed.items()):
        print(f"\n{title}: {len(lines)}")
        shown = lines if number == 0 or len(lines) <= SHOWN else lines[:SHOWN]
        print("\n".join("  " + clean.line(line) for line in shown))
        if len(shown) < len(lines):
            print(f"  and {len(lines) - len(shown)} more, in report.html")
    if files.no_room and not files.written:
        sys.exit("There was no room: the files are those of the last run. Make room, and run the same command again.")
    if files.errors:
        sys.exit("Not everything could be written: the reasons are in the list above. Run the same command again.")
    if "Could not be graded" in listed:
        sys.exit(f"Could not be graded: {len(listed['Could not be graded'])}. The reasons are in the list above.")


def try_notebook(options):
    """Run the visible tests on one notebook, in the sandbox in which it will be marked."""
    if not options.notebook:
        raise CourseError("Say which notebook: make try NOTEBOOK=<file>")
    data = archives.read_file(options.notebook)
    if isinstance(data, str):
        raise CourseError(f"{options.notebook}: {data}")
    assignment = author.read(_assignment_of(options, data))
    for question in assignment.questions:
        question.hidden = []
    refuse_without_sandbox(options)
    with asking.Examiners() as examiners:
        result = examiners.grade([[options.notebook.name, [0, ""], data]], assignment, unsafe=options.unsafe)
    if result.problem:
        other = " If it is one of the book's, say ASSIGNMENT=<chapter>." if result.file >= 0 else ""
        raise CourseError(f"{options.notebook}: {result.problem}{other}")
    print(f"{assignment.title}, from {assignment.chapter}.md")
    for question in assignment.questions:
        if question.kind == "written":
            words = len((result.written or {}).get(question.name, "").split())
            print(f"{question.title}: a person will read it; words found: {words}")
            continue
        outcome = [mark for mark in result.marks if mark.question == question.name]
        print(f"{question.title}: {sum(mark.passed for mark in outcome)} of {len(outcome)} visible tests hold")
        for mark in outcome:
            if not mark.passed:
                print("  fails: " + clean.line(mark.why))
    for remark in result.remarks:
        print(clean.line(remark))
    print(f"It ran with Python {result.python} and NumPy {result.numpy}.")
    print("The marking runs other tests than these.")


def _assignment_of(options, data):
    """Return the assignment of a notebook: the one that is named, or the one of which it defines most functions."""
    files = author.assignments(options.course)
    if options.assignment:
        if options.assignment not in files:
            raise CourseError(f"There is no assignment {options.assignment!r}; there are {', '.join(files)}.")
        return files[options.assignment]
    asked = {path: author.read(path).functions for path in files.values()}
    share = {path: sum(f"def {name}(".encode() in data for name in names) / len(names) for path, names in asked.items()}
    return max(share, key=share.get)


def safe(options):
    """Say whether this machine can grade safely, wall by wall; the exit code is 1 if it cannot."""
    walls = sandbox.environment()
    for number, (what, holds, state) in enumerate(walls):
        print(f"{'yes ' if holds else 'NO  ' if number < sandbox.NEEDED else 'weak'} {what}: {clean.line(state)}")
    if not all(holds for _, holds, _ in walls[: sandbox.NEEDED]):
        sys.exit("Do not grade on this machine.")
    print("What students' code can see, read-only, and where it lies on this machine:")
    for seen in sandbox.describe_visible():
        print(f"  {clean.line(seen)}")
    print("Students' code can be run here.")


TASKS = {"make": make, "grade": grade_class, "try": try_notebook, "safe": safe}


def read_options(arguments):
    """Read the task and its options from NAME=value arguments, else the environment; a bad one ends in one sentence."""
    if not arguments or arguments[0] not in TASKS:
        raise CourseError(f"Say what to do: {', '.join(TASKS)}.")
    values = {name: os.environ.get(name, "") for name in NAMES}
    places = ["ASSIGNMENT", "SUBMISSIONS"]
    for argument in arguments[1:]:
        name, sign, value = argument.partition("=")
        if sign and name in NAMES:
            values[name] = value
        elif places and not (sign and name.isidentifier() and name.isupper()):
            values[places.pop(0)] = argument
        else:
            raise CourseError(f"{argument!r} is not understood; the names are {', '.join(NAMES)}.")
    processes = values["PROCESSES"].strip()
    if processes and not (processes.isascii() and processes.isdigit() and 0 < int(processes) <= 1024):
        raise CourseError(f"PROCESSES={processes} is not a whole number from 1 to 1024.")
    if values["UNSAFE"] not in ("", "yes", "no"):
        raise CourseError(f"UNSAFE={values['UNSAFE']} is neither yes nor no.")
    options = types.SimpleNamespace(**{name.lower(): value for name, value in values.items()})
    options.task, options.unsafe = arguments[0], values["UNSAFE"] == "yes"
    options.processes = int(processes or 0) or os.cpu_count() or 1
    options.course = options.course or ROOT / "course"
    options.work = options.work or ROOT / "course-work"
    for name in ("course", "work", "submissions", "roster", "policy", "notebook", "table"):
        value = getattr(options, name)
        setattr(options, name, Path(value).expanduser() if value else None)
    return options


def run(arguments):
    """Do what the command line asks for; whatever goes wrong ends in one sentence."""
    try:
        options = read_options(arguments)
        writes = options.task == "make" or (options.task == "grade" and options.work.is_dir())
        lock = exclusive(options.work / ".lock", f"command that writes to {options.work}")
        with lock if writes else contextlib.nullcontext():
            TASKS[options.task](options)
    except KeyboardInterrupt:
        sys.exit("Interrupted: run the same command again.")
    except CourseError as error:
        sys.exit(clean.line(error))
    except OSError as error:
        sys.exit(f"{clean.line(error.filename or 'A file')}: {clean.line(error.strerror or error)}.")


if __name__ == "__main__":
    for ending in (signal.SIGTERM, signal.SIGHUP):  # such as a terminal that is closed
        signal.signal(ending, signal.default_int_handler)
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.stdout = clean.Screen(sys.stdout)
    sys.stderr = clean.Screen(sys.stderr)  # whoever prints, and whatever
    run(sys.argv[1:])
