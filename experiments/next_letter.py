"""Measure how many letters of an unseen passage one layer predicts, with and without positions.

A member trains the chapter's small language model twice from one seed.
"""

import cells

chapter = cells.definitions("capstone", "train_text", "next_letter", "correct", "E_text", "test")
MEMBERS = range(8)


def member(seed):
    """The shares of correct letters, without positions and with them."""
    shares = []
    for E in (0 * chapter.E_text, chapter.E_text):
        w = chapter.train_text(seed, E)
        shares.append(chapter.correct(chapter.next_letter(w, chapter.test[:, :-1], E)[:, -1]))
    return shares


def summary(results):
    """The least and the most that positions gain."""
    gains = [sighted - blind for blind, sighted in results]
    return {"least": min(gains), "most": max(gains)}
