"""Variants of attention: another score, several heads, and the same result without the n × m matrix.

Shapes and masks as in :mod:`attnbook.attention`. Every function takes NumPy arrays and torch tensors alike.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from .arrays import Array, as_array, as_mask, brief, expect, in_range, namespace, require_int, same_batch
from .attention import attention, scores

if TYPE_CHECKING:
    import torch

__all__ = ["Heads", "additive_scores", "multi_head_attention", "online_attention", "torch_heads"]


def additive_scores(Q: ArrayLike, K: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, v: ArrayLike) -> Array:
    r"""E_ij = v · tanh(q_i W_Q + k_j W_K), the score of a network with one hidden layer of d_a units.

    Parameters
    ----------
    Q : array (..., n, d_q)
    K : array (..., m, d_k)
        ``d_q`` and ``d_k`` may differ, unlike in a dot product.
    W_Q : array (d_q, d_a)
    W_K : array (d_k, d_a)
    v : array (d_a,)

    Returns
    -------
    array (..., n, m)
        On the way an array of shape (..., n, m, d_a) is stored.

    Raises
    ------
    ValueError
        If a rank is too small, two axes that must agree do not, or a sum leaves the range of the numbers.

    Source: Bahdanau, Cho and Bengio (2015), appendix A.1.2.

    >>> additive_scores([[0.0]], [[0.0]], [[1.0]], [[1.0]], [1.0])
    array([[0.]])
    """
    Q, K = as_array("Q", Q, 2), as_array("K", K, 2)
    W_Q, W_K, v = as_array("W_Q", W_Q, 2), as_array("W_K", W_K, 2), as_array("v", v)
    expect("W_Q", W_Q, (Q.shape[-1], W_Q.shape[-1]))
    expect("W_K", W_K, (K.shape[-1], W_Q.shape[-1]))
    expect("v", v, (W_Q.shape[-1],))
    same_batch("K", K, Q)
    xp = namespace(Q=Q, K=K, W_Q=W_Q, W_K=W_K, v=v)
    hidden = in_range("q W_Q + k W_K", (Q @ W_Q)[..., :, None, :] + (K @ W_K)[..., None, :, :])
    return in_range("v · tanh(…)", (xp.tanh(hidden) @ v[:, None])[..., 0])


class Heads(NamedTuple):
    """The weights of multi-head attention with h heads, for tokens of width d; a bias may be None.

    ``W_Q``, ``W_K`` (h, d, d_k), ``W_V`` (h, d, d_v), ``W_O`` (h·d_v, d_out),
    ``b_Q``, ``b_K`` (h, d_k), ``b_V`` (h, d_v), ``b_O`` (d_out,).
    """

    W_Q: Any
    W_K: Any
    W_V: Any
    W_O: Any
    b_Q: Any = None
    b_K: Any = None
    b_V: Any = None
    b_O: Any = None


def multi_head_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, heads: Heads, mask: ArrayLike | None = None
) -> Array:
    r"""Concat(head_1, …, head_h) W_O + b_O with head_i = attention(Q W_Q[i], K W_K[i], V W_V[i]), plus biases.

    Parameters
    ----------
    Q : array (..., n, d)
        The tokens that ask; K and V (..., m, d) are the tokens that are asked, all before projection.
    heads : Heads
    mask : boolean array broadcastable to (..., n, m), optional
        True means query i may look at key j; the same for every head.

    Returns
    -------
    array (..., n, d_out)

    Raises
    ------
    ValueError
        If shapes do not fit; see :func:`attnbook.attention.attention_weights` for the mask.
    TypeError
        If ``heads`` is no :class:`Heads`, or arrays and weights are of two libraries, or tensors of two precisions.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    if not isinstance(heads, Heads):
        raise TypeError(f"heads = {brief(heads)}; expected attnbook.variants.Heads")
    Q = _project("Q", Q, heads.W_Q, heads.b_Q)
    K = _project("K", K, heads.W_K, heads.b_K)
    V = _project("V", V, heads.W_V, heads.b_V)
    xp = namespace(Q=Q, K=K, V=V)
    for name, x in (("K", K), ("V", V)):
        if x.shape[-3] != Q.shape[-3]:
            raise ValueError(f"W_{name} has {x.shape[-3]} heads; expected {Q.shape[-3]}, as many as W_Q")
    if mask is not None:
        mask = as_mask("mask", mask, Q)
        mask = mask[..., None, :, :] if mask.ndim >= 2 else mask
    Y = xp.moveaxis(attention(Q, K, V, mask), -3, -2)  # (..., n, h, d_v)
    Y = xp.reshape(Y, (*Y.shape[:-2], Y.shape[-2] * Y.shape[-1]))
    W_O = as_array("W_O", heads.W_O, 2)
    namespace(Q=Y, W_O=W_O)
    expect("W_O", W_O, (Y.shape[-1], W_O.shape[-1]))
    Y = Y @ W_O
    return in_range("Concat(…) W_O", Y if heads.b_O is None else Y + _bias("b_O", heads.b_O, Y.shape[-1:], W_O))


