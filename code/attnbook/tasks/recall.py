"""Recall a marked symbol: the problem, the readers that learn it, and their training.

A reader is a function that returns ``W, logits``: a list of trainable tensors, and a function that maps one-hot rows
(runs, batch, n, 9) to scores of the eight symbols (runs, batch, 8). Several runs train side by side.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch.nn.functional import cross_entropy, pad

from ..arrays import require_int
from ..attention import attention
from ..recurrent import lstm, rnn
from .copying import copy_task
from .training import descend

__all__ = ["RECALL_READERS", "attention_reader", "recall_task", "recurrent_reader", "train_recall"]


def recall_task(
    generator: torch.Generator, *, runs: int = 4, batch: int = 32, symbols: int = 8
) -> Callable[[int], tuple[torch.Tensor, torch.Tensor]]:
    """Recall a marked symbol: the first symbol carries a mark, ``distance`` more follow, and the answer is the first.

    Returns a function ``draw(distance)`` for the next batch: ``X`` (runs, batch, distance + 1, symbols + 1), one-hot
    rows with the mark in the last column, and ``answer`` (runs, batch). A guess is right with chance 1/symbols.

    Raises ``ValueError`` if a size, or the distance of a draw, is below 1.

    >>> draw = recall_task(torch.Generator(), runs=1, batch=2)
    >>> X, answer = draw(3)
    >>> X.shape
    torch.Size([1, 2, 4, 9])
    """
    copy = copy_task(generator, runs=runs, batch=batch, symbols=symbols)

    def draw(distance):
        X, answer = copy(require_int("distance", distance) + 1)
        X = pad(X, (0, 1))
        X[..., 0, -1] = 1
        return X, answer[..., 0]

    return draw


def recurrent_reader(
    seed: int, cell: Callable = rnn, *, orthogonal: bool = False, bias: float = 0.0, runs: int = 12
) -> tuple[list[torch.Tensor], Callable[[torch.Tensor], torch.Tensor]]:
    """Read with 16 recurrent units and a linear map from the last state to the eight symbols.

    The weights start as in PyTorch, with entries between ±1/√16. ``orthogonal`` makes W_h orthogonal instead, and
    ``bias`` is that of the forget gates of an LSTM.
    """
    generator = torch.Generator().manual_seed(seed)
    rows = 64 if cell is lstm else 16
    shapes = (rows, 9), (rows, 16), (1, 8, 16)
    W_x, W_h, out = (2 * torch.rand(runs, *s, generator=generator) - 1 for s in shapes)
    W_h = torch.linalg.qr(W_h)[0] if orthogonal else W_h / 4
    W_x, out, b = W_x / 4, out / 4, torch.zeros(runs, 1, rows)
    b[..., 16:32] = bias  # the forget gates; an RNN has no such rows
    W = [w.requires_grad_() for w in (W_x, W_h, b, out)]

    def logits(X):
        H = lstm(X, *W[:3])[0] if cell is lstm else rnn(X, *W[:3])
        return (H[..., -1:, :] @ out.mT)[..., 0, :]

    return W, logits


def attention_reader(seed: int, *, runs: int = 12) -> tuple[list[torch.Tensor], Callable[[torch.Tensor], torch.Tensor]]:
    """Read with one learned query that looks at the tokens themselves, and a matrix for the values."""
    generator = torch.Generator().manual_seed(seed)
    q, V = (torch.randn(runs, 1, n, 9, generator=generator) / 3 for n in (1, 8))
    W = [q.requires_grad_(), V.requires_grad_()]
    return W, lambda X: attention(q, X, X @ V.mT)[..., 0, :]


#: Five readers by name, each a function without arguments that starts it afresh.
RECALL_READERS: dict[str, Callable] = {
    "RNN": lambda: recurrent_reader(0),
    "RNN, orthogonal": lambda: recurrent_reader(1, orthogonal=True),
    "LSTM, bias 0": lambda: recurrent_reader(2, lstm),
    "LSTM, bias 6": lambda: recurrent_reader(3, lstm, bias=6.0),
    "attention": lambda: attention_reader(4),
}


def train_recall(reader: Callable, distance: int, lr: float, *, steps: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Train a reader to recall from ``distance`` steps back; return loss and accuracy of each run on 500 new lists.

    Adam, batches of 32.
    """
    W, logits = reader()
    draw = recall_task(torch.Generator().manual_seed(distance), runs=len(W[0]))

    def losses(X, answer):
        return cross_entropy(logits(X).movedim(-1, 1), answer, reduction="none").mean(dim=1)

    descend(torch.optim.Adam, W, lambda: losses(*draw(distance)).mean(), steps=steps, lr=lr)
    X, answer = recall_task(torch.Generator().manual_seed(0), runs=len(W[0]), batch=500)(distance)
    with torch.no_grad():
        right = (logits(X).argmax(-1) == answer).float().mean(dim=1)
        return losses(X, answer).numpy(), right.numpy()
