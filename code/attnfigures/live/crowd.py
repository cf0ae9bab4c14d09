"""Attention in a crowd: how many keys a query looks at as the text grows, and what a factor that grows can save."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import entropy, softmax

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["crowd"]

MOST = 100_000  # keys
LEADS = (0.2, 3)  # c
LADDER = np.unique(np.rint(10 ** (np.arange(41) / 8)))[1:]  # the lengths at which the curves are computed, from 2


def crowd(
    keys: int = 13,
    *,
    c: float = 1.5,
    train: int = 13,
    grow: bool = False,
    ask: Ask = None,
    label: str = "crowd",
) -> Live:
    """A live figure of e^H for one key that leads m − 1 equal ones by R: the reader moves m and R, and adds a factor.

    H is the entropy of the weights, and e^H the number of keys that the query looks at. The lead is given by
    c = R / ln m_0, where m_0 is the number of keys in training. With the factor ln m / ln m_0 the weight of the leading
    key is 1/(1 + (m − 1) m^(−c)): as m grows it tends to 1 for c > 1, to ½ for c = 1, and to 0 for c < 1. Without a
    factor it tends to 0.

    Parameters
    ----------
    keys : int
        m, from 2 to 100 000.
    c : float
        From 0.2 to 3.
    train : int
        m_0, from 2 to 1000.
    grow : bool
        Whether the scores are multiplied by ln m / ln m_0.
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
    state = {"keys": require_int("keys", keys), "c": float(c), "train": require_int("train", train), "grow": grow}
    return Live("crowd", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(keys: int, c: float, train: int, grow: bool) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, m, most in (("keys", keys, MOST), ("train", train, 1000)):
        require_int(name, m, least=2, most=most)
    require_within("c", c, *LEADS)
    require_one_of("grow", grow, (True, False))


def attend(m: np.ndarray, lead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of a key that leads m − 1 equal ones by ``lead``, and e^H of all m weights.

    The equal keys count as one with the score ln(m − 1), whose weight they share: that adds its ln(m − 1)-fold to H.
    """
    others = np.log(np.asarray(m, dtype=float) - 1)
    a = softmax(np.stack(np.broadcast_arrays(lead, others), axis=-1))
    return a[..., 0], np.exp(entropy(a) + a[..., 1] * others)


def compute(keys: int, c: float, train: int, grow: bool) -> dict[str, Any]:
    """Return lead, factors, weights of the best key and e^H, each in training and now.

    ``curve`` has e^H at the lengths of LADDER, with the factor or without. The mirror of ``compute`` in crowd.js.
    """
    lead, sizes = c * np.log(train), np.array([train, keys])
    rule = lambda m: np.log(m) / np.log(train) if grow else np.ones(np.shape(m))  # noqa: E731
    factors = np.array([1.0, rule(keys)])
    weights, looks = attend(sizes, factors * lead)
    curve = attend(LADDER, rule(LADDER) * lead)[1]
    return {"lead": lead, "sizes": sizes, "factors": factors, "weights": weights, "looks": looks, "curve": curve}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return crowd(97)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Two keys or 100 000, leads at their bounds, the lead c = 1.
    """
    edge = rng.random() < 0.5
    whole = lambda most: int(rng.choice([2, 3, most]) if edge else 2 + (most - 2) ** rng.uniform(0, 1))  # noqa: E731
    c = float(rng.choice([0.2, 1, 3]) if edge else np.round(rng.uniform(0.2, 3), 2))
    return {"keys": whole(100_000), "c": c, "train": whole(1000), "grow": bool(rng.random() < 0.5)}


def still(state: dict, asking: bool) -> Picture:
    """Draw e^H against m with the factor and without, unless they are asked for; dotted, all keys alike."""
    result, keys, train = compute(**state), state["keys"], state["train"]
    fig, ax = figure(width=6.4, height=3)
    ax.loglog([1, MOST], [1, MOST], ":", color="#000000", lw=0.8, label="all keys alike")
    ax.set(xlim=(1, MOST), ylim=(0.8, MOST), xlabel="keys m", ylabel="keys that the query looks at")
    ax.plot(train, result["looks"][0], "D", color="#000000", label=f"training, {train} keys")
    alt = f"The number of keys that a query looks at, against the number of keys, up to {MOST}"
    if asking:
        ax.legend()
        return picture(fig, f"{alt}; the curves are for you to predict.")
    names = ("no factor", f"factor ln m / ln {train}")
    for grow, name, dash in zip((False, True), names, ("-", "--"), strict=True):
        ax.plot(LADDER, compute(**{**state, "grow": grow})["curve"], dash, color=PALETTE["orange"], label=name)
    ax.plot(keys, result["looks"][1], "o", color=PALETTE["orange"])
    ax.legend()
    now = f"Among {keys}, with {names[state['grow']]}: {result['looks'][1]:.1f}"
    return picture(fig, f"{alt}. In training, among {train}: {result['looks'][0]:.1f}. {now}.")
