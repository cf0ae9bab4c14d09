"""The laws that an attention layer has to keep on every path, one a function, each as the two sides of its equation.

``f(X, M, t)`` is the layer for tokens X, a mask M, True where a query may look, and positions t. A law yields
:class:`Sides`, or raises :class:`~attnbook.audit.subjects.NotApplicable` with the reason; :data:`LAWS` lists them in
the order of the report. Tokens are drawn afresh, from a generator that the audit seeds.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..attention import causal_mask
from ..check import tolerance
from .formula import ClaimError, Formula, Steps, evaluate, scores
from .rounding import bound, bound_given_weights, sizes
from .subjects import NAME_OF_MASK, NotApplicable, Path, Subject

__all__ = ["LAWS", "Asked", "Sides"]

BATCH, TOKENS, LONG, PADDING = 3, 7, 509, 2  # different lengths, so that no axis passes for another
FORMULA_LAW = "= the formula"
LONG_LAW = f"= the formula, {LONG} tokens"
PIECES = (3, 1, 2, 1)  # a prompt, then tokens one by one and two at a time
DRAWS = 256  # of tokens, for one whose score with itself is very negative
LOUD = 2e4  # a score as large as float16 holds, and larger than the 10⁴ that some code writes for infinity
LARGEST = 6e4  # of a product q·k, before it is scaled, in float16, which ends at 65504


class Asked(NamedTuple):
    """One call of a layer, its output, and how to compute the same from a formula with a fault."""

    output: np.ndarray
    replay: Callable


class Sides(NamedTuple):
    """The two sides of a law, and how far rounding may take them apart.

    ``calls`` are those behind the two sides, ``inputs`` the witness. ``name`` says what it means if the sides differ
    and no fault explains the calls.
    """

    left: np.ndarray
    right: np.ndarray
    allowed: float
    calls: tuple[Asked, ...] = ()
    inputs: Any = None
    name: str = ""


@dataclasses.dataclass(frozen=True, eq=False)
class Trial:
    """A path of a subject, with what the laws need: tokens, masks, calls, and bounds for rounding."""

    subject: Subject
    path: Path
    rng: np.random.Generator

    @property
    def formula(self) -> Formula:
        """Return the formula; a law that needs one says so where it is not known."""
        if self.path.formula is None:
            raise NotApplicable(self.subject.reason)
        return self.path.formula

    def steady(self) -> None:
        """Refuse a law that compares calls of different shapes where dropout draws anew."""
        if self.path.is_random:
            raise NotApplicable("dropout is on: only what the layer hides can be compared")

    def tokens(self, n: int = TOKENS, batch: int = BATCH) -> tuple:
        """Draw inputs as the precision of the path holds them."""
        drawn = tokens(self.subject, self.rng, batch, n)
        quiet = 0.5 if self.path.dtype in ("bfloat16", "float16") else 1.0  # small scores: less is lost by rounding
        held = {id(x): _rounded(quiet * x, self.path.dtype) for x in drawn}
        return tuple(held[id(x)] for x in drawn)

    def mask(self, mask: np.ndarray | None) -> np.ndarray | None:
        """Return a mask for a layer that takes one; a law of masks says nothing about others."""
        if mask is not None and not self.subject.takes_mask:
            names = ", ".join(self.subject.parameters)
            raise NotApplicable(f"f takes no mask: its parameters are {names}; {NAME_OF_MASK}")
        return mask

    def ask(self, inputs, mask=None, positions=None, seed=0) -> Asked:
        """Call the path, with a mask of True and positions 0, 1, … where it takes them and none are given."""
        full, places_ = mask, positions
        if full is None and self.subject.takes_mask:
            full = look_everywhere(inputs)
        if places_ is None and self.subject.takes_positions:
            places_ = places(inputs)
        Y = self.path.call(inputs, full, places_, seed=seed)

        def replay(formula, fault):
            return evaluate(formula, inputs, mask, positions, fault=fault)

        return Asked(Y, replay)

    def allowed(self, inputs, Y, mask=None, positions=None) -> float:
        """Return how far rounding may take an output.

        Without a formula the size is the largest entry of the output, and it may depend on as many numbers as there
        are.
        """
        dtype = self.path.dtype
        if self.path.formula is None:
            n, d = inputs[-1].shape[-2:]
            return tolerance(dtype, n * d, float(np.nanmax(np.abs(Y))))
        return bound(sizes(self.path.formula, inputs, mask, positions), dtype)

    def same(self, a, b, allowed) -> bool:
        """Return whether two outputs differ by no more than rounding."""
        return a.shape == b.shape and bool(np.abs(a - b).max() <= allowed)

    def compare(self, left: Asked, right: Asked, inputs, part=np.s_[:], own=False, name="", mask=None) -> Sides:
        """Return the sides f(…)[part] of two calls; ``own``: both add the same numbers, and exact zeros."""
        a, b = left.output[part], right.output[part]
        if own:
            size = float(np.nanmax(np.abs(b))) if np.isfinite(b).any() else 1.0
            allowed = tolerance(self.path.dtype, inputs[-1].shape[-2], size)
        else:
            allowed = self.allowed(inputs, right.output, mask)
        return Sides(a, b, allowed, (left, right), inputs, name)


def tokens(subject: Subject, rng: np.random.Generator, batch: int = BATCH, n: int = TOKENS) -> tuple:
    """Draw what the subject takes: tokens, or queries, keys and values, with independent normal entries."""
    d = subject.width
    if subject.kind == "X":
        return (rng.normal(size=(batch, n, d)),)
    if subject.kind == "XXX":
        X = rng.normal(size=(batch, n, d))
        return X, X, X
    if subject.heads is None:
        return tuple(rng.normal(size=(batch, n, d)) for _ in range(3))
    h, g = subject.heads
    return tuple(rng.normal(size=(batch, k, n, d)) for k in (h, g, g))


def places(inputs: tuple) -> np.ndarray:
    """0 … n−1 for each sequence, shape (b, n)."""
    return np.broadcast_to(np.arange(inputs[0].shape[-2]), (len(inputs[0]), inputs[0].shape[-2]))


def look_everywhere(inputs: tuple) -> np.ndarray:
    """Return a mask (b, n, m) of True."""
    return np.ones((len(inputs[0]), inputs[0].shape[-2], inputs[-1].shape[-2]), dtype=bool)


def past(inputs: tuple) -> np.ndarray:
    """Return a causal mask (b, n, n)."""
    return np.broadcast_to(causal_mask(inputs[0].shape[-2]), look_everywhere(inputs).shape)


def _rounded(x, dtype):
    """Return x as ``dtype`` holds it, in float64."""
    if dtype == "bfloat16":
        bits = x.astype(np.float32).view(np.uint32)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)
    return x.astype(dtype).astype(np.float64)


def _change(inputs, where, rng):
    """Return the inputs with other tokens, keys and values at the places ``where``; queries of a function stay."""
    changed = [x.copy() for x in inputs]
    for x in changed[1:] or changed:
        x[..., where, :] = rng.permutation(3 * x[..., where, :] + 1, axis=-1)
    if len({id(x) for x in inputs}) == 1 and len(inputs) == 3:  # one list of tokens asks itself
        changed[0] = changed[1]
        changed[2] = changed[1]
    return tuple(changed)


def _some(trial, inputs):
    """Draw a mask (b, n, m) that leaves each query itself and about half of the other keys.

    Where a mask hides the same keys from all queries, the first key is left in place of each query itself.
    """
    mask = trial.rng.random(look_everywhere(inputs).shape) < 0.5
    if trial.path.masks_keys:
        mask[..., 0] = True
        return np.broadcast_to(mask[:, :1], mask.shape).copy()
    return mask | np.eye(mask.shape[-1], dtype=bool)


# --- The laws ---------------------------------------------------------------------------------------------------------


def twice(trial: Trial) -> Iterator[Sides]:
    """f(X) = f(X), whatever the random numbers."""
    if trial.path.name.startswith("train") and trial.path.is_random:
        raise NotApplicable("in training, with dropout")
    X = trial.tokens()
    one, other = (trial.ask(X, seed=seed) for seed in (0, 1))
    if np.array_equal(one.output, other.output, equal_nan=True):  # NaN is another law's matter
        return
    yield trial.compare(one, other, X, own=True, name="dropout left on in eval")


def formula(trial: Trial, n: int = TOKENS, batch: int = BATCH) -> Iterator[Sides]:
    """f(X) = join(softmax_row(Q Kᵀ/√d_k) V) W_O, every key in sight."""
    trial.steady()
    claimed, X = trial.formula, trial.tokens(n, batch)
    yield _against(trial, claimed, X)


def _against(trial, claimed, X, mask=None, positions=None):
    """Return the sides f(X, M) and what its formula gives."""
    asked = trial.ask(X, mask, positions)
    right = evaluate(claimed, X, mask, positions)
    allowed = trial.allowed(X, right, mask, positions)
    return Sides(asked.output, right, allowed, (asked,), X, "")


def one_query(trial: Trial) -> Iterator[Sides]:
    """f(q_i, K, V) = f(Q, K, V)_i: a query by itself gets its row; a layer, a sequence of one token."""
    trial.steady()
    if trial.subject.kind == "X":
        yield from formula(trial, n=1)
        return
    X = trial.tokens()
    n = X[0].shape[-2]
    M = _some(trial, X) if trial.subject.takes_mask else None
    whole = trial.ask(X, M)
    for i in (n - 1,) if trial.subject.causal else (0, 3, n - 1):
        row = (X[0][..., i : i + 1, :], *X[1:])
        shown = None if M is None else M[:, i : i + 1]
        Y = trial.path.call(row, shown, None)
        claimed = trial.path.formula

        def replay(formula, fault, row=row, shown=shown, i=i):
            return evaluate(formula, row, shown, np.array([i]), np.arange(n), fault=fault)

        def upper_left(formula, fault, row=row, shown=shown):  # the diagonal begins at the first key
            return evaluate(formula, row, shown, np.array([0]), np.arange(n), fault=fault)

        right = whole.output[..., i : i + 1, :]
        allowed = trial.allowed(X, right, M)
        name = "one query is not its row"
        if claimed is not None and claimed.causal and trial.same(upper_left(claimed, None), Y, allowed):
            name = "causal diagonal in the wrong corner"
        yield Sides(Y, right, allowed, (Asked(Y, replay),), X, name)


def long_rows(trial: Trial) -> Iterator[Sides]:
    """The same for 509 tokens: beyond the whole numbers of bfloat16, and within most limits of length."""
    try:
        yield from formula(trial, n=LONG, batch=1)
    except (IndexError, RuntimeError, ValueError) as error:
        raise NotApplicable(f"{LONG} tokens are refused: {str(error).splitlines()[0][:80]}") from error


def masked(trial: Trial) -> Iterator[Sides]:
    """f(X, M): the scores of hidden keys are −∞ before the softmax."""
    trial.steady()
    claimed, X = trial.formula, trial.tokens()
    if not trial.subject.causal:
        yield _against(trial, claimed, X, trial.mask(_some(trial, X)))
        if not trial.path.masks_keys:
            yield _against(trial, claimed, X, trial.mask(past(X)))
    elif trial.subject.takes_mask:
        yield _against(trial, claimed, X, _some(trial, X))
    else:
        raise NotApplicable("f takes no mask; what it hides itself is in its formula")


def hidden(trial: Trial) -> Iterator[Sides]:
    """f(X, M) = f(X′, M) where X and X′ differ in tokens that M hides."""
    X = trial.tokens()
    hide = np.array([2, 5])
    M = look_everywhere(X)
    M[..., hide] = False
    if trial.subject.causal and not trial.path.masks_keys:
        M[:, hide, hide] = True  # each of them sees itself, as no other does
        M[:, np.arange(TOKENS), np.arange(TOKENS)] = True
    M = trial.mask(M)
    other = _change(X, hide, trial.rng)
    seen = np.s_[..., [i for i in range(TOKENS) if i not in hide], :]
    yield trial.compare(trial.ask(other, M), trial.ask(X, M), X, seen, own=True, name="a hidden token is seen")


def no_future(trial: Trial) -> Iterator[Sides]:
    """f(X)_i = f(X′)_i where X and X′ agree up to token i, under a causal mask."""
    X = trial.tokens()
    M = None
    if not trial.subject.causal:
        M = trial.mask(past(X))
    whole = trial.ask(X, M)
    for i in range(TOKENS - 1):
        other = _change(X, np.arange(i + 1, TOKENS), trial.rng)
        part = np.s_[..., : i + 1, :]
        yield trial.compare(trial.ask(other, M), whole, X, part, own=True, name="a token sees the future")


def loud(trial: Trial) -> Iterator[Sides]:
    """f(X, I) = X W_V W_O, each token seeing itself alone, however large the scores that are hidden."""
    trial.steady()
    claimed = trial.formula
    for what, why in ((claimed.sinks, "a sink"), (claimed.cap, "the softcap"), (claimed.gains, "the norm of q and k")):
        if what is not None:
            raise NotApplicable(f"{why} keeps the scores from becoming loud")
    X = tuple(100 * x for x in trial.tokens(3, DRAWS))  # far above the biases, so that scores grow with X²
    X, lowest, largest = _loudest(claimed, X)
    M = trial.mask(np.eye(3, dtype=bool)[None])
    quiet = dataclasses.replace(claimed, scale=1e-300)  # the weight of one key is 1, whatever its score
    limit = LARGEST if trial.path.dtype == "float16" else math.inf
    factor = math.sqrt(min(LOUD / lowest, limit / largest))
    X = tuple(_rounded(factor * x, trial.path.dtype) for x in X)
    asked = trial.ask(X, M)
    right = evaluate(quiet, X, M)
    allowed = bound_given_weights(sizes(quiet, X, M), trial.path.dtype)
    yield Sides(asked.output, right, allowed, (asked,), X, "a loud hidden key is seen")


def _loudest(claimed, X):
    """Return the draw in which a token's score with itself is lowest among all, that score negated, the largest q·k."""
    found = []

    def keep(f, Q, K):
        found.append((f.scale, Q @ K.swapaxes(-1, -2)))
        return scores(f, Q, K)

    evaluate(claimed, X, fault=Steps(scores=keep))
    scale, S = found[0]
    own = np.diagonal(S, axis1=-2, axis2=-1).reshape(len(S), -1)
    lowest, largest = -own.min(axis=1), np.abs(S).reshape(len(S), -1).max(axis=1)
    best = int(np.argmax(lowest / largest))
    return tuple(x[best : best + 1] for x in X), scale * lowest[best], largest[best]


