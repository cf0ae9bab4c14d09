"""Train a head to make a verb agree with its subject, each side at its own best learning rate: what does it need?

The sides: attention, the same with weights that stay uniform, and attention without positions. From the trained heads
with attention, the value of the subject is then taken away in two ways.
"""

import torch
from attnbook.tasks import agreement_task, comparison, read_verb, train_agreement
from torch.nn.functional import cross_entropy

UNIFORM = {"Q": torch.zeros(16, 2, dtype=torch.float64)}
SIDES: dict[str, dict] = {"attention": {}, "uniform weights": {"fixed": UNIFORM}, "no positions": {"positions": False}}


def run(side, rate, seeds, phrases):
    """Loss on 1000 fresh sentences; the share answered correctly, and where all other nouns disagree with the subject.

    The same without the value of the subject, which becomes 0 or the mean of all values, and how often the subject gets
    the largest weight.
    """
    w = train_agreement(seeds, [phrases], lr=rate, **SIDES[side])
    tokens, plural = (x[0] for x in agreement_task(torch.Generator().manual_seed(2), batch=1000)(phrases))
    a, V = read_verb(w, tokens.expand(len(seeds), -1, -1), SIDES[side].get("positions", True))
    subject = int((tokens[0] < 8).nonzero()[0])
    against = (plural[:, 1:] != plural[:, :1]).all(dim=-1)

    def answer(V):
        return (a[..., None, :] @ V)[..., 0, :]

    def right(V):
        return (answer(V).argmax(dim=-1) == plural[:, 0]).double()

    zero, mean = V.clone(), V.clone()
    zero[..., subject, :], mean[..., subject, :] = 0, V.mean(dim=-2)
    return {
        "loss": [cross_entropy(one, plural[:, 0]).item() for one in answer(V)],
        "right": right(V).mean(dim=-1).tolist(),
        "against": right(V)[:, against].mean(dim=-1).tolist(),
        "value 0": right(zero).mean(dim=-1).tolist(),
        "mean value": right(mean).mean(dim=-1).tolist(),
        "subject first": (a.argmax(dim=-1) == subject).double().mean(dim=-1).tolist(),
    }


MEMBERS, member, summary = comparison(
    run, SIDES, rates=(0.003, 0.01, 0.03, 0.1, 0.3), settings={"phrases": (1, 2, 3)}, seeds=range(12)
)
