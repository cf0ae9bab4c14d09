"""Many rows of weights with one output: five words, their values in the plane, and the output as a star."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attnbook.arrays import as_array
from attnbook.attention import attention, attention_weights
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live, require_one_of, require_points
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["star"]

M = 5  # words
REACH = 3  # the planes go from -3 to 3
NOTHING = 1e-14  # rounding leaves less of a weight that has become 0
MODES = ("query", "weights")
HUES, MARKS = [*list(PALETTE)[:4], "sky"], ["o", "s", "^", "D", "X"]


def star(
    words: Sequence[str],
    values: ArrayLike,
    keys: ArrayLike,
    query: ArrayLike,
    *,
    mode: str = "query",
    ask: Ask = None,
    label: str = "star",
) -> Live:
    """A live figure of all rows of weights b with Σ_j b_j V_j = Σ_j a_j V_j and a = softmax(Kq / √2).

    First the query moves the weights, and the weights move the output, which is drawn as a star. Then the star is
    frozen and one weight b_j is moved. The others make way: of all changes Δ with [V 1]ᵀΔ = 0 and the wanted Δ_j they
    take the one with the least Σ_l Δ_l². A move ends where a weight has become 0.

    Parameters
    ----------
    words : sequence of str
        Five words of one to eight characters.
    values : array (5, 2)
        V, from -3 to 3, in steps of 0.1: the rank of [V 1] is then a matter of whole numbers.
    keys : array (5, 2)
        K, from -3 to 3. They stay where they are.
    query : array (2,)
        q, coordinates from -3 to 3.
    mode : {"query", "weights"}
        What the reader moves first.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a shape, a coordinate, a word or the mode is not as above.

    >>> square = [[-1, -1], [-1, 1], [1, -1], [1, 1], [0, 0]]
    >>> star("abcde", square, square, [0, 0]).compute()["free"]
    2
    """
    state = {
        "words": list(words),
        "query": as_array("query", query, 1).tolist(),
        "keys": as_array("keys", keys, 2).tolist(),
        "values": as_array("values", values, 2).tolist(),
        "mode": mode,
        "pull": [0.0] * M,
    }
    return Live("star", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(words: list, query: list, keys: list, values: list, mode: str, pull: list) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_points("query", [query], range(1, 2), REACH)
    require_points("keys", keys, range(M, M + 1), REACH)
    tenths = 10 * require_points("values", values, range(M, M + 1), REACH)
    if not (abs(tenths - np.rint(tenths)) < 1e-9).all():
        raise ValueError(f"values = {values}; expected whole tenths")
    if len(words) != M or not all(isinstance(word, str) and 1 <= len(word) <= 8 for word in words):
        raise ValueError(f"words = {words}; expected {M} words of one to eight characters")
    require_one_of("mode", mode, MODES)
    if np.shape(pull) != (M,) or not (abs(np.asarray(pull, dtype=float)) <= 1).all():
        raise ValueError(f"pull = {pull}; expected {M} numbers from -1 to 1")


def freedom(values: list) -> tuple[int, np.ndarray]:
    """Return the rank of [V 1] and a whole multiple of the projector onto the null space of [V 1]ᵀ.

    With x, y the two columns of V in tenths, times 5 and centred, and D = |x|²|y|² − (x·y)², the projector is
    I − 11ᵀ/5 − (|y|² xxᵀ − (x·y)(xyᵀ + yxᵀ) + |x|² yyᵀ)/D. If all values are on a line, D = 0, and what is subtracted
    is (xxᵀ + yyᵀ)/(|x|² + |y|²); if they coincide, nothing is. Times its denominators, it consists of whole numbers
    below 2⁵³, which are exact in every language.
    """
    tenths = np.rint(10 * np.asarray(values)).astype(np.int64)
    x, y = (M * tenths - tenths.sum(0)).T
    xx, yy, xy = x @ x, y @ y, x @ y
    common, along = xx * yy - xy * xy, yy * np.outer(x, x) + xx * np.outer(y, y)
    along -= xy * (np.outer(x, y) + np.outer(y, x))
    rank = 3
    if common == 0:
        common, along, rank = xx + yy, np.outer(x, x) + np.outer(y, y), 2
    if common == 0:
        common, rank = 1, 1
    return rank, M * common * np.eye(M, dtype=np.int64) - common - M * along


def compute(words: list, query: list, keys: list, values: list, mode: str, pull: list) -> dict[str, Any]:
    """Return the weights, the output, and how each weight may still be moved while the output is held.

    ``given`` are the weights of the query and ``held`` is their output. In mode "weights" the weights are given + Δ,
    with Δ the part of ``pull`` in the null space of [V 1]ᵀ, shortened so that no weight is negative. Row j of
    ``directions`` is the least change of all weights for a change of weight j by 1, or 0 if the output fixes weight j;
    along it, weight j can go from ``low`` to ``high``. The mirror of ``compute`` in star.js.
    """
    V, (rank, N) = np.asarray(values, dtype=float), freedom(values)
    given = attention_weights([query], keys)[0]
    change = N @ np.asarray(pull) / (N.trace() / (M - rank)) * (mode == "weights")
    moved = given + change
    short = moved < -NOTHING
    moved = given + change * min(given[short] / -change[short], default=1.0)
    weights = np.where((change != 0) & (moved < NOTHING), 0.0, moved)
    diagonal = N.diagonal()
    directions = N / np.where(diagonal, diagonal, 1)[:, None]
    ends = np.zeros((2, M))  # how far weight j can go down and up
    for j in np.flatnonzero(diagonal):
        for end, d in ((0, directions[j]), (1, -directions[j])):
            ends[end, j] = min(weights[d > 0] / d[d > 0])
    output, held = weights @ V, attention([query], keys, V)[0]
    return {
        "given": given,
        "weights": weights,
        "output": output,
        "held": held,
        "rank": rank,
        "free": M - rank,
        "directions": directions,
        "low": weights - ends[0],
        "high": weights + ends[1],
        "moved": abs(weights - given).sum() / 2,
        "starGap": abs(output - held).max(),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    values = [[-2.3, -0.6], [-0.9, 2.2], [2.2, 1.3], [1.3, -2.1], [0.6, 0.2]]
    keys = [[1.1, 0.4], [-0.5, 1.5], [-1.2, -0.8], [0.9, -1.4], [1.9, 1.6]]
    return star(["the", "cat", "saw", "a", "dog"], values, keys, [0.8, 0.5])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Values on a line or in few points, a query that sees one word, a pull too far.
    """
    extreme, mode = rng.random() < 0.5, str(rng.choice(["query", "weights"]))
    values = rng.integers(-30, 31, (5, 2)) / 10
    keys, query = np.round(rng.uniform(-3, 3, (5, 2)), 2), np.round(rng.uniform(-1, 1, 2), 2)
    pull = rng.uniform(-0.3, 0.3, 5)
    if extreme:
        line = rng.integers(-3, 4, (5, 1)) * rng.integers(-10, 11, 2) / 10
        few = rng.integers(-30, 31, (3, 2))[rng.integers(int(rng.integers(1, 4)), size=5)] / 10
        off = np.vstack([line[:4], values[:1]])  # the output fixes the last weight, unless it is on the line as well
        values = [line, few, off][int(rng.integers(3))]
        query, pull = rng.choice([-3.0, 0.0, 3.0], 2), rng.choice([-1.0, 0.0, 1.0], 5)
    words = [str(word) for word in rng.choice(["a", "dog", "eightish"], 5)]
    state = {"words": words, "query": query, "keys": keys, "values": values, "mode": mode, "pull": pull}
    return {name: x.tolist() if isinstance(x, np.ndarray) else x for name, x in state.items()}