def batch(trial: Trial) -> Iterator[Sides]:
    """f(X)_b = f(X_b): a sequence alone gets what it gets in a batch."""
    trial.steady()
    X = trial.tokens()
    whole, alone = trial.ask(X), trial.ask(tuple(x[:1] for x in X))
    allowed = trial.allowed(X, whole.output)
    name = "attention across the batch"
    yield Sides(whole.output[:1], alone.output, allowed, (whole, alone), X, name)


def padded_right(trial: Trial) -> Iterator[Sides]:
    """f(X) = f([X, padding], M) at the tokens, where M hides the padding from them."""
    yield _padded(trial, np.s_[:TOKENS], "a right padding is seen")


def padded_left(trial: Trial) -> Iterator[Sides]:
    """f(X) = f([padding, X], M) at the tokens: their places count from the first of them."""
    yield _padded(trial, np.s_[PADDING:], "positions count the padding")


def _padded(trial, real, name):
    """Return the sides f(X) and f(X with padding); padding sees itself."""
    trial.steady()
    n = TOKENS + PADDING
    X = trial.tokens(n)
    alone = tuple(x[..., real, :] for x in X)
    is_real = np.zeros(n, dtype=bool)
    is_real[real] = True
    itself = np.zeros((n, n), dtype=bool) if trial.path.masks_keys else np.eye(n, dtype=bool)
    M = trial.mask(np.broadcast_to(is_real | itself, look_everywhere(X).shape))
    adds_causal = not (trial.subject.causal or trial.path.masks_keys)
    if adds_causal:
        M = M & (causal_mask(n) | ~is_real[:, None])
    counted = (
        np.broadcast_to(np.maximum(np.cumsum(is_real) - 1, 0), (BATCH, n)) if trial.subject.takes_positions else None
    )
    N = past(alone) if adds_causal else None
    left, right = trial.ask(X, M, counted), trial.ask(alone, N)
    allowed = trial.allowed(alone, right.output)
    return Sides(left.output[..., real, :], right.output, allowed, (left, right), X, name)


