"""The laws that an attention layer has to keep on every path, one a function, each as the two sides of its equation.

``f(X, M, t)`` is the layer for tokens X, a mask M, True where a query may look, and positions t. A law yields
:class:`Sides`, each of which has to hold, or raises :class:`~attnbook.audit.subjects.NotApplicable` with the reason. A
law that yields nothing holds. :data:`LAWS` lists them in the order of the report. Tokens are drawn afresh, from a
generator that the audit seeds.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..attention import causal_mask
from ..check import tolerance
from .formula import ClaimError, Formula, evaluate
from .inputs import BATCH, TOKENS, each_once, look_back, look_everywhere, positions_from_zero, rounded, tokens
from .rounding import bound, bound_given_weights, sizes
from .subjects import NAME_OF_MASK, NotApplicable, Path, Subject

__all__ = ["LAWS", "Asked", "Sides"]

MANY_TOKENS = 509  # Beyond the integers that bfloat16 holds, and within most limits of length.
PADDING = 2  # So many tokens of padding are added to a sequence.
PIECES = (3, 1, 2, 1)  # A cache gets a prompt, then tokens one by one and two at a time.
BLIND = 4  # The query that a mask leaves no key.

FORMULA_LAW = "= the formula"
LONG_LAW = f"= the formula, {MANY_TOKENS} tokens"

# Of so many draws the law "however loud" takes the one in which a token's score with itself is most negative.
LOUD_DRAWS = 256
# It makes that score, the only one in sight, as low as this: float16 holds it, and it is below the −10⁴ that some code
# writes for −∞.
VISIBLE_SCORE = -2e4
# In float16, which ends at 65504, no product q·k may become larger than this before it is scaled.
LARGEST_PRODUCT = 6e4


class Asked(NamedTuple):
    """One call of a layer, its output, and how to compute the same from a formula with a fault."""

    output: np.ndarray
    replay: Callable


class Sides(NamedTuple):
    """The two sides of a law, and how far rounding may take them apart.

    ``calls`` are those behind the two sides, ``inputs`` the witness. ``diagnosis`` says what it means if the sides
    differ and no fault explains the calls.
    """

    left: np.ndarray
    right: np.ndarray
    allowed: float
    calls: tuple[Asked, ...] = ()
    inputs: Any = None
    diagnosis: str = ""


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

    def require_no_dropout(self) -> None:
        """Refuse a law that compares calls of different shapes where dropout draws anew."""
        if self.path.is_random:
            raise NotApplicable("dropout is on: only what the layer hides can be compared")

    def require_mask(self, mask: np.ndarray) -> np.ndarray:
        """Return the mask for a layer that takes one; a law of masks says nothing about others."""
        if not self.subject.takes_mask:
            names = ", ".join(self.subject.parameters)
            raise NotApplicable(f"f takes no mask: its parameters are {names}; {NAME_OF_MASK}")
        return mask

    def tokens(self, n: int = TOKENS, batch: int = BATCH) -> tuple:
        """Draw inputs as the precision of the path holds them."""
        dtype = self.path.dtype
        drawn = tokens(self.rng, self.subject.kind, self.subject.width, self.subject.heads, batch, n)
        factor = 0.5 if dtype in ("bfloat16", "float16") else 1.0  # small scores: less is lost by rounding
        return each_once(lambda x: rounded(factor * x, dtype), drawn)

    def ask(self, inputs, mask=None, positions=None, seed=0) -> Asked:
        """Call the path, with a mask of True and positions 0, 1, … where it takes them and none are given."""
        M, t = mask, positions
        if M is None and self.subject.takes_mask:
            M = look_everywhere(inputs)
        if t is None and self.subject.takes_positions:
            t = positions_from_zero(inputs)
        Y = self.path.call(inputs, M, t, seed=seed)

        def replay(formula, fault):
            return evaluate(formula, inputs, mask, positions, fault=fault).Y

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

    def compare(
        self, left: Asked, right: Asked, inputs, part=np.s_[:], exact_zeros=False, diagnosis="", mask=None
    ) -> Sides:
        """Return the sides f(…)[part] of two calls.

        With ``exact_zeros`` both calls add the same numbers, besides zeros: the size of the output bounds what
        rounding makes of them.
        """
        a, b = left.output[part], right.output[part]
        if exact_zeros:
            size = float(np.nanmax(np.abs(b))) if np.isfinite(b).any() else 1.0
            allowed = tolerance(self.path.dtype, inputs[-1].shape[-2], size)
        else:
            allowed = self.allowed(inputs, right.output, mask)
        return Sides(a, b, allowed, (left, right), inputs, diagnosis)


def _agree_within(allowed, a, b):
    """Return whether two outputs differ by no more than is allowed."""
    return a.shape == b.shape and bool(np.abs(a - b).max() <= allowed)


def _change_tokens(trial, inputs, where):
    """Return the inputs with other tokens, or other keys and values, at the places ``where``."""

    def change(x):
        # A layer norm would undo 3x + 1, and a sum of the entries a permutation; neither undoes both.
        changed = x.copy()
        changed[..., where, :] = trial.rng.permutation(3 * x[..., where, :] + 1, axis=-1)
        return changed

    if trial.subject.kind == "QKV":
        Q, K, V = inputs
        return Q, change(K), change(V)
    return each_once(change, inputs)


def _draw_mask(trial, inputs):
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
    yield trial.compare(one, other, X, exact_zeros=True, diagnosis="dropout left on in eval")


def formula(trial: Trial, n: int = TOKENS, batch: int = BATCH) -> Iterator[Sides]:
    """f(X) = join(softmax_row(Q Kᵀ/√d_k) V) W_O, every key in sight."""
    trial.require_no_dropout()
    claimed, X = trial.formula, trial.tokens(n, batch)
    yield _against(trial, claimed, X)


def _against(trial, claimed, X, mask=None, positions=None):
    """Return the sides f(X, M) and what its formula gives."""
    asked = trial.ask(X, mask, positions)
    right = evaluate(claimed, X, mask, positions).Y
    allowed = trial.allowed(X, right, mask, positions)
    return Sides(asked.output, right, allowed, (asked,), X)


def one_query(trial: Trial) -> Iterator[Sides]:
    """f(q_i, K, V) = f(Q, K, V)_i: a query by itself gets its row; a layer, a sequence of one token."""
    trial.require_no_dropout()
    if trial.subject.kind == "X":
        yield from formula(trial, n=1)
        return
    X = trial.tokens()
    n = X[0].shape[-2]
    M = _draw_mask(trial, X) if trial.subject.takes_mask else None
    all_rows = trial.ask(X, M)
    for i in (n - 1,) if trial.subject.causal else (0, 3, n - 1):
        row = (X[0][..., i : i + 1, :], *X[1:])
        shown = None if M is None else M[:, i : i + 1]
        Y = trial.path.call(row, shown, None)
        right = all_rows.output[..., i : i + 1, :]
        allowed = trial.allowed(X, right, M)
        asked = Asked(Y, _replay_query(row, shown, i))
        diagnosis = "one query is not its row"
        if _counts_from_zero(trial, row, shown, Y, allowed):
            diagnosis = "causal diagonal in the wrong corner"
        yield Sides(Y, right, allowed, (asked,), X, diagnosis)


def _replay_query(row, mask, position):
    """Return replay(formula, fault) of a single query at a position among all keys."""

    def replay(formula, fault):
        t, u = np.array([position]), np.arange(row[1].shape[-2])
        return evaluate(formula, row, mask, t, u, fault=fault).Y

    return replay


def _counts_from_zero(trial, row, mask, Y, allowed):
    """Return whether Y is that of a causal layer whose diagonal begins at the first key, whatever the query."""
    claimed = trial.path.formula
    if claimed is None or not claimed.causal:
        return False
    return _agree_within(allowed, _replay_query(row, mask, 0)(claimed, None), Y)


def long_rows(trial: Trial) -> Iterator[Sides]:
    """f(X) = join(softmax_row(Q Kᵀ/√d_k) V) W_O for 509 tokens, where the layer and what is claimed take as many."""
    try:
        yield from formula(trial, n=MANY_TOKENS, batch=1)
    except (IndexError, RuntimeError, ValueError) as error:
        # A ClaimError, too, says nothing here: a claimed table of biases may be as short as a table of the layer's own.
        raise NotApplicable(f"{MANY_TOKENS} tokens are refused: {str(error).splitlines()[0][:80]}") from error


def masked(trial: Trial) -> Iterator[Sides]:
    """f(X, M): the scores of hidden keys are −∞ before the softmax."""
    trial.require_no_dropout()
    claimed, X = trial.formula, trial.tokens()
    if not trial.subject.causal:
        yield _against(trial, claimed, X, trial.require_mask(_draw_mask(trial, X)))
        if not trial.path.masks_keys:
            yield _against(trial, claimed, X, trial.require_mask(look_back(X)))
    elif trial.subject.takes_mask:
        yield _against(trial, claimed, X, _draw_mask(trial, X))
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
    M = trial.require_mask(M)
    other = _change_tokens(trial, X, hide)
    seen = np.s_[..., [i for i in range(TOKENS) if i not in hide], :]
    yield trial.compare(
        trial.ask(other, M), trial.ask(X, M), X, seen, exact_zeros=True, diagnosis="a hidden token is seen"
    )


def no_future(trial: Trial) -> Iterator[Sides]:
    """f(X)_i = f(X′)_i where X and X′ agree up to token i, under a causal mask."""
    X = trial.tokens()
    M = None
    if not trial.subject.causal:
        M = trial.require_mask(look_back(X))
    unchanged = trial.ask(X, M)
    for i in range(TOKENS - 1):
        other = _change_tokens(trial, X, np.arange(i + 1, TOKENS))
        part = np.s_[..., : i + 1, :]
        yield trial.compare(
            trial.ask(other, M), unchanged, X, part, exact_zeros=True, diagnosis="a token sees the future"
        )


def loud(trial: Trial) -> Iterator[Sides]:
    """f(X, I) = X W_V W_O, each token seeing itself alone, however large the scores that are hidden."""
    trial.require_no_dropout()
    claimed = trial.formula
    for what, why in ((claimed.sinks, "a sink"), (claimed.cap, "the softcap"), (claimed.gains, "the norm of q and k")):
        if what is not None:
            raise NotApplicable(f"{why} keeps the scores from becoming loud")
    X = tuple(100 * x for x in trial.tokens(3, LOUD_DRAWS))  # far above the biases, so that scores grow with X²
    X, lowest, largest = _loudest(claimed, X)
    M = trial.require_mask(np.eye(3, dtype=bool)[None])
    without_scores = dataclasses.replace(claimed, scale=1e-300)  # the weight of one key is 1, whatever its score
    limit = LARGEST_PRODUCT if trial.path.dtype == "float16" else math.inf
    factor = math.sqrt(min(VISIBLE_SCORE / lowest, limit / largest))
    X = tuple(rounded(factor * x, trial.path.dtype) for x in X)
    asked = trial.ask(X, M)
    right = evaluate(without_scores, X, M).Y
    allowed = bound_given_weights(sizes(without_scores, X, M), trial.path.dtype)
    yield Sides(asked.output, right, allowed, (asked,), X, "a loud hidden key is seen")


def _loudest(claimed, X):
    """Return the draw in which a token's score with itself is lowest beside the others, that score, the largest q·k."""
    found = evaluate(claimed, X)
    products = found.Q @ found.K.swapaxes(-1, -2)
    scale = claimed.with_scale(found.Q.shape[-1]).scale
    own = np.diagonal(products, axis1=-2, axis2=-1).reshape(len(products), -1)
    lowest, largest = own.min(axis=1), np.abs(products).reshape(len(products), -1).max(axis=1)
    best = int(np.argmin(lowest / largest))
    return tuple(x[best : best + 1] for x in X), scale * lowest[best], largest[best]


