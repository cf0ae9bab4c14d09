"""Apply what an instructor decides beside the tests, from one small YAML file, so that a regrade keeps it.

late:
  due: 2026-03-01T23:59-08:00  # without an offset, in the time zone of this machine. Gradescope tells when a file came,
                               # as a pattern or a table may; LATE of Canvas counts as one day
  per_day: 10%                 # of the score, or points, for each day begun
  most: 50%
  days: {doejane_12345: 2}     # the instructor knows better
groups:
  - [doejane_12345, roejohn_67890]   # for each, of what they handed in, the one that leaves most points
students:
  doejane_12345: {points: {witness: 2}, add: 0.5, comment: A fine proof.}
  poeal_99: {excused: yes}     # no: the grade counts although the platform says EX
everyone: ["Means are zero, entries depend on each other"]   # hidden tests by name
resubmission: {until: 2026-03-15, back: 0.5}   # who hands in other files again gets back this share of what was lost
hints: before                # the deadline too; without it, sentences on slips are shown after it. Or never
column: RNN assignment (4711)  # the platform's column for the grade, or a list of names for several platforms
classes:
  section-b: {late: {due: 2026-03-02 23:59}}   # other parts for the submissions of this name
"""

import datetime
import math
import re
from dataclasses import dataclass, field, replace

from . import clean, model
from .model import CourseError
from .submissions import Submission

PARTS = {
    "late": dict,
    "groups": list,
    "students": dict,
    "everyone": list,
    "hints": str,
    "resubmission": dict,
    "column": str | list,
    "classes": dict,
}
RESUBMISSION = ("until", "back")
HINTS = ("before", "after", "never")  # in which rounds, by the deadline, a student reads what a slip says
LATE = ("due", "per_day", "most", "days")
BY_HAND = ("points", "add", "comment", "excused")
OFFSET = re.compile(r"(.*:\d\d)\s*(Z|UTC|[+-]\d\d:?\d\d)")  # a time, and how far its zone is from UTC
DAY = "%Y-%m-%d"
MOMENTS = (f"{DAY} %H:%M", f"{DAY} %H:%M:%S", DAY)


def read(path, assignment):
    """Return the decisions in a YAML file, checked against the assignment; a wrong word is named in one sentence."""
    import yaml

    try:
        policy = yaml.load(path.read_text(encoding="utf-8-sig"), Loader=_loader()) or {}
    except OSError as error:
        raise CourseError(f"The policy {path} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CourseError(
            f"The policy {path} is no YAML (a text with a colon needs quotes): {' '.join(str(error).split())[:200]}."
        ) from None

    def need(holds, message):
        if not holds:
            raise CourseError(f"The policy {path}: {message}.")

    need(isinstance(policy, dict), f"expected lines that begin with {', '.join(PARTS)}")
    _check(policy, assignment, need)
    for name, other in policy.get("classes", {}).items():
        need(isinstance(other, dict) and "classes" not in other, f"classes: {name} holds other parts, such as late")
        _check(other, assignment, need)
    return policy


def for_class(policy, name):
    """Return the decisions for one class: what `classes` has under its name replaces parts, of `late` each entry."""
    other = policy.get("classes", {}).get(name, {})
    late = policy.get("late", {}) | other.get("late", {})
    return {part: value for part, value in policy.items() if part != "classes"} | other | {"late": late}


