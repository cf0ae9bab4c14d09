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
from .formula import Formula, Steps, angles, evaluate, for_queries_keys_values, into_heads, join, output, scores, share

__all__ = ["Sizes", "bound", "bound_given_weights", "sizes"]


class Sizes(NamedTuple):
    """How large the numbers behind an output are. Q̂ is |X||W_Q| + |b_Q|, normed and turned; K̂ and V̂ alike."""

    output: float  # max A|V| |W_O| + |b_O|: numbers that are stored in the precision of the layer
    output_sum: float  # max A V̂ |W_O| + |b_O|: what the sums on the way to them add up to, without signs
    output_terms: int  # how many numbers the longest of these sums adds
    score: float  # max scale·|Q||K|ᵀ, or the cap where that is less
    score_sum: float  # max scale·Q̂ K̂ᵀ
    score_terms: int  # how many numbers a score adds


def bound(size: Sizes, dtype: str) -> float:
    """Return how far rounding in ``dtype`` may take an output: by its own sums, and by the scores.

    Scores that are off by δ at most change each weight by a factor between e^(−2δ) and e^(2δ), so an output by 2δ of
    ``size.output``, to first order in δ.
    """
    score_error = _sum_error(dtype, size.score, size.score_sum, size.score_terms)
    return bound_given_weights(size, dtype) + 2 * score_error * size.output


def bound_given_weights(size: Sizes, dtype: str) -> float:
    """Return how far rounding in ``dtype`` may take an output whose weights are right."""
    return _sum_error(dtype, size.output, size.output_sum, size.output_terms)


def _sum_error(dtype, stored, added, count):
    """Return how far rounding may take a sum of ``count`` terms: 8 ε · stored + 8 (count − 1) ε₊ · added.

    ε rounds the sum as it is ``stored``, ε₊ each addition; ``added`` is what the terms add up to without their signs.
    :func:`~attnbook.check.tolerance` has both, 8 (ε + (count − 1) ε₊), but times a single size.
    """
    by_storing = tolerance(dtype, 1, stored)
    by_adding = tolerance(dtype, count, added) - tolerance(dtype, 1, added)
    return by_storing + by_adding


@np.errstate(all="ignore")  # where sizes overflow, rounding may do anything: the bound is infinite
def sizes(
    formula: Formula, inputs: tuple, mask: np.ndarray | None = None, positions: np.ndarray | None = None
) -> Sizes:
    """Return the sizes of the numbers from which the formula is computed; arguments and errors as for ``evaluate``."""
    found = evaluate(formula, inputs, mask, positions)
    f = _absolute(formula.with_scale(found.Q.shape[-1]))
    A = np.nan_to_num(found.A)  # a row without keys is NaN
    Q, K, V = (np.abs(x) for x in (found.Q, found.K, found.V))
    Q_sum, K_sum, V_sum = _sums(f, inputs)
    d = 0 if f.heads is None else f.heads.W_Q.shape[1]
    d_joined = 1 if f.heads is None else len(f.heads.W_O)
    return Sizes(
        output=_largest_output(f, A, V),
        output_sum=_largest_output(f, A, V_sum),
        output_terms=max(A.shape[-1], d, d_joined),
        score=min(_largest_score(f, Q, K), f.cap or math.inf),
        score_sum=_largest_score(f, Q_sum, K_sum),  # whole: where the sum cancels, the cap lets its error through
        score_terms=d + Q.shape[-1],
    )


def _absolute(f):
    """Return the formula with |W|, |b| and |gain|."""
    heads = None if f.heads is None else Heads(*(None if w is None else np.abs(w) for w in f.heads))
    return dataclasses.replace(f, heads=heads, gains=None if f.gains is None else np.abs(f.gains))


def _sums(f, inputs):
    """Return |X||W| + |b| of queries, keys and values in h heads, after norm and rotation."""
    magnitudes = [np.abs(x) for x in for_queries_keys_values(inputs)]
    Q, K, V = (share(x, f.query_heads) for x in into_heads(f, magnitudes, Steps()))
    if f.gains is not None:
        Q, K = (_bound_of_normed(x, gain) for x, gain in zip((Q, K), f.gains, strict=True))
    if f.rotary is not None:
        Q, K = (_bound_of_turned(f, x) for x in (Q, K))
    return Q, K, V


def _bound_of_normed(x, gain):
    """Return an upper bound of |norm(x)|: √d_k · gain, as one number may hold the whole norm of a row."""
    return math.sqrt(x.shape[-1]) * gain * np.ones_like(x)


def _bound_of_turned(f, x):
    """Return an upper bound of |turn(x)|: stretch · √(x₁² + x₂²), for either number of a pair may be all of it."""
    width = 2 * len(angles(f, x.shape[-1]))
    turned = x[..., :width]
    if f.rotary == "halves":
        partners = np.roll(turned, width // 2, axis=-1)
    else:
        partners = turned.reshape(*turned.shape[:-1], -1, 2)[..., ::-1].reshape(turned.shape)
    return np.concatenate([f.stretch * np.hypot(turned, partners), x[..., width:]], axis=-1)


def _largest_output(f, A, V):
    """Return the largest number of A|V| |W_O| + |b_O|."""
    Y = A @ V
    return float((Y if f.heads is None else output(f, join(Y))).max())


def _largest_score(f, Q, K):
    """Return the largest number of scale·|Q||K|ᵀ."""
    return float(np.nanmax(scores(f, Q, K)))
