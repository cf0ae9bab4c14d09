"""Drawings of groups: what moves a mask, which stabilisers lie in which, and the ledger of layers in three colours."""

from collections.abc import Sequence

import numpy as np
from attnbook.arrays import one_of, require_int
from attnbook.permutations import permutations
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from ..kit.style import PALETTE, Picture, canvas, picture, tiles
from ..kit.validate import arrangement, each, flags, named, numbers, texts

__all__ = ["draw_hierarchy", "draw_ledger", "draw_stabiliser"]

#: How a verdict is shown: a letter besides the colour; where neither law holds there is a frame as well.
VERDICTS = {
    "equivariant": ("E", "blue"),
    "invariant": ("I", "green"),
    "both": ("E I", "green"),
    "neither": ("N", "orange"),
    "–": ("–", "grey"),
}


def draw_stabiliser(mask: ArrayLike, perm: Sequence[int], counts: bool = True) -> Picture:
    """Draw M beside P M Pᵀ for ``perm``, the entries that have changed framed; ``counts`` adds stabiliser and orbit.

    ``mask`` is a boolean array (n, n) with n ≤ 6; True is a filled square.
    """
    perm = arrangement("perm", perm)
    n = require_int("the length of perm", len(perm), most=6)
    M = numbers("mask", mask, n, n, least=0, most=1, whole=True, fit="perm").astype(bool)
    flags(counts=counts)
    moved, orbit = M[np.ix_(perm, perm)], _orbit(M)
    survivors, masks = int((orbit == M).all(axis=(1, 2)).sum()), len(np.unique(orbit, axis=0))
    fig, ax = canvas(300, 208)
    for title, grid, left in (("M", M, 18), ("P M Pᵀ", moved, 172)):
        ax.text(left, 18, title)
        _squares(ax, grid, left, 26, 20)
        for i in range(n):
            ax.text(left - 5, 26 + 20 * i + 14, str(perm[i] if left > 100 else i), ha="right")
    for i, j in np.argwhere(moved != M):
        x, y = 172 + 20 * j, 26 + 20 * i
        ax.plot([x + 4, x + 16, x + 16, x + 4, x + 4], [y + 4, y + 4, y + 16, y + 16, y + 4], color=PALETTE["orange"])
    changed = int((moved != M).sum())
    verdict = "The mask has not changed." if changed == 0 else f"{changed} entries have changed."
    ax.text(18, 166, verdict)
    total, order = len(orbit), " ".join(map(str, perm))
    alt = f"A mask of {int(M.sum())} visible pairs, and the same mask in the order {order}. {verdict}"
    if not counts:
        return picture(fig, alt)
    ax.text(18, 182, f"Of {total} orders, leaving M as it is: {survivors}.")
    ax.text(18, 198, f"Different masks: {total} / {survivors} = {masks}.")
    alt += f" Of {total} orders, leaving it as it is: {survivors}; masks in its orbit: {masks}."
    return picture(fig, alt)


