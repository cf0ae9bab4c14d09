"""Stand the unfinished hands of trained rotary readers at seen or at new angles, at one or at many, and count answers.

A member is one length of training with one base. Its readers are trained at the best of five rates, and asked with as
many keys as in training: the three nearest where they always are, the others at far offsets, up to eight lengths away.
"""

import itertools

import numpy as np
import torch
from attnbook.length import turns
from attnbook.positional import frequencies, rotate
from attnbook.tasks import Scheme, measure_scheme, rotary, train_scheme

RATES, SEEDS, CHOOSE, DRAWS, STRETCH, NEAR = (0.003, 0.01, 0.03, 0.1, 0.3), 12, 4, 12, 8, 3
SETTINGS = list(itertools.product((12, 32, 64), (1e2, 1e4, 1e6)))  # tokens of training, base
MEMBERS = range(len(SETTINGS))


def displaced(theta, finished, fast, slow):
    """Turn the finished hands of the far keys as at the offsets ``fast``, and the others as at ``slow``."""

    def turned(Q, K, theta, far):
        back = np.concatenate([far[::-1], np.arange(NEAR)[::-1]])  # of the keys, the first of the text first
        return rotate(Q, [0], theta) @ rotate(K, -back, theta).mT

    def score(w, Q, K, i, j):
        f = 2 * finished
        S = turned(Q[..., f:], K[..., f:], theta[finished:], slow)
        return S + turned(Q[..., :f], K[..., :f], theta[:finished], fast) if finished else S

    return Scheme({}, score)


def arrangements(n, rng):
    """Draw far offsets, and where the unfinished hands of these keys stand instead."""
    seen, new = np.arange(NEAR, n + 1), np.arange(n + 1, STRETCH * n + 1)
    far = rng.choice(new, n + 1 - NEAR, replace=False)
    return far, {
        "new, many": far,
        "new, one": np.full(far.shape, rng.choice(new)),
        "seen, many": rng.choice(seen, far.shape),
        "seen, one": np.full(far.shape, rng.choice(seen)),
        "seen, end": np.full(far.shape, n),
    }


def member(k):
    """The mean share of right answers in each arrangement, for each seed that is reported."""
    n, base = SETTINGS[k]
    theta, rng = frequencies(16, base), np.random.default_rng(k)
    runs = [train_scheme(rotary(theta), rate, seeds=SEEDS, n=n, batch=192 // n) for rate in RATES]
    w = min(runs, key=lambda w: np.median(measure_scheme(rotary(theta), w, n)[0][:CHOOSE]))
    finished = int((turns(theta, n) >= 1).sum())
    shares = {"trained": [measure_scheme(rotary(theta), w, n)[1]]}
    with torch.no_grad():
        for _ in range(DRAWS):
            far, places = arrangements(n, rng)
            for name, slow in places.items():
                share = measure_scheme(displaced(theta, finished, far, slow), w, n, batch=100)[1]
                shares.setdefault(name, []).append(share)
    return {name: np.mean(share, axis=0)[CHOOSE:] for name, share in shares.items()}


def summary(results):
    """For each setting the share of each reported seed."""
    return {"rows": [{"n": n, "base": base, **result} for (n, base), result in zip(SETTINGS, results, strict=True)]}
