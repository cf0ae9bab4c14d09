"""Train small language models with and without positions, each at its own best rate, and take their heads away."""

import numpy as np
import torch
from attnbook.positional import sinusoidal
from attnbook.tasks import comparison, letter_windows, next_letter, train_letters

POSITIONS = torch.as_tensor(sinusoidal(np.arange(24), 24))
SIDES = {"no positions": 0 * POSITIONS, "positions": POSITIONS}
TEST = letter_windows()[2][::2]


def without(w, head, name):
    """Set the queries Q0 of a head to zero, so that its weights are uniform, or its rows of O0: it adds nothing."""
    changed = w[name].clone()
    (changed if name == "Q0" else changed.unflatten(-2, (3, -1)))[:, :, head] = 0
    return w | {name: changed}


def measure(w, E):
    """Bits per letter for every second letter of the test, and the share guessed, a number for each seed."""
    y, last = next_letter(w, TEST[:, :-1], E)[..., -1, :], TEST[:, -1]
    bits = -y.log_softmax(dim=-1)[:, range(len(last)), last].mean(dim=-1) / np.log(2)
    return bits, (y.argmax(dim=-1) == last).double().mean(dim=-1)


def run(side, rate, seeds, steps):
    """Bits and share right; and the bits that the head costs which can best be spared, replaced in two ways."""
    w, E = train_letters(seeds, SIDES[side], steps=steps, lr=rate), SIDES[side]
    bits, share = measure(w, E)
    cost = {
        words: torch.stack([measure(without(w, head, name), E)[0] - bits for head in range(3)]).amin(dim=0)
        for words, name in (("made uniform", "Q0"), ("adds nothing", "O0"))
    }
    return {name: x.tolist() for name, x in ({"loss": bits, "share": share} | cost).items()}


MEMBERS, member, summary = comparison(
    run, SIDES, rates=(0.001, 0.003, 0.01, 0.03, 0.1), settings={"steps": (100, 200, 400)}, seeds=range(12)
)
