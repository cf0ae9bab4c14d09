"""Two shuffles as layers of strings, one after the other, and the one shuffle that they make together."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from attnbook.permutations import compose, cycles, inverse, parity, permutation_matrix

from ..kit.figure import Ask, Live
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["strings"]

HUES, MARKS = list(PALETTE), ["o", "s", "^", "D", "*", "X"]


def strings(
    first: Sequence[int],
    second: Sequence[int],
    *,
    words: Sequence[str] | None = None,
    ask: Ask = None,
    label: str = "strings",
) -> Live:
    """A live figure of P₂P₁: every token is a string, and the reader drags its end from one position to another.

    Strings cross as often as a list has inversions, pairs i < j with π(i) > π(j), and sign P = (−1)^crossings. A pair
    of strings that crosses in both layers does not cross in P₂P₁: crossings(P₂P₁) is the sum of both minus an even
    number, so sign(P₂P₁) = sign P₂ · sign P₁.

    Parameters
    ----------
    first, second : sequence of 3 to 6 int
        The shuffle that acts first and the one that acts on its result: position i receives what was at ``perm[i]``.
        Both together are ``compose(second, first)``, which is ``X[first][second]``.
    words : sequence of str, optional
        One for each token, of one to eight characters; letters if it is left out.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a list is no permutation, if the lengths differ, or if there are other words than those above.

    >>> strings([2, 0, 1], [1, 0, 2]).compute()["composed"]
    [0, 2, 1]
    """
    state = {
        "first": np.asarray(first).tolist(),
        "second": np.asarray(second).tolist(),
        "words": list("abcdef"[: len(first)] if words is None else words),
    }
    return Live("strings", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(first: list, second: list, words: list) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    n = len(first)
    for name, perm in (("first", first), ("second", second)):
        if not 3 <= n <= 6 or sorted(perm) != list(range(n)):
            raise ValueError(f"{name} = {perm}; expected each of 0 … {n - 1} once, three to six in all")
    if len(words) != n or not all(isinstance(word, str) and 1 <= len(word) <= 8 for word in words):
        raise ValueError(f"words = {words}; expected {n} words of one to eight characters")


def compute(first: list, second: list, words: list) -> dict[str, Any]:
    """Return both shuffles in one, the matrices, crossings and signs of the three, and the cycles of the one.

    ``twice`` counts the pairs of strings that cross in both layers; ``inverse`` undoes ``first``. The mirror of
    ``compute`` in strings.js, which counts crossings for the sign where this counts cycles.
    """
    both, P1, P2 = compose(second, first), permutation_matrix(first), permutation_matrix(second)
    product, signs = P2 @ P1, [parity(perm) for perm in (first, second, both)]
    crossings, twice = [_crossing(p, p) for p in (first, second, both)], _crossing(first, inverse(second))
    return {
        "composed": both,
        "P1": P1,
        "P2": P2,
        "product": product,
        "crossings": crossings,
        "twice": twice,
        "signs": signs,
        "inverse": inverse(first),
        "cycles": cycles(both),
        "productGap": abs(product - permutation_matrix(both)).max(),
        "crossingGap": abs(crossings[0] + crossings[1] - 2 * twice - crossings[2]),
        "signGap": abs(signs[0] * signs[1] - signs[2]),
        "commuteGap": abs(product - P1 @ P2).max(),
        "homeGap": abs(product - np.eye(len(both))).max(),
    }


def _crossing(p: list, q: list) -> int:
    """The number of pairs i < j in the wrong order in both lists: p[i] > p[j] and q[i] > q[j]."""
    return int(np.triu(np.greater.outer(p, p) & np.greater.outer(q, q)).sum())


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return strings([2, 0, 3, 1, 4], [3, 0, 1, 4, 2])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    An identity, a reversal, a shuffle undone by the other, or twice the same.
    """
    n = int(rng.integers(3, 7))
    first, second = rng.permutation(n).tolist(), rng.permutation(n).tolist()
    if rng.random() < 0.5:
        extremes = [list(range(n)), list(range(n))[::-1], np.argsort(first).tolist(), first]
        second = extremes[int(rng.integers(4))]
    return {"first": first, "second": second, "words": [str(w) for w in rng.choice(["a", "word", "eightish"], n)]}


def still(state: dict, asking: bool) -> Picture:
    """Draw the strings through both layers and, unless it is asked for, the layer that does the same in one step."""
    first, words, result = state["first"], state["words"], compute(**state)
    n, both, t = len(first), result["composed"], np.linspace(0, 1, 40)
    fig, axes = figure(1, 2, width=6.4, height=0.8 + 0.42 * n, width_ratios=[2, 1])
    ends = [[range(n), inverse(first), inverse(both)], [range(n), inverse(both)]]
    titles = [["shuffle 1", "shuffle 2"], ["both in one step"]]
    counts = [result["crossings"][:2], result["crossings"][2:]]
    for ax, columns, names, crossings in zip(axes, ends, titles, counts, strict=True):
        last = len(columns) - 1
        ax.set(xlim=(-0.3, last + 0.3), ylim=(n - 0.5, -1.4))
        ax.axis("off")
        if asking and last == 1:
            ax.text(0.5, (n - 1) / 2, "?", ha="center", va="center")
            continue
        for j, hue in enumerate(HUES[:n]):
            places = [column[j] for column in columns]
            for i, (a, b) in enumerate(pairwise(places)):
                ax.plot(i + t, a + (b - a) * (3 * t**2 - 2 * t**3), color=PALETTE[hue])
            ax.plot(range(last + 1), places, MARKS[j], color=PALETTE[hue], markersize=6)
            ax.text(-0.08, places[0], f"{j}: {words[j]}", ha="right", va="center")
            ax.text(last + 0.08, places[-1], words[j], va="center")
        for i, (name, k) in enumerate(zip(names, crossings, strict=True)):
            ax.text(i + 0.5, -0.95, f"{name}\n{k} crossing{'s' * (k != 1)}", ha="center", va="center")
    alt = f"Two layers of {n} strings, for the lists {first} and {state['second']}"
    if asking:
        return picture(fig, f"{alt}; what both do in one step is for you to predict.")
    a, b, c = result["crossings"]
    return picture(fig, f"{alt}, with {a} and {b} crossings. Both in one step are {both}, with {c} crossings.")
