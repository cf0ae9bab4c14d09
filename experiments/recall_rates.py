"""Train five models to recall a marked symbol 7, 15 and 99 steps back, each at its own best learning rate."""

import numpy as np
from attnbook.tasks import RECALL_READERS, comparison, train_recall

RUNS = range(12)  # they train side by side


def run(side, rate, seeds, distance):
    """Loss and accuracy of each run on new lists; every loss below 0.01 counts as learned, equally well."""
    loss, right = train_recall(RECALL_READERS[side], distance, rate)
    return {"loss": np.maximum(loss, 0.01), "right": right}


MEMBERS, member, summary = comparison(
    run, RECALL_READERS, rates=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1), settings={"distance": (7, 15, 99)}, seeds=RUNS
)
