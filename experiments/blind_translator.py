"""Measure how many Chinese sentences translators with and without source positions get right, and what they lose.

A member trains one translator of each kind.
"""

import cells

chapter = cells.definitions("deeper/blind-translator", "outcome")
MEMBERS = range(16)


def member(seed):
    """{kind: [Chinese sentences right, of 60; Latin ones in the worst order, of 40; loss per Chinese sentence]}."""
    return {kind: chapter.outcome(seed, kind == "sighted") for kind in ("blind", "sighted")}


def summary(results):
    """The range of right sentences and of losses of the blind ones, and the largest loss of the sighted ones."""
    right, _, loss = zip(*(r["blind"] for r in results), strict=True)
    worst = max(r["sighted"][2] for r in results)
    return {"seeds": len(results), "fewest": min(right), "most": max(right)} | {
        "low": min(loss), "high": max(loss), "sighted": worst, "Latin": min(r[k][1] for r in results for k in r)
    }  # fmt: skip
