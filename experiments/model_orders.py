"""What does the language model make of all 120 orders of five words, with and without mask, and with weaker positions?

The orders of *Tom gave Mary a book*, every word with the blank before it, stand before *. The book now belongs to*. A
member is one of two masks with one of nine strengths α: every token is rotated by the angles α θ t, so that α = 0 takes
the positions away. Its ``odds`` are ln p(Mary)/p(Tom) of each order, as :func:`attnbook.permutations.permutations`
lists them; ``range`` is their largest minus their least.

``top`` and ``p`` are what a figure needs, in base64: for each order the numbers in ``words`` of the five most probable
next tokens, a byte each, and a byte b for each probability (b/255)².
"""

import base64
import functools
import itertools

import numpy as np
from attnbook.language_model import next_logits
from attnbook.permutations import permutations
from attnbook.positional import frequencies
from attnbook.pretrained import load

WORDS, REST, FIRST, SECOND = " Tom gave Mary a book", ". The book now belongs to", " Mary", " Tom"
STRENGTHS = [k / 8 for k in range(9)]
CASES = list(itertools.product((True, False), STRENGTHS))
MEMBERS = range(len(CASES))

model = functools.cache(load)


def sentences():
    """Return the tokens of all orders (120, n)."""
    words, rest = model().encode(WORDS), model().encode(REST)
    orders = words[np.array(permutations(len(words)))]
    return np.concatenate([orders, np.tile(rest, (len(orders), 1))], axis=1)


def bytes64(values):
    """Write whole numbers from 0 to 255 as text."""
    return base64.b64encode(np.asarray(values).astype(np.uint8).tobytes()).decode("ascii")


def member(k):
    """Log-odds and the most probable words of all orders, with one mask and one strength of the positions."""
    masked, strength = CASES[k]
    ids = sentences()
    mask = None if masked else np.ones((ids.shape[1], ids.shape[1]), dtype=bool)
    theta = strength * frequencies(model().head_width, model().base)
    S = next_logits(model(), ids, mask=mask, theta=theta).astype(float)
    p = np.exp(S - S.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    first, second = (model().encode(name)[0] for name in (FIRST, SECOND))
    odds = S[:, first] - S[:, second]
    top = np.argsort(-S, axis=1)[:, :5]
    tokens, places = np.unique(top, return_inverse=True)
    assert len(tokens) <= 256
    return {
        "mask": masked,
        "strength": strength,
        "odds": odds,
        "range": np.ptp(odds),
        "words": [model().decode(token) for token in tokens],
        "top": bytes64(places),
        "p": bytes64(np.round(255 * np.sqrt(np.take_along_axis(p, top, axis=1)))),
    }


def summary(results):
    """For each mask and strength the least, the middle and the largest log-odds, their range, and the first two."""
    rows = [
        {
            "mask": result["mask"],
            "strength": result["strength"],
            "least": min(result["odds"]),
            "median": np.median(result["odds"]),
            "most": max(result["odds"]),
            "range": result["range"],
            "as written": result["odds"][0],
            "names exchanged": result["odds"][permutations(5).index([2, 1, 0, 3, 4])],
        }
        for result in results
    ]
    return {"rows": rows}
