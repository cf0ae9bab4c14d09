"""Weights as models of today vary them: a sink, a cut-off, a cap on scores, a sigmoid, a difference of two rows.

A row of scores is ``s (..., m)``, a row of weights ``a (..., m)``; leading axes are batches, so a matrix of scores is
served row by row. A score of −∞ hides its key, as everywhere in this package.
Every function raises ``ValueError`` that names an argument with a wrong shape or a NaN.
"""

import math

from numpy.typing import ArrayLike

from .arrays import Array, arrays, as_mask, every, finite_max, minus, require_int, require_number, sigmoid
from .attention import attention_weights, scores

__all__ = ["differential_attention", "min_p", "sigmoid_attention", "sink_softmax", "soft_cap", "top_k", "top_p"]


def sink_softmax(s: ArrayLike, sink: float = 0.0) -> Array:
    """a_j = exp(s_j) / (exp(sink) + Σ_l exp(s_l)) = σ(lse s − sink) · softmax(s)_j: softmax beside a key of value 0.

    ``s`` (..., m), and a is (..., m), the weights of the real keys. Their sum is the gate σ(lse s − sink), less than 1,
    with lse s = ln Σ_l exp(s_l). A row of nothing but ``-inf`` gets zeros, where softmax has no answer.

    Raises ``ValueError`` if ``s`` has a ``+inf``. Source: OpenAI (2025), a learned number for each head; with
    sink = 0, Xiao et al. (2024), section 3.3.

    >>> sink_softmax([0.0])
    array([0.5])
    """
    xp, s = arrays("s (..., m) or −∞", s)
    column = xp.zeros_like(s[..., :1]) + require_number("sink", sink)
    s = xp.concat([s, column], axis=-1)
    E = xp.exp(minus(s, finite_max(xp, "s", s)))
    return E[..., :-1] / xp.sum(E, axis=-1, keepdims=True)


def top_k(a: ArrayLike, k: int) -> Array:
    """The k largest weights of each row of ``a`` (..., m), divided by their sum; the others become 0.

    Weights that tie with the k-th are kept as well, so a row in another order gets the same weights in that order.

    Raises ``ValueError`` unless 1 ≤ k ≤ m and ``a`` has weights ≥ 0 with a sum above 0. Source: Fan et al. (2018).

    >>> top_k([0.5, 0.375, 0.125], k=1)
    array([1., 0., 0.])
    """
    xp, a = _weights(a)
    falling = -xp.sort(-a, axis=-1)
    k = require_int("k", k, most=a.shape[-1])
    return _kept(xp, a, falling[..., k - 1 : k])


def top_p(a: ArrayLike, p: float) -> Array:
    """The fewest of the largest weights whose sum reaches ``p``, divided by their sum; the others become 0.

    ``a`` (..., m) lies on the simplex. Weights that tie with the last one kept are kept as well.

    Raises ``ValueError`` unless 0 < p ≤ 1 and ``a`` has weights ≥ 0 with a sum above 0. Source: Holtzman et al. (2020).

    >>> top_p([0.5, 0.375, 0.125], p=0.5)
    array([1., 0., 0.])
    """
    xp, a = _weights(a)
    falling = -xp.sort(-a, axis=-1)
    before = xp.cumulative_sum(falling, axis=-1) - falling  # what larger weights have
    inside = before < _share(p) * xp.sum(a, axis=-1, keepdims=True)
    return _kept(xp, a, xp.min(xp.where(inside, falling, falling[..., :1]), axis=-1, keepdims=True))


def min_p(a: ArrayLike, p: float) -> Array:
    """The weights of at least ``p`` times the largest of their row, divided by their sum; the others become 0.

    ``a`` (..., m); of softmax(s), these are the keys with s_j ≥ max s + ln p.

    Raises ``ValueError`` unless 0 < p ≤ 1 and ``a`` has weights ≥ 0 with a sum above 0. Source: Nguyen et al. (2024).

    >>> min_p([0.5, 0.375, 0.125], p=0.8)
    array([1., 0., 0.])
    """
    xp, a = _weights(a)
    return _kept(xp, a, _share(p) * xp.max(a, axis=-1, keepdims=True))


