"""Measure how many of 480 sentences small encoders answer, with and without positions, mask and attention.

A member trains four encoders from one seed: the chapter's three, and one with positions that never has attention. It
then sets the queries of the one with positions to zero, and measures how much attention falls on the two words.
"""

import numpy as np
import torch
from attnbook.attention import attention_weights, causal_mask
from attnbook.positional import sinusoidal
from attnbook.tasks import draw_weights, encode, logits, order_sentences, train_order

MEMBERS = range(8)
E = torch.as_tensor(sinusoidal(np.arange(6), 12))
SETTINGS = {
    "no positions": (0 * E, None),
    "positions": (E, None),
    "causal mask": (0 * E, torch.as_tensor(causal_mask(6))),
}
NO_ATTENTION = {f"O{layer}": torch.zeros(12, 12, dtype=torch.float64) for layer in range(2)}
TOKENS, ANSWERS = order_sentences()


def right(w, E, mask=None):
    """The number of right answers, of 480."""
    return (logits(w, TOKENS, E, mask).argmax(dim=-1) == ANSWERS).sum().item()


@torch.no_grad()
def share(w):
    """The mean weight on the words cat and fish together, over both layers and all sentences."""
    named = (TOKENS < 2)[:, None, None, :]
    shares = []
    for layer in range(2):
        X = encode(w, w["embed"][TOKENS] + E, layers=layer)[:, None]
        A = attention_weights(X @ w[f"Q{layer}"], X @ w[f"K{layer}"])
        shares.append((A * named).sum(dim=-1).mean().item())
    return float(np.mean(shares))


def member(seed):
    """{model: right answers of 480}, and the share of the two words before and after training."""
    models = {name: train_order(seed, *setting) for name, setting in SETTINGS.items()}
    answers = {name: right(models[name], *setting) for name, setting in SETTINGS.items()}
    uniform = {f"Q{layer}": 0 * models["positions"][f"Q{layer}"] for layer in range(2)}
    answers["uniform"] = right(models["positions"] | uniform, E)
    answers["never"] = right(train_order(seed, E, fixed=NO_ATTENTION), E)
    return answers | {"before": share(draw_weights(seed)), "after": share(models["positions"])}


def summary(results):
    """The least, the mean and the most of each."""
    table = {name: [r[name] for r in results] for name in results[0]}
    kinds = {"least": np.min, "mean": np.mean, "most": np.max}
    return {
        kind: {name: f(values) for name, values in table.items()}  # type: ignore[operator]
        for kind, f in kinds.items()
    }
