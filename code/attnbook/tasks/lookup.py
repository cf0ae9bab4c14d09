"""Look up a symbol among pairs: the smallest problem that needs attention."""

from collections.abc import Callable

import torch

from ..arrays import require_int
from ..attention import attention
from .training import fit, require_generator, weights

__all__ = ["lookup_curve", "lookup_task"]


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


def lookup_curve(
    scale: float,
    seed: int,
    *,
    start: tuple[float, float] = (1, 1),
    step: tuple[float, float] = (1, 1),
    lr: float = 0.3,
    d_k: int = 64,
    steps: int = 200,
) -> list[float]:
    """Train one head Y = softmax(scale · QKᵀ) V on :func:`lookup_task`; return its loss before each step.

    ``start`` multiplies W_Q and W_K (64, d_k) at the start, ``step`` their learning rates. The descent is that of
    ``fit``, which says what is refused.
    """
    generator = torch.Generator().manual_seed(seed)
    W_Q, W_K, W_V = [weights(generator, 64, c) for c in (d_k, d_k, 8)]
    draw = lookup_task(generator)
    W_Q.data, W_K.data = start[0] * W_Q.data, start[1] * W_K.data

    def loss():
        query, keys, values, answer = draw()
        Y = attention(query @ W_Q, keys @ W_K, values @ W_V, scale=scale)
        return torch.nn.functional.cross_entropy(Y[:, 0], answer)

    rates = [(W_Q, lr * step[0]), (W_K, lr * step[1]), (W_V, lr)]
    return fit(loss, [{"params": [W], "lr": rate} for W, rate in rates], steps=steps, lr=lr)
