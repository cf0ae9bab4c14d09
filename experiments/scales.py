"""Train one head to look up a symbol, by three scales and from a smaller start, at four widths and eight rates."""

import numpy as np
from attnbook.tasks import comparison, lookup_heads

SIDES = {  # the scale, and the factor of W_Q and W_K at the start, as powers of d_k
    "no scale": (0, 0),
    "start only": (0, -1 / 4),
    "1/√dₖ": (-1 / 2, 0),
    "1/dₖ": (-1, 0),
}
WIDTHS = (4, 16, 64, 256)
RATES = (0.01, 0.03, 0.1, 0.3, 1, 1.5, 3, 5)
SEEDS = range(12)  # four choose the rate, eight are reported
ENDS = (5, 10, 20, 35, 60, 100, 150, 200, 300, 500, 750, 1000)  # of the windows in which the accuracy is averaged
LAST = f"right {ENDS[-1]}"


def run(side, rate, seeds, d_k):
    """Mean loss over 1000 steps and over the last 250, and the accuracy in each window, named by its last step."""
    scale, start = (float(d_k) ** power for power in SIDES[side])
    losses, accuracies = lookup_heads(scale, seeds, start=start, lr=rate, d_k=d_k, steps=ENDS[-1])
    measures = {"loss": losses.mean(axis=0), "end": losses[-250:].mean(axis=0)}
    for first, end in zip((0, *ENDS), ENDS, strict=False):
        measures[f"right {end}"] = accuracies[first:end].mean(axis=0)
    return measures


MEMBERS, member, best = comparison(run, SIDES, rates=RATES, settings={"d_k": WIDTHS}, seeds=SEEDS)


def summary(results):
    """Each side at its best rate, and how many of the eight reported seeds end above 99 % at every rate."""
    reached = [(np.array(measures[LAST])[-8:] > 0.99).sum() for measures in results]
    reached = np.reshape(reached, (len(SIDES), len(WIDTHS), len(RATES)))
    table = {side: dict(zip(WIDTHS, counts, strict=True)) for side, counts in zip(SIDES, reached, strict=True)}
    return best(results) | {"rates": RATES, "above 99 %": table}
