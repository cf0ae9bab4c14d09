"""Drawings of the chapter "Length"."""

from collections.abc import Sequence

import numpy as np
from attnbook.arrays import brief, require_int
from attnbook.length import ntk_frequencies, ramp_frequencies, turns
from attnbook.positional import frequencies

from ..kit.style import PALETTE, Picture, figure, heatmap, picture
from ..kit.validate import between, each, named, numbers, positive, texts

__all__ = ["draw_accuracies", "draw_gates", "draw_lengths", "draw_ramp"]


def draw_accuracies(bars: dict[str, tuple[float, float]], labels: tuple[str, str], chance: float = 0.25) -> Picture:
    """Draw two accuracies per name: a disc for the first of ``labels``, a cross for the second, and a line between."""
    each("bars", bars, 2, least=0, most=1)
    texts("labels", labels, 2)
    between("chance", chance)
    fig, ax = figure(height=0.8 + 0.36 * len(bars))
    for row, (first, second) in enumerate(bars.values()):
        ax.plot([first, second], [row, row], color=PALETTE["grey"], linewidth=1)
        for value, colour, mark in ((first, "blue", "o"), (second, "orange", "X")):
            label = None if row else labels[mark == "X"]
            ax.plot(value, row, mark, color=PALETTE[colour], markersize=7, label=label)
    ax.axvline(chance, color="black", linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(bars)), list(bars))
    ax.set(xlim=(0, 1.03), ylim=(len(bars) - 0.5, -0.6), xlabel="share right (dotted: chance)")
    fig.legend(loc="outside upper right", ncols=2)
    shares = "; ".join(f"{name} {a:.2f} and {b:.2f}" for name, (a, b) in bars.items())
    return picture(fig, f"Shares of right answers, {labels[0]} and {labels[1]}. {shares}.")


def draw_ramp(s: float, base: float = 10_000.0, d: int = 64, n: int = 4096) -> Picture:
    """Draw the factor by which interpolation, NTK and YaRN slow each pair of a head, against its turns in training."""
    positive(s=s, base=base, n=n)
    theta = frequencies(require_int("d", d, least=4, multiple=2), base)
    r = turns(theta, n)
    rules = {
        "interpolate": (theta / s, "purple", ":"),
        "NTK": (ntk_frequencies(d, s, base), "green", "--"),
        "ramp (YaRN)": (ramp_frequencies(theta, n, s), "blue", "-"),
    }
    fig, ax = figure(height=2.7)
    ax.axvspan(r.min() / 2, 1, color=PALETTE["orange"], alpha=0.15, linewidth=0)
    for name, (changed, colour, dash) in rules.items():
        ax.plot(r, theta / changed, dash, color=PALETTE[colour], label=name)
    ax.set(xscale="log", xlim=(r.min() / 2, r.max() * 2), ylim=(0, s + 0.7))
    ax.set(xlabel="turns in training (shaded: less than one)", ylabel="angles divided by")
    ax.legend(loc="center right")
    ax.set_title(f"stretch s = {s:g}, base " + f"{base:,.0f}".replace(",", " "))
    unfinished = int((r < 1).sum())
    return picture(
        fig,
        f"The factor by which the angle of each of {d // 2} pairs is divided for s = {s:g} and base {base:g}: s for "
        f"all pairs, 1 to s from the fastest to the slowest, and a ramp. {unfinished} pairs make less than one turn "
        f"in {n} positions.",
    )


def draw_gates(biases: dict[str, np.ndarray]) -> Picture:
    """Draw exp of each bias (n, n), the factor that it leaves a weight of query i at key j, a panel for each."""
    biases = each("biases", biases, "n", "n", most=0, finite=False)
    fig, axes = figure(1, len(biases), height=2.6, squeeze=False)
    for ax, (name, bias) in zip(axes.flat, biases.items(), strict=True):
        heatmap(ax, np.exp(bias), rows=range(len(bias)), columns=range(len(bias)), limit=1, digits=1)
        ax.set_title(name)
    factors = "; ".join(f"{name}: {np.exp(bias[-1, 0]):.2g}" for name, bias in biases.items())
    return picture(
        fig, f"The factor that gates leave of each weight. Of the last token's weight for token 0, {factors}."
    )


def draw_lengths(lengths: Sequence[int], accuracy: dict[str, np.ndarray], trained: int, chance: float) -> Picture:
    """Draw accuracy against length, a panel per scheme.

    ``accuracy`` maps a scheme to an array (seeds, lengths), with NaN where it cannot run.
    """
    numbers("lengths", lengths, "n", least=1, whole=True)
    accuracy = {name: _runs(f"accuracy of {name}", runs) for name, runs in named("accuracy", accuracy).items()}
    finite = {name: np.nan_to_num(runs) for name, runs in accuracy.items()}
    each("accuracy", finite, "seeds", len(lengths), least=0, most=1, fit="lengths")
    require_int("trained", trained)
    between("chance", chance)
    fig, axes = figure(-(-len(accuracy) // 2), 2, height=5.2, sharex=True, sharey=True, squeeze=False)
    medians = []
    for ax, (name, runs) in zip(axes.flat, accuracy.items(), strict=False):
        runs, middle = np.asarray(runs), np.median(runs, axis=0)
        ax.plot(lengths, runs.T, color=PALETTE["grey"], linewidth=0.7)
        ax.plot(lengths, middle, "o-", color=PALETTE["blue"])
        ax.axhline(chance, color="black", linewidth=0.8, linestyle=":")
        ax.set_title(name)
        if np.isnan(middle).all():
            raise ValueError(f"accuracy[{name!r}] has a NaN at every length; expected a length at which all seeds ran")
        at = np.flatnonzero(~np.isnan(middle))[-1]
        medians.append(f"{name} {middle[at]:.2f} at {lengths[at]}")
    for ax in axes.flat[len(accuracy) :]:
        ax.axis("off")
    axes[0, 0].set(xscale="log", ylim=(0, 1.05), xlim=(0.9 * lengths[0], 1.1 * lengths[-1]))
    for ax in axes.flat:
        ax.set_xticks(lengths, lengths)
        ax.minorticks_off()
    fig.supxlabel(f"length at test time (trained at {trained})")
    fig.supylabel("share of right answers")
    return picture(
        fig, f"A panel for each scheme: accuracy against length, dotted line at chance. Medians: {'; '.join(medians)}."
    )


def _runs(name, runs):
    try:
        return np.asarray(runs, dtype=float)  # NaN stands for what cannot run
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {brief(runs)}; expected numbers, a row for each seed") from None
