"""Drawings of the chapter "Capstone: an encoder you have proved"."""

import numpy as np
from attnbook.arrays import one_of, require_int, require_number

from ..kit.style import PALETTE, Picture, canvas, figure, picture, tiles
from ..kit.validate import between, each, numbers, require, texts

__all__ = ["draw_heads", "draw_reach", "draw_training"]

LOOKS = {"no positions": ("blue", "-"), "positions": ("orange", "--"), "causal mask": ("green", "-.")}
LEVELS = 5  # shades: few, so that a frame stays small


def draw_training(curves: dict[str, np.ndarray], floor: float) -> Picture:
    """Draw loss and error of equivariance during training, one line per seed.

    Parameters
    ----------
    curves : dict
        Name of the model → array (seeds, steps, 2): the loss, and the error of equivariance before that step.
    floor : float
        The loss that no order-blind model can pass.
    """
    curves = each("curves", curves, "seeds", "steps", 2, least=0)
    require_number("floor", floor, least=0)
    fig, (above, below) = figure(2, 1, height=4.2, sharex=True)
    alt = []
    for name, runs in curves.items():
        one_of("a name in curves", name, *LOOKS)
        require_int("the number of steps in curves", runs.shape[1], least=5)
        color, dash = LOOKS[name]
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


def draw_heads(words: list[str], maps: np.ndarray, heads: list[int], said: str = "") -> Picture:
    """Draw the weights of all heads for one sentence, a row of maps for each layer, and ``said`` below them.

    Parameters
    ----------
    words : list of str
        The tokens, in their order; rows and columns have their first letters.
    maps : array (heads, n, n)
        Row i of a map is what token i looks at.
    heads : list of int
        1 for a head as trained, 0 for one that is off, three for each layer.
    said : str
        What the model answers; an empty text leaves it out.
    """
    n, size = len(texts("words", words)), 15
    numbers("heads", heads, "k", least=0, most=1, whole=True)
    require_int("the number of heads", len(heads), least=3, multiple=3)
    maps = numbers("maps", maps, len(heads), n, n, least=0, most=1, fit="heads and words")
    require("said", said, str, "a text")
    side = n * size
    lines = len(heads) // 3
    fig, ax = canvas(3 * (side + 34) + 4, lines * (side + 52) + 24)
    ax.text(4, 12, " ".join(words))
    parts = []
    for k, (A, on) in enumerate(zip(maps, heads, strict=True)):
        x, y = 22 + (k % 3) * (side + 34), 54 + (k // 3) * (side + 52)
        name = f"layer {k // 3 + 1}, head {k % 3 + 1}" + ("" if on else ": off")
        ax.text(x, y - 20, name)
        shades = {}
        for i, word in enumerate(words):
            ax.text(x + (i + 0.5) * size, y - 4, word[:1], ha="center")
            ax.text(x - 5, y + (i + 0.75) * size, word[:1], ha="right")
        for (i, j), value in np.ndenumerate(A):
            shades.setdefault(int(np.ceil(LEVELS * np.round(value, 2))), []).append((x + j * size, y + i * size))
        for level, corners in shades.items():
            tiles(ax, corners, size, size, (PALETTE["blue"], 0.12 * level), clip=False)
        most = (f"{word} at {words[j]}" for word, j in zip(words, A.argmax(axis=1), strict=True))
        parts.append(f"{name}: {', '.join(most)}" if on else name)
    ax.text(4, lines * (side + 52) + 18, said)
    alt = f"Attention maps of six heads for the sentence {' '.join(words)}. Most weight: {'; '.join(parts)}."
    return picture(fig, f"{alt} {said}." if said else alt)


def draw_reach(weights: np.ndarray, even: float) -> Picture:
    """Draw how much weight each head gives to a token k positions back, a line per head.

    Parameters
    ----------
    weights : array (heads, reach)
        Mean weight of each head on the token 0, 1, 2, … positions back.
    even : float
        The weight of every token if all had the same.
    """
    weights = numbers("weights", weights, 3, "reach", least=0, most=1)
    between("even", even)
    fig, ax = figure(height=2.4)
    looks = zip(("o-", "s--", "^-."), ("blue", "orange", "green"), strict=True)
    peaks = []
    for head, (row, (mark, color)) in enumerate(zip(weights, looks, strict=True), 1):
        ax.plot(range(len(row)), row, mark, color=PALETTE[color], label=f"head {head}")
        peaks.append(f"head {head} looks most, {row.max():.2f}, at {row.argmax()} back")
    ax.axhline(even, color=PALETTE["grey"], linestyle=":", label="even")
    ax.set(xlabel="letters back", ylabel="mean weight", xticks=range(weights.shape[1]))
    ax.set_ylim(0)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.05, 1), ncols=4, columnspacing=1, handlelength=1.8)
    return picture(fig, f"Mean weight against distance: {'; '.join(peaks)}. Even weights would be {even:.2f}.")


def _power(exponent):
    return "10" + "".join("⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".index(c)] for c in str(exponent))
