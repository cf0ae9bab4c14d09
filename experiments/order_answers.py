"""Train encoders with and without attention on a question that needs none, each at its own best learning rate.

From the encoders with attention, the trained attention is then taken away in two ways.
"""

import numpy as np
import torch
from attnbook.positional import sinusoidal
from attnbook.tasks import comparison, logits, order_sentences, train_order
from torch.nn.functional import cross_entropy

E = torch.as_tensor(sinusoidal(np.arange(6), 12))
UNIFORM = {f"Q{layer}": torch.zeros(3, 12, 4, dtype=torch.float64) for layer in range(2)}
NOTHING = {f"O{layer}": torch.zeros(12, 12, dtype=torch.float64) for layer in range(2)}
SIDES = {"attention": {}, "uniform weights": UNIFORM, "no attention": NOTHING}
TOKENS, ANSWERS = order_sentences()


def run(side, rate, seeds, steps):
    """Mean loss over the 480 sentences, right answers, and those of the same weights without their attention."""
    w = train_order(seeds, E, fixed=SIDES[side], steps=steps, lr=rate)

    def right(w):
        return (logits(w, TOKENS, E).argmax(dim=-1) == ANSWERS).sum(dim=-1).tolist()

    loss = [cross_entropy(y, ANSWERS).item() for y in logits(w, TOKENS, E)]
    return {"loss": loss, "right": right(w), "made uniform": right(w | UNIFORM), "taken away": right(w | NOTHING)}


MEMBERS, member, summary = comparison(
    run, SIDES, rates=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3), settings={"steps": (100, 200, 400)}, seeds=range(12)
)