def draw_hierarchy(masks: dict[str, ArrayLike]) -> Picture:
    """Draw each mask with the size of its stabiliser, and a line from a group down to each largest group inside it.

    ``masks`` maps a name to a boolean array (n, n), n ≤ 6. A group stands one row below the lowest group around it.
    """
    for M in each("masks", masks, "n", "n", least=0, most=1, whole=True).values():
        require_int("the size of masks", len(M), most=6)
    texts("the names of masks", masks)
    groups = {name: _stabiliser(np.asarray(M, dtype=bool)) for name, M in masks.items()}
    above = {name: [other for other in groups if groups[name] < groups[other]] for name in groups}
    depth = {name: _depth(name, above) for name in groups}
    levels = [[name for name in groups if depth[name] == level] for level in range(max(depth.values()) + 1)]
    width, step = 320, 96
    fig, ax = canvas(width, step * len(levels) - 8)
    at = {
        name: (width * (k + 0.5) / len(row), step * level + 2)
        for level, row in enumerate(levels)
        for k, name in enumerate(row)
    }
    lines = [
        (outer, inner) for inner in groups for outer in above[inner] if not any(outer in above[m] for m in above[inner])
    ]
    for outer, inner in lines:
        (x, y), (u, v) = at[outer], at[inner]
        below = y + 56 + 13 * outer.count("\n")
        ax.plot([x, u], [below, v - 3], color=PALETTE["grey"], linewidth=1.0)
    for name, (x, y) in at.items():
        M = np.asarray(masks[name], dtype=bool)
        _squares(ax, M, x - 39, y, 6, edge=False)
        size = len(groups[name])
        ax.text(x + 4, y + 24, str(size), weight="bold", color=PALETTE["blue" if size > 1 else "orange"])
        for k, line in enumerate(name.split("\n")):
            ax.text(x, y + 50 + 13 * k, line, ha="center")
    sizes = "; ".join(f"{name}: {len(groups[name])}".replace("\n", " ") for name in groups)
    inside = "; ".join(f"{inner} in {outer}".replace("\n", " ") for outer, inner in lines)
    return picture(
        fig, f"Sizes of the groups that leave a mask as it is. {sizes}. Which group lies in which: {inside}."
    )


def draw_ledger(verdicts: dict[str, Sequence[str]], columns: Sequence[str]) -> Picture:
    """Draw a table of verdicts, a row per layer and a column per action: letters on three colours.

    ``verdicts`` maps a layer to one of "equivariant", "invariant", "both", "neither" and "–" for each column.
    """
    left, cell, height = 162, 152 // len(texts("columns", columns)), 19
    for layer, row in named("verdicts", verdicts).items():
        for verdict in texts(f"verdicts[{layer!r}]", row, len(columns), "columns"):
            one_of(f"verdicts[{layer!r}]", verdict, *VERDICTS)
    fig, ax = canvas(left + cell * len(columns) + 4, 22 + height * len(verdicts) + 4)
    for c, column in enumerate(columns):
        ax.text(left + cell * (c + 0.5), 14, column, ha="center")
    for r, (layer, row) in enumerate(verdicts.items()):
        y = 22 + height * r
        ax.text(left - 6, y + 13, layer, ha="right")
        for c, verdict in enumerate(row):
            letter, color = VERDICTS[verdict]
            x = left + cell * c
            if verdict != "–":
                face = Rectangle((x, y), cell - 2, height - 2, facecolor=(PALETTE[color], 0.3), edgecolor="none")
                ax.add_patch(face)
            if verdict == "neither":
                ax.add_patch(Rectangle((x, y), cell - 2, height - 2, fill=False, edgecolor=PALETTE[color], lw=1.2))
            ax.text(x + cell / 2 - 1, y + 13, letter, ha="center")
    rows = [f"{layer}: {', '.join(row)}" for layer, row in verdicts.items()]
    return picture(fig, f"A table with the columns {', '.join(columns)}. {'; '.join(rows)}.")


def _orbit(M):
    """Return P M Pᵀ for every permutation: (n!, n, n)."""
    orders = np.array(permutations(len(M)))
    return M[orders[:, :, None], orders[:, None, :]]


def _stabiliser(M):
    """Return the set of the permutations that leave M as it is."""
    fixes = (_orbit(M) == M).all(axis=(1, 2))
    return {tuple(p) for p, fixed in zip(permutations(len(M)), fixes, strict=True) if fixed}


def _depth(name, above):
    """Return the number of groups in the longest chain above a group."""
    return max((1 + _depth(other, above) for other in above[name]), default=0)


def _squares(ax, M, left, top, size, edge=True):
    """Draw the True entries of M as one path of filled squares, and a frame."""
    n = len(M)
    corners = [(left + size * j, top + size * i) for i, j in np.argwhere(M)]
    tiles(ax, corners, size - 1, size - 1, (PALETTE["blue"], 0.55))
    if edge:
        w = n * size
        ax.plot([left, left + w, left + w, left, left], [top, top, top + w, top + w, top], color="black", linewidth=0.8)
