"""Look up a symbol among pairs: the smallest problem that needs attention."""

from collections.abc import Callable

import torch

from ..arrays import require_int
from .training import require_generator

__all__ = ["lookup_task"]


def lookup_task(
    generator: torch.Generator, *, d: int = 64, m: int = 16, batch: int = 64, symbols: int = 32, classes: int = 8
) -> Callable[[], tuple[torch.Tensor, ...]]:
    """Look up a symbol: m pairs (symbol, class) are shown, one symbol is asked for, its class is the answer.

    Returns a function that draws the next batch: ``query`` (batch, 1, d), ``keys`` (batch, m, d),
    ``values`` (batch, m, d) and ``answer`` (batch,). Symbols and classes are fixed random vectors of R^d.

    Raises ``ValueError`` if a size is below 1, or m exceeds the number of symbols: a symbol may be shown only once.

    >>> query, keys, values, answer = lookup_task(torch.Generator())()
    >>> keys.shape
    torch.Size([64, 16, 64])
    """
    generator = require_generator(generator)
    d, m, batch = require_int("d", d), require_int("m", m), require_int("batch", batch)
    symbols, classes = require_int("symbols", symbols), require_int("classes", classes)
    if m > symbols:
        raise ValueError(f"m = {m} pairs but {symbols} symbols; expected m <= symbols")
    symbol_vectors = torch.randn(symbols, d, generator=generator)
    class_vectors = torch.randn(classes, d, generator=generator)

    def draw():
        shown = torch.rand(batch, symbols, generator=generator).argsort(dim=1)[:, :m]
        labels = torch.randint(classes, (batch, m), generator=generator)
        asked = torch.randint(m, (batch, 1), generator=generator)
        query = symbol_vectors[shown.gather(1, asked)]
        return query, symbol_vectors[shown], class_vectors[labels], labels.gather(1, asked)[:, 0]

    return draw