def batch(trial: Trial) -> Iterator[Sides]:
    """f(X)_b = f(X_b): a sequence alone gets what it gets in a batch."""
    trial.require_no_dropout()
    X = trial.tokens()
    together, alone = trial.ask(X), trial.ask(tuple(x[:1] for x in X))
    allowed = trial.allowed(X, together.output)
    diagnosis = "attention across the batch"
    yield Sides(together.output[:1], alone.output, allowed, (together, alone), X, diagnosis)


def padded_right(trial: Trial) -> Iterator[Sides]:
    """f(X) = f([X, padding], M) at the tokens, where M hides the padding from them."""
    yield _padded(trial, np.s_[:TOKENS], "a right padding is seen")


def padded_left(trial: Trial) -> Iterator[Sides]:
    """f(X) = f([padding, X], M) at the tokens, whose positions count from the first of them."""
    yield _padded(trial, np.s_[PADDING:], "positions count the padding")


def _padded(trial, real, diagnosis):
    """Return the sides f(X with padding) at the ``real`` tokens and f(X); padding sees itself."""
    trial.require_no_dropout()
    n = TOKENS + PADDING
    X = trial.tokens(n)
    alone = tuple(x[..., real, :] for x in X)
    is_real = np.zeros(n, dtype=bool)
    is_real[real] = True
    itself = np.zeros((n, n), dtype=bool) if trial.path.masks_keys else np.eye(n, dtype=bool)
    M = trial.require_mask(np.broadcast_to(is_real | itself, look_everywhere(X).shape))
    M_alone = None
    if not (trial.subject.causal or trial.path.masks_keys):
        M = M & (causal_mask(n) | ~is_real[:, None])
        M_alone = look_back(alone)
    t = None
    if trial.subject.takes_positions:
        t = np.broadcast_to(np.maximum(np.cumsum(is_real) - 1, 0), (BATCH, n))
    left, right = trial.ask(X, M, t), trial.ask(alone, M_alone)
    allowed = trial.allowed(alone, right.output)
    return Sides(left.output[..., real, :], right.output, allowed, (left, right), X, diagnosis)


