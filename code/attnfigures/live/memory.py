"""Clocks with a memory: rotary pairs at a length that training never saw, and four ways to keep them inside."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.length import ntk_frequencies, ramp_frequencies
from attnbook.positional import clipped, frequencies, rotate
from matplotlib.patches import Circle, Wedge

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["memory"]

D = 16  # coordinates of a query: eight pairs
WAYS = {"plain": "plain", "interpolate": "interpolate", "ntk": "NTK", "yarn": "ramp", "clip": "clip"}
SLOW = 1.0  # turns in training below which YaRN divides a pair by s
MOST = 8  # times longer than in training
EDGE = 1e-9  # radians by which rounding may carry a hand over the edge of its arc


def memory(
    train: int = 32,
    test: int = 64,
    *,
    way: str = "plain",
    base: float = 100.0,
    fast: float = 4.0,
    ask: Ask = None,
    label: str = "memory",
) -> Live:
    """A live figure of the angles ω_k t of eight rotary pairs, seen in training for offsets t = 0 … train only.

    ω_k = base^(−k/8). The reader drags the longest offset of the test; s = test / train. Ways to get along with it:

    - interpolate: ω_k / s, which is every position divided by s;
    - NTK: the base becomes base · s^(8/7), which keeps ω_0 and divides ω_7 by s;
    - YaRN: γ ω_k + (1 − γ) ω_k / s, where γ rises from 0 to 1 while the turns in training rise from 1 to ``fast``;
    - clip: an offset beyond ``train`` counts as ``train``.

    With 32 positions and the usual base 10 000 the slow hands would hardly be seen to move, so the base is 100 here;
    and as no pair makes 32 turns, the β of the YaRN paper, ``fast`` is 4.

    Parameters
    ----------
    train, test : int
        The longest offset in training, 8 to 64, and in the test, at most 8 times as long.
    way : {"plain", "interpolate", "ntk", "yarn", "clip"}
        What is done about the length.
    base : float
        From 10 to 1 000 000.
    fast : float
        Turns in training from which YaRN leaves a pair as it is, 1.1 to 32.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a number or the way is not as above.

    Source: Chen et al. (2023), position interpolation; bloc97 (2023), NTK-aware RoPE; Peng et al. (2024), YaRN.

    >>> [memory(32, 128, way=way).compute()["outside"] for way in ("plain", "interpolate", "ntk", "yarn", "clip")]
    [5, 0, 4, 0, 0]
    """
    state = {
        "train": require_int("train", train),
        "test": require_int("test", test),
        "way": way,
        "base": float(base),
        "fast": float(fast),
    }
    return Live("memory", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(train: int, test: int, way: str, base: float, fast: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_int("train", train, least=8, most=64)
    require_int("test", test, least=train, most=MOST * train)
    require_one_of("way", way, WAYS)
    require_within("base", base, 10, 1e6)
    require_within("fast", fast, 1.1, 32)


def compute(train: int, test: int, way: str, base: float, fast: float) -> dict[str, Any]:
    """Return the arcs seen in training, the angle of one step, where the hands end, and which pairs are outside.

    Angles are in radians. A pair is outside if some offset of the test turns it to an angle beyond its arc.
    The mirror of ``compute`` in memory.js.
    """
    theta, s = frequencies(D, base), test / train
    raised = base * s ** (D / (D - 2))
    seen = theta * train
    slowed = {
        "interpolate": theta / s,
        "ntk": ntk_frequencies(D, s, base),
        "yarn": ramp_frequencies(theta, train, s, SLOW, fast),
    }
    omega = slowed.get(way, theta)
    offsets = np.arange(test + 1)
    if way == "clip":
        offsets = clipped(offsets, train) - train
    angles = np.multiply.outer(offsets, omega)
    beyond = (angles % (2 * np.pi) > seen + EDGE).any(axis=0)  # never, where the arc is a whole circle
    hands = rotate(np.tile([1.0, 0.0], (1, D // 2)), offsets[-1:], omega)
    return {
        "s": s,
        "raised": raised,
        "arcs": np.minimum(seen, 2 * np.pi),
        "before": theta,
        "steps": omega,
        "ends": angles[-1],
        "hands": hands.reshape(-1, 2),
        "beyond": beyond.tolist(),
        "outside": int(beyond.sum()),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return memory()


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: the shortest and the longest test, bases and ramps at their bounds."""
    edge = rng.random() < 0.5
    train = int(rng.choice([8, 64]) if edge else rng.integers(8, 65))
    test = train * int(rng.choice([1, 8])) if edge else int(rng.integers(train, 8 * train + 1))
    way = str(rng.choice(["plain", "interpolate", "ntk", "yarn", "clip"]))
    base = float(rng.choice([10, 1e6]) if edge else np.round(10 ** rng.uniform(1, 5), 2))
    return {"train": train, "test": test, "way": way, "base": base, "fast": float(rng.choice([1.1, 4.0, 32.0]))}


def still(state: dict, asking: bool) -> Picture:
    """Draw a face for each pair: the arc seen in training and, unless it is asked for, the hand of the test.

    Nobody can drag on paper, so a test as long as training is drawn at the longest test that there is.
    """
    if state["test"] == state["train"]:
        state = state | {"test": MOST * state["train"]}
    result, way = compute(**state), WAYS[state["way"]]
    fig, ax = figure(width=4.0, height=2.9)
    for k, (arc, (c, s), out) in enumerate(zip(result["arcs"], result["hands"], result["beyond"], strict=True)):
        x, y = 2.5 * (k % 4), -3.2 * (k // 4)
        ax.add_patch(Wedge((x, y), 1, 0, np.degrees(arc), facecolor=(PALETTE["grey"], 0.35), edgecolor="none"))
        ax.add_patch(Circle((x, y), 1, fill=False, edgecolor=PALETTE["grey"], linewidth=0.8))
        look = (
            {"color": PALETTE["orange"], "linestyle": "--", "marker": "X"} if out else {"color": "black", "marker": "o"}
        )
        if not asking:
            ax.plot([x, x + c], [y, y + s], linewidth=2, markevery=[1], markersize=6, **look)
        ax.text(x, y - 1.15, f"pair {k}", ha="center", va="top")
    ax.set(xlim=(-1.2, 8.7), ylim=(-5.0, 1.2), aspect="equal")
    ax.axis("off")
    ax.set_title(f"offsets up to {state['train']} in training, {state['test']} in the test: {way}")
    alt = f"Eight faces, each tinted over the angles that a rotary pair took in training, offsets 0 to {state['train']}"
    if asking:
        return picture(fig, f"{alt}. Where the hands are at offset {state['test']} is for you to predict.")
    names = ", ".join(str(k) for k in np.flatnonzero(result["beyond"])) or "none"
    return picture(
        fig,
        f"{alt}. The hands are those of offset {state['test']}, {way}. Pairs that reach angles outside the tint, with "
        f"dashed hands: {names}.",
    )
