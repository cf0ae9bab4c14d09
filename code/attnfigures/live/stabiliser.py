"""A mask over four tokens, which of the 24 orders leave it alone, and the different masks that the orders make."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attnbook.layers import conjugate
from attnbook.permutations import permutations
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live
from ..kit.style import Picture
from ..static.groups import draw_stabiliser

__all__ = ["stabiliser"]

ORDERS = permutations(4)


def stabiliser(
    mask: ArrayLike, *, order: Sequence[int] = (0, 1, 2, 3), ask: Ask = None, label: str = "stabiliser"
) -> Live:
    """A live figure of a mask M (4, 4) beside P M Pᵀ, with all 24 orders P and all masks that they make.

    The reader clicks entries of M and chooses an order. The orders that leave M alone are its stabiliser, the masks
    P M Pᵀ its orbit; stabiliser and orbit are counted each on its own, and the product of their sizes is 4! = 24.

    Parameters
    ----------
    mask : array_like
        M, shape (4, 4), of 0 and 1: query i may look at key j if M_ij = 1.
    order : sequence of int
        perm, a rearrangement of 0 … 3: row i of P M Pᵀ comes from row perm[i] of M.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If ``mask`` is not a 4 × 4 array of 0 and 1, or ``order`` not a rearrangement of 0 … 3.

    >>> result = stabiliser([[1, 1, 1, 0]] * 4).compute()
    >>> result["stabiliser"], result["orbit"]
    (6, 4)
    """
    M = np.asarray(mask)
    state = {"mask": (M * 1 if M.dtype == bool else M).tolist(), "order": np.asarray(order).tolist()}
    return Live("stabiliser", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(mask: list[list[int]], order: list[int]) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    M = np.asarray(mask)
    if M.shape != (4, 4):
        raise ValueError(f"mask has shape {M.shape}; expected (4, 4)")
    if not np.isin(M, (0, 1)).all():
        raise ValueError(f"mask = {mask}; expected entries 0 and 1")
    if order not in ORDERS:
        raise ValueError(f"order = {order}; expected a rearrangement of 0 … 3")


def compute(mask: list[list[int]], order: list[int]) -> dict[str, Any]:
    """Return P M Pᵀ, and how many entries of M it changes; which orders leave M alone, and the different masks.

    ``makes[k]`` is the number of the mask that order k makes. The mirror of ``compute`` in stabiliser.js.
    """
    M = np.array(mask)
    moved, made = conjugate(order, M), [conjugate(perm, M) for perm in ORDERS]
    keeps = [bool((N == M).all()) for N in made]
    numbers = {N.tobytes(): k for k, N in reversed(list(enumerate(made)))}  # the first order that makes each mask
    masks = [made[k] for k in sorted(numbers.values())]
    makes = [sorted(numbers.values()).index(numbers[N.tobytes()]) for N in made]
    result = {"moved": moved, "changed": int((moved != M).sum()), "keeps": keeps, "makes": makes, "masks": masks}
    size, orbit = sum(keeps), len(masks)
    return result | {"stabiliser": size, "orbit": orbit, "countGap": abs(size * orbit - len(made))}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return stabiliser([[1, 1, 1, 0]] * 4, order=[3, 1, 2, 0])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: masks of a few rows and columns, which many orders leave alone."""
    if rng.random() < 0.5:
        rows, columns = rng.integers(0, 2, (2, 4))
        mask = np.outer(rows, columns) if rng.random() < 0.5 else rows[:, None] ^ columns
        return {"mask": mask.tolist(), "order": rng.choice([[0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0]]).tolist()}
    return {"mask": rng.integers(0, 2, (4, 4)).tolist(), "order": rng.permutation(4).tolist()}


def still(state: dict, asking: bool) -> Picture:
    """Draw M beside P M Pᵀ, and count stabiliser and orbit unless they are asked for."""
    return draw_stabiliser(state["mask"], state["order"], counts=not asking)
