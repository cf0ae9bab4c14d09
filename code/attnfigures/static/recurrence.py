"""Drawings of the chapter "The RNN bottleneck"."""

import functools
from collections.abc import Sequence

import numpy as np
from attnbook.arrays import require_int
from attnbook.recurrent import path_norms, random_recurrence, rnn, rnn_jacobians

from ..kit.style import PALETTE, Picture, figure, heatmap, picture
from ..kit.validate import between, each, numbers, require

__all__ = ["draw_accuracy", "draw_blocks", "draw_cell", "draw_decay", "draw_gradients", "draw_memory", "draw_paths",
           "draw_rates", "draw_routes"]  # fmt: skip

STYLES = [("orange", "-", "o"), ("blue", "--", "s"), ("green", "-.", "^"), ("purple", ":", "D"), ("yellow", "-", "v")]
UNITS, LONGEST = 32, 100  # of the network that the explorer shows
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def draw_routes(n: int) -> Picture:
    """Draw where a gradient travels from the last of n tokens back to the first: along a chain, and in one step."""
    n = require_int("n", n, least=2, most=50)
    fig, (top, bottom) = figure(2, height=2.2, height_ratios=[1, 1.6])
    x = np.arange(1, n + 1)
    arrow = {"arrowstyle": "-|>", "color": PALETTE["orange"], "shrinkA": 7, "shrinkB": 7}
    for ax in (top, bottom):
        ax.plot(x, np.zeros(n), "o", color=PALETTE["grey"], markersize=9)
        ax.set(xlim=(0.5, n + 0.9), ylim=(-0.8, 0.35 if ax is top else 1.25))
        ax.axis("off")
    for t in x[1:]:
        top.annotate("", (t - 1, 0), (t, 0), arrowprops=arrow)
    bow = arrow | {"color": PALETTE["blue"]}
    for t in x:
        bottom.annotate("", (t, 0), (n, 1), arrowprops=bow)
    bottom.plot([n], [1], "s", color=PALETTE["blue"], markersize=8)
    bottom.text(n + 0.2, 1, f"y{_low(n)}", va="center")
    for ax, name in ((top, "h"), (bottom, "v")):
        for t in x:
            ax.text(t, -0.6, f"{name}{_low(t)}", ha="center")
    top.set_title(f"recurrent network: {n - 1} steps from h{_low(n)} to h₁")
    bottom.set_title("attention: one step from the output to every value")
    return picture(
        fig,
        f"Two rows of {n} dots. Above, a chain: {n - 1} arrows lead from the last state back to the first, each to its "
        f"neighbour. Below, the last output has an arrow of its own to each of the {n} values.",
    )


