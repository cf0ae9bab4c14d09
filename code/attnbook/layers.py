"""Layers as functions of their tokens, and a measurement of what they do when the tokens are moved.

Tokens are rows of ``X (..., n, d)``; leading axes are batches. A *group* is a list of permutations, an *action* says
how one of them moves an input: :func:`rows`, :func:`conjugate` or :func:`stay`. :func:`symmetry` evaluates both sides
of f(g·x) = g·f(x) and of f(g·x) = f(x) for every g in the group, and says which of the two laws holds.
Every function raises ``ValueError`` that names an argument with a wrong shape or a NaN.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    Array,
    arrays,
    as_array,
    as_mask,
    as_numpy,
    as_permutation,
    every,
    one_of,
    require_int,
    require_number,
    shape_of,
)
from .attention import attention, softmax

if TYPE_CHECKING:
    import torch

__all__ = [
    "Heads",
    "Symmetry",
    "conjugate",
    "encoder_layer",
    "feed_forward",
    "graph_attention",
    "layer_norm",
    "multi_head_attention",
    "rotations",
    "rows",
    "stay",
    "symmetry",
    "torch_heads",
]


def layer_norm(X: ArrayLike, eps: float = 1e-5) -> Array:
    """(x − mean x)/√(var x + eps) for every token x by itself, along the last axis of ``X`` (..., d).

    ``eps`` > 0 lets a constant token give 0. Source: Ba, Kiros and Hinton (2016), equation (4), without gain and bias.
    """
    xp, X = arrays("X (..., d)", X)
    centred = X - xp.mean(X, axis=-1, keepdims=True)
    variance = xp.mean(centred**2, axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + require_number("eps", eps, above=0))


def feed_forward(X: ArrayLike, W_1: ArrayLike, W_2: ArrayLike) -> Array:
    """max(0, X W_1) W_2: the same small network for every token.

    ``X`` (..., n, d), ``W_1`` (d, d_hidden), ``W_2`` (d_hidden, d_out), where d_out = d in a transformer.

    Source: Vaswani et al. (2017), equation (2), without biases.
    """
    xp, X, W_1, W_2 = arrays("X (..., n, d), W_1 (d, d_hidden), W_2 (d_hidden, d_out)", X, W_1, W_2)
    hidden = X @ W_1
    return xp.where(hidden > 0, hidden, 0.0) @ W_2


def encoder_layer(X: ArrayLike, attend: Callable, transform: Callable, norm: Callable = layer_norm) -> Array:
    """Z = norm(X + attend(X)), then norm(Z + transform(Z)): one layer of a transformer encoder.

    ``attend`` lets tokens look at each other, ``transform`` works on every token by itself, such as
    :func:`feed_forward`; both keep the shape (..., n, d), and so does ``norm``.

    Raises ``ValueError`` if one of the functions changes the shape.
    Source: Vaswani et al. (2017), section 3.1 (normalisation after the sum).
    """
    _, X = arrays("X (..., n, d)", X)
    Z = _like(X, "norm(X)", norm(X + _like(X, "attend(X)", attend(X))))
    return _like(X, "norm(Z)", norm(Z + _like(X, "transform(Z)", transform(Z))))


def _like(X, name, Y):
    """Return Y, which a function of the caller has returned; refuse it unless it has the shape of X."""
    Y = as_array(name, Y)
    if Y.shape != X.shape:
        raise ValueError(f"{name} has shape {shape_of(Y)}; expected {shape_of(X)}, the shape of X")
    return Y


def graph_attention(
    X: ArrayLike, adjacency: ArrayLike, W: ArrayLike, a_to: ArrayLike, a_from: ArrayLike, slope: float = 0.2
) -> Array:
    """Y_i = Σ_j α_ij x_j W over the neighbours j of node i, α_i = softmax_j LeakyReLU(a_to·(x_i W) + a_from·(x_j W)).

    ``X`` (..., n, d) has a node a row; ``adjacency`` (n, n) is True where node i listens to node j; ``W`` (d, d_v);
    ``a_to`` and ``a_from`` (d_v,) are the scoring vector's halves for the node that listens and the one that is heard.

    Raises ``ValueError`` also if a node listens to nobody. Source: Veličković et al. (2018), "Graph Attention
    Networks", equations (3) and (4), without the σ of (4).
    """
    xp, X, W, a_to, a_from = arrays("X (..., n, d), W (d, d_v), a_to (d_v,), a_from (d_v,)", X, W, a_to, a_from)
    V = X @ W
    S = (V @ a_to)[..., :, None] + (V @ a_from)[..., None, :]
    S = xp.where(S > 0, S, require_number("slope", slope) * S)
    return softmax(xp.where(as_mask(adjacency, S, "adjacency"), S, -math.inf)) @ V


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

    @classmethod
    def from_linears(cls, q: Any, k: Any, v: Any, o: Any, heads: int, key_heads: int | None = None) -> "Heads":
        """Return the weights of four linear maps, ``x ↦ W x + b`` with W (out, in), as PyTorch has them.

        Head i of queries owns rows i·d_k … (i + 1)·d_k − 1 of ``q``. With g = ``key_heads`` < h = ``heads``, the head
        j of keys and values serves query heads j·h/g … (j + 1)·h/g − 1, and stands here as often. Views, which
        autograd follows, where g = h.

        Raises ``ValueError`` if a map has no weight, its rows are no multiple of the heads, g does not divide h, or the
        heads of queries and keys differ in d_k.
        Source: Ainslie et al. (2023), "GQA".
        """
        h = require_int("heads", heads)
        g = h if key_heads is None else require_int("key_heads", key_heads, most=h)
        if h % g:
            raise ValueError(f"key_heads = {g}; expected a divisor of heads = {h}")
        maps = (("q", q, h), ("k", k, g), ("v", v, g))
        (W_Q, b_Q), (W_K, b_K), (W_V, b_V) = (_cut(*each, h) for each in maps)
        W_O, b_O = _linear("o", o)
        if W_K.shape[-1] != W_Q.shape[-1]:
            expected = f"{W_Q.shape[-1]} rows for each of {g} heads, as q has for each of {h}"
            raise ValueError(f"k has weights of shape {shape_of(_linear('k', k)[0])}; expected {expected}")
        if W_O.shape[1] != h * W_V.shape[-1]:
            raise ValueError(f"o has weights of shape {shape_of(W_O)}; expected {h * W_V.shape[-1]} columns")
        return cls(W_Q, W_K, W_V, W_O.T, b_Q, b_K, b_V, b_O)

    @classmethod
    def from_fused(cls, qkv: Any, o: Any, heads: int, key_heads: int | None = None, order: str = "parts") -> "Heads":
        """Return the weights of one linear map to queries, keys and values together, and one back.

        ``order`` says how the rows of ``qkv`` stand. "parts": all queries, all keys, all values, each by heads, as in
        ``torch.nn.MultiheadAttention``. "heads": query, key and value of head 1, then of head 2, as in GPT-NeoX.

        Raises ``ValueError`` as :meth:`from_linears` does.
        """
        one_of("order", order, "parts", "heads")
        h = require_int("heads", heads)
        g = h if key_heads is None else require_int("key_heads", key_heads, most=h)
        W, b = _linear("qkv", qkv)
        if len(W) % (h + 2 * g) or (order == "heads" and g != h):
            kind = f"{h} heads of queries and {g} of keys and of values, in the order {order!r}"
            raise ValueError(f"qkv has weights of shape {shape_of(W)}; expected rows for {kind}")
        d = len(W) // (h + 2 * g)
        weights, biases = (_thirds(x, h, g, d, order) for x in (W, b))
        q, k, v = zip(weights, biases, strict=True)
        return cls.from_linears(q, k, v, o, h, g)


def _thirds(x, h, g, d, order):
    """Cut the rows of a weight or a bias into those of queries, keys and values."""
    if x is None:
        return [None] * 3
    if order == "heads":
        by_heads = x.reshape(h, 3, d, *x.shape[1:])
        return [by_heads[:, i].reshape(h * d, *x.shape[1:]) for i in range(3)]
    return [x[: h * d], x[h * d : (h + g) * d], x[(h + g) * d :]]


def _linear(name, linear):
    """Return the weight (out, in) and the bias of a linear map, or of a pair of them."""
    pair = linear if isinstance(linear, tuple) else (getattr(linear, "weight", None), getattr(linear, "bias", None))
    if len(pair) != 2 or len(getattr(pair[0], "shape", ())) != 2:
        kind = type(linear).__name__
        raise ValueError(f"{name} is of the type {kind}; expected a linear map with weight (out, in), or (W, b)")
    return pair


def _cut(name, linear, heads, repeated):
    """Return the weight (repeated, d, d_k) and the bias (repeated, d_k) of a linear map with so many heads."""
    W, b = _linear(name, linear)
    if len(W) % heads:
        raise ValueError(f"{name} has weights of shape {shape_of(W)}; expected rows for {heads} heads")
    order = [i * heads // repeated for i in range(repeated)]
    W = W.reshape(heads, len(W) // heads, -1).swapaxes(-1, -2)
    b = None if b is None else b.reshape(heads, -1)
    if heads == repeated:
        return W, b
    return W[order], None if b is None else b[order]


def multi_head_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, heads: Heads, mask: ArrayLike | None = None
) -> Array:
    """Concat(head_1, …, head_h) W_O + b_O with head_i = attention(Q W_Q[i], K W_K[i], V W_V[i]), plus biases.

    ``Q`` (..., n, d) are the tokens that ask, ``K`` and ``V`` (..., m, d) those that are asked, before projection; the
    result is (..., n, d_out). ``mask`` broadcasts to (..., n, m) and is the same for every head.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    shapes = "Q (..., n, d), K (..., m, e), V (..., m, f), W_Q (h, d, d_k), W_K (h, e, d_k), W_V (h, f, d_v), "
    shapes += "W_O (h·d_v, d_out), "
    shapes += "b_Q (h, d_k) or None, b_K (h, d_k) or None, b_V (h, d_v) or None, b_O (d_out,) or None"
    xp, Q, K, V, W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O = arrays(shapes, Q, K, V, *_weights(heads))

    def project(X, W, b, i):
        return X @ W[i] if b is None else X @ W[i] + b[i]

    Y = [
        attention(project(Q, W_Q, b_Q, i), project(K, W_K, b_K, i), project(V, W_V, b_V, i), mask)
        for i in range(len(W_Q))
    ]
    Y = xp.concat(Y, axis=-1) @ W_O
    return Y if b_O is None else Y + b_O


