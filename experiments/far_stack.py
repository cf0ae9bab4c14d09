"""Train two layers on texts up to 128 symbols to name what stood behind a flag, and ask on texts up to 1024.

In the longer texts it stands more than 128 symbols back, where training never looked. Some sides train as others do and
change their angles in the test.
"""

import functools

import numpy as np
from attnbook.length import ntk_frequencies, ramp_frequencies
from attnbook.positional import frequencies
from attnbook.tasks import LayerRule, comparison, measure_flag, train_flag, with_seeds

TRAINED, THETA, BLIND = 128, frequencies(16), LayerRule()
TURNED = LayerRule(THETA)
TRAIN = {  # the rules of the two layers
    "none": (BLIND, BLIND),
    "rotary": (TURNED, TURNED),
    "rotary in windows of 8, then none": (LayerRule(THETA, window=8), BLIND),
    "ALiBi, ½ and 1/256": (LayerRule(slope=1 / 2), LayerRule(slope=1 / 256)),
}
ANGLES = {  # by which a trained "rotary" turns in a text s times as long
    "interpolation": lambda s: LayerRule(THETA / s),
    "NTK": lambda s: LayerRule(ntk_frequencies(16, s)),
    "ramp": lambda s: LayerRule(ramp_frequencies(THETA, TRAINED, s, slow=1, fast=4)),
}


@functools.cache
def trained(name, rate, seeds):
    """Train the readers of one side."""
    return train_flag(TRAIN[name], rate, seeds)


def run(side, rate, seeds, n):
    """Loss and share right at 128; shares right at n, and there with scores of layer 2 times ln (n + 1) / ln 129."""
    name = "rotary" if side in ANGLES else side
    w = trained(name, rate, tuple(seeds))
    rules = (ANGLES[side](n / TRAINED),) * 2 if side in ANGLES else TRAIN[name]
    loss, short = measure_flag(TRAIN[name], w, TRAINED, batch=100)
    log_n = np.log(n + 1) / np.log(TRAINED + 1)
    _, (stretched, tempered) = measure_flag(rules, w, n, beyond=TRAINED, scales=(1.0, log_n))
    return {"loss": loss, "short": short[0], "stretched": stretched, "tempered": tempered}


SIDES, RATES = [*TRAIN, *ANGLES], (0.001, 0.003, 0.01, 0.03, 0.1)
MEMBERS, member, ranges = comparison(run, SIDES, RATES, settings={"n": (256, 512, 1024)}, seeds=range(12))


def summary(results):
    """Each side at its own best, at each length, with the shares of every reported seed."""
    return with_seeds(ranges(results), results, RATES, ["short", "stretched", "tempered"])
