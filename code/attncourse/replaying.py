"""In an examiner's process: recognise the slips that an assignment names, by what a student's functions return.

The hidden tests, run on the solution, say with which arguments they call. The student's functions get the same ones in
the sandbox, and the solution and the author's named wrong answers get them here. A function is recognised as a slip if
it agrees with it on every call, and the slip differs from the solution on at least one. The text of the code is not
looked at, and the arguments come from the seed and from a second one that is made of it: who knows neither can keep no
table of a slip's values, and what a function returns by chance it returns twice.
"""

import contextlib
import itertools
import math
import pickle
import signal
import time
from dataclasses import dataclass

import numpy as np

from . import author, kit, marks
from .model import Recognised

SOLUTION = ""  # stands for the name of a slip
SEEDS = ("{}", "{}/again")  # of the calls: the one of the tests, and one that no test has
TOLERANCE = 1e-7
MOST, LARGEST = 100, 1000  # calls of one function for each seed, and the longest axis of an argument
LONGEST = 3.0  # seconds of the processor for all calls of one answer that is ours, in one exercise
NEVER = ("NotImplementedError", "Refused", "Ended", "OutOfTime")  # no answer, or nothing that can be compared


@dataclass(frozen=True)
class Raises:
    """What a call comes to that returns nothing: the kind of its error."""

    kind: str


@dataclass(frozen=True)
class Call:
    """One call of a hidden test, and what the solution and each slip make of it, by name."""

    function: str
    arguments: tuple
    named: dict
    outcomes: dict


def expected(assignment, question, seed=marks.SEED):
    """Return the calls of a question's hidden tests, for each seed, with their outcomes."""
    right = author.reference(assignment)
    answers = {SOLUTION: right} | {slip.name: author.reference(assignment, slip.source) for slip in question.wrong}
    made, left = [], dict.fromkeys(answers, LONGEST)
    for form in SEEDS:
        for function, arguments, named in _calls(assignment, question, right, form.format(seed)):
            outcomes = {}
            for name, known in answers.items():
                start = time.process_time()
                outcomes[name] = outcome(known[function], arguments, named, left[name])
                left[name] -= time.process_time() - start
            made.append(Call(function, arguments, named, outcomes))
    return made


@contextlib.contextmanager
def _within(seconds):
    """Raise `_TooLong` if a block takes longer: a slip may go on for ever with arguments that no test has."""

    def end(*_):
        raise _TooLong

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class _TooLong(BaseException):
    """No code of an author catches it."""


