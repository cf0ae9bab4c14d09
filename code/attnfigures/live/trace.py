"""One number of attention, traced back: the tables Q, K, V, S, A and Y, and the sum behind the chosen number."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attnbook.arrays import as_array
from attnbook.attention import attention, attention_weights, causal_mask, scores
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live, require_one_of
from ..kit.style import Picture, figure, heatmap, number, picture

__all__ = ["trace"]

REACH = 9  # numbers go from -9 to 9
LONGEST = (4, 3)  # rows and columns of Q, K and V
STAGES, MASKS = ("S", "A", "Y"), {"none": lambda n, m: None, "causal": causal_mask}
SCALES = {"sqrt": lambda d: 1 / np.sqrt(d), "none": lambda d: 1.0}
INDEX = "₁₂₃₄"


def trace(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    *,
    mask: str = "none",
    scale: str = "sqrt",
    stage: str = "Y",
    cell: Sequence[int] = (0, 0),
    ask: Ask = None,
    label: str = "trace",
) -> Live:
    """A live figure of S = QKᵀ/√d, A = softmax of each row of S, Y = AV, with the sum behind any one number of them.

    The reader chooses a cell of S, A or Y; what it is made of lights up, and its sum is written out. Every number of
    Q, K and V can be typed. In practice the reader works out the chosen number, and then one of the next table.

    Parameters
    ----------
    Q : array (n, d)
        One to four queries of one to three numbers, from -9 to 9.
    K : array (m, d)
        One to four keys.
    V : array (m, d_v)
        Their values, of one to three numbers.
    mask : {"none", "causal"}
        "causal" hides key j from query i when j > i.
    scale : {"sqrt", "none"}
        Whether scores are divided by √d.
    stage, cell : {"S", "A", "Y"}, two ints
        The table and the row and column of the number whose sum is shown at first.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a shape, a number, the mask, the scale, the table or the cell is not as above.

    >>> trace([[1, 0]], [[3, 0], [3, 1]], [[0, 2], [4, 2]]).compute()["Y"]
    array([[2., 2.]])
    """
    state = {name: as_array(name, x, 2).tolist() for name, x in (("Q", Q), ("K", K), ("V", V))}
    state |= {"mask": mask, "scale": scale, "stage": stage, "cell": list(cell)}
    return Live("trace", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(Q: list, K: list, V: list, mask: str, scale: str, stage: str, cell: list) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    sizes = {}
    for name, x in (("Q", Q), ("K", K), ("V", V)):
        M = as_array(name, x)
        if M.ndim != 2 or (np.array(M.shape) > LONGEST).any() or (abs(M) > REACH).any():
            raise ValueError(f"{name} has shape {M.shape}; expected at most {LONGEST}, from -{REACH} to {REACH}")
        sizes[name] = M.shape
    (n, d), (m, d_k), (rows, d_v) = sizes.values()
    if d_k != d:
        raise ValueError(f"K has shape {(m, d_k)}; expected {(m, d)} to match Q with shape {(n, d)}")
    if rows != m:
        raise ValueError(f"V has shape {(rows, d_v)}; expected {(m, d_v)} to match K with shape {(m, d)}")
    for name, word, words in (("mask", mask, MASKS), ("scale", scale, SCALES), ("stage", stage, STAGES)):
        require_one_of(name, word, words)
    columns = d_v if stage == "Y" else m
    if len(cell) != 2 or cell[0] not in range(n) or cell[1] not in range(columns):
        raise ValueError(f"cell = {cell}; expected a row below {n} and a column below {columns}")


def compute(Q: list, K: list, V: list, mask: str, scale: str, stage: str, cell: list) -> dict[str, Any]:
    """Return S, A and Y, which query may look at which key, and what the chosen number is the sum of.

    The terms are products for S and Y, and for A the exponentials of a row of scores. The value is the chosen cell,
    and its gap is the distance from what the terms make. The mirror of ``compute`` in trace.js.
    """
    i, j = (int(x) for x in cell)
    factor, allowed = SCALES[scale](len(Q[0])), MASKS[mask](len(Q), len(K))
    S, A = scores(Q, K, factor), attention_weights(Q, K, allowed, factor)
    Y = attention(Q, K, V, allowed, factor)
    allowed = np.ones_like(S, dtype=bool) if allowed is None else allowed
    if stage == "S":
        terms, value = np.multiply(Q[i], K[j]), S[i, j]
        total = factor * terms.sum()
    elif stage == "A":
        terms, value = np.where(allowed[i], np.exp(S[i]), 0), A[i, j]
        total = terms[j] / terms.sum()
    else:
        terms, value = A[i] * np.array(V)[:, j], Y[i, j]
        total = terms.sum()
    result = {"S": S, "A": A, "Y": Y, "allowed": allowed}
    return result | {"terms": terms, "value": value, "sumGap": abs(value - total)}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    keys = [[1.5, 0.5], [-0.5, 1.5], [-1.0, -1.0]]
    return trace([[1, 2], [2, -1], [1, 1]], keys, [[1, 0], [0, 2], [2, 1]])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Numbers of ±9 without a scale make scores of ±243, with one row, or a mask.
    """
    n, m = (int(x) for x in rng.integers(1, 5, 2))
    d, d_v = (int(x) for x in rng.integers(1, 4, 2))
    extreme = rng.random() < 0.5

    def rows(*size):
        return (rng.choice([-9.0, -1.0, 0.0, 9.0], size) if extreme else np.round(rng.uniform(-3, 3, size), 2)).tolist()

    stage = str(rng.choice(["S", "A", "Y"]))
    cell = [int(rng.integers(n)), int(rng.integers(d_v if stage == "Y" else m))]
    choices = {"mask": str(rng.choice(["none", "causal"])), "scale": str(rng.choice(["sqrt", "none"]))}
    return {"Q": rows(n, d), "K": rows(m, d), "V": rows(m, d_v), **choices, "stage": stage, "cell": cell}


