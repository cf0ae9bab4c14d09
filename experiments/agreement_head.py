"""Store a head while it learns to make a verb agree with its subject.

A member is the head after one number of training steps, on sentences with one to three phrases: its weights in
thousandths, and with the weights so rounded the share of 1000 fresh sentences with two phrases that it answers
correctly, and the share in which the subject gets the largest weight.
"""

import torch
from attnbook.tasks import agreement_task, read_verb, train_agreement

STEPS = (0, 10, 20, 30, 40, 50, 100)
SEED = 6  # of the first eight, 3, 6 and 7 look at the subject in every sentence, and 6 takes longest to learn it
MEMBERS = range(len(STEPS))


def member(index):
    """The steps, the weights one after the other, and how the head does."""
    w = {name: x[0, 0] for name, x in train_agreement([SEED], [1, 2, 3], steps=STEPS[index]).items()}
    thousandths = {name: (1000 * x).round() for name, x in w.items()}
    tokens, plural = (x[0] for x in agreement_task(torch.Generator().manual_seed(2), batch=1000)(2))
    a, V = read_verb({name: x / 1000 for name, x in thousandths.items()}, tokens)
    subject = int((tokens[0] < 8).nonzero()[0])
    says = (a[..., None, :] @ V)[..., 0, :].argmax(dim=-1)
    return {
        "steps": STEPS[index],
        "weights": [int(x) for part in thousandths.values() for x in part.flatten()],
        "right": (says == plural[:, 0]).double().mean().item(),
        "subject first": (a.argmax(dim=-1) == subject).double().mean().item(),
    }


def summary(results):
    """What the head answers correctly after each number of steps, and how often the subject gets the largest weight."""
    return {name: [r[name] for r in results] for name in ("steps", "right", "subject first")}
