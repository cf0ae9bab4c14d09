"""Drawings of the chapter "Positional encoding"."""

import numpy as np
from attnbook.arrays import one_of, require_int
from attnbook.positional import sinusoidal, t5_bucket, t5_edges
from matplotlib.patches import Rectangle

from ..kit.style import PALETTE, Picture, figure, picture, tiles
from ..kit.validate import each, flags, numbers

__all__ = ["draw_buckets", "draw_order", "draw_products", "draw_similarity"]

FARTHEST = 10**9  # offset that fits into the title


def draw_similarity(table: np.ndarray, products: np.ndarray | None, row: int, other: int, turn: bool) -> Picture:
    """Draw a sinusoidal table with two rows marked, and below it the products of the first of them with every row.

    Parameters
    ----------
    table : array (n, d)
        Row t is p_t; it is drawn as a column, sines over cosines, blue for positive and orange for negative.
    products : array (n,), optional
        p_i·p_t for all t; left out, the lower panel is empty.
    row, other : int
        The rows i and j.
    turn : bool
        Whether the products have a quarter turn between the rows.
    """
    table = numbers("table", table, "n", "d", least=-1, most=1)
    n, d = table.shape
    if products is not None:
        products = numbers("products", products, n, fit="table")
    row, other = require_int("row", row, least=0, most=n - 1), require_int("other", other, least=0, most=n - 1)
    flags(turn=turn)
    fig, (above, below) = figure(2, 1, height=3.9, sharex=True)
    _shade(above, np.vstack([table.T[::2], table.T[1::2]]))
    above.set(xlim=(-0.6, n - 0.4), ylim=(d - 0.5, -0.5), ylabel="cosines, sines", yticks=[])
    for t, colour, dash in ((row, "blue", "-"), (other, "orange", "--")):
        above.add_patch(Rectangle((t - 0.5, -0.5), 1, d, fill=False, edgecolor=PALETTE[colour], linestyle=dash, lw=2))
    alt = f"A table of sines and cosines with {n} rows of {d} columns; rows {row} and {other} are marked"
    if products is None:
        below.axis("off")
        return picture(fig, f"{alt}; how alike they are is for you to predict.")
    colours = [PALETTE["orange" if t == other else "purple"] for t in range(n)]
    below.bar(range(n), products, color=colours)
    below.set(xlabel="position t", ylim=(-d / 2 - 0.2, d / 2 + 0.2), ylabel="product with row i")
    kind = "with a quarter turn between them, " if turn else ""
    alt = (
        f"{alt}. Below, the product of row {row} with every row, {kind}as bars: {products[other]:.3f} with row {other}"
    )
    return picture(fig, f"{alt}, of at most {d // 2}.")


def draw_buckets(offset: int, direction: str = "both") -> Picture:
    """Draw T5's bucket against the offset j − i, 32 buckets and maximal distance 128, with one offset marked.

    ``direction`` is "both", or "past" where a query looks back only.
    """
    one_of("direction", direction, "both", "past")
    offset, both = require_int("offset", offset, least=-FARTHEST, most=FARTHEST), direction == "both"
    edges = [e for e in t5_edges(16 if both else 32) if e]
    points = np.array(
        sorted({-140, 140, *edges, *(e - 1 for e in edges), *(-e for e in edges), *(1 - e for e in edges)})
    )
    bucket = int(t5_bucket(offset, bidirectional=both))
    share = [o for o in range(-140, 141) if t5_bucket(o, bidirectional=both) == bucket]
    fig, ax = figure(height=2.5)
    ax.plot(points, t5_bucket(points, bidirectional=both), drawstyle="steps-post", color=PALETTE["blue"])
    ax.axvspan(min(share) - 0.5, max(share) + 0.5, color=PALETTE["orange"], alpha=0.25, linewidth=0)
    ax.plot(np.clip(offset, -140, 140), bucket, "o", color=PALETTE["orange"], markersize=6)
    ax.set(xlim=(-142, 142), ylim=(-1, 33), xlabel="offset j − i (key minus query)", ylabel="bucket")
    low = "−∞" if min(share) == -140 else f"{min(share)}".replace("-", "−")
    high = "∞" if max(share) == 140 else f"{max(share)}".replace("-", "−")
    ax.set_title(f"offset {offset} → bucket {bucket}: {low} … {high}".replace("-", "−"))
    return picture(
        fig,
        f"Staircase of buckets against offsets, {'both directions' if both else 'looking back only'}. Offset {offset} "
        f"falls into bucket {bucket}, which holds every offset from {low} to {high}.",
    )


def draw_products(d: int = 64, reach: int = 60) -> Picture:
    """Draw p_t·p_{t+s} of sinusoidal rows against s: the same to both sides, and not falling all the way."""
    require_int("d", d, least=2, multiple=2, most=4096)
    steps = np.arange(-require_int("reach", reach, least=5, most=9999), reach + 1)
    product = sinusoidal(steps, d) @ sinusoidal(0, d)
    if (np.diff(product[reach:]) <= 0).all():
        raise ValueError(f"reach = {reach}; expected an offset behind the first at which the product rises")
    rise = int(np.flatnonzero(np.diff(product[reach:]) > 0)[0])
    fig, ax = figure(height=2.5)
    ax.plot(steps, product, color=PALETTE["blue"])
    for sign in (-1, 1):
        ax.plot(sign * 5, product[reach + 5], "o", color=PALETTE["orange"], markersize=6)
    ax.set(xlabel="offset s", ylabel="dot product", xlim=(-reach, reach), ylim=(0, d / 2 + 2))
    return picture(
        fig,
        f"Dot product of two sinusoidal rows, d = {d}, against their offset. The peak {d // 2} is at 0, the curve is "
        f"its own mirror image: {product[reach + 5]:.3f} at 5 and at −5. It rises first from {rise} to {rise + 1}.",
    )


def draw_order(accuracy: dict[str, np.ndarray]) -> Picture:
    """Draw accuracy on the order task: ``accuracy`` maps a scheme to one number per seed; every seed is a mark."""
    each("accuracy", accuracy, "seeds", least=0, most=1)
    fig, ax = figure(height=3.1)
    for row, values in enumerate(accuracy.values()):
        values, blind = np.asarray(values), np.median(values) < 0.75
        colour, mark = ("grey", "x") if blind else ("blue", "o")
        ax.plot(values, row + np.linspace(-0.24, 0.24, len(values)), mark, color=PALETTE[colour], markersize=5)
    ax.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(accuracy)), list(accuracy))
    ax.set(ylim=(len(accuracy) - 0.4, -0.6), xlim=(0.4, 1.02), xlabel="share of right answers")
    medians = ", ".join(f"{name} {np.median(values):.2f}" for name, values in accuracy.items())
    return picture(fig, f"One mark per seed for each scheme, a dotted line at one half. Medians: {medians}.")


def _shade(ax, M, levels=8):
    """Shade positive cells blue and negative ones orange, a path per shade: a table of many cells stays light."""
    shade = np.rint(levels * M).astype(int)
    for level in np.unique(shade[shade != 0]):
        corners = [(j - 0.5, i - 0.5) for i, j in np.argwhere(shade == level)]
        colour = PALETTE["blue" if level > 0 else "orange"]
        tiles(ax, corners, 1, 1, (colour, 0.75 * abs(level) / levels))
