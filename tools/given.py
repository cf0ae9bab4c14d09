"""Compute the values that course/language-model.md gives with its questions, and print them as its cell holds them.

PYTHONPATH=code .venv/bin/python tools/given.py

A test compares the cell with what is computed here.
"""

import base64
import textwrap

import numpy as np
from attnbook import pretrained
from attnbook.language_model import states
from attnbook.positional import frequencies, rotate

SENTENCE = "The dog bites the man because"
LAYER = 16  # whose queries and keys are given, those of its first head of each kind
HEADS = [(1, 3), (2, 1), (3, 3), (14, 3), (16, 0), (17, 4), (18, 6), (23, 2)]  # (layer, head) whose weights are given
RARE = 100  # the first tokens of the vocabulary stand for signs and ends of texts
WIDTH = 114  # of a line of text


def values(model):
    """Return the given values by their names, not yet rounded."""
    tokens = 2 * np.random.default_rng(0).choice(np.arange(RARE, len(model.embedding)), 10, replace=False).tolist()
    queries, keys = _not_rotated(model)
    return {
        "TOKENS": tokens,
        "HEADS": HEADS,
        "WEIGHTS": _weights(model, tokens),
        "QUERIES": queries,
        "KEYS": keys,
        "ANGLES": frequencies(model.head_width, model.base),
    }


def _weights(model, tokens):
    """Return the weights (heads, n, n) of `HEADS`."""
    layers = []
    states(model, tokens, watch={"weights": lambda l, A: layers.append(A)})
    return np.stack([layers[layer][head] for layer, head in HEADS])


def _not_rotated(model):
    """Return queries and keys (n, d_h) of `SENTENCE` before their rotation, which is undone here."""
    ids = model.encode(SENTENCE)
    queries, keys = [], []
    watch = {"queries": lambda l, Q: queries.append(Q[0]), "keys": lambda l, K: keys.append(K[0])}
    states(model, ids, watch=watch)
    theta, back = frequencies(model.head_width, model.base), -np.arange(len(ids))
    return [rotate(rows[LAYER], back, theta) for rows in (queries, keys)]


def packed(values):
    """Return {name: text} of the arrays: weights in hundredths, the lower triangle of each; the others in 16 bits."""
    rows, columns = np.tril_indices(len(values["TOKENS"]))
    arrays = {
        "WEIGHTS": np.round(100 * values["WEIGHTS"][:, rows, columns]).astype("u1"),
        "QUERIES": values["QUERIES"].astype("<f2"),
        "KEYS": values["KEYS"].astype("<f2"),
    }
    return {name: base64.b64encode(array.tobytes()).decode("ascii") for name, array in arrays.items()}


def main():
    """Print the values."""
    computed = values(pretrained.load())
    print(f"TOKENS = 2 * {computed['TOKENS'][:10]}\nHEADS = {HEADS}")
    for name, text in packed(computed).items():
        print(f"\n{name}\n{textwrap.fill(text, WIDTH)}")


if __name__ == "__main__":
    main()
