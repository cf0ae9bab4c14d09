"""A real language model, from the numbers of its tokens to the logits of the next one.

Each layer adds two things to the state X (..., n, d) of the tokens, a row each::

    Z = rms_norm(X)      Q, K = rotated Z W_Q, Z W_K      V = Z W_V          in heads of width d_h
    X ← X + Y W_O        Y = softmax_row(Q Kᵀ/√d_h) V, the heads side by side
    X ← X + swiglu(rms_norm(X))

Before the first layer X holds the rows of the embedding; after the last, rms_norm(X) times the unembedding are the
logits. Several query heads share a head of keys and values. :func:`attnbook.pretrained.load` brings the weights of
such a model; everything is computed in their precision, float32.
Every function raises ``ValueError`` that names an argument with a wrong shape or a number outside its range.

Source: Touvron et al. (2023), "LLaMA", section 2.2; Ainslie et al. (2023), "GQA".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, arrays, as_mask, brief, require_int, require_number, whole_numbers
from .attention import attention_weights, causal_mask
from .positional import frequencies, rotate

__all__ = ["Layer", "Model", "continuation", "logits", "losses", "next_logits", "read_out", "rms_norm", "states"]
__all__ += ["swiglu"]

WATCHED = ("queries", "keys", "values", "weights", "heads", "state")
SCORES = 2**25  # as many are stored at a time, 128 MiB of float32, so that a long text needs no n × n matrix
PLACES = 256  # as many rows of logits are stored at a time where all n are needed


class Layer(NamedTuple):
    """The weights of one layer, for tokens that stand left: Z W.

    ``W_Q`` (d, h·d_h), ``W_K`` and ``W_V`` (d, g·d_h), ``W_O`` (h·d_h, d) for h heads of queries and g of keys;
    ``W_gate`` and ``W_up`` (d, d_hidden), ``W_down`` (d_hidden, d); two gains (d,) of :func:`rms_norm`.
    """

    attention_gain: np.ndarray
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray
    feed_forward_gain: np.ndarray
    W_gate: np.ndarray
    W_up: np.ndarray
    W_down: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """The weights and numbers of a language model; ``encode`` and ``decode`` translate between text and tokens.

    ``embedding`` (tokens, d), ``layers``, ``gain`` (d,) of the last :func:`rms_norm`, ``unembedding`` (d, tokens);
    ``heads`` of queries and ``key_heads`` of keys and values, ``base`` of the rotary frequencies, ``eps`` of
    :func:`rms_norm`, ``context``: the number of tokens in training.
    """

    embedding: np.ndarray
    layers: list[Layer]
    gain: np.ndarray
    unembedding: np.ndarray
    heads: int
    key_heads: int
    base: float
    eps: float
    context: int
    tokenizer: Any = None

    @property
    def head_width(self) -> int:
        """d_h, the width of a query, a key and a value."""
        return self.layers[0].W_Q.shape[1] // self.heads

    def encode(self, text: str) -> np.ndarray:
        """Return the numbers of the tokens of ``text``, an array (n,); nothing is put before or after them."""
        return np.array(self.tokenizer.encode(text, add_special_tokens=False).ids, dtype=np.int64)

    def decode(self, ids: ArrayLike) -> str:
        """Return the text of the tokens ``ids``, one number or several."""
        return self.tokenizer.decode(np.ravel(ids).tolist(), skip_special_tokens=False)

    def __repr__(self) -> str:
        tokens, d = self.embedding.shape
        heads = f"{self.heads} heads of queries and {self.key_heads} of keys"
        return f"Model({len(self.layers)} layers, {heads}, width {d}, {tokens} tokens)"


def rms_norm(X: ArrayLike, gain: ArrayLike, eps: float = 1e-5) -> Array:
    """x/√(mean x² + eps) · gain for every token x by itself, along the last axis of ``X`` (..., d); ``gain`` is (d,).

    ``eps`` > 0 lets a token of zeros stay zero. Source: Zhang and Sennrich (2019), equation (4).
    """
    xp, gain, X = arrays("gain (d,), X (..., d)", gain, X)
    mean_square = xp.mean(X**2, axis=-1, keepdims=True)
    return X / xp.sqrt(mean_square + require_number("eps", eps, above=0)) * gain


def swiglu(X: ArrayLike, W_gate: ArrayLike, W_up: ArrayLike, W_down: ArrayLike) -> Array:
    """(silu(X W_gate) · X W_up) W_down with silu(x) = x/(1 + exp(−x)): the same small network for every token.

    ``X`` (..., n, d), ``W_gate`` and ``W_up`` (d, d_hidden), ``W_down`` (d_hidden, d_out).

    Source: Shazeer (2020), "GLU variants improve transformer", equation (6).
    """
    shapes = "X (..., n, d), W_gate (d, d_hidden), W_up (d, d_hidden), W_down (d_hidden, d_out)"
    xp, X, W_gate, W_up, W_down = arrays(shapes, X, W_gate, W_up, W_down)
    gate = X @ W_gate
    with np.errstate(over="ignore"):  # exp(−x) = ∞ gives the limit, 0
        opened = gate / (1 + xp.exp(-gate))
    return (opened * (X @ W_up)) @ W_down


def states(
    model: Model,
    ids: ArrayLike,
    *,
    positions: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    theta: ArrayLike | None = None,
    scale: float | None = None,
    watch: Mapping[str, Callable] | None = None,
    cache: list | None = None,
) -> np.ndarray:
    """Return the states X (..., n, d) of the tokens ``ids`` (..., n) after the last layer.

    ``positions`` (n,) are 0 … n−1 unless given; ``mask`` is causal, or broadcasts to (..., heads, n, m); ``theta``
    (d_h/2,) are the angles per position of :func:`attnbook.positional.rotate`; ``scale`` is 1/√d_h.

    ``watch`` maps a name to a function f(layer, array) that sees what each layer computes. What it returns takes the
    place of the array, unless that is None. The names, with g heads of keys and m = n tokens unless there is a cache:
    "queries" (..., heads, n, d_h) and "keys" (..., g, n, d_h), both rotated, "values" (..., g, n, d_h); "weights"
    A (..., heads, n, m); "heads" A V (..., heads, n, d_h), the output of each head; "state" X (..., n, d) after the
    layer. Memory for all weights of a long text is needed only if you watch them.

    ``cache`` is a list, empty at first, that keeps the keys and values (..., g, m, d_h) of each layer; with it, ``ids``
    are the tokens that follow those of earlier calls. A call that fails leaves it as it was.
    """
    ids, watch = _read_ids(model, ids), _Watch(watch)
    n, past = ids.shape[-1], cache[0][0].shape[-2] if cache else 0
    positions = np.arange(past, past + n) if positions is None else positions
    mask = causal_mask(past + n)[past:] if mask is None else mask
    mask = as_mask(mask, np.broadcast_to(np.float32(0), (*np.shape(mask)[:-2], n, past + n)))
    theta = frequencies(model.head_width, model.base) if theta is None else theta

    X = model.embedding[ids]
    seen = []  # keys and values of each layer, those of earlier calls too
    for l, layer in enumerate(model.layers):
        Z = rms_norm(X, layer.attention_gain, model.eps)
        Q = watch("queries", l, rotate(_split(Z @ layer.W_Q, model.heads), positions, theta))
        K = watch("keys", l, rotate(_split(Z @ layer.W_K, model.key_heads), positions, theta))
        V = watch("values", l, _split(Z @ layer.W_V, model.key_heads))
        if cache:
            K, V = (np.concatenate(pair, axis=-2) for pair in zip(cache[l], (K, V), strict=True))
        seen.append((K, V))
        Y = watch("heads", l, _attend(Q, _share(K, model), _share(V, model), mask, scale, watch, l))
        X = X + _join(Y) @ layer.W_O
        Z = rms_norm(X, layer.feed_forward_gain, model.eps)
        X = watch("state", l, X + swiglu(Z, layer.W_gate, layer.W_up, layer.W_down))
    if cache is not None:
        cache[:] = seen
    return X


def read_out(model: Model, X: ArrayLike) -> np.ndarray:
    """Return the logits (..., tokens) that follow from states ``X`` (..., d): rms_norm(X) times the unembedding."""
    return rms_norm(X, model.gain, model.eps) @ model.unembedding


def logits(model: Model, ids: ArrayLike, **options: Any) -> np.ndarray:
    """Return the logits (..., n, tokens) of what follows each of the tokens; arguments as for :func:`states`."""
    return read_out(model, states(model, ids, **options))


def next_logits(model: Model, ids: ArrayLike, **options: Any) -> np.ndarray:
    """Return the logits (..., tokens) of what follows the last token alone; arguments as for :func:`states`."""
    return read_out(model, states(model, ids, **options)[..., -1, :])


def losses(model: Model, ids: ArrayLike, **options: Any) -> np.ndarray:
    """−ln p(ids[i + 1] given ids[0 … i]) in nats for each place, shape (..., n − 1); arguments as for :func:`states`.

    The text may be long: no more than 256 rows of logits exist at a time.
    """
    following = _read_ids(model, ids)[..., 1:, None]
    if not following.size:
        raise ValueError(f"ids has shape {np.shape(ids)}; expected at least 2 tokens")
    X = states(model, ids, **options)
    blocks = []
    for i in range(0, following.shape[-2], PLACES):
        expected = following[..., i : i + PLACES, :]
        S = read_out(model, X[..., i : i + expected.shape[-2], :])
        S -= S.max(axis=-1, keepdims=True)
        chosen = np.take_along_axis(S, expected, axis=-1)[..., 0]
        blocks.append(np.log(np.exp(S).sum(axis=-1, dtype=np.float64)) - chosen)
    return np.concatenate(blocks, axis=-1)


def continuation(model: Model, ids: ArrayLike, count: int, *, cached: bool = True, **options: Any) -> np.ndarray:
    """Return the next ``count`` tokens (..., count), each the one with the largest logit after ``ids`` (..., n).

    With ``cached``, keys and values of earlier tokens are kept; without, every step computes the whole text again.
    Further arguments are ``theta``, ``scale`` and ``watch`` of :func:`states`.
    """
    unknown = sorted(set(options) - {"theta", "scale", "watch"})
    if unknown:
        raise ValueError(f"{unknown[0]} is not known here; expected theta, scale or watch")
    ids = _read_ids(model, ids)
    cache: list | None = [] if cached else None
    chosen = ids[..., :0]
    new = ids
    for _ in range(require_int("count", count)):
        token = next_logits(model, new, cache=cache, **options).argmax(axis=-1)[..., None]
        chosen = np.concatenate([chosen, token], axis=-1)
        new = token if cached else np.concatenate([ids, chosen], axis=-1)
    return chosen


def _split(Y, heads):
    """Cut rows (..., n, heads · d_h) into heads (..., heads, n, d_h)."""
    return Y.reshape(*Y.shape[:-1], heads, -1).swapaxes(-2, -3)


def _join(Y):
    """Put heads (..., heads, n, d_h) side by side again: (..., n, heads · d_h)."""
    Y = Y.swapaxes(-2, -3)
    return Y.reshape(*Y.shape[:-2], -1)


def _share(K, model):
    """Give each head of queries its keys or values: with 9 and 3, heads 0, 1 and 2 get those of key head 0."""
    return np.repeat(K, model.heads // model.key_heads, axis=-3)


def _attend(Q, K, V, mask, scale, watch, l):
    """Return A V, from the weights A of as many queries at a time as SCORES allows, or of all if A is watched."""
    n, m = Q.shape[-2], K.shape[-2]
    rows = n if "weights" in watch.names else max(1, SCORES // (m * Q[..., 0, 0].size))
    blocks = []
    for i in range(0, n, rows):
        visible = mask[..., i : i + rows, :]
        end = m if rows >= n else 1 + np.flatnonzero(visible.reshape(-1, m).any(axis=0))[-1]
        A = attention_weights(Q[..., i : i + rows, :], K[..., :end, :], visible[..., :end], scale)
        blocks.append(watch("weights", l, A) @ V[..., :end, :])
    return np.concatenate(blocks, axis=-2)


class _Watch:
    """Show an array to the function that watches its name, and return what that puts in its place."""

    def __init__(self, watch):
        self.names = dict(watch or {})
        unknown = [name for name in self.names if name not in WATCHED]
        if unknown:
            raise ValueError(f"watch names {brief(unknown[0])}; expected names among {', '.join(WATCHED)}")

    def __call__(self, name, l, array):
        changed = self.names[name](l, array) if name in self.names else None
        if changed is None:
            return array
        if np.shape(changed) != array.shape:
            raise ValueError(f"watch[{name!r}] returned shape {np.shape(changed)}; expected {array.shape}")
        return np.asarray(changed, dtype=array.dtype)


def _read_ids(model, ids):
    """Return ``ids`` as whole numbers with at least one axis, each the number of a token."""
    ids, tokens = whole_numbers("ids", ids), len(model.embedding)
    if not ids.ndim or ids.min() < 0 or ids.max() >= tokens:
        raise ValueError(f"ids = {brief(ids)}; expected numbers of tokens, 0 … {tokens - 1}, along at least one axis")
    return ids
