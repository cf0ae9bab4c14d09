"""Remember a run for the next one: whose grade changed since, and why; and who is in which class.

A grade is compared with the one of the last run, and each thing on which it depends with what it was.
"""

import json

from . import policy, roster

LAST = "last.json"
FIRST = "first.json"  # the marks of the first round, where there is a second


def elsewhere(grades):
    """Return the names in the policy that mean a student of another class of the same assignment."""
    known: set = set()
    for path in grades.folder.parent.glob(f"*/{LAST}"):
        if path.parent != grades.folder:
            known |= {*last(path.parent)["names"]}
    return {name for name in grades.classlist.unknown if roster.normalized(name) in known}


def changes(grades):
    """Return {"lines": whose grade changed, and why; "vanished": whose files went}, of the last run with a change."""
    now = {"lines": [*_changed(grades)], "vanished": [*_vanished(grades)]}
    return now if any(now.values()) else {"lines": [], "vanished": []} | grades.last_run["changes"]


def _vanished(grades):
    """Yield a line for each student who had handed in, and whose files are not in the download any more."""
    there = {*grades.with_results(), *grades.classlist.submissions}
    files = {*grades.handed.values()}  # under another name they are still there
    for student, old in grades.last_run["students"].items():
        if old["handed"] and student not in there and old["handed"] not in files:
            yield (
                f"{student} had handed in when this was graded before ({_points(old['score'])}), and is not in this "
                "download."
            )


def _changed(grades):
    """Yield a line for each student whom the last run graded otherwise."""
    everyone = {*grades.everyone()}
    for student, old in grades.last_run["students"].items():
        if student not in everyone:
            yield f"{student}: {_points(old['score'])} → no longer in the download or on the roster"
            continue
        final = grades.final(student)
        if (final.score, final.parts) != (old["score"], old["parts"]):
            yield f"{student}: {_points(old['score'])} → {_points(final.score)} ({_why(grades, student, old)})"


def _why(grades, student, old):
    """Say what of a grade is not as it was."""
    tested, reasons = _tested(grades, student), []
    if grades.handed.get(grades.owner(student), "") != old["handed"]:
        reasons.append("other files" if old["handed"] else "handed in since")
    reasons += [what for what, value in grades.fingerprints.items() if value != grades.last_run["about"].get(what)]
    if _marked(grades, student) != old.get("marked", {}):
        reasons.append("written answers marked")
    if _decided(grades) != grades.last_run["decided"]:
        reasons.append("your decisions, or the platform's table")
    earned = [name for name in tested if name not in old["tested"]]
    lost = [name for name in old["tested"] if name not in tested]
    if earned:
        reasons.append(f"passes now: {', '.join(earned)}")
    if lost:
        reasons.append(f"fails now: {', '.join(lost)}")
    return "; ".join(reasons) or "graded again"


def _tested(grades, student):
    """Return the names of the hidden tests that a student's functions passed."""
    passed = {(mark.question, mark.test) for mark in grades.result(student).marks if mark.hidden and mark.passed}
    hidden = [(question.name, test.name) for question in grades.assignment.questions for test in question.hidden]
    return [f"{question}: {test}" for question, test in dict.fromkeys(hidden) if (question, test) in passed]


def _marked(grades, student):
    """Return the points that markers gave for each written answer."""
    questions = grades.marks.questions
    return {name: verdict.points(questions[name]) for name, verdict in grades.final(student).verdicts.items()}


def _decided(grades):
    """Return the instructor's decisions and what the platform's table keeps, as text."""
    return json.dumps([grades.policy, grades.kept_cells], sort_keys=True, default=str)


def of_this_run(grades):
    """Return what the next run compares itself with."""
    students = {}
    for student in grades.everyone():
        final = grades.final(student)
        students[student] = {
            "score": final.score,
            "parts": final.parts,
            "tested": _tested(grades, student),
            "marked": _marked(grades, student),
            "handed": grades.handed.get(grades.owner(student), ""),
            "late": final.late,
        }
    known = set()
    for student, handed in grades.classlist.submissions.items():
        known |= {*map(roster.normalized, (student, handed.user, handed.login, handed.name))}
    for person in grades.classlist.people():
        known |= roster.called(person) | roster.names(person)
    pages = sorted(grades.classlist.page_names[student] for student in grades.with_results())
    return {
        "over": policy.over(grades.policy),
        "students": students,
        "about": grades.fingerprints,
        "decided": _decided(grades),
        "pages": pages,
        "names": sorted(known - {""}),
        "changes": changes(grades),
    }


def first_round(folder, before, decisions):
    """Return {student: parts, lateness and files of the first round}, {} where the policy has no second.

    Until they have been kept by themselves, they are those of the last run. What a run before the deadline found is not
    `settled`: other files then come in the same round.
    """
    if "resubmission" not in decisions:
        return {}
    try:
        kept = json.loads((folder / FIRST).read_text(encoding="utf-8"))["students"]
        return {student: dict(old) for student, old in kept.items() if {"parts", "late", "handed", "settled"} <= {*old}}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        settled = before.get("over", True)
        return {
            student: {"parts": old["parts"], "late": old.get("late", 0), "handed": old["handed"], "settled": settled}
            for student, old in before["students"].items()
            if old["handed"]
        }


def again(grades, student, owner):
    """Return what the first round found of a student who handed in other files since, else None."""
    first, handed = grades.first_round.get(student), grades.handed.get(owner, "")
    return first if first and first["settled"] and handed not in ("", first["handed"]) else None


def of_first_round(grades):
    """Return what the next run must know of the first round, in which whoever has not handed in again still is."""
    students, settled = dict(grades.first_round), policy.over(grades.policy)
    for student in grades.with_results():
        owner = grades.owner(student)
        handed, old = grades.handed.get(owner, ""), grades.first_round.get(student, {})
        if handed and not again(grades, student, owner):
            final = grades.final(student)
            same = old.get("settled", False) and old["handed"] == handed
            about = {"parts": final.parts, "late": final.late, "handed": handed, "settled": settled or same}
            students[student] = about
    return {"students": students}


def _points(score):
    return "no grade" if score is None else f"{score:g}"


def last(folder):
    """Return what the last run left for this one, or what there is if it left nothing that can be read."""
    empty = {"students": {}, "about": {}, "decided": "", "pages": [], "names": [], "changes": {"lines": []}}
    try:
        data = json.loads((folder / LAST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return empty
    whole = isinstance(data, dict) and all(isinstance(data.get(name), type(empty[name])) for name in empty)
    about = {"score", "parts", "tested", "handed"}
    if not whole or not all(isinstance(old, dict) and about <= old.keys() for old in data["students"].values()):
        return empty
    return data
