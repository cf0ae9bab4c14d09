"""Shuffle the words: what attention makes of a sentence in another order, with and without positions."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..attention import attention_weights, causal_mask
from ..figures.style import Picture, figure, heatmap, picture
from ..permutations import permutation_matrix
from ..positional import rotate, sinusoidal
from .figure import Live

__all__ = ["shuffle", "tokens", "word_vector"]

D, MOST = 4, 8  # numbers of a word, words of a sentence
POSITIONS, MASKS = ("none", "sinusoidal", "rope"), ("none", "causal")
POOLINGS = {"none": None, "mean": lambda Y: Y.mean(0), "max": lambda Y: Y.max(0), "last": lambda Y: Y[-1]}
SPACE, HAN = r"\s\x1c-\x1f\x85\ufeff", r"\u3400-\u9fff"  # what is space in Python or in JavaScript


def shuffle(
    text: str,
    *,
    order: Sequence[int] | None = None,
    positions: str = "none",
    mask: str = "none",
    pooling: str = "none",
    small: bool = False,
    ask: dict[str, Any] | str | None = None,
    label: str = "shuffle",
) -> Live:
    """A live figure of Y(PX), A(PX) beside P Y(X), P A(X) Pᵀ: the reader types a sentence X and drags its words.

    X has a row of four numbers for each word; A = softmax(QKᵀ/√4) and Y = AV are those of one layer with fixed weights.

    Parameters
    ----------
    text : str
        One to eight words; a Chinese character is a word, and words after the eighth are left out.
    order : list of n int, optional
        π: position i receives word π(i) of the text, (PX)_i = X_π(i). The order of the text unless given.
    positions : {"none", "sinusoidal", "rope"}
        Added to X, or rotating queries and keys.
    mask : {"none", "causal"}
    pooling : {"none", "mean", "max", "last"}
        What makes one vector of the rows of Y.
    small : bool
        Show the words, the positions and the output alone.
    ask : dict, optional
        A question whose answer the reader gives before attention and output are shown.
    label : str
        The id of the figure on its page; a link to a state begins with it.

    Raises
    ------
    ValueError
        If the text is no text, the order no permutation of its words, or a choice is not as above.

    >>> bool(shuffle("man bites dog", order=[2, 1, 0]).compute()["rowsGap"] <= 1e-12)
    True
    """
    order = list(range(len(tokens(text)))) if order is None else [int(i) for i in order]
    choices = {"positions": positions, "mask": mask, "pooling": pooling}
    state = {"text": text, "order": order, **choices, "small": bool(small)}
    return Live("shuffle", state, compute=compute, check=check, still=still, ask=ask, label=label)


def tokens(text: str, most: int = MOST) -> list[str]:
    """Words and signs between spaces, Chinese characters one by one; ``most`` at most, and "…" where there is none.

    >>> tokens("我 like 猫狗")
    ['我', 'like', '猫', '狗']
    """
    return (re.findall(f"[{HAN}]|[^{SPACE}{HAN}]+", text) or ["…"])[:most]


def word_vector(word: str) -> np.ndarray:
    """Four numbers of mean 0 and variance 1 that depend on the word alone: FNV-1a of its bytes seeds mulberry32."""
    seed, numbers = 0x811C9DC5, []
    for byte in word.encode():
        seed = (seed ^ byte) * 0x01000193 % 2**32
    for _ in range(D):
        seed = (seed + 0x6D2B79F5) % 2**32
        t = (seed ^ seed >> 15) * (seed | 1) % 2**32
        t ^= (t + (t ^ t >> 7) * (t | 61)) % 2**32
        numbers.append(np.sqrt(3) * (2 * ((t ^ t >> 14) / 2**32) - 1))
    return np.array(numbers)


def check(text: str, order: list, positions: str, mask: str, pooling: str, small: bool) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    if not isinstance(text, str) or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"text = {text!r}; expected a sentence")
    if sorted(order) != list(range(len(tokens(text)))):
        raise ValueError(f"order = {order} is no order of the {len(tokens(text))} words of text = {text!r}")
    chosen = {"positions": (positions, POSITIONS), "mask": (mask, MASKS), "pooling": (pooling, POOLINGS)}
    for name, (value, allowed) in (chosen | {"small": (small, (False, True))}).items():
        if value not in allowed:
            raise ValueError(f"{name} = {value!r}; expected one of {list(allowed)}")


def compute(text: str, order: list, positions: str, mask: str, pooling: str, small: bool) -> dict[str, Any]:
    """Return P, PX, A(PX), P A(X) Pᵀ, P Y(X), and Y(X) and Y(PX), each with its pooled row below, and three gaps.

    The mirror of ``compute`` in shuffle.js.
    """
    words, P, pool = tokens(text), permutation_matrix(order), POOLINGS[pooling]
    X, n = np.array([word_vector(word) for word in words]), len(words)
    W_Q, W_K, W_V = (np.array([word_vector(f"{name} {i}") for i in range(D)]) / 2 for name in ("W_Q", "W_K", "W_V"))

    def layer(X):
        Z = X + sinusoidal(range(n), D) if positions == "sinusoidal" else X
        Q, K = (rotate(Z @ W, range(n)) if positions == "rope" else Z @ W for W in (W_Q, W_K))
        A = attention_weights(Q, K, mask=causal_mask(n) if mask == "causal" else None)
        return A, A @ (Z @ W_V)

    (A, Y), (A_moved, Y_moved) = layer(X), layer(P @ X)
    before, after = ([*M, pool(M)] if pool else [*M] for M in (Y, Y_moved))
    return {
        **{"words": words, "P": P, "PX": P @ X, "A": A_moved, "PAPt": P @ A @ P.T, "PY": P @ Y},
        **{"before": np.array(before), "after": np.array(after)},
        "weightsGap": abs(A_moved - P @ A @ P.T).max(),
        "rowsGap": abs(Y_moved - P @ Y).max(),
        "pooledGap": abs(after[-1] - before[-1]).max() if pool else None,
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return shuffle("cat likes fish", order=[2, 1, 0])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Equal words, one word or none, signs, and spaces that only one side knows.
    """
    words = ["the", "cat", "saw", "dog", "fish", "猫", "喜欢", "café", "x", "a"]
    if rng.random() < 0.5:
        words = ["a", "a", "aa", "😀", "", "-", "\ufeff", "\x85", "\u3000", "\x1f"]
    text = " ".join(str(word) for word in rng.choice(words, rng.integers(0, 12)))
    order = rng.permutation(len(tokens(text))).tolist()
    choices = {"positions": ("none", "sinusoidal", "rope"), "mask": ("none", "causal")}
    choices["pooling"] = ("none", "mean", "max", "last")
    chosen = {name: str(rng.choice(values)) for name, values in choices.items()}
    return {"text": text, "order": order, **chosen, "small": bool(rng.random() < 0.3)}