def _check(policy, assignment, need):
    """Check decisions against the assignment; `need` names what is wrong."""
    for name, value in policy.items():
        need(name in PARTS, f"it has no part {name!r}; there are {', '.join(PARTS)}")
        need(isinstance(value, PARTS[name]), f"{name} is not of the form that the page for instructors shows")
    late = policy.get("late", {})
    for name, value in late.items():
        need(name in LATE, f"late has no part {name!r}; there are {', '.join(LATE)}")
        need(
            name not in ("per_day", "most") or _share(value) is not None,
            f"late: {name} is {value!r}, not from 0% to 100%, or points such as 1",
        )
    due = late.get("due")
    need(
        "due" not in late or _moment(due),
        f"late: due is {due!r}, not a date such as 2026-03-01 23:59 or 2026-03-01T23:59-08:00",
    )
    days = late.get("days", {})
    need(isinstance(days, dict), f"late: days is {days!r}, not of the form {{student: 2}}")
    for student, value in days.items():
        need(_number(value) and value >= 0, f"late: days: {student}: {value!r} is no number of days")
    exercises = {question.name for question in assignment.questions}
    for student, about in policy.get("students", {}).items():
        need(isinstance(about, dict), f"students: {student} is {about!r}; there are {', '.join(BY_HAND)}")
        for name in about:
            need(name in BY_HAND, f"students: {student}: it has no part {name!r}; there are {', '.join(BY_HAND)}")
        points = about.get("points", {})
        need(isinstance(points, dict), f"{student}: points names exercises, such as {{{min(exercises)}: 2}}")
        for name, value in points.items():
            need(
                name in exercises, f"{student}: there is no exercise {name!r}; there are {', '.join(sorted(exercises))}"
            )
            need(_number(value), f"{student}: {name}: {value!r} is not a number")
            worth = next(question.points for question in assignment.questions if question.name == name)
            need(value <= worth, f"{student}: {name} is worth {clean.points(worth)}; for more there is add")
        need(_number(about.get("add", 0)), f"{student}: add is {about.get('add')!r}, not a number")
        need(isinstance(about.get("excused", True), bool), f"{student}: excused is yes or no")
    tests = {test.name for question in assignment.questions for test in question.hidden}
    for name in policy.get("everyone", []):
        need(name in tests, f"everyone: there is no hidden test {name!r}")
    for group in policy.get("groups", []):
        need(isinstance(group, list), f"groups is a list of lists of students, and {group!r} is none")
    again = policy.get("resubmission", {"until": "2026-03-15", "back": 0.5})
    need({*again} == {*RESUBMISSION}, f"resubmission has the parts {' and '.join(RESUBMISSION)}")
    need(_moment(again["until"]), f"resubmission: until is {again['until']!r}, not a date such as 2026-03-15 23:59")
    back = again["back"]
    need(_number(back) and 0 < back <= 1, f"resubmission: back is {back!r}, not a share such as 0.5")
    hints = policy.get("hints", "after")
    need(hints in HINTS, f"hints is {hints!r}; there are {', '.join(HINTS)}")
    columns = policy.get("column", "x")
    need(columns and all(isinstance(name, str) for name in columns), "column is a name, or a list of names")