def still(state: dict, asking: bool) -> Picture:
    """Draw the query with the keys, the values with the star, and the weights, unless they are asked for."""
    words, q, result = state["words"], state["query"], compute(**state)
    fig, (left, middle, right) = figure(1, 3, width=6.4, height=2.6)
    for ax, title in ((left, "query and keys"), (middle, "values and star")):
        ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", title=title)
    right.set(xlim=(0, 1), ylim=(M - 0.5, -0.5), title="weights", yticks=range(M), yticklabels=words)
    for j, (key, value) in enumerate(zip(state["keys"], state["values"], strict=True)):
        colour, weight = PALETTE[HUES[j]], 0 if asking else result["weights"][j]
        left.plot([0, key[0]], [0, key[1]], color=colour, lw=1)
        middle.plot(*zip(value, result["output"], strict=True), color=colour, lw=6 * weight, alpha=0.6)
        for ax, point in ((left, key), (middle, value)):
            ax.plot(*point, MARKS[j], color=colour, markersize=7)
        right.barh(j, weight, height=0.6, color=colour, alpha=0.5)
        if state["mode"] == "weights" and not asking:
            right.barh(j, result["given"][j], height=0.6, facecolor="none", edgecolor="#000000", lw=0.8)
    left.annotate("", q, (0, 0), arrowprops={"arrowstyle": "->", "color": "#000000", "lw": 2})
    left.text(q[0] + 0.1, q[1] + 0.1, "q", style="italic")
    alt = f"A query with five keys, and the values of the words {', '.join(words)} in the plane"
    if asking:
        return picture(fig, f"{alt}; the weights and their output are for you to predict.")
    middle.plot(*result["output"], "*", mfc="#000000", mec="#000000", markersize=13)
    weights, at = ", ".join(f"{a:.2f}" for a in result["weights"]), result["output"]
    alt += f", with the weights {weights} as bars and their output, a star, at ({at[0]:.2f}, {at[1]:.2f})"
    if state["mode"] == "weights":
        alt += f"; outlines show the query's weights, {', '.join(f'{a:.2f}' for a in result['given'])}: the same star"
    return picture(fig, f"{alt}.")
