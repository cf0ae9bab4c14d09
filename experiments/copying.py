"""Train three small networks to copy lists of 2 to 10 symbols, each at its own best learning rate.

Twelve runs train side by side.
"""

import numpy as np
from attnbook.tasks import COPY_KINDS, comparison, train_copying

LENGTHS = (2, 4, 6, 8, 10)


def run(side, rate, seeds, steps):
    """Mean loss over the lengths, and for each length the share of right symbols."""
    loss, right = train_copying(side, 0, lengths=LENGTHS, runs=len(seeds), steps=steps, lr=rate)
    return {"loss": np.maximum(loss.mean(axis=1), 1e-3)} | dict(zip(map(str, LENGTHS), right.T, strict=True))


MEMBERS, member, summary = comparison(
    run,
    COPY_KINDS,
    rates=(0.001, 0.003, 0.01, 0.03, 0.1),
    settings={"steps": (100, 200, 400)},
    seeds=range(12),
)
