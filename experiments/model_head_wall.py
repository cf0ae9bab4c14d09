"""What do all 270 heads of the language model read in one sentence, and what does each do to the word that follows?

A member is one sentence, with what a figure needs. ``weights`` holds what stands below the diagonal of every A, row by
row, head after head and layer after layer, in base64: a byte b for a weight b/255. What a row lacks to 1 is the weight
of its token on itself. The other lists have a number for each head: ``uniform`` and ``mean``, the change of
ln p(right word)/p(wrong word) when it gets uniform weights, or its mean output over other texts; ``direct``, the part
of that log-odds that its output at the last token adds by itself, past all later layers, with the last rms_norm taken
as it is.
"""

import base64
import functools

import numpy as np
from attnbook.language_model import next_logits
from attnbook.pretrained import load
from attnbook.tasks import head_effects, mean_outputs

SENTENCES = [
    ("The keys to the cabinet", " are", " is"),
    ("The keys to the old cabinet in the hall", " are", " is"),
    (" Tom gave Mary a book. The book now belongs to", " Mary", " Tom"),
]
MEMBERS = range(len(SENTENCES))

model = functools.cache(load)


def direct(ids, words):
    """Return what each head's output at the last token adds to the log-odds of two words (layers · heads,)."""
    outputs, last = [], {}
    watch = {"heads": lambda l, Y: outputs.append(Y[:, -1]), "state": last.__setitem__}
    next_logits(model(), ids, watch=watch)
    X = last[len(model().layers) - 1][-1]
    difference = model().unembedding[:, words[0]] - model().unembedding[:, words[1]]
    reading = model().gain * difference / np.sqrt((X**2).mean() + model().eps)
    parts = []
    for layer, Y in zip(model().layers, outputs, strict=True):
        W_O = layer.W_O.reshape(model().heads, model().head_width, -1)
        parts.append(np.einsum("hd,hde,e->h", Y, W_O, reading))
    return np.concatenate(parts)


def member(k):
    """The weights of all heads in one sentence, and three numbers for each."""
    text, *words = SENTENCES[k]
    ids, words = model().encode(text), [model().encode(word).item() for word in words]
    changes, log_odds, weights = head_effects(model(), ids[None], words, mean_outputs(model()))
    before = weights[0].reshape(-1, len(ids), len(ids))[:, *np.tril_indices(len(ids), -1)]
    bytes_of = np.round(255 * before).astype(np.uint8).tobytes()
    return {
        "text": text,
        "tokens": [model().decode(token) for token in ids],
        "words": SENTENCES[k][1:],
        "log-odds": log_odds[0],
        "weights": base64.b64encode(bytes_of).decode("ascii"),
        "uniform": np.round(changes[0, 0].astype(float), 3),
        "mean": np.round(changes[0, 1].astype(float), 3),
        "direct": np.round(direct(ids, words).astype(float), 3),
    }


def summary(results):
    """For each sentence the five heads of which each number says that they help most: layer, head, number."""
    signs = {"uniform": 1, "mean": 1, "direct": -1}  # the lowest change, or the largest part
    return {
        result["text"]: {
            "log-odds": result["log-odds"],
            **{name: lowest(result[name], sign) for name, sign in signs.items()},
        }
        for result in results
    }


def lowest(effects, sign):
    """Return layer, head and number of the five heads whose sign · number is lowest; of equal ones, the first."""
    order = np.argsort(sign * np.array(effects), kind="stable")
    return [[*divmod(int(h), 9), effects[h]] for h in order[:5]]
