"""Train ten positional rules at length 12, each at the same three learning rates, and test them up to length 96.

A member is one rule at one rate: twelve seeds. The first four seeds choose the rate by their accuracy at the length of
training, and the other eight are reported at that rate.
"""

import numpy as np
from attnbook.tasks import SCHEMES, scheme_accuracy, train_scheme

LENGTHS = (12, 24, 48, 96)
RATES = (0.003, 0.01, 0.03)
CASES = [(rule, rate) for rule in SCHEMES for rate in RATES]
MEMBERS = range(len(CASES))
LOG = np.log(97) / np.log(13)


def member(seed):
    """Accuracies of twelve seeds: at the four lengths; at 96 with scores times ln 97 / ln 13; at 96 in a window of 12."""  # noqa: E501
    rule, rate = CASES[seed]
    scheme = SCHEMES[rule]
    w = train_scheme(scheme, rate, seeds=12)
    if rule == "learned":  # it has no rows for longer inputs
        return [scheme_accuracy(scheme, w, LENGTHS[0])]
    accuracies = [scheme_accuracy(scheme, w, n) for n in LENGTHS]
    return [*accuracies, scheme_accuracy(scheme, w, 96, scale=LOG), scheme_accuracy(scheme, w, 96, window=12)]


def summary(results):
    """{rule: the chosen rate, and for each test the least, the median and the largest of the other eight seeds}."""
    table = {}
    for rule in SCHEMES:
        tried = [np.array(r) for (name, _), r in zip(CASES, results, strict=True) if name == rule]
        best = int(np.argmax([accuracies[0, :4].mean() for accuracies in tried]))
        runs = tried[best][:, 4:]
        table[rule] = [RATES[best], *np.stack([runs.min(axis=1), np.median(runs, axis=1), runs.max(axis=1)], axis=1)]
    return table
