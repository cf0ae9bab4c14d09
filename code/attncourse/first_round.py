"""Remember the marks of the first round, where a policy lets students hand in a second time.

They have a file of their own, beside that of the last run, in which both rounds are mixed.
"""

import json
from dataclasses import asdict, dataclass, field

from . import history, policy
from .model import CourseError

FIRST = "first.json"


@dataclass(frozen=True)
class FirstRound:
    """What the first round found of one student."""

    parts: dict  # {question: points}
    late: float | int  # days
    handed: str  # a fingerprint of what was handed in
    settled: bool  # whether the deadline was over; before it, other files come in the same round
    also_handed: list = field(default_factory=list)  # fingerprints of what others of the group handed in


def snapshot(grades):
    """Return {student: FirstRound} for the next run; whoever has not handed in again is still in the first round."""
    students = dict(grades.first_round)
    settled = policy.is_over(grades.policy)
    for student in grades.with_results():
        owner = grades.owner(student)
        handed = grades.handed.get(owner, "")
        old = grades.first_round.get(student)
        if handed and not of_resubmitted(grades, student, owner):
            final = grades.final(student)
            # A deadline that is moved does not reopen a first round that was settled with the same files.
            same = old is not None and old.settled and old.handed == handed
            others = history.also_handed(grades, student)
            students[student] = FirstRound(final.parts, final.late, handed, settled or same, others)
    return students


def of_resubmitted(grades, student, owner):
    """Return what the first round found of a student whose group handed in other files since, None for any other.

    ``owner`` is the member of the group whose files are looked at.
    """
    first = grades.first_round.get(student)
    handed = grades.handed.get(owner, "")
    if first is None or not first.settled:
        return None
    handed_in_again = handed not in ("", first.handed, *first.also_handed)
    return first if handed_in_again else None


def as_json(grades):
    """Return the bytes of `FIRST`, which `read` reads."""
    students = {student: asdict(first) for student, first in snapshot(grades).items()}
    return json.dumps({"students": students}).encode()


def read(folder, last_run, decisions):
    """Return {student: FirstRound}, {} where the policy has no second round.

    As long as the file does not exist, the last run, as `history.read_last_run` returns it, was the first round. If the
    file cannot be read, nobody knows: the last run may have mixed the marks of both rounds already.
    """
    if "resubmission" not in decisions:
        return {}
    path = folder / FIRST
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))["students"]
        return {student: history.from_dict(FirstRound, old) for student, old in kept.items()}
    except FileNotFoundError:
        return _of_last_run(folder, last_run)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise _lost(path, "the marks of the last run") from None


def _of_last_run(folder, last_run):
    """Return {student: FirstRound} of the last run; CourseError if what it left cannot be read."""
    if last_run is None:
        raise _lost(folder / history.LAST, "the marks of this run")
    return {
        student: FirstRound(old.parts, old.late, old.handed, last_run.over, old.also_handed)
        for student, old in last_run.students.items()
        if old.handed
    }


def _lost(path, instead):
    """Return the error that a file with the marks of the first round cannot be read, and what counts without it."""
    return CourseError(
        f"{path} cannot be read, and nothing else has the marks of the first round. Put a copy of it there, or "
        f"delete it: then {instead} count as those of the first round."
    )
