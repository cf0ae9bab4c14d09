"""Does each layer of the language model follow its tokens when they are shuffled?

A member is one text. The states that enter a layer are shuffled, and so, in turn, is what the layer adds to the states
of the tokens in their old order. How far the two are apart is measured for each token, as a share of what the layer
adds to it: without mask and with all positions equal; with positions that stay in place; and with a mask that does.
"""

import functools
from dataclasses import replace

import numpy as np
from attnbook.language_model import states
from attnbook.pretrained import load

TEXTS = [
    "On Monday the committee met in a small room behind the library, and nobody remembered who had called the meeting.",
    "Tom gave Mary a book. The book now belongs to her, though she has not opened it yet.",
    "Water boils at a lower temperature on a mountain than at the sea, since the air above it weighs less.",
    "for i in range(10):\n    print(i, i * i)\nprint('done')",
    "The keys to the cabinet in the hall are on the table, and the letters from the teacher are in the cabinet.",
    "Once upon a time, in a village by the sea, there lived an old woman who owned nothing but a boat and a bell.",
    "Der Hund beißt den Mann, und der Mann ruft den Arzt, weil der Hund nicht aufhört zu bellen.",
    "If x is even, then x + 1 is odd; if x + 1 is odd, then its square is odd as well.",
]
MEMBERS = range(len(TEXTS))
WAYS = ("neither", "positions in place", "mask in place")

model = functools.cache(load)


def member(k):
    """For each layer and way: the median and the largest of the tokens' shares."""
    ids = model().encode(TEXTS[k])
    n = len(ids)
    perm = np.random.default_rng(k).permutation(n)
    entering = [model().embedding[ids]]
    states(model(), ids, watch={"state": lambda l, X: entering.append(X.copy())})

    result = {"text": TEXTS[k], "tokens": n}
    for way in WAYS:
        positions = np.arange(n) if way == "positions in place" else np.zeros(n)
        mask = np.tri(n, dtype=bool) if way == "mask in place" else np.ones((n, n), dtype=bool)
        shares = [share(l, X, perm, positions, mask) for l, X in enumerate(entering[:-1])]
        result[way] = {"median": np.median(shares, axis=1), "largest": np.max(shares, axis=1)}
    return result


def share(l, X, perm, positions, mask):
    """Return ‖g(PX) − P g(X)‖ over ‖P g(X)‖ for each token, where g(X) is what layer l adds to X."""
    moved = added(l, X[perm], positions, mask)
    expected = added(l, X, positions, mask)[perm]
    return np.linalg.norm(moved - expected, axis=-1) / np.linalg.norm(expected, axis=-1)


def added(l, X, positions, mask):
    """Return what layer l adds to the states ``X`` (n, d)."""
    one_layer = replace(model(), layers=[model().layers[l]], embedding=X)
    return states(one_layer, np.arange(len(X)), positions=positions, mask=mask) - X


def spread(values):
    """Return the least, the middle and the largest."""
    return [np.min(values), np.median(values), np.max(values)]


def summary(results):
    """Spread over all texts and layers."""
    return {
        "layers": len(results[0]["neither"]["median"]),
        "tokens": spread([result["tokens"] for result in results]),
        **{
            way: {name: spread([result[way][name] for result in results]) for name in ("median", "largest")}
            for way in WAYS
        },
    }
