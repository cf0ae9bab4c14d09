"""Softmax of three scores as a point in the triangle of all weights: only differences of scores move it."""

from typing import Any

import numpy as np
from attnbook.arrays import as_array
from attnbook.attention import entropy, softmax
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live, require_within
from ..kit.style import PALETTE, Picture, figure, picture
from ..static.simplex import CORNERS

__all__ = ["triangle"]

REACH = 6  # a score goes from -6 to 6
COLDEST, HOTTEST = 0.02, 50
COLDNESS = np.r_[0, 10.0 ** (np.arange(-36, 37) / 12)]  # the curve is drawn at these values of 1/T
HUES, MARKS = list(PALETTE)[:3], ["o", "s", "^"]


def triangle(scores: ArrayLike, *, temperature: float = 1.0, ask: Ask = None, label: str = "triangle") -> Live:
    """A live figure of a = softmax(s / T) for three scores: the bars of s, the point a and T can be moved.

    The triangle holds all weights a with a_j ≥ 0 and Σ_j a_j = 1; corner j is a_j = 1. The point keeps its place when
    a constant c is added to all scores, for softmax((s + c) / T) = softmax(s / T). The curve is the way of the point
    from T = ∞ in the centre to T = 0. When the point is dragged to a, the scores become T ln a_j and keep their mean,
    as far as they reach.

    Parameters
    ----------
    scores : array (3,)
        s, each from -6 to 6, without unit.
    temperature : float
        T, from 0.02 to 50.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If there are not three scores, or one of them or the temperature is out of reach.

    >>> triangle([1, 2, 3]).compute()["weights"].round(4)
    array([0.09  , 0.2447, 0.6652])
    >>> triangle([-3, -2, -1]).compute()["weights"].round(4)
    array([0.09  , 0.2447, 0.6652])
    """
    state = {"scores": as_array("scores", scores, 1).tolist(), "temperature": float(temperature)}
    return Live("triangle", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(scores: list, temperature: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    s = np.asarray(scores, dtype=float)
    if s.shape != (3,) or not (abs(s) <= REACH).all():
        raise ValueError(f"scores = {scores} has shape {s.shape}; expected three, each from -{REACH} to {REACH}")
    require_within("temperature", temperature, COLDEST, HOTTEST)


def compute(scores: list, temperature: float) -> dict[str, Any]:
    """Return the weights, their point, and the curve on which the point goes from T = ∞ to T = 0.

    The curve begins in the centre and ends where the keys with the largest score, marked 1 in ``leads``, have equal
    weights. ``shiftGap`` compares the weights with those of the centred scores s - mean. The spread e^H, with the
    entropy H, is the number of keys that the query looks at. The mirror of ``compute`` in triangle.js.
    """
    s = np.asarray(scores, dtype=float)
    a, mean = softmax(s / temperature), s.mean()
    leads = (s == s.max()).astype(float)
    path = np.vstack([softmax(COLDNESS[:, None] * (s - s.max())), leads / leads.sum()]) @ CORNERS
    return {
        "weights": a,
        "point": a @ CORNERS,
        "path": path,
        "mean": mean,
        "leads": leads,
        "spread": np.exp(entropy(a)),
        "shiftGap": abs(softmax((s - mean) / temperature) - a).max(),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return triangle([2, 1, -1])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: equal scores, scores at their bounds, the coldest and the hottest T."""
    if rng.random() < 0.5:
        scores, T = rng.choice([-6.0, 0.0, 5.999, 6.0], 3), float(rng.choice([0.02, 1.0, 50.0]))
    else:
        scores, T = np.round(rng.uniform(-6, 6, 3), 2), float(10 ** rng.uniform(-1.65, 1.65))
    return {"scores": scores.tolist(), "temperature": T}


def still(state: dict, asking: bool) -> Picture:
    """Draw the scores as bars, and the triangle with the curve and the point unless they are asked for."""
    s, T, result = np.array(state["scores"]), state["temperature"], compute(**state)
    fig, (left, right) = figure(1, 2, width=6.4, height=3)
    weights = [f"{a:.3f}" if a >= 5e-4 else f"{a:.1e}" for a in result["weights"]]
    left.set(ylim=(-REACH - 0.5, REACH + 0.5), title="scores s", xticks=range(3), xticklabels=["s₁", "s₂", "s₃"])
    left.axhline(0, color="#000000", lw=0.8)
    right.set(xlim=(-0.3, 1.3), ylim=(-0.25, 1.05), aspect="equal", title=f"weights a = softmax(s / T), T = {T:.3g}")
    right.axis("off")
    right.fill(*CORNERS.T, facecolor="none", edgecolor="#000000", lw=1)
    for j, (x, y) in enumerate(CORNERS):
        colour = PALETTE[HUES[j]]
        left.bar(j, s[j], width=0.6, color=colour, alpha=0.35)
        left.plot(j, s[j], MARKS[j], color=colour, markersize=7)
        right.plot(x, y, MARKS[j], color=colour, markersize=7)
        place = {"xytext": (12, -4)} if j == 2 else {"xytext": (0, -18), "ha": "center"}
        text = f"a{'₁₂₃'[j]}" + ("" if asking else f" = {weights[j]}")
        right.annotate(text, (x, y), textcoords="offset points", **place)
    shown = ", ".join(f"{x:.2f}" for x in s)
    alt = f"Left, the scores {shown} as bars. Right, the triangle of all weights of three keys"
    if asking:
        return picture(fig, f"{alt}; where the point of these scores lies is for you to predict.")
    right.plot(*result["path"].T, color=PALETTE["grey"], lw=1)
    right.plot(*result["point"], "o", color="#000000", markersize=7)
    best = [str(j + 1) for j in np.flatnonzero(result["leads"])]
    end = f"key{'s' * (len(best) > 1)} {' and '.join(best)}"
    return picture(
        fig,
        f"{alt} with the point of the weights {', '.join(weights)} at T = {T:.3g}, on the curve that leads from the "
        f"centre, where all weights are equal, to where all weight is on {end}.",
    )
