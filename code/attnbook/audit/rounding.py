"""How far rounding may take the output of a layer from that of its formula: the formula again, with absolute values.

A sum is off by its rounding unit for each number added, times what the absolute values of the numbers add up to. So
:func:`sizes` takes the steps a second time, with |X|, |W| and |b|, and :func:`bound` says how far apart they allow.
"""

import dataclasses
import math
from typing import NamedTuple

import numpy as np

from ..check import tolerance
from ..layers import Heads
from .formula import Formula, Steps, for_queries_keys_values, into_heads, join, output, scores, share, terms

__all__ = ["Sizes", "bound", "bound_given_weights", "sizes"]


class Sizes(NamedTuple):
    """How large the numbers behind an output are. Q̂ is |X||W_Q| + |b_Q|, normed and turned; K̂ and V̂ alike."""

    stored: float  # max A|V| |W_O| + |b_O|: numbers that are kept in the precision of the layer
    sums: float  # max A V̂ |W_O| + |b_O|: what the sums on the way to them add up to, without signs
    scores: float  # max scale·|Q||K|ᵀ
    score_sums: float  # max scale·Q̂ K̂ᵀ
    terms: int  # how many numbers the longest sum of an output adds
    score_terms: int  # the same of a score


def bound(size: Sizes, dtype: str) -> float:
    """Return how far rounding in ``dtype`` may take an output: by its own sums, and by the scores.

    Scores that are off by δ at most change each weight by a factor between e^(−2δ) and e^(2δ), so an output by 2δ of
    ``stored``, to first order in δ.
    """
    off = _rounding(dtype, size.score_terms, size.scores, size.score_sums)
    return bound_given_weights(size, dtype) + 2 * off * size.stored


def bound_given_weights(size: Sizes, dtype: str) -> float:
    """Return how far rounding in ``dtype`` may take an output whose weights are right."""
    return _rounding(dtype, size.terms, size.stored, size.sums)


def _rounding(dtype, terms, stored, sums):
    """8 (ε · stored + (N − 1) ε₊ · sums) for sums of N terms, where a tolerance is 8 (ε + (N − 1) ε₊) · size."""
    of_stored = tolerance(dtype, 1, stored)
    of_sums = tolerance(dtype, terms, sums) - tolerance(dtype, 1, sums)
    return of_stored + of_sums


@np.errstate(all="ignore")  # where sizes overflow, rounding may do anything: the bound is infinite
def sizes(
    formula: Formula, inputs: tuple, mask: np.ndarray | None = None, positions: np.ndarray | None = None
) -> Sizes:
    """Return the sizes of the numbers from which the formula is computed; arguments and errors as for ``evaluate``."""
    found = terms(formula, inputs, mask, positions)
    f = _absolute(formula.with_scale(found.Q.shape[-1]))
    A, Q, K, V = np.nan_to_num(found.A), *map(np.abs, (found.Q, found.K, found.V))
    Q_sum, K_sum, V_sum = _sums(f, inputs)
    d = 0 if f.heads is None else f.heads.W_Q.shape[1]
    d_joined = 1 if f.heads is None else len(f.heads.W_O)
    return Sizes(
        stored=_largest_output(f, A, V),
        sums=_largest_output(f, A, V_sum),
        scores=_largest_score(f, Q, K),
        score_sums=_largest_score(f, Q_sum, K_sum),
        terms=max(A.shape[-1], d, d_joined),
        score_terms=d + Q.shape[-1],
    )


def _absolute(f):
    """Return the formula with |W|, |b| and |gain|."""
    heads = None if f.heads is None else Heads(*(None if w is None else np.abs(w) for w in f.heads))
    return dataclasses.replace(f, heads=heads, gains=None if f.gains is None else np.abs(f.gains))


def _sums(f, inputs):
    """|X||W| + |b| of queries, keys and values in h heads, after norm and rotation."""
    magnitudes = [np.abs(x) for x in for_queries_keys_values(inputs)]
    Q, K, V = (share(x, f.query_heads) for x in into_heads(f, magnitudes, Steps()))
    if f.gains is not None:
        Q, K = (_largest_normed(x, gain) for x, gain in zip((Q, K), f.gains, strict=True))
    if f.rotary is not None:
        Q, K = (_largest_turned(x, f.stretch) for x in (Q, K))
    return Q, K, V


def _largest_normed(x, gain):
    """√d_k · gain: a row of norm √d_k may have it all in one number."""
    return math.sqrt(x.shape[-1]) * gain * np.ones_like(x)


def _largest_turned(x, stretch):
    """√2 · stretch · x: a pair (a, a) may be turned into one number."""
    return math.sqrt(2) * stretch * x


def _largest_output(f, A, V):
    """Max A|V| |W_O| + |b_O|."""
    Y = A @ V
    return float((Y if f.heads is None else output(f, join(Y))).max())


def _largest_score(f, Q, K):
    """Max scale·|Q||K|ᵀ, which a cap bounds too."""
    largest = float(np.nanmax(scores(f, Q, K)))
    return largest if f.cap is None else min(largest, f.cap)
