"""Does the language model lose the order of other sentences too, when their positions and the mask are gone?

The first words of each sentence, each with the blank before it, stand in all their orders (of six words, in 120 orders
drawn from the 720) before a rest that asks who. A member is one sentence; it is read as trained, without mask, without
positions, and without both. What is measured is the log-odds of two answers, the right one first.
"""

import functools

import numpy as np
from attnbook.language_model import next_logits
from attnbook.permutations import permutations
from attnbook.pretrained import load

SENTENCES = [
    (" Anna sold Peter the car", ". The car now belongs to", " Peter", " Anna"),
    (" The teacher praised a student", " today. The person who was praised is the", " student", " teacher"),
    (" John followed Paul yesterday", ". The one who was followed is", " Paul", " John"),
    (" wolves hunt deer here", ". The animals that are hunted are the", " deer", " wolves"),
    (" Today David sold Sarah his house", ". The house now belongs to", " Sarah", " David"),
]
MEMBERS = range(len(SENTENCES))
MOST = 120  # orders of one sentence
WAYS = {"as trained": (True, True), "no mask": (False, True), "no positions": (True, False), "neither": (False, False)}

model = functools.cache(load)


def orders(n):
    """Return all orders of n words, or the first one and a draw from the others if they are too many."""
    every = np.array(permutations(n))
    if len(every) <= MOST:
        return every
    others = np.random.default_rng(0).choice(np.arange(1, len(every)), MOST - 1, replace=False)
    return every[[0, *np.sort(others)]]


def member(k):
    """The log-odds in each order and way, and their range before they are rounded."""
    words, rest, first, second = map(model().encode, SENTENCES[k])
    first, second = first.item(), second.item()  # answers of one token
    perms = orders(len(words))
    ids = np.concatenate([words[perms], np.tile(rest, (len(perms), 1))], axis=1)
    n, result = ids.shape[1], {"orders": len(ids)}
    for way, (masked, placed) in WAYS.items():
        mask = None if masked else np.ones((n, n), dtype=bool)
        S = next_logits(model(), ids, mask=mask, positions=np.arange(n) if placed else np.zeros(n))
        odds = S[:, first].astype(float) - S[:, second]
        result[way] = {"odds": odds, "range": np.ptp(odds)}  # type: ignore[assignment]
    return result


def summary(results):
    """For each sentence and way the log-odds as written, the least, the middle, the largest, and their range."""
    rows = []
    for (words, rest, first, second), result in zip(SENTENCES, results, strict=True):
        row = {"words": words.strip(), "rest": rest, "answers": [first, second], "orders": result["orders"]}
        for way in WAYS:
            odds = np.array(result[way]["odds"])
            row[way] = {
                "as written": odds[0],
                "least": odds.min(),
                "median": np.median(odds),
                "most": odds.max(),
                "range": result[way]["range"],
            }
        rows.append(row)
    ranges = {way: [result[way]["range"] for result in results] for way in WAYS}
    return {"rows": rows, "ranges": {way: [min(r), np.median(r), max(r)] for way, r in ranges.items()}}