def _loader():
    """Return a loader for YAML that refuses a name which is there twice, and keeps names as they are typed."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node, deep=False):
            names = [self.construct_scalar(key) for key, _ in node.value]
            if len({*names}) < len(names):
                raise yaml.YAMLError(f"{max(names, key=names.count)} is there twice")
            for key, _ in node.value:
                key.tag = "tag:yaml.org,2002:str"
            return super().construct_mapping(node, deep)

        def construct_sequence(self, node, deep=False):  # groups and tests: 00123 is no number there
            for item in node.value:
                item.tag = "tag:yaml.org,2002:str" if isinstance(item, yaml.ScalarNode) else item.tag
            return super().construct_sequence(node, deep)

    return Loader


def _number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _share(value):
    """Return (part of the score, points) of `10%` or `1`; None if it is neither, negative or more than all."""
    try:
        if isinstance(value, str) and value.strip().endswith("%"):
            part = float(value.strip()[:-1]) / 100
            return (part, 0) if 0 <= part <= 1 else None
        return (0, float(value)) if _number(value) and value >= 0 else None
    except ValueError:
        return None


def _moment(value):
    """Parse a date and time, whatever YAML made of it; it has a zone if an offset stands behind it.

    A minute is meant whole, a day as well: 23:59 and 23:59:00 end with their last second.
    """
    if isinstance(value, datetime.datetime):
        return value.replace(second=value.second or 59)
    if isinstance(value, datetime.date):
        return datetime.datetime.combine(value, datetime.time(23, 59, 59))
    offset = OFFSET.fullmatch(str(value).strip())
    text = offset[1].replace("T", " ") if offset else str(value).strip().replace("T", " ")
    for form in MOMENTS:
        try:
            moment = datetime.datetime.strptime(text, form)
            zone = datetime.datetime.strptime(offset[2].replace("UTC", "Z"), "%z").tzinfo if offset else None
        except ValueError:
            continue
        if form == DAY:
            moment = moment.replace(hour=23, minute=59)
        return moment.replace(second=moment.second or 59, tzinfo=zone)
    return None


def deadline(policy):
    """Return when the work was due, and in which time zone that is meant; "" without a deadline."""
    moment = _moment(policy.get("late", {}).get("due"))
    if moment is None:
        return ""
    if moment.tzinfo:
        return f"{moment:%Y-%m-%d %H:%M} UTC{_offset(moment)}, as the policy says"
    here = moment.astimezone()
    return (
        f"{moment:%Y-%m-%d %H:%M} in the time zone of this machine, UTC{_offset(here)} at that time. For another one, "
        f"write it behind the time: {moment:%Y-%m-%dT%H:%M}{_offset(here)}"
    )


def is_over(policy, now=None):
    """Return whether the deadline is over; without a deadline it always is."""
    moment = _moment(policy.get("late", {}).get("due"))
    return moment is None or (now or datetime.datetime.now(datetime.UTC)) > moment.astimezone()


def shows_hints(policy, now=None):
    """Return whether students may read by now what the assignment says of their slips."""
    when = policy.get("hints", "after")
    return when == "before" or (when == "after" and is_over(policy, now))


def _offset(moment):
    text = f"{moment:%z}"
    return f"{text[:3]}:{text[3:5]}"


def with_students_resolved(policy, resolve):
    """Return the policy with every student under the name in the table of grades, which `resolve` returns."""
    late = dict(policy.get("late", {}))
    late["days"] = {resolve(str(name)): days for name, days in late.get("days", {}).items()}
    by_hand: dict = {}
    for name, about in policy.get("students", {}).items():
        if resolve(str(name)) in by_hand:
            raise CourseError(f"The policy names one student twice, the second time as {name!r}.")
        by_hand[resolve(str(name))] = about
    groups = [[resolve(str(name)) for name in group] for group in policy.get("groups", [])]
    for number, group in enumerate(groups):
        for other in groups[:number]:
            both = [name for name in group if name in other]
            if both:
                listed = f"{', '.join(other)} and {', '.join(group)}"
                raise CourseError(f"The policy, groups: {both[0]} is in two of them, {listed}. Take one out.")
    return policy | {"late": late, "students": by_hand, "groups": groups}


@dataclass(frozen=True)
class Work:
    """What counts for a student before the instructor decides: a result, and what is known of the files behind it.

    In a group they are those of one member, the `owner`: what is decided for that one holds for the student, unless
    something else is.
    """

    student: str
    result: model.Result
    submission: Submission | None = None
    owner: str | None = None
    student_handed_in: bool = False  # beside the owner: then the student is as late as what counts
    days_late_said: int | None = None  # what the platform's table says
    first_round: object = None  # the student's `FirstRound`, if these files are those of a second round
    verdicts: dict = field(default_factory=dict)  # {question: what markers say of the written answer}

    @property
    def file(self):
        """Return the file that was graded, or else the first; None without files."""
        files = self.submission.files if self.submission else ()
        return files[max(self.result.file, 0)] if files else None


@dataclass
class Final:
    """A result with the instructor's decisions in it. Points of a written answer that nobody has graded are None."""

    score: float | None
    marks: list
    parts: dict  # points of each question, by name
    late: float  # days
    comments: list
    slips: list  # what is recognised
    rounds: tuple = ()  # points by tests at first and now, where there was a second round
    verdicts: dict = field(default_factory=dict)  # question: what markers say of the written answer


def days_late(policy, names, file, said=None):
    """Return how many days late, as the instructor decides, or else as the platform says of the file that counts.

    The first of `names` with a decision decides; `said` is what the platform's table says, in days.
    """
    late = policy.get("late", {})
    for name in names:
        if name in late.get("days", {}):
            return late["days"][name]
    if file is not None and file.time and "due" in late:
        return max(0, math.ceil(_time_after(file, _moment(late["due"])) / datetime.timedelta(days=1)))
    if file is not None and file.late is not None:
        return int(file.late)
    return said or 0


