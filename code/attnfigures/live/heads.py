"""Two heads report who sees and who is seen; one head reports a mixture."""

from itertools import product
from typing import Any

import numpy as np
from attnbook.arrays import as_array
from attnbook.attention import attention, attention_weights
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live, require_points, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["heads"]

REACH = 3  # the plane of queries and keys goes from -3 to 3
EXACT = 1e-12  # a smaller margin is rounding
NAMES = {1: "cat", -1: "dog"}  # a value does not depend on the position of its word; that of “sees” is 0
SENTENCES = list(product(NAMES, NAMES))
POSITIONS = ("1st word", "sees", "3rd word")
QUESTIONS = ("who sees?", "who is seen?")


def heads(keys: ArrayLike, queries: ArrayLike, *, second: float = 0.0, ask: Ask = None, label: str = "heads") -> Live:
    """A live figure of what a second head adds to the outputs for “cat sees dog” and the three sentences like it.

    The value of a word is 1 for *cat*, −1 for *dog* and 0 for *sees*, at every position. A head with weights a on the
    three positions then puts out a₁s₁ + a₃s₃, with s₁, s₃ = ±1: one mixture. A second head, times a factor from 0 to 1,
    makes each output a point of a plane. A reader answers a question with a straight cut between the outputs. With c₁
    and c₃ the weights of both heads, times their factors, on the first and on the third word, the margin of "who sees?"
    is min over |t| ≤ 1 of ‖c₁ + t c₃‖, the distance of the outputs to the best cut, or 0 if there is no cut. Without
    the second head the margins are max(a₁ − a₃, 0) and max(a₃ − a₁, 0), never both positive. With it both are positive
    if and only if a₁b₃ ≠ a₃b₁.

    Parameters
    ----------
    keys : array (3, 2)
        The keys of the first word, of *sees* and of the third word, from -3 to 3. They stay where they are.
    queries : array (2, 2)
        A query for each head, coordinates from -3 to 3.
    second : float
        The factor of the second head, from 0 to 1.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a shape, a coordinate or the factor is not as above.

    >>> keys = [[2, 1], [0, -2], [-2, 1]]
    >>> (heads(keys, [[0.5, 0.5], [-0.5, 0.5]], second=1).compute()["margins"] > 0).tolist()
    [True, True]
    """
    state = {
        "keys": as_array("keys", keys, 2).tolist(),
        "queries": as_array("queries", queries, 2).tolist(),
        "second": float(second),
    }
    return Live("heads", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(keys: list, queries: list, second: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_points("keys", keys, range(3, 4), REACH)
    require_points("queries", queries, range(2, 3), REACH)
    require_within("second", second, 0, 1)


def compute(keys: list, queries: list, second: float) -> dict[str, Any]:
    """Return weights, the outputs of the four sentences, and for both questions the margin and the cut, if any.

    ``outputs`` (4, 2) are points, whose second coordinate is the second head times its factor. A cut is a vector w, as
    long as the margin: the sign of w·y answers the question with the largest margin. The mirror of ``compute`` in
    heads.js.
    """
    factors = np.array([1.0, second])
    weights = attention_weights(queries, keys)
    values = np.array([[[first], [0], [third]] for first, third in SENTENCES])
    outputs = attention(queries, keys, values)[..., 0] * factors
    mixed = weights * factors[:, None]
    margins, cuts = np.zeros(2), [None, None]
    for i, (own, other) in enumerate(((mixed[:, 0], mixed[:, 2]), (mixed[:, 2], mixed[:, 0]))):
        nearest = own + np.clip(-(own @ other) / (other @ other), -1, 1) * other
        margin = np.sqrt(nearest @ nearest)
        if margin > EXACT:
            margins[i], cuts[i] = margin, nearest
    return {"weights": weights, "outputs": outputs, "margins": margins, "cuts": cuts}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return heads([[1.8, 0.9], [0, -1.9], [-1.8, 0.9]], [[0.6, 0.5], [-0.7, 0.4]], second=0.8)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    A head that sees one word, two heads alike, two words that count alike.
    """
    extreme, second = rng.random() < 0.5, float(rng.choice([0.0, 1.0, np.round(rng.uniform(), 2)]))
    keys, queries = np.round(rng.uniform(-3, 3, (3, 2)), 2), np.round(rng.uniform(-3, 3, (2, 2)), 2)
    if extreme:
        keys, queries = rng.choice([-3.0, -1.0, 0.0, 3.0], (3, 2)), rng.choice([-3.0, 0.0, 0.5, 3.0], (2, 2))
        keys[2] = [keys[2], keys[0], [keys[0, 0], -keys[0, 1]]][int(rng.integers(3))]
        queries[1] = queries[int(rng.integers(2))]
    return {"keys": keys.tolist(), "queries": queries.tolist(), "second": second}


def still(state: dict, asking: bool) -> Picture:
    """Draw queries and keys, and the outputs of the four sentences with the cuts, unless they are asked for."""
    two, result = state["second"] > 0, compute(**state)
    fig, (left, right) = figure(1, 2, width=6.4, height=4.4)
    left.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", title="queries and keys")
    right.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title="outputs of four sentences", xlabel="head 1")
    for key, name in zip(state["keys"], POSITIONS, strict=True):
        left.annotate("", key, (0, 0), arrowprops={"arrowstyle": "->", "color": PALETTE["grey"], "lw": 1.6})
        left.text(*(1.15 * np.array(key)), name, ha="center", va="center")
    for h, q in enumerate(state["queries"][: 1 + two]):
        left.annotate("", q, (0, 0), arrowprops={"arrowstyle": "->", "color": "#000000", "lw": 2})
        left.text(q[0] + 0.1, q[1] + 0.1, f"q{'₁₂'[h]}", style="italic")
    heads = f"two heads, the second times {state['second']:.2f}," if two else "one head"
    alt = f"Left, the queries of {heads} and the keys of three words"
    if asking:
        return picture(fig, f"{alt}; the outputs are for you to predict.")
    right.axhline(0, color="#000000", lw=0.6)
    if two:
        right.axvline(0, color="#000000", lw=0.6)
        right.set_ylabel("head 2")
    else:
        right.set_yticks([])
    for (first, third), y in zip(SENTENCES, result["outputs"], strict=True):
        halves = [PALETTE["orange"] if word > 0 else "none" for word in (first, third)]
        fill = {"fillstyle": "left", "mec": "#000000", "mfc": halves[0], "markerfacecoloralt": halves[1]}
        name = f"{NAMES[first]} sees {NAMES[third]}"
        right.plot(y[0], y[1], "o", ls="", markersize=11, label=name, **fill)
    texts = []
    for cut, dash, question in zip(result["cuts"], ("-", "--"), QUESTIONS, strict=True):
        texts.append(f"{'a' if cut is not None else 'no'} straight cut answers “{question}”")
        if cut is not None:
            x, y = 2 * cut / np.linalg.norm(cut)
            band = np.array([[-y, x], [y, -x], [y, -x], [-y, x]]) + np.outer([1, 1, -1, -1], cut)
            right.fill(*band.T, color="#000000", alpha=0.09, lw=0)
            right.plot([-y, y], [x, -x], dash, color="#000000", label=question)
    fig.legend(loc="outside lower center", ncols=3, frameon=False)
    return picture(fig, f"{alt}. Right, the outputs of the four sentences from cat and dog: {' and '.join(texts)}.")
