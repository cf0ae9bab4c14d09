"""Rows of a sinusoidal table: how alike two of them are, what each pair of columns adds, and what direction needs."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.positional import frequencies, sinusoidal

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import Picture
from ..static.position import draw_similarity

__all__ = ["similarity"]

LAST = 40
COLUMNS = (2, 4, 8, 16, 64)


def similarity(
    row: int = 10,
    other: int = 15,
    *,
    d: int = 8,
    base: float = 10_000,
    turn: bool = False,
    ask: Ask = None,
    label: str = "similarity",
) -> Live:
    """A live figure of p_i·p_j = Σ cos ω(j − i) for the rows of a sinusoidal table, and of p_i J p_jᵀ = Σ sin ω(j − i).

    The table has 41 rows p_t = (sin ω₀t, cos ω₀t, sin ω₁t, …) with ω_h = base^(−2h/d), and J turns each pair by a
    quarter. The first product is the same in both directions, and does not fall with distance all the way; the second
    changes its sign with the direction (Vaswani et al. 2017, section 3.5).

    Parameters
    ----------
    row, other : int
        The positions i and j, 0 … 40.
    d : {2, 4, 8, 16, 64}
        Columns of the table.
    base : float
        1 ≤ base ≤ 10⁶; the slowest of the frequencies is base^(2/d − 1).
    turn : bool
        Whether the quarter turn J stands between the rows.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a number is not as above, or ``turn`` not a Boolean.

    >>> result = similarity(10, 15).compute()
    >>> round(float(result["product"]), 3), result["rival"]
    (3.16, 6)
    """
    state = {"row": row, "other": other, "d": d, "base": float(base), "turn": turn}
    return Live("similarity", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(row: int, other: int, d: int, base: float, turn: bool) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, position in (("row", row), ("other", other)):
        require_int(name, position, least=0, most=LAST)
    require_one_of("d", d, COLUMNS)
    require_within("base", base, 1, 1e6)
    require_one_of("turn", turn, (True, False))


def compute(row: int, other: int, d: int, base: float, turn: bool) -> dict[str, Any]:
    """Return the products of row i with all rows, the waves that add up to them, and what each pair adds at row j.

    ``rival`` is the offset of the most similar of the rows that are farther from i than j and more similar to it, 0 if
    there is none. The mirror of ``compute`` in similarity.js.
    """
    omega, table = frequencies(d, base), sinusoidal(np.arange(LAST + 1), d, base)
    between = np.kron(np.eye(d // 2), [[0, -1], [1, 0]] if turn else np.eye(2))
    products = table[row] @ between @ table.T
    wave = np.sin if turn else np.cos
    parts = wave(omega * (other - row))
    alike = np.cos(np.outer(np.arange(LAST + 1), omega)).sum(axis=1)
    near, reach = abs(other - row), max(row, LAST - row)
    farther = np.arange(near + 1, reach + 1)
    best = int(farther[np.argmax(alike[farther])]) if len(farther) else 0
    product = products[other]
    return {
        "waves": wave(omega[:, None] * (np.arange(2 * LAST + 1) / 2 - row)),
        "products": products,
        "product": product,
        "adds": np.stack([omega, parts], axis=1),
        "sumGap": abs(product - parts.sum()),
        "symmetryGap": abs(product - (-1) ** turn * table[other] @ between @ table[row]),
        "rival": best if best and alike[best] > alike[near] + 1e-9 else 0,
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return similarity()


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Rows at the ends or the same, tables of one pair or of 32, a base of 1.
    """
    turn = bool(rng.random() < 0.5)
    if rng.random() < 0.5:
        row, other = rng.choice([0, 20, 40], 2).tolist()
        return {
            "row": row,
            "other": other,
            "d": int(rng.choice([2, 64])),
            "base": float(rng.choice([1, 1e6])),
            "turn": turn,
        }
    row, other = rng.integers(0, 41, 2).tolist()
    base = float(10 ** rng.uniform(0, 6))
    return {"row": row, "other": other, "d": int(rng.choice([2, 4, 8, 16, 64])), "base": base, "turn": turn}


def still(state: dict, asking: bool) -> Picture:
    """Draw a wave for each pair, and their sum, the products of row i with all rows, unless they are asked for."""
    result = compute(**state)
    products = None if asking else result["products"]
    return draw_similarity(result["waves"][:, ::2], products, state["row"], state["other"], state["turn"])
