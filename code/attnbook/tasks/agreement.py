"""Does the verb agree with its subject? One head of attention reads sentences such as *the keys to the cabinet …*.

A sentence has a subject, one or more prepositional phrases with a noun each, and the place of the verb. The verb asks
with one query, and the two numbers that arrive are its answer: for *is* and for *are*. Nothing else reaches it.

Source of the task: Linzen, Dupoux and Goldberg (2016), "Assessing the ability of LSTMs to learn syntax-sensitive
dependencies".
"""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch.nn.functional import cross_entropy, one_hot

from ..attention import attention_weights
from ..positional import sinusoidal
from .training import descend, require_generator

__all__ = ["AGREEMENT_WORDS", "agreement_task", "read_verb", "train_agreement"]

NOUNS = ["key", "cabinet", "letter", "door"]
#: The words of the sentences, by their number; … stands for the verb.
AGREEMENT_WORDS = [*NOUNS, *(f"{noun}s" for noun in NOUNS), "the", "old", "to", "near", "…"]
THE, OLD, TO, NEAR, VERB = range(2 * len(NOUNS), len(AGREEMENT_WORDS))
D, D_K = 16, 2


def agreement_task(
    generator: torch.Generator, *, seeds: int = 1, batch: int = 64
) -> Callable[[int], tuple[torch.Tensor, torch.Tensor]]:
    """Sentences with a number of prepositional phrases between subject and verb.

    Returns a function of that number m that draws ``tokens`` (seeds, batch, n), indices into ``AGREEMENT_WORDS``, and
    ``plural`` (seeds, batch, m + 1), 0 or 1 for each noun: all combinations are equally likely. The verb agrees with
    ``plural[..., 0]``. Each noun phrase is *the*, with probability ½ *old*, at the same places of the whole batch, and
    a noun.

    >>> tokens, plural = agreement_task(torch.Generator(), batch=5)(1)
    >>> tokens.shape[:2], plural.shape
    (torch.Size([1, 5]), torch.Size([1, 5, 2]))
    """
    generator = require_generator(generator)

    def draw(phrases):
        old = torch.randint(2, (phrases + 1,), generator=generator).tolist()
        plural = torch.randint(2, (seeds, batch, phrases + 1), generator=generator)
        noun = torch.randint(len(NOUNS), plural.shape, generator=generator) + len(NOUNS) * plural
        preposition = torch.randint(TO, NEAR + 1, plural.shape, generator=generator)
        columns = []
        for i in range(phrases + 1):
            words = [*[preposition[..., i]] * (i > 0), THE, *[OLD] * old[i], noun[..., i]]
            columns += [torch.full_like(noun[..., i], word) if isinstance(word, int) else word for word in words]
        return torch.stack([*columns, torch.full_like(noun[..., 0], VERB)], dim=-1), plural

    return draw


def read_verb(
    w: Mapping[str, torch.Tensor], tokens: torch.Tensor, positions: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the weights a (…, n − 1) that the verb gives to the words before it, and their values (…, n − 1, 2).

    Row i of X is the embedding of word i, plus the sinusoids of position i. With q the row of the verb times W_Q,
    a = softmax(q Kᵀ/√2), and a V is the answer: its larger entry says *is* or *are*.
    """
    X = one_hot(tokens, len(AGREEMENT_WORDS)).to(w["embed"].dtype) @ w["embed"]
    X = X + positions * torch.as_tensor(sinusoidal(range(X.shape[-2]), D))
    before = X[..., :-1, :]
    return torch.as_tensor(attention_weights(X[..., -1:, :] @ w["Q"], before @ w["K"]))[..., 0, :], before @ w["V"]


def train_agreement(
    seeds: Sequence[int],
    phrases: Sequence[int],
    *,
    steps: int = 400,
    lr: float = 0.03,
    positions: bool = True,
    fixed: Mapping[str, torch.Tensor] | None = None,
) -> dict[str, torch.Tensor]:
    """Train a head for each seed by Adam, with ``phrases[step % len(phrases)]`` phrases in each batch of 64.

    Returns ``embed`` (seeds, 1, 13, 16), ``Q``, ``K`` and ``V`` (seeds, 1, 16, 2). Weights in ``fixed`` are not
    trained. The seeds share no number, so one descent trains them all.
    """
    drawn = []
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed)
        w = {"embed": torch.randn(len(AGREEMENT_WORDS), D, generator=generator, dtype=torch.float64)}
        w |= {name: torch.randn(D, D_K, generator=generator, dtype=torch.float64) / D**0.5 for name in "QKV"}
        drawn.append(w | dict(fixed or {}))
    w = {name: torch.stack([one[name] for one in drawn])[:, None] for name in drawn[0]}
    free = [x.requires_grad_() for name, x in w.items() if name not in (fixed or {})]
    draw, step = agreement_task(torch.Generator().manual_seed(1), seeds=len(drawn)), iter(range(steps))

    def loss():
        tokens, plural = draw(phrases[next(step) % len(phrases)])
        a, V = read_verb(w, tokens, positions)
        answer = (a[..., None, :] @ V)[..., 0, :]
        return cross_entropy(answer.flatten(0, 1), plural[..., 0].flatten()) * len(drawn)

    descend(torch.optim.Adam, free, loss, steps=steps, lr=lr)
    return {name: x.detach() for name, x in w.items()}
