"""Drawings of the chapter "Query, key, value"."""

from collections.abc import Sequence

import numpy as np
from attnbook.arrays import one_of, require_int, require_number
from attnbook.attention import attention_weights, scores
from matplotlib.patches import Rectangle

from ..kit.style import PALETTE, Picture, bars, beside, figure, heatmap, picture
from ..kit.validate import LABEL, each, listed, numbers, require, texts

__all__ = ["draw_alignment", "draw_contexts", "draw_costs", "draw_lookup", "draw_self_weights", "draw_shapes"]

# Five keys in the plane; the third is twice as long as the others. Their values are points of another plane.
KEY_ANGLES, KEY_LENGTHS = np.deg2rad([10, 72, 125, 200, 290]), np.array([1, 1, 2, 1, 1])
KEYS = KEY_LENGTHS[:, None] * np.stack([np.cos(KEY_ANGLES), np.sin(KEY_ANGLES)], axis=1)
VALUES = 0.9 * np.array([[1.6, -1.2], [1.8, 0.9], [-0.2, 1.8], [-1.8, 0.5], [-0.9, -1.6]])
FRAME = 2.4  # a longer query is cut off and dashed
MARKS, INDEX, SIDES = "osD^v", "₁₂₃₄₅", (0.55, 0.55, -0.6, 0.55, 0.55)


def draw_lookup(angle: float, length: float) -> Picture:
    """Draw attention of one query, at ``angle`` degrees and of some ``length``, to five keys, stage by stage."""
    require_number("angle", angle)
    length = require_number("length", length, above=0)
    q = length * np.array([np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))])
    s, a = scores(q[None], KEYS)[0], attention_weights(q[None], KEYS)[0]
    y = a @ VALUES
    asked, (keys, similarity) = figure(1, 2, height=2.2)
    answered, (weights, values) = figure(1, 2, height=2.2)
    for j, (k, v, mark) in enumerate(zip(KEYS, VALUES, MARKS, strict=True)):
        _arrow(keys, k, "blue", 1.3)
        shift = SIDES[j] * np.array([k[1], -k[0]]) / KEY_LENGTHS[j]  # clear of an arrow that points at the key
        keys.annotate(f"k{INDEX[j]}", k + shift, ha="center", va="center")
        values.plot(*v, mark, color=PALETTE["blue"], markersize=3 + 11 * a[j] ** 0.5, fillstyle="none")
        values.annotate(f"v{INDEX[j]}", 1.27 * v, ha="center", va="center")
    cut = length > FRAME
    _arrow(keys, q * min(1, FRAME / length), "orange", 2.2, "--" if cut else "-")
    values.plot(*y, "*", color=PALETTE["orange"], markersize=12)
    for ax, title in ((keys, f"query: length {length:g}{', cut' * cut}"), (values, "4\u00a0 values, output ★")):
        ax.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), aspect="equal", xticks=[], yticks=[])
        ax.set_title(title)
        for side in ("top", "right"):
            ax.spines[side].set_visible(True)
    bars(similarity, s, [f"k{i}" for i in INDEX], color="blue", digits=1)
    similarity.axhline(0, color="black", linewidth=0.8)
    similarity.margins(y=0.15)
    similarity.set_yticks([])
    similarity.set_title("1, 2\u00a0 scaled scores")
    bars(weights, a, [f"k{i}" for i in INDEX], color="orange", digits=2)
    weights.set(ylim=(0, 1.15), yticks=[])
    weights.set_title("3\u00a0 weights")
    question = f"Five keys and a query at {angle:g} degrees with length {length:g}. Scaled scores: {_list(s, 1)}."
    largest = f"Key {int(a.argmax()) + 1} has the largest weight, and the output is ({y[0]:.2f}, {y[1]:.2f})."
    return beside(picture(asked, question), picture(answered, f"Weights: {_list(a, 2)}. {largest}"))


def draw_shapes(words: Sequence[str], *panels: Sequence[Sequence]) -> Picture:
    """Draw equations between matrices as blocks of cells to one scale, one panel beside the other.

    A panel is a list of equations; an equation is a list of signs (text) and matrices (name, array, colour). A strong
    colour is a large number, a dash a negative one. ``words`` name the rows of each equation's first matrix.
    """
    texts("words", words)
    _check(panels)
    widest = max(_equation(None, words, parts, 0) for panel in panels for parts in panel)
    pictures = []
    for panel in panels:
        talls = [max(len(part[1]) for part in parts if not isinstance(part, str)) + 3.4 for parts in panel]
        fig, ax = figure(height=4.3 * sum(talls) / widest)
        for i, parts in enumerate(panel):
            _equation(ax, words, parts, sum(talls[:i]) + 2.4)
        ax.set(xlim=(0, widest), ylim=(sum(talls), 0), aspect="equal")
        ax.axis("off")
        equations = "; ".join(" ".join(p if isinstance(p, str) else _size(*p[:2]) for p in parts) for parts in panel)
        pictures.append(picture(fig, f"Blocks of cells: {equations}."))
    return beside(*pictures)


