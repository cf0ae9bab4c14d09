"""Two questions about order, and a small encoder that several seeds train side by side.

Every array has the axes (seeds, batch, …) in front, and every weight (seeds, 1, …): the seeds share no number, so
one descent trains them all, each as it would be trained alone.
"""

from collections.abc import Callable, Mapping, Sequence

import torch

from ..arrays import brief, require_int, shape_of
from .training import descend, require_generator

__all__ = ["encoder_weights", "order_task", "previous_task", "read_out", "train"]


def order_task(
    generator: torch.Generator, *, seeds: int = 5, batch: int = 32, symbols: int = 4
) -> Callable[[int], tuple[torch.Tensor, torch.Tensor]]:
    """Does symbol 0 stand before symbol 1? Both occur once; all other positions are filled from symbols 2, 3, ….

    Returns a function of the length n that draws ``tokens`` (seeds, batch, n) and ``answer`` (seeds, batch), 0 or 1.
    The two answers are equally likely, and reversing a sequence always changes its answer.

    Raises ``ValueError`` if there are fewer than three symbols, or n < 2.

    >>> tokens, answer = order_task(torch.Generator(), seeds=1)(6)
    >>> tokens.shape
    torch.Size([1, 32, 6])
    """
    generator, seeds, batch = require_generator(generator), require_int("seeds", seeds), require_int("batch", batch)
    symbols = require_int("symbols", symbols, least=3)  # the two in question and one to fill with

    def draw(n):
        n = require_int("n", n, least=2)
        tokens = torch.randint(2, symbols, (seeds, batch, n), generator=generator)
        positions = torch.rand(seeds, batch, n, generator=generator).argsort(dim=-1)[..., :2]
        tokens.scatter_(-1, positions, torch.tensor([0, 1]).expand(positions.shape))
        return tokens, (positions[..., 0] < positions[..., 1]).long()

    return draw


def previous_task(
    generator: torch.Generator, *, seeds: int = 5, batch: int = 32, symbols: int = 4
) -> Callable[[int], tuple[torch.Tensor, torch.Tensor]]:
    """Which symbol stood one position earlier? Asked at every position but the first.

    Returns a function of the length n that draws ``tokens`` (seeds, batch, n), independent and uniform, and
    ``answer`` (seeds, batch, n − 1), the tokens without the last.

    Raises ``ValueError`` if there are fewer than two symbols, or n < 2.

    >>> tokens, answer = previous_task(torch.Generator(), seeds=1)(6)
    >>> answer.shape
    torch.Size([1, 32, 5])
    """
    generator, seeds, batch = require_generator(generator), require_int("seeds", seeds), require_int("batch", batch)
    symbols = require_int("symbols", symbols, least=2)  # or there is nothing to guess

    def draw(n):
        n = require_int("n", n, least=2)
        tokens = torch.randint(symbols, (seeds, batch, n), generator=generator)
        return tokens, tokens[..., :-1].clone()

    return draw


def encoder_weights(
    generator: torch.Generator,
    *,
    seeds: int = 5,
    d: int = 16,
    symbols: int = 4,
    outputs: int = 2,
    **tables: tuple[int, int],
) -> dict[str, torch.Tensor]:
    """The weights of a one-layer encoder: ``embed``, ``Q``, ``K``, ``V``, ``up``, ``bias``, ``out``, and ``tables``.

    Entries of a matrix (seeds, 1, rows, columns) are independent N(0, 1/rows), embeddings N(0, 1), the bias N(0, 0.01).
    Tables of positions, name=(rows, columns), are N(0, 0.01) too: attention begins almost indifferent to position.

    Raises ``ValueError`` if a table has the name of another weight, or a size is below 1.
    """
    generator = require_generator(generator)
    seeds, d, symbols = require_int("seeds", seeds), require_int("d", d), require_int("symbols", symbols)
    outputs = require_int("outputs", outputs)

    def normal(rows, columns, variance=1.0):
        return (variance**0.5 * torch.randn(seeds, 1, rows, columns, generator=generator)).requires_grad_()

    w = {"embed": normal(symbols, d)}
    w |= {name: normal(d, d, 1 / d) for name in "QKV"}
    w |= {"up": normal(d, 2 * d, 1 / d), "bias": normal(1, 2 * d, 0.01), "out": normal(2 * d, outputs, 1 / (2 * d))}
    if taken := set(w) & set(tables):
        raise ValueError(f"tables {sorted(taken)} have the names of weights; expected other names")
    for name, shape in tables.items():
        if not isinstance(shape, Sequence) or len(shape) != 2:
            raise ValueError(f"{name} = {brief(shape)}; expected the size of a table, (rows, columns)")
        w[name] = normal(require_int(f"rows of {name}", shape[0]), require_int(f"columns of {name}", shape[1]), 0.01)
    return w


def read_out(w: dict[str, torch.Tensor], Z: torch.Tensor) -> torch.Tensor:
    """Position-wise feed-forward network relu(Z W_up + b) W_out: (seeds, batch, n, d) → (seeds, batch, n, outputs).

    Z without the first two axes, (n, d), gives (seeds, 1, n, outputs).

    Raises ``ValueError`` unless Z fits the weights, and ``TypeError`` unless both are tensors of one precision.
    """
    if not isinstance(w, Mapping) or not {"up", "bias", "out"} <= set(w):
        raise TypeError(f"w = {brief(w)}; expected the weights of an encoder")
    if not Z.ndim >= 2 or 2 < Z.ndim < w["up"].ndim:
        raise ValueError(
            f"Z has shape {shape_of(Z)}; expected (n, d), or {w['up'].ndim} axes as W_up has, the seeds first"
        )
    try:
        return torch.relu(Z @ w["up"] + w["bias"]) @ w["out"]
    except RuntimeError:
        fit = f"axes that fit W_up with shape {shape_of(w['up'])}"
        raise ValueError(f"Z has shape {shape_of(Z)}; expected {fit}") from None


def train(
    logits: Callable[[torch.Tensor], torch.Tensor],
    draw: Callable[[int], tuple[torch.Tensor, torch.Tensor]],
    weights: dict[str, torch.Tensor],
    *,
    n: int,
    steps: int,
    lr: float,
) -> None:
    """Minimise the cross-entropy of ``logits(tokens)`` on fresh batches of length n by Adam; returns nothing.

    The losses of the seeds are added, and Adam works on each number by itself, so no seed feels another.

    Raises ``ValueError`` when the loss is not finite, with the step at which that happened, and unless there is a row
    of logits for each answer; ``TypeError`` for weights without a gradient.

    Source: Kingma and Ba (2015), "Adam".
    """
    if not isinstance(weights, Mapping):
        raise TypeError(f"weights = {brief(weights)}; expected a dictionary of tensors")

    def loss():
        tokens, answer = draw(n)
        guess = logits(tokens)
        if guess.shape[:-1] != answer.shape:
            raise ValueError(f"logits(tokens) has shape {shape_of(guess)}; expected {(*answer.shape, 'classes')}")
        if not 0 <= answer.min() <= answer.max() < guess.shape[-1]:
            raise ValueError(f"answer has numbers up to {answer.max()}; expected less than {guess.shape[-1]} classes")
        return torch.nn.functional.cross_entropy(guess.reshape(-1, guess.shape[-1]), answer.flatten()) * answer.shape[0]

    descend(torch.optim.Adam, weights.values(), loss, steps=steps, lr=lr)
