"""Stretch rotary readers that were trained to find a flagged symbol by five rules, and ask for one that is far back."""

import functools

import numpy as np
from attnbook.length import ntk_frequencies, ramp_frequencies
from attnbook.positional import frequencies
from attnbook.tasks import comparison, measure_scheme, rotary, train_scheme, with_seeds

WIDTH, TRAINED, RATES = 16, 12, (0.003, 0.01, 0.03, 0.1, 0.3)
SIDES = {  # of the angles, the base and the stretch s
    "unchanged": lambda theta, base, s: rotary(theta),
    "interpolation": lambda theta, base, s: rotary(theta / s),
    "NTK": lambda theta, base, s: rotary(ntk_frequencies(WIDTH, s, base)),
    "ramp": lambda theta, base, s: rotary(ramp_frequencies(theta, TRAINED, s, slow=1, fast=1.5)),
    "clip": lambda theta, base, s: rotary(theta, clip=TRAINED),
}
FLAGGED = {"question": "flagged"}


@functools.cache
def trained(base, seeds):
    """Train on 12 tokens, at the rate with the least loss of the first four seeds."""
    scheme = rotary(frequencies(WIDTH, base))
    options = {"seeds": seeds, "steps": 600, "batch": 32, "ask": slice(-1, None)}
    runs = [train_scheme(scheme, rate, **options, **FLAGGED) for rate in RATES]  # type: ignore[arg-type]
    return min(runs, key=lambda w: np.median(measure_scheme(scheme, w, TRAINED, **FLAGGED)[0][:4]))


def run(side, rate, seeds, base, s):
    """Loss at 12, and shares of right answers at 12, under the rule too, and at 12 s, without further training."""
    theta, w = frequencies(WIDTH, base), trained(base, len(seeds))
    scheme = SIDES[side](theta, base, s)
    loss, short = measure_scheme(rotary(theta), w, TRAINED, **FLAGGED)
    lengths = {"at 12": TRAINED, "share": s * TRAINED}
    shares = {name: measure_scheme(scheme, w, n, **FLAGGED)[1] for name, n in lengths.items()}
    return {"loss": np.round(loss.astype(float), 3), "short": short} | shares


SETTINGS = {"base": (1e2, 1e4, 1e6), "s": (2, 4, 8)}
MEMBERS, member, ranges = comparison(
    run, list(SIDES), RATES, SETTINGS, seeds=range(12), has_rate=lambda **setting: False
)


def summary(results):
    """Each rule in each setting, with the share of every reported seed."""
    return with_seeds(ranges(results), results, RATES, ["short", "share"])
