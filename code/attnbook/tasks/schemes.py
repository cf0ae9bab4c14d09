"""Positional rules in one small reader under a causal mask, and two questions for it: a near one and a far one.

In front of every sequence stands a marker, symbol 4. Several seeds train side by side, as in the module ``order``.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.functional import cross_entropy, one_hot, pad

from ..attention import softmax
from ..positional import clipped, deberta_rows, frequencies, logit_terms, offsets, rotate, sinusoidal, t5_bucket
from .order import encoder_weights, previous_task, read_out, train

__all__ = ["SCHEMES", "Scheme", "measure_scheme", "rotary", "train_scheme"]

MARKER, WIDTH, TRAINED = 4, 16, 12


class Scheme(NamedTuple):
    """A positional rule: sizes of its tables; ``score(w, Q, K, i, j)``; the rows that it adds, ``rows(w, t)``."""

    sizes: dict[str, Any]  # of tuples (rows, columns)
    score: Callable
    rows: Callable | None = None


def _dots(w, Q, K, i, j):
    return Q @ K.mT


def _terms(tables):
    """Score with tables A, B and C of the general logit, made by ``tables(w, i, j)``."""
    return lambda w, Q, K, i, j: sum(logit_terms(Q, K, **tables(w, i, j)))


def rotary(theta: np.ndarray, clip: int | None = None) -> Scheme:
    """Turn queries and keys by ``theta`` per position; an offset beyond ``clip`` counts as ``clip``.

    Source: Su et al. (2024), "RoFormer"; Su (2023), "ReRoPE", for the clip.
    """

    def score(w, Q, K, i, j):
        S = rotate(Q, i, theta) @ rotate(K, j, theta).mT
        if clip is None:
            return S
        return torch.where(torch.tensor(-offsets(i, j) > clip), rotate(Q, np.full(len(i), clip), theta) @ K.mT, S)

    return Scheme({}, score)


def _shaw(clip):
    return Scheme(
        {"a": (2 * clip + 1, WIDTH)}, _terms(lambda w, i, j: {"A": w["a"][..., clipped(offsets(i, j), clip), :]})
    )


def _alibi(slope):
    return Scheme({}, _terms(lambda w, i, j: {"B": -slope * abs(offsets(i, j))}))


def _sinusoidal(t):
    return torch.tensor(sinusoidal(t, WIDTH), dtype=torch.float32)


def _transformer_xl(w, i, j):
    r = _sinusoidal(-offsets(i, j)) @ w["R"][:, :, None]
    return {"A": r, "B": (r * w["v"][:, :, None]).sum(-1), "C": w["u"][:, :, None]}


def _deberta(w, i, j):
    here, there = (deberta_rows(sign * offsets(i, j), 4) for sign in (1, -1))
    return {"A": w["K_r"][..., here, :], "C": w["Q_r"][..., there, :]}


def _t5(w, i, j):
    return {"B": w["b"][..., 0, :][..., t5_bucket(offsets(i, j), 8, 12, bidirectional=False)]}


#: Rules by name. *One pair* turns the first pair of coordinates by one radian a position, and no other.
SCHEMES: dict[str, Scheme] = {
    "none": Scheme({}, _dots),
    "sinusoidal": Scheme({}, _dots, lambda w, t: _sinusoidal(t)),
    "learned": Scheme({"E": (TRAINED + 1, WIDTH)}, _dots, lambda w, t: w["E"][..., t, :]),
    "Shaw": _shaw(4),
    "Shaw, clip 11": _shaw(11),
    "Transformer-XL": Scheme({"R": (WIDTH, WIDTH), "u": (1, WIDTH), "v": (1, WIDTH)}, _terms(_transformer_xl)),
    "DeBERTa": Scheme({"K_r": (8, WIDTH), "Q_r": (8, WIDTH)}, _terms(_deberta)),
    "T5": Scheme({"b": (1, 8)}, _terms(_t5)),
    "ALiBi, ¼": _alibi(0.25),
    "ALiBi, ½": _alibi(0.5),
    "ALiBi, 1": _alibi(1.0),
    "rotary": rotary(frequencies(WIDTH)),
    "one pair": rotary(np.eye(WIDTH // 2)[0]),
}


def _read(scheme, w, tokens, ask, scale=1.0, window=None):
    """Score the symbols for the queries ``ask``, which see themselves and the ``window`` − 1 tokens before them."""
    n = tokens.shape[-1]
    t = np.arange(n)
    X = one_hot(tokens, w["embed"].shape[-2]).float() @ w["embed"]
    X = X + (scheme.rows(w, t) if scheme.rows else 0)
    Q, K, V = X[..., ask, :] @ w["Q"] / WIDTH**0.5, X @ w["K"], X @ w["V"]
    S = scale * scheme.score(w, Q, K, t[ask], t)
    back = -offsets(range(n)[ask], range(n))
    hidden = torch.tensor((back < 0) | (back >= (window or n)))
    A = softmax(S.masked_fill(hidden, -math.inf))
    return read_out(w, X[..., ask, :] + A @ V)


def _previous(generator, seeds, batch):
    """Which of four symbols stands one position earlier? Asked at every symbol but the first."""
    previous = previous_task(generator, seeds=seeds, batch=batch)

    def draw(n):
        tokens, answer = previous(n)
        return pad(tokens, (1, 0), value=MARKER), answer

    return draw


def _flagged(generator, seeds, batch):
    """Which of four symbols carries the flag? Asked at the last one; beyond the trained length it is farther back.

    Symbols 5 to 8 are the symbols 0 to 3 with the flag. One stands in every sequence, and never last.
    """

    def draw(n):
        tokens = torch.randint(0, 4, (seeds, batch, n), generator=generator)
        places = n - 1 - (TRAINED if n > TRAINED else 0)
        place = torch.randint(0, places, (seeds, batch, 1), generator=generator)
        answer = tokens.gather(-1, place)
        return pad(tokens.scatter(-1, place, answer + 5), (1, 0), value=MARKER), answer

    return draw


QUESTIONS = {"previous": (_previous, 5), "flagged": (_flagged, 9)}  # how to draw it, and how many symbols it has


def train_scheme(
    scheme: Scheme,
    lr: float,
    *,
    seed: int = 0,
    seeds: int = 5,
    steps: int = 300,
    n: int = TRAINED,
    batch: int = 16,
    start: dict[str, torch.Tensor] | None = None,
    ask: slice = slice(2, None),
    question: str = "previous",
) -> dict[str, torch.Tensor]:
    """Train a reader with a positional rule on n symbols behind the marker, by Adam; return its weights.

    It begins with copies of the weights ``start``, or with fresh ones, and answers at the positions ``ask``. The
    ``question`` is the "previous" symbol, or the "flagged" one, which the last position alone is asked for.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn, symbols = QUESTIONS[question]
    if start is None:
        w = encoder_weights(generator, seeds=seeds, symbols=symbols, outputs=4, **scheme.sizes)
    else:
        w = {name: x.detach().clone().requires_grad_() for name, x in start.items()}
    behind = drawn(generator, len(w["Q"]), batch)

    def draw(n):
        tokens, answer = behind(n)
        return tokens, answer[..., slice(None) if ask.start == 2 else ask]

    train(lambda tokens: _read(scheme, w, tokens, ask), draw, w, n=n, steps=steps, lr=lr)
    return w


@torch.no_grad()
def measure_scheme(
    scheme: Scheme,
    w: dict[str, torch.Tensor],
    n: int,
    *,
    batch: int = 200,
    scale: float = 1.0,
    window: int | None = None,
    question: str = "previous",
) -> tuple[np.ndarray, np.ndarray]:
    """Ask a trained reader at the last of n symbols; return loss and share of right answers for each seed.

    ``scale`` multiplies the scores, and ``window`` limits how many keys a query sees.
    """
    drawn, _ = QUESTIONS[question]
    tokens, answer = drawn(torch.Generator().manual_seed(n), len(w["Q"]), batch)(n)
    logits = _read(scheme, w, tokens, slice(-1, None), scale, window)[..., 0, :]
    loss = cross_entropy(logits.movedim(-1, 1), answer[..., -1], reduction="none").mean(dim=1)
    return loss.numpy(), (logits.argmax(dim=-1) == answer[..., -1]).double().mean(dim=1).numpy()
