"""Copy a sequence: a problem that tests how much of the past a network keeps, and three decoders that learn it.

Several trainings run side by side: the first axis of everything drawn is the run.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch.nn.functional import cross_entropy, one_hot

from ..arrays import one_of, require_int
from ..attention import attention
from ..recurrent import rnn
from .training import descend, require_generator

__all__ = ["COPY_KINDS", "copy_task", "train_copying"]

#: What the decoder of :func:`train_copying` gets from the encoder.
COPY_KINDS = ("c at the start", "c at every step", "attention")


def copy_task(
    generator: torch.Generator, *, runs: int = 4, batch: int = 64, symbols: int = 8
) -> Callable[[int], tuple[torch.Tensor, torch.Tensor]]:
    """Copy a sequence: n random symbols are shown, and the answer is the same n symbols in the same order.

    Returns a function ``draw(n)`` for the next batch: the symbols as one-hot rows ``X`` (runs, batch, n, symbols) and
    as whole numbers ``answer`` (runs, batch, n). A guess is right with chance 1/symbols.

    Raises ``ValueError`` if a size, or the n of a draw, is below 1.

    >>> draw = copy_task(torch.Generator(), runs=1, batch=2)
    >>> X, answer = draw(3)
    >>> X.shape
    torch.Size([1, 2, 3, 8])
    """
    generator, runs, batch = require_generator(generator), require_int("runs", runs), require_int("batch", batch)
    symbols = require_int("symbols", symbols)

    def draw(n):
        answer = torch.randint(symbols, (runs, batch, require_int("n", n)), generator=generator)
        return one_hot(answer, symbols).float(), answer

    return draw


def train_copying(
    kind: str,
    seed: int,
    *,
    lengths: Sequence[int] = (2, 4, 6, 8, 10),
    h: int = 32,
    runs: int = 12,
    steps: int = 200,
    lr: float = 0.01,
) -> tuple[np.ndarray, np.ndarray]:
    """Train an encoder and a decoder of h recurrent units each to copy lists of 2 to 10 symbols, runs side by side.

    The decoder is fed the true previous symbol, in the test too. ``kind`` is one of :data:`COPY_KINDS`: the decoder
    starts from the last state c of the encoder; reads c at every step as well; or has attention to all states.
    Adam, batches of 32.

    Returns losses and accuracies, both (runs, len(lengths)), on 300 new lists of each length.
    """
    one_of("kind", kind, *COPY_KINDS)
    generator = torch.Generator().manual_seed(seed)
    draw = copy_task(generator, runs=runs, batch=32)
    read, write = 8 + h * (kind == "c at every step"), h + h * (kind == "attention")
    W = {
        name: (torch.randn(runs, *shape, generator=generator) / shape[-1] ** 0.5).requires_grad_()
        for name, shape in {
            "E_x": (h, 8),
            "E_h": (h, h),
            "E_b": (1, h),
            "D_x": (h, read),
            "D_h": (h, h),
            "D_b": (1, h),
            "Q": (h, h),
            "out": (8, write),
        }.items()
    }

    def loss():
        X, answer = draw(int(torch.randint(2, 11, (), generator=generator)))
        return cross_entropy(_copied(kind, W, X).flatten(0, 2), answer.flatten())

    descend(torch.optim.Adam, W.values(), loss, steps=steps, lr=lr)
    return tuple(np.array([_copy_test(kind, W, n) for n in lengths]).transpose(1, 2, 0))


def _copied(kind, W, X):
    """Score the symbols (runs, batch, n, 8) that a decoder writes after the encoder has read X."""
    E = rnn(X, W["E_x"], W["E_h"], W["E_b"])
    c = E[..., -1, :]
    Z = torch.cat([0 * X[..., :1, :], X[..., :-1, :]], dim=-2)  # one step later
    if kind == "c at every step":
        Z = torch.cat([Z, c[..., None, :].expand(*Z.shape[:-1], -1)], dim=-1)
    D = rnn(Z, W["D_x"], W["D_h"], W["D_b"], start=c)
    if kind == "attention":
        D = torch.cat([D, attention(D @ W["Q"][:, None], E, E)], dim=-1)
    return D @ W["out"][:, None].mT


def _copy_test(kind, W, n):
    X, answer = copy_task(torch.Generator().manual_seed(n), runs=len(W["Q"]), batch=300)(n)
    with torch.no_grad():
        scores = _copied(kind, W, X)
    loss = cross_entropy(scores.movedim(-1, 1), answer, reduction="none").mean(dim=(1, 2))
    return loss.numpy(), (scores.argmax(dim=-1) == answer).float().mean(dim=(1, 2)).numpy()
