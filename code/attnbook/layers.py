"""Layers as functions of their tokens, and a measurement of what they do when the tokens are moved.

Tokens are rows of ``X (..., n, d)``; leading axes are batches. A *group* is a list of permutations, an *action* says
how one of them moves an input: :func:`rows`, :func:`conjugate` or :func:`stay`. :func:`symmetry` evaluates both sides
of f(g·x) = g·f(x) and of f(g·x) = f(x) for every g in the group, and says which of the two laws holds.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    Array,
    any_array,
    as_array,
    as_mask,
    as_numpy,
    as_permutation,
    brief,
    expect,
    in_range,
    namespace,
    require_int,
    require_number,
    shape_of,
)
from .attention import softmax

__all__ = [
    "Symmetry",
    "conjugate",
    "encoder_layer",
    "feed_forward",
    "graph_attention",
    "layer_norm",
    "rotations",
    "rows",
    "stay",
    "symmetry",
]


def layer_norm(X: ArrayLike, eps: float = 1e-5) -> Array:
    r"""(x − mean x)/√(var x + eps) for every token x by itself, along the last axis.

    Parameters
    ----------
    X : array (..., d)
    eps : float
        Added to the variance, so that a constant token gives 0.

    Returns
    -------
    array, same shape as ``X``

    Raises ``ValueError`` if ``X`` has rank 0, an empty axis, entries not finite or too far apart, or ``eps`` not > 0.

    Source: Ba, Kiros and Hinton (2016), equation (4), without f, gain and bias and with ``eps``.
    """
    X, eps = as_array("X", X), require_number("eps", eps, above=0)
    xp = namespace(X)
    moved = in_range("X − x_1", X - X[..., :1])  # the mean of equal numbers may be rounded, their difference is 0
    centred = moved - xp.mean(moved, axis=-1, keepdims=True)
    largest = xp.max(xp.abs(centred), axis=-1, keepdims=True)
    unit = xp.maximum(largest / 100, xp.ones_like(largest))  # measured in it, no number is too large to be squared
    variance = xp.mean((centred / unit) ** 2, axis=-1, keepdims=True) + eps / unit**2
    return in_range("(X − mean)/√(var + eps)", centred / unit / xp.sqrt(variance))


def feed_forward(X: ArrayLike, W_1: ArrayLike, W_2: ArrayLike) -> Array:
    r"""max(0, X W_1) W_2: the same small network for every token.

    Parameters
    ----------
    X : array (..., n, d)
    W_1 : array (d, d_hidden)
    W_2 : array (d_hidden, d_out), where d_out = d in a transformer

    Returns
    -------
    array (..., n, d_out)

    Raises ``ValueError`` if the shapes do not fit, or a product leaves the range of the numbers.

    Source: Vaswani et al. (2017), equation (2), without biases.
    """
    X, W_1, W_2 = as_array("X", X, 2), as_array("W_1", W_1, 2), as_array("W_2", W_2, 2)
    expect("W_1", W_1, (X.shape[-1], W_1.shape[-1]), f"({X.shape[-1]}, d_hidden) to match X {shape_of(X)}")
    expect("W_2", W_2, (W_1.shape[-1], W_2.shape[-1]), f"({W_1.shape[-1]}, d) to match W_1 {shape_of(W_1)}")
    xp = namespace(X=X, W_1=W_1, W_2=W_2)
    hidden = in_range("X W_1", X @ W_1)
    return in_range("max(0, X W_1) W_2", xp.where(hidden > 0, hidden, 0 * hidden) @ W_2)


def encoder_layer(X: ArrayLike, attend: Callable, transform: Callable, norm: Callable = layer_norm) -> Array:
    r"""Z = norm(X + attend(X)), then norm(Z + transform(Z)): one layer of a transformer encoder.

    Parameters
    ----------
    X : array (..., n, d)
    attend : function
        Lets tokens look at each other, (..., n, d) → (..., n, d).
    transform : function
        Works on every token by itself, such as :func:`feed_forward`; same shapes.
    norm : function
        Normalises every token by itself; :func:`layer_norm` unless given.

    Returns
    -------
    array (..., n, d)

    Raises ``ValueError`` if one of the functions changes the shape.

    Source: Vaswani et al. (2017), section 3.1 (normalisation after the sum).
    """
    X = as_array("X", X, 2)
    for name, f in (("attend", attend), ("transform", transform)):
        change = as_array(f"{name}(X)", f(X), 0)
        expect(f"{name}(X)", change, X.shape, f"{shape_of(X)}, the shape of X")
        namespace(X=X, **{f"{name}(X)": change})
        normal = as_array("norm(X)", norm(X + change), 0)
        expect("norm(X)", normal, X.shape, f"{shape_of(X)}, the shape of X")
        X = normal
    return X


def graph_attention(
    X: ArrayLike, adjacency: ArrayLike, W: ArrayLike, a_to: ArrayLike, a_from: ArrayLike, slope: float = 0.2
) -> Array:
    r"""Y_i = Σ_j α_ij x_j W over the neighbours j of node i, α_i = softmax_j LeakyReLU(a_to·(x_i W) + a_from·(x_j W)).

    Parameters
    ----------
    X : array (n, d)
        One node a row.
    adjacency : boolean array (n, n)
        ``adjacency[i, j]`` is True if node i listens to node j.
    W : array (d, d_v)
    a_to, a_from : array (d_v,)
        The two halves of the scoring vector: for the node that listens and for the one that is heard.
    slope : float
        Of the LeakyReLU below 0.

    Returns
    -------
    array (n, d_v)

    Raises ``ValueError`` if the shapes do not fit or a node listens to nobody.

    Source: Veličković et al. (2018), "Graph Attention Networks", equations (3) and (4), without the σ of (4).
    """
    X, W, a_to, a_from = as_array("X", X, 2), as_array("W", W, 2), as_array("a_to", a_to), as_array("a_from", a_from)
    xp, slope = namespace(X=X, W=W, a_to=a_to, a_from=a_from), require_number("slope", slope, like=X)
    adjacency, n = as_mask("adjacency", adjacency, X), X.shape[-2]
    expect("adjacency", adjacency, (n, n), f"booleans {(n, n)}")
    if not bool(xp.all(xp.any(adjacency, axis=-1))):
        raise ValueError(f"adjacency with shape {(n, n)} leaves a node without a neighbour; expected one True per row")
    expect("W", W, (X.shape[-1], W.shape[-1]), f"({X.shape[-1]}, d_v) to match X {shape_of(X)}")
    expect("a_to", a_to, W.shape[1:])
    expect("a_from", a_from, W.shape[1:])
    V = in_range("X W", X @ W)
    S = (V @ a_to)[..., :, None] + (V @ a_from)[..., None, :]
    S = in_range("a_to·W x_i + a_from·W x_j", xp.where(S > 0, S, slope * S))
    return in_range("α X W", softmax(xp.where(adjacency, S, xp.full_like(S, -math.inf))) @ V)


class Symmetry(NamedTuple):
    """What :func:`symmetry` measured: the verdict, and the largest error of each law over the group."""

    verdict: str
    equivariance: float
    invariance: float


def rows(perm: Sequence[int], x: Array) -> Array:
    """g·X = PX: the rows, along the first axis, move; pass the arrays of a batch one at a time."""
    x = any_array("x", x)
    return x[as_permutation(perm, x.shape[0])]


def conjugate(perm: Sequence[int], x: Array) -> Array:
    """g·M = P M Pᵀ: rows and columns move together, as for a mask, a score matrix or an adjacency matrix."""
    x = any_array("x", x, 2)
    perm = as_permutation(perm, x.shape[0])
    expect("x", x, (len(perm), len(perm), *x.shape[2:]), "a square matrix")
    return x[perm][:, perm]


def stay(perm: Sequence[int], x: Array) -> Array:
    """g·x = x: the input is not moved."""
    return x


def rotations(n: int) -> list[list[int]]:
    """The n cyclic shifts of 0 … n−1 as lists, the identity first. Raises ``ValueError`` unless 1 ≤ n ≤ 2000."""
    n = require_int("n", n, most=2000)
    return [[(i - k) % n for i in range(n)] for k in range(n)]


def symmetry(
    f: Callable, inputs: Sequence[Array], actions: Sequence[Callable], group: Sequence[list[int]], out: Callable = rows
) -> Symmetry:
    r"""Compare f(g·x) with g·f(x) and with f(x) for every g of the group.

    Parameters
    ----------
    f : function
        Takes the inputs and returns one array; it must return the same for the same input.
    inputs : sequence of arrays
    actions : sequence of functions, one per input
        ``action(perm, x)`` is g·x: :func:`rows`, :func:`conjugate`, :func:`stay`, or one of your own.
    group : list of permutations
    out : function
        How the group moves the output; where the output's first axis has another length, only invariance can hold.

    Returns
    -------
    Symmetry
        ``verdict`` is "equivariant", "invariant", "both" or "neither"; errors are absolute, ``equivariance`` is NaN if
        f(x) has no axis as long as a permutation. A law holds when its error is at most √ε times the largest |entry|
        of f(x), half of all digits: rounding spoils the last few digits, a broken law spoils the first.

    Raises ``ValueError`` unless inputs have actions, the group holds permutations, outputs are finite and of one shape.
    """
    if len(inputs) != len(actions):
        raise ValueError(f"{len(inputs)} inputs, {len(actions)} actions; expected one action each")
    try:
        n = len(group[0])
    except (TypeError, IndexError, KeyError):
        raise ValueError(f"group = {brief(group)}; expected a list of permutations") from None
    group = [as_permutation(perm, n).tolist() for perm in group]
    y = as_array("f(x)", f(*inputs), 0)
    still, digits = as_numpy("f(x)", y), float(namespace(y).finfo(y.dtype).eps)
    acts = still.ndim > 0 and still.shape[0] == n
    equivariance, invariance = 0.0, 0.0
    for perm in group:
        moved = as_numpy("f(x)", f(*(action(perm, x) for action, x in zip(actions, inputs, strict=True))))
        invariance = max(invariance, _gap(moved, still))
        equivariance = max(equivariance, _gap(moved, out(perm, still))) if acts else math.nan
    allowed = math.sqrt(digits) * float(np.abs(still).max())
    holds = [name for name, error in (("equivariant", equivariance), ("invariant", invariance)) if error <= allowed]
    return Symmetry("both" if len(holds) == 2 else "".join(holds) or "neither", equivariance, invariance)


def _gap(a, b):
    expect("f(g·x)", a, b.shape, f"{b.shape}, the shape of f(x)")
    return float(np.abs(a - b).max())
