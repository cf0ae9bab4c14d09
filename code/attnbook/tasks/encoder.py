"""The encoder of the capstone and its two trainings: a question about word order, and the next letter of a text.

The capstone assembles these functions step by step; its deeper pages and the experiments import them from here.
A list of seeds puts the axes (seeds, 1) before every weight and (seeds, batch) before the tokens: the seeds share no
number, so one descent trains them all.
"""

import itertools
from collections.abc import Mapping, Sequence

import torch
from torch.nn.functional import cross_entropy, one_hot

from ..attention import attention, causal_mask
from ..layers import encoder_layer
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
    seed: int | Sequence[int], layers: int = 2, *, d: int = 12, d_ff: int = 20, symbols: int = 4, outputs: int = 2
) -> dict[str, torch.Tensor]:
    """Draw the weights of an encoder with three heads: independent N(0, 1/rows) entries, embeddings N(0, 1).

    The names are ``embed``, ``read`` and, for layer 0, ``Q0``, ``K0``, ``V0``, ``O0``, ``up0`` and ``down0``; all are
    float64 and require gradients.
    """
    if not isinstance(seed, int):
        every = [draw_weights(one, layers, d=d, d_ff=d_ff, symbols=symbols, outputs=outputs) for one in seed]
        return {k: torch.stack([w[k].detach() for w in every])[:, None].requires_grad_() for k in every[0]}
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
    Q, K, V, O, up, down = (w[f"{name}{layer}"] for name in ("Q", "K", "V", "O", "up", "down"))

    def attend(X):
        X = X[..., None, :, :]  # the axis of the heads
        return torch.as_tensor(attention(X @ Q, X @ K, X @ V, mask)).transpose(-2, -3).flatten(-2) @ O

    return encoder_layer(X, attend, lambda Z: torch.relu(Z @ up) @ down)


def _embed(w, tokens):
    return one_hot(tokens, w["embed"].shape[-2]).to(w["embed"].dtype) @ w["embed"]


def logits(
    w: Mapping[str, torch.Tensor], tokens: torch.Tensor, E: torch.Tensor, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """Answer a question about a sentence: the mean of its encoded rows, read out. (…, n) → (…, outputs)."""
    return (encode(w, _embed(w, tokens) + E, mask).mean(dim=-2, keepdim=True) @ w["read"])[..., 0, :]


def order_sentences() -> tuple[torch.Tensor, torch.Tensor]:
    """List all sentences of six words with one 0 and one 1, and whether 0 comes first.

    Returns ``tokens`` (480, 6) and ``answers`` (480,), the question of ``order_task``.
    """
    texts = [s for s in itertools.product(range(4), repeat=WORDS) if s.count(0) == s.count(1) == 1]
    return torch.tensor(texts), torch.tensor([int(s.index(0) < s.index(1)) for s in texts])


def train_order(
    seed: int | Sequence[int],
    E: torch.Tensor,
    mask: torch.Tensor | None = None,
    *,
    fixed: Mapping[str, torch.Tensor] | None = None,
    steps: int = 100,
    lr: float = 0.01,
) -> dict[str, torch.Tensor]:
    """Train an encoder with positions E (6, 12) on ``order_task`` by Adam; weights in ``fixed`` stay as they are.

    32 sentences a step. Returns the weights.
    """
    seeds = [seed] if isinstance(seed, int) else seed
    draws = [order_task(torch.Generator().manual_seed(1000 + one), seeds=1) for one in seeds]

    def draw():
        return (torch.cat(x) for x in zip(*(draw(WORDS) for draw in draws), strict=True))

    return _train(seed, lambda w, tokens: logits(w, tokens, E, mask), draw, fixed or {}, steps, lr)


def _train(seed, guess, draw, fixed, steps, lr, **sizes):
    """Return the weights after Adam; ``guess(w, tokens)`` has the classes last, ``draw()`` makes tokens and answers."""
    w = draw_weights([seed] if isinstance(seed, int) else seed, **sizes)

    def loss():
        tokens, answer = draw()
        return cross_entropy(guess(w | fixed, tokens).flatten(0, -2), answer.flatten()) * len(answer)

    descend(torch.optim.Adam, w.values(), loss, steps=steps, lr=lr)
    w = {name: x.detach()[0, 0] if isinstance(seed, int) else x.detach() for name, x in w.items()}
    return w | fixed


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
    return encode(w, _embed(w, tokens) + E, past, layers=1) @ w["read"]


def train_letters(
    seed: int | Sequence[int], E: torch.Tensor, *, steps: int = 400, lr: float = 0.01
) -> dict[str, torch.Tensor]:
    """Train a language model of one layer with positions E (24, 24) on :func:`letter_windows` by Adam.

    16 windows a step. Returns the weights.
    """
    letters, learn, _ = letter_windows()
    generators = [torch.Generator().manual_seed(one) for one in ([seed] if isinstance(seed, int) else seed)]

    def draw():
        start = [torch.randint(len(learn) - WINDOW, (16, 1), generator=generator) for generator in generators]
        window = learn[torch.stack(start) + torch.arange(WINDOW + 1)]
        return window[..., :-1], window[..., 1:]

    sizes = {"layers": 1, "d": 24, "d_ff": 48, "symbols": len(letters), "outputs": len(letters)}
    return _train(seed, lambda w, tokens: next_letter(w, tokens, E), draw, {}, steps, lr, **sizes)
