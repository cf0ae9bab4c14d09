"""The encoder of the capstone and its two trainings: a question about word order, and the next letter of a text.

The capstone assembles these functions step by step; its deeper pages and the experiments import them from here.
"""

import itertools
from collections.abc import Mapping

import torch
from torch.nn.functional import cross_entropy

from ..attention import causal_mask
from ..layers import Heads, encoder_layer, feed_forward, multi_head_attention
from .genesis import genesis
from .order import order_task
from .training import descend

__all__ = [
    "draw_weights",
    "encode",
    "letter_windows",
    "logits",
    "next_letter",
    "order_sentences",
    "train_letters",
    "train_order",
]

HEADS, WORDS, WINDOW, HELD_OUT = 3, 6, 24, 900


def draw_weights(
    seed: int, layers: int = 2, *, d: int = 12, d_ff: int = 20, symbols: int = 4, outputs: int = 2
) -> dict[str, torch.Tensor]:
    """Draw the weights of an encoder with three heads: independent N(0, 1/rows) entries, embeddings N(0, 1).

    The names are ``embed``, ``read`` and, for layer 0, ``Q0``, ``K0``, ``V0``, ``O0``, ``up0`` and ``down0``; all are
    float64 and require gradients.
    """
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    w = {"embed": normal(symbols, d)}
    for layer in range(layers):
        w |= {f"{name}{layer}": normal(HEADS, d, d // HEADS) / d**0.5 for name in "QKV"}
        w |= {f"O{layer}": normal(d, d) / d**0.5, f"up{layer}": normal(d, d_ff) / d**0.5}
        w |= {f"down{layer}": normal(d_ff, d) / d_ff**0.5}
    w["read"] = normal(d, outputs) / d**0.5
    return {name: x.requires_grad_() for name, x in w.items()}


def encode(
    w: Mapping[str, torch.Tensor], X: torch.Tensor, mask: torch.Tensor | None = None, layers: int = 2
) -> torch.Tensor:
    """Apply the layers of an encoder to token rows: (…, n, d) → (…, n, d)."""
    for layer in range(layers):
        X = _layer(w, layer, X, mask)
    return X


def _layer(w, layer, X, mask):
    heads = Heads(*(w[f"{name}{layer}"] for name in "QKVO"))
    return encoder_layer(
        X,
        lambda X: multi_head_attention(X, X, X, heads, mask),
        lambda Z: feed_forward(Z, w[f"up{layer}"], w[f"down{layer}"]),
    )


def logits(
    w: Mapping[str, torch.Tensor], tokens: torch.Tensor, E: torch.Tensor, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """Answer a question about a sentence: the mean of its encoded rows, read out. (…, n) → (…, outputs)."""
    return encode(w, w["embed"][tokens] + E, mask).mean(dim=-2) @ w["read"]


def order_sentences() -> tuple[torch.Tensor, torch.Tensor]:
    """List all sentences of six words with one 0 and one 1, and whether 0 comes first.

    Returns ``tokens`` (480, 6) and ``answers`` (480,), the question of ``order_task``.
    """
    texts = [s for s in itertools.product(range(4), repeat=WORDS) if s.count(0) == s.count(1) == 1]
    return torch.tensor(texts), torch.tensor([int(s.index(0) < s.index(1)) for s in texts])


def train_order(
    seed: int,
    E: torch.Tensor,
    mask: torch.Tensor | None = None,
    *,
    fixed: Mapping[str, torch.Tensor] | None = None,
    steps: int = 100,
) -> dict[str, torch.Tensor]:
    """Train an encoder with positions E (6, 12) on ``order_task``; weights in ``fixed`` stay as they are.

    Adam, learning rate 0.01, 32 sentences a step. Returns the weights.
    """
    w, frozen = draw_weights(seed), dict(fixed or {})
    draw = order_task(torch.Generator().manual_seed(1000 + seed), seeds=1)

    def loss():
        tokens, answer = (x[0] for x in draw(WORDS))
        return cross_entropy(logits(w | frozen, tokens, E, mask), answer)

    descend(torch.optim.Adam, w.values(), loss, steps=steps, lr=0.01)
    return {name: x.detach() for name, x in (w | frozen).items()}


def letter_windows() -> tuple[list[str], torch.Tensor, torch.Tensor]:
    """Split the letters of ``genesis`` into text to learn from and windows for the test.

    Returns the alphabet; the numbers of all letters but the last 900; and each window of 24 letters and the one that
    follows, from the last 900, shape (876, 25).
    """
    text = genesis().lower()
    letters = sorted(set(text))
    data = torch.tensor([letters.index(c) for c in text])
    return letters, data[:-HELD_OUT], data[-HELD_OUT:].unfold(0, WINDOW + 1, 1)


def next_letter(w: Mapping[str, torch.Tensor], tokens: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
    """Score the letter that follows each row of a text, by one causal layer: (…, n) → (…, n, letters)."""
    past = torch.as_tensor(causal_mask(tokens.shape[-1]))
    return encode(w, w["embed"][tokens] + E, past, layers=1) @ w["read"]


def train_letters(seed: int, E: torch.Tensor, *, steps: int = 400) -> dict[str, torch.Tensor]:
    """Train a language model of one layer with positions E (24, 24) on :func:`letter_windows`.

    Adam, learning rate 0.01, 16 windows a step. Returns the weights.
    """
    letters, learn, _ = letter_windows()
    w = draw_weights(seed, 1, d=24, d_ff=48, symbols=len(letters), outputs=len(letters))
    generator = torch.Generator().manual_seed(seed)

    def loss():
        start = torch.randint(len(learn) - WINDOW, (16, 1), generator=generator)
        window = learn[start + torch.arange(WINDOW + 1)]
        return cross_entropy(next_letter(w, window[:, :-1], E).mT, window[:, 1:])

    descend(torch.optim.Adam, w.values(), loss, steps=steps, lr=0.01)
    return {name: x.detach() for name, x in w.items()}
