"""What an attention layer says that it computes, step by step; a step may be replaced by a wrong one.

Tokens are ``X (b, n, d)``. With h heads of queries and g of keys, in the order of the steps::

    Q, K, V = X W_Q + b_Q, …                     rows (b, n, h·d_k), then split into heads (b, h, n, d_k)
    Q, K    = R_t (norm Q), R_t (norm K)         norm and rotation where the layer has them
    S       = scale · Q Kᵀ                       each key head shared by h/g query heads
    S       = cap(S) + bias, −∞ where hidden     the cap before the mask
    A       = softmax_row(S)                     beside a sink where the layer has one
    Y       = join(A V) W_O + b_O

:func:`evaluate` computes this in float64, by NumPy. :class:`Steps` are the functions that do it. A *fault* has others
in place of some; :data:`~attnbook.audit.faults.FAULTS` lists those that have a name.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arrays import as_numpy, brief, one_of, require_int, require_number
from ..language_model import rms_norm
from ..layers import Heads
from ..positional import frequencies, rotate
from ..variants import soft_cap

__all__ = ["ClaimError", "Formula", "Steps", "Terms", "evaluate"]


class ClaimError(ValueError):
    """A claim with which the formula cannot be computed, such as a bias that raises; the layer is not to blame."""


# --- What is claimed --------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class Formula:
    """What a layer is said to compute: Y = softmax_row(cap(scale · Q Kᵀ) + bias) V, with heads, rotation and sinks.

    :meth:`read` makes one of a claim.
    """

    #: The weights, :class:`~attnbook.layers.Heads`, key heads repeated; None where Q, K and V come in heads already.
    heads: Heads | None = None
    #: h, the number of heads of queries.
    query_heads: int = 1
    #: g, the number of heads of keys and values; ``read`` counts them where it is None.
    key_heads: int | None = None
    #: The factor of Q Kᵀ; 1/√d_k where it is None.
    scale: float | None = None
    #: c of c·tanh(S/c).
    cap: float | None = None
    #: A score for each head (h,) beside those of the keys, with value 0.
    sinks: Any = None
    #: The pairing of :func:`~attnbook.positional.rotate`, "halves" or "adjacent".
    rotary: str | None = None
    #: The angles of the rotation (d_r/2,), by which d_r ≤ d_k numbers are turned.
    theta: Any = None
    #: A factor on what is turned.
    stretch: float = 1.0
    #: The gains of the root-mean-square norms of Q and K, (d_k,) each.
    gains: Any = None
    #: What these norms add under the root.
    eps: float = 1e-6
    #: A function of the positions of queries (n,) and keys (m,), giving (h, n, m).
    bias: Callable | None = None
    #: Whether the layer hides later tokens itself.
    causal: bool = False

    @classmethod
    def read(cls, heads: Heads | None = None, **claims: Any) -> "Formula":
        """Return the formula with heads counted and arrays in float64; ``ValueError`` names what does not fit."""
        claimed = cls(heads, **claims)
        _require_positive("scale", claimed.scale)
        _require_positive("cap", claimed.cap)
        if claimed.rotary is not None:
            one_of("rotary", claimed.rotary, "halves", "adjacent")
        weights = _read_heads(heads)
        h = require_int("query_heads", claimed.query_heads if weights is None else len(weights.W_Q))
        g = require_int("key_heads", _count_key_heads(weights, h) if claimed.key_heads is None else claimed.key_heads)
        if h % g:
            raise ValueError(f"key_heads = {g}; expected a divisor of the {h} heads of queries")
        sinks, theta, gains = _read_sinks(claimed.sinks, h), _read_theta(claimed.theta), _read_gains(claimed.gains)
        require_number("eps", claimed.eps, above=0)
        if claimed.bias is not None and not callable(claimed.bias):
            raise ValueError(f"bias = {brief(claimed.bias)}; expected a function of the positions of queries and keys")
        counted = {"heads": weights, "query_heads": h, "key_heads": g}
        return dataclasses.replace(claimed, **counted, sinks=sinks, theta=theta, gains=gains)

    def with_scale(self, d_k: int) -> "Formula":
        """Return the formula with its scale as a number: 1/√d_k unless another is claimed."""
        if self.scale is not None:
            return self
        return dataclasses.replace(self, scale=1 / math.sqrt(d_k))


def _require_positive(name, x):
    """Refuse a claim that is no positive number; None claims nothing."""
    if x is not None:
        require_number(name, x, above=0)


def _read_heads(heads):
    """Return the weights in float64."""
    if heads is None:
        return None
    if not isinstance(heads, Heads):
        kind = type(heads).__name__
        raise ValueError(f"heads is of the type {kind}; expected Heads, such as Heads.from_linears(…)")
    return Heads(*(None if w is None else as_numpy(name, w) for name, w in heads._asdict().items()))


def _count_key_heads(heads, h):
    """Return how many different heads of keys serve h heads of queries: the least g whose heads, repeated, are W_K."""
    if heads is None:
        return h
    divisors = [g for g in range(1, h + 1) if h % g == 0]
    return next(g for g in divisors if _is_repeated(heads.W_K, h // g))


def _is_repeated(W, times):
    """Return whether W holds each head ``times`` times in a row."""
    return (np.repeat(W[::times], times, axis=0) == W).all()


def _read_sinks(sinks, h):
    """Return a score for each of h heads."""
    if sinks is None:
        return None
    sinks = as_numpy("sinks", sinks)
    if sinks.shape != (h,):
        raise ValueError(f"sinks has shape {sinks.shape}; expected one number for each of {h} heads")
    return sinks


def _read_theta(theta):
    """Return an angle for each pair that is turned."""
    if theta is None:
        return None
    theta = as_numpy("theta", theta)
    if theta.ndim != 1:
        raise ValueError(f"theta has shape {theta.shape}; expected (d_r/2,)")
    return theta


def _read_gains(gains):
    """Return the gains of the norms of queries and of keys."""
    if gains is None:
        return None
    gains = np.stack([as_numpy("gains", each) for each in gains])
    if gains.ndim != 2 or len(gains) != 2:
        raise ValueError(f"gains has shape {gains.shape}; expected (2, d_k), of q and of k")
    return gains


# --- The steps --------------------------------------------------------------------------------------------------------
# In all of them f is the formula, t the positions of queries, u those of keys; ``visible`` (b, 1, n, m) is the mask.


def read(inputs):
    """Tokens (b, n, d), as they come."""
    return inputs


def projections(f):
    """W (d, h·d_k) and b (h·d_k,) of queries, keys and values; keys and values have g heads."""
    w, times = f.heads, f.query_heads // f.key_heads
    return [
        (_side_by_side(w.W_Q), _side_by_side(w.b_Q)),
        (_side_by_side(w.W_K, times), _side_by_side(w.b_K, times)),
        (_side_by_side(w.W_V, times), _side_by_side(w.b_V, times)),
    ]


def _side_by_side(W, times=1):
    """Return the heads side by side, every ``times``-th one; None if there are none."""
    return None if W is None else np.concatenate(W[::times], axis=-1)


def rows(X, W, b):
    """X W + b."""
    return X @ W if b is None else X @ W + b


def split(Y, h):
    """(b, n, h·d) → (b, h, n, d)."""
    return Y.reshape(*Y.shape[:2], h, -1).swapaxes(1, 2)


def place(f, Q, K, t, u):
    """norm, then R_t."""
    return turn(f, norm(f, Q, 0), t), turn(f, norm(f, K, 1), u)


def norm(f, x, which):
    """x/√(mean x² + eps) · gain."""
    return x if f.gains is None else rms_norm(x, f.gains[which], f.eps)


def turn(f, x, positions, sign=1, pairing=None, theta=None):
    """R_t x_t for every row, where the formula has a rotation."""
    if f.rotary is None:
        return x
    theta = angles(f, x.shape[-1]) if theta is None else theta
    width, pairing = 2 * len(theta), pairing or f.rotary
    places = np.broadcast_to(positions, (len(x), x.shape[-2]))
    turned = [rotate(y[..., :width], sign * t, theta, pairing=pairing) for y, t in zip(x, places, strict=True)]
    return np.concatenate([f.stretch * np.stack(turned), x[..., width:]], axis=-1)


def angles(f, d):
    """Return the angles per position: those of the formula, or 10000^(−2k/d)."""
    return frequencies(d) if f.theta is None else f.theta


def values(f, V, K, u):
    """V."""
    return V


def share(K, h):
    """Query heads 0 … h/g − 1 get key head 0, the next ones key head 1."""
    return np.repeat(K, h // K.shape[1], axis=1)


def scores(f, Q, K):
    """scale · Q Kᵀ."""
    return f.scale * Q @ K.swapaxes(-1, -2)


def hide(f, S, visible, t, u):
    """cap(S) + bias, −∞ where hidden."""
    return np.where(visible, biased(f, capped(f, S), t, u), -np.inf)


def capped(f, S):
    """c · tanh(S/c)."""
    return S if f.cap is None else soft_cap(S, f.cap)


def biased(f, S, t, u):
    """S + bias(t, u)."""
    if f.bias is None:
        return S
    is_one_text = t.ndim == u.ndim == 1
    texts = [(t, u)] if is_one_text else zip(*np.broadcast_arrays(*np.atleast_2d(t, u)), strict=True)
    return S + np.stack([_bias(f, *each, S.shape[1:]) for each in texts])


def _bias(f, t, u, shape):
    """Return the bias between the positions of queries and of keys, as it is claimed."""
    try:
        B = as_numpy("bias(t, u)", f.bias(t, u), infinite=(-math.inf,))
    except Exception as error:
        raise ClaimError(f"bias raised {type(error).__name__}: {error}") from error
    try:
        return np.broadcast_to(B, shape)
    except ValueError:
        raise ClaimError(f"bias gave an array of shape {B.shape}; expected {shape}, by head, query and key") from None


def weights(f, S, visible):
    """softmax_row(S), beside a sink where there is one."""
    return softmax(beside_sink(f, S), -1)[..., : S.shape[-1]]


def beside_sink(f, S):
    """[S, sink]."""
    if f.sinks is None:
        return S
    column = np.broadcast_to(f.sinks[:, None, None], (*S.shape[:-1], 1))
    return np.concatenate([S, column], axis=-1)


def softmax(S, axis):
    """exp(s − max s)/Σ exp(s − max s); NaN where all is −∞."""
    E = np.exp(S - S.max(axis, keepdims=True))
    return E / E.sum(axis, keepdims=True)


def join(Y):
    """(b, h, n, d) → (b, n, h·d)."""
    Y = Y.swapaxes(1, 2)
    return Y.reshape(*Y.shape[:2], -1)


def output(f, Y):
    """Y W_O + b_O."""
    return rows(Y, f.heads.W_O, f.heads.b_O)


def give(Y):
    """The output (b, n, d), as it is."""
    return Y


@dataclasses.dataclass(frozen=True)
class Steps:
    """The steps of the formula, in their order: those that are right, unless another takes what the right one takes.

    So ``Steps(scores=…)`` is a fault of the scores alone.
    """

    read: Callable = read  # inputs
    projections: Callable = projections  # f
    split: Callable = split  # Y, h
    place: Callable = place  # f, Q, K, t, u
    values: Callable = values  # f, V, K, u
    share: Callable = share  # K, h
    scores: Callable = scores  # f, Q, K
    hide: Callable = hide  # f, S, visible, t, u
    weights: Callable = weights  # f, S, visible
    join: Callable = join  # Y
    output: Callable = output  # f, Y
    give: Callable = give  # Y


# --- The formula ------------------------------------------------------------------------------------------------------


class Terms(NamedTuple):
    """What the formula is made of: Q, K and V as they meet, in h heads (b, h, n, d_k), the weights A, the output Y."""

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    A: np.ndarray
    Y: np.ndarray


def evaluate(
    formula: Formula,
    inputs: tuple,
    mask: np.ndarray | None = None,
    positions: np.ndarray | None = None,
    key_positions: np.ndarray | None = None,
    fault: Steps | None = None,
) -> Terms:
    """Return the terms of the formula above for ``inputs`` (X,), (X of queries, X of keys) or (Q, K, V), in float64.

    X is (b, n, d); Q, K, V are (b, n, d_k) or, in heads, (b, h, n, d_k). ``mask`` (b, n, m) or (n, m) is True where a
    query may look; a row that sees nothing becomes NaN. ``positions`` (n,) or (b, n) are 0 … n−1 unless given,
    ``key_positions`` those of the queries. ``fault``: the steps to take, one of :data:`~attnbook.audit.faults.FAULTS`.

    Raises :class:`ClaimError` if the formula, without a fault, cannot be computed.
    """
    try:
        return _take_steps(formula, inputs, mask, positions, key_positions, fault or Steps())
    except (ValueError, IndexError) as error:
        if fault is not None or isinstance(error, ClaimError):
            raise
        raise ClaimError(f"what f is claimed to compute cannot be computed: {error}") from error


@np.errstate(all="ignore")  # a row without keys is NaN, and faults may overflow: Y shows both
def _take_steps(formula, inputs, mask, positions, key_positions, step):
    """Return the terms of the formula, computed step by step."""
    inputs = for_queries_keys_values(step.read(inputs))
    t, u = _positions(inputs, positions, key_positions)
    visible = _visible(inputs, mask, formula.causal, t, u)
    Q, K, V = into_heads(formula, inputs, step)
    f, h = formula.with_scale(Q.shape[-1]), formula.query_heads

    Q, K = step.place(f, Q, K, t, u)
    V = step.values(f, V, K, u)
    K, V = step.share(K, h), step.share(V, h)
    S = step.scores(f, Q, K)
    S = step.hide(f, S, visible, t, u)
    A = step.weights(f, S, visible)
    Y = _out_of_heads(f, A @ V, inputs, step)
    return Terms(Q, K, V, A, step.give(Y))


def for_queries_keys_values(inputs):
    """Return what queries, keys and values are computed from, of (X,), (X of queries, X of keys) or (Q, K, V)."""
    if len(inputs) == 1:
        return inputs[0], inputs[0], inputs[0]
    return inputs[0], inputs[1], inputs[-1]


def _positions(inputs, positions, key_positions):
    """Return the positions of n queries and of m keys: those given, those of the queries, or 0, 1, 2, …."""
    n, m = inputs[0].shape[-2], inputs[1].shape[-2]
    t = np.arange(n) if positions is None else np.asarray(positions)
    if key_positions is not None:
        return t, np.asarray(key_positions)
    if m == n:
        return t, t
    return t, np.arange(m)


def _visible(inputs, mask, causal, t, u):
    """Return which key each query may see in every head, (b, 1, n, m) or (1, 1, n, m)."""
    n, m = inputs[0].shape[-2], inputs[1].shape[-2]
    visible = np.ones((1, n, m), dtype=bool) if mask is None else mask.reshape(-1, n, m)
    if causal:
        visible = visible & (u.reshape(-1, 1, m) <= t.reshape(-1, n, 1))
    return visible[:, None]


def into_heads(f, inputs, step):
    """Return Q in h heads, K and V in g: projected, or as they are given; what is given without heads gets one."""
    if f.heads is None:
        return [x[:, None] for x in inputs] if inputs[0].ndim == 3 else inputs
    counts = (f.query_heads, f.key_heads, f.key_heads)
    projected = [rows(X, W, b) for X, (W, b) in zip(inputs, step.projections(f), strict=True)]
    return [step.split(Y, count) for Y, count in zip(projected, counts, strict=True)]


def _out_of_heads(f, Y, inputs, step):
    """Return the output in the form of the inputs: joined and projected, or as Q was given."""
    if f.heads is None:
        return Y[:, 0] if inputs[0].ndim == 3 else Y
    return step.output(f, step.join(Y))
