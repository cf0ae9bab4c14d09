"""Train positional rules at length 12, each at its own best of six learning rates, and test them up to length 96."""

import functools

import numpy as np
from attnbook.tasks import SCHEMES, comparison, measure_scheme, train_scheme, with_seeds


@functools.cache
def trained(side, rate, seeds):
    """Train twelve readers side by side."""
    return train_scheme(SCHEMES[side], rate, seeds=seeds)


def run(side, rate, seeds, n):
    """Loss at 12; shares right at 12, at n, there with scores times ln (n + 1) / ln 13, and in a window of 12 keys."""
    scheme, w = SCHEMES[side], trained(side, rate, len(seeds))
    loss, short = measure_scheme(scheme, w, 12)
    changes = {"stretched": {}, "tempered": {"scale": np.log(n + 1) / np.log(13)}, "window": {"window": 12}}
    shares = {name: measure_scheme(scheme, w, n, **change)[1] for name, change in changes.items()}
    return {"loss": loss.astype(float), "short": short} | shares


SIDES = [name for name in SCHEMES if name != "learned"]  # it has no row for a position beyond 12
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
MEMBERS, member, ranges = comparison(run, SIDES, RATES, settings={"n": (24, 48, 96)}, seeds=range(12))


def summary(results):
    """Each rule at its own best, at each length, with the shares of every reported seed."""
    return with_seeds(ranges(results), results, RATES, ["short", "stretched", "tempered", "window"])
