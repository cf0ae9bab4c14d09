"""Drawings of the chapter "Why √dₖ"."""

from collections.abc import Sequence

import numpy as np
from attnbook.arrays import one_of, require_int, require_number
from attnbook.attention import entropy, softmax, softmax_jacobian
from attnbook.scores import density

from ..kit.style import PALETTE, Picture, bars, figure, heatmap, picture
from ..kit.validate import each, listed, numbers

__all__ = ["draw_densities", "draw_gradients", "draw_learning", "draw_scaling", "draw_two_layers"]

SCALES = {"no scale": lambda d_k: 1.0, "1/√dₖ": lambda d_k: d_k**-0.5, "1/dₖ": lambda d_k: 1 / d_k}
ROW = np.array([-1.53, -0.89, -0.49, -0.16, 0.16, 0.49, 0.89, 1.53])  # eight scores in units of √dₖ: normal quantiles
DASHES = ["-", "--", "-.", ":"]
SIDES = {  # of the experiment `scales`: the name in the legend, colour and dash
    "no scale": ("no scale", "orange", "-"),
    "start only": ("smaller start", "green", ":"),
    "1/√dₖ": ("1/√dₖ", "blue", "--"),
    "1/dₖ": ("1/dₖ", "purple", "-."),
}


def draw_scaling(d_k: int, scale: str | float = "no scale") -> Picture:
    """Draw the exact density of a score and what softmax makes of a typical row of eight, for one d_k and one scale.

    ``scale`` is a name in ``SCALES`` or any positive number.
    """
    d_k = require_int("d_k", d_k)
    if isinstance(scale, str):
        one_of("scale", scale, *SCALES)
    factor = SCALES[scale](d_k) if isinstance(scale, str) else require_number("scale", scale, above=0)
    spread = factor * d_k**0.5
    a = softmax(ROW * spread)
    jacobian, keys = np.linalg.norm(softmax_jacobian(a)), np.exp(entropy(a))
    fig, (top, bottom) = figure(2, height=3.9)
    s = np.union1d(np.linspace(-30, 30, 60), spread * np.linspace(-6, 6, 80))  # even numbers: none is the pole at 0
    top.fill_between(s, density(s / factor, d_k) / factor, facecolor=(PALETTE["blue"], 0.25), edgecolor=PALETTE["blue"])
    top.set(xlim=(-30, 30), ylim=(0, 0.5), xlabel="score", ylabel="density")
    top.set_title(f"standard deviation of a score: {spread:.3g}")
    bars(bottom, a, color="orange", digits=2)
    bottom.set(ylim=(0, 1.15), xlabel="key, from least to most similar", ylabel="weight")
    bottom.set_title(f"the row looks at {keys:.1f} keys, Jacobian norm {jacobian:.3f}")
    return picture(
        fig,
        f"dₖ = {d_k}, {scale}: scores have standard deviation {spread:.3g}. The most similar of eight keys gets weight "
        f"{a[-1]:.3f}, the row looks at {keys:.1f} keys, and the softmax Jacobian has norm {jacobian:.3f}.",
    )


def draw_densities(d_ks: Sequence[int]) -> Picture:
    """Draw the densities of q·k/√dₖ for several d_k beside the normal density of the same variance."""
    numbers("d_ks", d_ks, "n", least=1, whole=True)
    require_int("the number of d_ks", len(d_ks), most=len(DASHES))
    fig, ax = figure(height=2.7)
    s = np.linspace(-4, 4, 160)
    for d_k, dash, color in zip(d_ks, DASHES, ("orange", "green", "blue", "purple"), strict=False):
        ax.plot(s, density(s * d_k**0.5, d_k) * d_k**0.5, dash, color=PALETTE[color], label=f"dₖ = {d_k}")
    ax.plot(s, np.exp(-(s**2) / 2) / np.sqrt(2 * np.pi), color=PALETTE["grey"], linewidth=3, alpha=0.5, label="normal")
    ax.set(xlim=(-4, 4), ylim=(0, 0.9), xlabel="score in units of √dₖ", ylabel="density")
    ax.legend()
    return picture(
        fig,
        f"Density curves for dₖ = {', '.join(map(str, d_ks))} and the normal curve. The smaller dₖ, the sharper the "
        "peak at zero and the thicker the tails beyond three; the largest dₖ lies on the normal curve.",
    )