def _weights(heads):
    """Return the eight weights in ``heads``; refuse what is no Heads, such as a module."""
    if not isinstance(heads, tuple) or len(heads) != len(Heads._fields):
        raise ValueError(f"heads is of the type {type(heads).__name__}; expected Heads, such as torch_heads(module)")
    return heads


def torch_heads(module: "torch.nn.MultiheadAttention") -> Heads:
    """Return the weights of a ``torch.nn.MultiheadAttention`` as :class:`Heads`, views that autograd follows.

    PyTorch stacks the three projections in one matrix (3d, d) and multiplies by its transpose; head i owns
    rows i·d/h … (i+1)·d/h − 1 of each, i = 0 … h − 1.

    Raises ``ValueError`` if the module has ``kdim`` or ``vdim`` of its own or appends keys (``add_bias_kv``,
    ``add_zero_attn``): those layers compute something else.

    >>> import torch
    >>> torch_heads(torch.nn.MultiheadAttention(8, 2)).W_Q.shape
    torch.Size([2, 8, 4])
    """
    if not hasattr(module, "in_proj_weight"):
        kind = "expected a torch.nn.MultiheadAttention, as a layer of PyTorch has it: layer.self_attn"
        raise ValueError(f"module is of the type {type(module).__name__}; {kind}")
    if module.in_proj_weight is None or module.bias_k is not None or module.add_zero_attn:
        raise ValueError(f"module = {module}; expected keys and values as wide as queries, and no appended keys")
    fused = (module.in_proj_weight, module.in_proj_bias)
    return Heads.from_fused(fused, module.out_proj, module.num_heads)


