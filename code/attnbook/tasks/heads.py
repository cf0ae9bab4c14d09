"""What a language model says without one of its heads: each of them in turn, replaced in two ways."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..attention import causal_mask
from ..language_model import Model, next_logits, states

__all__ = ["OTHER_TEXTS", "head_effects", "mean_outputs"]

#: Four texts, each about something else: what heads say on average is measured on them.
OTHER_TEXTS = (
    "Water boils at a lower temperature on a mountain than at the sea, since the air above it weighs less.",
    "She closed the window, took her coat from the chair and went out without a word to her brother.",
    "To bake bread, mix flour, water, salt and a little yeast, wait for some hours, and heat the oven well.",
    "The committee met on Monday and decided, against the advice of its chairman, to postpone the election.",
)


def mean_outputs(model: Model, texts: Sequence[str] = OTHER_TEXTS) -> np.ndarray:
    """Return the mean output of each head (layers, heads, d_h) over ``texts``, without their first tokens."""
    outputs: list[list] = [[] for _ in model.layers]
    for text in texts:
        states(model, model.encode(text), watch={"heads": lambda l, Y: outputs[l].append(Y[:, 1:])})
    return np.array([np.concatenate(layer, axis=1).mean(axis=1) for layer in outputs])


def head_effects(
    model: Model, ids: ArrayLike, words: Sequence[int], means: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How each head changes s = ln p(first word)/p(second word) of the next token, when it alone is replaced.

    ``ids`` (texts, n), ``words`` two tokens, ``means`` from :func:`mean_outputs`. A head gets uniform weights over the
    tokens that it may see, or its mean output in place of its output at all tokens but the first, where a head sees
    itself alone. The changes of s are (texts, 2 ways, layers · heads), layer by layer; then come s (texts,) as trained
    and the weights A (texts, layers, heads, n, n).
    """
    ids = np.asarray(ids)
    entering, weights = [model.embedding[ids]], []
    watch = {"state": lambda l, X: entering.append(X), "weights": lambda l, A: weights.append(A)}
    small = replace(model, unembedding=model.unembedding[:, words])  # no other word is asked for
    S = next_logits(small, ids, watch=watch)
    s, (texts, n), changes = S[:, 0] - S[:, 1], ids.shape, []
    copies = np.arange(ids.size).reshape(texts, 1, n).repeat(2 * model.heads, axis=1)
    for l in range(len(model.layers)):  # the rest of the model goes on from the states that enter layer l
        rest = replace(small, embedding=entering[l].reshape(ids.size, -1), layers=model.layers[l:])
        S = next_logits(rest, copies, watch=_one_head_each(means[l]))
        changes.append((S[..., 0] - S[..., 1] - s[:, None]).reshape(texts, 2, -1))
    return np.concatenate(changes, axis=-1), s, np.stack(weights, axis=1)


def _one_head_each(means):
    """Watch the first layer that runs, on 2 h copies: head k is uniform in copy k, and its mean in copy h + k."""
    heads = np.arange(len(means))

    def made_uniform(l, A):
        if l == 0:
            n, A = A.shape[-1], A.copy()
            A[:, heads, heads] = causal_mask(n) / np.arange(1, n + 1)[:, None]
        return A

    def made_mean(l, Y):
        if l == 0:
            Y = Y.copy()
            Y[:, len(heads) + heads, heads, 1:] = means[:, None]
        return Y

    return {"weights": made_uniform, "heads": made_mean}