def neighbours(trial: Trial) -> Iterator[Sides]:
    """f(X)_i ≠ f(X′)_i for some token i that is the same in X and X′: tokens see each other."""
    trial.steady()
    if trial.path.dtype not in ("float64", "float32"):
        raise NotApplicable("what a token adds to others may be lost in 16 bits")
    X = trial.tokens()
    other = _change(X, np.arange(1), trial.rng)
    one, changed = trial.ask(X), trial.ask(other)
    moved = np.abs(one.output - changed.output)[..., 1:, :].max()
    is_seen = np.array([moved > trial.allowed(X, one.output)], dtype=float)
    yield Sides(is_seen, np.ones(1), 0.0, (one, changed), X, "tokens do not see each other")


def shuffled(trial: Trial) -> Iterator[Sides]:
    """f(PX, PMPᵀ, Pt) = P f(X, M, t)."""
    trial.steady()
    if trial.subject.has_positions and not trial.subject.takes_positions:
        raise NotApplicable("its positions stay in place, and it takes no others")
    if trial.subject.causal and not trial.subject.takes_positions:
        raise NotApplicable("its causal mask stays in place")
    X = trial.tokens()
    M = _some(trial, X) if trial.subject.takes_mask else None
    t = places(X) if trial.subject.takes_positions else None
    whole = trial.ask(X, M, t)
    swap = [1, 0, *range(2, TOKENS)]
    cycle = [*range(1, TOKENS), 0]
    for perm in (swap, cycle):
        moved = _along(X, perm)
        shown = None if M is None else M[:, perm][..., perm]
        asked = trial.ask(moved, shown, None if t is None else t[:, perm])
        allowed = trial.allowed(X, whole.output, M)
        right = whole.output[..., perm, :]
        yield Sides(asked.output, right, allowed, (asked, whole), X, "not equivariant")