def neighbours(trial: Trial) -> Iterator[Sides]:
    """f(X)_i ≠ f(X′)_i for some token i that is the same in X and X′: tokens see each other."""
    trial.require_no_dropout()
    if trial.path.dtype not in ("float64", "float32"):
        raise NotApplicable("what a token adds to others may be lost in 16 bits")
    X = trial.tokens()
    other = _change_tokens(trial, X, np.arange(1))
    one, changed = trial.ask(X), trial.ask(other)
    moved = np.abs(one.output - changed.output)[..., 1:, :].max()
    is_seen = np.array([moved > trial.allowed(X, one.output)], dtype=float)
    yield Sides(is_seen, np.ones(1), 0.0, (one, changed), X, "tokens do not see each other")


def shuffled(trial: Trial) -> Iterator[Sides]:
    """f(PX, PMPᵀ, Pt) = P f(X, M, t)."""
    trial.require_no_dropout()
    if trial.subject.has_positions and not trial.subject.takes_positions:
        raise NotApplicable("its positions stay in place, and it takes no others")
    if trial.subject.causal and not trial.subject.takes_positions:
        raise NotApplicable("its causal mask stays in place")
    X = trial.tokens()
    M = _draw_mask(trial, X) if trial.subject.takes_mask else None
    t = positions_from_zero(X) if trial.subject.takes_positions else None
    in_order = trial.ask(X, M, t)
    swap = [1, 0, *range(2, TOKENS)]
    cycle = [*range(1, TOKENS), 0]
    for perm in (swap, cycle):
        asked = _ask_permuted(trial, X, M, t, perm)
        allowed = trial.allowed(X, in_order.output, M)
        right = in_order.output[..., perm, :]
        yield Sides(asked.output, right, allowed, (asked, in_order), X, "not equivariant")


