"""Evaluate an equation as it is written in TeX: chains of relations, each side read by a parser.

A parser's methods return functions of the names that occur. Names are looked up in a dictionary {"W_Q": array, "s":
array, "j": 2, "#j": 5}: with their whole index first (``d_k``); otherwise the index, which counts from 1, picks an
entry. "#j" is the range of an index that a sum does not give.
"""

import math
import re

import numpy as np
from scipy.integrate import quad

OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
ACCENTS = ("\\tilde", "\\hat", "\\bar", "\\mathbf", "\\mathrm", "\\mathbb", "\\operatorname")
BIG = {"\\sum": sum, "\\prod": math.prod, "\\max": max, "\\min": min}
FUNCTIONS = {"\\exp": np.exp, "\\ln": np.log, "\\cos": np.cos, "\\sin": np.sin, "\\det": np.linalg.det}
FUNCTIONS |= {"diag": np.diag, "rank": np.linalg.matrix_rank}
KNOWN = {"e": np.float64(math.e), "\\pi": math.pi, "\\infty": math.inf, "mathrm i": 1j, **FUNCTIONS}


class Random(np.ndarray):
    """Equally likely outcomes along the last axis: juxtaposed, they multiply outcome by outcome."""


def times(a, b):
    """Multiply as juxtaposition means it: numbers and outcomes by entries, arrays as matrices."""
    entries = np.ndim(a) == 0 or np.ndim(b) == 0 or isinstance(a, Random) or isinstance(b, Random)
    return a * b if entries else a @ b


def dot(a, b):
    """a · b; of random vectors the sum over the first axis, of numbers their product."""
    return (a * b).sum(axis=0) if isinstance(a, Random) else times(a, b)


def norm(x, kind=None):
    """Spectral norm, length or absolute value; Frobenius where the index says F."""
    axes = tuple(range(np.ndim(x) - isinstance(x, Random)))
    return np.linalg.norm(x, kind or (2 if len(axes) == 2 else None), axis=axes) if axes else abs(x)