def _along(X, perm):
    moved = {id(x): x[..., perm, :] for x in X}
    return tuple(moved[id(x)] for x in X)


def shifted(trial: Trial) -> Iterator[Sides]:
    """f(X, M, t + 5) = f(X, M, t): relative positions."""
    trial.steady()
    if not trial.subject.takes_positions:
        raise NotApplicable("f takes no positions")
    if trial.path.formula is None or (trial.formula.rotary is None and trial.formula.bias is None):
        raise NotApplicable("its positions are not said to be relative")
    X = trial.tokens()
    whole, later = trial.ask(X, None, places(X)), trial.ask(X, None, places(X) + 5)
    allowed = trial.allowed(X, whole.output)
    yield Sides(later.output, whole.output, allowed, (later, whole), X, "positions are not relative")


def equal_values(trial: Trial) -> Iterator[Sides]:
    """f(Q, K, 1) = 1: the weights of a query sum to one."""
    trial.steady()
    if trial.subject.kind != "QKV":
        raise NotApplicable("its values are projected inside; its formula has them")
    if trial.formula.sinks is not None:
        raise NotApplicable("a sink takes a share of the weight")
    Q, K, V = trial.tokens()
    X = (Q, K, np.ones_like(V))
    M = _some(trial, X) if trial.subject.takes_mask else None
    asked = trial.ask(X, M)
    allowed = trial.allowed(X, asked.output, M)
    yield Sides(asked.output, np.ones_like(Q), allowed, (asked,), X, "weights do not sum to one")


