"""Train ten positional rules at length 12, each at the same three learning rates, and test them up to length 96.

A member is one rule at one rate: twelve seeds. The first four seeds choose the rate by their accuracy at the length of
training, and the other eight are reported at that rate.
"""

import cells
import numpy as np

chapter = cells.definitions("deeper/nine-schemes", "rules", "added", "fit", "accuracy", "rotary")
LENGTHS = (12, 24, 48, 96)
RATES = (0.003, 0.01, 0.03)
CASES = [(rule, rate) for rule in chapter.rules for rate in RATES]
MEMBERS = range(len(CASES))
LOG = np.log(97) / np.log(13)


def member(seed):
    """Accuracies of twelve seeds: at the four lengths; at 96 with scores times ln 97 / ln 13; at 96 in a window of 12."""  # noqa: E501
    rule, rate = CASES[seed]
    w = chapter.fit(rule, rate, seeds=12)
    lengths = LENGTHS[:1] if rule == "learned" else LENGTHS
    found = [chapter.accuracy(rule, w, n) for n in lengths]
    if len(lengths) > 1:
        found += [chapter.accuracy(rule, w, 96, scale=LOG), chapter.accuracy(rule, w, 96, window=12)]
    return found


def summary(results):
    """{rule: the chosen rate, and for each test the least, the median and the largest of the other eight seeds}."""
    found = {}
    for rule in chapter.rules:
        tried = [np.array(r) for (name, _), r in zip(CASES, results, strict=True) if name == rule]
        best = int(np.argmax([accuracies[0, :4].mean() for accuracies in tried]))
        runs = tried[best][:, 4:]
        found[rule] = [RATES[best], *np.stack([runs.min(axis=1), np.median(runs, axis=1), runs.max(axis=1)], axis=1)]
    return found
