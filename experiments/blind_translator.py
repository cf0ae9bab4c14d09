"""Measure how many Chinese sentences translators with and without source positions get right, and what they lose.

A member trains one translator of each kind.
"""

from attnbook.permutations import permutations
from attnbook.tasks import correct, loss_per_sentence, sentences, train_translator

MEMBERS = range(16)
CHINESE, LATIN = sentences("Chinese"), sentences("Latin")


def member(seed):
    """{kind: [Chinese sentences right, of 60; Latin ones in the worst order, of 40; loss per Chinese sentence]}."""
    models = {kind: train_translator(seed, source_positions=kind == "sighted") for kind in ("blind", "sighted")}
    return {
        kind: [
            correct(model, CHINESE),
            min(correct(model, LATIN, order) for order in permutations(3)),
            loss_per_sentence(model, CHINESE),
        ]
        for kind, model in models.items()
    }


def summary(results):
    """The range of right sentences and of losses of the blind ones, and the largest loss of the sighted ones."""
    right, _, loss = zip(*(r["blind"] for r in results), strict=True)
    worst = max(r["sighted"][2] for r in results)
    return {"seeds": len(results), "fewest": min(right), "most": max(right)} | {
        "low": min(loss),
        "high": max(loss),
        "sighted": worst,
        "Latin": min(r[k][1] for r in results for k in r),
    }
