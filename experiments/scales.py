"""Train one head to look up a symbol, by three scales and from a smaller start, each at its own best learning rate."""

import numpy as np
from attnbook.tasks import comparison, lookup_curve

SIDES = {  # the scale, and the factor of W_Q and W_K at the start, as powers of d_k
    "no scale": (0, 0),
    "start only": (0, -1 / 4),
    "1/√dₖ": (-1 / 2, 0),
    "1/dₖ": (-1, 0),
}
LEARNED = 0.05  # of the loss; log 8 = 2.08 is a guess


def run(side, rate, seeds, d_k):
    """Mean loss over 200 steps and over the last twenty; steps until five in a row have a mean below LEARNED."""
    scale, start = (float(d_k) ** power for power in SIDES[side])
    curves = [lookup_curve(scale, seed, start=(start, start), lr=rate, d_k=d_k) for seed in seeds]
    means = [np.convolve(curve, np.ones(5) / 5, "valid") for curve in curves]
    return {
        "loss": [np.mean(curve) for curve in curves],
        "end": [np.mean(curve[-20:]) for curve in curves],
        "steps": [int((mean < LEARNED).argmax()) if (mean < LEARNED).any() else len(mean) for mean in means],
    }


MEMBERS, member, summary = comparison(
    run, SIDES, rates=(0.03, 0.1, 0.3, 1, 1.5, 3, 5), settings={"d_k": (16, 64, 256)}, seeds=range(12)
)