def torch_heads(module: "torch.nn.MultiheadAttention") -> Heads:
    """The weights of a ``torch.nn.MultiheadAttention`` as :class:`Heads`, views that autograd follows.

    PyTorch stacks the three projections in one matrix (3d, d) and multiplies by its transpose; head i owns
    rows i·d/h … (i+1)·d/h − 1 of each, i = 0 … h − 1.

    Raises ``ValueError`` if the module has ``kdim`` or ``vdim`` of its own or appends keys (``add_bias_kv``,
    ``add_zero_attn``): those layers compute something else. Raises ``TypeError`` for what has no ``in_proj_weight``.

    >>> import torch
    >>> torch_heads(torch.nn.MultiheadAttention(8, 2)).W_Q.shape
    torch.Size([2, 8, 4])
    """
    if not hasattr(module, "in_proj_weight"):
        raise TypeError(f"module = {brief(module)}; expected a torch.nn.MultiheadAttention")
    if module.in_proj_weight is None or module.bias_k is not None or module.add_zero_attn:
        raise ValueError(f"module = {module}; expected keys and values as wide as queries, and no appended keys")
    h = module.num_heads
    W = [w.unflatten(0, (h, -1)).mT for w in module.in_proj_weight.chunk(3)]
    b = [None] * 3 if module.in_proj_bias is None else [b.unflatten(0, (h, -1)) for b in module.in_proj_bias.chunk(3)]
    return Heads(*W, module.out_proj.weight.mT, *b, module.out_proj.bias)


def online_attention(Q: ArrayLike, K: ArrayLike, V: ArrayLike, scale: float | None = None, tile: int = 64) -> Array:
    r"""attention(Q, K, V) from tiles of at most tile × tile scores; the n × m matrices S and A are never stored.

    For every query it carries the largest score so far μ, the sum ℓ = Σ exp(s_j − μ) and U = Σ exp(s_j − μ) v_j. A new
    tile may raise μ; then ℓ and U are multiplied by exp(μ_old − μ_new). At the end Y = U / ℓ.

    Parameters
    ----------
    Q : array (..., n, d_k)
    K : array (..., m, d_k)
    V : array (..., m, d_v)
    scale : float, optional
        As in :func:`attnbook.attention.scores`.
    tile : int
        Queries and keys per tile.

    Returns
    -------
    array (..., n, d_v)

    Raises
    ------
    ValueError
        If shapes do not fit, ``tile`` is below 1, or the sum U leaves the range of the numbers.

    Source: Milakov and Gimelshein (2018), algorithm 3; Rabe and Staats (2021).

    >>> online_attention([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    Q, K, V = as_array("Q", Q, 2), as_array("K", K, 2), as_array("V", V, 2)
    expect("V", V, (*V.shape[:-2], K.shape[-2], V.shape[-1]), f"({K.shape[-2]}, d_v), one row per row of K")
    same_batch("K", K, Q)
    same_batch("V", V, K)
    same_batch("V", V, Q)
    tile, xp = require_int("tile", tile), namespace(Q=Q, K=K, V=V)
    rows = []
    for i in range(0, Q.shape[-2], tile):
        largest, total, Y = -math.inf, 0.0, 0.0
        for j in range(0, K.shape[-2], tile):
            S = scores(Q[..., i : i + tile, :], K[..., j : j + tile, :], scale)
            new = xp.max(S, axis=-1, keepdims=True)
            new = new if j == 0 else xp.maximum(largest, new)
            E, shrink = xp.exp(S - new), xp.exp(largest - new)
            total = shrink * total + xp.sum(E, axis=-1, keepdims=True)
            Y = in_range("U = Σ exp(s − μ) V", shrink * Y + E @ V[..., j : j + tile, :])
            largest = new
        rows.append(Y / total)
    return xp.concat(rows, axis=-2)


def _project(name, x, W, b):
    """x W + b for every head at once: (..., n, d) and (h, d, c) give (..., h, n, c)."""
    x = as_array(name, x, 2)
    W = as_array(f"W_{name}", W, 3)
    expect(f"W_{name}", W, (W.shape[0], x.shape[-1], W.shape[-1]))
    xp, (h, d, c) = namespace(**{name: x, f"W_{name}": W}), W.shape
    side_by_side = x @ xp.reshape(xp.moveaxis(W, 0, 1), (d, h * c))  # one product is faster than one for each head
    heads = xp.reshape(side_by_side, (*x.shape[:-1], h, c))
    y = in_range(f"{name} W_{name}", xp.moveaxis(heads, -2, -3))
    return y if b is None else y + _bias(f"b_{name}", b, (h, c), W)[:, None, :]


def _bias(name, b, shape, like):
    b = as_array(name, b)
    expect(name, b, shape)
    namespace(W=like, **{name: b})
    return b
