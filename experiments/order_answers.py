"""Measure how many of 480 sentences small encoders answer, with and without positions, mask and attention.

A member trains four encoders from one seed: the chapter's three, and one with positions that never has attention. It
then sets the queries of the one with positions to zero, and measures how much attention falls on the two words.
"""

import cells
import numpy as np
import torch

chapter = cells.definitions(
    "capstone", "train", "right", "settings", "uniform", "off", "maps", "everything", "draw_weights"
)
MEMBERS = range(8)


@torch.no_grad()
def share(w):
    """The mean weight on the words cat and fish together, over both layers and all sentences."""
    maps = chapter.maps(w, w["embed"][chapter.everything] + chapter.E)
    named = (chapter.everything < 2)[:, None, None, :]
    return float(np.mean([(A * named).sum(dim=-1).mean().item() for A in maps]))


def member(seed):
    """{model: right answers of 480}, and the share of the two words before and after training."""
    models = {name: chapter.train(seed, *setting)[0] for name, setting in chapter.settings.items()}
    found = {name: chapter.right(models[name], *setting) for name, setting in chapter.settings.items()}
    found["uniform"] = chapter.right(chapter.uniform(models["positions"]), chapter.E)
    found["never"] = chapter.right(chapter.train(seed, chapter.E, fixed=chapter.off)[0], chapter.E)
    return found | {"before": share(chapter.draw_weights(seed)), "after": share(models["positions"])}


def summary(results):
    """The least, the mean and the most of each."""
    table = {name: [r[name] for r in results] for name in results[0]}
    kinds = {"least": np.min, "mean": np.mean, "most": np.max}
    return {
        kind: {name: f(values) for name, values in table.items()}  # type: ignore[operator]
        for kind, f in kinds.items()
    }
