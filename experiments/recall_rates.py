"""Train five models to recall a marked symbol 7, 15 and 99 steps back, at the same six learning rates each.

A member is one model at one distance: eight runs at each rate. The first four runs choose the rate, and the other four
are reported at that rate, so that the best of six rates is not measured on the runs that made it the best.
"""

import numpy as np
from attnbook.tasks import RECALL_READERS, train_recall

DISTANCES = (7, 15, 99)
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
CASES = [(name, distance) for name in RECALL_READERS for distance in DISTANCES]
MEMBERS = range(len(CASES))


def member(seed):
    """The accuracies of eight runs, one row for each rate."""
    name, distance = CASES[seed]
    return [train_recall(RECALL_READERS[name], distance, rate) for rate in RATES]


def summary(results):
    """{model: {distance: the chosen rate, and the least, the mean and the largest accuracy of the other four runs}}."""
    table = {name: {} for name in RECALL_READERS}
    for (name, distance), accuracies in zip(CASES, np.array(results), strict=True):
        best = accuracies[:, :4].mean(axis=1).argmax()
        runs = accuracies[best, 4:]
        table[name][str(distance)] = [RATES[best], runs.min(), runs.mean(), runs.max()]
    return table