def draw_cell() -> Picture:
    """Draw one step of an LSTM: the cell path on top, and the gates and the candidate below."""
    fig, ax = figure(height=2.5)
    ax.set(xlim=(0, 10), ylim=(0, 6.4))
    ax.axis("off")
    blue, grey = PALETTE["blue"], PALETTE["grey"]

    def line(*points, color=grey, width=1.2):
        """Draw an arrow along points, with one head at the end."""
        ax.plot(*zip(*points[:-1], strict=True), color=color, linewidth=width)
        style = {"arrowstyle": "-|>", "color": color, "linewidth": width, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", points[-1], points[-2], arrowprops=style)

    def box(x, y, text):
        ax.text(x, y, text, ha="center", va="center", bbox={"boxstyle": "round", "fc": "none", "ec": grey})

    for start, end in [(0.9, 2.0), (2.6, 4.8), (5.4, 9.0)]:
        line((start, 5), (end, 5), color=blue, width=3)
    for x, y, sign in [(2.3, 5, "×"), (5.1, 5, "+"), (5.1, 3.5, "×"), (7.9, 2.3, "×")]:
        ax.plot([x], [y], "o", color=grey, markersize=15, markerfacecolor="none")
        ax.text(x, y, sign, ha="center", va="center")
    for x, name, kind in [(2.3, "f", "σ"), (4.2, "i", "σ"), (6.0, "g", "tanh"), (7.0, "o", "σ")]:
        box(x, 1.35, kind)
        ax.text(x + 0.12, 2.0, f"{name}ₜ", va="center", color=blue if name == "f" else "black")
        line((x, 0.55), (x, 1.0))
    for x, end in [(4.2, 4.75), (6.0, 5.45)]:
        line((x, 1.7), (x, 3.5), (end, 3.5))
    for start, end in [((2.3, 1.7), (2.3, 4.65)), ((5.1, 3.85), (5.1, 4.65)), ((8.25, 2.3), (9.0, 2.3))]:
        line(start, end)
    line((7.0, 1.7), (7.0, 2.3), (7.55, 2.3))
    line((7.9, 5), (7.9, 4.05))
    line((7.9, 3.35), (7.9, 2.65))
    box(7.9, 3.7, "tanh")
    ax.plot([0.9, 7.0], [0.55, 0.55], color=grey, linewidth=1.2)
    for x, y, word, side in [(0.8, 5, "cₜ₋₁", "right"), (9.1, 5, "cₜ", "left"), (9.1, 2.3, "hₜ", "left")]:
        ax.text(x, y, word, ha=side, va="center")
    ax.text(0.8, 0.55, "hₜ₋₁, xₜ", ha="right", va="center")
    ax.text(2.3, 5.75, "forget gate", ha="center", color=blue)
    ax.text(6.9, 5.75, "cell path", ha="center", color=blue)
    return picture(
        fig,
        "One step of an LSTM. A thick line leads from the old cell to the new one. It is multiplied by the forget "
        "gate, then input gate times candidate is added. The new state is the output gate times tanh of the new cell.",
    )


def draw_gradients(linear: dict[float, tuple], cells: dict[float, tuple]) -> Picture:
    """Draw norms of Jacobian products against the distance, each with its prediction.

    ``linear`` maps ρ to (norms, predicted norms) of a linear recurrence; ``cells`` maps the forget-gate bias to (norms
    of the whole state, norms along the cell path) of an LSTM.
    """
    linear = each("linear", linear, 2, "steps", entries=5, least=0)
    cells = each("cells", cells, 2, "steps", entries=5, least=0)
    fig, axes = figure(2, height=5.0, sharex=True)
    norms = []
    for ax, curves, name, symbol in zip(axes, (linear, cells), ("ρ", "bias"), ("ρᵏ", "cell path alone"), strict=True):
        for (value, (measured, other)), (color, _, marker) in zip(curves.items(), STYLES, strict=False):
            k = np.arange(0, len(measured), 3)
            ax.plot(k, np.log10(other[k]), "-", color=PALETTE[color], linewidth=0.9, alpha=0.8)
            ax.plot(k, np.log10(measured[k]), marker, color=PALETTE[color], markersize=3, label=f"{name} {value}")
            norms.append(f"{name} {value}: {measured[-1]:.1e}")
        ax.plot([], [], "-", color=PALETTE["grey"], linewidth=0.9, label=symbol)
        ax.set_ylabel("norm of the product")
        _powers(ax, range(-30, 1, 10))
        ax.legend(ncols=2, loc="lower left")
    axes[0].set_title("linear recurrence, 32 units")
    axes[1].set_title("LSTM, 16 units, state and cell together")
    axes[1].set_xlabel("steps back in time, k")
    end = len(next(iter(linear.values()))[0]) - 1
    return picture(
        fig, f"Norm of the Jacobian product after {end} steps. " + "; ".join(norms) + ". Straight lines in log scale."
    )


def draw_decay(radius: float, n: int) -> Picture:
    """Draw how much of a gradient is left after k steps back, for one spectral radius and n tokens: linear and tanh."""
    n = require_int("n", n, most=LONGEST)
    linear, bent = _decay(between("radius", radius, 0.001, 100))
    k = np.unique(np.linspace(0, n - 1, min(n, 26)).round().astype(int))
    fig, ax = figure(height=3.0)
    ax.plot([0, n - 1], np.log10([1, radius ** (n - 1)]), "-", color=PALETTE["grey"], lw=3, alpha=0.4, label="ρᵏ")
    ax.plot(k, np.log10(linear[k]), "s--", color=PALETTE["blue"], markersize=3, label="linear recurrence")
    ax.plot(k, np.log10(bent[k]), "o-", color=PALETTE["orange"], markersize=3, label="tanh network with inputs")
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set(xlim=(-2, LONGEST), ylim=(-52, 14), xlabel="steps back in time, k", ylabel="norm of the product")
    _powers(ax, range(-50, 11, 10))
    ax.legend(loc="lower left")
    ends = [_figure(curve[n - 1]) for curve in (linear, bent)]
    ax.set_title(f"token 1 of {n}: linear {ends[0]}, tanh {ends[1]}")
    return picture(
        fig,
        f"Spectral radius {radius}, {n} tokens. Of a gradient at the last state the linear recurrence brings the "
        f"factor {ends[0]} back to the first token, the tanh network {ends[1]}.",
    )


def draw_memory(curves: dict[str, np.ndarray]) -> Picture:
    """Draw R² of decoding the input k steps back from the state: ``curves`` maps a name to an array (lags,)."""
    each("curves", curves, "lags", entries=5, most=1)
    fig, ax = figure(height=2.7)
    sums = []
    for (name, R2), (color, dash, marker) in zip(curves.items(), STYLES, strict=False):
        ax.plot(R2, dash, marker=marker, color=PALETTE[color], label=name, markevery=3)
        sums.append(f"{name}: {np.sum(R2):.1f}")
    ax.set(xlabel="k, steps back in time", ylabel="R² of decoding", ylim=(-0.03, 1.05))
    ax.legend()
    return picture(fig, "Curves that fall from 1 at lag 0 to 0. Sums over all lags: " + "; ".join(sums) + ".")


def draw_accuracy(lengths: Sequence[int], accuracy: dict[str, np.ndarray], chance: float, xlabel: str) -> Picture:
    """Draw accuracy against length: ``accuracy`` maps a name to an array (runs, lengths); every run is a thin line."""
    numbers("lengths", lengths, "n", above=0)
    each("accuracy", accuracy, "runs", len(lengths), fit="lengths", entries=5, least=0, most=1)
    between("chance", chance)
    require("xlabel", xlabel, str, "a text")
    fig, ax = figure(height=2.5)
    ends = []
    for (name, runs), (color, dash, marker) in zip(accuracy.items(), STYLES, strict=False):
        ax.plot(lengths, np.transpose(runs), dash, color=PALETTE[color], alpha=0.35, linewidth=0.9)
        middle = np.median(runs, axis=0)
        ax.plot(lengths, middle, dash, marker=marker, color=PALETTE[color], linewidth=2, label=name)
        ends.append(f"{name} {middle[0]:.2f} at {lengths[0]} and {middle[-1]:.2f} at {lengths[-1]}")
    ax.axhline(chance, color=PALETTE["grey"], linewidth=0.9)
    ax.annotate("chance", (lengths[0], chance), (0, -4), textcoords="offset points", va="top")
    ax.set(xlabel=xlabel, ylabel="accuracy", ylim=(0, 1.04), xticks=lengths)
    ax.legend(loc="center right", bbox_to_anchor=(1, 0.66))
    return picture(fig, "Median accuracy: " + "; ".join(ends) + f". Chance is {chance:.3g}.")


def draw_blocks(blocks: dict[str, np.ndarray]) -> Picture:
    """Draw heat maps of ‖∂(output i)/∂(input j)‖, side by side: ``blocks`` maps a name to a matrix (n, n)."""
    maps = []
    for name, M in each("blocks", blocks, "n", "n", least=0).items():
        fig, ax = figure(height=2.9, width=2.8)
        heatmap(ax, M, limit=np.max(M))
        ax.set(xlabel="input j", ylabel="output i", title=name)
        reached = np.mean(np.asarray(M) > 0)
        maps.append(picture(fig, f"{name}: {reached:.0%} of the blocks are not zero, the corner is {M[-1, 0]:.3f}"))
    parts = "".join(f'<div style="flex: 1 1 12em">{part.svg}</div>' for part in maps)
    alt = "Heat maps of Jacobian norms. " + "; ".join(part.alt for part in maps) + "."
    return Picture(f'<div style="display: flex; flex-wrap: wrap">{parts}</div>', alt)


def draw_paths(ns: Sequence[int], paths: dict[str, Sequence[int]]) -> Picture:
    """Draw the steps between the two ends of a sequence of n tokens: ``paths`` maps a name to the steps for each n."""
    each("paths", paths, len(numbers("ns", ns, "n", least=1, whole=True)), fit="ns", entries=5, above=0)
    fig, ax = figure(height=2.9)
    for (name, steps), (color, dash, marker) in zip(paths.items(), STYLES, strict=False):
        ax.plot(np.log2(ns), np.log2(steps), dash, marker=marker, color=PALETTE[color], label=name)
    ax.set_xticks(np.log2(ns), ns)
    ax.set_yticks(range(0, 11, 2), [2**e for e in range(0, 11, 2)])
    ax.set(xlabel="n, distance plus one", ylabel="steps on the shortest path")
    ax.legend()
    ends = "; ".join(f"{name} {steps[-1]}" for name, steps in paths.items())
    return picture(fig, f"Steps from one end of {ns[-1]} tokens to the other, measured: {ends}.")


def draw_rates(rates: Sequence[float], accuracy: dict[str, np.ndarray], title: str) -> Picture:
    """Draw accuracy against the learning rate: ``accuracy`` maps a name to (rates, runs); runs are thin lines."""
    numbers("rates", rates, "n", above=0)
    each("accuracy", accuracy, len(rates), "runs", fit="rates", entries=5, least=0, most=1)
    require("title", title, str, "a text")
    fig, ax = figure(height=2.9)
    best = []
    for (name, runs), (color, dash, marker) in zip(accuracy.items(), STYLES, strict=False):
        ax.plot(runs, dash, color=PALETTE[color], alpha=0.3, linewidth=0.7)
        middle = np.median(runs, axis=1)
        ax.plot(middle, dash, marker=marker, color=PALETTE[color], linewidth=2, label=name)
        best.append(f"{name} {middle.max():.2f}")
    ax.set_xticks(range(len(rates)), [f"{rate:g}" for rate in rates])
    ax.set(xlabel="learning rate", ylabel="accuracy", ylim=(0, 1.04), title=title)
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return picture(fig, f"{title}, the best median accuracy over the rates: " + "; ".join(best) + ".")


@functools.cache
def _decay(radius):
    rng = np.random.default_rng(2)
    W_h, W_x = random_recurrence(rng, UNITS, radius), rng.normal(size=(UNITS, 8)) / 8**0.5
    H = rnn(rng.normal(size=(LONGEST, 8)), W_x, W_h, np.zeros(UNITS))
    linear = path_norms(np.broadcast_to(W_h, (LONGEST - 1, UNITS, UNITS)))
    return linear, path_norms(rnn_jacobians(H, W_h))


def _powers(ax, exponents):
    """Label an axis that holds log₁₀ with powers of ten in plain text."""
    ax.set_yticks(exponents, ["1" if e == 0 else "10" + str(e).translate(RAISED) for e in exponents])


def _figure(x):
    """Write small and large numbers as 1.6·10⁻⁵, others as 0.37."""
    if 0.01 <= x < 1000:
        return f"{x:.2g}"
    mantissa, exponent = f"{x:.1e}".split("e")
    return f"{mantissa}·10{str(int(exponent)).translate(RAISED)}"


def _low(t):
    return str(t).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
