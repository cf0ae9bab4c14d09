"""Clocks of a rotary encoding: a query and a key as two hands on the face of every pair of coordinates."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.positional import frequencies, rotate, sinusoidal

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["clock"]

LAST_POSITION = 60  # the ruler has the positions 0 … 60
MAX_PAIRS = 4  # pairs of coordinates
SCHEMES = ("rotary", "sinusoidal")
POSITIONS = np.arange(0, LAST_POSITION + 0.5, 0.5)  # where the curves have their points
OFFSETS = np.arange(-LAST_POSITION, LAST_POSITION + 0.5, 0.5)


def clock(
    query: int = 3,
    key: int = 8,
    *,
    pairs: int = 4,
    base: float = 10_000.0,
    scheme: str = "rotary",
    ask: Ask = None,
    label: str = "clock",
) -> Live:
    """A live figure of (R_i q)·(R_j k) = q·(R_{j−i} k): the reader moves the positions i and j of a query and a key.

    Both have the content x = (1, 0, 1, 0, …) of shape (d,), d = 2 · pairs. Pair k turns by ω_k = base^(−2k/d) per
    position, so the score is Σ_k cos((j − i) ω_k). For comparison the position can be added: (x + p_i)·(x + p_j), with
    the sinusoidal rows p_t.

    Parameters
    ----------
    query, key : int
        The positions i and j, from 0 to 60.
    pairs : int
        Pairs of coordinates, from 1 to 4: one face for each.
    base : float
        From 1 to 1 000 000.
    scheme : {"rotary", "sinusoidal"}
        Whether a position turns the content or is added to it.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a position, the number of pairs, the base or the scheme is not as above.

    >>> clock(3, 8).compute()["angles"].round(3)
    array([5.   , 0.5  , 0.05 , 0.005])
    >>> clock(20, 25).compute()["angles"].round(3)
    array([5.   , 0.5  , 0.05 , 0.005])
    """
    positions = {name: require_int(name, t, least=0) for name, t in (("query", query), ("key", key))}
    state = {**positions, "pairs": require_int("pairs", pairs), "base": float(base), "scheme": scheme}
    return Live("clock", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(query: int, key: int, pairs: int, base: float, scheme: str) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_int("query", query, least=0, most=LAST_POSITION)
    require_int("key", key, least=0, most=LAST_POSITION)
    require_int("pairs", pairs, least=1, most=MAX_PAIRS)
    require_within("base", base, 1, 1e6)
    require_one_of("scheme", scheme, SCHEMES)


def placed(positions: Any, pairs: int, base: float, scheme: str) -> np.ndarray:
    """Return the content x at each of the positions, turned or with a row added: shape (positions, 2 · pairs)."""
    x = np.tile([1.0, 0.0], (len(positions), pairs))
    if scheme == "rotary":
        return rotate(x, list(positions), list(frequencies(2 * pairs, base)))
    return x + sinusoidal(positions, 2 * pairs, base)


def compute(query: int, key: int, pairs: int, base: float, scheme: str) -> dict[str, Any]:
    """Return the hands, the angles from the query's to the key's, what each face adds to the score, and the score.

    Speeds and angles are in radians; rotary angles count full turns. ``curve`` is the score with the query where it is
    and the key at 0, ½, … 60; ``fromZero`` the score with the query at 0, for the offsets −60, −59½, … 60. The mirror
    of ``compute`` in clock.js.
    """
    how, offset, omega = (pairs, base, scheme), key - query, frequencies(2 * pairs, base)
    q, k, origin, shifted = placed([query, key, 0, offset], *how)
    hands, others = q.reshape(-1, 2), k.reshape(-1, 2)
    terms = (hands * others).sum(axis=1)
    across = hands[:, 0] * others[:, 1] - hands[:, 1] * others[:, 0]
    return {
        "speeds": omega,
        "hands": [hands, others],
        "angles": offset * omega if scheme == "rotary" else np.arctan2(across, terms),
        "terms": terms,
        "score": q @ k,
        "scoreFromZero": origin @ shifted,
        "offsetGap": abs(q @ k - origin @ shifted),
        "curve": placed(POSITIONS, *how) @ q,
        "fromZero": placed(OFFSETS, *how) @ origin,
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return clock(3, 8)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Extreme are positions at the ends of the ruler, one pair or four, hands that are all as fast or as slow as can be.
    """
    is_extreme = rng.random() < 0.5
    query, key = rng.choice([0, 1, LAST_POSITION] if is_extreme else range(LAST_POSITION + 1), 2).tolist()
    pairs = int(rng.choice([1, MAX_PAIRS]) if is_extreme else rng.integers(1, MAX_PAIRS + 1))
    base = float(rng.choice([1, 1e6])) if is_extreme else float(10 ** rng.uniform(0, 6))
    scheme = str(rng.choice(SCHEMES))
    return {"query": query, "key": key, "pairs": pairs, "base": base, "scheme": scheme}


def still(state: dict, asking: bool) -> Picture:
    """Draw the faces in a row and, unless it is asked for, the score against the offset below them."""
    result, pairs, rotary = compute(**state), state["pairs"], state["scheme"] == "rotary"
    offset, axle = state["key"] - state["query"], 0 if rotary else -1  # added, a position moves the tip round (1, 0)
    fig, (faces, curve) = figure(2, 1, width=6.4, height=3.6, height_ratios=[1, 1])
    for k, (speed, angle) in enumerate(zip(result["speeds"], result["angles"], strict=True)):
        around, at = np.linspace(0, 2 * np.pi, 90), 2.8 * k
        faces.plot(at + np.cos(around), np.sin(around), color=PALETTE["grey"], lw=0.8)
        for hands, colour, look in zip(result["hands"], ("blue", "orange"), ("o-", "s--"), strict=True):
            x, y = hands[k]
            faces.plot(
                [at + axle, at + axle + x], [0, y], look, color=PALETTE[colour], lw=2, markevery=[1], markersize=5
            )
        below = f"ω{'₀₁₂₃'[k]} = {speed:.4g} rad" + ("" if asking else f"\n{angle:.4g} rad apart".replace("-", "−"))
        faces.text(at, -1.2, below, ha="center", va="top")
    faces.set(xlim=(-1.3, 2.8 * pairs - 1.3), ylim=(-2.2, 1.1), aspect="equal")
    faces.axis("off")
    faces.set_title(f"query at position {state['query']} (solid), key at position {state['key']} (dashed)")
    how = "turned" if rotary else "moved by adding a row"
    alt = f"{pairs} faces, each with the hands of a query and a key, {how} by their positions {state['query']} and "
    alt += f"{state['key']}"
    if asking:
        curve.axis("off")
        return picture(fig, f"{alt}; how angles and scores change is for you to predict.")
    curve.plot(OFFSETS, result["fromZero"], color=PALETTE["grey"], lw=4, alpha=0.4)
    curve.plot(POSITIONS - state["query"], result["curve"], color=PALETTE["purple"])
    curve.plot(offset, result["score"], "o", color="black", markersize=6)
    curve.set(xlim=(-LAST_POSITION, LAST_POSITION), xlabel="offset j − i", ylabel="score")
    angles = ", ".join(f"{angle:.4g}" for angle in result["angles"])
    alt = f"{alt}. From the query to the key there are {angles} radians. Below, the score against the offset: "
    return picture(fig, f"{alt}{result['score']:.2f} at {offset}.")