def _calls(assignment, question, right, seed):
    """Return (function, arguments, named) for each call that the hidden tests make of the solution."""
    made = []

    def recorded(name):
        def call(*arguments, **named):
            made.append((name, _copy(arguments), _copy(named)))
            return right[name](*arguments, **named)

        return call

    known = right | {name: recorded(name) for name in question.functions} | marks.data(assignment)
    for test in question.hidden:
        marks.run(question, test, known, seed)
    chosen = []
    for name in question.functions:
        own = [call for call in made if call[0] == name and _longest(call) <= LARGEST]
        chosen += own[:: 1 + len(own) // MOST]  # all of them, or evenly
    return chosen


def _longest(value):
    """Return the length of the longest list or axis in a value: tests of speed have long ones."""
    if isinstance(value, np.ndarray):
        return max(value.shape, default=0)
    items = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
    return max([len(items), *map(_longest, items)])


def outcome(function, arguments, named, seconds=None):
    """Return the value of a call in plain form, or what it raises. The arguments stay as they are."""
    if seconds is not None and seconds <= 0:
        return Raises("Ended")
    try:
        with np.errstate(all="ignore"), _within(seconds) if seconds is not None else contextlib.nullcontext():
            return kit.plain(function)(*_copy(arguments), **_copy(named))
    except _TooLong:
        return Raises("Ended")
    except Exception as error:  # a student's error is a stand-in, which knows the name of its kind
        kind = getattr(error, "kind", type(error).__name__)
        return Raises("ValueError" if isinstance(error, ValueError) and kind not in NEVER else kind)


def _copy(value):
    """Return a copy of arguments: a call may change its own. Of a long list this is faster than `copy.deepcopy`."""
    return pickle.loads(pickle.dumps(value))


def agree(value, other):
    """Return whether two outcomes are the same: the same kind of error, or equal values up to rounding."""
    if isinstance(value, Raises) or isinstance(other, Raises):
        kinds = {getattr(one, "kind", None) for one in (value, other)}
        return type(value) is type(other) and len(kinds) == 1 and kinds.isdisjoint(NEVER)
    try:
        return _equal(value, other)
    except Exception:  # whatever a student's value makes a comparison do
        return False


def _equal(value, other):
    if isinstance(other, dict):
        same_keys = isinstance(value, dict) and value.keys() == other.keys()
        return same_keys and all(_equal(value[key], other[key]) for key in other)
    if other is None or isinstance(other, str):
        return type(value) is type(other) and value == other
    if isinstance(other, list | tuple) and not _is_of_numbers(other):
        several = isinstance(value, list | tuple | np.ndarray) and len(value) == len(other)
        return several and all(map(_equal, value, other))
    if type(value) is type(other) is int:  # of any length: NumPy has no such number
        return value == other
    other = np.asarray(other)
    if not kit.fits(value, other.shape):
        return False
    value = np.asarray(value)
    if other.dtype.kind in "fc" and value.dtype.kind in "iufc":  # no number is equal to NaN, but a slip may return one
        nothing = np.isnan(other)
        if (nothing != np.isnan(value)).any():
            return False
        value, other = np.where(nothing, 0, value), np.where(nothing, 0, other)
    return kit.same(value, other, TOLERANCE)


def _is_of_numbers(items):
    return len(items) > 0 and all(isinstance(item, int | float | complex | np.number) for item in items)


def recognised(question, calls, known, passed=(), seconds=None):
    """Return the `Recognised` slips of {name: callable}, or None if there are none.

    A function is right if it agrees with the solution, or if every test that asks for it is among those `passed`: it
    may be right in its own way. The share counts only where all other functions are recognised. `seconds` bounds a call
    of functions that nobody else bounds.
    """
    left = _agreeing(calls, known, seconds)
    wrong = [name for name in left if SOLUTION not in left[name] and not _passed(question, name, passed)]
    made = {name: [slip for slip in question.wrong if _made(slip, name, left, calls)] for name in wrong}
    if not any(made.values()):
        return None
    chosen = min(itertools.product(*filter(None, made.values())), key=lambda slips: _order(slips, left))
    keeps = _keeps(chosen) if all(made.values()) else 0
    return Recognised(question.name, list(dict.fromkeys(slip.name for slip in chosen)), keeps)


def _agreeing(calls, known, seconds):
    """Return {function: names of the answers with which it agrees on every call}."""
    left = {call.function: {*call.outcomes} for call in calls}
    for call in calls:
        possible = left[call.function]
        if possible:
            found = outcome(known[call.function], call.arguments, call.named, seconds)
            left[call.function] = {name for name in possible if agree(found, call.outcomes[name])}
    return left


def _passed(question, function, passed):
    """Return whether a function passed every hidden test that asks for it."""
    return all(test.name in passed for test in question.hidden if function in test.asks)


def _made(slip, function, left, calls):
    """Return whether a function is this slip, which is wrong on some call; for a constant nobody keeps points."""
    if slip.name not in left[function]:
        return False
    own = [call.outcomes for call in calls if call.function == function]
    if slip.keeps and all(agree(own[0][slip.name], outcomes[slip.name]) for outcomes in own):
        return False
    return any(not agree(outcomes[slip.name], outcomes[SOLUTION]) for outcomes in own)


def _keeps(slips):
    """Return the share that several slips together keep: each takes its part of what the others leave."""
    return math.prod({slip.name: slip.keeps for slip in slips}.values())


def _order(slips, left):
    """Return where an explanation stands in the order of preference.

    First come those that keep most, then those with fewest slips, then those that explain most functions, right ones
    too.
    """
    names = {slip.name for slip in slips}
    return -_keeps(slips), len(names), -sum(len(names & agreeing) for agreeing in left.values())


class Replays:
    """The calls of an assignment's questions, made when first asked for and kept for the next student."""

    def __init__(self):
        self.made_for = None  # the assignment and the seed
        self.calls = {}

    def expected(self, assignment, question, seed):
        """Return the calls of a question, as the function `expected` does."""
        if self.made_for != (assignment, seed):
            self.made_for, self.calls = (assignment, seed), {}
        if question.name not in self.calls:
            self.calls[question.name] = expected(assignment, question, seed)
        return self.calls[question.name]


def questions_to_replay(assignment, marked):
    """Yield (question, names of passed tests) for each question with named slips and lost points."""
    for question in assignment.questions:
        own = [mark for mark in marked if mark.hidden and mark.question == question.name]
        if question.wrong and not all(mark.passed for mark in own):
            yield question, {mark.test for mark in own if mark.passed}


def mark_here(assignment, functions, seed=marks.SEED, replays=None):
    """Mark {name: callable} in this process, without a sandbox; return the marks and the recognised slips."""
    replays, marked = replays or Replays(), marks.mark(assignment, functions, seed)
    found = []
    for question, passed in questions_to_replay(assignment, marked):
        missing = {name: _missing for name in question.functions if name not in functions}
        calls = replays.expected(assignment, question, seed)
        found.append(recognised(question, calls, missing | functions, passed, LONGEST))
    return marked, [*filter(None, found)]


def _missing(*arguments, **named):
    raise NotImplementedError
