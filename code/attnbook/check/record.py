"""Describe one law that was evaluated and holds: the record that every reader of a check shares.

A cell emits its records as MIME data of the type ``MIME``. The site, the ledger, the notebooks and the tools read these
records; nothing reads a check's words to learn what it is.
"""

import dataclasses
import math
from typing import Any

__all__ = ["MIME", "Check", "as_data", "from_data"]

#: The type of the data that a cell emits for its checks.
MIME = "application/vnd.attnbook.check+json"


@dataclasses.dataclass(frozen=True)
class Check:
    """One law that holds: what was measured, what was allowed, how often, and how close it came to failing."""

    kind: str  # the function of attnbook.check: equal, differs, estimate, below, prints, refuses
    law: str  # in words, or the code of its two sides
    value: float | str  # what was measured; of a refusal, its message
    bound: float | str  # what the value was held against; of a refusal, the name of the exception
    times: int = 1
    worst: float = 0.0  # larger is closer to failing; of repetitions of one law the record of the largest is kept
    note: str = ""  # more words for the reader
    rival: float = 0.0  # of an estimate with a rival, how many standard errors it is away
    widest: float = 0.0  # of an equality, the largest bound of all repetitions: rounding does not choose it
    reason: str = ""  # why the bound is far from the value, where the author gives one
    is_code: bool = False  # whether the law is the code that was checked: nothing to translate
    label: str = ""  # by what a claim names it: the author's label, or the law where the author gives it


def as_data(check: Check) -> dict[str, Any]:
    """The record as JSON can hold it: infinite numbers become text."""
    data = dataclasses.asdict(check)
    for name, value in data.items():
        if isinstance(value, float) and not math.isfinite(value):
            data[name] = str(value)
    return data


def from_data(data: dict[str, Any]) -> Check:
    """The record that `as_data` wrote; a ``value`` or ``bound`` that is infinite stays text."""
    return Check(**data | {name: float(data[name]) for name in ("worst", "rival", "widest") if name in data})
