"""Scaled dot-product attention, one step per function.

Shapes are ``Q (..., n, d_k)``, ``K (..., m, d_k)``, ``V (..., m, d_v)``; tokens are rows. Leading axes are batches.
Every function takes NumPy arrays and torch tensors alike, so autograd differentiates the formula you read here.
A mask is boolean and **True means "may look"**, as in ``torch.nn.functional.scaled_dot_product_attention``.

Source: Vaswani et al. (2017), "Attention Is All You Need", equation (1).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    Array,
    as_array,
    as_mask,
    expect,
    in_range,
    namespace,
    require_int,
    require_number,
    same_batch,
    shape_of,
    whole_numbers,
)

__all__ = ["attention", "attention_weights", "causal_mask", "entropy"]
__all__ += ["padding_mask", "scores", "softmax", "softmax_jacobian"]


def softmax(S: ArrayLike, axis: int = -1) -> Array:
    r"""softmax(s)_j = exp(s_j) / Σ_l exp(s_l), along ``axis``.

    The largest entry is subtracted first. That changes nothing (softmax is shift invariant) and prevents overflow.

    Parameters
    ----------
    S : array (..., m)
        Scores, without unit. ``-inf`` is allowed and gets weight exactly 0.
    axis : int
        The axis that sums to 1. For a score matrix (n, m) it is the last one: every query has its own distribution.

    Returns
    -------
    array, same shape as ``S``

    Raises
    ------
    ValueError
        If ``S`` has no such axis, an empty one, a NaN or ``+inf``, or a slice along ``axis`` that is all ``-inf``; or
        if there are so many entries that the sum leaves the range of a narrow type.

    >>> softmax([0.0, 0.0])
    array([0.5, 0.5])
    """
    S = as_array("S", S, finite=False)
    xp = namespace(S)
    axis = require_int("axis", axis, -S.ndim, most=S.ndim - 1)
    largest = xp.max(S, axis=axis, keepdims=True)
    if not bool(xp.all(xp.isfinite(largest))):
        raise ValueError(
            f"S with shape {shape_of(S)} has +inf, or only -inf along axis {axis}; expected a finite maximum"
        )
    E = xp.exp(S - largest)
    return E / in_range("Σ exp(S − max S)", xp.sum(E, axis=axis, keepdims=True))


def softmax_jacobian(a: ArrayLike) -> Array:
    r"""J = diag(a) − a aᵀ, the derivative of softmax written in its output ``a``: ∂a_i/∂s_j = a_i (δ_ij − a_j).

    Parameters
    ----------
    a : array (..., m)
        A point of the simplex: the output of :func:`softmax`.

    Returns
    -------
    array (..., m, m)

    Raises
    ------
    ValueError
        If an entry is negative or a row does not sum to 1.
    """
    a = _on_simplex("a", a)
    xp = namespace(a)
    column = a[..., :, None]
    return column * xp.eye(a.shape[-1], dtype=a.dtype) - column * a[..., None, :]


def entropy(a: ArrayLike) -> Array:
    r"""H(a) = −Σ_j a_j ln a_j in nats, with 0 ln 0 = 0. exp(H) counts the keys a row effectively looks at.

    Parameters
    ----------
    a : array (..., m)
        Weights on the simplex.

    Returns
    -------
    array (...)

    Raises
    ------
    ValueError
        If an entry is negative or a row does not sum to 1.

    Source: Shannon (1948).
    """
    a = _on_simplex("a", a)
    xp = namespace(a)
    logs = xp.log(xp.where(a > 0, a, xp.ones_like(a)))
    return -xp.sum(a * logs, axis=-1)


def scores(Q: ArrayLike, K: ArrayLike, scale: float | None = None) -> Array:
    r"""S = scale · Q Kᵀ, with scale = 1/√d_k unless given.

    Parameters
    ----------
    Q : array (..., n, d_k)
    K : array (..., m, d_k)
    scale : float, optional
        Multiplies the dot products. 1 gives raw scores.

    Returns
    -------
    array (..., n, m)

    Raises
    ------
    ValueError
        If a rank is below 2, the last axes differ, or a product leaves the range of the numbers.
    """
    Q, K = as_array("Q", Q, 2), as_array("K", K, 2)
    d_k = Q.shape[-1]
    expect("K", K, (*K.shape[:-1], d_k), f"(..., m, {d_k}) to match Q with shape {shape_of(Q)}")
    same_batch("K", K, Q)
    xp = namespace(Q=Q, K=K)
    scale = 1 / math.sqrt(d_k) if scale is None else require_number("scale", scale, like=Q)
    return in_range("scale · Q Kᵀ", scale * (Q @ xp.matrix_transpose(K)))


def attention_weights(Q: ArrayLike, K: ArrayLike, mask: ArrayLike | None = None, scale: float | None = None) -> Array:
    r"""A = softmax_row(S), where S_ij is replaced by −∞ wherever ``mask[i, j]`` is False.

    Parameters
    ----------
    Q : array (..., n, d_k)
    K : array (..., m, d_k)
    mask : boolean array broadcastable to (..., n, m), optional
        True means query i may look at key j.
    scale : float, optional
        As in :func:`scores`.

    Returns
    -------
    array (..., n, m), rows on the simplex

    Raises
    ------
    ValueError
        If :func:`scores` raises it; if the mask does not fit, is not boolean or leaves a query no key.
    """
    S = scores(Q, K, scale)
    if mask is None:
        return softmax(S)
    xp = namespace(S)
    mask = as_mask("mask", mask, S)
    try:
        mask = xp.broadcast_to(mask, S.shape)
    except (ValueError, RuntimeError):
        raise ValueError(f"mask has shape {shape_of(mask)}; expected one that fits scores {shape_of(S)}") from None
    if not bool(xp.all(xp.any(mask, axis=-1))):
        raise ValueError(f"mask with shape {shape_of(mask)} hides every key from some query; expected one True per row")
    return softmax(xp.where(mask, S, xp.full_like(S, -math.inf)))


def attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None, scale: float | None = None
) -> Array:
    r"""Y = softmax_row(Q Kᵀ/√d_k) V, the weighted average of the rows of ``V``.

    Parameters
    ----------
    Q : array (..., n, d_k)
    K : array (..., m, d_k)
    V : array (..., m, d_v)
    mask, scale
        As in :func:`attention_weights`.

    Returns
    -------
    array (..., n, d_v)

    Raises
    ------
    ValueError
        If shapes do not fit; see :func:`attention_weights` for the mask.

    Source: Vaswani et al. (2017), equation (1).

    >>> attention([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    V = as_array("V", V, 2)
    A = attention_weights(Q, K, mask, scale)
    expect("V", V, (*V.shape[:-2], A.shape[-1], V.shape[-1]), f"({A.shape[-1]}, d_v), one row per row of K")
    same_batch("V", V, A)
    namespace(Q=A, V=V)
    return in_range("A V", A @ V)


def causal_mask(n: int, m: int | None = None) -> np.ndarray:
    """mask[i, j] = (j ≤ i), shape (n, m): query i may look at itself and at what came before.

    Raises ``ValueError`` unless ``n`` and ``m`` are whole numbers >= 1.
    """
    n = require_int("n", n)
    return np.tri(n, n if m is None else require_int("m", m), dtype=bool)


def padding_mask(lengths: ArrayLike, m: int) -> np.ndarray:
    """mask[b, 0, j] = (j < lengths[b]), shape (b, 1, m): keys beyond a sequence's length are padding.

    Raises ``ValueError`` unless 1 ≤ lengths[b] ≤ m for every b.
    """
    lengths, m = whole_numbers("lengths", lengths, 1), require_int("m", m)
    if lengths.min() < 1 or lengths.max() > m:
        raise ValueError(f"lengths = {lengths.tolist()!s:.60}; expected a list of whole numbers from 1 to m = {m}")
    return (np.arange(m) < lengths[:, None])[:, None, :]


def _on_simplex(name, a):
    a = as_array(name, a)
    xp = namespace(a)
    tolerance = min((4 + math.sqrt(a.shape[-1])) * float(xp.finfo(a.dtype).eps), 0.1)  # each weight is rounded
    total = xp.sum(xp.astype(a, xp.float64), axis=-1)
    if bool(xp.any(a < 0)) or bool(xp.any(xp.abs(total - 1) > tolerance)):
        raise ValueError(f"{name} with shape {shape_of(a)} leaves the simplex; expected weights >= 0 that sum to 1")
    return a