def cached(trial: Trial) -> Iterator[Sides]:
    """f(X) = [f(X_1), f(X_2 after X_1), …]: a cache changes nothing."""
    trial.steady()
    if trial.path.pieces is None:
        raise NotApplicable("no cache is known: say pieces=…, a function that returns a step")
    X = trial.tokens()
    whole = trial.ask(X, None if trial.subject.causal else past(X))
    if trial.path.formula is not None:
        right = whole.replay(trial.formula, None)
        if not trial.same(right, whole.output, trial.allowed(X, right)):
            raise NotApplicable("the whole is not what its formula gives")
    step = trial.path.pieces()
    ends = np.cumsum(PIECES)
    spans = list(zip(ends - PIECES, ends, strict=True))
    Y = np.concatenate([step(X[0][:, start:end]) for start, end in spans], axis=1)
    allowed = trial.allowed(X, whole.output)
    name = "cached pieces disagree"
    if trial.path.formula is not None:
        replayed = {cause: _in_pieces(trial.formula, X[0], spans, piece) for cause, piece in PIECE_FAULTS.items()}
        causes = (cause for cause, Z in replayed.items() if trial.same(Z, Y, allowed))
        name = next((f"{name}: {cause}" for cause in causes), name)
    yield Sides(Y, whole.output, allowed, (), X, name)


