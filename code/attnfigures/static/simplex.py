"""Drawings of the chapter "Softmax and convex combination"."""

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import softmax
from attnbook.simplex import sparsemax
from scipy.spatial import ConvexHull

from ..kit.style import PALETTE, Picture, figure, picture
from ..kit.validate import each, numbers

__all__ = ["draw_collapse", "draw_faces", "draw_hull", "draw_smoother", "draw_two_keys"]

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])  # the simplex of three weights as a triangle
DASHES = ["-", "--", "-.", ":"]


def draw_hull(V: np.ndarray, Y: np.ndarray, outside: dict[str, np.ndarray]) -> Picture:
    """Draw values ``V`` (m, 2) with their hull, outputs ``Y`` inside it, and a dict of named points ``outside`` it."""
    V, Y = numbers("V", V, "m", 2), numbers("Y", Y, "n", 2)
    outside = each("outside", outside, "k", 2, entries=2)
    if np.linalg.matrix_rank(V - V[0]) < 2:
        raise ValueError(f"V with shape {V.shape} lies on a line; expected three values that do not")
    fig, ax = figure(height=3.6)
    hull = ConvexHull(V)
    rim, normals, offsets = V[hull.vertices], hull.equations[:, :2], hull.equations[:, 2]

    def beyond(points):
        return int(((points @ normals.T + offsets).max(axis=1) > 1e-9).sum())

    ax.fill(*rim.T, facecolor=(PALETTE["blue"], 0.12), edgecolor=PALETTE["blue"], label="convex hull of the values")
    ax.plot(*Y.T, ".", color=PALETTE["blue"], markersize=4, label=f"{len(Y)} outputs of softmax")
    for (name, points), marker, color in zip(outside.items(), "x+", ("orange", "purple"), strict=False):
        ax.plot(*points.T, marker, color=PALETTE[color], markersize=5, label=name)
    ax.plot(*V.T, "s", color="black", markersize=5, label="values")
    ax.set(aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    counts = ", ".join(f"{name} ({beyond(points)} of {len(points)})" for name, points in outside.items())
    return picture(
        fig,
        f"{len(V)} values in a plane; {len(rim)} of them are corners of their convex hull. Outside the hull lie "
        f"{beyond(Y)} of {len(Y)} outputs of softmax. Among other points, outside lie: {counts}.",
    )


def draw_faces(s: np.ndarray, hidden: int) -> Picture:
    """Draw the paths of softmax(s/T), sparsemax(s/T) and a masked softmax over T on the simplex of three weights.

    ``hidden`` is the index of the key that the mask hides.
    """
    s, hidden = numbers("s", s, 3), require_int("hidden", hidden, least=0, most=2)
    T = np.geomspace(0.02, 60, 240)[:, None]
    masked = np.where(np.arange(3) == hidden, -np.inf, s)
    paths = {"softmax": softmax(s / T), "sparsemax": sparsemax(s / T), f"key {hidden + 1} masked": softmax(masked / T)}
    fig, ax = figure(height=2.9)
    ax.fill(*CORNERS.T, facecolor=(PALETTE["blue"], 0.1), edgecolor=PALETTE["grey"], linewidth=0.8)
    at_one = {}
    for (name, path), dash, marker, color in zip(
        paths.items(), DASHES, "os^", ("blue", "orange", "green"), strict=False
    ):
        width = {"-": 1.8, "--": 1.8, "-.": 4}[dash]
        alpha = 0.4 if dash == "-." else 1
        ax.plot(*(path @ CORNERS).T, dash, color=PALETTE[color], linewidth=width, alpha=alpha)
        at_one[name] = {"softmax": softmax, "sparsemax": sparsemax}.get(name, lambda s: softmax(masked))(s)
        ax.plot(*(at_one[name] @ CORNERS), marker, color=PALETTE[color], markersize=7, label=name)
    for j, corner in enumerate(CORNERS):
        _label(ax, corner, CORNERS.mean(axis=0), f"key {j + 1}")
    ax.set(aspect="equal", xlim=(-0.15, 1.6), ylim=(-0.12, 1.0))
    ax.axis("off")
    ax.legend(loc="upper right", bbox_to_anchor=(1, 0.9), title="weights at T = 1")
    points = "; ".join(f"{name} ({', '.join(f'{x:.2f}' for x in a)})" for name, a in at_one.items())
    return picture(
        fig,
        f"The simplex of three weights as a triangle. At temperature 1 the weights are: {points}. As T falls, softmax "
        f"bends from the centre to the corner of key {np.argmax(s) + 1} and touches no edge; sparsemax runs straight "
        f"to an edge and along it; the masked weights stay on the edge opposite key {hidden + 1}.",
    )


def draw_collapse(curves: dict[str, np.ndarray]) -> Picture:
    """Draw the relative spread of the rows against depth: ``curves`` maps a name to an array (seeds, layers + 1)."""
    curves = each("curves", curves, "seeds", "layers", entries=3, least=0)
    fig, ax = figure(height=2.7)
    ends = {}
    for (name, runs), dash, color in zip(curves.items(), DASHES, ("orange", "purple", "blue"), strict=False):
        runs = np.maximum(runs, 1e-17)
        depth = np.arange(runs.shape[1])
        for run in runs:
            ax.semilogy(depth, run, dash, color=PALETTE[color], alpha=0.35, linewidth=0.9)
        ax.semilogy(depth, np.median(runs, axis=0), dash, color=PALETTE[color], linewidth=2.2, label=name)
        ends[name] = np.median(runs[:, -1])
    ax.set(xlabel="layers", ylabel="relative spread of the rows", ylim=(3e-18, 10))
    ax.set_yticks(10.0 ** np.arange(-16, 1, 4), ["10⁻¹⁶", "10⁻¹²", "10⁻⁸", "10⁻⁴", "1"])
    ax.minorticks_off()
    ax.legend(loc="center right", bbox_to_anchor=(1, 0.55))
    medians = ", ".join(f"{name} {value:.1e}" for name, value in ends.items())
    return picture(
        fig,
        f"Relative spread of the token rows over {runs.shape[1] - 1} layers, {len(runs)} seeds each, logarithmic. "
        f"Median after the last layer: {medians}.",
    )


def draw_two_keys() -> Picture:
    """Draw the first of two weights against the difference of the scores: softmax, a sigmoid, and sparsemax, a ramp."""
    x = np.linspace(-3, 3, 121)
    pair = np.stack([x, 0 * x], axis=1)
    fig, ax = figure(height=2.3)
    curves = {"softmax": softmax(pair)[:, 0], "sparsemax": sparsemax(pair)[:, 0]}
    for (name, curve), dash, color in zip(curves.items(), DASHES, ("blue", "orange"), strict=False):
        ax.plot(x, curve, dash, color=PALETTE[color], label=name)
    ax.set(xlabel="score 1 − score 2", ylabel="weight of key 1", ylim=(-0.05, 1.05))
    ax.legend(loc="upper left")
    return picture(
        fig,
        f"Weight of the first of two keys against the difference of the scores from −3 to 3. Softmax is a smooth curve "
        f"from {curves['softmax'][0]:.2f} to {curves['softmax'][-1]:.2f}; sparsemax is 0 up to −1, a straight ramp "
        f"to 1, and 1 from there.",
    )


def draw_smoother(
    x: np.ndarray, y: np.ndarray, at: np.ndarray, fits: dict[str, np.ndarray], truth: np.ndarray
) -> Picture:
    """Draw data ``y`` (m,) at ``x`` (m,), their band, and named curves and the ``truth`` at positions ``at`` (n,)."""
    x, at = numbers("x", x, "m"), numbers("at", at, "n")
    y, truth = numbers("y", y, len(x), fit="x"), numbers("truth", truth, len(at), fit="at")
    fits = each("fits", fits, len(at), fit="at", entries=3)
    fig, ax = figure(height=2.9)
    ax.axhspan(y.min(), y.max(), facecolor=(PALETTE["blue"], 0.1))
    ax.plot(at, truth, ":", color=PALETTE["grey"], label="truth")
    ax.plot(x, y, "o", color="black", markersize=3, label="data")
    for (name, curve), dash, color in zip(fits.items(), DASHES, ("orange", "blue", "purple"), strict=False):
        ax.plot(at, curve, dash, color=PALETTE[color], label=name)
    ax.set(xlabel="position of the query", ylabel="output")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=3)
    ranges = "; ".join(f"{name} from {curve.min():.2f} to {curve.max():.2f}" for name, curve in fits.items())
    return picture(
        fig,
        f"{len(x)} data between {y.min():.2f} and {y.max():.2f}, a band of that height, the true curve, and curves of "
        f"attention: {ranges}. All of them stay in the band.",
    )


def _label(ax, point, centre, text):
    """Write ``text`` beside ``point``, on the side that looks away from ``centre``."""
    away = (point - centre) / np.linalg.norm(point - centre)
    side = "left" if away[0] > 0.3 else "right" if away[0] < -0.3 else "center"
    ax.annotate(text, point, 7 * away, textcoords="offset points", ha=side, va="bottom" if away[1] > 0 else "top")
