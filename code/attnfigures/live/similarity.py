"""Rows of a sinusoidal table: how alike two of them are, what each pair of columns adds, and which base it takes."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.positional import frequencies, sinusoidal

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import Picture
from ..static.position import draw_similarity

__all__ = ["similarity"]

LAST = 40
COLUMNS = (2, 4, 8, 16)
SAME = 1e-9  # products closer than this are alike


def similarity(
    row: int = 10,
    other: int = 12,
    *,
    d: int = 8,
    base: float = 10_000,
    ask: Ask = None,
    label: str = "similarity",
) -> Live:
    """A live figure of p_i·p_j = Σ cos ω(j − i) for the rows of a sinusoidal table: a wave for each ω, and their sum.

    The table has 41 rows p_t = (sin ω₀t, cos ω₀t, sin ω₁t, …) with ω_h = base^(−2h/d). Their product does not fall with
    distance all the way. The reader looks for a base with which no row farther away than j is more similar to i
    (Vaswani et al. 2017, section 3.5).

    Parameters
    ----------
    row, other : int
        The positions i and j, 0 … 40.
    d : {2, 4, 8, 16}
        Columns of the table.
    base : float
        1 ≤ base ≤ 10⁶; the slowest of the frequencies is base^(2/d − 1).
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a number is not as above.

    >>> [similarity(10, 12, base=base).compute()["count"] for base in (2, 30, 10_000)]
    [17, 0, 9]
    """
    state = {"row": row, "other": other, "d": d, "base": float(base)}
    return Live("similarity", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(row: int, other: int, d: int, base: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, position in (("row", row), ("other", other)):
        require_int(name, position, least=0, most=LAST)
    require_one_of("d", d, COLUMNS)
    require_within("base", base, 1, 1e6)


def compute(row: int, other: int, d: int, base: float) -> dict[str, Any]:
    """Return the products of row i with all rows, the waves that add up to them, and what each pair adds at row j.

    ``farther`` says of each row whether it is farther from i than j and yet more similar to it; ``count`` is how many
    are. The mirror of ``compute`` in similarity.js.
    """
    omega, table = frequencies(d, base), sinusoidal(np.arange(LAST + 1), d, base)
    products = table[row] @ table.T
    parts = np.cos(omega * (other - row))
    distance = abs(np.arange(LAST + 1) - row)
    farther = (distance > distance[other]) & (products > products[other] + SAME)
    return {
        "waves": np.cos(omega[:, None] * (np.arange(2 * LAST + 1) / 2 - row)),
        "products": products,
        "product": products[other],
        "adds": np.stack([omega, parts], axis=1),
        "sumGap": abs(products[other] - parts.sum()),
        "farther": farther.tolist(),
        "count": int(farther.sum()),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return similarity()


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: rows at the ends or the same, one pair or eight, a base of 1."""
    edge = rng.random() < 0.5
    row, other = (rng.choice([0, 20, 40], 2) if edge else rng.integers(0, 41, 2)).tolist()
    d = int(rng.choice([2, 16] if edge else COLUMNS))
    return {
        "row": row,
        "other": other,
        "d": d,
        "base": float(rng.choice([1, 1e6]) if edge else 10 ** rng.uniform(0, 6)),
    }


def still(state: dict, asking: bool) -> Picture:
    """Draw a wave for each pair, and their sum, the products of row i with all rows, unless they are asked for."""
    result = compute(**state)
    bars = None if asking else (result["products"], result["farther"])
    return draw_similarity(result["waves"][:, ::2], bars, state["row"], state["other"])
