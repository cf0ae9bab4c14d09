"""Measure how well three small networks copy lists of 2 to 10 symbols after 200 steps of training.

A member trains five runs of each kind side by side.
"""

import numpy as np
from attnbook.tasks import COPY_KINDS, train_copying

MEMBERS = range(10)


def member(seed):
    """{kind: accuracies of five runs, one column for each of the lengths 2, 4, 6, 8 and 10}."""
    return {kind: train_copying(kind, seed) for kind in COPY_KINDS}


def summary(results):
    """The lowest accuracies, and the smallest lead of attention from six symbols on."""
    fixed, attention = (np.concatenate([r[kind] for r in results]) for kind in COPY_KINDS[1:])
    lead = (attention - fixed)[:, 2:].min()
    return {"runs": len(fixed), "attention": attention.min(), "two symbols": fixed[:, 0].min(), "lead": lead}
