"""Softmax as a point in the convex hull: one query, a few keys, and their values in the plane."""

from typing import Any

import numpy as np
from attnbook.arrays import as_array
from attnbook.attention import entropy, scores, softmax
from attnbook.simplex import sparsemax
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull

from ..kit.figure import Ask, Live, require_one_of, require_points, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["hull"]

WEIGHTINGS = {"softmax": softmax, "sparsemax": sparsemax, "none": lambda s: s}
REACH = 3  # the planes go from -3 to 3
HUES, MARKS = list(PALETTE), ["o", "s", "^", "D", "*"]


def hull(
    values: ArrayLike,
    keys: ArrayLike,
    query: ArrayLike,
    *,
    temperature: float = 1.0,
    weighting: str = "softmax",
    ask: Ask = None,
    label: str = "hull",
) -> Live:
    """A live figure of y = Σ_j a_j V_j with a = softmax(Kq / (√2 T)): every point, number and T can be moved.

    Parameters
    ----------
    values, keys : array (m, 2)
        Two to five of each, coordinates from -3 to 3.
    query : array (2,)
        Coordinates from -3 to 3.
    temperature : float
        T, from 0.01 to 100.
    weighting : {"softmax", "sparsemax", "none"}
        What makes weights of scores; "none" takes the scores themselves.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a shape, a coordinate, the temperature or the weighting is not as above.

    >>> hull([[0, 0], [2, 0]], [[1, 0], [1, 0]], [1, 0]).compute()["output"]
    array([1., 0.])
    """
    state = {
        "query": as_array("query", query, 1).tolist(),
        "keys": as_array("keys", keys, 2).tolist(),
        "values": as_array("values", values, 2).tolist(),
        "temperature": float(temperature),
        "weighting": weighting,
    }
    return Live("hull", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(query: list, keys: list, values: list, temperature: float, weighting: str) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_points("query", [query], range(1, 2), REACH)
    m = len(require_points("keys", keys, range(2, 6), REACH))
    require_points("values", values, range(m, m + 1), REACH)
    require_within("temperature", temperature, 0.01, 100)
    require_one_of("weighting", weighting, WEIGHTINGS)


def compute(query: list, keys: list, values: list, temperature: float, weighting: str) -> dict[str, Any]:
    """Return weights and output, the corners of the hull of the values, and how deep the output lies in it.

    The corners go counterclockwise from the leftmost. The depth is the least signed distance to a side, positive
    inside; for values on a line, minus the distance to the segment between them. The spread e^H, with the entropy H, is
    the number of keys that the query looks at. The mirror of ``compute`` in hull.js.
    """
    s = scores([query], keys, scale=1 / (np.sqrt(2) * temperature))[0]
    a, V = WEIGHTINGS[weighting](s), np.asarray(values)
    y = a @ V
    if np.linalg.matrix_rank(V - V[0]) < 2:  # all on a line
        corners = np.array([min(V.tolist()), max(V.tolist())])
        first, last = corners
        t = np.clip((y - first) @ (last - first) / ((last - first) @ (last - first) or 1.0), 0, 1)
        depth = -np.linalg.norm(y - first - t * (last - first))
    else:
        faces = ConvexHull(V)
        corners, depth = V[faces.vertices], -(faces.equations @ [*y, 1]).max()  # SciPy lists them counterclockwise
        corners = np.roll(corners, -min(range(len(corners)), key=lambda j: corners[j].tolist()), axis=0)
    spread = None if weighting == "none" else np.exp(entropy(a))
    return {"scores": s, "weights": a, "output": y, "corners": corners, "depth": depth, "spread": spread}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    values = [[-2, -1.2], [2, -1.6], [0.4, 2.2], [-1.6, 1.6]]
    keys = [[1.5, 0.5], [-0.5, 1.5], [-1.0, -1.0], [1.0, -1.5]]
    return hull(values, keys, [1.2, 1.0])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Whole numbers put three points on a line, and T = 0.01 makes exp overflow.
    """
    m, grid = int(rng.integers(2, 6)), rng.random() < 0.5

    def points(n):
        return (rng.integers(-3, 4, (n, 2)) * 1.0 if grid else np.round(rng.uniform(-3, 3, (n, 2)), 2)).tolist()

    temperature = 0.01 if grid else float(10 ** rng.uniform(-2, 2))
    weighting = str(rng.choice(["softmax", "sparsemax", "none"]))
    state = {"query": points(1)[0], "keys": points(m), "values": points(m)}
    return state | {"temperature": temperature, "weighting": weighting}


def still(state: dict, asking: bool) -> Picture:
    """Draw the keys and the query as arrows, the values with their hull, and the output unless it is asked for."""
    V, K, q, result = np.array(state["values"]), np.array(state["keys"]), state["query"], compute(**state)
    fig, (left, right) = figure(1, 2, width=6.4, height=3.2)
    for ax, title in ((left, "query and keys"), (right, "values, their hull, and the output")):
        ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", title=title)
    sizes = abs(result["weights"]) / max(1, abs(result["weights"]).max())
    for j, (key, value) in enumerate(zip(K, V, strict=True)):
        colour = PALETTE[HUES[j]]
        left.plot([0, key[0]], [0, key[1]], color=colour)
        left.plot(*key, MARKS[j], color=colour, markersize=7)
        right.scatter(*value, s=900 * sizes[j] * (not asking), color=colour, alpha=0.25)
        right.plot(*value, MARKS[j], color=colour, markersize=7)
    left.annotate("", q, (0, 0), arrowprops={"arrowstyle": "->", "color": "#000000", "lw": 2})
    left.text(q[0] + 0.1, q[1] + 0.1, "q", style="italic")
    right.fill(*result["corners"].T, facecolor="none", edgecolor="#000000", lw=1)
    alt = f"Left, a query and {len(K)} keys as arrows. Right, {len(V)} values and their convex hull"
    if asking:
        return picture(fig, f"{alt}; where the output lies is for you to predict.")
    right.plot(*result["output"], "o", mfc="none", mec="#000000", markersize=9)
    at, weights = result["output"], ", ".join(f"{a:.2f}" for a in result["weights"])
    return picture(fig, f"{alt} with the output at ({at[0]:.2f}, {at[1]:.2f}); the weights are {weights}.")
