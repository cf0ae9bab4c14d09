"""Two causal layers that name the previous symbol, with rotary positions or with none, and a window in the test.

In front of every sequence stands a marker, symbol 4. Several seeds train side by side, as in the module ``order``.
"""

import math

import numpy as np
import torch
from torch.nn.functional import cross_entropy, one_hot

from ..attention import softmax
from ..positional import offsets, rotate
from .order import encoder_weights, read_out, train
from .schemes import QUESTIONS

__all__ = ["measure_stack", "train_stack"]

WIDTH, LAYERS = 16, 2


def _read(theta, w, tokens, ask, window=None):
    """Score the symbols for the positions ``ask``; every query sees itself and the ``window`` − 1 tokens before it."""
    t = np.arange(tokens.shape[-1])
    back = -offsets(t, t)
    hidden = torch.tensor((back < 0) | (back >= (window or len(t))))
    X = one_hot(tokens, 5).float() @ w["embed"]
    for layer in range(LAYERS):
        Q, K, V = (X @ w[f"{name}{layer}"] for name in "QKV")
        if theta is not None:
            Q, K = rotate(Q, t, theta), rotate(K, t, theta)
        X = X + softmax((Q @ K.mT / WIDTH**0.5).masked_fill(hidden, -math.inf)) @ V
        if layer < LAYERS - 1:  # the last network is the read-out
            X = X + torch.relu(X @ w["up0"]) @ w["down0"]
    return read_out(w, X[..., ask, :])


def train_stack(
    theta: np.ndarray | None, lr: float, *, seed: int = 0, seeds: int = 5, steps: int = 300, n: int = 12
) -> dict[str, torch.Tensor]:
    """Train two layers on n symbols behind the marker, by Adam, and return their weights.

    ``theta`` has the angles by which queries and keys turn per position; None leaves positions out.
    """
    generator = torch.Generator().manual_seed(seed)
    w = encoder_weights(generator, seeds=seeds, symbols=5, outputs=4)
    sizes = {"up0": (WIDTH, 2 * WIDTH), "down0": (2 * WIDTH, WIDTH)}
    for name in "QKV":
        w[f"{name}0"] = w.pop(name)
        sizes[f"{name}1"] = (WIDTH, WIDTH)
    for name, (rows, columns) in sizes.items():
        w[name] = (torch.randn(seeds, 1, rows, columns, generator=generator) / rows**0.5).requires_grad_()
    drawn, _ = QUESTIONS["previous"]
    train(
        lambda tokens: _read(theta, w, tokens, slice(2, None)), drawn(generator, seeds, 16), w, n=n, steps=steps, lr=lr
    )
    return w


@torch.no_grad()
def measure_stack(
    theta: np.ndarray | None, w: dict[str, torch.Tensor], n: int, *, batch: int = 200, window: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Ask two trained layers at the last of n symbols; return loss and share of right answers for each seed."""
    drawn, _ = QUESTIONS["previous"]
    tokens, answer = drawn(torch.Generator().manual_seed(n), len(w["Q0"]), batch)(n)
    logits = _read(theta, w, tokens, slice(-1, None), window)[..., 0, :]
    loss = cross_entropy(logits.movedim(-1, 1), answer[..., -1], reduction="none").mean(dim=1)
    return loss.numpy(), (logits.argmax(dim=-1) == answer[..., -1]).double().mean(dim=1).numpy()
