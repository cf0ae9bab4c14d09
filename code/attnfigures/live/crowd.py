"""Attention in a crowd: how many keys a query looks at as the text grows, and what a factor on its scores can do."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import entropy, softmax

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["crowd"]

MOST = 100_000  # keys
RANGES = {"factor": (0.2, 5), "c": (0.2, 3)}
LADDER = np.unique(np.rint(10 ** (np.arange(41) / 8)))[1:]  # the lengths at which the curves are computed, from 2


def crowd(
    keys: int = 13,
    *,
    factor: float = 1.0,
    c: float = 1.5,
    train: int = 13,
    grow: bool = False,
    ask: Ask = None,
    label: str = "crowd",
) -> Live:
    """A live figure of e^H for one key that leads m − 1 equal ones by R: the reader moves m and a factor on the scores.

    H is the entropy of the weights, and e^H the number of keys that the query looks at. The lead is given by
    c = R / ln m_0, where m_0 is the number of keys in training. With the factor ln m / ln m_0 the weight of the leading
    key is 1/(1 + (m − 1) m^(−c)): as m grows it tends to 1 for c > 1, to ½ for c = 1, and to 0 for c < 1. With a factor
    that is the same for every m it tends to 0.

    Parameters
    ----------
    keys : int
        m, from 2 to 100 000.
    factor : float
        What the scores are multiplied by, from 0.2 to 5.
    c : float
        From 0.2 to 3.
    train : int
        m_0, from 2 to 1000.
    grow : bool
        Whether the factor is multiplied by ln m / ln m_0.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Source: Chiang and Cholak (2022), "Overcoming a theoretical limitation of self-attention", for the factor.

    >>> crowd(13, c=1).compute()["weights"].round(3)
    array([0.52, 0.52])
    """
    state = {"keys": require_int("keys", keys), "factor": float(factor), "c": float(c)}
    state |= {"train": require_int("train", train), "grow": grow}
    return Live("crowd", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(keys: int, factor: float, c: float, train: int, grow: bool) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, m, most in (("keys", keys, MOST), ("train", train, 1000)):
        require_int(name, m, least=2, most=most)
    for name, x in (("factor", factor), ("c", c)):
        require_within(name, x, *RANGES[name])
    require_one_of("grow", grow, (True, False))


def attend(m: np.ndarray, lead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of a key that leads m − 1 equal ones by ``lead``, and e^H of all m weights.

    The equal keys count as one with the score ln(m − 1), whose weight they share: that adds its ln(m − 1)-fold to H.
    """
    others = np.log(np.asarray(m, dtype=float) - 1)
    a = softmax(np.stack(np.broadcast_arrays(lead, others), axis=-1))
    return a[..., 0], np.exp(entropy(a) + a[..., 1] * others)


def compute(keys: int, factor: float, c: float, train: int, grow: bool) -> dict[str, Any]:
    """Return lead, factors, weights of the best key and e^H, each in training and now.

    ``curve`` has e^H at the lengths of LADDER, with the reader's factor. The mirror of ``compute`` in crowd.js.
    """
    lead, sizes = c * np.log(train), np.array([train, keys])
    rule = lambda m: factor * (np.log(m) / np.log(train) if grow else np.ones(np.shape(m)))  # noqa: E731
    factors = np.array([1.0, rule(keys)])
    weights, looks = attend(sizes, factors * lead)
    curve = attend(LADDER, rule(LADDER) * lead)[1]
    return {"lead": lead, "sizes": sizes, "factors": factors, "weights": weights, "looks": looks, "curve": curve}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return crowd(97)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Two keys or 100 000, factors and leads at their bounds, the lead c = 1.
    """
    edge = rng.random() < 0.5
    whole = lambda most: int(rng.choice([2, 3, most]) if edge else 2 + (most - 2) ** rng.uniform(0, 1))  # noqa: E731
    real = lambda low, high: float(rng.choice([low, 1, high]) if edge else np.round(rng.uniform(low, high), 2))  # noqa: E731
    state = {"keys": whole(100_000), "factor": real(0.2, 5.0), "c": real(0.2, 3.0), "train": whole(1000)}
    return state | {"grow": bool(rng.random() < 0.5)}


def still(state: dict, asking: bool) -> Picture:
    """Draw e^H against m with both rules for the factor, unless they are asked for; dotted, all keys alike."""
    result, keys, train = compute(**state), state["keys"], state["train"]
    fig, ax = figure(width=6.4, height=3)
    ax.loglog([1, MOST], [1, MOST], ":", color="#000000", lw=0.8, label="all keys alike")
    ax.set(xlim=(1, MOST), ylim=(0.8, MOST), xlabel="keys m", ylabel="keys that the query looks at")
    ax.plot(train, result["looks"][0], "D", color="#000000", label=f"training, {train} keys")
    alt = f"The number of keys that a query looks at, against the number of keys, up to {MOST}"
    if asking:
        ax.legend()
        return picture(fig, f"{alt}; the curves are for you to predict.")
    names = (f"factor {state['factor']:.3g}", f"factor {state['factor']:.3g} · ln m / ln {train}")
    for grow, name, dash in zip((False, True), names, ("-", "--"), strict=True):
        ax.plot(LADDER, compute(**{**state, "grow": grow})["curve"], dash, color=PALETTE["orange"], label=name)
    ax.plot(keys, result["looks"][1], "o", color=PALETTE["orange"])
    ax.legend()
    now = f"Among {keys}, with {names[state['grow']]}: {result['looks'][1]:.1f}"
    return picture(fig, f"{alt}. In training, among {train}: {result['looks'][0]:.1f}. {now}.")
