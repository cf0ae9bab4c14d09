"""Look up a symbol among pairs: the smallest problem that needs attention."""

from collections.abc import Callable, Sequence

import numpy as np
import torch

from ..arrays import require_int
from ..attention import attention, softmax
from .training import descend, fit, require_generator, weights

__all__ = ["lookup_curve", "lookup_heads", "lookup_task"]


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
    symbol_vectors, class_vectors, draw_indices = lookup_indices(
        generator, d=d, m=m, batch=batch, symbols=symbols, classes=classes
    )

    def draw():
        shown, labels, asked = draw_indices()
        query = symbol_vectors[shown.gather(1, asked)]
        return query, symbol_vectors[shown], class_vectors[labels], labels.gather(1, asked)[:, 0]

    return draw


def lookup_indices(
    generator: torch.Generator, *, d: int = 64, m: int = 16, batch: int = 64, symbols: int = 32, classes: int = 8
) -> tuple[torch.Tensor, torch.Tensor, Callable[[], tuple[torch.Tensor, ...]]]:
    """Return the vectors of the symbols and of the classes, and a function that draws a batch of :func:`lookup_task`.

    A batch is three arrays of indices: ``shown`` (batch, m), the symbols; ``labels`` (batch, m), their classes;
    ``asked`` (batch, 1), the place of the symbol that is asked for.
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
        return shown, labels, asked

    return symbol_vectors, class_vectors, draw


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


def lookup_heads(
    scale: float,
    seeds: Sequence[int],
    *,
    start: float = 1,
    lr: float = 0.3,
    d_k: int = 64,
    m: int = 16,
    steps: int = 200,
    rule: Callable[..., torch.optim.Optimizer] = torch.optim.SGD,
) -> tuple[np.ndarray, np.ndarray]:
    """Train the heads of many seeds side by side; return the loss and the accuracy of each, both (steps, seeds).

    Both are measured on each batch before its step. A batch is drawn afresh, so the accuracy is that on questions which
    the head has not seen; chance is 1/8. A head is the one that :func:`lookup_curve` trains with the same seed, up to
    rounding. It is faster here, because every symbol is projected once, and only then its scores are picked.

    ``start`` multiplies W_Q and W_K at the start, and ``m`` is the number of pairs. ``rule`` is torch's optimiser.
    """
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]
    drawn = [[weights(generator, 64, c).detach() for c in (d_k, d_k, 8)] for generator in generators]
    W_Q, W_K, W_V = map(torch.stack, zip(*drawn, strict=True))
    W = [theta.requires_grad_() for theta in (start * W_Q, start * W_K, W_V)]
    symbols, classes, draws = zip(*[lookup_indices(generator, m=m) for generator in generators], strict=True)
    symbols, classes = torch.stack(symbols), torch.stack(classes)
    losses, accuracies = [], []

    def loss():
        batch = [draw() for draw in draws]
        shown, labels, asked = map(torch.stack, zip(*batch, strict=True))
        S = scale * (symbols @ W[0]) @ (symbols @ W[1]).mT  # (seeds, 32, 32): every symbol asks every symbol
        asking = shown.gather(2, asked).expand(-1, -1, S.shape[2])
        A = softmax(S.gather(1, asking).gather(2, shown))  # (seeds, batch, m)
        by_class = torch.zeros(*A.shape[:2], classes.shape[1]).scatter_add(2, labels, A)  # weights of a class, summed
        Y = by_class @ (classes @ W[2])  # (seeds, batch, 8)
        answer = labels.gather(2, asked)[..., 0]
        each = torch.nn.functional.cross_entropy(Y.mT, answer, reduction="none").mean(dim=1)
        losses.append(each.tolist())
        accuracies.append((Y.argmax(dim=2) == answer).double().mean(dim=1).tolist())
        return each.sum()  # the gradient of a sum is that of each head by itself

    descend(rule, W, loss, steps=steps, lr=lr)
    return np.array(losses), np.array(accuracies)
