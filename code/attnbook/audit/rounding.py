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
from .inputs import each_once

__all__ = ["Sizes", "bound", "bound_given_weights", "sizes"]


class Sizes(NamedTuple):
    """How large the numbers behind an output are.

    Q̂ is what the sums behind Q add up to without signs, |X||W_Q| + |b_Q|; norm and rotation change it as they change an
    error of that size. K̂ and V̂ alike. A bias of the scores, as of distances, is taken to be no larger than they are.
    """

    output: float  # max A|V| |W_O| + |b_O|: numbers that are stored in the precision of the layer
    output_sum: float  # max A V̂ |W_O| + |b_O|: what the sums on the way to them add up to, without signs
    output_terms: int  # how many numbers the longest of these sums adds
    score: float  # max scale·|Q||K|ᵀ, which Q, K and the score are stored with; of it what a cap lets through
    score_sum: float  # max scale·(Q̂|K|ᵀ + |Q|K̂ᵀ): what a score is off by where one factor is
    score_product: float  # max scale·Q̂ K̂ᵀ: where both are
    score_terms: int  # how many numbers a score adds
    norm_sum: float  # max ‖x̂‖/‖x‖ of the rows x = X W + b that a norm divides by ‖x‖, x̂ = |X||W| + |b|; 0 without norms


def bound(size: Sizes, dtype: str) -> float:
    """Return how far rounding in ``dtype`` may take an output: by its own sums, and by the scores.

    Scores that are off by δ at most change each weight by a factor between e^(−2δ) and e^(2δ), so an output by 2δ of
    ``size.output``, to first order in δ. No number is so small that it is stored with fewer digits than others.
    """
    score_error = _score_error(size, dtype)
    if math.isinf(score_error):
        return math.inf
    return bound_given_weights(size, dtype) + 2 * score_error * size.output


def _score_error(size, dtype):
    """Return how far rounding in ``dtype`` may take a score.

    Where the sums behind Q and K are off by a share u of what they add up to, so Q by uQ̂ and K by uK̂, a score is off
    by u(Q̂|K|ᵀ + |Q|K̂ᵀ) + u²Q̂K̂ᵀ, however small Q and K themselves are.

    Through a norm, Q̂ is right to first order. This is enough while u·‖x̂‖ < ‖x‖: as u is 8 times what rounding does at
    worst, or more, the norm then divides by 7/8 of ‖x‖ at least. Otherwise it may divide by nothing but rounding, and
    the error is ∞.
    """
    lost = _lost_by_adding(dtype, size.score_terms)
    overflowed = math.isinf(max(size.score_sum, size.score_product, size.norm_sum))
    if overflowed or lost * size.norm_sum >= 1:
        return math.inf
    return _sum_error(dtype, size.score, size.score_sum + lost * size.score_product, size.score_terms)


def bound_given_weights(size: Sizes, dtype: str) -> float:
    """Return how far rounding in ``dtype`` may take an output whose weights are right."""
    return _sum_error(dtype, size.output, size.output_sum, size.output_terms)


def _sum_error(dtype, stored, added, count):
    """Return how far rounding may take a sum of ``count`` terms: 8 ε · stored + 8 (count − 1) ε₊ · added.

    ε rounds the sum as it is ``stored``, ε₊ each addition; ``added`` is what the terms add up to without their signs.
    :func:`~attnbook.check.tolerance` has both, 8 (ε + (count − 1) ε₊), but times a single size. A size that has
    overflowed bounds nothing: then this is ∞.
    """
    if math.isinf(max(stored, added)):
        return math.inf
    return tolerance(dtype, 1, stored) + _lost_by_adding(dtype, count) * added


def _lost_by_adding(dtype, count):
    """Return 8 (count − 1) ε₊: how much additions may lose of what ``count`` terms add up to without their signs."""
    return tolerance(dtype, count) - tolerance(dtype, 1)


@np.errstate(all="ignore")  # where sizes overflow, rounding may do anything: the bound is infinite
def sizes(
    formula: Formula, inputs: tuple, mask: np.ndarray | None = None, positions: np.ndarray | None = None
) -> Sizes:
    """Return the sizes of the numbers from which the formula is computed; arguments and errors as for ``evaluate``."""
    found = evaluate(formula, inputs, mask, positions)
    absolute = _absolute(formula.with_scale(found.Q.shape[-1]))
    A = np.nan_to_num(found.A)  # a row without keys is NaN
    Q, K, V = (np.abs(x) for x in (found.Q, found.K, found.V))
    Q_sum, K_sum, V_sum, norm_sum = _sums(formula, absolute, inputs)
    n_keys = A.shape[-1]
    d_k = Q.shape[-1]
    d_in = 0 if absolute.heads is None else absolute.heads.W_Q.shape[1]
    d_joined = 1 if absolute.heads is None else len(absolute.heads.W_O)
    return Sizes(
        output=_largest_output(absolute, A, V),
        output_sum=_largest_output(absolute, A, V_sum),
        output_terms=max(n_keys, d_in, d_joined),
        score=_largest_stored_score(absolute, found, Q, K),
        # Whole: where the sum cancels, the cap lets its error through.
        score_sum=_largest(scores(absolute, Q_sum, K) + scores(absolute, Q, K_sum)),
        score_product=_largest(scores(absolute, Q_sum, K_sum)),
        score_terms=d_in + d_k,
        norm_sum=norm_sum,
    )