class Reader:
    """Reads tokens from left to right; every method returns a function of the names."""

    def __init__(self, tokens, names):
        self.tokens, self.at, self.names, self.inside = list(tokens), 0, KNOWN | names, ""

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self):
        """Read all tokens."""
        value = self.sum()
        assert self.at == len(self.tokens), f"cannot read {' '.join(self.tokens[self.at :])!r}"
        return value

    def sum(self):
        total = None
        while total is None or self.peek() in ("+", "-"):
            sign = -1 if self.peek() == "-" else 1
            if self.peek() in ("+", "-"):
                self.next()
            part = self.product()
            if total is None and sign == 1:
                total = part
            else:
                total = _combine(lambda a, b, sign=sign: a + sign * b, total or (lambda names: 0), part)
        return total

    def product(self, until=""):
        value = self.factor()
        while (token := self.peek()) not in ("", "+", "-", ",", self.inside, until, *CLOSE):
            how = {"\\cdot": dot, "\\odot": np.multiply, "/": np.divide}.get(token)
            if how:
                self.next()
            value = _combine(how or times, value, self.factor())
        return value

    def group(self, end):
        """Read up to the bracket ``end``: one value, or several between commas."""
        values = [self.sum()]
        while self.peek() == ",":
            self.next()
            values.append(self.sum())
        assert self.next() == end
        return values

    def braced(self):
        """Return the tokens of an argument: one token, or all in braces."""
        if self.next() != "{":
            return [self.tokens[self.at - 1]]
        start, depth = self.at, 1
        while depth:
            token = self.next()
            depth += (token == "{") - (token == "}")
        return self.tokens[start : self.at - 1]

    def factor(self):
        token = self.next()
        if token in ("(", "["):
            (value,) = self.group(OPEN[token])
            return self.scripts(None, value)
        if token in ("|", "\\|"):
            self.inside = token
            inner = self.sum()
            self.inside = ""
            assert self.next() == token
            kind = "fro" if [self.peek(), self.peek(1)] == ["_", "F"] else None
            if kind:
                self.at += 2
            return self.scripts(None, lambda names: norm(inner(names), kind))
        if token.isdigit():
            while self.peek().isdigit() or (self.peek() == "." and self.peek(1).isdigit()):
                token += self.next()
            return self.scripts(None, lambda names: float(token) if "." in token else int(token))
        if token in ("\\frac", "\\tfrac"):
            above, below = self.braced(), self.braced()
            name = f"{''.join(above)}/{''.join(below)}"
            if "\\partial" in above or (above[0] == below[0] == "d" and above[1:2] != ["_"]):
                return self.scripts(name, None)
            return self.scripts(None, _combine(np.divide, self.read(above), self.read(below)))
        if token == "\\sqrt":
            inner = self.read(self.braced())
            return self.scripts(None, lambda names: np.sqrt(inner(names)))
        if token == "\\int":
            return self.integral()
        if token in BIG:
            return self.big(BIG[token])
        name = f"{token[1:]} {''.join(self.braced())}" if token in ACCENTS else token
        while self.peek() == "'":
            name += self.next()
        return self.scripts(name.removeprefix("operatorname "), None)

    def integral(self):
        """∫_a^b … dx; without limits over the whole line."""
        low, high = (lambda names: -40), (lambda names: 80)  # e^40 is enough
        while self.peek() in ("_", "^"):
            where, limit = self.next(), self.read(self.braced())
            low, high = (limit, high) if where == "_" else (low, limit)
        ends = [i for i in range(self.at, len(self.tokens) - 1) if self.tokens[i] == "d" and self.tokens[i + 1] in "xr"]
        name = self.tokens[ends[0] + 1]
        inner = Reader(self.tokens[self.at : ends[0]], self.names | {name: 0}).whole()
        self.at = ends[0] + 2
        return lambda names: quad(lambda x: inner(names | {name: x}), low(names), high(names), epsabs=1e-12, limit=200)[
            0
        ]

    def big(self, reduce):
        """A sum, product or extremum over an index: of all that is multiplied behind it."""
        index = self.braced() if self.peek() == "_" and self.next() else None
        last = self.read(self.braced()) if self.peek() == "^" and self.next() else None
        name = index[0] if index else ""
        known, self.names = self.names, self.names | {name: len if ":" in (index or ()) else 1}
        inner = self.product()
        self.names = known
        if not index:
            return lambda names: getattr(np, reduce.__name__)(inner(names))
        if name == "\\text":  # over pairs: entry by entry
            return lambda names: np.sum(inner(names))
        if ":" in index:
            return lambda names: reduce([inner(names | {name: f}) for f in names[f"#{name}"]])
        if "=" in index:
            first = self.read(index[2:])
            return lambda names: reduce([inner(names | {name: i}) for i in range(first(names), last(names) + 1)])
        if "\\in" in index:
            return lambda names: reduce([inner(names | {name: i}) for i in names[index[2]]])
        return lambda names: reduce([inner(names | {name: i}) for i in range(1, names[f"#{name}"] + 1)])

    def scripts(self, name, value):
        """Read indices, exponents, arguments and ! behind a name or a value."""
        found = []
        while self.peek() in ("_", "^"):
            found.append((self.next(), self.braced()))
        while name and self.peek() == "'":  # behind an index, it belongs to the name
            name += self.next()
        function = name and any(callable(self.names.get(key)) for key, _ in _keys(name, found))
        value = self.named(name, found) if name else self.scripted(value, found)
        if function and self.peek() in ("(", "["):
            given = self.group(OPEN[self.next()])
            return self.scripts(None, lambda names: value(names)(*(part(names) for part in given)))
        if function and self.peek() not in (
            "",
            ",",
            *CLOSE,
        ):  # ln x y: of all that is multiplied behind it, up to a fraction
            argument = self.product(until="\\frac")
            return lambda names: value(names)(argument(names))
        if self.peek() == "!":
            self.next()
            return self.scripts(None, lambda names: math.factorial(value(names)))
        return self.scripts(None, value) if self.peek() in ("_", "^") else value

    def named(self, name, found):
        """Return what the longest known name stands for, with the indices and exponents that are left."""
        for key, used in _keys(name, found):
            if key in self.names:
                return self.scripted(lambda names, key=key: (KNOWN | names)[key], found[used:])
        raise KeyError(f"{name} {found} is not among {sorted(self.names)}")

    def scripted(self, value, found):
        """Apply indices and exponents to a value."""
        for mark, inner in found:
            if mark == "^" and inner == ["\\top"]:
                value = _combine(lambda x, _: np.swapaxes(x, -1, -2) if np.ndim(x) > 1 else x, value, value)
            elif mark == "^":
                value = _combine(lambda x, p: x**p, value, self.read(inner))
            else:
                value = _combine(lambda x, i: x[i], value, self.index(inner))
        return value

    def index(self, inner):
        """Read ``ij`` or ``i,f(i)``: positions that count from 1; a colon takes all."""
        parts = [[]]
        for token in inner:
            parts += [[]] if token == "," else []
            parts[-1] += [token] if token != "," else []
        if len(parts) == 1 and all(re.fullmatch(r"[a-z']", token) for token in inner):
            parts = [match.split() for match in re.findall(r"[a-z](?: ')*", " ".join(inner))]
        read = [None if part == [":"] else self.read(part) for part in parts]
        return lambda names: tuple(slice(None) if part is None else part(names) - 1 for part in read)

    def read(self, tokens):
        """Read other tokens with the same names."""
        return Reader(tokens, self.names).whole()


