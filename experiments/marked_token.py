"""Measure how well heads that find the one marked token among ten find it among ten thousand.

A member is one head, trained for 300 steps on other draws.
"""

from attnbook.tasks import marked_accuracy, train_marked_head

MEMBERS = range(200)


def member(seed):
    """The accuracies at 10 and at 10 000 tokens."""
    head = train_marked_head(seed)
    return [marked_accuracy(n, *head)[0] for n in (10, 10_000)]


def summary(results):
    """How many heads there are, how many are perfect at 10, the lowest accuracy there, and the highest at 10 000."""
    short, long = zip(*results, strict=True)
    perfect = sum(share == 1 for share in short)
    return {"heads": len(short), "perfect at 10": perfect, "lowest at 10": min(short), "highest at 10000": max(long)}
