"""Stretch trained rotary readers by five rules, at once and after some further training, each at its own best rate."""

import functools

import numpy as np
from attnbook.length import ntk_frequencies, ramp_frequencies
from attnbook.positional import frequencies
from attnbook.tasks import comparison, measure_scheme, rotary, train_scheme, with_seeds

THETA, RATES = frequencies(16), (0.003, 0.01, 0.03, 0.1, 0.3)
SIDES = {  # of the length n of training and the stretch s
    "unchanged": lambda n, s: rotary(THETA),
    "interpolation": lambda n, s: rotary(THETA / s),
    "NTK": lambda n, s: rotary(ntk_frequencies(16, s)),
    "ramp": lambda n, s: rotary(ramp_frequencies(THETA, n, s, slow=1, fast=1.5)),
    "clip": lambda n, s: rotary(THETA, clip=n),
}


@functools.cache
def trained(n, seeds):
    """Train at length n with 192 tokens a step, at the rate with the least loss of the first four seeds."""
    runs = [train_scheme(rotary(THETA), rate, seeds=seeds, n=n, batch=192 // n) for rate in RATES]
    return min(runs, key=lambda w: np.median(measure_scheme(rotary(THETA), w, n)[0][:4]))


def run(side, rate, seeds, n, s, steps):
    """Loss and share of right answers at length s n, after ``steps`` further steps there on the last twelve tokens."""
    scheme, w = SIDES[side](n, s), trained(n, len(seeds))
    if steps:
        w = train_scheme(scheme, rate, steps=steps, n=s * n, batch=2, start=w, ask=slice(-12, None))
    loss, share = measure_scheme(scheme, w, s * n, batch=100)
    return {"loss": np.round(loss.astype(float), 3), "share": share}


SETTINGS = {"n": (12, 32, 64), "s": (2, 4, 8), "steps": (0, 5, 20, 100)}
MEMBERS, member, ranges = comparison(
    run, SIDES, RATES, SETTINGS, seeds=range(12), has_rate=lambda n, s, steps: steps > 0
)


def summary(results):
    """Each rule at its own best, in each setting, with the share of every reported seed."""
    return with_seeds(ranges(results), results, RATES, ["share"])