def _ask_permuted(trial, X, M, t, perm):
    """Call the path with its tokens, their mask and their positions in another order."""
    moved = each_once(lambda x: x[..., perm, :], X)
    M = None if M is None else M[:, perm][..., perm]
    t = None if t is None else t[:, perm]
    return trial.ask(moved, M, t)


def shifted(trial: Trial) -> Iterator[Sides]:
    """f(X, M, t + 5) = f(X, M, t): relative positions."""
    trial.require_no_dropout()
    if not trial.subject.takes_positions:
        raise NotApplicable("f takes no positions")
    if trial.path.formula is None or (trial.formula.rotary is None and trial.formula.bias is None):
        raise NotApplicable("its positions are not said to be relative")
    X = trial.tokens()
    t = positions_from_zero(X)
    early, late = trial.ask(X, None, t), trial.ask(X, None, t + 5)
    allowed = trial.allowed(X, early.output)
    yield Sides(late.output, early.output, allowed, (late, early), X, "positions are not relative")


def equal_values(trial: Trial) -> Iterator[Sides]:
    """f(Q, K, 1) = 1: the weights of a query sum to one."""
    trial.require_no_dropout()
    if trial.subject.kind != "QKV":
        raise NotApplicable("its values are projected inside; its formula has them")
    if trial.formula.sinks is not None:
        raise NotApplicable("a sink takes a share of the weight")
    Q, K, V = trial.tokens()
    X = (Q, K, np.ones_like(V))
    M = _draw_mask(trial, X) if trial.subject.takes_mask else None
    asked = trial.ask(X, M)
    allowed = trial.allowed(X, asked.output, M)
    yield Sides(asked.output, np.ones_like(Q), allowed, (asked,), X, "weights do not sum to one")


def cached(trial: Trial) -> Iterator[Sides]:
    """f(X) = [f(X_1), f(X_2 after X_1), …]: a cache changes nothing."""
    trial.require_no_dropout()
    if trial.path.pieces is None:
        raise NotApplicable("no cache is known: say pieces=…, a function that returns a step")
    X = trial.tokens()
    at_once = trial.ask(X, None if trial.subject.causal else look_back(X))
    if trial.path.formula is not None:
        right = at_once.replay(trial.formula, None)
        if not _agree_within(trial.allowed(X, right), right, at_once.output):
            raise NotApplicable("the whole is not what its formula gives")
    step = trial.path.pieces()
    ends = np.cumsum(PIECES)
    spans = list(zip(ends - PIECES, ends, strict=True))
    Y = np.concatenate([step(X[0][:, start:end]) for start, end in spans], axis=1)
    allowed = trial.allowed(X, at_once.output)
    diagnosis = _diagnose_pieces(trial, X[0], spans, Y, allowed)
    yield Sides(Y, at_once.output, allowed, (), X, diagnosis)


