"""Train positional rules at length 12 on a question about content, and ask for a token that stands far back, up to 96.

The question is which symbol carries the flag. It stands anywhere in training, and more than 12 back in the test.
"""

import functools

import numpy as np
from attnbook.tasks import SCHEMES, comparison, measure_scheme, train_scheme, with_seeds

LAST = slice(-1, None)


@functools.cache
def trained(side, rate, seeds):
    """Train twelve readers side by side, on 32 answers a step."""
    return train_scheme(SCHEMES[side], rate, seeds=seeds, batch=32, ask=LAST, question="flagged")


def run(side, rate, seeds, n):
    """Loss at 12; shares right at 12, at n, there with scores times ln (n + 1) / ln 13, and in a window of 12 keys."""
    scheme, w = SCHEMES[side], trained(side, rate, len(seeds))
    loss, short = measure_scheme(scheme, w, 12, question="flagged")
    changes = {"stretched": {}, "tempered": {"scale": np.log(n + 1) / np.log(13)}, "window": {"window": 12}}
    shares = {name: measure_scheme(scheme, w, n, question="flagged", **change)[1] for name, change in changes.items()}
    return {"loss": loss.astype(float), "short": short} | shares


SIDES = ["none", "sinusoidal", "Shaw", "T5", "ALiBi, ¼", "ALiBi, 1", "rotary", "one pair"]
RATES = (0.001, 0.003, 0.01, 0.03, 0.1)
MEMBERS, member, ranges = comparison(run, SIDES, RATES, settings={"n": (24, 48, 96)}, seeds=range(12))


def summary(results):
    """Each rule at its own best, at each length, with the shares of every reported seed."""
    return with_seeds(ranges(results), results, RATES, ["short", "stretched", "tempered", "window"])
