"""Does the language model copy what it never saw, and which of its heads does it need for that?

A member draws 40 tokens at random and shows them twice. Every head gets two numbers: the mean weight, in the second
copy, on the token after the previous occurrence of the token that reads (induction), and the mean weight on the token
before. Then ten heads at a time are replaced: the ten strongest in induction and the ten strongest in looking one token
back, both chosen on three other draws, and five times ten heads drawn from those that are neither. A head gets uniform
weights, or its mean output over other texts in place of its output at all tokens but the first. Heads are numbered
layer by layer from 0: head 2 of layer 3 is 3 · 9 + 2.
"""

import functools

import numpy as np
from attnbook.attention import causal_mask
from attnbook.language_model import losses, states
from attnbook.pretrained import load
from attnbook.tasks import mean_outputs

LENGTH, TEN, CONTROLS = 40, 10, 5
MEMBERS = range(10)
CHOOSE = range(100, 103)  # draws that choose the heads
HEADS = 9  # of a layer
WAYS = ("uniform", "mean")

model = functools.cache(load)
means = functools.cache(mean_outputs)


def draw(seed):
    """Return 40 different tokens that are no special ones, twice."""
    tokens = len(model().embedding)
    once = np.random.default_rng(seed).choice(np.arange(100, tokens), LENGTH, replace=False)
    return np.tile(once, 2)


def marks(seed):
    """Return the mean weight of each head after the previous occurrence, and on the token before: two arrays (270,)."""
    weights = []
    states(model(), draw(seed), watch={"weights": lambda l, A: weights.append(A)})
    A, i = np.concatenate(weights), np.arange(LENGTH, 2 * LENGTH)
    return A[:, i, i - LENGTH + 1].mean(axis=1), A[:, i, i - 1].mean(axis=1)


@functools.cache
def chosen():
    """Return the ten strongest heads of both kinds."""
    means = np.mean([marks(seed) for seed in CHOOSE], axis=0)
    return [np.sort(np.argsort(-mean)[:TEN]) for mean in means]


def loss_without(ids, groups, way):
    """Return the mean loss in the first and the second copy (groups, 2) where a group of heads is replaced."""
    n = ids.size
    uniform = causal_mask(n) / np.arange(1, n + 1)[:, None]
    gone = np.zeros((len(groups), len(model().layers) * HEADS), dtype=bool)
    for row, group in zip(gone, groups, strict=True):
        row[group] = True
    gone = gone.reshape(len(groups), -1, HEADS)[..., None, None]

    def made_uniform(l, A):
        return np.where(gone[:, l], uniform, A)

    def made_mean(l, Y):
        return np.where(gone[:, l] & (np.arange(n) > 0)[:, None], means(model())[l][:, None], Y)

    watch = {"uniform": {"weights": made_uniform}, "mean": {"heads": made_mean}}[way]
    loss = losses(model(), np.tile(ids, (len(groups), 1)), watch=watch)
    return np.stack([loss[:, : LENGTH - 1].mean(axis=1), loss[:, LENGTH:].mean(axis=1)], axis=1)


def member(seed):
    """Marks of all heads in one draw, and the losses as trained and without heads."""
    induction, before = chosen()
    others = np.setdiff1d(np.arange(len(model().layers) * HEADS), np.union1d(induction, before))
    rng = np.random.default_rng([seed, 1])
    groups = [[], induction, before, *(rng.choice(others, TEN, replace=False) for _ in range(CONTROLS))]
    loss = {way: loss_without(draw(seed), groups, way) for way in WAYS}
    own = marks(seed)
    return {
        "as trained": loss["mean"][0],
        **{way: {"induction": loss[way][1], "one back": loss[way][2], "ten others": loss[way][3:]} for way in WAYS},
        "chosen": {"induction": induction, "one back": before},
        "weight after the previous occurrence": np.round(own[0].astype(float), 2),
        "weight one back": np.round(own[1].astype(float), 2),
    }


def spread(values):
    """Return the least, the middle and the largest."""
    return [np.min(values), np.median(values), np.max(values)]


def summary(results):
    """Spread over the draws of the losses, and the strongest heads of both kinds."""
    found = {
        "first copy": spread([r["as trained"][0] for r in results]),
        "second copy": spread([r["as trained"][1] for r in results]),
    }
    for way in WAYS:
        for group in ("induction", "one back", "ten others"):
            loss = np.array([r[way][group] for r in results]).reshape(-1, 2)
            found[f"{way}, {group}"] = {"first copy": spread(loss[:, 0]), "second copy": spread(loss[:, 1])}
        worst = np.array([np.max(r[way]["ten others"], axis=0)[1] for r in results])
        found[f"{way}, draws in which no ten others cost as much"] = int(
            sum(r[way]["induction"][1] > loss for r, loss in zip(results, worst, strict=True))
        )
    found["chosen"] = {kind: [divmod(h, HEADS) for h in heads] for kind, heads in results[0]["chosen"].items()}
    for kind in ("weight after the previous occurrence", "weight one back"):
        marks = np.array([r[kind] for r in results])
        order = np.argsort(-np.median(marks, axis=0), kind="stable")[:TEN]
        found[kind] = [{"layer, head": divmod(int(h), HEADS), "weight": spread(marks[:, h])} for h in order]
    return found
