"""Sixteen scores as sixteen walks of d_k steps, their softmax, and the gradient that reaches 200 queries."""

import functools
from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import entropy, scores, softmax, softmax_jacobian

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["walkers"]

QUERIES, KEYS, LONGEST = 200, 16, 1024
DRAWS = 1000  # then the numbers begin again
REACH = 100  # the picture of the walks goes from -100 to 100, three times √1024
FAINTEST, STRONGEST = -6, 2  # the powers of ten between which the gradients are drawn
MAJORITY = 0.9


def walkers(d_k: int = 64, power: float = 0.0, *, draw: int = 0, ask: Ask = None, label: str = "walkers") -> Live:
    """A live figure of a = softmax(q·k / d_k^p) for sixteen random keys, and of ‖∂a/∂q‖ for 200 queries.

    Entries of queries and keys are ±1 with equal chance, so every product q_c k_c is a step of mean 0 and variance 1,
    and a score is where a walk ends after d_k steps. Choosing the signs of the products chooses the walk: multiplying
    a coordinate of q and of all keys by the same sign changes no score, so every query can be taken as (1, …, 1).

    Parameters
    ----------
    d_k : int
        The number of steps, a power of 2 from 1 to 1024.
    power : float
        The exponent p, from 0 to 1: scores are divided by d_k^p.
    draw : int
        Which random numbers, from 0 to 999; *Draw again* takes the next.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If d_k, the exponent or the draw is not as above.

    >>> walkers(d_k=16, power=0.5).compute()["scores"][:4]
    array([-0.5, -2. ,  0. , -1.5])
    """
    state = {"d_k": require_int("d_k", d_k), "power": float(power), "draw": require_int("draw", draw, least=0)}
    return Live("walkers", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(d_k: int, power: float, draw: int) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_one_of("d_k", d_k, [2**k for k in range(LONGEST.bit_length())])
    require_within("power", power, 0, 1)
    require_int("draw", draw, least=0, most=DRAWS - 1)


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


def compute(d_k: int, power: float, draw: int) -> dict[str, Any]:
    """Return the walks, scores and weights of the first query, and gradients and their statistics for all 200.

    A gradient is the norm of ∂a/∂q = J K / d_k^p, with the Jacobian J of softmax. The spread e^H, with the entropy H,
    is the number of keys that a query looks at; ``spread`` is its mean. ``carriers`` is the least number of queries
    that hold nine tenths of the sum of all gradients. The mirror of ``compute`` in walkers.js.
    """
    K, scale = steps(draw)[:, :, :d_k].astype(float), d_k**-power
    S = scores(np.ones((QUERIES, 1, d_k)), K, scale)[:, 0]
    A = softmax(S)
    slopes = scale * (softmax_jacobian(A) @ K)  # ∂a/∂q, shape (200, 16, d_k)
    gradients = np.sqrt((slopes**2).sum(axis=(1, 2)))
    held = np.cumsum(np.sort(gradients)[::-1])
    every = max(1, d_k // 64)  # a longer walk is drawn at every so many steps
    return {
        "walks": np.pad(K[0].cumsum(axis=1), ((0, 0), (1, 0)))[:, ::every],
        "divisor": 1 / scale,
        "scores": S[0],
        "weights": A[0],
        "spread": np.exp(entropy(A)).mean(),
        "gradients": gradients,
        "mean": gradients.mean(),
        "median": np.median(gradients),
        "carriers": int((held < MAJORITY * held[-1] - 1e-9).sum()) + 1,
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return walkers()


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    One step or 1024, divided by 1 or by d_k, with the first or last numbers.
    """
    if rng.random() < 0.5:
        return {
            "d_k": int(rng.choice([1, 1, 2, 1024])),
            "power": float(rng.choice([0, 1])),
            "draw": int(rng.choice([0, 999])),
        }
    return {
        "d_k": 2 ** int(rng.integers(11)),
        "power": float(np.round(rng.uniform(0, 1), 2)),
        "draw": int(rng.choice([0, 1, 600])),
    }


def still(state: dict, asking: bool) -> Picture:
    """Draw the walks and, unless they are asked for, the weights and the gradients with their mean and median."""
    result, d_k = compute(**state), state["d_k"]
    fig, axes = figure(2, 2, width=6.4, height=4.6, height_ratios=[2, 1])
    (left, right), strip = axes[0], fig.add_subplot(axes[1, 0].get_gridspec()[1, :])
    strip.spines[["top", "right"]].set_visible(False)
    strip.minorticks_off()
    for ax in axes[1]:
        ax.remove()
    best, places = int(result["weights"].argmax()), np.linspace(0, d_k, result["walks"].shape[1])
    for j, walk in enumerate(result["walks"] / result["divisor"]):
        look = {"color": PALETTE["orange"], "lw": 2.4, "zorder": 3} if j == best else {"color": PALETTE["grey"]}
        left.plot(places, walk, **({"lw": 0.8} | look))
    left.set(
        xlim=(0, d_k),
        xlabel="step",
        title=f"16 walks, divided by {result['divisor']:.4g}",
    )
    left.set_yscale("asinh", linear_width=4)  # linear near 0, logarithmic far out
    ticks = (-100, -30, -10, -3, 0, 3, 10, 30, 100)
    left.set(ylim=(-REACH, REACH), yticks=ticks, yticklabels=ticks)
    left.minorticks_off()
    alt = f"Left, sixteen random walks of {d_k} steps, divided by {result['divisor']:.4g}"
    if asking:
        right.axis("off")
        strip.axis("off")
        return picture(fig, f"{alt}. What softmax makes of their ends is for you to predict.")
    colours = [PALETTE["orange" if j == best else "grey"] for j in range(KEYS)]
    right.bar(range(1, KEYS + 1), result["weights"], color=colours, width=0.8)
    right.set(ylim=(0, 1), xlabel="key", title="weights of the keys")
    shown = np.clip(result["gradients"], 10.0**FAINTEST, None)
    strip.semilogx(shown, heights(), "o", color=PALETTE["blue"], alpha=0.45, markersize=3)
    for name, dash, up in (("median", "-", 1.05), ("mean", "--", 1.25)):
        value = max(result[name], 10.0**FAINTEST)
        strip.axvline(value, color="#000000", ls=dash, lw=1.4)
        strip.text(value, up, f"{name} {result[name]:.2g}", ha="center", transform=strip.get_xaxis_transform())
    strip.set(xlim=(10.0**FAINTEST, 10.0**STRONGEST), yticks=[], xlabel="gradient ‖∂a/∂q‖ of 200 queries")
    alt += f". Right, their softmax: the largest weight is {result['weights'][best]:.2f}, and on average a query looks "
    alt += f"at {result['spread']:.1f} of 16 keys. Below, the gradients of 200 queries as dots: mean "
    return picture(fig, f"{alt}{result['mean']:.2g}, median {result['median']:.2g}.")


def heights() -> np.ndarray:
    """Return a height from 0 to 1 for each dot, so that dots of equal gradient lie apart."""
    return np.arange(QUERIES) * 0.618034 % 1
