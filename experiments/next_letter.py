"""Measure how many letters of an unseen passage one layer predicts, with and without positions.

A member trains the chapter's small language model twice from one seed.
"""

import numpy as np
import torch
from attnbook.positional import sinusoidal
from attnbook.tasks import letter_windows, next_letter, train_letters

MEMBERS = range(8)


def member(seed):
    """The shares of correct letters, without positions and with them."""
    positions = torch.as_tensor(sinusoidal(np.arange(24), 24))
    _, _, test = letter_windows()
    shares = []
    for E in (0 * positions, positions):
        guess = next_letter(train_letters(seed, E), test[:, :-1], E)[:, -1].argmax(dim=-1)
        shares.append((guess == test[:, -1]).double().mean().item())
    return shares


def summary(results):
    """The least and the most that positions gain."""
    gains = [sighted - blind for blind, sighted in results]
    return {"least": min(gains), "most": max(gains)}
