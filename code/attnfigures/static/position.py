"""Drawings of the chapter "Positional encoding"."""

import numpy as np
from attnbook.arrays import one_of, require_int
from attnbook.positional import sinusoidal, t5_bucket, t5_edges

from ..kit.style import PALETTE, Picture, figure, picture
from ..kit.validate import each, numbers

__all__ = ["draw_buckets", "draw_order", "draw_products", "draw_similarity"]

FARTHEST = 10**9  # offset that fits into the title


def draw_similarity(waves: np.ndarray, bars: tuple | None, row: int, other: int) -> Picture:
    """Draw what each pair of a sinusoidal table adds to the products of row i, and below it the products.

    Parameters
    ----------
    waves : array (d/2, n)
        What each pair adds to the product of row i and row t.
    bars : (array (n,), n Booleans), optional
        The product of row i and row t, for all t, and which bars are dashed: they are farther away than j and more
        similar. Left out, the lower panel is empty.
    row, other : int
        The rows i and j.
    """
    waves = numbers("waves", waves, "pairs", "n", least=-1, most=1)
    pairs, n = waves.shape
    row = require_int("row", row, least=0, most=n - 1)
    other = require_int("other", other, least=0, most=n - 1)
    fig, (above, below) = figure(2, 1, height=3.9, sharex=True)
    for k, wave in enumerate(waves):
        above.plot(range(n), 0.44 * wave - k, color=PALETTE["purple"], linewidth=1)
        above.plot((other, other), (-k, 0.44 * wave[other] - k), color=PALETTE["orange"], linewidth=3)
    above.set(xlim=(-0.6, n - 0.4), ylim=(0.6 - pairs, 0.6), ylabel="pairs", yticks=[])
    for ax in (above, below) if bars else (above,):
        ax.axvline(row, color=PALETTE["blue"], linewidth=1)
        ax.axvline(other, color=PALETTE["orange"], linewidth=1, linestyle="--")
    alt = f"A wave for each of {pairs} pairs of columns, over {n} positions; {row} and {other} are marked"
    if not bars:
        below.axis("off")
        return picture(fig, f"{alt}; how alike their rows are is for you to predict.")
    products, dashed = numbers("bars", bars[0], n, fit="waves"), np.array(bars[1], dtype=bool)
    colours = [PALETTE["orange" if t == other else "grey"] for t in range(n)]
    below.bar(range(n), products, color=colours)
    look = {"facecolor": "none", "edgecolor": PALETTE["orange"], "linestyle": "--", "linewidth": 1.5}
    below.bar(np.flatnonzero(dashed), products[dashed], **look)
    below.axhline(products[other], color=PALETTE["orange"], linewidth=0.8)
    below.set(xlabel="position t", ylim=(-pairs - 0.2, pairs + 0.2), ylabel="product with row i")
    alt = (
        f"{alt}. Below, the product of row {row} with every row as bars: {products[other]:.3f} with row {other}, of at "
    )
    return picture(fig, f"{alt}most {pairs}. Farther away and more similar, with dashed bars: {dashed.sum()} rows.")


def draw_buckets(offset: int, direction: str = "both") -> Picture:
    """Draw T5's bucket against the offset j − i, 32 buckets and maximal distance 128, with one offset marked.

    ``direction`` is "both", or "past" where a query looks back only.
    """
    one_of("direction", direction, "both", "past")
    offset = require_int("offset", offset, least=-FARTHEST, most=FARTHEST)
    both = direction == "both"
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
