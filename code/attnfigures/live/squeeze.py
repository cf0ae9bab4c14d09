"""A state too small for its input: pairs of numbers are rebuilt from one number each, and lie on a line."""

from typing import Any

import numpy as np
from attnbook.arrays import as_array, require_int
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live, require_one_of, require_points
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["squeeze"]

REACH, GRID = 3, 20  # coordinates go from -3 to 3, in steps of 1/20


def squeeze(points: ArrayLike, angle: int, *, numbers: int = 1, ask: Ask = None, label: str = "squeeze") -> Live:
    """A live figure of Σ_i |x_i - u uᵀx_i|² ≥ σ₂², the error of points rebuilt from one number: u can be turned.

    The state of a pair x is one number, and a linear reader makes x̂ of it, so that every x̂ lies on a line through the
    origin. The nearest point of the line is u uᵀx, with u = (cos α, sin α). With the singular values σ₁ ≥ σ₂ of the
    matrix of all pairs, the error is σ₂² + (σ₁² - σ₂²) sin²(α - α₁), where α₁ is the direction of σ₁. A state of two
    numbers keeps everything.

    Parameters
    ----------
    points : array (n, 2)
        Two to twelve pairs, coordinates from -3 to 3 in steps of 0.05, not all 0.
    angle : int
        α in degrees, from 0 to 359.
    numbers : {1, 2}
        How many numbers the state holds.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a shape, a coordinate, the angle or the number of numbers is not as above.

    Source: Eckart and Young (1936).

    >>> result = squeeze([[2, 1], [-2, -1], [1, -2]], 0).compute()
    >>> [float(result[name].round(4)) for name in ("lost", "bound")]
    [6.0, 5.0]
    """
    state = {"points": as_array("points", points, 2).tolist(), "angle": angle, "numbers": numbers}
    return Live("squeeze", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(points: list, angle: int, numbers: int) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    X = require_points("points", points, range(2, 13), REACH)
    if not X.any():
        raise ValueError("points are all 0; expected one that is not")
    if not (np.rint(GRID * X) / GRID == X).all():
        raise ValueError(f"points = {points}; expected coordinates in steps of {1 / GRID}")
    require_int("angle", angle, least=0, most=359)
    require_one_of("numbers", numbers, (1, 2))


def compute(points: list, angle: int, numbers: int) -> dict[str, Any]:
    """Return the rebuilt points, the squared lengths that are kept and lost, and the least that any line loses.

    ``sigma`` holds σ₁² and σ₂², and ``best`` is the direction of σ₁ in degrees, from 0 to 180; it is 0 if σ₁ = σ₂, for
    then every line is the best. ``bound`` is the sum of the σ² beyond the first ``numbers``. The mirror of ``compute``
    in squeeze.js.
    """
    X = np.asarray(points, dtype=float)
    u = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    rebuilt = X if numbers == 2 else np.outer(X @ u, u)
    xx, xy, yy = ((GRID * GRID) * np.array([X[:, 0] @ X[:, 0], X[:, 0] @ X[:, 1], X[:, 1] @ X[:, 1]])).round()
    sigma = np.linalg.svd(X, compute_uv=False) ** 2
    return {
        "rebuilt": rebuilt,
        "total": (X**2).sum(),
        "kept": (rebuilt**2).sum(),
        "lost": ((X - rebuilt) ** 2).sum(),
        "sigma": sigma,
        "bound": sigma[numbers:].sum(),
        "best": np.degrees(np.arctan2(2 * xy, xx - yy)) / 2 % 180,
        "sumGap": abs((X**2).sum() - (rebuilt**2).sum() - ((X - rebuilt) ** 2).sum()) / (X**2).sum(),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    points = [[1.9, 1.4], [-2.2, -0.9], [1.1, 0.2], [-0.6, -1.1], [2.2, 0.8], [-1.5, -1.6], [0.4, 1.0], [-1.2, 0.1]]
    return squeeze(points, 100)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: all points on a line, equal singular values, the axes as lines."""
    n, edge = int(rng.integers(2, 13)), rng.random() < 0.5
    if edge:
        ways = rng.choice([1.0, -1.0, 3.0, -3.0], (n, 1)) * rng.choice([-1.0, 0.0, 0.5, 1.0], 2)
        crosses = [[3.0, 0.0], [0.0, 3.0], [-3.0, 0.0], [0.0, -3.0]]
        X = ways if ways.any() and rng.random() < 0.5 else np.array(crosses)
    else:
        X = rng.integers(-60, 61, (n, 2)) / 20
    angle = int(rng.choice([0, 45, 90, 180, 359]) if edge else rng.integers(360))
    return {"points": (X + 0.0).tolist(), "angle": angle, "numbers": int(rng.choice([1, 1, 2]))}


def still(state: dict, asking: bool) -> Picture:
    """Draw the points, the line, and unless they are asked for the rebuilt points with their squared errors."""
    X, result = np.array(state["points"]), compute(**state)
    u = np.array([np.cos(np.radians(state["angle"])), np.sin(np.radians(state["angle"]))])
    fig, ax = figure(width=4.4, height=4.2)
    ax.set(
        xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", title="points (discs) and what is rebuilt (rings)"
    )
    if state["numbers"] == 1:
        ax.plot(*np.outer([-5, 5], u).T, color="#000000", lw=1.5)
    alt = f"{len(X)} points in a plane and a line through the origin at {state['angle']} degrees"
    if state["numbers"] == 2:
        alt = f"{len(X)} points in a plane, each kept whole by a state of two numbers"
    if not asking:
        for x, foot in zip(X, result["rebuilt"], strict=True):
            ax.fill(*_square(x, foot).T, facecolor=PALETTE["orange"], edgecolor=PALETTE["orange"], alpha=0.25)
            ax.plot(*np.array([x, foot]).T, color=PALETTE["orange"], lw=2)
            ax.plot(*foot, "o", mfc="none", mec="#000000", markersize=7)
    ax.plot(*X.T, "o", color=PALETTE["blue"], markersize=6)
    if asking and state["numbers"] == 1:
        return picture(fig, f"{alt}; how much a line must lose is for you to predict.")
    if state["numbers"] == 2:
        return picture(fig, f"{alt}: nothing is lost.")
    return picture(
        fig,
        f"{alt}, each point joined to its foot on the line, which is rebuilt from one number, with a square on each "
        f"error. The squares sum to {result['lost']:.2f}; no line makes them sum to less than {result['bound']:.2f}.",
    )


def _square(x, foot):
    """Return the corners of a square on the error of a point, on the side towards the origin."""
    error = foot - x
    across = np.array([-error[1], error[0]])
    across = -across if across @ foot > 0 else across
    return np.array([x, foot, foot + across, x + across])
