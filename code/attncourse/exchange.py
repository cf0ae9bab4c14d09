"""What goes through the pipe between the grader's process and an examiner's, which trust each other.

The grader sends a `Request` for one submission. The examiner answers with a `Reply` that has what it froze before the
first test, then with one for each test, then with one for the slips that it recognised. Where it ends before the last
test, the grader sends another examiner the same request, with what is already there.
"""

from dataclasses import dataclass, field

from .model import Assignment, Mark, Recognised, Result, load_assignment
from .sandbox import Limits

LARGEST = 1 << 30  # bytes of one message


@dataclass(frozen=True)
class Request:
    """A submission to examine, and how far another examiner came with it."""

    files: list  # [[name, order, bytes or a sentence], …]
    assignment: Assignment
    seed: str
    limits: Limits
    unsafe: bool = False
    logins: list = field(default_factory=list)  # the student's own, where somebody is certain of them
    left: float = 0  # seconds
    frozen: bool = False  # whether the grader has the frozen result
    skipped: list = field(default_factory=list)  # (cell, statement) of each that hung, or ended its process
    marks: list[Mark] = field(default_factory=list)  # of the tests that have one

    @classmethod
    def load(cls, message):
        """Return the request that `asdict` made a message of."""
        loaded = {
            "assignment": load_assignment(message["assignment"]),
            "limits": Limits(**message["limits"]),
            "marks": [Mark(**mark) for mark in message["marks"]],
        }
        return cls(**(message | loaded))


@dataclass(frozen=True)
class Reply:
    """One step of an examination."""

    frozen: Result | None = None  # what the student's page says of the run: no test has run yet
    skipped: list = field(default_factory=list)  # comes with `frozen`
    marks: list[Mark] = field(default_factory=list)
    recognised: list[Recognised] | None = None  # comes after the last mark: then the examination is over
    slow: int = 0  # time limits that were reached so far
    bug: str = ""  # an error of the grader's own; nothing comes after it

    @classmethod
    def load(cls, message):
        """Return the reply that `asdict` made a message of."""
        frozen, recognised = message["frozen"], message["recognised"]
        loaded = {
            "frozen": None if frozen is None else Result.load(frozen),
            "marks": [Mark(**mark) for mark in message["marks"]],
            "recognised": None if recognised is None else [Recognised(**found) for found in recognised],
        }
        return cls(**(message | loaded))
