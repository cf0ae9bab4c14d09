"""Remember a run for the next one: whose grade changed since, and why; and who is in which class.

A grade is compared with the one of the last run, and each thing on which it depends with what it was.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import get_type_hints

from . import policy, roster

LAST = "last.json"


@dataclass(frozen=True)
class Graded:
    """What a run found of one student. What has a default here, earlier editions of the grader did not store."""

    score: float | int | None
    parts: dict  # {question: points}
    tested: list  # names of the hidden tests that were passed
    handed: str  # a fingerprint of what was handed in, "" where that was nothing
    marked: dict = field(default_factory=dict)  # {written question: points that markers gave}
    late: float | int = 0  # days
    also_handed: list = field(default_factory=list)  # fingerprints of what others of the group handed in


@dataclass(frozen=True)
class Run:
    """What a run leaves for the next one. What has a default here, earlier editions of the grader did not store."""

    students: dict  # {student: Graded}
    about: dict  # {what else results depend on: a fingerprint of it}
    decided: str  # the instructor's decisions, as text
    pages: list  # names of the students' pages
    names: list  # whatever a student of the class is called
    changes: dict  # as `changes` returns them
    over: bool = True  # whether the deadline was over


NO_RUN = Run(students={}, about={}, decided="", pages=[], names=[], changes={"lines": []})


def names_in_other_classes(grades):
    """Return the names in the policy that mean a student of another class of the same assignment."""
    known: set = set()
    for path in grades.folder.parent.glob(f"*/{LAST}"):
        if path.parent != grades.folder:
            other = read_last_run(path.parent) or NO_RUN
            known |= {*other.names}
    return {name for name in grades.classlist.unknown if roster.normalized(name) in known}


def changes(grades):
    """Return {"lines": whose grade changed, and why; "vanished": whose files went} since the last run.

    If nothing changed, return what that run said.
    """
    now = {"lines": [*_changed(grades)], "vanished": [*_vanished(grades)]}
    if any(now.values()):
        return now
    return {"lines": [], "vanished": []} | grades.last_run.changes


def _vanished(grades):
    """Yield a line for each student who had handed in, and whose files are not in the download any more."""
    there = {*grades.with_results(), *grades.classlist.submissions}
    files = {*grades.handed.values()}  # under another name they are still there
    for student, old in grades.last_run.students.items():
        if old.handed and student not in there and old.handed not in files:
            yield (
                f"{student} had handed in when this was graded before ({_points(old.score)}), and is not in this "
                "download."
            )


def _changed(grades):
    """Yield a line for each student whom the last run graded otherwise."""
    everyone = {*grades.everyone()}
    for student, old in grades.last_run.students.items():
        if student not in everyone:
            yield f"{student}: {_points(old.score)} → no longer in the download or on the roster"
            continue
        final = grades.final(student)
        if (final.score, final.parts) != (old.score, old.parts):
            yield f"{student}: {_points(old.score)} → {_points(final.score)} ({_why(grades, student, old)})"


def _why(grades, student, old):
    """Return the reasons why a grade changed, as text."""
    now = _graded(grades, student)
    last_run = grades.last_run
    reasons = []
    if now.handed != old.handed:
        reasons.append(_what_was_handed(old.handed, now.handed))
    reasons += [what for what, value in grades.fingerprints.items() if value != last_run.about.get(what)]
    if now.marked != old.marked:
        reasons.append("written answers marked")
    if _decided(grades) != last_run.decided:
        reasons.append("your decisions, or the platform's table")
    still_there = _hidden_tests(grades)
    earned = [name for name in now.tested if name not in old.tested]
    lost = [name for name in old.tested if name in still_there and name not in now.tested]
    if earned:
        reasons.append(f"passes now: {', '.join(earned)}")
    if lost:
        reasons.append(f"fails now: {', '.join(lost)}")
    return "; ".join(reasons) or "graded again"


def _what_was_handed(before, now):
    """Return in words how what was handed in differs; both are fingerprints, "" where that was nothing."""
    if not before:
        return "handed in since"
    return "other files" if now else "the files are gone"


def _graded(grades, student):
    """Return what this run found of a student."""
    final = grades.final(student)
    return Graded(
        score=final.score,
        parts=final.parts,
        tested=_tested(grades, student),
        handed=grades.handed.get(grades.owner(student), ""),
        marked=_marked(grades, final),
        late=final.late,
        also_handed=also_handed(grades, student),
    )


def also_handed(grades, student):
    """Return the fingerprints of what a student's group handed in beside what counts for the student, sorted."""
    files = {grades.handed.get(member, "") for member in grades.group(student)}
    return sorted(files - {"", grades.handed.get(grades.owner(student), "")})


def _tested(grades, student):
    """Return the names of the hidden tests that a student's functions passed."""
    marks = grades.result(student).marks
    passed = {_name(mark.question, mark.test) for mark in marks if mark.hidden and mark.passed}
    return [name for name in _hidden_tests(grades) if name in passed]


def _hidden_tests(grades):
    """Return the names of all hidden tests of the assignment, each once."""
    questions = grades.assignment.questions
    return [*dict.fromkeys(_name(question.name, test.name) for question in questions for test in question.hidden)]


def _name(question, test):
    """Return what a test is called beside those of other questions."""
    return f"{question}: {test}"


def _marked(grades, final):
    """Return the points that markers gave for each written answer."""
    questions = grades.written_marks.questions
    return {name: verdict.points(questions[name]) for name, verdict in final.verdicts.items()}


def _decided(grades):
    """Return the instructor's decisions and what the platform's table keeps, as text."""
    return json.dumps([grades.policy, grades.kept_cells], sort_keys=True, default=str)


def snapshot(grades):
    """Return the `Run` with which the next run compares itself."""
    return Run(
        students={student: _graded(grades, student) for student in grades.everyone()},
        about=grades.fingerprints,
        decided=_decided(grades),
        pages=sorted(grades.classlist.page_names[student] for student in grades.with_results()),
        names=_names(grades.classlist),
        changes=grades.changes(),
        over=policy.is_over(grades.policy),
    )


def _names(classlist):
    """Return whatever the platform and the roster call the students of a class, sorted."""
    names: set = set()
    for student, handed in classlist.submissions.items():
        names |= {*map(roster.normalized, (student, handed.user, handed.login, handed.name))}
    for person in classlist.roster_people():
        names |= roster.called(person) | roster.names(person)
    return sorted(names - {""})


def last_as_json(grades):
    """Return the bytes of `LAST`, which `read_last_run` reads."""
    return json.dumps(asdict(snapshot(grades))).encode()


def read_last_run(folder):
    """Return the `Run` that the last run left: `NO_RUN` if it left nothing, None if that cannot be read."""
    try:
        run = from_dict(Run, json.loads((folder / LAST).read_text(encoding="utf-8")))
        return replace(run, students={student: from_dict(Graded, old) for student, old in run.students.items()})
    except FileNotFoundError:
        return NO_RUN
    except (OSError, ValueError, TypeError):
        return None


def from_dict(kind, data):
    """Return what `asdict` made a dictionary of; a TypeError if it lacks something or something has another type."""
    types = get_type_hints(kind)
    value = kind(**{name: data[name] for name in types if name in data})
    if not all(isinstance(getattr(value, name), each) for name, each in types.items()):
        raise TypeError(f"no {kind.__name__}")
    return value


def _points(score):
    return "no grade" if score is None else f"{score:g}"
