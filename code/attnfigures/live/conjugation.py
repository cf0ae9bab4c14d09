"""Move rows and columns: a table of scores in another order of queries and of keys, and where its diagonal goes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attnbook.permutations import permutation_matrix, permutations

from ..kit.figure import Ask, Live
from ..kit.style import Picture
from ..static.permuting import draw_permuting

__all__ = ["conjugation"]

N = 4
SCORES = np.arange(N * N).reshape(N, N)  # every entry differs, so that none can be taken for another


def conjugation(
    rows: Sequence[int] = (0, 1, 2, 3),
    columns: Sequence[int] = (0, 1, 2, 3),
    *,
    ask: Ask = None,
    label: str = "conjugation",
) -> Live:
    """A live figure of P S Rᵀ: the rows of S (4, 4) in the order ``rows``, its columns in the order ``columns``.

    The entry (i, j) of P S Rᵀ is S[rows[i], columns[j]]. How many entries of the old diagonal are on the diagonal is
    the trace of P Rᵀ; if both orders are the same, P S Pᵀ, it is all of them.

    Parameters
    ----------
    rows, columns : sequence of int
        Rearrangements of 0 … 3: row i comes from row rows[i] of S, column j from column columns[j].
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If ``rows`` or ``columns`` is not a rearrangement of 0 … 3.

    >>> result = conjugation([1, 2, 0, 3], [1, 0, 2, 3]).compute()
    >>> result["home"], result["ways"]
    (2, [[9, 8, 6, 0, 1]])
    """
    state = {"rows": np.asarray(rows).tolist(), "columns": np.asarray(columns).tolist()}
    return Live("conjugation", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(rows: list[int], columns: list[int]) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, order in (("rows", rows), ("columns", columns)):
        if order not in permutations(N):
            raise ValueError(f"{name} = {order}; expected a rearrangement of 0 … 3")


def compute(rows: list[int], columns: list[int]) -> dict[str, Any]:
    """Return P S Rᵀ by its indices, how far it is from the product of matrices, and what is on the diagonal.

    ``home`` counts the entries of the old diagonal on the diagonal, ``trace`` is that of P Rᵀ, and ``ways[0][k]`` is
    how many of the 24 orders of the columns would leave k of them there. The mirror of ``compute`` in conjugation.js.
    """
    P, R = permutation_matrix(rows), permutation_matrix(columns)
    moved, trace = SCORES[np.ix_(rows, columns)], int(np.trace(P @ R.T))
    counts = [sum(a == b for a, b in zip(rows, other, strict=True)) for other in permutations(N)]
    home = int(np.isin(np.diag(moved), np.diag(SCORES)).sum())
    return {
        "moved": moved,
        "productGap": float(abs(moved - P @ SCORES @ R.T).max()),
        "home": home,
        "trace": trace,
        "traceGap": abs(home - trace),
        "ways": [[counts.count(k) for k in range(N + 1)]],
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return conjugation([1, 2, 0, 3])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: both orders the same, or one the reverse of the other."""
    rows = rng.permutation(4).tolist()
    columns = (rows if rng.random() < 0.5 else rows[::-1]) if rng.random() < 0.5 else rng.permutation(4).tolist()
    return {"rows": rows, "columns": columns}


def still(state: dict, asking: bool) -> Picture:
    """Draw S, P S, S Rᵀ and P S Rᵀ; how much of the old diagonal is on the diagonal is not told if it is asked for."""
    return draw_permuting(state["rows"], state["columns"], counts=not asking)
