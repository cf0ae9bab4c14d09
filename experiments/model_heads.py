"""Which head does the language model need to say *are* after *The keys to the cabinet*?

Each of its 270 heads, alone, gets uniform weights over the tokens that it may see, or its mean output over some other
text in place of each of its outputs. The first token keeps its own: there a head sees itself alone. A member is four
sentences; what counts is how much ln p(right verb)/p(wrong verb) changes, *are* against *is*, and what the strongest
heads read: the weight of the last token on the first noun. Heads are numbered layer by layer from 0: head 2 of layer 3
is 3 · 9 + 2.
"""

import functools
import itertools

import numpy as np
from attnbook.pretrained import load
from attnbook.tasks import head_effects, mean_outputs
from scipy.stats import spearmanr

NOUNS = [
    (("key", "keys"), "to the", ("cabinet", "cabinets")),
    (("picture", "pictures"), "of the", ("mountain", "mountains")),
    (("letter", "letters"), "from the", ("teacher", "teachers")),
]
MEMBERS = range(len(NOUNS))
HEADS = 9  # of a layer

model = functools.cache(load)
means = functools.cache(mean_outputs)


def sentences(k):
    """Return four texts, and whether the first noun and the second are plural."""
    first, between, second = NOUNS[k]
    numbers = itertools.product((False, True), repeat=2)
    return [(f"The {first[p]} {between} {second[q]}", p, q) for p, q in numbers]


def member(k):
    """The effects of all heads on four sentences, and the weight of each on the noun."""
    texts = sentences(k)
    ids = np.array([model().encode(text) for text, *_ in texts])
    verbs = [model().encode(verb).item() for verb in (" are", " is")]
    found, base, weights = head_effects(model(), ids, verbs, means(model()))
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
        for h in np.argsort(np.median(effect, axis=0), kind="stable")[:10]
    ]