def _check(panels):
    """Refuse panels that are no lists of equations, and an equation without a matrix."""
    for parts in [parts for panel in listed("panels", panels) for parts in listed("a panel of panels", panel)]:
        matrices = [part for part in listed("an equation of panels", parts) if not isinstance(part, str)]
        for part in listed("the list of matrices in an equation of panels", matrices):
            name, M, colour = listed("a matrix of panels", part, 3)
            require("the name of a matrix of panels", name, str, "a text")
            require(f"{name} in panels", M, np.ndarray, "an array")
            numbers(f"{name} in panels", M, "n", "m")
            one_of(f"the colour of {name} in panels", colour, *PALETTE)


def _size(name, M):
    return f"{name.strip('$').replace('_', ' ')} ({len(M)} by {M.shape[1]})"


def _equation(ax, words, parts, top):
    """Draw one equation whose blocks begin ``top`` units below the edge; return how many units it is wide."""
    x, first = 4.6, True
    for part in parts:
        if isinstance(part, str):
            if ax:
                ax.text(x + 0.4, top + 2.5, part, ha="center", va="center")
            x += 1.3
            continue
        name, M, colour = part
        n, m = M.shape
        if ax:
            ax.text(x + m / 2, top - 1.55, name, ha="center", va="center")
            ax.text(x + m / 2, top - 0.6, f"{n}×{m}", ha="center", va="center")
            for i, j in np.ndindex(n, m):
                shade = (PALETTE[colour], 0.08 + 0.72 * min(abs(M[i, j]) / (np.abs(M).max() or 1), 1))
                ax.add_patch(Rectangle((x + j, top + i), 1, 1, facecolor=shade, edgecolor="none"))
                if M[i, j] < 0:
                    ax.plot([x + j + 0.3, x + j + 0.7], [top + i + 0.5] * 2, color="black", linewidth=0.9)
            ax.add_patch(Rectangle((x, top), m, n, fill=False, edgecolor=PALETTE[colour], linewidth=1.2))
            for i, word in enumerate(words if first and n == len(words) else ()):
                ax.text(x - 0.4, top + i + 0.5, word, ha="right", va="center")
        x, first = x + m + 0.5, False
    return x


def _arrow(ax, tip, colour, width, dash="-"):
    style = {"arrowstyle": "-|>", "color": PALETTE[colour], "linewidth": width, "linestyle": dash}
    ax.annotate("", tip, (0, 0), arrowprops=style | {"shrinkA": 0, "shrinkB": 0})


def draw_alignment(A: np.ndarray, targets: list[str], sources: list[str], what: str) -> Picture:
    """Draw the weights ``A`` (n, m) of target over source words as a heat map; ``what`` says where they come from."""
    texts("targets", targets, kind=LABEL)
    texts("sources", sources, kind=LABEL)
    numbers("A", A, len(targets), len(sources), least=0, most=1, fit="targets and sources")
    require("what", what, str, "a text")
    fig, ax = figure(height=3.0)
    heatmap(ax, A, rows=targets, columns=sources, limit=1, aspect="auto")
    ax.xaxis.tick_top()
    ax.set_title(what, pad=8)
    rows = "; ".join(
        f"{word} looks mostly at {sources[int(np.argmax(row))]} ({np.max(row):.2f})"
        for word, row in zip(targets, np.asarray(A), strict=True)
    )
    return picture(fig, f"{what}. {len(targets)} target words against {len(sources)} source words: {rows}.")


