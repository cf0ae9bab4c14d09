"""Repeat what was read, or one marked symbol of it: problems that test how much of the past a network keeps.

Several trainings run side by side: the first axis of everything drawn is the run.
"""

from collections.abc import Callable

import torch
from torch.nn.functional import one_hot, pad

from ..arrays import require_int
from .training import require_generator

__all__ = ["copy_task", "recall_task"]


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
