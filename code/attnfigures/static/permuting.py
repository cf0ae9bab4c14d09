"""Drawings of the chapter "Permutation matrices"."""

from collections.abc import Sequence

import numpy as np
from attnbook.arrays import require_int, require_number
from attnbook.permutations import cycle_type, permutation_matrix, permutations
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ..kit.style import PALETTE, Picture, figure, picture
from ..kit.validate import arrangement, flags, listed, numbers, positive

__all__ = ["draw_balance", "draw_birkhoff", "draw_orthogonal", "draw_permuting", "draw_routes", "draw_types"]

ROW_COLORS = [PALETTE[name] for name in ("blue", "orange", "green", "purple")]
LETTERS = "abcdefgh"


def draw_permuting(rows: Sequence[int], columns: Sequence[int], counts: bool = True) -> Picture:
    """Draw S, PS, SRᵀ and PSRᵀ: the entry "ij" began in row i, its tint, and in column j, the colour of its bar.

    The rows of PSRᵀ are those of S in the order ``rows``, its columns those in the order ``columns``. A frame marks the
    old diagonal; ``counts`` says how much of it is on the diagonal of PSRᵀ.
    """
    rows = arrangement("rows", rows)
    n = require_int("the length of rows", len(rows), most=len(ROW_COLORS))
    columns = arrangement("columns", columns, n)
    flags(counts=counts)
    S = np.array([[f"{i}{j}" for j in range(n)] for i in range(n)])
    fig, ax = figure(width=3.5, height=4.1)
    step = n + 1.1
    moved = {
        "S": S,
        "PS: rows move": S[rows],
        "SRᵀ: columns move": S[:, columns],
        "PSRᵀ: both move": S[np.ix_(rows, columns)],
    }
    for k, (name, M) in enumerate(moved.items()):
        left, top = step * (k % 2), step * (k // 2)
        _cells(ax, M, _digit(M, 0), name, left=left, top=top, bars=_digit(M, 1))
        rings = [_square(left + j, top + i) for i, j in np.argwhere(_digit(M, 0) == _digit(M, 1))]
        ax.add_patch(PathPatch(Path.make_compound_path(*rings), facecolor="none", edgecolor="black", linewidth=1))
    ax.set(xlim=(-0.6, step + n - 0.4), ylim=(step + n - 0.4, -3.0), aspect="equal")
    ax.axis("off")
    lists = f"rows {list(rows)}, columns {list(columns)}"
    home = sum(i == j for i, j in zip(rows, columns, strict=True))
    title = f"{lists}\nframed on the diagonal: {home} of {n}" if counts else lists
    ax.text(-0.46, -1.55, title, va="bottom")
    alt = (
        f"Each of four matrices has the entries of S, named by old row and column: S itself; PS with the old rows "
        f"{list(rows)} from top to bottom; SRᵀ with the old columns {list(columns)} from left to right; PSRᵀ with both."
    )
    diagonal = ", ".join(moved["PSRᵀ: both move"].diagonal())
    return picture(fig, f"{alt} Its diagonal is {diagonal}, {home} of {n} from the old one." if counts else alt)


def draw_routes(perm: Sequence[int]) -> Picture:
    """Draw the same list read twice: new[i] = old[perm[i]] (gather) and new[perm[i]] = old[i] (scatter)."""
    perm = arrangement("perm", perm)
    n = require_int("the length of perm", len(perm), most=len(LETTERS))
    routes = {"gather": [(source, i) for i, source in enumerate(perm)], "scatter": list(enumerate(perm))}
    fig, axes = figure(1, 2, height=1.9)
    results = {}
    for ax, (name, pairs) in zip(axes, routes.items(), strict=True):
        new = results[name] = [""] * n
        for source, target in pairs:
            new[target] = LETTERS[source]
            ax.annotate(
                "",
                (0.83, -target),
                (0.17, -source),
                arrowprops={"arrowstyle": "->", "color": ROW_COLORS[source % 4], "linewidth": 1.4},
            )
        for i in range(n):
            ax.text(0.05, -i, f"{i}: {LETTERS[i]}", ha="center", va="center")
            ax.text(0.97, -i, f"{i}: {new[i]}", ha="center", va="center")
        ax.text(-0.1, 0.55, {"gather": "gather: i takes perm[i]", "scatter": "scatter: i goes to perm[i]"}[name])
        ax.set(xlim=(-0.12, 1.14), ylim=(0.5 - n, 0.9))
        ax.axis("off")
    return picture(
        fig,
        f"perm = {list(perm)} acting on {', '.join(LETTERS[:n])}. Gather gives {', '.join(results['gather'])}; "
        f"scatter gives {', '.join(results['scatter'])}.",
    )


def draw_types() -> Picture:
    """Draw P of all lists of four things, a line for each cycle type: the frame is solid if P = Pᵀ, dashed if not."""
    n, lines = 4, {}
    for perm in permutations(n):
        lines.setdefault(cycle_type(perm), []).append(perm)
    types = sorted(lines, key=lambda lengths: (max(lengths) > 2, lengths))
    widest = (n + 1.6) * max(map(len, lines.values()))
    fig, ax = figure(width=3.7, height=2.1)
    for row, lengths in enumerate(types):
        same, top = max(lengths) <= 2, row * (n + 1.9)
        ax.text(-1.2, top + n / 2, " + ".join(map(str, lengths)), ha="right", va="center")
        colour, dash = (PALETTE["green"], "-") if same else (PALETTE["orange"], (0, (3, 2)))
        frames, ones, diagonals = [], [], []
        for k, perm in enumerate(lines[lengths]):
            left, middle = k * (n + 1.6), n / 2
            frames.append(_square(left + middle, top + middle, middle + 0.3, middle + 0.3))
            ones += [_square(left + j + 0.5, top + i + 0.5, 0.42, 0.42) for i, j in enumerate(perm)]
            diagonals.append(Path([(left, top), (left + n, top + n)]))
        for paths, look in (
            (diagonals, {"facecolor": "none", "edgecolor": PALETTE["grey"], "linewidth": 0.6}),
            (ones, {"facecolor": "black", "edgecolor": "none"}),
            (frames, {"facecolor": "none", "edgecolor": colour, "linestyle": dash, "linewidth": 1.3}),
        ):
            ax.add_patch(PathPatch(Path.make_compound_path(*paths), **look))
    ax.set(xlim=(-16, widest), ylim=(len(types) * (n + 1.9) - 1, -0.8), aspect="equal")
    ax.axis("off")
    counts = "; ".join(
        f"{' + '.join(map(str, lengths))}: {len(lines[lengths])}, {'solid' if max(lengths) <= 2 else 'dashed'}"
        for lengths in types
    )
    return picture(
        fig,
        "The matrices of all 24 lists of four things, in a line for each cycle type, with the diagonal drawn. A solid "
        f"frame says that a matrix is its own mirror image, a dashed one that it is not. {counts}.",
    )


def draw_orthogonal(angles: np.ndarray, rotations: np.ndarray, reflections: np.ndarray) -> Picture:
    """Draw how far softmax is from commuting with an orthogonal 2×2 matrix, against its angle in degrees."""
    numbers("angles", angles, "n")
    numbers("rotations", rotations, len(angles), least=0, fit="angles")
    numbers("reflections", reflections, len(angles), least=0, fit="angles")
    fig, ax = figure(height=2.6)
    ax.plot(angles, rotations, color=PALETTE["blue"], label="rotations")
    ax.plot(angles, reflections, "--", color=PALETTE["orange"], label="reflections")
    zeros = {0: "I", 90: "swap", 180: "−I", 270: "−swap", 360: "I"}
    ax.plot(list(zeros), [0] * len(zeros), "o", color=PALETTE["grey"])
    for angle, name in zeros.items():
        ax.annotate(name, (angle, 0), (0, -5), textcoords="offset points", ha="center", va="top")
    ax.set(xlabel="angle in degrees", ylabel="error of step 3", xticks=range(0, 361, 90), xlim=(-15, 385))
    ax.set_ylim(-0.16 * ax.get_ylim()[1])  # room for the names below the curves
    ax.legend(loc="upper right", ncols=2, bbox_to_anchor=(1, 1.17))
    return picture(
        fig,
        "Error against angle for all orthogonal 2 by 2 matrices. Rotations have error 0 at 0, 180 and 360 degrees "
        "only, where they are I and −I; reflections at 90 and 270 degrees only, as the swap and its negative. "
        f"Elsewhere the error reaches {max(np.max(rotations), np.max(reflections)):.2f}.",
    )


def draw_birkhoff(D: np.ndarray, terms: list[tuple[float, list[int]]]) -> Picture:
    """Draw a doubly stochastic matrix and the weighted permutation matrices it is the sum of, three to a line."""
    D = numbers("D", D, "n", "n", least=0, most=1)
    n, step = len(D), len(D) + 1.4
    for theta, perm in [listed("a term of terms", term, 2) for term in listed("terms", terms)]:
        require_number("a weight of terms", theta, least=0)
        arrangement("a list of terms", perm, n)
    if not np.allclose(sum(theta * permutation_matrix(perm) for theta, perm in terms), D):
        raise ValueError(f"the sum of terms is not D with shape {D.shape}; expected terms that make up D")
    lines = -(-(len(terms) + 1) // 3)
    fig, ax = figure(width=4.4, height=1.55 * lines)
    _cells(ax, np.vectorize("{:.2f}".format)(D), np.zeros((n, n), int), "D")
    for k, (theta, perm) in enumerate(terms, 1):
        P = permutation_matrix(perm).astype(int)
        title = f"{'=' if k == 1 else '+'} {theta:.2f} ×"
        _cells(ax, np.where(P, "1", ""), P - 1, title, left=step * (k % 3), top=step * (k // 3))
    ax.set(xlim=(-0.6, 2 * step + n - 0.4), ylim=(step * (lines - 1) + n - 0.4, -1.6), aspect="equal")
    ax.axis("off")
    parts = "; ".join(f"{theta:.2f} times {perm}" for theta, perm in terms)
    return picture(
        fig, f"A doubly stochastic {n} by {n} matrix is a sum of {len(terms)} permutation matrices: {parts}."
    )


def draw_balance(errors: np.ndarray, rate: float) -> Picture:
    """Draw the error of the row sums after each Sinkhorn round, and the straight line that the rate predicts."""
    errors = numbers("errors", errors, "k", above=0)
    positive(rate=rate)
    k = np.arange(1, len(errors) + 1)
    fig, ax = figure(height=2.5)
    ax.semilogy(k, errors, "o", color=PALETTE["blue"], label="measured")
    ax.semilogy(
        k, errors[-1] * rate ** (k - float(len(errors))), "--", color=PALETTE["orange"], label=f"slope σ₂² = {rate:.3f}"
    )
    ax.set(xlabel="round", ylabel="largest error of a row sum")
    ax.legend()
    return picture(
        fig,
        f"The error of the row sums falls from {errors[0]:.2g} after one round to {errors[-1]:.1e} after {len(errors)} "
        f"rounds, in the end along a straight line on a logarithmic axis: a factor {rate:.3f} per round.",
    )


def _digit(entries, k):
    return np.vectorize(lambda text: int(text[k]))(entries)


def _cells(ax, texts, tints, title, left=0.0, top=0.0, bars=None):
    """Draw a grid of short texts: a cell with tint k >= 0 has colour k, the others a faint grey, and so has its bar."""
    for k in range(-1, tints.max() + 1):
        squares = [_square(left + j, top + i) for i, j in np.argwhere(tints == k)]
        if squares:
            colour = (ROW_COLORS[k], 0.28) if k >= 0 else (PALETTE["grey"], 0.08)
            ax.add_patch(PathPatch(Path.make_compound_path(*squares), facecolor=colour, edgecolor="none"))
    for k in range(-1 if bars is None else bars.max(), -1, -1):
        lines = [_square(left + j, top + i + 0.38, high=0.08) for i, j in np.argwhere(bars == k)]
        ax.add_patch(PathPatch(Path.make_compound_path(*lines), facecolor=ROW_COLORS[k], edgecolor="none"))
    for (i, j), text in np.ndenumerate(texts):
        if text:
            ax.text(left + j, top + i, text, ha="center", va="center")
    ax.text(left - 0.46, top - 0.62, title, va="bottom", in_layout=False)


def _square(x, y, half=0.46, high=0.46):
    corners = [(-half, -high), (half, -high), (half, high), (-half, high), (-half, -high)]
    return Path([(x + a, y + b) for a, b in corners], closed=True)