def _time_after(file, end):
    """Return how long after a moment a file came; zero where the platform writes no date."""
    try:
        arrived = datetime.datetime.strptime(file.time.removesuffix("Z"), "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return datetime.timedelta()
    if file.time.endswith("Z"):
        arrived = arrived.replace(tzinfo=datetime.UTC)
        end = end if end.tzinfo else end.astimezone()  # in the time zone of this machine
    else:
        arrived = arrived.replace(tzinfo=end.tzinfo)
    return arrived - end


def apply(policy, assignment, work):
    """Return the `Final` of a student's `Work`, with the instructor's decisions in it."""
    result, first_round = work.result, work.first_round
    decided = policy.get("students", {})
    by_hand = decided.get(work.owner, {}) | decided.get(work.student, {})
    marks = _given_to_everyone(result, policy.get("everyone", []))
    parts = {question.name: 0 for question in assignment.questions} | model.parts(marks, result.recognised)
    comments, rounds = [], ()
    if first_round:
        rounds = _total(first_round.parts), _total(parts)
        parts, line = _combine_rounds(policy["resubmission"], first_round.parts, parts, work.file)
        comments.append(line)
    parts |= dict.fromkeys(_to_mark_by_hand(assignment, result))
    parts |= {q.name: work.verdicts[q.name].points(q) for q in assignment.questions if q.name in work.verdicts}
    parts |= by_hand.get("points", {})
    days = first_round.late if first_round else _days_late_of(policy, work)
    score = None
    if result.score is not None or {"points", "add"} & {*by_hand}:
        score = sum(filter(None, parts.values())) + by_hand.get("add", 0)
        score, lines = _deduct_lateness(policy.get("late", {}), score, days)
        comments += lines
    comments += _comments_by_hand(by_hand)
    return Final(score, marks, parts, days, comments, result.recognised, rounds, work.verdicts)


def _given_to_everyone(result, tests):
    """Return the marks of a result, those of the hidden ``tests`` as passed, unless nothing could be run."""
    given = () if result.problem else tests
    return [
        replace(mark, passed=True, why="given to everyone")
        if mark.hidden and mark.test in given and not mark.passed
        else mark
        for mark in result.marks
    ]


def _days_late_of(policy, work):
    """Return how many days late a student's work is, as `days_late` does."""
    deciding = [work.owner] if work.student_handed_in else [work.student, work.owner]
    return days_late(policy, deciding, work.file, work.days_late_said)


def _comments_by_hand(by_hand):
    """Return what a student reads of the decisions by hand."""
    comments = []
    if by_hand.get("add"):
        comments.append(f"By hand: {clean.points(by_hand['add'], '+g')}.")
    if by_hand.get("points"):
        comments.append(f"Marked by hand: {', '.join(by_hand['points'])}.")
    if by_hand.get("comment"):
        comments.append(str(by_hand["comment"]))
    return comments


def _total(parts):
    return round(sum(filter(None, parts.values())), 2)


def _combine_rounds(resubmission, first, now, file):
    """Return the parts after a second round, and a line about it: of what was lost at first, a share comes back."""
    if file is not None and file.time and _time_after(file, _moment(resubmission["until"])) > datetime.timedelta():
        return now | first, "Handed in again after the last day for it: the points of the first round stay."
    back, parts = resubmission["back"], dict(now)
    for name, before in first.items():
        if before is not None and now.get(name) is not None:
            parts[name] = round(before + back * max(0, now[name] - before), 2)
    told = f"Handed in again: {clean.points(_total(first))} at first, {clean.points(_total(now))} now"
    return parts, f"{told}; {back:.0%} of what an exercise has won counts, {clean.points(_total(parts))} in all."


def _to_mark_by_hand(assignment, result):
    """Return the written questions that a person must look at: those with an answer, or without their heading."""
    if result.written is None:
        return []
    without_heading = not result.problem  # where there was nothing to read, no heading is missed
    written = [question.name for question in assignment.questions if question.kind == "written"]
    return [name for name in written if result.written.get(name, without_heading)]


def _deduct_lateness(late, score, days):
    """Return the score after the days late, and the words for it."""
    if not days or "per_day" not in late:
        return max(score, 0), []
    part, points = _share(late["per_day"])
    away = days * (part * score + points)
    if "most" in late:
        part, points = _share(late["most"])
        away = min(away, part * score + points)
    away = round(min(max(away, 0), max(score, 0)), 2)
    unit = "day" if days == 1 else "days"
    return max(round(score - away, 2), 0), [f"{days:g} {unit} late: {clean.points(away)} less."]