def soft_cap(s: ArrayLike, c: float) -> Array:
    """c · tanh(s/c): the scores ``s`` (..., m) in their order, all between −c and c, with a slope of at most 1.

    ``-inf`` becomes −c, so the cap comes before the mask. Raises ``ValueError`` unless c > 0.
    Source: Gemma Team (2024), section 2.

    >>> soft_cap([0.0, 1000.0], c=50.0)
    array([ 0., 50.])
    """
    xp, s = arrays("s (..., m) or −∞", s)
    c = require_number("c", c, above=0)
    return c * xp.tanh(s / c)


def sigmoid_attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    mask: ArrayLike | None = None,
    scale: float | None = None,
    bias: float | None = None,
) -> Array:
    """Y = σ(Q Kᵀ/√d_k + bias) V with σ(x) = 1/(1 + exp(−x)): each weight by itself, so rows need not sum to 1.

    ``Q`` (..., n, d_k), ``K`` (..., m, d_k), ``V`` (..., m, d_v); Y is (..., n, d_v). ``mask`` and ``scale`` as in
    :func:`attnbook.attention.attention`; ``bias`` is −ln m unless given, with which m weights of score 0 sum to nearly
    1. Source: Ramapuram et al. (2024).

    >>> sigmoid_attention([[0.0]], [[1.0]], [[2.0]])
    array([[1.]])
    """
    xp, Q, K, V = arrays("Q (..., n, d_k), K (..., m, d_k), V (..., m, d_v)", Q, K, V)
    S = scores(Q, K, scale) + (-math.log(K.shape[-2]) if bias is None else require_number("bias", bias))
    S = S if mask is None else xp.where(as_mask(mask, S), S, -math.inf)
    return sigmoid(xp, S) @ V


def differential_attention(
    Q_1: ArrayLike,
    K_1: ArrayLike,
    Q_2: ArrayLike,
    K_2: ArrayLike,
    V: ArrayLike,
    strength: float,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Array:
    """Y = (softmax_row(Q₁K₁ᵀ/√d_k) − λ softmax_row(Q₂K₂ᵀ/√d_k)) V with λ = ``strength``; rows sum to 1 − λ.

    ``Q_1``, ``Q_2`` (..., n, d_k), ``K_1``, ``K_2`` (..., m, d_k), ``V`` (..., m, d_v); ``mask`` and ``scale`` serve
    both halves. Source: Ye et al. (2024), equation (1), without the norm of each head.

    >>> differential_attention([[0.0]], [[1.0]], [[0.0]], [[1.0]], [[2.0]], strength=0.5)
    array([[1.]])
    """
    shapes = "Q_1 (..., n, d_k), K_1 (..., m, d_k), Q_2 (..., n, d_k), K_2 (..., m, d_k), V (..., m, d_v)"
    _, Q_1, K_1, Q_2, K_2, V = arrays(shapes, Q_1, K_1, Q_2, K_2, V)
    subtracted = require_number("strength", strength) * attention_weights(Q_2, K_2, mask, scale)
    return (attention_weights(Q_1, K_1, mask, scale) - subtracted) @ V


def _weights(a):
    xp, a = arrays("a (..., m)", a)
    if not every(a >= 0) or not every(finite_max(xp, "a", a) > 0):
        raise ValueError(f"a with shape {tuple(a.shape)} is no row of weights; expected numbers >= 0, and one above 0")
    return xp, a


def _share(p):
    p = require_number("p", p, above=0)
    if p > 1:
        raise ValueError(f"p = {p}; expected a number > 0 and <= 1")
    return p


def _kept(xp, a, least):
    """Return the weights of at least ``least``, divided by their sum, and 0 in place of the others."""
    a = xp.where(a >= least, a, xp.zeros_like(a))
    return a / xp.sum(a, axis=-1, keepdims=True)