def _absolute(formula):
    """Return the formula with |W|, |b| and |gain|."""
    heads = None
    if formula.heads is not None:
        heads = Heads(*(None if W is None else np.abs(W) for W in formula.heads))
    gains = None if formula.gains is None else np.abs(formula.gains)
    return dataclasses.replace(formula, heads=heads, gains=gains)


def _sums(formula, absolute, inputs):
    """Return Q̂, K̂ and V̂ in h heads, and the largest ‖x̂‖/‖x‖ of the rows x that are normed."""
    Q_sum, K_sum, V_sum = _in_heads(absolute, each_once(np.abs, inputs))
    norm_sum = 0.0
    if formula.gains is not None:
        Q, K, _ = _in_heads(formula, inputs)
        Q_sum, Q_norm_sum = _through_norm(absolute, Q, Q_sum, 0)
        K_sum, K_norm_sum = _through_norm(absolute, K, K_sum, 1)
        norm_sum = max(Q_norm_sum, K_norm_sum)
    if absolute.rotary is not None:
        Q_sum, K_sum = (_bound_of_turned(absolute, x) for x in (Q_sum, K_sum))
    return Q_sum, K_sum, V_sum, norm_sum


def _in_heads(formula, inputs):
    """Return queries, keys and values before norm and rotation, with a head of keys for each of queries."""
    in_heads = into_heads(formula, for_queries_keys_values(inputs), Steps())
    return [share(x, formula.query_heads) for x in in_heads]


def _through_norm(absolute, x, x_sum, which):
    """Return how a norm changes errors as large as x̂ = ``x_sum``, and the largest ‖x̂‖/‖x‖.

    Here ‖x‖ is √(mean x² + eps), and that of x̂ and of errors the same without eps. An error e of x moves gain·x/‖x‖ by
    gain·e/‖x‖, and by at most ‖e‖/‖x‖ of its size, as ‖x‖ changes by up to ‖e‖. Both are to be divided by
    ‖x + e‖/‖x‖, which is 1 to first order.
    """
    length = np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + absolute.eps)
    ratio = np.sqrt(np.mean(x_sum**2, axis=-1, keepdims=True)) / length
    carried = absolute.gains[which] * (x_sum + ratio * np.abs(x)) / length
    return carried, _largest(ratio)


def _bound_of_turned(absolute, x):
    """Return an upper bound of |turn(x)|: stretch · √(x₁² + x₂²), for either number of a pair may be all of it."""
    width = 2 * len(angles(absolute, x.shape[-1]))
    turned = x[..., :width]
    if absolute.rotary == "halves":
        partners = np.roll(turned, width // 2, axis=-1)
    else:
        partners = turned.reshape(*turned.shape[:-1], -1, 2)[..., ::-1].reshape(turned.shape)
    return np.concatenate([absolute.stretch * np.hypot(turned, partners), x[..., width:]], axis=-1)


def _largest_output(absolute, A, V):
    """Return the largest number of A|V| |W_O| + |b_O|."""
    Y = A @ V
    return _largest(Y if absolute.heads is None else output(absolute, join(Y)))


def _largest_stored_score(absolute, found, Q, K):
    """Return the largest number of scale·|Q||K|ᵀ, or of what a cap c makes of errors of that size.

    The cap passes on an error by its slope, 1 − tanh²(S/c) to first order, and what it returns is at most c. Where S
    cancels the slope is 1, however large Q and K are.
    """
    stored = scores(absolute, Q, K)
    if absolute.cap is None:
        return _largest(stored)
    S = scores(absolute, found.Q, found.K)
    passed_on = (1 - np.tanh(S / absolute.cap) ** 2) * stored
    return _largest(np.maximum(passed_on, np.minimum(stored, absolute.cap)))


def _largest(x):
    """Return the largest of numbers that are not negative; NaN, as of 0·∞, counts as ∞."""
    return float(np.nan_to_num(x, nan=np.inf, posinf=np.inf).max())
