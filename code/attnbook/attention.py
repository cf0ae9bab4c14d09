"""Scaled dot-product attention, one step per function, and two other ways to it.

``Q (..., n, d_k)`` holds n queries as rows, ``K (..., m, d_k)`` m keys, ``V (..., m, d_v)`` their values; leading axes
are batches. Every function takes NumPy arrays and PyTorch tensors alike, so autograd differentiates the formula you
read here. A mask is boolean and **True means "may look"**, as in ``torch.nn.functional.scaled_dot_product_attention``.
The masks made here are NumPy arrays; they are moved to the queries' device.
Every function raises ``ValueError`` that names an argument with a wrong shape or a NaN.

Source: Vaswani et al. (2017), "Attention Is All You Need", equation (1).
"""

import math

import numpy as np
from array_api_compat import device
from numpy.typing import ArrayLike

from .arrays import Array, arrays, as_mask, brief, every, finite_max, minus, require_int, require_number, whole_numbers

__all__ = [
    "additive_scores",
    "attention",
    "attention_weights",
    "causal_mask",
    "entropy",
    "online_attention",
    "padding_mask",
    "scores",
    "softmax",
    "softmax_jacobian",
]


def softmax(S: ArrayLike, axis: int = -1) -> Array:
    """softmax(s)_j = exp(s_j) / Σ_l exp(s_l), along ``axis``; same shape as ``S``.

    The largest entry is subtracted first. That changes nothing (softmax is shift invariant) and prevents overflow.
    ``-inf`` gets weight exactly 0. For a score matrix (n, m) the last axis sums to 1: a distribution for every query.

    Raises ``ValueError`` if ``S`` has no such axis, a ``+inf``, or a slice along ``axis`` that is all ``-inf``.

    >>> softmax([0.0, 0.0])
    array([0.5, 0.5])
    """
    xp, S = arrays("S (..., m) or −∞", S)
    return _softmax(xp, S, axis=require_int("axis", axis, -S.ndim, most=S.ndim - 1))


def softmax_jacobian(a: ArrayLike) -> Array:
    """J = diag(a) − a aᵀ, the derivative of softmax written in its output ``a``: ∂a_i/∂s_j = a_i (δ_ij − a_j).

    ``a`` (..., m) lies on the simplex; J is (..., m, m). Raises ``ValueError`` if ``a`` leaves the simplex.
    """
    xp, a = arrays("a (..., m)", a)
    _require_simplex(xp, a)
    column, row = a[..., :, None], a[..., None, :]
    return column * xp.eye(a.shape[-1], dtype=a.dtype, device=device(a)) - column * row


def entropy(a: ArrayLike) -> Array:
    """H(a) = −Σ_j a_j ln a_j in nats, with 0 ln 0 = 0. exp(H) counts the keys a row effectively looks at.

    ``a`` (..., m) lies on the simplex; H is (...). Raises ``ValueError`` if ``a`` leaves it. Source: Shannon (1948).
    """
    xp, a = arrays("a (..., m)", a)
    _require_simplex(xp, a)
    return -xp.sum(a * xp.log(xp.where(a > 0, a, xp.ones_like(a))), axis=-1)


def scores(Q: ArrayLike, K: ArrayLike, scale: float | None = None) -> Array:
    """S = (scale · Q) Kᵀ, shape (..., n, m), with scale = 1/√d_k unless given; 1 gives raw dot products.

    The scale comes before the product, as in PyTorch: in float16 the product alone may overflow.
    """
    xp, Q, K = arrays("Q (..., n, d_k), K (..., m, d_k)", Q, K)
    return _scores(xp, Q, K, scale)


def attention_weights(Q: ArrayLike, K: ArrayLike, mask: ArrayLike | None = None, scale: float | None = None) -> Array:
    """A = softmax_row(S), where S_ij is replaced by −∞ wherever ``mask[i, j]`` is False; rows lie on the simplex.

    ``mask`` broadcasts to (..., n, m). Raises ``ValueError`` if it does not, is not boolean, or leaves a query no key.
    """
    xp, Q, K = arrays("Q (..., n, d_k), K (..., m, d_k)", Q, K)
    return _softmax(xp, _scores(xp, Q, K, scale), mask)


def attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None, scale: float | None = None
) -> Array:
    """Y = softmax_row(Q Kᵀ/√d_k) V, shape (..., n, d_v): each row is a weighted average of the rows of ``V``.

    ``mask`` and ``scale`` as in :func:`attention_weights`.

    >>> attention([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    xp, Q, K, V = arrays("Q (..., n, d_k), K (..., m, d_k), V (..., m, d_v)", Q, K, V)
    return _softmax(xp, _scores(xp, Q, K, scale), mask) @ V


def causal_mask(n: int, m: int | None = None) -> np.ndarray:
    """mask[i, j] = (j ≤ i), shape (n, m): query i may look at itself and at what came before.

    The diagonal begins in the upper left corner, as with ``is_causal`` in PyTorch. With a cache the n queries are the
    last of m tokens and the diagonal must end in the lower right corner: that is ``causal_mask(m)[-n:]``.

    Raises ``ValueError`` unless ``n`` and ``m`` are whole numbers >= 1.
    """
    return np.tri(require_int("n", n), None if m is None else require_int("m", m), dtype=bool)


def padding_mask(lengths: ArrayLike, m: int) -> np.ndarray:
    """mask[b, 0, j] = (j < lengths[b]), shape (b, 1, m): keys beyond a sequence's length are padding.

    Raises ``ValueError`` unless ``lengths`` is a list with 1 ≤ lengths[b] ≤ m for every b.
    """
    lengths, m = whole_numbers("lengths", lengths), require_int("m", m)
    if lengths.ndim != 1 or lengths.min() < 1 or lengths.max() > m:
        raise ValueError(f"lengths = {brief(lengths.tolist())}; expected a list of whole numbers from 1 to m = {m}")
    return (np.arange(m) < lengths[:, None])[:, None, :]


def additive_scores(Q: ArrayLike, K: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, v: ArrayLike) -> Array:
    """E_ij = v · tanh(q_i W_Q + k_j W_K), the score of a network with one hidden layer of d_a units.

    ``Q`` (..., n, d_q) and ``K`` (..., m, d_k) may differ in width, unlike in a dot product; ``W_Q`` (d_q, d_a),
    ``W_K`` (d_k, d_a), ``v`` (d_a,). E is (..., n, m); on the way (..., n, m, d_a) numbers are stored.

    Source: Bahdanau, Cho and Bengio (2015), appendix A.1.2.

    >>> additive_scores([[0.0]], [[0.0]], [[1.0]], [[1.0]], [1.0])
    array([[0.]])
    """
    shapes = "Q (..., n, d_q), K (..., m, d_k), W_Q (d_q, d_a), W_K (d_k, d_a), v (d_a,)"
    xp, Q, K, W_Q, W_K, v = arrays(shapes, Q, K, W_Q, W_K, v)
    hidden = (Q @ W_Q)[..., :, None, :] + (K @ W_K)[..., None, :, :]
    return (xp.tanh(hidden) @ v[:, None])[..., 0]


def online_attention(Q: ArrayLike, K: ArrayLike, V: ArrayLike, scale: float | None = None, tile: int = 64) -> Array:
    """attention(Q, K, V) from tiles of at most tile × tile scores; the n × m matrices S and A are never stored.

    For every query it carries the largest score so far μ, the sum ℓ = Σ exp(s_j − μ) and U = Σ exp(s_j − μ) v_j. A new
    tile may raise μ; then ℓ and U are multiplied by exp(μ_old − μ_new). At the end Y = U / ℓ, shape (..., n, d_v).

    Source: Milakov and Gimelshein (2018), algorithm 3; Rabe and Staats (2021).

    >>> online_attention([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    xp, Q, K, V = arrays("Q (..., n, d_k), K (..., m, d_k), V (..., m, d_v)", Q, K, V)
    tile = require_int("tile", tile)
    rows = []
    for i in range(0, Q.shape[-2], tile):
        queries = Q[..., i : i + tile, :]
        largest = xp.full_like(queries[..., :1], -math.inf)
        total = U = xp.zeros_like(largest)
        for j in range(0, K.shape[-2], tile):
            S = _scores(xp, queries, K[..., j : j + tile, :], scale)
            before, largest = largest, xp.maximum(largest, finite_max(xp, "S", S))
            shrink = xp.exp(minus(before, largest))
            E = xp.exp(minus(S, largest))
            total = shrink * total + xp.sum(E, axis=-1, keepdims=True)
            U = shrink * U + E @ V[..., j : j + tile, :]
        rows.append(U / total)
    return xp.concat(rows, axis=-2)


def _scores(xp, Q, K, scale):
    """(scale · Q) Kᵀ, with scale = 1/√d_k unless given."""
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else require_number("scale", scale)
    return (scale * Q) @ xp.matrix_transpose(K)


def _softmax(xp, S, mask=None, axis=-1):
    """exp(S − max S)/Σ exp(S − max S) along an axis, with S = −∞ where the mask is False."""
    S = S if mask is None else xp.where(as_mask(mask, S), S, -math.inf)
    E = xp.exp(minus(S, finite_max(xp, "S", S, axis)))
    return E / xp.sum(E, axis=axis, keepdims=True)


def _require_simplex(xp, a):
    """Refuse rows that are no weights: one below 0, or a sum that is not 1, but for rounding."""
    tolerance = (4 + math.sqrt(a.shape[-1])) * float(xp.finfo(a.dtype).eps)  # each weight is rounded
    if not every(a >= 0) or not every(xp.abs(xp.sum(a, axis=-1) - 1) <= tolerance):
        raise ValueError(f"a with shape {tuple(a.shape)} leaves the simplex; expected weights >= 0 that sum to 1")
