"""Four cards that are shuffled, run through a step and put back: by the list itself, and by its inverse."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attnbook.permutations import compose, inverse, permutation_matrix, permutations
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from ..kit.figure import Ask, Live
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["restore"]

N = 4  # cards
LISTS = permutations(N)
HUES = list(PALETTE)[:N]


def restore(
    words: Sequence[str] = ("the", "cat", "saw", "birds"),
    order: Sequence[int] = (2, 0, 1, 3),
    *,
    tried: Sequence[Sequence[int]] = (),
    ask: Ask = None,
    label: str = "restore",
) -> Live:
    """A live figure of Y[argsort(perm)] = f(X), where Y = f(X[perm]) and f treats every row alike.

    The reader drags four cards into an order, runs a step on each of them, and sees two ways to put them back. The
    inverse list always brings them home. The list itself does so if and only if P² = I, which is P = Pᵀ: for 10 of the
    24 lists. A grid keeps the lists that have been tried.

    Parameters
    ----------
    words : sequence of 4 str
        What is on the cards: one to six characters each.
    order : sequence of 4 int
        The list ``perm``: position i receives card ``order[i]``.
    tried : sequence of such lists
        The lists whose result is in the grid from the start.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a list is no permutation of 0 … 3, or the words are not as above.

    >>> restore(order=[2, 0, 1, 3]).compute()["byList"]
    [1, 2, 0, 3]
    """
    lists = [np.asarray(perm).tolist() for perm in tried]
    if any(perm not in LISTS for perm in lists):
        raise ValueError(f"tried = {lists}; expected lists that hold each of 0 … {N - 1} once")
    flags = "".join("1" if perm in lists else "0" for perm in LISTS)
    state = {"words": list(words), "order": np.asarray(order).tolist(), "tried": flags}
    return Live("restore", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(words: list, order: list, tried: str) -> None:
    """Raise ``ValueError`` unless the state can be drawn; ``tried`` has a 0 or a 1 for each of the 24 lists."""
    if len(words) != N or not all(isinstance(word, str) and 1 <= len(word) <= 6 for word in words):
        raise ValueError(f"words = {words}; expected {N} words of one to six characters")
    if order not in LISTS:
        raise ValueError(f"order = {order}; expected each of 0 … {N - 1} once")
    if not isinstance(tried, str) or len(tried) != len(LISTS) or set(tried) - {"0", "1"}:
        raise ValueError(f"tried = {tried!r}; expected {len(LISTS)} characters 0 or 1, one for each list")


def compute(words: list, order: list, tried: str) -> dict[str, Any]:
    """Return P, the cards at each position after both ways to put them back, and which lists have been tried.

    ``home`` counts the cards at home after Y[perm] and after Y[argsort(perm)]. ``fates`` says of each list that has
    been tried whether Y[perm] brings all cards home, and None of the others; ``count`` is how many have been tried,
    and for how many of them it does. The mirror of ``compute`` in restore.js.
    """
    by_list, by_inverse = compose(order, order), compose(inverse(order), order)
    done = [compose(perm, perm) == LISTS[0] if flag == "1" else None for perm, flag in zip(LISTS, tried, strict=True)]
    return {
        "P": permutation_matrix(order),
        "byList": by_list,
        "byInverse": by_inverse,
        "home": [int(np.equal(cards, LISTS[0]).sum()) for cards in (by_list, by_inverse)],
        "fates": done,
        "count": [tried.count("1"), done.count(True)],
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return restore(tried=[[1, 0, 2, 3]])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    No list tried or all of them, the order of the cards at home or reversed.
    """
    edge = rng.random() < 0.5
    order = [[0, 1, 2, 3], [3, 2, 1, 0]][int(rng.integers(2))] if edge else rng.permutation(4).tolist()
    flags = "10"[int(rng.integers(2))] * 24 if edge else "".join(rng.choice(["0", "1"], 24).tolist())
    return {"words": [str(w) for w in rng.choice(["a", "word", "sixish", "猫"], 4)], "order": order, "tried": flags}


def still(state: dict, asking: bool) -> Picture:
    """Draw the cards at home and shuffled, the step and, unless it is asked for, both ways to put them back."""
    words, order, result = state["words"], state["order"], compute(**state)
    capitals = [word.upper() for word in words]
    rows = [("X", range(N), words), ("X[perm]", order, words), ("Y\nin capitals", order, capitals)]
    if not asking:
        rows += [("Y[perm]", result["byList"], capitals), ("Y[argsort\n(perm)]", result["byInverse"], capitals)]
    fig, ax = figure(width=3.9, height=0.6 * len(rows) + 0.1)
    for row, (name, cards, texts) in enumerate(rows):
        ax.text(-0.5, -row, name, ha="right", va="center")
        for i, j in enumerate(cards):
            away = row > 2 and i != j  # only what has been put back can be away from home
            colour = PALETTE["orange" if away else "green"] if row > 2 else PALETTE[HUES[j]]
            box = FancyBboxPatch((i - 0.42, -row - 0.2), 0.84, 0.4, boxstyle="round,pad=0.02", fc="none", ec=colour)
            box.set(linestyle="--" if away else "-", linewidth=1.6)
            ax.add_patch(box)
            ax.text(i, -row, f"{j} {texts[j]}", ha="center", va="center")
    for i, j in enumerate(order):
        ends = [((j, -0.24), (i, -0.76), HUES[j]), ((i, -1.24), (i, -1.76), "grey")]
        for start, end, hue in ends:
            arrow = FancyArrowPatch(start, end, arrowstyle="->", mutation_scale=9, color=PALETTE[hue], shrinkA=0)
            ax.add_patch(arrow)
    ax.set(xlim=(-1.7, N - 0.4), ylim=(-len(rows) + 0.6, 0.4))
    ax.axis("off")
    alt = f"Four cards, {', '.join(words)}, in the order {order}; a step writes each of them in capital letters"
    if asking:
        return picture(fig, f"{alt}. Where they go when they are put back is for you to predict.")
    return picture(
        fig,
        f"{alt}. Y[perm] then brings {result['home'][0]} of them home, drawn solid, and the others, dashed, where "
        f"other cards belong. Y[argsort(perm)] brings all four home.",
    )