def still(state: dict, asking: bool) -> Picture:
    """Draw the output in both orders; in the full figure P and the attention weights as well, unless asked for."""
    result, columns = compute(**state), [str(c + 1) for c in range(D)]
    words = [word[:8] for word in result["words"]]
    moved, below = [words[i] for i in state["order"]], [] if state["pooling"] == "none" else [state["pooling"]]
    shown = [("Y(X), as written", result["before"], words + below, columns)]
    shown += [("Y(PX), in the new order", result["after"], moved + below, columns)]
    if not state["small"]:
        first = [("P", result["P"], moved, words), ("PX", result["PX"], moved, columns)]
        shown = first if asking else [*first, ("A(PX)", result["A"], moved, moved), *shown]
    fig, axes = figure(-(-len(shown) // 2), 2, width=6.4, height=(0.28 * len(words) + 0.7) * -(-len(shown) // 2))
    for ax, drawn in zip(np.ravel(axes), [*shown, None], strict=False):
        if drawn is None:
            ax.set_axis_off()
            continue
        title, M, rows, names = drawn
        heatmap(ax, M, rows=rows, columns=names, digits=0 if title == "P" else 2, aspect="auto")
        ax.set_title(title)
    alt = f"The words {' '.join(words)} in the order {' '.join(moved)}, positions: {state['positions']}. "
    if asking:
        return picture(fig, f"{alt}What attention makes of them is for you to predict.")
    row = "; ".join(
        f"{name} {(np.round(y, 2) + 0.0).tolist()}" for name, y in zip(moved + below, result["after"], strict=True)
    )
    return picture(fig, f"{alt}Rows of the output: {row}.")
