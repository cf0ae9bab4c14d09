"""Bring your own attention: the laws of the book, run on a function or a module of yours, with a diagnosis by name.

    report = audit(layer, causal=True)
    report.assert_lawful()

Every law is tried on every path: in training and in evaluation, with each kind of mask, in each precision. The
tolerance is :func:`attnbook.check.tolerance` of what is added; where it allows half of the numbers, or a law says
nothing about the layer, the report gives the reason instead of a verdict. On a failed law, the formula is evaluated
again with one step wrong, for each of :data:`~attnbook.audit.faults.FAULTS`: the diagnosis is the fault that explains
the output. A function of NumPy arrays needs no PyTorch. On the command line: ``python -m attnbook.audit``.
"""

import dataclasses
import itertools
import math
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import Array, brief, one_of, require_int
from ..layers import Heads
from .faults import FAULTS
from .formula import ClaimError
from .laws import FORMULA_LAW, LAWS, LONG_LAW, Sides, Trial, agree, twice
from .subjects import MASKS, NotApplicable, brief_error, subject

__all__ = ["Outcome", "Report", "audit"]

LEFT_OUT = "left out, as asked"
MARKS = {True: "✓", False: "✗", None: "·"}


@dataclasses.dataclass(frozen=True, eq=False)
class Outcome:
    """What a law said of a path: ``holds`` is True, False, or None where nothing can be judged, for a ``reason``.

    ``error`` is the largest difference of the two sides, ``allowed`` the tolerance; where it fails, ``diagnosis`` is a
    name, and ``sides`` the witness: ``sides.inputs``, ``sides.left`` and ``sides.right``.
    """

    law: str
    path: str
    holds: bool | None
    error: float = 0.0
    allowed: float = 0.0
    reason: str = ""
    diagnosis: str = ""
    sides: Sides | None = None


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What an audit found: its ``outcomes``, a table as text, and :meth:`assert_lawful` for a test."""

    name: str
    outcomes: tuple[Outcome, ...]

    @property
    def failures(self) -> list[Outcome]:
        """The outcomes that fail."""
        return [each for each in self.outcomes if each.holds is False]

    @property
    def diagnoses(self) -> list[str]:
        """The names of what is wrong, first the one that explains most."""
        return [name for name, _ in Counter(each.diagnosis for each in self.failures).most_common()]

    @property
    def objection(self) -> str:
        """Why the layer does not pass: a law fails, or nothing was compared with the formula; empty if it passes."""
        if self.failures:
            return "not lawful"
        if not any(each.holds for each in self.outcomes):
            return "not judged by any law"
        compared = [each for each in self.outcomes if each.law == FORMULA_LAW]
        if any(each.holds or each.reason == LEFT_OUT for each in compared):
            return ""
        return f"not compared with the formula, so much may be wrong ({compared[0].reason})"

    def assert_lawful(self) -> None:
        """Raise ``AssertionError`` with the report if a law fails, or if no path was compared with the formula.

        A layer without known weights passes with ``skip=["= the formula"]`` alone.
        """
        __tracebackhide__ = True
        if self.objection:
            raise AssertionError(f"{self.name} is {self.objection}\n{self}")

    def __repr__(self) -> str:
        """Return one line: how many outcomes fail, and the diagnoses."""
        found = "; ".join(self.diagnoses) or self.objection or "lawful"
        return f"<Report of {self.name}: {len(self.failures)} of {len(self.outcomes)} fail: {found}>"

    def __str__(self) -> str:
        """Return the table: a law a line, a path a column; below it what fails, and why a law says nothing."""
        paths = list(dict.fromkeys(each.path for each in self.outcomes))
        laws = list(dict.fromkeys(each.law for each in self.outcomes))
        marks = {(each.law, each.path): MARKS[each.holds] for each in self.outcomes}
        wide = max(map(len, laws))
        lines = [f"{self.name}  ✓ holds  ✗ fails  · says nothing"]
        for i, path in enumerate(paths):
            lines.append(f"{'':{wide}}  {'│ ' * i}┌ {path}")
        for law in laws:
            lines.append(f"{law:{wide}}  {' '.join(marks.get((law, path), ' ') for path in paths)}")
        return "\n".join([*lines, *self._found(), *self._silent()])

    def _found(self):
        """Say what is wrong, with the worst witness of each diagnosis."""
        for name in self.diagnoses:
            found = [each for each in self.failures if each.diagnosis == name]
            worst = max(found, key=lambda each: each.error / each.allowed if each.allowed else math.inf)
            where = f"{worst.law}, {worst.path}"
            measured = worst.reason or f"largest difference {worst.error:.3g}, allowed {worst.allowed:.2g}"
            yield textwrap.fill(f"✗ {name}: {where}: {measured}", 88, subsequent_indent="  ")

    def _silent(self):
        """Say why laws say nothing, each reason once: of the whole path where it is one for most laws."""
        reasons: dict[str, dict[str, list[str]]] = {}
        for each in self.outcomes:
            if each.holds is None:
                reasons.setdefault(each.reason, {}).setdefault(each.path, []).append(each.law)
        for reason, found in reasons.items():
            laws = list(dict.fromkeys(itertools.chain(*found.values())))
            where = ", ".join(laws) if len(laws) <= 2 else f"{len(laws)} laws on {', '.join(found)}"
            yield textwrap.fill(f"· {where}: {reason}", 88, subsequent_indent="  ")


def audit(
    f: Callable,
    *,
    heads: Heads | int | None = None,
    key_heads: int | None = None,
    width: int | None = None,
    causal: bool = False,
    mask: str | Sequence[str] = "look",
    scale: float | None = None,
    cap: float | None = None,
    sinks: Array | None = None,
    rotary: str | None = None,
    theta: Array | None = None,
    gains: Sequence[Array] | None = None,
    eps: float = 1e-6,
    bias: Callable | None = None,
    positions: bool = False,
    call: Callable | None = None,
    pieces: Callable | None = None,
    blind: str | None = None,
    dtype: str | None = None,
    skip: Sequence[str] = (),
    seed: int = 0,
) -> Report:
    """Run the laws of the book on ``f``, and return a report of ✓ and ✗, with diagnoses by name.

    ``f`` is a PyTorch module, or a function f(Q, K, V, mask), f(X, mask) or f(X) of arrays or tensors; which of them
    its parameters say: Q, K and V begin with these letters, the name of a mask contains "mask" and that of positions
    "position". Tokens X are (b, n, width). Q, K, V are (b, n, width) or, with ``heads`` = h, (b, h, n, width), keys and
    values in ``key_heads`` ≤ h. A mask is (b, n, m) for Q, K, V without heads, else (b, 1, n, m). ``mask`` says what it
    holds, or which kinds are to be tried: "look" True where a query may look, "hide" True where not, "add" 0 and −∞,
    "lowest" 0 and the lowest number, "keys" (b, m), True where all queries may look.
    The output is (b, n, d_out) or, for Q, K, V, as Q; of several, the first.

    What the layer claims to compute: Y = softmax_row(Q Kᵀ · scale) V. ``heads`` are the weights of a layer of X, for
    functions :class:`~attnbook.layers.Heads`; of modules they are read where their names are common. ``scale`` is
    1/√d_k unless given. ``cap`` is c in c·tanh(S/c), ``sinks`` (h,) a score beside those of the keys; ``rotary`` the
    pairing "halves" or "adjacent", by angles ``theta``; ``gains`` those of the norms of q and k, (d_k,) each, with
    ``eps``; ``bias`` a function of the positions of queries and keys that gives (h, n, m). ``causal``: f hides later
    tokens itself. ``positions``: it adds positions of its own.
    ``call(f, X, mask)`` calls a module or a function that has another signature.
    ``pieces(f)`` returns a function that takes the next tokens (b, n, width) and keeps a cache. ``blind`` = "finite"
    claims numbers where a mask leaves a query no key. ``dtype`` is another precision than float32 (float64 for
    NumPy), without the 16 bits; ``skip`` names laws to leave out. Layers of transformers 5 are read by themselves.
    A module is copied, and its copies are run on the CPU.

    Raises ``ValueError`` if f cannot be called in this way, or a claim does not fit; a failed law raises nothing.
    Source: the laws are those of the chapters; the form is that of ``check_estimator`` in scikit-learn.

    >>> from attnbook.attention import attention
    >>> audit(attention).diagnoses
    []
    >>> audit(lambda Q, K, V, mask: attention(Q, K, V, mask, scale=1.0)).diagnoses
    ['no scale']
    """
    claims = {
        "heads": heads,
        "key_heads": key_heads,
        "width": width,
        "causal": causal,
        "mask": mask,
        "scale": scale,
        "cap": cap,
        "sinks": sinks,
        "rotary": rotary,
        "theta": theta,
        "gains": gains,
        "eps": eps,
        "bias": bias,
        "positions": positions,
        "call": call,
        "pieces": pieces,
        "blind": blind,
        "dtype": dtype,
    }
    _require_claims(claims, skip)
    audited = subject(f, **claims)
    outcomes = []
    for path in audited.paths:
        trial = Trial(audited, path, np.random.default_rng(require_int("seed", seed, least=0)))
        outcomes += _diagnosed(trial, _judged(trial, audited.paths[0], skip))
    return Report(audited.name, tuple(_on_one_path(outcomes)))


def _require_claims(claims, skip):
    """Refuse claims that are none, by name."""
    for name in ("causal", "positions"):
        if not isinstance(claims[name], bool):
            raise ValueError(f"{name} = {brief(claims[name])}; expected True or False")
    if claims["dtype"] is not None:
        one_of("dtype", claims["dtype"], "float64", "float32")
    if claims["blind"] is not None:
        one_of("blind", claims["blind"], "finite")
    for name, given, known in (("mask", claims["mask"], MASKS), ("skip", skip, LAWS)):
        for each in [given] if not isinstance(given, list | tuple) else given:
            one_of(name, each, *known)
    for name, kind in (("pieces", "a function of f that returns a step"), ("call", "a function of f and X")):
        if claims[name] is not None and not callable(claims[name]):
            raise ValueError(f"{name} = {brief(claims[name])}; expected {kind}")


# --- Judging ----------------------------------------------------------------------------------------------------------


def _judged(trial, first, skip):
    """Return the outcomes of all laws on a path; where the same input gives different outputs, none says anything."""
    outcomes, unsteady = [], ""
    for name, law in LAWS.items():
        outcome = Outcome(name, trial.path.name, None)
        if name in skip or unsteady:
            outcomes.append(dataclasses.replace(outcome, reason=unsteady or LEFT_OUT))
            continue
        outcomes.append(_judge(trial, outcome, law(trial, first) if law is agree else law(trial)))
        if law is twice and outcomes[-1].holds is False:
            unsteady = "the same input gives different outputs"
    return outcomes


def _judge(trial, outcome, law):
    """Return the outcome of a law: the first sides that differ, or those that come closest to it."""
    worst = dataclasses.replace(outcome, holds=True)
    try:
        for sides in law:
            judged = _compare(trial, outcome, sides)
            if judged.holds is False:
                return judged
            worst = judged if judged.holds is None or judged.error >= worst.error else worst
    except NotApplicable as silent:
        return dataclasses.replace(outcome, reason=str(silent))
    except ClaimError:
        raise
    except Exception as error:
        return _raised(outcome, error)
    return worst


def _raised(outcome, error):
    """Return the outcome of a law whose layer raised an error."""
    said = f"{type(error).__name__}: {brief_error(error)}"
    if "not implemented for" in said:  # PyTorch, of a precision on this device
        return dataclasses.replace(outcome, reason=f"PyTorch refuses: {said}")
    name = "a number for −∞ that the precision does not have" if "without overflow" in said else "it raises an error"
    return dataclasses.replace(outcome, holds=False, error=math.inf, reason=said, diagnosis=name)


def _compare(trial, outcome, sides):
    """Return the outcome of two sides; None where rounding alone may take half of the numbers."""
    left, right = sides.left, sides.right
    allowed = sides.allowed
    found = dataclasses.replace(outcome, allowed=allowed, sides=sides)
    if left.shape != right.shape:
        said = f"shapes {left.shape} and {right.shape} differ"
        return dataclasses.replace(found, holds=False, error=math.inf, reason=said, diagnosis=sides.diagnosis)
    if not np.isfinite(left).all():
        said = f"{int((~np.isfinite(left)).sum())} of {left.size} numbers are not finite"
        return dataclasses.replace(found, holds=False, error=math.inf, reason=said, diagnosis=sides.diagnosis)
    error = float(np.abs(left - right).max())
    if allowed > np.abs(right).max() / 2:
        reason = f"in {trial.path.dtype} rounding may take away half of the numbers"
        return dataclasses.replace(found, error=error, reason=reason)
    holds = error <= allowed
    return dataclasses.replace(found, error=error, holds=holds, diagnosis="" if holds else sides.diagnosis)


# --- Diagnosing -------------------------------------------------------------------------------------------------------


def _diagnosed(trial, outcomes):
    """Give failed laws the name of a fault: the one that contradicts fewest laws that hold, and explains most calls."""
    explained: dict[str, list[str]] = {}
    for each in outcomes:
        if each.holds is False and each.sides is not None:
            found = list(dict.fromkeys(itertools.chain(*explained.values())))
            explained[each.law] = _explanations(trial, each, found)
            if not explained[each.law]:
                explained[each.law] = _explanations(trial, each, _candidates(trial, outcomes, each))
    counted = Counter(itertools.chain(*explained.values()))
    against = {fault: _contradicted(trial, outcomes, fault) for fault in counted}
    order = sorted(counted, key=lambda fault: (against[fault], -counted[fault], list(FAULTS).index(fault)))
    done = []
    for each in outcomes:
        name = next((fault for fault in order if fault in explained.get(each.law, ())), each.diagnosis)
        if each.holds is False:
            name = name or f"no known fault explains it (or a claim is missing: bias, theta, …?): {each.law}"
        done.append(dataclasses.replace(each, diagnosis=name))
    return done


def _candidates(trial, outcomes, outcome):
    """Return the faults to try on a failed law; on the long texts, which take time, those that no other law denies."""
    if outcome.law != LONG_LAW:
        return FAULTS
    return [fault for fault in FAULTS if not _contradicted(trial, outcomes, fault)]


def _contradicted(trial, outcomes, fault):
    """Return on how many laws that hold the layer gives other numbers than it would with this fault."""
    held = [each for each in outcomes if each.holds and each.sides is not None]
    wrong = FAULTS[fault]
    consistent = (
        all(_explains(call, trial.path.formula, wrong, each.allowed) for call in each.sides.calls) for each in held
    )
    return sum(not each for each in consistent)


def _explanations(trial, outcome, faults):
    """Return the faults whose formula gives what the layer gave, in a call that the right formula does not explain."""
    claimed = trial.path.formula
    for call in outcome.sides.calls if claimed is not None else ():
        if _explains(call, claimed, None, outcome.allowed):
            continue
        names = [name for name in faults if _explains(call, claimed, FAULTS[name], outcome.allowed)]
        if names:
            return names
    return []


def _explains(call, claimed, fault, allowed):
    """Return whether a formula gives the output of a call, wherever it gives numbers: NaN may have become 0 there."""
    try:
        Z = call.replay(claimed, fault)
    except (ValueError, IndexError):  # a fault that does not fit the shapes
        return False
    if Z.shape != call.output.shape:
        return False
    unknown, missing = ~np.isfinite(Z), ~np.isfinite(call.output)
    if fault is None and missing.any():
        return False
    if (missing & ~unknown).any() or (unknown.mean() > 0.75 and (missing != unknown).any()):
        return False
    return not (np.abs(np.where(unknown, 0, Z) - np.where(unknown, 0, call.output)) > allowed).any()


def _on_one_path(outcomes):
    """Say so where a mask is dropped on some paths, and kept on others."""
    dropped = {each.path for each in outcomes if each.diagnosis == "mask dropped"}
    if len(dropped) in (0, len({each.path for each in outcomes})):
        return outcomes
    where = f"mask dropped on one path: {', '.join(sorted(dropped))}"
    return [
        dataclasses.replace(each, diagnosis=where) if each.diagnosis == "mask dropped" else each for each in outcomes
    ]
