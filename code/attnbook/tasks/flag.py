"""Two causal layers that look far back: which symbol stood behind the flag?

A text has one flag among four symbols, and a marker in front. The first layer can tell each symbol what stood before
it, the second can look for the symbol that stood behind the flag. Several seeds train side by side, each with its own
draws, so a seed alone gives the numbers that it gives among others.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import cross_entropy, one_hot, pad

from ..attention import softmax
from ..positional import offsets, rotate
from .order import read_out, train

__all__ = ["LayerRule", "measure_flag", "train_flag"]

WIDTH, SYMBOLS = 16, 4
FLAG, MARKER = SYMBOLS, SYMBOLS + 1
GROWING = {8: 300, 16: 150, 32: 100, 64: 80, 128: 60}  # steps of training at each length


class LayerRule(NamedTuple):
    """What a layer does with positions; by default nothing.

    ``theta`` has the angles by which queries and keys turn per position, ``slope`` lowers a score for each position of
    distance, and a query sees the last ``window`` keys.
    """

    theta: np.ndarray | None = None
    slope: float = 0.0
    window: int | None = None


def _scores(rule, Q, K, i, j):
    back = torch.tensor(-offsets(i, j))
    S = Q @ K.mT if rule.theta is None else rotate(Q, i, rule.theta) @ rotate(K, j, rule.theta).mT
    S = S / WIDTH**0.5 - rule.slope * back.float()
    return S.masked_fill((back < 0) | (back >= (rule.window or len(j))), -math.inf)


def _first(rule, w, tokens):
    """Read every token by the first layer."""
    X, t = one_hot(tokens, MARKER + 1).float() @ w["embed"], np.arange(tokens.shape[-1])
    return X + softmax(_scores(rule, X @ w["Q0"], X @ w["K0"], t, t)) @ (X @ w["V0"])


def _second(rule, w, X, asked, scale=1.0):
    """Score the symbols for the last ``asked`` positions, whose scores are multiplied by ``scale``."""
    t, R = np.arange(X.shape[-2]), X[..., -asked:, :]
    A = softmax(scale * _scores(rule, R @ w["Q1"], X @ w["K1"], t[-asked:], t))
    return read_out(w, R + A @ (X @ w["V1"]))


def _draw(generators, batch, n, asked, beyond=0):
    """Draw texts of n symbols and the answers; the answer stands before the last ``asked`` + ``beyond`` symbols."""
    texts, answers = [], []
    for generator in generators:
        text = torch.randint(SYMBOLS, (batch, n), generator=generator)
        flag = torch.randint(n - asked - beyond - 1, (batch, 1), generator=generator)
        answers.append(text.gather(1, flag + 1).expand(batch, asked))
        texts.append(pad(text.scatter(1, flag, FLAG), (1, 0), value=MARKER))
    return torch.stack(texts), torch.stack(answers)


def _weights(generator):
    matrices = {f"{name}{layer}": (WIDTH, WIDTH) for layer in range(2) for name in "QKV"}
    matrices |= {"up": (WIDTH, 2 * WIDTH), "out": (2 * WIDTH, SYMBOLS)}
    w = {name: torch.randn(1, *size, generator=generator) / size[0] ** 0.5 for name, size in matrices.items()}
    w["embed"] = torch.randn(1, MARKER + 1, WIDTH, generator=generator)
    return w | {"bias": torch.zeros(1, 1, 2 * WIDTH)}


def train_flag(rules: Sequence[LayerRule], lr: float, seeds: Sequence[int]) -> dict[str, torch.Tensor]:
    """Train a layer for each of the two ``rules`` by Adam, on texts that grow from 8 to 128 symbols.

    The last quarter of the positions is asked, for what stood behind a flag in front of them. Returns the weights.
    """
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]
    drawn = [_weights(generator) for generator in generators]
    w = {name: torch.stack([own[name] for own in drawn]).requires_grad_() for name in drawn[0]}
    for n, steps in GROWING.items():
        train(
            lambda tokens, asked=n // 4: _second(rules[1], w, _first(rules[0], w, tokens), asked),  # type: ignore[misc]
            lambda n: _draw(generators, 8, n, n // 4),
            w,
            n=n,
            steps=steps,
            lr=lr,
        )
    return w


@torch.no_grad()
def measure_flag(
    rules: Sequence[LayerRule],
    w: dict[str, torch.Tensor],
    n: int,
    *,
    batch: int = 25,
    beyond: int = 0,
    scales: Sequence[float] = (1.0,),
) -> tuple[np.ndarray, np.ndarray]:
    """Ask at the last of n symbols; return the loss of each seed, and its share of right answers, (scales, seeds).

    The answer stands more than ``beyond`` symbols back, and the scores of the second layer are multiplied by a scale.
    The loss is that of the first scale.
    """
    losses, shares = [], []
    for seed in range(len(w["embed"])):
        own = {name: x[[seed]] for name, x in w.items()}
        tokens, answer = _draw([torch.Generator().manual_seed(n)], batch, n, 1, beyond)
        layer = [
            _first(rules[0], own, tokens[:, [k]]) for k in range(batch)
        ]  # text by text: a long one fills the cache
        logits = torch.stack([_second(rules[1], own, torch.cat(layer, dim=1), 1, scale)[0, :, 0] for scale in scales])
        losses.append(cross_entropy(logits[0], answer[0, :, 0]).item())
        shares.append((logits.argmax(dim=-1) == answer[0, :, 0]).double().mean(dim=1).numpy())
    return np.array(losses), np.array(shares).T
