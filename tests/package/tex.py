"""Evaluate an equation as it is written in TeX: chains of relations, each side read by `tex_reader`."""

import re

import numpy as np
from tex_reader import CLOSE, OPEN, Reader

TOKEN = re.compile(r"\\[A-Za-z]+|\\[^A-Za-z]|[^\s]")
DROPPED = {"\\bigl", "\\bigr", "\\Bigl", "\\Bigr", "\\left", "\\right", "\\textstyle", "\\,", "\\;", "\\!", "&"}
RELATIONS = ("=", "\\le", "<", "\\approx", "\\mapsto", "\\leftarrow")
BREAKS = {",", "\\quad", "\\qquad", "\\\\"}


def tokens(tex):
    """Return the tokens of ``tex`` without spaces, sizes, words and alignment."""
    tex = re.sub(r"\\(?:begin|end)\{aligned\}|\\phantom\{[^}]*\}|\{\}", " ", tex)
    tex = re.sub(r"(?<!_\{)\\text\{[^}]*\}", r" \\quad ", tex)
    found = [token for token in TOKEN.findall(tex) if token not in DROPPED]
    while found and found[-1] in (".", ","):
        found.pop()
    return found


def statements(tex):
    """Return the chains of an equation: lists of tokens and relations in turn."""
    pieces, depth = [[]], 0
    for token in tokens(tex):
        depth += (token in OPEN) - (token in CLOSE)
        pieces += [[]] if token in BREAKS and not depth else []
        if token not in BREAKS or depth:
            goes_on = not pieces[-1] and token in (*RELATIONS, "+", "-") and len(pieces) > 1
            pieces = pieces[: -1 if goes_on else None]
            while goes_on and not pieces[-1]:
                pieces.pop()
            pieces[-1].append(token)
    return [chain for piece in pieces if piece for chain in [_relations(piece)]]


def _relations(piece):
    """Split a piece at the relations that stand outside brackets."""
    chain, depth = [[]], 0
    for token in piece:
        depth += (token in OPEN) - (token in CLOSE)
        if token in RELATIONS and not depth:
            chain += [token, []]
        else:
            chain[-1].append(token)
    return chain


def holds(tex, names):
    """Return how many relations of an equation hold; 0 if one does not.

    Beside names, "near" and "equal" are the relative differences that ≈ and = allow, "=" is the value of an expression
    that stands alone, and "after" is what arrows ← must have set.
    """
    count, names = 0, dict(names)
    near, equal = names.pop("near", 1e-9), names.pop("equal", 1e-9)
    alone, after = names.pop("=", None), names.pop("after", {})
    for chain in statements(tex):
        values = [Reader(side, names).whole()(names) if i or "\\leftarrow" not in chain else None
                  for i, side in enumerate(chain[::2])]  # fmt: skip
        if len(chain) == 1 and alone is not None:
            chain, values = [*chain, "=", None], [*values, alone]
        for relation, left, right in zip(chain[1::2], values, values[1:], strict=False):
            if relation == "\\leftarrow":
                names["".join(chain[0])] = right
            elif not RELATION[relation](
                names[relation](left) if relation == "\\mapsto" else left,
                right,
                near if relation == "\\approx" else equal,
            ):
                return 0
            count += 1
    return count * all(np.allclose(names[name], value) for name, value in after.items())


def _same(a, b, near):
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=near, atol=1e-11)


RELATION = {
    "=": _same,
    "\\mapsto": _same,
    "\\approx": _same,
    "\\le": lambda a, b, near: np.all(a <= b),
    "<": lambda a, b, near: np.all(a < b),
}