def draw_two_layers(A: dict[int, np.ndarray]) -> Picture:
    """Draw the weights of layers with different d_k side by side: ``A`` maps d_k to a matrix (n, m)."""
    A = each("A", A, "n", "m", least=0, most=1)
    fig, axes = figure(1, len(A), width=4.4, height=2.5, squeeze=False)
    keys = {}
    for ax, (d_k, weights) in zip(axes.flat, A.items(), strict=True):
        heatmap(ax, weights, limit=1.0)
        keys[d_k] = np.exp(entropy(weights)).mean()
        ax.set_title(f"dₖ = {d_k}")
        ax.set(xlabel="key", ylabel="query")
    counts = ", and ".join(f"with dₖ = {d_k} at {count:.1f}" for d_k, count in keys.items())
    n, m = next(iter(A.values())).shape
    return picture(fig, f"Weights of {n} queries on {m} keys as shades. On average a query looks {counts} keys.")


def draw_gradients(d_ks: Sequence[int], raw: np.ndarray, scaled: np.ndarray) -> Picture:
    """Draw mean and median of ‖J‖ and of ‖∂L/∂q‖ against d_k, without and with the scale.

    ``raw`` and ``scaled`` have the shape (len(d_ks), 2, rows): for each row of weights first ‖J‖, then ‖∂L/∂q‖.
    """
    numbers("d_ks", d_ks, "n", least=1, whole=True)
    raw = numbers("raw", raw, len(d_ks), 2, "rows", least=0, fit="d_ks")
    scaled = numbers("scaled", scaled, len(d_ks), 2, "rows", least=0, fit="d_ks")
    fig, axes = figure(2, height=5.2, sharex=True)
    for i, (ax, what) in enumerate(zip(axes, ("‖J‖", "‖∂L/∂q‖"), strict=True)):
        for norms, color, name in ((raw, "orange", "no scale"), (scaled, "blue", "1/√dₖ")):
            for take, mark, how in ((np.mean, "o-", "mean"), (np.median, "s--", "median")):
                values = take(norms[:, i], axis=1)
                ax.loglog(d_ks, values, mark, color=PALETTE[color], label=f"{name}, {how}")
        ax.set_title(what)
        ax.set(ylim=(1e-7, 9), xticks=d_ks, xticklabels=d_ks)
        ax.minorticks_off()
    fig.get_layout_engine().set(hspace=0.08)
    axes[0].legend(loc="lower left")
    axes[1].set_xlabel("key dimension dₖ")
    ends = [f"the mean {np.mean(x):.2g}, the median {np.median(x):.1e}" for x in (raw[-1, 0], raw[-1, 1])]
    return picture(
        fig,
        f"Two panels against dₖ from {d_ks[0]} to {d_ks[-1]}. With the scale all curves are flat. Without it, at the "
        f"largest dₖ the norm of the Jacobian has {ends[0]}; the gradient at the query has {ends[1]}.",
    )


def draw_learning(rows: Sequence[dict], sides: Sequence[str], chance: float = 1 / 8) -> Picture:
    """Draw the accuracy of ``sides`` against the number of steps, a panel for each d_k: the median and the range.

    ``rows`` is the summary of the experiment ``scales``: each has ``side``, ``d_k``, and under ``"right N"`` the least,
    median and largest accuracy in the window of steps that ends at N.
    """
    rows = listed("rows", rows)
    for side in listed("sides", sides):
        one_of("one of sides", side, *SIDES)
    widths = sorted({row["d_k"] for row in rows})
    ends = sorted(int(key.removeprefix("right ")) for key in rows[0] if key.startswith("right "))
    middles = (np.array([0, *ends[:-1]]) + ends) / 2  # of the windows
    fig, axes = figure((len(widths) + 1) // 2, 2, height=4.2, sharex=True, sharey=True, squeeze=False)
    said = []
    for ax, d_k in zip(axes.flat, widths, strict=False):
        ax.axhline(chance, color=PALETTE["grey"], linewidth=0.8)
        for row in rows:
            if row["d_k"] != d_k or row["side"] not in sides:
                continue
            name, colour, dash = SIDES[row["side"]]
            curves = [row[f"right {end}"] for end in ends]
            least, middle, most = numbers("the accuracies of rows", curves, len(ends), 3, least=0, most=1).T
            ax.fill_between(middles, least, most, color=PALETTE[colour], alpha=0.18, linewidth=0)
            ax.semilogx(middles, middle, dash, color=PALETTE[colour], label=name)
            said.append(f"{name} at dₖ = {d_k} {middle[-1]:.0%} ({least[-1]:.0%} to {most[-1]:.0%})")
        ax.set_title(f"dₖ = {d_k}")
        ax.set(ylim=(0, 1.03), yticks=[0, 0.5, 1], yticklabels=["0", "50 %", "100 %"])
        ax.set(xticks=[10, 100, 1000], xticklabels=["10", "100", "1000"])
        ax.minorticks_off()
    for ax in axes[-1]:
        ax.set_xlabel("steps")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(sides))
    return picture(
        fig,
        f"Curves of right answers against steps, a panel for each of {len(widths)} widths. In the last steps, the "
        f"median of the seeds and their range: {'; '.join(said)}.",
    )