def still(state: dict, asking: bool) -> Picture:
    """Draw the six tables, each product below and beside its factors, with a frame around the chosen number."""
    result, (i, j) = compute(**state), state["cell"]
    Q, K, V = (np.array(state[name]) for name in "QKV")
    rooted = "/√d" if state["scale"] == "sqrt" else ""
    sizes = {
        "width_ratios": [Q.shape[1], len(K), len(K), V.shape[1]],
        "height_ratios": [max(K.shape[1], len(V)), len(Q)],
    }
    fig, axes = figure(2, 4, width=6.6, height=3.4, gridspec_kw=sizes)
    q, k = [f"q{INDEX[r]}" for r in range(len(Q))], [f"k{INDEX[c]}" for c in range(len(K))]
    tables = [
        (axes[0, 0], None, "", None, None),
        (axes[0, 1], K.T, "keys Kᵀ", None, k),
        (axes[0, 2], None, "", None, None),
        (axes[0, 3], V, "values V", [f"v{INDEX[r]}" for r in range(len(V))], None),
        (axes[1, 0], Q, "queries Q", q, None),
        (axes[1, 1], np.where(result["allowed"], result["S"], 0), f"S = QKᵀ{rooted}", q, k),
        (axes[1, 2], result["A"], "A = softmax(S)", q, k),
        (axes[1, 3], result["Y"], "Y = AV", [f"y{INDEX[r]}" for r in range(len(Q))], None),
    ]
    for ax, M, title, rows, columns in tables:
        ax.set_title(title)
        if M is None or (asking and title[:1] in STAGES):
            ax.set(xticks=[], yticks=[], frame_on=M is not None)
            continue
        heatmap(ax, M, rows=rows, columns=columns)
        ax.set_anchor("S" if ax in axes[0] else "N")
    for text, seen in zip(axes[1, 1].texts, result["allowed"].flat, strict=False):
        text.set_text(text.get_text() if seen else "−∞")
    chosen = axes[1, 1 + STAGES.index(state["stage"])]
    alt = "The tables Q, K and V, and what attention makes of them: scores S"
    if asking:
        return picture(fig, f"{alt}, weights A and the output Y; their numbers are for you to predict.")
    chosen.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, edgecolor="#000000", linewidth=2.5))
    name, hidden = f"{state['stage']}{INDEX[i]}{INDEX[j]}", state["stage"] == "S" and not result["allowed"][i, j]
    value = "−∞" if hidden else number(result["value"], 2)
    return picture(fig, f"{alt}, weights A and the output Y, where {name} = {value} has a frame.")