def _diagnose_pieces(trial, X, spans, Y, allowed):
    """Return what it means if the pieces Y are wrong: with a cause, if a cache with that fault gives them."""
    diagnosis = "cached pieces disagree"
    if trial.path.formula is None:
        return diagnosis
    for cause, piece in PIECE_FAULTS.items():
        if _agree_within(allowed, _in_pieces(trial.formula, X, spans, piece), Y):
            return f"{diagnosis}: {cause}"
    return diagnosis


def _in_pieces(formula, X, spans, piece):
    """Return what a cache with a fault gives; ``piece(spans, k)`` returns the keys, t, u and the mask of piece k."""
    plain = dataclasses.replace(formula, causal=False)
    found = []
    for k, (start, end) in enumerate(spans):
        keys, t, u, mask = piece(spans, k)
        try:
            found.append(evaluate(plain, (X[:, start:end], X[:, keys]), mask, t, u).Y)
        except ClaimError:  # positions that the claimed bias does not know
            return np.zeros(0)
    return np.concatenate(found, axis=1)


def _piece(spans, k):
    """Return what is right for piece k: keys 0 … end − 1, the positions of queries and keys, and a causal mask."""
    start, end = spans[k]
    return np.arange(end), np.arange(start, end), np.arange(end), causal_mask(end)[start:]


def _restart(spans, k):
    """Return piece k with positions that begin at 0 in every piece."""
    keys, t, _, mask = _piece(spans, k)
    u = np.concatenate([np.arange(e - s) for s, e in spans[: k + 1]])
    return keys, t - t[0], u, mask


def _grown(spans, k):
    """Return piece k with positions that are ahead by the length of their piece."""
    keys, t, _, mask = _piece(spans, k)
    u = np.concatenate([np.arange(s, e) + e - s for s, e in spans[: k + 1]])
    return keys, t + len(t), u, mask


def _turned_again(spans, k):
    """Return piece k with keys that are turned once for each piece since they came."""
    keys, t, _, mask = _piece(spans, k)
    u = np.concatenate([np.arange(s, e) * (1 + k - i) for i, (s, e) in enumerate(spans[: k + 1])])
    return keys, t, u, mask


def _unmasked(spans, k):
    """Return piece k with a mask that hides nothing."""
    keys, t, u, mask = _piece(spans, k)
    return keys, t, u, np.ones_like(mask)


def _corner(spans, k):
    """Return piece k with a causal mask whose diagonal begins at the first key."""
    keys, t, u, mask = _piece(spans, k)
    return keys, t, u, causal_mask(*mask.shape)


def _forgotten(spans, k):
    """Return piece k with no keys but its own."""
    start, end = spans[k]
    t = np.arange(start, end)
    return t, t, t, causal_mask(end - start)


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
    trial.require_no_dropout()
    X = trial.tokens()
    sees_itself = _draw_mask(trial, X)
    sees_itself[:, BLIND] = np.arange(TOKENS) == BLIND
    M = sees_itself.copy()
    M[:, BLIND] = False
    M = trial.require_mask(M)
    try:
        asked = trial.ask(X, M)
    except ValueError:  # the layer refuses such a mask, as it may
        return
    others = np.s_[..., [i for i in range(TOKENS) if i != BLIND], :]
    right = trial.ask(X, sees_itself)
    diagnosis = "NaN in a fully masked row spreads"
    yield trial.compare(asked, right, X, others, diagnosis=diagnosis, mask=sees_itself)
    row = asked.output[..., BLIND, :]
    if not np.isfinite(row).all():
        if trial.subject.blind == "finite":
            yield Sides(row, np.zeros_like(row), 1.0, (), X, "NaN in a fully masked row")
        raise NotApplicable("a row without keys becomes NaN, and what it should be no law says: let padding see itself")


def agree(trial: Trial, first: Path) -> Iterator[Sides]:
    """f(X, M) is the same on every path."""
    trial.require_no_dropout()
    if first is trial.path or trial.path.dtype != first.dtype:
        raise NotApplicable("the others are compared with the first path, in its precision")
    X = trial.tokens()
    M = _draw_mask(trial, X) if trial.subject.takes_mask else None
    one, other = trial.ask(X, M), dataclasses.replace(trial, path=first).ask(X, M)
    yield trial.compare(one, other, X, diagnosis="paths disagree", mask=M)


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