def _in_pieces(formula, X, spans, cause):
    """Return what a cache with a fault gives; ``cause(spans, k)`` returns the keys, t, u and the mask of piece k."""
    plain = dataclasses.replace(formula, causal=False)
    found = []
    for k, (start, end) in enumerate(spans):
        keys, t, u, mask = cause(spans, k)
        try:
            found.append(evaluate(plain, (X[:, start:end], X[:, keys]), mask, t, u))
        except ClaimError:  # positions that the claimed bias does not know
            return np.zeros(0)
    return np.concatenate(found, axis=1)


def _piece(spans, k):
    """Keys 0 … end − 1, the positions of queries and keys, and who may look at whom: what is right."""
    start, end = spans[k]
    return np.arange(end), np.arange(start, end), np.arange(end), causal_mask(end)[start:]


def _restart(spans, k):
    keys, t, _, mask = _piece(spans, k)
    return keys, t - t[0], np.concatenate([np.arange(e - s) for s, e in spans[: k + 1]]), mask


def _grown(spans, k):
    keys, t, _, mask = _piece(spans, k)
    return keys, t + len(t), np.concatenate([np.arange(s, e) + e - s for s, e in spans[: k + 1]]), mask


def _turned_again(spans, k):
    keys, t, _, mask = _piece(spans, k)
    return keys, t, np.concatenate([np.arange(s, e) * (1 + k - i) for i, (s, e) in enumerate(spans[: k + 1])]), mask


def _unmasked(spans, k):
    keys, t, u, mask = _piece(spans, k)
    return keys, t, u, np.ones_like(mask)


def _corner(spans, k):
    keys, t, u, mask = _piece(spans, k)
    return keys, t, u, causal_mask(*mask.shape)


def _forgotten(spans, k):
    start, end = spans[k]
    places = np.arange(start, end)
    return places, places, places, causal_mask(end - start)


PIECE_FAULTS = {
    "positions restart in every piece": _restart,
    "positions counted after the cache has grown": _grown,
    "keys turned again in every piece": _turned_again,
    "no causal mask within a piece": _unmasked,
    "causal diagonal in the wrong corner": _corner,
    "earlier keys forgotten": _forgotten,
}


def blind(trial: Trial) -> Iterator[Sides]:
    """f(X, M)_i = f(X, M′)_i for every i but one, which M leaves no key and M′ itself: NaN does not spread."""
    trial.steady()
    X = trial.tokens()
    sees_itself = _some(trial, X)
    sees_itself[:, 4] = np.arange(TOKENS) == 4
    M = sees_itself.copy()
    M[:, 4] = False
    M = trial.mask(M)
    try:
        asked = trial.ask(X, M)
    except ValueError:  # refused, by name we hope
        return
    row, others = asked.output[..., 4, :], np.s_[..., [0, 1, 2, 3, 5, 6], :]
    right = trial.ask(X, sees_itself)
    name = "NaN in a fully masked row spreads"
    yield trial.compare(asked, right, X, others, own=False, name=name, mask=sees_itself)
    if not np.isfinite(row).all():
        if trial.subject.blind == "finite":
            zero = np.zeros_like(row)
            yield Sides(row, zero, 1.0, (), X, "NaN in a fully masked row")
        raise NotApplicable("a row without keys becomes NaN, and what it should be no law says: let padding see itself")


def agree(trial: Trial, first: Path) -> Iterator[Sides]:
    """f(X, M) is the same on every path."""
    trial.steady()
    if first is trial.path or trial.path.dtype != first.dtype:
        raise NotApplicable("the others are compared with the first path, in its precision")
    X = trial.tokens()
    M = _some(trial, X) if trial.subject.takes_mask else None
    one, other = trial.ask(X, M), dataclasses.replace(trial, path=first).ask(X, M)
    yield trial.compare(one, other, X, name="paths disagree", mask=M)


#: The laws by the words of the report.
LAWS: dict[str, Callable] = {
    "twice the same": twice,
    FORMULA_LAW: formula,
    "= the formula, masked": masked,
    LONG_LAW: long_rows,
    "one query = its row": one_query,
    "equal values stay": equal_values,
    "hidden tokens do not matter": hidden,
    "however loud": loud,
    "no token sees the future": no_future,
    "tokens see each other": neighbours,
    "alone = in a batch": batch,
    "alone = padded on the right": padded_right,
    "alone = padded on the left": padded_left,
    "shuffled alike": shuffled,
    "positions are relative": shifted,
    "cached pieces = the whole": cached,
    "a row that sees nothing": blind,
    "all paths agree": agree,
}
