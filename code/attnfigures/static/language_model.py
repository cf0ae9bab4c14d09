"""Drawings of the chapter "A real language model"."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..kit.style import PALETTE, Picture, figure, heatmap, number, picture
from ..kit.validate import each, numbers, require, texts

__all__ = ["draw_heads_cost", "draw_losses", "draw_odds"]

CURVES = [("black", "-", "o"), ("purple", ":", "s"), ("green", "--", "^"), ("blue", "-.", "D")]


def draw_odds(odds: dict[str, ArrayLike], low: str, high: str) -> Picture:
    """Draw a line of dots for each name in ``odds``, a dot for each of its log-odds.

    The names of the two answers, ``low`` and ``high``, stand at the ends of the axis; dots are spread up and down only
    so that they can be told apart.
    """
    odds = each("odds", odds, "n")
    texts("low and high", [low, high], 2)
    colours = ["blue", "purple", "green", "orange"]
    fig, ax = figure(height=0.9 + 0.55 * len(odds))
    for row, x in enumerate(odds.values()):
        spread = np.random.default_rng(row).uniform(-0.22, 0.22, len(x))
        ax.plot(x, row + spread, "o", color=PALETTE[colours[row % len(colours)]], markersize=3, alpha=0.6)
        ax.text(x.max() + 0.25, row, f"{number(np.ptp(x), 1)} apart", va="center")
    ax.axvline(0, color="black", linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(odds)), list(odds))
    ax.set(ylim=(len(odds) - 0.5, -0.5), xlabel=f"log-odds: {low} to the left, {high} to the right")
    ax.margins(x=0.16)
    ranges = "; ".join(f"{name} {x.min():.2f} to {x.max():.2f}" for name, x in odds.items())
    return picture(fig, f"Log-odds of {high} against {low}, a dot for each order of the words. {ranges}.")


def draw_heads_cost(cost: ArrayLike, title: str) -> Picture:
    """Draw ``cost`` (layers, heads) as a wall: the fuller a cell, the more its head costs; lines mean that it gains.

    What is less than a twentieth of the largest cost stays empty. The ``title`` says what replaces a head.
    """
    cost = numbers("cost", cost, "layers", "heads")
    require("title", title, str, "text")
    layers, heads = cost.shape
    fig, ax = figure(height=2.4)
    faint = np.abs(cost) < 0.05 * np.abs(cost).max()
    heatmap(ax, np.where(faint, 0, cost).T, aspect="auto")
    layer, head = np.unravel_index(cost.argmax(), cost.shape)
    ax.plot(layer, head, "s", markersize=11, markerfacecolor="none", color=PALETTE["blue"])
    ax.set(xlabel="layer", ylabel="head", title=title)
    ax.set_xticks(range(0, layers, 5), range(0, layers, 5))
    ax.set_yticks(range(0, heads, 2), range(0, heads, 2))
    return picture(
        fig,
        f"{title}: what each of {layers} × {heads} heads costs when it is replaced. Head {head} of layer {layer} costs "
        f"most, {cost.max():.2f}; half of the heads change the answer by less than {np.median(np.abs(cost)):.2f}.",
    )


def draw_losses(ends: Sequence[int], losses: dict[str, ArrayLike], context: int) -> Picture:
    """Draw the mean loss in the windows of a text that end at ``ends``, a curve for each of at most four names.

    A dotted line stands at ``context``, the longest text in training.
    """
    ends = numbers("ends", ends, "n", least=1, whole=True)
    curves = each("losses", losses, len(ends), least=0, fit="ends", entries=len(CURVES))
    fig, ax = figure(height=2.6)
    for (name, x), (colour, dash, mark) in zip(curves.items(), CURVES, strict=False):
        ax.plot(ends, x, dash, marker=mark, color=PALETTE.get(colour, colour), label=name)
    ax.axvline(context, color="black", linewidth=0.8, linestyle=":")
    ax.set_xticks(ends, [f"{int(end):,}".replace(",", " ") for end in ends])
    ax.set(xlabel=f"end of the stretch (dotted: {context} tokens in training)", ylabel="loss in nats a token")
    ax.legend()
    last = "; ".join(f"{name} {x[-1]:.2f}" for name, x in curves.items())
    return picture(fig, f"Mean loss by place in the text. In the stretch that ends at {int(ends[-1])}: {last}.")
