"""Find the one marked token of a list and name its symbol, one of eight: a head trained on ten tokens."""

import itertools

import torch
from torch.nn.functional import cross_entropy, one_hot

from ..attention import attention, scores
from .training import fit, weights

__all__ = ["marked_accuracy", "marked_tokens", "train_marked_head"]


def marked_tokens(symbols: torch.Tensor, marked: torch.Tensor) -> torch.Tensor:
    """Make one-hot rows of ``symbols`` (batch, n) with a last column that marks place ``marked`` (batch,)."""
    flag = one_hot(marked, symbols.shape[1])[..., None]
    return torch.cat([torch.eye(8)[symbols], flag], dim=-1)


def train_marked_head(seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Train a head on lists of ten tokens, 300 steps of gradient descent; return its query, W_K and W_V."""
    generator = torch.Generator().manual_seed(seed)
    q, W_K, W_V = (weights(generator, *shape) for shape in ((4, 1), (9, 4), (9, 8)))

    def loss():
        symbols = torch.randint(8, (64, 10), generator=generator)
        marked = torch.randint(10, (64,), generator=generator)
        X = marked_tokens(symbols, marked)
        logits = attention(q.mT, X @ W_K, X @ W_V)[:, 0]
        return cross_entropy(logits, symbols[range(64), marked])

    fit(loss, [q, W_K, W_V], steps=300, lr=0.5)
    return q, W_K, W_V


def marked_accuracy(n: int, q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> tuple[float, torch.Tensor]:
    """Test a head on a marked symbol before n − 1 copies of another, for all 56 pairs.

    Returns the share of right answers, and the scores of the n tokens, shape (56, n).
    """
    cases = torch.tensor(list(itertools.permutations(range(8), 2)))
    symbols = torch.cat([cases[:, :1], cases[:, 1:].expand(-1, n - 1)], dim=1)
    X = marked_tokens(symbols, torch.zeros(len(cases), dtype=torch.int64))
    with torch.no_grad():
        right = attention(q.mT, X @ W_K, X @ W_V)[:, 0].argmax(dim=1) == cases[:, 0]
        return right.float().mean().item(), scores(q.mT, X @ W_K)[:, 0]