def _keys(name, found):
    """Yield a name with all of its indices and exponents, with fewer, and alone; and how many it takes."""
    for used in range(len(found), -1, -1):
        yield name + "".join(mark + "".join(inner) for mark, inner in found[:used]), used


def _combine(how, left, right):
    return lambda names: how(left(names), right(names))


TOKEN = re.compile(r"\\[A-Za-z]+|\\[^A-Za-z]|[^\s]")
DROPPED = set(TOKEN.findall(r"\bigl \bigr \Bigl \Bigr \left \right \textstyle \allowbreak \, \; \! &"))
RELATIONS = ("=", "\\le", "\\ge", "<", ">", "\\approx", "\\to", "\\mapsto", "\\leftarrow")
BREAKS = {",", "\\quad", "\\qquad", "\\\\"}


def tokens(tex):
    """Return the tokens of ``tex`` without spaces, sizes, words and alignment."""
    tex = re.sub(r"\\(?:begin|end)\{(?:aligned|gathered)\}|\\phantom\{[^}]*\}|\{\}", " ", tex)
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

    Beside names, "near" and "equal" are the relative differences that ≈ (or →) and = allow, "=" is the value of an
    expression that stands alone, and "after" is what arrows ← must have set.
    """
    count, names = 0, dict(names)
    near, equal = names.pop("near", 1e-9), names.pop("equal", 1e-9)
    alone, after = names.pop("=", None), names.pop("after", {})
    for chain in statements(tex):
        values = [
            Reader(side, names).whole()(names) if i or "\\leftarrow" not in chain else None
            for i, side in enumerate(chain[::2])
        ]
        if len(chain) == 1 and alone is not None:
            chain, values = [*chain, "=", None], [*values, alone]
        for relation, left, right in zip(chain[1::2], values, values[1:], strict=False):
            if relation == "\\leftarrow":
                names["".join(chain[0])] = right
            elif not RELATION[relation](
                names[relation](left) if relation == "\\mapsto" else left,
                right,
                near if relation in ("\\approx", "\\to") else equal,
            ):
                return 0
            count += 1
    holds = all(np.allclose(names[name], value) for name, value in after.items())
    return count if holds else 0


def _same(a, b, near):
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=near, atol=1e-11)


RELATION = {
    "=": _same,
    "\\mapsto": _same,
    "\\approx": _same,
    "\\to": _same,
    "\\le": lambda a, b, near: np.all(a <= b),
    "\\ge": lambda a, b, near: np.all(a >= b),
    "<": lambda a, b, near: np.all(a < b),
    ">": lambda a, b, near: np.all(a > b),
}