def draw_contexts(H: np.ndarray, C: np.ndarray, c: np.ndarray, targets: list[str], sources: list[str]) -> Picture:
    """Draw states ``H`` (m, 2), a context per target word ``C`` (n, 2), and a fixed vector ``c`` (2,) in the plane."""
    H, C = numbers("H", H, "m", 2), numbers("C", C, "n", 2)
    numbers("c", c, 2)
    texts("sources", sources, len(H), "H", kind=LABEL)
    texts("targets", targets, len(C), "C", kind=LABEL)
    require_int("the number of rows of C", len(C), least=2)
    fig, ax = figure(height=3.1)
    ax.plot(*H.T, "o", color=PALETTE["blue"], fillstyle="none", label="state of a source word")
    ax.plot(*C.T, "D", color=PALETTE["orange"], label="context of a target word")
    ax.plot(*c, "X", color=PALETTE["grey"], markersize=9, label="the one fixed vector")
    outward = (H - H.mean(axis=0)) / np.linalg.norm(H - H.mean(axis=0), axis=1, keepdims=True)
    for point, word, (right, up) in zip(H, sources, outward, strict=True):
        place = {"textcoords": "offset points", "ha": "center", "va": "center", "color": PALETTE["blue"]}
        ax.annotate(word, point, (17 * right, 12 * up), **place)
    for point, word in zip(C, targets, strict=True):
        ax.annotate(word, point, (0, 7), textcoords="offset points", ha="center")
    ax.set(xticks=[], yticks=[])
    ax.margins(0.16, 0.2)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=2, columnspacing=0.8, handletextpad=0.2)
    apart = np.linalg.norm(C[:, None] - C[None], axis=-1)[np.triu_indices(len(C), 1)]
    nearest = np.linalg.norm(C[:, None] - H[None], axis=-1).argmin(axis=1)
    pairs = ", ".join(f"{word} to {sources[j]}" for word, j in zip(targets, nearest, strict=True))
    return picture(
        fig,
        f"{len(H)} states of source words and {len(C)} contexts in the plane. The nearest states: {pairs}. Contexts "
        f"are {apart.min():.2f} to {apart.max():.2f} apart; the fixed vector is one point.",
    )


def draw_self_weights(without: np.ndarray, projected: np.ndarray) -> Picture:
    """Draw two self-attention matrices of the same tokens: without projections, and with random ones."""
    without = numbers("without", without, "n", "n", least=0, most=1)
    n = require_int("the number of rows of without", len(without), least=2)
    projected = numbers("projected", projected, n, n, least=0, most=1, fit="without")
    fig, axes = figure(1, 2, height=2.3)
    for ax, A, title in zip(axes, (without, projected), ("Q = K = V = X", "with projections"), strict=True):
        heatmap(ax, A, rows=range(1, n + 1), columns=range(1, n + 1), limit=1, digits=1)
        ax.set_xlabel("token looked at")
        ax.set_title(title)
    axes[0].set_ylabel("token that asks")
    own = [np.diag(A).mean() for A in (without, projected)]
    other = [A[~np.eye(n, dtype=bool)].max() for A in (without, projected)]
    return picture(
        fig,
        f"Two heat maps of {n} by {n} weights. Without projections the diagonal holds {own[0]:.2f} on average, nothing "
        f"else exceeds {other[0]:.2f}; with projections it holds {own[1]:.2f} and other weights reach {other[1]:.2f}.",
    )


def draw_costs(ns: Sequence[int], costs: dict[str, Sequence[float]], d: int) -> Picture:
    """Draw operations of a layer against the number of tokens: ``costs`` maps a name to a count per entry of ``ns``."""
    numbers("ns", ns, "n", least=1, whole=True)
    each("costs", costs, len(ns), entries=4, above=0, fit="ns")
    require_int("d", d)
    fig, ax = figure(height=2.7)
    styles = zip(("-", "--", "-.", ":"), ("orange", "purple", "blue", "green"), strict=True)
    for (name, counts), (dash, color) in zip(costs.items(), styles, strict=False):
        ax.loglog(ns, counts, dash, color=PALETTE[color], label=name)
    top = max(map(max, costs.values()))
    for factor in (2, 6):
        ax.axvline(factor * d, color=PALETTE["grey"], linewidth=0.8)
        place = {"textcoords": "offset points", "ha": "right", "va": "top"}
        ax.annotate(f"n = {factor}d", (factor * d, top), (-3, -3), **place)
    ax.set(xlabel="number of tokens n", ylabel="operations", xticks=ns[::2], xticklabels=ns[::2])
    ax.minorticks_off()
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, labelspacing=0.2)
    ends = ", ".join(f"{name} {counts[0]:.1e} to {counts[-1]:.1e}" for name, counts in costs.items())
    return picture(fig, f"Operations for {ns[0]} to {ns[-1]} tokens of width {d}, both axes logarithmic: {ends}.")


def _list(x, digits):
    return ", ".join(f"{round(entry, digits) + 0.0:.{digits}f}" for entry in x)  # no "-0.0"
