"""Which head does the language model need to say *are* after *The keys to the cabinet*?

Each of its 270 heads, alone, gets uniform weights over the tokens that it may see, or its mean output over some other
text in place of each of its outputs. The first token keeps its own: there a head sees itself alone. A member is four
sentences; what counts is how much ln p(right verb)/p(wrong verb) changes, *are* against *is*, and what the strongest
heads read: the weight of the last token on the first noun. Heads are numbered layer by layer from 0: head 2 of layer 3
is 3 · 9 + 2.
"""

import functools
import itertools
from dataclasses import replace

import numpy as np
from attnbook.attention import causal_mask
from attnbook.language_model import next_logits, states
from attnbook.pretrained import load
from scipy.stats import spearmanr

NOUNS = [
    (("key", "keys"), "to the", ("cabinet", "cabinets")),
    (("picture", "pictures"), "of the", ("mountain", "mountains")),
    (("letter", "letters"), "from the", ("teacher", "teachers")),
]
MEMBERS = range(len(NOUNS))
OTHER_TEXTS = [
    "Water boils at a lower temperature on a mountain than at the sea, since the air above it weighs less.",
    "She closed the window, took her coat from the chair and went out without a word to her brother.",
    "To bake bread, mix flour, water, salt and a little yeast, wait for some hours, and heat the oven well.",
    "The committee met on Monday and decided, against the advice of its chairman, to postpone the election.",
]
HEADS = 9  # of a layer

model = functools.cache(load)


def sentences(k):
    """Return four texts, and whether the first noun and the second are plural."""
    first, between, second = NOUNS[k]
    numbers = itertools.product((False, True), repeat=2)
    return [(f"The {first[p]} {between} {second[q]}", p, q) for p, q in numbers]


@functools.cache
def mean_outputs():
    """Return the mean output of each head (layers, heads, d_h) over other texts, without their first tokens."""
    outputs = [[] for _ in model().layers]
    for text in OTHER_TEXTS:
        states(model(), model().encode(text), watch={"heads": lambda l, Y: outputs[l].append(Y[:, 1:])})
    return np.array([np.concatenate(layer, axis=1).mean(axis=1) for layer in outputs])


def changes(l):
    """Return functions for `watch` that change one head of the first layer that runs, layer l, in each copy of a text.

    Of 2 h copies the first h get uniform weights in one head each, the others its mean output.
    """
    heads = np.arange(model().heads)

    def even_out(first, A):
        n = A.shape[-1]
        if first == 0:
            A = A.copy()
            A[:, heads, heads] = causal_mask(n) / np.arange(1, n + 1)[:, None]
        return A

    def replace_output(first, Y):
        if first == 0:
            Y = Y.copy()
            Y[:, len(heads) + heads, heads, 1:] = mean_outputs()[l][:, None]
        return Y

    return {"weights": even_out, "heads": replace_output}


def effects(ids, verbs):
    """Return how each head changes ln p(are)/p(is) after each text (texts, 2 ways, heads), without it, and the weights.

    ``ids`` (texts, n). From layer l on, the rest of the model goes on from the states that enter this layer.
    """
    entering, weights = [model().embedding[ids]], []
    watch = {"state": lambda l, X: entering.append(X), "weights": lambda l, A: weights.append(A)}
    small = replace(model(), unembedding=model().unembedding[:, verbs])  # no other word is asked for
    S = next_logits(small, ids, watch=watch)
    base, texts, n, found = S[:, 0] - S[:, 1], *ids.shape, []
    copies = np.arange(ids.size).reshape(texts, 1, n).repeat(2 * model().heads, axis=1)
    for l in range(len(model().layers)):
        rest = replace(small, embedding=entering[l].reshape(ids.size, -1), layers=model().layers[l:])
        S = next_logits(rest, copies, watch=changes(l))
        found.append((S[..., 0] - S[..., 1] - base[:, None]).reshape(texts, 2, -1))
    return np.concatenate(found, axis=-1), base, np.stack(weights, axis=1)


def member(k):
    """The effects of all heads on four sentences, and the weight of each on the noun."""
    texts = sentences(k)
    ids = np.array([model().encode(text) for text, *_ in texts])
    found, base, weights = effects(ids, [model().encode(verb).item() for verb in (" are", " is")])
    return [
        {
            "text": text,
            "plural": plural,
            "attractor plural": attractor,
            "margin": sign * base[i],
            "uniform": np.round(sign * found[i, 0].astype(float), 3),
            "mean": np.round(sign * found[i, 1].astype(float), 3),
            "weight on the noun": np.round(weights[i, :, :, -1, 1].ravel().astype(float), 2),
        }
        for i, (text, plural, attractor) in enumerate(texts)
        for sign in (1 if plural else -1,)
    ]


def spread(values):
    """Return the least, the middle and the largest."""
    return [min(values), np.median(values), max(values)]


def rank_agreement(first, second):
    """Return the rank correlation of two lists of effects."""
    return spearmanr(first, second).statistic


def summary(results):
    """Which head costs most in each sentence and in the median of all, what it reads, and whether rankings agree."""
    results = [result for four in results for result in four]
    effects = {way: np.array([result[way] for result in results]) for way in ("uniform", "mean")}
    on_noun = np.array([result["weight on the noun"] for result in results])
    plural = np.array([result["plural"] for result in results])
    return {
        "margins": {result["text"]: result["margin"] for result in results},
        "strongest": {way: strongest(effect, on_noun, plural) for way, effect in effects.items()},
        "costs most": {
            result["text"]: {way: divmod(int(np.argmin(result[way])), HEADS) for way in effects} for result in results
        },
        "rank correlation of sentences": {
            way: spread([rank_agreement(*pair) for pair in itertools.combinations(effect, 2)])
            for way, effect in effects.items()
        },
        "rank correlation of replacements": spread([rank_agreement(r["uniform"], r["mean"]) for r in results]),
        "size of all effects": {way: spread(np.abs(effect).ravel()) for way, effect in effects.items()},
    }


def strongest(effect, on_noun, plural):
    """Return the ten heads that cost most in the median of all sentences, with the spread over sentences."""
    first = effect.argmin(axis=1)
    return [
        {
            "layer, head": divmod(int(h), HEADS),
            "effect": spread(effect[:, h]),
            "effect, plural": spread(effect[plural, h]),
            "effect, singular": spread(effect[~plural, h]),
            "weight on the noun": spread(on_noun[:, h]),
            "costs most, plural": (first[plural] == h).sum(),
            "costs most, singular": (first[~plural] == h).sum(),
        }
        for h in np.argsort(np.median(effect, axis=0))[:10]
    ]
