"""A stack of windows: which inputs reach an output through layers whose queries see few keys, and how much of each."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from matplotlib.axes import Axes

from ..kit.figure import Ask, Live
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["windows"]

TOKENS = 16
RANGES = {"layers": (1, 4), "window": (1, 8), "sinks": (0, 2), "query": (0, TOKENS - 1)}


def windows(
    layers: int = 2, window: int = 4, *, sinks: int = 0, query: int = 15, ask: Ask = None, label: str = "windows"
) -> Live:
    """A live figure of 16 tokens in L causal layers whose queries see w keys: which inputs reach output i.

    Query i sees key j if j ≤ i and (i − j < w or j < s): itself, the w − 1 tokens before it, and s sinks, the first
    tokens, which no window hides. Without sinks, output i depends on the inputs from i − L(w − 1) on. With sinks it
    depends on the first s as well, and on no other: a first token has seen only first tokens.

    Parameters
    ----------
    layers : int
        L, from 1 to 4.
    window : int
        w, from 1 to 8.
    sinks : int
        s, from 0 to 2.
    query : int
        i, from 0 to 15.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Source: Xiao et al. (2024), "Efficient streaming language models with attention sinks".

    >>> windows(3, 5).compute()["back"]
    12
    """
    state = as_integers({"layers": layers, "window": window, "sinks": sinks, "query": query})
    return Live("windows", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(**state: int) -> None:
    """Raise ``ValueError``, by `as_integers`, unless the state can be drawn."""
    as_integers(state)


def as_integers(state: dict[str, int]) -> dict[str, int]:
    """Return the state with each number as an int; raise ``ValueError`` if one is not an integer in its range."""
    return {name: require_int(name, state[name], least=least, most=most) for name, (least, most) in RANGES.items()}


def mask(window: int, sinks: int) -> np.ndarray:
    """Return (16, 16) Booleans: query i (row) may look at key j (column)."""
    tokens = np.arange(TOKENS)
    back = tokens[:, None] - tokens
    return (back >= 0) & ((back < window) | (tokens < sinks))


def compute(layers: int, window: int, sinks: int, query: int) -> dict[str, Any]:
    """Return the tokens that reach the output, level by level, over how many edges, and how far back they stand.

    ``reached`` (L + 1, 16) has ones where a token of a level, from the output down to the inputs, reaches the output.
    ``shares`` (16,) is what each input contributes if every query attends equally to all keys that it sees: a row of
    the L-th power of the mask with rows divided by their sums. The mirror of ``compute`` in windows.js.
    """
    M = mask(window, sinks)
    A = M / M.sum(axis=1, keepdims=True)
    reached = [np.arange(TOKENS) == query]
    shares = np.eye(TOKENS)[query]
    edges = 0
    for _ in range(layers):
        edges += int(M[reached[-1]].sum())
        reached.append(reached[-1] @ M)  # of Booleans: any of them
        shares = shares @ A
    without_sinks = np.linalg.matrix_power(mask(window, 0).astype(int), layers)[query] > 0
    back = query - int(np.argmax(without_sinks))
    return {
        "reached": np.array(reached).astype(int),
        "shares": shares,
        "largest": shares.max(),
        "inputs": int(reached[-1].sum()),
        "edges": edges,
        "back": back,
        "backGap": float(abs(back - min(query, layers * (window - 1)))),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return windows(2, 4)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: every number at one of its bounds."""
    if rng.random() < 0.5:
        return {name: int(rng.choice(ends)) for name, ends in RANGES.items()}
    return {name: int(rng.integers(least, most + 1)) for name, (least, most) in RANGES.items()}


def still(state: dict, asking: bool) -> Picture:
    """Draw the tokens of all levels and the edges that lead to the output, unless they are asked for."""
    layers, window, query = state["layers"], state["window"], state["query"]
    keys, sinks = _counted(window, "key"), _counted(state["sinks"], "sink")
    alt = f"{TOKENS} tokens in {_counted(layers, 'layer')}, each with a window of {keys} and {sinks}"
    fig, ax = figure(width=6.4, height=2.6)
    _draw_levels(ax, layers)
    ax.plot(query, layers, "D", color=PALETTE["orange"], ms=8)
    if asking:
        return picture(fig, f"{alt}; which inputs reach output {query} is for you to predict.")
    result = compute(**state)
    _draw_edges(ax, result["reached"], mask(window, state["sinks"]), window)
    names = ", ".join(map(str, np.flatnonzero(result["reached"][-1])))
    return picture(fig, f"{alt}. Output {query} depends on {_counted(result['inputs'], 'input')}: {names}.")


def _counted(n: int, noun: str) -> str:
    """Return a number of things in words, such as "1 key" or "2 keys"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _draw_levels(ax: Axes, layers: int) -> None:
    """Draw a row of dots for the inputs, and one for each layer."""
    ax.plot(*np.indices((TOKENS, layers + 1)).reshape(2, -1), "o", mfc="none", mec="#777777", ms=5)
    ax.set(xlim=(-0.6, TOKENS - 0.4), xticks=range(TOKENS), xlabel="token")
    ax.set(ylim=(-0.4, layers + 0.4), yticks=range(layers + 1))
    ax.set_yticklabels(["inputs", *(f"layer {level}" for level in range(1, layers + 1))])
    ax.grid(visible=False)


def _draw_edges(ax: Axes, reached: np.ndarray, M: np.ndarray, window: int) -> None:
    """Draw the edges from each token that reaches the output to what it sees, dashed where only a sink is seen."""
    layers = len(reached) - 1
    for down in range(layers):
        level = layers - down
        for query, key in np.argwhere(M & (reached[down][:, None] > 0)):
            near = query - key < window
            colour, style = (PALETTE["blue"], "-") if near else ("#000000", "--")
            ax.plot([query, key], [level, level - 1], color=colour, ls=style, lw=0.8)
        seen = np.flatnonzero(reached[down + 1])
        ax.plot(seen, np.full(len(seen), level - 1), "o", color=PALETTE["blue"], ms=5)
