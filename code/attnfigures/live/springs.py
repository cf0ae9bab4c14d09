"""The inverse of attention: drag the output, and read off the one query that has it, where the keys are the values."""

from typing import Any

import numpy as np
from attnbook.arrays import as_array
from attnbook.attention import scores, softmax, softmax_jacobian
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live, require_points
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["springs"]

REACH, GRID = 3, 20  # coordinates go from -3 to 3, in steps of 1/20
STEPS, SMALL = 100, 1e-8  # Newton's method needs about ten steps, forty in the worst case seen
HUES, MARKS = [*list(PALETTE)[:6], None], ["o", "s", "^", "D", "*", "X", "h"]


def springs(
    values: ArrayLike, output: ArrayLike, *, masked: list[int] | None = None, ask: Ask = None, label: str = "springs"
) -> Live:
    """A live figure of the query q with softmax(Vq)ᵀ V = y: the output y can be moved, and values can be masked.

    The keys are the values, and a score is q·v_j, not scaled. Of all weights a with aᵀV = y those of the query have the
    largest entropy, and q is the minimiser of log Σ_j exp(q·(v_j - y)), which is convex. It exists and is unique if and
    only if y lies inside the hull of the values. On the rim, the weights of largest entropy are those of the values on
    that side, and no query has them: queries that grow across the side come as near as you like, and their part along
    the side chooses the place. Outside there are no weights.

    Parameters
    ----------
    values : array (m, 2)
        Three to seven, not all on a line, coordinates from -3 to 3 in steps of 0.05.
    output : array (2,)
        y, coordinates from -3 to 3 in steps of 0.05.
    masked : list of int, optional
        Indices of values that get no weight; those that remain are not all on a line.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a shape or a coordinate is not as above, or the values that are not masked lie on a line.

    Source: Wainwright and Jordan (2008), section 3.6 and theorem 3.3.

    >>> springs([[-1, -1], [1, -1], [0, 2]], [0.5, -1]).compute()["weights"]
    array([0.25, 0.75, 0.  ])
    """
    V = as_array("values", values, 2)
    hidden = [] if masked is None else masked
    if not set(hidden) <= set(range(len(V))):
        raise ValueError(f"masked = {hidden}; expected indices of the {len(V)} values")
    marks = [j in hidden for j in range(len(V))]
    state = {"values": V.tolist(), "output": as_array("output", output, 1).tolist(), "masked": marks}
    return Live("springs", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(values: list, output: list, masked: list) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, x, counts in (("values", values, range(3, 8)), ("output", [output], range(1, 2))):
        x = require_points(name, x, counts, REACH)
        if not (np.rint(GRID * x) / GRID == x).all():
            raise ValueError(f"{name} = {x.tolist()}; expected coordinates in steps of {1 / GRID}")
    if len(masked) != len(values) or not all(isinstance(m, bool) for m in masked):
        raise ValueError(f"masked = {masked}; expected True or False for each of the {len(values)} values")
    if len(_corners(_whole(values)[~np.array(masked)])) < 3:
        raise ValueError(f"masked = {masked} leaves values on one line; expected three that are not")


def compute(values: list, output: list, masked: list) -> dict[str, Any]:
    """Return where the output lies, the hull, and the weights and the query that have this output, if there are any.

    Inside or not is decided in whole numbers, so both languages agree. ``used`` values are not masked. ``weights`` is
    None outside, ``query`` and ``length`` everywhere but inside. ``outward`` holds the directions at a right angle to
    the sides that meet in an output on the rim. On a side, the outputs of the queries ``along`` + t·``outward[0]`` tend
    to this one as t grows. ``nearest`` is the point of the hull nearest to an output outside. The mirror of ``compute``
    in springs.js.
    """
    V, y, seen = _whole(values), _whole(output), ~np.array(masked)
    corners = _corners(V[seen])
    ends = np.roll(corners, -1, axis=0)
    depth = [_turn(p, q, y) for p, q in zip(corners, ends, strict=True)]
    sides = np.flatnonzero(np.equal(depth, 0))
    where = "outside" if min(depth) < 0 else ("inside", "side", "corner")[len(sides)]
    result: dict[str, Any] = {
        "where": where,
        "used": seen.sum(),
        "hull": corners / GRID,
        "outward": [],
        "along": None,
        "nearest": None,
    }
    result |= {"weights": None, "query": None, "length": None}
    if where == "outside":
        return result | {"nearest": min(_nearest(corners, ends, y), key=lambda p: np.hypot(*(p - y))) / GRID}
    ways = (ends - corners)[sides]
    ways = ways / np.hypot(*ways.T)[:, None]
    result["outward"] = [np.array([dy, -dx]) for dx, dy in ways]
    on = seen & np.all([[_turn(corners[i], ends[i], v) == 0 for v in V] for i in sides], axis=0)
    D = (V - y)[on] / GRID
    if where == "side":  # one number is left of each value: how far it lies along the side
        D = np.stack([D @ ways[0], 0 * D[:, 0]], axis=1)
    q, a = _newton(D)
    result["weights"] = np.zeros(len(V))
    result["weights"][on] = a
    if where == "inside":
        return result | {"query": q, "length": np.hypot(*q)}
    if where == "side":
        return result | {"along": q[0] * ways[0]}
    return result


def _newton(D):
    """Return the minimiser q of log Σ_j exp(q·d_j), and the weights softmax(Dq), by damped Newton steps from 0.

    A step that changes the differences of scores by up to r is shortened by ln(1 + r)/r, which makes the sum fall from
    any start: Sun and Tran-Dinh (2019), the case ν = 2. A direction in which all d_j are 0 is left alone.
    """
    q, flat = np.zeros(2), np.diag((D == 0).all(axis=0))
    for _ in range(STEPS):
        a = softmax(scores([q], D, scale=1))[0]
        step = -np.linalg.solve(D.T @ softmax_jacobian(a) @ D + flat, a @ D)
        change = np.ptp(D @ step)
        if change < SMALL:
            break
        q = q + np.log1p(change) / change * step
    return q + step, softmax(scores([q + step], D, scale=1))[0]


def _whole(points):
    return np.rint(GRID * np.asarray(points)).astype(int)


def _turn(p, q, r):
    """Positive if r lies to the left of the way from p to q, 0 if on its line."""
    return int((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))


def _corners(points):
    """The corners of the hull against the clock, from the leftmost, the lowest of these; no three on a line."""

    def half(ordered):
        chain = []
        for p in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    ordered = sorted({tuple(p) for p in points.tolist()})
    return np.array(half(ordered) + half(ordered[::-1]))


def _nearest(corners, ends, y):
    for p, q in zip(corners, ends, strict=True):
        yield p + np.clip((y - p) @ (q - p) / ((q - p) @ (q - p)), 0, 1) * (q - p)


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    values = [[-2.0, -1.5], [1.5, -1.5], [2.5, 0.5], [1.0, 2.0], [-2.0, 1.5], [0.5, 0.5], [-0.5, -0.5]]
    return springs(values, [1.5, 0.9])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Coarse grids put outputs on sides and corners, thin hulls make long queries.
    """
    edge = rng.random() < 0.5
    while True:
        m = int(rng.integers(3, 8))
        V = rng.integers(-2, 3, (m, 2)) * rng.choice([1, 20, 30], 2) if edge else rng.integers(-60, 61, (m, 2))
        masked = (rng.random(m) < 0.3).tolist()
        seen = V[~np.array(masked)]
        if len(seen) and np.linalg.matrix_rank(seen - seen[0]) == 2:
            break
    anywhere, within = rng.integers(-60, 61, 2), np.rint(rng.dirichlet(np.full(len(seen), 0.5)) @ seen)
    choices = [anywhere, within, within, seen[0], (seen[0] + seen[1]) // 2]
    output = choices[int(rng.integers(5 if edge else 3))]
    return {"values": (V / 20).tolist(), "output": (output / 20).tolist(), "masked": masked}


def still(state: dict, asking: bool) -> Picture:
    """Draw the values with their hull, the output as a ring, and springs and query unless they are asked for."""
    V, y, result = np.array(state["values"]), np.array(state["output"]), compute(**state)
    fig, ax = figure(width=4.4, height=4.2)
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", title="values, their hull, and the output")
    ax.fill(*result["hull"].T, facecolor=(0.5, 0.5, 0.5, 0.1), edgecolor="#000000", lw=1)
    for j, v in enumerate(V):
        colour = PALETTE[HUES[j]] if HUES[j] else "#000000"
        if result["weights"] is not None and not asking:
            ax.plot(*np.array([v, y]).T, color=colour, alpha=0.6, lw=12 * result["weights"][j])
        ax.plot(*v, MARKS[j], color=colour, mfc="none" if state["masked"][j] else colour, markersize=8)
    ax.plot(*y, "o", mfc="none", mec="#000000", mew=2, markersize=11)
    alt = (
        f"{len(V) - sum(state['masked'])} values in a plane, their convex hull, and an output {WORDS[result['where']]}"
    )
    if asking:
        return picture(fig, f"{alt}; which query has this output is for you to predict.")
    if result["where"] == "outside":
        away = y - result["nearest"]
        middle, along = y - away / 2, np.array([-away[1], away[0]]) / np.hypot(*away)
        ax.plot(*np.array([middle - 9 * along, middle + 9 * along]).T, "--", color="#000000", lw=1.2)
        return picture(fig, f"{alt}: no weights have it. A line separates it from every value.")
    shown = ", ".join(f"{a:.2f}" for a in result["weights"])
    alt += f", with a spring from each value, as wide as its weight: {shown}."
    if result["where"] != "inside":
        return picture(fig, f"{alt} No query has this output.")
    ax.annotate("", y + result["query"], y, arrowprops={"arrowstyle": "->", "color": "#000000", "lw": 2}, zorder=5)
    ax.text(*np.clip(y + 1.1 * result["query"], -REACH + 0.2, REACH - 0.2), "q", style="italic")
    at = ", ".join(f"{c:.2f}" for c in result["query"])
    return picture(fig, f"{alt} The arrow from it is the query ({at}), of length {result['length']:.2f}.")


WORDS = {"inside": "inside it", "side": "on a side of it", "corner": "on a corner of it", "outside": "outside it"}
