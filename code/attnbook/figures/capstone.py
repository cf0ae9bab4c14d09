"""Drawings of the chapter "Capstone: an encoder you have proved"."""

import numpy as np

from .style import PALETTE, Picture, canvas, figure, picture, tiles

__all__ = ["draw_maps", "draw_reach", "draw_training"]

LOOKS = {"no positions": ("blue", "-"), "positions": ("orange", "--"), "causal mask": ("green", "-.")}
CELL = 22, 17  # width and height of a cell of a map, in points
LEVELS = 5  # shades: few, so that a frame stays small


def draw_training(curves: dict[str, np.ndarray], floor: float) -> Picture:
    """Loss and error of equivariance during training, one line per seed.

    Parameters
    ----------
    curves : dict
        Name of the model → array (seeds, steps, 2): the loss, and the error of equivariance before that step.
    floor : float
        The loss that no order-blind model can pass.
    """
    fig, (above, below) = figure(2, 1, height=4.2, sharex=True)
    alt = []
    for name, runs in curves.items():
        runs, (color, dash) = np.asarray(runs), LOOKS[name]
        for seed, run in enumerate(runs):
            label = name if seed == 0 else None
            smooth = np.convolve(run[:, 0], np.full(5, 0.2), mode="valid")
            above.plot(np.arange(2, 2 + len(smooth)), smooth, dash, color=PALETTE[color], linewidth=1.2, label=label)
            below.semilogy(run[:, 1], dash, color=PALETTE[color], linewidth=1.2)
        last, error = runs[:, -10:, 0].mean(), runs[:, :, 1]
        alt.append(f"{name}: loss {last:.2f} at the end, error between {error.min():.0e} and {error.max():.0e}")
    above.axhline(floor, color=PALETTE["grey"], linestyle=":", linewidth=1.2)
    above.annotate("ln 2", (runs.shape[1], floor), (0, -3), textcoords="offset points", va="top", ha="right")
    above.set(ylabel="loss", ylim=(0, 1.2))
    above.legend(loc="lower left", bbox_to_anchor=(-0.05, 1), ncols=3, columnspacing=1, handlelength=1.8)
    below.set(xlabel="step of training", ylabel="max |f(PX) − P f(X)|", ylim=(1e-17, 1e2))
    exponents = range(-16, 1, 4)
    below.set_yticks([10.0**e for e in exponents], [_power(e) for e in exponents])
    below.minorticks_off()
    return picture(fig, "Two panels over the steps of training, loss and broken law. " + "; ".join(alt) + ".")


def draw_maps(words: list[str], maps: dict[str, np.ndarray], answers: dict[str, float]) -> Picture:
    """One head's weights for one sentence, side by side in two models.

    Parameters
    ----------
    words : list of str
        The tokens, in their order.
    maps : dict
        Name of the model → weights (n, n), row i is what token i looks at.
    answers : dict
        Name of the model → the probability it gives to "the cat comes first".
    """
    w, h = CELL
    n = len(words)
    width, height = 36 + 2 * n * w + 16, 36 + n * h + 22
    fig, ax = canvas(width, height)
    said = []
    for x, (name, A) in zip((36, 36 + n * w + 14), maps.items(), strict=True):
        A = np.round(np.asarray(A), 2)
        ax.text(x, 11, name, fontsize=9.5)
        for i, word in enumerate(words):
            ax.text(x + (i + 0.5) * w, 31, word, fontsize=9, ha="center")
            if not said:  # the rows of both maps are named once
                ax.text(32, 36 + i * h + 12, word, fontsize=9, ha="right")
        shades = {}
        for (i, j), value in np.ndenumerate(A):
            ax.text(x + (j + 0.5) * w, 36 + i * h + 12, f"{value:.1f}".lstrip("0"), fontsize=9, ha="center")
            shades.setdefault(int(np.ceil(LEVELS * value)), []).append((x + j * w, 36 + i * h))
        for level, corners in shades.items():
            tiles(ax, corners, w, h, (PALETTE["blue"], 0.12 * level), clip=False)
        ax.text(x, 36 + n * h + 16, f"P(cat first) = {answers[name]:.2f}", fontsize=9)
        top = [f"{word} at {words[j]} {row[j]:.1f}" for word, row, j in zip(words, A, A.argmax(axis=1), strict=True)]
        said.append(f"{name}: {', '.join(top)}; probability that the cat comes first {answers[name]:.2f}")
    return picture(fig, f"{' '.join(words)}. Most weight in the model with " + ". With ".join(said) + ".")


def draw_reach(weights: np.ndarray, even: float) -> Picture:
    """Draw how much weight each head gives to a token k positions back, a line per head.

    Parameters
    ----------
    weights : array (heads, reach)
        Mean weight of each head on the token 0, 1, 2, … positions back.
    even : float
        The weight of every token if all had the same.
    """
    fig, ax = figure(height=2.4)
    looks = zip(("o-", "s--", "^-."), ("blue", "orange", "green"), strict=True)
    said = []
    for head, (row, (mark, color)) in enumerate(zip(np.asarray(weights), looks, strict=True), 1):
        ax.plot(range(len(row)), row, mark, color=PALETTE[color], label=f"head {head}")
        said.append(f"head {head} looks most, {row.max():.2f}, at {row.argmax()} back")
    ax.axhline(even, color=PALETTE["grey"], linestyle=":", label="even")
    ax.set(xlabel="letters back", ylabel="mean weight", xticks=range(weights.shape[1]))
    ax.set_ylim(0)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.05, 1), ncols=4, columnspacing=1, handlelength=1.8)
    return picture(fig, f"Mean weight against distance: {'; '.join(said)}. Even weights would be {even:.2f}.")


def _power(exponent):
    return "10" + "".join("⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".index(c)] for c in str(exponent))