class Symmetry(NamedTuple):
    """What :func:`symmetry` measured: the verdict, and the largest error of each law over the group."""

    verdict: str
    equivariance: float
    invariance: float


def rows(perm: Sequence[int], x: Array) -> Array:
    """g·X = PX: the rows, along the first axis, move; pass the arrays of a batch one at a time."""
    return x[as_permutation(perm, len(x))]


def conjugate(perm: Sequence[int], x: Array) -> Array:
    """g·M = P M Pᵀ: rows and columns move together, as for a mask, a score matrix or an adjacency matrix."""
    if x.ndim < 2 or x.shape[0] != x.shape[1]:
        raise ValueError(f"x has shape {shape_of(x)}; expected a square matrix")
    perm = as_permutation(perm, len(x))
    return x[perm][:, perm]


def stay(perm: Sequence[int], x: Array) -> Array:
    """g·x = x: the input is not moved."""
    return x


def rotations(n: int) -> list[list[int]]:
    """Return the n cyclic shifts of 0 … n−1 as lists, the identity first. Raises ``ValueError`` unless 1 ≤ n ≤ 2000."""
    n = require_int("n", n, most=2000)
    return [[(i - k) % n for i in range(n)] for k in range(n)]


def symmetry(
    f: Callable, inputs: Sequence[Array], actions: Sequence[Callable], group: Sequence[list[int]], out: Callable = rows
) -> Symmetry:
    """Compare f(g·x) with g·f(x) and with f(x) for every g of the group.

    ``actions`` holds a function for each input, ``action(perm, x)`` being g·x: :func:`rows`, :func:`conjugate`,
    :func:`stay`, or your own; ``out`` moves the output. ``f`` returns one array, the same for the same input.

    The verdict is "equivariant", "invariant", "both" or "neither"; errors are absolute, and ``equivariance`` is NaN
    unless f(x) has n rows, as a permutation has n entries. A law holds when its error is at most √ε times the largest
    |entry| of f(x), half of all digits: rounding spoils the last few digits, a broken law nearly always the first. Give
    float64: in float32 positions that are 10⁻⁴ of the tokens pass as none. Errors are measured on the CPU.

    Raises ``ValueError`` unless inputs have actions, the group holds permutations that move something, and outputs are
    of one shape.
    """
    if len(inputs) != len(actions) or not len(group):
        raise ValueError(f"{len(inputs)} inputs, {len(actions)} actions, {len(group)} permutations; expected one each")
    n, (xp, y) = len(group[0]), arrays("f(x) (...)", f(*inputs))
    is_moved = False
    fx = as_numpy("f(x)", y)
    equivariance = 0.0 if fx.ndim and len(fx) == n else math.nan
    invariance = 0.0
    for perm in group:
        perm = as_permutation(perm, n).tolist()
        gx = [action(perm, x) for action, x in zip(actions, inputs, strict=True)]
        is_moved = is_moved or any(map(_differ, gx, inputs))
        moved = as_numpy("f(g·x)", f(*gx))
        if moved.shape != fx.shape:
            raise ValueError(f"f(g·x) has shape {moved.shape}; expected {fx.shape}, the shape of f(x)")
        invariance = max(invariance, float(np.abs(moved - fx).max()))
        if not math.isnan(equivariance):
            equivariance = max(equivariance, float(np.abs(moved - out(perm, fx)).max()))
    if not is_moved:
        raise ValueError("group moves no input; expected a permutation other than the identity, and rows that differ")
    allowed = math.sqrt(float(xp.finfo(y.dtype).eps)) * float(np.abs(fx).max())
    holds = [name for name, error in (("equivariant", equivariance), ("invariant", invariance)) if error <= allowed]
    return Symmetry("both" if len(holds) == 2 else "".join(holds) or "neither", equivariance, invariance)


def _differ(gx, x):
    """Return whether an action has moved an input."""
    if gx is x or not hasattr(x, "shape"):
        return gx is not x
    return shape_of(gx) != shape_of(x) or not every(gx == x)
