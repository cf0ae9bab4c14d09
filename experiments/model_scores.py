"""How large are the scores of the language model, at how many tokens do its heads look, and what do sinks do?

A member is one text. For each of the 270 heads it has the standard deviation of all scores that the mask admits, the
mean of e^H over the queries, and the mean weight on token 0 of all later queries; for the state after each layer the
norm at token 0, and the median and the largest norm at the others. Then the first token is another (a line break, the
mark that begins a conversation, a token drawn at random), or token 0 is hidden from all others: what happens to the
weight on it, to its norm, and to the loss from the seventh token on?
"""

import functools

import numpy as np
from attnbook.attention import causal_mask, entropy, scores
from attnbook.language_model import losses, states
from attnbook.pretrained import load

TEXTS = [
    "The Industrial Revolution began in Great Britain in the second half of the eighteenth century. Machines driven by"
    " water and later by steam did the work of many hands, and people left their villages for the towns where the new"
    " factories stood.",
    "When the old fisherman came home that evening, his boat was empty again. His wife said nothing; she put the soup"
    " on the table, lit the lamp, and looked out at the sea, as she had done every night since their son had left.",
    "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n    return total / len(values)"
    "\n\n\ndef variance(values):\n    m = mean(values)\n    return mean([(value - m) ** 2 for value in values])\n",
    "Preheat the oven to 180 degrees. Beat the butter with the sugar until it is light, add three eggs one by one, then"
    " fold in the flour and a pinch of salt. Pour the batter into a tin and bake it for forty minutes.",
    "A prime number has exactly two divisors, 1 and itself. There are infinitely many of them: multiply any finite list"
    " of primes and add 1, and the result has a prime divisor that is not in the list.",
    '"Where have you been?" she asked.\n"At the market," he said. "They had no bread left."\n"And the money?"\n"I gave'
    ' it to a man who needed it more than we do."\nShe laughed. "Then we shall eat the soup without bread."',
    "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate:\nRough winds do shake the"
    " darling buds of May,\nAnd summer's lease hath all too short a date;",
    "Il pleuvait depuis trois jours, et la rivière montait toujours. Les enfants regardaient par la fenêtre les"
    " branches et les planches que le courant emportait vers la mer.",
]
MEMBERS = range(len(TEXTS))
SEEN = 5  # predictions that do not count, since the first token may be another

model = functools.cache(load)


def visible_scores(ids):
    """Return the standard deviation of the visible scores of each head (layers, heads)."""
    found, queries = [], {}
    mask = causal_mask(len(ids))

    def spread_of_scores(l, K):
        S = scores(queries.pop(l), np.repeat(K, model().heads // model().key_heads, axis=0))
        found.append(S[:, mask].std(axis=1))

    states(model(), ids, watch={"queries": queries.__setitem__, "keys": spread_of_scores})
    return np.array(found)


def sink(ids, mask=None):
    """Return weights A of all heads (270, n, n), norms of the states (layers, n), and the mean loss."""
    weights, norms = [], []
    watch = {
        "weights": lambda l, A: weights.append(A),
        "state": lambda l, X: norms.append(np.linalg.norm(X, axis=-1)),
    }
    loss = losses(model(), ids, mask=mask, watch=watch)
    return np.concatenate(weights), np.array(norms), loss[SEEN:].mean()


def first_tokens(ids):
    """Return the text with other first tokens."""
    drawn = np.random.default_rng(len(ids)).integers(100, len(model().embedding))
    starts = {
        "line break": model().encode("\n"),
        "start of a conversation": model().encode("<|im_start|>"),
        "drawn at random": [drawn],
    }
    return {name: np.concatenate([start, ids[1:]]) for name, start in starts.items()}


def sink_summary(A, norms, loss, k=0):
    """What is said of the weight on token k and of its norm."""
    weight = A[:, k + 1 :, k].mean(axis=1)
    others = np.delete(norms, k, axis=1)
    return {
        "heads with more than a third": (weight > 1 / 3).mean(),
        "median weight": np.median(weight),
        "largest norm": norms[:, k].max(),
        "largest norm of others": others.max(),
        "loss": loss,
    }


def member(k):
    """All numbers of one text."""
    ids = model().encode(TEXTS[k])
    A, norms, loss = sink(ids)
    hidden = causal_mask(len(ids))
    hidden[1:, 0] = False
    without = sink(ids, hidden)
    return {
        "tokens": len(ids),
        "first": model().decode(ids[0]),
        "standard deviation": np.round(visible_scores(ids).ravel().astype(float), 2),
        "e^H": np.round(np.exp(entropy(A)).mean(axis=1).astype(float), 1),
        "on token 0": np.round(A[:, 1:, 0].mean(axis=1).astype(float), 2),
        "norm of token 0": norms[:, 0],
        "median norm of others": np.median(norms[:, 1:], axis=1),
        "largest norm of others": norms[:, 1:].max(axis=1),
        "as written": sink_summary(A, norms, loss),
        "other first tokens": {name: sink_summary(*sink(changed)) for name, changed in first_tokens(ids).items()},
        "token 0 hidden": sink_summary(*without) | {"on token 1": sink_summary(*without, k=1)},  # type: ignore[misc]
    }


def spread(values):
    """Return the least, the middle and the largest."""
    return [np.min(values), np.median(values), np.max(values)]


def summary(results):
    """Spread over the heads of each text's median, and over the texts."""
    per_head = {name: np.array([r[name] for r in results]) for name in ("standard deviation", "e^H", "on token 0")}
    norms = {name: np.array([r[name] for r in results]) for name in results[0] if "norm of" in name}
    ratio = norms["norm of token 0"] / norms["median norm of others"]
    starts = {"as written": [r["as written"] for r in results]}
    starts |= {name: [r["other first tokens"][name] for r in results] for name in results[0]["other first tokens"]}
    starts |= {"token 0 hidden": [r["token 0 hidden"] for r in results]}
    starts |= {"token 0 hidden, at token 1": [r["token 0 hidden"]["on token 1"] for r in results]}
    kinds = list(starts["as written"][0])
    return {
        "tokens": spread([r["tokens"] for r in results]),
        "of all heads": {name: spread(values) for name, values in per_head.items()},
        "medians of texts": {name: spread(np.median(values, axis=1)) for name, values in per_head.items()},
        "heads above 1 in every text": (per_head["standard deviation"].min(axis=0) > 1).mean(),
        "norms by layer": {name: np.median(values, axis=0) for name, values in norms.items()},
        "norm of token 0 over the median": [spread(column) for column in ratio.T],
        "starts": {
            name: {kind: spread([row[kind] for row in rows]) for kind in kinds} for name, rows in starts.items()
        },
    }
