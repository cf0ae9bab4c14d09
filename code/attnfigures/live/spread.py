"""The scores of one query against 200 normal keys: their spread, their softmax, and the temperature."""

import functools
from typing import Any

import numpy as np
from attnbook.arrays import as_array
from attnbook.attention import entropy, scores, softmax
from matplotlib.patches import Circle
from numpy.typing import ArrayLike
from scipy import stats

from ..kit.figure import Ask, Live, require_points, require_within
from ..kit.style import PALETTE, Picture, figure, picture
from .walkers import words

__all__ = ["spread"]

KEYS = 200
REACH = 4  # the plane goes from -4 to 4
FARTHEST, BIN = 12, 0.5  # scores are counted from -12 to 12
COLDEST, HOTTEST = 1 / 16, 16


def spread(query: ArrayLike = (2.4, 1.8), *, temperature: float = 1.0, ask: Ask = None, label: str = "spread") -> Live:
    """A live figure of softmax(q·k / T) for 200 keys k ~ N(0, I) in the plane: the reader moves q and T.

    Given q, a score q·k / T is normal with mean 0 and standard deviation ‖q‖/T, in any dimension. A query of twice the
    length therefore does what half the temperature does.

    Parameters
    ----------
    query : array (2,)
        Coordinates from -4 to 4.
    temperature : float
        T, from 1/16 to 16.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the shape, a coordinate or the temperature is not as above.

    >>> once, twice = (spread([0.8 * t, 0.6 * t], temperature=t).compute()["weights"] for t in (1, 2))
    >>> bool(abs(twice - once).max() < 1e-15)
    True
    """
    state = {"query": as_array("query", query).tolist(), "temperature": float(temperature)}
    return Live("spread", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(query: list, temperature: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_points("query", [query], range(1, 2), REACH)
    require_within("temperature", temperature, COLDEST, HOTTEST)


@functools.cache
def keys() -> np.ndarray:
    """Return 200 keys in the plane, shape (200, 2): normal numbers by the method of Box and Muller (1958)."""
    u = (words(2 * KEYS).astype(float) + 0.5) / 2**32
    radius, angle = np.sqrt(-2 * np.log(u[::2])), 2 * np.pi * u[1::2]
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def compute(query: list, temperature: float) -> dict[str, Any]:
    """Return scores and weights, the length of q, and how widely scores and weights are spread.

    ``counts`` has the number of scores in each bin of width ½ from -12 to 12, ``outside`` that of all others.
    ``looks`` is e^H, with the entropy H: the number of keys that the query looks at. The mirror of ``compute`` in
    spread.js.
    """
    s = scores([query], keys(), scale=1 / temperature)[0]
    a, length = softmax(s), float(np.linalg.norm(query))
    inside = s[(s >= -FARTHEST) & (s < FARTHEST)]
    counts = np.bincount(np.floor((inside + FARTHEST) / BIN).astype(int), minlength=int(2 * FARTHEST / BIN))
    return {
        "scores": s,
        "weights": a,
        "length": length,
        "ratio": length / temperature,
        "deviation": s.std(),
        "counts": counts,
        "outside": KEYS - len(inside),
        "looks": np.exp(entropy(a)),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return spread()


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: a query of length 0 or in a corner, and the coldest and the hottest T."""
    if rng.random() < 0.5:
        query, T = rng.choice([-4.0, 0.0, 4.0], 2), float(rng.choice([1 / 16, 1.0, 16.0]))
    else:
        query, T = np.round(rng.uniform(-4, 4, 2), 2), float(2 ** rng.uniform(-2, 2))
    return {"query": query.tolist(), "temperature": T}


def still(state: dict, asking: bool) -> Picture:
    """Draw keys and query in the plane and, unless they are asked for, the weights and the scores."""
    result, K, q = compute(**state), keys(), state["query"]
    fig, (left, right) = figure(1, 2, width=6.4, height=3.2)
    sizes = 10 if asking else 10 + 3000 * result["weights"]
    left.scatter(*K.T, s=sizes, color=PALETTE["blue"], alpha=0.4, linewidths=0)
    left.add_patch(Circle((0, 0), state["temperature"], fill=False, color=PALETTE["orange"], lw=2))
    left.annotate("", q, (0, 0), arrowprops={"arrowstyle": "->", "color": "#000000", "lw": 2})
    left.text(q[0] + 0.1, q[1] + 0.1, "q", style="italic")
    left.set(
        xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", title="200 keys, the query, a ring of radius T"
    )
    alt = f"Left, 200 keys in the plane, a query of length {result['length']:.2f} and a ring of radius T"
    if asking:
        right.axis("off")
        return picture(fig, f"{alt}. How its scores and weights are spread is for you to predict.")
    edges = np.arange(-FARTHEST, FARTHEST, BIN)
    right.bar(edges, result["counts"], BIN, align="edge", color=PALETTE["blue"], alpha=0.4)
    s = np.linspace(-FARTHEST, FARTHEST, 400)
    right.plot(s, KEYS * BIN * stats.norm.pdf(s), "--", color="#000000", lw=1.4)
    if result["ratio"] > 0:
        right.plot(s, KEYS * BIN * stats.norm.pdf(s, scale=result["ratio"]), color=PALETTE["orange"])
    right.set(xlim=(-FARTHEST, FARTHEST), xlabel="score q·k / T", ylabel="keys", title="their scores")
    alt += f", at temperature {state['temperature']:.3g}; the area of a key is its weight, and the query looks at "
    alt += f"{result['looks']:.1f} keys. Right, a histogram of the scores with standard deviation "
    return picture(
        fig, f"{alt}{result['deviation']:.2f}, the normal density with {result['ratio']:.2f}, and dashed that with 1."
    )
