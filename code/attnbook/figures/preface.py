"""The moving figure of the preface: shuffle three words and watch what attention gives back."""

from collections.abc import Sequence

import numpy as np

from ..attention import attention
from .style import Picture, figure, heatmap, picture

__all__ = ["draw_shuffle"]

WORDS = ["猫 cat", "喜欢 likes", "鱼 fish"]
rng = np.random.default_rng(5)
X = rng.normal(size=(3, 4))  # one vector of four numbers per word
W_Q, W_K, W_V = rng.normal(size=(3, 4, 4)) / 2
POSITIONS = np.array([[np.sin(i), np.cos(i), np.sin(i / 10), np.cos(i / 10)] for i in range(3)])


def draw_shuffle(order: Sequence[int], positions: str = "without") -> Picture:
    """What self-attention returns for the three words in ``order``, ``positions`` being "without" or "with"."""
    inputs = X[order] + (POSITIONS if positions == "with" else 0)
    Y = attention(inputs @ W_Q, inputs @ W_K, inputs @ W_V)
    words = [WORDS[i] for i in order]
    fig, (top, bottom) = figure(2, width=3.8, height=2.5, height_ratios=[3, 1])
    heatmap(top, Y, rows=words, limit=2, aspect="auto")
    heatmap(bottom, Y.mean(axis=0, keepdims=True), rows=["mean"], limit=2, aspect="auto")
    top.set_title("what each word receives")
    bottom.set_title("what the whole sentence receives")
    rows = "; ".join(f"{word} {np.round(row, 2).tolist()}" for word, row in zip(words, Y, strict=True))
    mean = np.round(Y.mean(axis=0), 2).tolist()
    return picture(fig, f"Order {', '.join(words)}, {positions} positions. Outputs: {rows}. Their mean: {mean}.")
