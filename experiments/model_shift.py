"""Does the language model see anything of positions but their differences, and of order but positions and mask?

A member of the first kind is one prompt. All its positions grow by 100, 1000 or 100,000; what is measured is the
largest change of all its logits. Beside it stand two measures: the change when each number of the embeddings is
multiplied by 1 ± 2⁻²⁴, a rounding of float32, and the change when only the second half of the positions grows, by 1.

A member of the second kind is a pair of sentences of the same words that end in the same word. What is measured is the
largest difference of the logits that follow, as trained, without mask, without positions, and without both.
"""

import functools
from dataclasses import replace

import numpy as np
from attnbook.language_model import logits, next_logits
from attnbook.pretrained import load

PROMPTS = [
    "The capital of France is",
    "The keys to the cabinet",
    "Tom gave Mary a book. The book now belongs to",
    "Once upon a time, in a village by the sea, there lived an old woman who",
    "for i in range(10):\n    print(i",
    "2, 4, 8, 16, 32,",
    "Der Hund beißt den Mann, und der Mann",
    "Water boils at a lower temperature on a mountain than at the sea, since the air above it weighs less.",
]
PAIRS = [
    ("The dog bites the man because", "The man bites the dog because"),
    (" dog bites man because", " man bites dog because"),
    (" Tom gave Mary a book and", " Mary gave Tom a book and"),
    ("The cat chased the mouse until", "The mouse chased the cat until"),
    (" Anna is older than Peter, so", " Peter is older than Anna, so"),
    ("The teacher praised the student because", "The student praised the teacher because"),
    (" ten minus four is", " four minus ten is"),
    (" Germany is in Europe and", " Europe is in Germany and"),
]
SHIFTS = (100, 1_000, 100_000)
WAYS = {"as trained": (True, True), "no mask": (False, True), "no positions": (True, False), "neither": (False, False)}
MEMBERS = range(len(PROMPTS) + len(PAIRS))

model = functools.cache(load)


def member(k):
    """One prompt, or one pair."""
    return prompt(PROMPTS[k]) if k < len(PROMPTS) else pair(*PAIRS[k - len(PROMPTS)])


def prompt(text):
    """The size of the logits of a prompt, and how far they move."""
    ids = model().encode(text)
    places = np.arange(len(ids))
    S = logits(model(), ids)

    def move(**options):
        return np.abs(logits(model(), ids, **options) - S).max()

    return {
        "text": text,
        "tokens": len(ids),
        "largest logit": np.abs(S).max(),
        **{f"all + {shift}": move(positions=places + shift) for shift in SHIFTS},
        "second half + 1": move(positions=places + (places >= len(ids) // 2)),
        "rounding": np.abs(rounded_logits(ids) - S).max(),
    }


def rounded_logits(ids):
    """Return the logits where each number of the embeddings is rounded up or down by chance."""
    rows = model().embedding[ids]
    signs = np.random.default_rng(0).choice([-1, 1], rows.shape)
    moved = (rows.astype(float) * (1 + signs * 2.0**-24)).astype(np.float32)
    return logits(replace(model(), embedding=moved), np.arange(len(ids)))


def pair(first, second):
    """How far the next logits and the next words of two sentences differ in four ways."""
    ids = np.array([model().encode(first), model().encode(second)])
    assert (np.sort(ids[0]) == np.sort(ids[1])).all()
    n, result = ids.shape[1], {"pair": [first, second], "tokens": ids.shape[1]}
    for way, (masked, placed) in WAYS.items():
        mask = None if masked else np.ones((n, n), dtype=bool)
        S = next_logits(model(), ids, mask=mask, positions=np.arange(n) if placed else np.zeros(n)).astype(float)
        p = np.exp(S - S.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        result[way] = {"logits": np.abs(S[0] - S[1]).max(), "probability moved": np.abs(p[0] - p[1]).sum() / 2}
    result["largest logit"] = np.abs(S).max()
    return result


def spread(values):
    """Return the least, the middle and the largest."""
    return [min(values), np.median(values), max(values)]


def summary(results):
    """Spread over the prompts, and over the pairs."""
    prompts, pairs = results[: len(PROMPTS)], results[len(PROMPTS) :]
    numbers = [name for name in prompts[0] if name not in ("text", "tokens")]
    return {
        "prompts": {name: spread([result[name] for result in prompts]) for name in numbers},
        "pairs": {
            way: {name: spread([result[way][name] for result in pairs]) for name in ("logits", "probability moved")}
            for way in WAYS
        },
    }
