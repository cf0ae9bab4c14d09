"""Shuffle the words: what attention makes of a sentence in another order, with and without positions."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from attnbook.attention import causal_mask, scores, softmax
from attnbook.permutations import permutation_matrix, permutations

from ..kit.figure import Ask, Live, require_sentence, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["shuffle", "tokens", "word_vector"]

D, MOST = 4, 6  # numbers of a word, words of a sentence
OWN = {"cat": "orange", "fish": "blue"}  # the hues of these words everywhere in the book
OTHERS = ("green", "purple", "yellow", "sky", "orange", "blue")
SPACE, HAN = r"\s\x1c-\x1f\x85\ufeff", r"\u3400-\u9fff"  # what is space in Python or in JavaScript


def shuffle(
    text: str, *, order: Sequence[int] | None = None, later: float = 1.0, ask: Ask = None, label: str = "shuffle"
) -> Live:
    """A live figure of Y(PX) beside P Y(X): the reader types a sentence X and drags its words.

    X has a row of four numbers for each word, and Y = softmax(QKᵀ/√4 + B) V is one layer with fixed weights. The bias
    B_ij is ln(later) where word j comes after word i, and 0 elsewhere. Below the rows of Y stands their mean.

    Parameters
    ----------
    text : str
        One to six words; a Chinese character is a word, and words after the sixth are left out.
    order : list of n int, optional
        π: position i receives word π(i) of the text, (PX)_i = X_π(i). The order of the text unless given.
    later : float
        From 0 to 1: how much of its weight a later word keeps. 1 is no mask, and 0 a causal mask.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the text is no text, the order no permutation of its words, or ``later`` not from 0 to 1.

    >>> man = shuffle("man bites dog", order=[2, 1, 0])
    >>> man.compute()["survivors"], shuffle("man bites dog", later=0).compute()["survivors"]
    (6, 1)
    """
    order = list(range(len(tokens(text)))) if order is None else [int(i) for i in order]
    state = {"text": text, "order": order, "later": float(later)}
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


def check(text: str, order: list, later: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_sentence("text", text)
    if sorted(order) != list(range(len(tokens(text)))):
        raise ValueError(f"order = {order} is no order of the {len(tokens(text))} words of text = {text!r}")
    require_within("later", later, 0, 1)


def compute(text: str, order: list, later: float) -> dict[str, Any]:
    """Return Y(X) and Y(PX), each with the mean of its rows below, and two gaps.

    ``keeps`` says of each of the n! orders whether every row goes with its word, ``survivors`` of how many.
    The mirror of ``compute`` in shuffle.js.
    """
    words = tokens(text)
    X, P, n = np.array([word_vector(word) for word in words]), permutation_matrix(order), len(words)
    W_Q, W_K, W_V = (np.array([word_vector(f"{name} {i}") for i in range(D)]) / 2 for name in ("W_Q", "W_K", "W_V"))
    bias = np.where(causal_mask(n), 0, np.log(later) if later else -np.inf)

    def layer(X):
        return softmax(scores(X @ W_Q, X @ W_K) + bias) @ (X @ W_V)

    Y, moved, orders = layer(X), layer(P @ X), np.array(permutations(n))
    gaps = abs(layer(X[orders]) - Y[orders]).max(axis=(1, 2))
    return {
        **{"words": words, "before": np.vstack([Y, Y.mean(0)]), "after": np.vstack([moved, moved.mean(0)])},
        **{"orders": len(orders), "survivors": int((gaps <= 1e-12).sum()), "keeps": (gaps <= 1e-12).tolist()},
        "rowsGap": abs(moved - P @ Y).max(),
        "meanGap": abs(moved.mean(0) - Y.mean(0)).max(),
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
    later = float(rng.choice([0.0, 0.5, 1.0, round(rng.random(), 2)]))
    return {"text": text, "order": rng.permutation(len(tokens(text))).tolist(), "later": later}


def still(state: dict, asking: bool) -> Picture:
    """Draw the rows of the output as bars, as written and, unless it is asked for, in the new order."""
    result, words = compute(**state), [word[:8] for word in tokens(state["text"])]
    n, hues = len(words), _hues(words)
    shown = [("Y(X), as written", result["before"], list(range(n)))]
    if not asking:
        shown.append(("Y(PX), in the new order; dashed: as written", result["after"], state["order"]))
    fig, axes = figure(len(shown), 1, height=1.6 * len(shown))
    for ax, (title, Y, order) in zip(np.ravel(axes), shown, strict=True):
        _draw_rows(ax, Y, result["before"][[*order, n]], [hues[i] for i in order])
        ax.set_title(title, loc="left")
        ax.set_xticks(2.5 + 5 * np.arange(n + 1), [*(words[i] for i in order), "mean"])
    alt = f"The words {' '.join(words)} and their output. "
    if asking:
        return picture(fig, f"{alt}What becomes of the rows when words change places is for you to predict.")
    rows = zip([*(words[i] for i in state["order"]), "mean"], result["after"], strict=True)
    rounded = "; ".join(f"{name} {(np.round(y, 2) + 0.0).tolist()}" for name, y in rows)
    return picture(fig, f"{alt}Rows of the output: {rounded}.")


def _hues(words):
    """A hue for each word, as in the page."""
    left = iter([hue for hue in OTHERS if hue not in {OWN.get(word) for word in words}])
    return [OWN.get(word) or next(left) for word in words]


def _draw_rows(ax, Y, old, hues):
    """Draw each row as four bars, over dashed outlines of the row that its word had."""
    for i, (row, was) in enumerate(zip(Y, old, strict=True)):
        x = 5 * i + 1 + np.arange(D)
        ax.bar(x, row, color=PALETTE[hues[i]] if i < len(hues) else PALETTE["grey"], alpha=0.75)
        ax.bar(x, was, fill=False, linestyle="--", linewidth=0.8, edgecolor="#000000")
    ax.axhline(0, color="#000000", linewidth=0.6)
    ax.tick_params(length=0)
