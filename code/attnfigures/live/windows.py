"""A stack of windows: which inputs reach an output through layers whose queries see few keys, and how much of each."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int

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
    state = {"layers": layers, "window": window, "sinks": sinks, "query": query}
    state = {name: require_int(name, x, least=RANGES[name][0]) for name, x in state.items()}
    return Live("windows", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(**state: int) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, (low, high) in RANGES.items():
        require_int(name, state[name], least=low, most=high)


def mask(window: int, sinks: int) -> np.ndarray:
    """Return (16, 16) Booleans: query i (row) may look at key j (column)."""
    back = np.subtract.outer(np.arange(TOKENS), np.arange(TOKENS))
    return (back >= 0) & ((back < window) | (np.arange(TOKENS) < sinks))


def compute(layers: int, window: int, sinks: int, query: int) -> dict[str, Any]:
    """Return the tokens that reach the output, level by level, and how far back they stand.

    ``reached`` (L + 1, 16) has ones where a token of a level, from the output down to the inputs, reaches the output.
    ``shares`` (16,) is what each input contributes if every query attends equally to all keys that it sees: a row of
    the L-th power of the mask with rows divided by their sums. The mirror of ``compute`` in windows.js.
    """
    M = mask(window, sinks)
    reached, shares = [np.arange(TOKENS) == query], np.eye(TOKENS)[query]
    for _ in range(layers):
        reached.append(reached[-1] @ M)
        shares = shares @ (M / M.sum(axis=1, keepdims=True))
    bare = np.linalg.matrix_power(mask(window, 0).astype(int), layers)[query] > 0
    back = query - int(np.argmax(bare))
    return {
        "reached": np.array(reached).astype(int),
        "shares": shares,
        "largest": shares.max(),
        "inputs": int(reached[-1].sum()),
        "keys": int(M[query].sum()),
        "back": back,
        "backGap": float(abs(back - min(query, layers * (window - 1)))),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return windows(2, 4)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: every number at one of its bounds."""
    edge, ends = rng.random() < 0.5, {"layers": (1, 4), "window": (1, 8), "sinks": (0, 2), "query": (0, 15)}
    return {name: int(rng.choice(two) if edge else rng.integers(two[0], two[1] + 1)) for name, two in ends.items()}


def still(state: dict, asking: bool) -> Picture:
    """Draw the tokens of all levels and the edges that lead to the output, unless they are asked for."""
    result, M = compute(**state), mask(state["window"], state["sinks"])
    L, i = state["layers"], state["query"]
    fig, ax = figure(width=6.4, height=2.6)
    ax.set(xticks=range(TOKENS), yticks=range(L + 1), xlabel="token", ylim=(-0.4, L + 0.4), xlim=(-0.6, TOKENS - 0.4))
    ax.set_yticklabels(["inputs", *(f"layer {level}" for level in range(1, L + 1))])
    ax.grid(visible=False)
    alt = f"{TOKENS} tokens in {L} layers, each with a window of {state['window']} keys and {state['sinks']} sinks"
    ax.plot(*np.indices((TOKENS, L + 1)).reshape(2, -1), "o", mfc="none", mec="#777777", ms=5)
    ax.plot(i, L, "D", color=PALETTE["orange"], ms=8)
    if asking:
        return picture(fig, f"{alt}; which inputs reach output {i} is for you to predict.")
    for level, (above, below) in enumerate(zip(result["reached"], result["reached"][1:], strict=False)):
        for q, k in np.argwhere(M & (above[:, None] > 0)):
            far = q - k >= state["window"]
            look = {"color": "#000000", "ls": "--"} if far else {"color": PALETTE["blue"]}
            ax.plot([q, k], [L - level, L - level - 1], lw=0.8, **look)
        ax.plot(np.flatnonzero(below), [L - level - 1] * below.sum(), "o", color=PALETTE["blue"], ms=5)
    names = ", ".join(map(str, np.flatnonzero(result["reached"][-1])))
    return picture(fig, f"{alt}. Output {i} depends on {result['inputs']} inputs: {names}.")
