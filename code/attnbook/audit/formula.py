"""What an attention layer says that it computes, step by step, and the same with one step wrong: a table of faults.

Tokens are ``X (b, n, d)``. With h heads of queries and g of keys, in the order of the steps::

    Q, K, V = X W_Q + b_Q, …                     rows (b, n, h·d_k), then split into heads (b, h, n, d_k)
    Q, K    = R_t (norm Q), R_t (norm K)         norm and rotation where the layer has them
    S       = scale · Q Kᵀ                       each key head shared by h/g query heads
    S       = cap(S) + bias, −∞ where hidden     the cap before the mask
    A       = softmax_row(S)                     beside a sink where the layer has one
    Y       = join(A V) W_O + b_O

:func:`evaluate` computes this in float64, by NumPy. A *fault* replaces one step by a wrong one; :data:`FAULTS` lists
them by name, each with its law. So a diagnosis is computed: the fault whose output is the layer's output.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..arrays import as_numpy, brief, one_of, require_int, require_number
from ..language_model import rms_norm
from ..layers import Heads
from ..positional import frequencies, rotate
from ..variants import soft_cap

__all__ = ["FAULTS", "ClaimError", "Evaluated", "Formula", "Sizes", "evaluate"]


@dataclasses.dataclass(frozen=True, eq=False)
class Formula:
    """What a layer is said to compute: Y = softmax_row(cap(scale · Q Kᵀ) + bias) V, with heads, rotation and sinks.

    ``heads``: the weights, :class:`~attnbook.layers.Heads`, key heads repeated; None where Q, K and V come in heads
    already. ``query_heads`` and ``key_heads``: h and g. ``scale``: 1/√d_k unless given. ``cap``: c of c·tanh(S/c).
    ``sinks`` (h,): a score for each head beside those of the keys, with value 0. ``rotary``: the pairing of
    :func:`~attnbook.positional.rotate`, "halves" or "adjacent"; ``theta``: its angles (d_r/2,), of which d_r ≤ d_k
    numbers are turned; ``stretch``: a factor on what is turned. ``gains``: of the root-mean-square norms of Q and K,
    (d_k,) each, with ``eps``. ``bias``: a function of the positions of queries (n,) and keys (m,), giving (h, n, m).
    ``causal``: the layer hides later tokens itself.
    """

    heads: Heads | None = None
    query_heads: int = 1
    key_heads: int | None = None
    scale: float | None = None
    cap: float | None = None
    sinks: Any = None
    rotary: str | None = None
    theta: Any = None
    stretch: float = 1.0
    gains: Any = None
    eps: float = 1e-6
    bias: Callable | None = None
    causal: bool = False

    def __post_init__(self):
        """Refuse what is no number, and read the weights as float64; ``ValueError`` names what does not fit."""
        for name in ("scale", "cap"):
            if getattr(self, name) is not None:
                require_number(name, getattr(self, name), above=0)
        if self.rotary is not None:
            one_of("rotary", self.rotary, "halves", "adjacent")
        if self.heads is not None:
            if not isinstance(self.heads, Heads):
                kind = type(self.heads).__name__
                raise ValueError(f"heads is of the type {kind}; expected Heads, such as Heads.from_linears(…)")
            read = [None if w is None else as_numpy(k, w) for k, w in zip(Heads._fields, self.heads, strict=True)]
            object.__setattr__(self, "heads", Heads(*read))
            object.__setattr__(self, "query_heads", len(read[0]))
        h = require_int("query_heads", self.query_heads)
        g = require_int("key_heads", self._key_heads() if self.key_heads is None else self.key_heads)
        if h % g:
            raise ValueError(f"key_heads = {g}; expected a divisor of the {h} heads of queries")
        object.__setattr__(self, "key_heads", g)
        if self.sinks is not None:
            sinks = as_numpy("sinks", self.sinks)
            if sinks.shape != (h,):
                raise ValueError(f"sinks has shape {sinks.shape}; expected one number for each of {h} heads")
            object.__setattr__(self, "sinks", sinks)
        self._read("theta", "(d_r/2,)", 1)
        self._read("gains", "(2, d_k), of q and of k", 2)
        require_number("eps", self.eps, above=0)
        if self.bias is not None and not callable(self.bias):
            raise ValueError(f"bias = {brief(self.bias)}; expected a function of the positions of queries and keys")

    def _read(self, name, shape, ndim):
        """Read an optional array as float64, with so many axes."""
        if getattr(self, name) is not None:
            given = getattr(self, name)
            x = np.stack([as_numpy(name, each) for each in given]) if ndim == 2 else as_numpy(name, given)
            if x.ndim != ndim:
                raise ValueError(f"{name} has shape {x.shape}; expected {shape}")
            object.__setattr__(self, name, x)

    def _key_heads(self):
        """Return how many heads of keys and values there are, each as often as it serves a head of queries."""
        if self.heads is None:
            return self.query_heads
        h, W = self.query_heads, self.heads.W_K
        return next(g for g in range(1, h + 1) if h % g == 0 and (np.repeat(W[:: h // g], h // g, axis=0) == W).all())


class ClaimError(ValueError):
    """A claim with which the formula cannot be computed, such as a bias that raises; the layer is not to blame."""


class Sizes(NamedTuple):
    """How large the numbers behind an output are, for a bound on the rounding of another computation of it.

    ``stored`` is max A|V| |W_O|: of numbers that are kept in the precision of the layer; ``added`` the same with
    |X||W| + |b| for |V|: of sums on the way. ``scores`` is max scale·|Q||K|ᵀ, ``score_sums`` the same with
    |X||W| + |b| for |Q| and |K|. The sums have up to ``terms`` terms, those of a score ``score_terms``.
    """

    stored: float
    added: float
    scores: float
    score_sums: float
    terms: int
    score_terms: int


class Evaluated(NamedTuple):
    """The output of a formula, and the sizes that bound how far rounding takes another computation of it."""

    Y: np.ndarray
    sizes: Sizes


def evaluate(
    formula: Formula,
    inputs: tuple,
    mask: np.ndarray | None = None,
    positions: np.ndarray | None = None,
    key_positions: np.ndarray | None = None,
    fault: Mapping[str, Callable] | None = None,
) -> Evaluated:
    """Y of the formula above for ``inputs`` (X,), (X of queries, X of keys) or (Q, K, V), in float64.

    X is (b, n, d); Q, K, V are (b, n, d_k) or, in heads, (b, h, n, d_k). ``mask`` (b, n, m) or (n, m) is True where a
    query may look; a row that sees nothing becomes NaN. ``positions`` (n,) or (b, n) are 0 … n−1 unless given,
    ``key_positions`` those of the queries. ``fault`` replaces steps: an entry of :data:`FAULTS`.

    Raises :class:`ClaimError` if the formula, without a fault, cannot be computed.
    """
    try:
        return _evaluated(formula, inputs, mask, positions, key_positions, fault)
    except (ValueError, IndexError) as error:
        if fault is not None or isinstance(error, ClaimError):
            raise
        raise ClaimError(f"what f is claimed to compute cannot be computed: {error}") from error


def _evaluated(formula, inputs, mask, positions, key_positions, fault):
    """Return Y and its sizes, step by step."""
    step = STEPS | dict(fault or {})
    inputs = step["read"](inputs)
    asked, keys, values = _for_queries_keys_values(inputs)
    n, m, h = asked.shape[-2], keys.shape[-2], formula.query_heads
    t, u = _positions(n, m, positions, key_positions)
    visible = _visible(formula.causal, mask, t, u, n, m)
    f = dataclasses.replace(formula, causal=False, scale=formula.scale or 1 / math.sqrt(_key_width(formula, inputs)))

    single = f.heads is None and asked.ndim == 3
    if f.heads is None:
        Q, K, V = (x[:, None] if single else x for x in (asked, keys, values))
        bounds = [np.abs(x) for x in (Q, K, V)]
    else:
        tokens = ((asked, h), (keys, f.key_heads), (values, f.key_heads))
        projected = zip(tokens, step["projections"](f), strict=True)
        Q, K, V = (step["split"](rows(x, *w), count) for (x, count), w in projected)
        bounds = [split(_size_of_rows(x, *w), count) for (x, count), w in zip(tokens, projections(f), strict=True)]
    with np.errstate(all="ignore"):
        Q, K = step["place"](f, Q, K, t, u)
        V = step["values"](f, V, K, u)
        K, V = step["share"](K, h), step["share"](V, h)
        S = step["scores"](f, Q, K)
        S = step["hide"](f, S, visible[:, None], t, u)
        A = step["weights"](f, S, visible[:, None])
        Y = A @ V
        sizes = _sizes(f, A, (Q, K, V), bounds)
    if f.heads is None:
        return Evaluated(step["give"](Y[:, 0] if single else Y), sizes)
    Y = step["output"](f, step["join"](Y))
    return Evaluated(step["give"](Y), sizes)


def _for_queries_keys_values(inputs):
    """Return what queries, keys and values are computed from, of (X,), (X of queries, X of keys) or (Q, K, V)."""
    if len(inputs) == 1:
        return inputs[0], inputs[0], inputs[0]
    return inputs[0], inputs[1], inputs[-1]


def _positions(n, m, positions, key_positions):
    """Return the positions of n queries and of m keys: those given, those of the queries, or 0, 1, 2, …."""
    t = np.arange(n) if positions is None else np.asarray(positions)
    if key_positions is not None:
        return t, np.asarray(key_positions)
    return t, t if m == n else np.arange(m)


def _visible(causal, mask, t, u, n, m):
    """Return which key each query may see, (b, n, m) or (1, n, m)."""
    visible = np.ones((1, n, m), dtype=bool) if mask is None else mask.reshape(-1, n, m)
    if causal:
        visible = visible & (u.reshape(-1, 1, m) <= t.reshape(-1, n, 1))
    return visible


def _sizes(f, A, stored, bounds):
    """Return the sizes of what is stored and of what is added on the way, and how many terms the sums have."""
    heads, (Q, _K, _V) = f.query_heads, stored
    size_stored = _size(f, A, *stored)
    size_added = _size(f, A, *_placed(f, [share(x, heads) for x in bounds]))
    width = 0 if f.heads is None else f.heads.W_Q.shape[1]
    outputs = 1 if f.heads is None else len(f.heads.W_O)
    terms = max(A.shape[-1], width, outputs)
    return Sizes(size_stored[0], size_added[0], size_stored[1], size_added[1], terms, width + Q.shape[-1])


def _key_width(formula, inputs):
    return inputs[0].shape[-1] if formula.heads is None else formula.heads.W_Q.shape[-1]


def _size_of_rows(X, W, b):
    return rows(np.abs(X), np.abs(W), None if b is None else np.abs(b))


def _placed(f, bounds):
    """Return bounds of rows after norm and rotation: √d_k times the gain, and √2 for two numbers of a pair."""
    Q, K, V = bounds
    if f.gains is not None:
        Q, K = (np.sqrt(x.shape[-1]) * np.abs(gain) + 0 * x for x, gain in zip((Q, K), f.gains, strict=True))
    if f.rotary is not None:
        Q, K = math.sqrt(2) * f.stretch * Q, math.sqrt(2) * f.stretch * K
    return Q, K, V


def _size(f, A, Q, K, V):
    """Return max A|V||W_O| and max scale·|Q||K|ᵀ, which a cap bounds too."""
    largest = float(np.nanmax(f.scale * np.abs(Q) @ np.abs(K).swapaxes(-1, -2)))
    Y = np.nan_to_num(A) @ np.abs(V)
    if f.heads is not None:
        Y = rows(join(Y), np.abs(f.heads.W_O), None if f.heads.b_O is None else np.abs(f.heads.b_O))
    return float(Y.max()), largest if f.cap is None else min(largest, f.cap)


# --- The steps --------------------------------------------------------------------------------------------------------


def read(inputs):
    """Tokens (b, n, d), as they come."""
    return inputs


def give(Y):
    """The output (b, n, d), as it is."""
    return Y


def projections(f):
    """W (d, h·d_k) and b (h·d_k,) of queries, keys and values; keys and values have g heads."""
    stride = f.query_heads // f.key_heads
    pairs = zip(f.heads[:3], f.heads[4:7], (1, stride, stride), strict=True)
    return [(np.concatenate(W[::k], axis=-1), None if b is None else np.concatenate(b[::k])) for W, b, k in pairs]


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


def hide(f, S, mask, t, u):
    """cap(S) + bias, −∞ where the mask is False."""
    return np.where(mask, biased(f, capped(f, S), t, u), -np.inf)


def capped(f, S):
    """c · tanh(S/c)."""
    return S if f.cap is None else soft_cap(S, f.cap)


def biased(f, S, t, u):
    """S + bias(t, u)."""
    if f.bias is None:
        return S
    places = [(t, u)] if t.ndim == u.ndim == 1 else zip(*np.broadcast_arrays(*_two_axes(t, u)), strict=True)
    return S + np.stack([_bias(f, *each, S.shape[1:]) for each in places])


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


def _two_axes(t, u):
    return np.atleast_2d(t), np.atleast_2d(u)


def weights(f, S, mask):
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
    weights = np.exp(S - S.max(axis, keepdims=True))
    return weights / weights.sum(axis, keepdims=True)


def join(Y):
    """(b, h, n, d) → (b, n, h·d)."""
    Y = Y.swapaxes(1, 2)
    return Y.reshape(*Y.shape[:2], -1)


def output(f, Y):
    """Y W_O + b_O."""
    return rows(Y, f.heads.W_O, f.heads.b_O)


ORDER = (read, give, projections, split, place, values, share, scores, hide, weights, join, output)
STEPS = {step.__name__: step for step in ORDER}


# --- The same, with one step wrong ------------------------------------------------------------------------------------


def rescaled(factor):
    """Scores with another scale: factor(f, Q, K) times 1/√d_k."""
    return {"scores": lambda f, Q, K: factor(f, Q, K) * scores(f, Q, K)}


def remasked(change):
    """Another mask: change(mask) in place of mask."""
    return {
        "hide": lambda f, S, mask, t, u: hide(f, S, change(mask), t, u),
        "weights": lambda f, S, mask: weights(f, S, change(mask)),
    }


def moved_diagonal(step):
    """Each query sees ``step`` keys more, or fewer, than its mask says: mask[i, j] becomes mask[i, j − step]."""

    def change(mask):
        moved = np.roll(mask, step, axis=-1)
        edge = np.s_[..., :step] if step > 0 else np.s_[..., step:]
        moved[edge] = step > 0
        return moved

    return change


def replaced_by(number):
    """A finite number in place of −∞."""
    return {"hide": lambda f, S, mask, t, u: np.where(mask, biased(f, capped(f, S), t, u), number)}


def added(number):
    """A finite number, added to the scores that are to be hidden."""
    return {"hide": lambda f, S, mask, t, u: biased(f, capped(f, S), t, u) + np.where(mask, 0.0, number)}


def along(axis):
    """Softmax along another axis."""
    return {"weights": lambda f, S, mask: softmax(S, axis)}


def turned(queries, keys):
    """Other rotations of queries and of keys."""
    return {"place": lambda f, Q, K, t, u: (queries(f, norm(f, Q, 0), t), keys(f, norm(f, K, 1), u))}


def other_pairing(f, x, t):
    """(2k, 2k + 1) for (k, k + d/2), or the other way round."""
    return turn(f, x, t, pairing={"halves": "adjacent", "adjacent": "halves"}.get(f.rotary))


def over_heads(f, x, t):
    """The rotation of head r is R_r, whatever the token."""
    return turn(f, x.swapaxes(1, 2), np.arange(x.shape[1])).swapaxes(1, 2)


def next_exponents(f, x, t):
    """The angles 10000^(−2(k + 1)/d) in place of 10000^(−2k/d)."""
    theta = angles(f, x.shape[-1])
    ratio = theta[1] / theta[0] if len(theta) > 1 else 1.0
    return turn(f, x, t, theta=theta * ratio)


def as_it_is(f, x, t):
    """x, not turned."""
    return x


def tiled(K, h):
    """Query heads 0, 1, … get key heads 0, 1, …, and again from 0."""
    return np.tile(K, (1, h // K.shape[1], 1, 1))


def fused_by_heads(f):
    """The rows of one fused matrix, read as (h, 3, d_k) where they are (3, h, d_k)."""
    W, b = zip(*projections(f), strict=True)
    if len({w.shape for w in W}) > 1:
        return projections(f)
    d, h = len(W[0]), f.query_heads
    fused = np.concatenate(W, axis=-1).reshape(d, h, 3, -1)
    parts = [fused[:, :, i].reshape(d, -1) for i in range(3)]
    if b[0] is None:
        return [(w, None) for w in parts]
    biases = np.concatenate(b).reshape(h, 3, -1)
    return [(w, biases[:, i].ravel()) for i, w in enumerate(parts)]


def reordered(*order):
    """Queries, keys and values by the weights of others: (1, 0, 2) exchanges queries and keys."""

    def change(f):
        flat = projections(f)
        other = [flat[i] for i in order]
        fits = all(w[0].shape == o[0].shape for w, o in zip(flat, other, strict=True))
        return other if fits else flat

    return {"projections": change}


def transposed_output(f, Y):
    """Y W_Oᵀ + b_O."""
    W = f.heads.W_O
    return rows(Y, W.T if W.shape[0] == W.shape[1] else W, f.heads.b_O)


def width(f, Q, K):
    """d, the width of the tokens; of all heads together where there are no projections."""
    return f.query_heads * Q.shape[-1] if f.heads is None else f.heads.W_Q.shape[1]


def weights_times_mask(f, S, mask):
    """softmax_row(S) · mask, with scores of hidden keys among those in the sum."""
    return weights(f, S, mask) * mask


def seen(f, S, mask, t, u):
    """cap(S) + bias, with nothing hidden."""
    return biased(f, capped(f, S), t, u)


def cap_last(f, S, mask, t, u):
    """cap(S + bias, −∞ where hidden): a hidden key gets −c."""
    return capped(f, np.where(mask, biased(f, S, t, u), -np.inf))


def cap_lost(f, S, mask, t, u):
    """S + bias, −∞ where hidden, without the cap."""
    return np.where(mask, biased(f, S, t, u), -np.inf)


def cap_without_factor(f, S, mask, t, u):
    """x·tanh(x/c), where the cap is c·tanh(x/c)."""
    if f.cap:
        S = S * np.tanh(S / f.cap)
    return hide(dataclasses.replace(f, cap=None), S, mask, t, u)


def bias_lost(f, S, mask, t, u):
    """cap(S), −∞ where hidden, without the bias."""
    return np.where(mask, capped(f, S), -np.inf)


def bias_scaled(f, S, mask, t, u):
    """scale · (Q Kᵀ + bias)."""
    return np.where(mask, capped(f, S) + f.scale * (biased(f, 0 * S, t, u)), -np.inf)


def without_biases(f):
    """X W, without b."""
    return [(W, None) for W, _ in projections(f)]


def split_last(Y, h):
    """(b, n, h·d) read as (b, n, d, h)."""
    return np.moveaxis(Y.reshape(*Y.shape[:2], -1, h), -1, 1)


def norm_last(f, Q, K, t, u):
    """R_t first, then the norm."""
    return norm(f, turn(f, Q, t), 0), norm(f, turn(f, K, u), 1)


#: The faults by name; each replaces some steps of the formula.
FAULTS: dict[str, dict[str, Callable]] = {
    "attention across the batch": {
        "read": lambda inputs: tuple(x.swapaxes(0, -2) for x in inputs),
        "give": lambda Y: Y.swapaxes(0, -2),
    },
    "heads split without a transpose": {"split": lambda Y, h: Y.reshape(len(Y), h, Y.shape[1], -1)},
    "heads joined without a transpose": {"join": lambda Y: Y.reshape(len(Y), Y.shape[2], -1)},
    "heads split and joined without a transpose": {
        "split": lambda Y, h: Y.reshape(len(Y), h, Y.shape[1], -1),
        "join": lambda Y: Y.reshape(len(Y), Y.shape[2], -1),
    },
    "heads interleaved": {"split": split_last},
    "keys repeated in the wrong order of heads": {"share": tiled},
    "queries and keys exchanged": reordered(1, 0, 2),
    "keys and values exchanged": reordered(0, 2, 1),
    "queries, keys and values read in the wrong order": reordered(2, 0, 1),
    "fused projection read head by head": {"projections": fused_by_heads},
    "keys for values": {"values": lambda f, V, K, u: K if K.shape == V.shape else V},
    "biases of the projections left out": {"projections": without_biases},
    "output projection transposed": {"output": transposed_output},
    "output projection left out": {"output": lambda f, Y: Y},
    "bias of the output left out": {"output": lambda f, Y: Y @ f.heads.W_O},
    "no scale": rescaled(lambda f, Q, K: 1 / f.scale),
    "√d_model for √d_k": rescaled(lambda f, Q, K: (Q.shape[-1] / width(f, Q, K)) ** 0.5),
    "d_k for √d_k": rescaled(lambda f, Q, K: Q.shape[-1] ** -0.5),
    "√n for √d_k": rescaled(lambda f, Q, K: (Q.shape[-1] / K.shape[-2]) ** 0.5),
    "multiplied by √d_k": rescaled(lambda f, Q, K: Q.shape[-1]),
    "softmax over the wrong axis: queries": along(-2),
    "softmax over the wrong axis: heads": along(1),
    "softmax over the wrong axis: batch": along(0),
    "softmax twice": {"weights": lambda f, S, mask: softmax(weights(f, S, mask), -1)},
    "no softmax": {"weights": lambda f, S, mask: np.where(mask, S, 0.0)},
    "mask dropped": {"hide": seen},
    "mask inverted": remasked(lambda mask: ~mask),
    "mask transposed": remasked(lambda mask: mask.swapaxes(-1, -2)),
    "mask off by one: one key too many": remasked(moved_diagonal(1)),
    "mask off by one: one key too few": remasked(moved_diagonal(-1)),
    "mask after softmax": {"hide": seen, "weights": weights_times_mask},
    "scores multiplied by the mask": replaced_by(0.0),
    "mask added as 0 and 1": {"hide": lambda f, S, mask, t, u: biased(f, capped(f, S), t, u) + mask},
    "−10⁴ for −∞": replaced_by(-1e4),
    "−10⁴ added for −∞": added(-1e4),
    "softcap after the mask": {"hide": cap_last},
    "softcap left out": {"hide": cap_lost},
    "x·tanh(x/c) for c·tanh(x/c)": {"hide": cap_without_factor},
    "sink left out": {"weights": lambda f, S, mask: softmax(S, -1)},
    "bias of positions left out": {"hide": bias_lost},
    "bias of positions scaled": {"hide": bias_scaled},
    "rotation left out": turned(as_it_is, as_it_is),
    "rotation with the wrong pairing": turned(other_pairing, other_pairing),
    "rotation of queries alone": turned(turn, as_it_is),
    "rotation of keys alone": turned(as_it_is, turn),
    "keys turned the other way": turned(turn, lambda f, x, t: turn(f, x, t, sign=-1)),
    "position offset: queries one ahead": turned(lambda f, x, t: turn(f, x, t + 1), turn),
    "position offset: queries one behind": turned(lambda f, x, t: turn(f, x, t - 1), turn),
    "positions over heads": turned(over_heads, over_heads),
    "rotation with the next exponents": turned(next_exponents, next_exponents),
    "values turned as well": {"values": lambda f, V, K, u: turn(f, V, u)},
    "norm after the rotation": {"place": norm_last},
    "norm of queries and keys left out": {"place": lambda f, Q, K, t, u: (turn(f, Q, t), turn(f, K, u))},
}
