"""Train one head to look up a symbol among 4, 16 and 32 pairs, with and without the scale, by two rules."""

import torch
from attnbook.tasks import comparison, lookup_heads

D_K = 64
SIDES = {  # the scale, and the rule by which the head is trained
    "no scale, descent": (1, torch.optim.SGD),
    "1/√dₖ, descent": (D_K**-0.5, torch.optim.SGD),
    "no scale, Adam": (1, torch.optim.Adam),
    "1/√dₖ, Adam": (D_K**-0.5, torch.optim.Adam),
}
STEPS, LAST = 1000, 250


def run(side, rate, seeds, m):
    """Mean loss over all steps; the accuracy from step 50 to 100, and over the last 250 steps."""
    scale, rule = SIDES[side]
    losses, accuracies = lookup_heads(scale, seeds, lr=rate, d_k=D_K, m=m, steps=STEPS, rule=rule)
    return {
        "loss": losses.mean(axis=0),
        "early": accuracies[50:100].mean(axis=0),
        "right": accuracies[-LAST:].mean(axis=0),
    }


MEMBERS, member, summary = comparison(
    run, SIDES, rates=(0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3), settings={"m": (4, 16, 32)}, seeds=range(12)
)
