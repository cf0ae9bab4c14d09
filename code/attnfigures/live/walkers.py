"""Sixteen scores as walks of d_k steps, their softmax, and how many keys 200 queries look at, or their derivatives."""

import functools
from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import entropy, scores, softmax, softmax_jacobian
from matplotlib.axes import Axes

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import PALETTE, Picture, dots, figure, picture

__all__ = ["walkers"]

QUERIES, KEYS, LONGEST = 200, 16, 1024
DRAWS = 1000  # then the numbers begin again
REACH = 100  # the picture of the walks goes from -100 to 100, three times √1024
FAINTEST, STRONGEST = -6, 2  # the powers of ten between which the gradients are drawn
MAJORITY = 0.9
ROOT = 0.5  # the exponent beside which that of the state stands
VIEWS = ("keys", "gradients")
SHOWN = range(0, 11, 2)  # the d_k = 2^k for which the still picture shows gradients


def walkers(
    d_k: int = 64,
    power: float = 0.0,
    *,
    show: str = "keys",
    draw: int = 0,
    ask: Ask = None,
    label: str = "walkers",
) -> Live:
    """A live figure of a = softmax(q·k / d_k^p) for sixteen random keys, and of what 200 queries make of theirs.

    Entries of queries and keys are ±1 with equal chance, so every product q_c k_c is a step of mean 0 and variance 1,
    and a score is where a walk ends after d_k steps. Choosing the signs of the products chooses the walk: multiplying
    a coordinate of q and of all keys by the same sign changes no score, so every query can be taken as (1, …, 1).

    Parameters
    ----------
    d_k : int
        The number of steps, a power of 2 from 1 to 1024.
    power : float
        The exponent p, from 0 to 1: scores are divided by d_k^p.
    show : {"keys", "gradients"}
        What is shown of 200 queries: how many keys they look at on average; or the size ‖∂a/∂q‖ for each, beside the
        same with p = ½.
    draw : int
        Which random numbers, from 0 to 999; *Draw again* takes the next.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If d_k, the exponent, the draw or what is shown is not as above.

    >>> walkers(d_k=16, power=0.5).compute()["scores"][:4]
    array([-0.5, -2. ,  0. , -1.5])
    """
    state = {
        "d_k": require_int("d_k", d_k),
        "power": float(power),
        "draw": require_int("draw", draw, least=0),
        "show": show,
    }
    return Live("walkers", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(d_k: int, power: float, draw: int, show: str) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_one_of("d_k", d_k, [2**k for k in range(LONGEST.bit_length())])
    require_within("power", power, 0, 1)
    require_int("draw", draw, least=0, most=DRAWS - 1)
    require_one_of("show", show, VIEWS)


def words(count: int, before: int = 0) -> np.ndarray:
    """Return ``count`` random words of 32 bits, with so many words ``before`` them left out.

    The generator is mulberry32, which reaches a word without those before it; the page has the same one.
    """
    a = (np.arange(1, count + 1, dtype=np.uint32) + np.uint32(before)) * np.uint32(0x6D2B79F5)
    t = (a ^ (a >> 15)) * (a | 1)
    t ^= t + (t ^ (t >> 7)) * (t | 61)
    return t ^ (t >> 14)


@functools.lru_cache(maxsize=4)
def steps(draw: int) -> np.ndarray:
    """Return the steps q_c k_c of every walk, -1 or 1: shape (200, 16, 1024), 32 of them from each random word."""
    count = QUERIES * KEYS * LONGEST // 32
    bits = np.unpackbits(words(count, draw * count).astype("<u4").view(np.uint8), bitorder="little")
    return bits.reshape(QUERIES, KEYS, LONGEST).astype(np.int8) * 2 - 1


def looks(d_k: int, power: float, draw: int) -> float:
    """Return how many keys the 200 queries look at on average."""
    ends = steps(draw)[:, :, :d_k].sum(axis=2, dtype=int)
    return float(np.exp(entropy(softmax(ends * d_k**-power))).mean())


def compute(d_k: int, power: float, draw: int, show: str = "keys") -> dict[str, Any]:
    """Return what is shown: the keys that queries look at, or their gradients. The mirror of ``compute`` in walkers.js.

    For the keys these are walks, scores and weights of the first query, and ``spread``, the mean of e^H over all 200,
    with the entropy H: the number of keys that a query looks at.

    A gradient is the norm of ∂a/∂q = J K / d_k^p, with the Jacobian J of softmax. ``carriers`` is the least number of
    queries that hold nine tenths of the sum of all gradients.
    """
    K, scale = steps(draw)[:, :, :d_k].astype(float), d_k**-power
    S = scores(np.ones((QUERIES, 1, d_k)), K, scale)[:, 0]
    A = softmax(S)
    if show == "gradients":
        slopes = scale * (softmax_jacobian(A) @ K)  # ∂a/∂q, shape (200, 16, d_k)
        gradients = np.sqrt((slopes**2).sum(axis=(1, 2)))
        held = np.cumsum(np.sort(gradients)[::-1])
        carriers = int((held < MAJORITY * held[-1] - 1e-9).sum()) + 1
        return {"gradients": gradients, "mean": gradients.mean(), "carriers": carriers}
    every = max(1, d_k // 64)  # a longer walk is drawn at every so many steps
    return {
        "walks": np.pad(K[0].cumsum(axis=1), ((0, 0), (1, 0)))[:, ::every],
        "divisor": 1 / scale,
        "scores": S[0],
        "weights": A[0],
        "spread": np.exp(entropy(A)).mean(),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return walkers()


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    One step or 1024, divided by 1 or by d_k, with the first or last numbers.
    """
    show = str(rng.choice(VIEWS))
    if rng.random() < 0.5:
        return {
            "d_k": int(rng.choice([1, 1, 2, 1024])),
            "power": float(rng.choice([0, 1])),
            "draw": int(rng.choice([0, 999])),
            "show": show,
        }
    return {
        "d_k": 2 ** int(rng.integers(11)),
        "power": float(np.round(rng.uniform(0, 1), 2)),
        "draw": int(rng.choice([0, 1, 600])),
        "show": show,
    }


def still(state: dict, asking: bool) -> Picture:
    """Draw the walks and, unless they are asked for, the weights and the keys looked at; or the derivatives."""
    if state["show"] == "gradients":
        return _still_gradients(state, asking)
    result, d_k = compute(**state), state["d_k"]
    fig, axes = figure(2, 2, width=6.4, height=4.6, height_ratios=[2, 1])
    (left, right), below = axes[0], fig.add_subplot(axes[1, 0].get_gridspec()[1, :])
    for ax in axes[1]:
        ax.remove()
    below.spines[["top", "right"]].set_visible(False)
    best = int(result["weights"].argmax())
    _draw_walks(left, result, best, d_k)
    alt = f"Left, sixteen random walks of {d_k} steps, divided by {result['divisor']:.4g}"
    if asking:
        right.axis("off")
        below.axis("off")
        return picture(fig, f"{alt}. What softmax makes of their ends is for you to predict.")
    colours = [PALETTE["orange" if j == best else "grey"] for j in range(KEYS)]
    right.bar(range(1, KEYS + 1), result["weights"], color=colours, width=0.8)
    right.set(ylim=(0, 1), xlabel="key", title="weights of the keys")
    _draw_trail(below, state, result)
    alt += f". Right, their softmax: the largest weight is {result['weights'][best]:.2f}, and on average a query looks "
    alt += f"at {result['spread']:.1f} of 16 keys. "
    alt += f"Below, the keys that a query looks at, for each d_k, with the exponent {state['power']:.2f}."
    return picture(fig, alt)


def _still_gradients(state: dict, asking: bool) -> Picture:
    """Draw the derivatives of 200 queries for every d_k, with the exponent of the state and with the square root."""
    alt = "Two plots of the size of the derivative of 200 queries, for six d_k from 1 to 1024"
    fig, axes = figure(1, 2, width=6.4, height=3.0, sharey=True)
    for ax, power in zip(axes, (state["power"], ROOT), strict=True):
        ax.set(xlim=(-1, 11), ylim=(10.0**FAINTEST / 2, 10.0**STRONGEST), yscale="log", xlabel="$d_k$")
        ax.set(
            title=f"scores / $d_k^p$ with p = {power:.2f}",
            xticks=SHOWN,
            xticklabels=[2**k for k in SHOWN],
        )
        ax.minorticks_off()
        if asking:
            continue
        counts = [_draw_column(ax, k, compute(2**k, power, state["draw"], "gradients")) for k in SHOWN]
        alt += f". With the exponent {power:.2f}, {counts[0]} queries hold nine tenths of the sum at first, and "
        alt += f"{counts[-1]} at last"
    return picture(fig, f"{alt}. How many hold most of it is for you to predict." if asking else f"{alt}.")


def _draw_column(ax: Axes, k: int, result: dict) -> int:
    """Draw the derivatives for d_k = 2^k, the largest in orange; return how many these are."""
    sizes, carriers = np.clip(result["gradients"], 10.0**FAINTEST, None), result["carriers"]
    places = k + 1.4 * (heights() - 0.5)
    falling = np.argsort(-sizes)
    for colour, some in (("grey", falling[carriers:]), ("orange", falling[:carriers])):
        dots(ax, places[some], sizes[some], PALETTE[colour], size=3**0.5, alpha=0.7)
    ax.plot([k - 0.8, k + 0.8], [result["mean"]] * 2, color="#000000", lw=1.2)
    ax.text(k, 10.0**STRONGEST, carriers, ha="center", va="top")
    return carriers


def _draw_walks(ax: Axes, result: dict, best: int, d_k: int) -> None:
    """Draw the sixteen walks of the first query, the one that ends highest in orange."""
    places = np.linspace(0, d_k, result["walks"].shape[1])
    for j, walk in enumerate(result["walks"] / result["divisor"]):
        look = {"color": PALETTE["orange"], "lw": 2.4, "zorder": 3} if j == best else {"color": PALETTE["grey"]}
        ax.plot(places, walk, **({"lw": 0.8} | look))
    ax.set(xlim=(0, d_k), xlabel="step", title=f"16 walks, divided by {result['divisor']:.4g}")
    ax.set_yscale("asinh", linear_width=4)  # linear near 0, logarithmic far out
    ticks = (-100, -30, -10, -3, 0, 3, 10, 30, 100)
    ax.set(ylim=(-REACH, REACH), yticks=ticks, yticklabels=ticks)
    ax.minorticks_off()


def _draw_trail(ax: Axes, state: dict, result: dict) -> None:
    """Draw the keys looked at against d_k, for the exponent of the state."""
    widths = [2**k for k in range(LONGEST.bit_length())]
    keys = [looks(width, state["power"], state["draw"]) for width in widths]
    ax.semilogx(widths, keys, "o-", base=2, color=PALETTE["orange"])
    ax.plot(state["d_k"], result["spread"], "o", mfc="none", mec="#000000", markersize=10)
    ax.set(xlim=(0.9, 1150), ylim=(0, 16), yticks=[4, 8, 12, 16], xticks=widths[::2], xticklabels=widths[::2])
    ax.set(xlabel="$d_k$", title="keys that a query looks at")
    ax.minorticks_off()


def heights() -> np.ndarray:
    """Return a number from 0 to 1 for each dot, so that dots of equal gradient lie apart."""
    return np.arange(QUERIES) * 0.618034 % 1
