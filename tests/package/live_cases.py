"""The live figures that are tested, and states to test them in: a figure is tested by being listed here."""

from typing import NamedTuple

import numpy as np
from attnbook.live import (
    Live,
    ablation,
    clock,
    conjugation,
    crowd,
    decay,
    heads,
    hull,
    inks,
    memory,
    mirror,
    restore,
    shuffle,
    similarity,
    spread,
    springs,
    squeeze,
    stabiliser,
    star,
    strings,
    trace,
    triangle,
    twins,
    walkers,
    windows,
)
from attnbook.live.shuffle import tokens

STATES = 300


class Case(NamedTuple):
    """A figure as a chapter might show it, and a function that draws a state from a random generator."""

    figure: Live
    draw: object


def hull_state(rng):
    """Half of the states are extreme: whole numbers put three points on a line, and T = 0.01 makes exp overflow."""
    m, grid = int(rng.integers(2, 6)), rng.random() < 0.5

    def points(n):
        return (rng.integers(-3, 4, (n, 2)) * 1.0 if grid else np.round(rng.uniform(-3, 3, (n, 2)), 2)).tolist()

    temperature = 0.01 if grid else float(10 ** rng.uniform(-2, 2))
    weighting = str(rng.choice(["softmax", "sparsemax", "none"]))
    state = {"query": points(1)[0], "keys": points(m), "values": points(m)}
    return state | {"temperature": temperature, "weighting": weighting}


def triangle_state(rng):
    """Half of the states are extreme: equal scores, scores at their bounds, the coldest and the hottest T."""
    if rng.random() < 0.5:
        scores, T = rng.choice([-6.0, 0.0, 5.999, 6.0], 3), float(rng.choice([0.02, 1.0, 50.0]))
    else:
        scores, T = np.round(rng.uniform(-6, 6, 3), 2), float(10 ** rng.uniform(-1.65, 1.65))
    return {"scores": scores.tolist(), "temperature": T}


def springs_state(rng):
    """Half of the states are extreme: coarse grids put outputs on sides and corners, thin hulls make long queries."""
    edge = rng.random() < 0.5
    while True:
        m = int(rng.integers(3, 8))
        V = rng.integers(-2, 3, (m, 2)) * rng.choice([1, 20, 30], 2) if edge else rng.integers(-60, 61, (m, 2))
        masked = (rng.random(m) < 0.3).tolist()
        seen = V[~np.array(masked)]
        if len(seen) and np.linalg.matrix_rank(seen - seen[0]) == 2:
            break
    anywhere, within = rng.integers(-60, 61, 2), np.rint(rng.dirichlet(np.full(len(seen), 0.5)) @ seen)
    choices = [anywhere, within, within, seen[0], (seen[0] + seen[1]) // 2]
    output = choices[int(rng.integers(5 if edge else 3))]
    return {"values": (V / 20).tolist(), "output": (output / 20).tolist(), "masked": masked}


def squeeze_state(rng):
    """Half of the states are extreme: all points on a line, equal singular values, the axes as lines."""
    n, edge = int(rng.integers(2, 13)), rng.random() < 0.5
    if edge:
        ways = rng.choice([1.0, -1.0, 3.0, -3.0], (n, 1)) * rng.choice([-1.0, 0.0, 0.5, 1.0], 2)
        crosses = [[3.0, 0.0], [0.0, 3.0], [-3.0, 0.0], [0.0, -3.0]]
        X = ways if ways.any() and rng.random() < 0.5 else np.array(crosses)
    else:
        X = rng.integers(-60, 61, (n, 2)) / 20
    angle = int(rng.choice([0, 45, 90, 180, 359]) if edge else rng.integers(360))
    return {"points": (X + 0.0).tolist(), "angle": angle, "numbers": int(rng.choice([1, 1, 2]))}


def strings_state(rng):
    """Half of the states are extreme: an identity, a reversal, a shuffle undone by the other, or twice the same."""
    n = int(rng.integers(3, 7))
    first, second = rng.permutation(n).tolist(), rng.permutation(n).tolist()
    if rng.random() < 0.5:
        extremes = [list(range(n)), list(range(n))[::-1], np.argsort(first).tolist(), first]
        second = extremes[int(rng.integers(4))]
    return {"first": first, "second": second, "words": [str(w) for w in rng.choice(["a", "word", "eightish"], n)]}


def restore_state(rng):
    """Half of the states are extreme: no list tried or all of them, the order of the cards at home or reversed."""
    edge = rng.random() < 0.5
    order = [[0, 1, 2, 3], [3, 2, 1, 0]][int(rng.integers(2))] if edge else rng.permutation(4).tolist()
    flags = "10"[int(rng.integers(2))] * 24 if edge else "".join(rng.choice(["0", "1"], 24).tolist())
    return {"words": [str(w) for w in rng.choice(["a", "word", "sixish", "猫"], 4)], "order": order, "tried": flags}


def clock_state(rng):
    """Half of the states are extreme: places at the ends, one pair or six, all hands alike or the slowest of all."""
    edge = rng.random() < 0.5
    query, key = rng.choice([0, 1, 60] if edge else range(61), 2).tolist()
    pairs = int(rng.choice([1, 6]) if edge else rng.integers(1, 7))
    base = float(rng.choice([1, 1e6])) if edge else float(10 ** rng.uniform(0, 6))
    scheme = str(rng.choice(["rotary", "sinusoidal"]))
    return {"query": query, "key": key, "pairs": pairs, "base": base, "scheme": scheme}


def memory_state(rng):
    """Half of the states are extreme: the shortest and the longest test, bases and ramps at their bounds."""
    edge = rng.random() < 0.5
    train = int(rng.choice([8, 64]) if edge else rng.integers(8, 65))
    test = train * int(rng.choice([1, 8])) if edge else int(rng.integers(train, 8 * train + 1))
    way = str(rng.choice(["plain", "interpolate", "ntk", "yarn", "clip"]))
    base = float(rng.choice([10, 1e6]) if edge else np.round(10 ** rng.uniform(1, 5), 2))
    return {"train": train, "test": test, "way": way, "base": base, "fast": float(rng.choice([1.1, 4.0, 32.0]))}


def crowd_state(rng):
    """Half of the states are extreme: two keys or 100 000, factors and leads at their bounds, the lead c = 1."""
    edge = rng.random() < 0.5
    whole = lambda most: int(rng.choice([2, 3, most]) if edge else 2 + (most - 2) ** rng.uniform(0, 1))  # noqa: E731
    real = lambda low, high: float(rng.choice([low, 1, high]) if edge else np.round(rng.uniform(low, high), 2))  # noqa: E731
    return {"keys": whole(100_000), "factor": real(0.2, 5.0), "c": real(0.2, 3.0), "train": whole(1000)}


def windows_state(rng):
    """Half of the states are extreme: every number at one of its bounds."""
    edge, ends = rng.random() < 0.5, {"layers": (1, 4), "window": (1, 8), "sinks": (0, 2), "query": (0, 15)}
    return {name: int(rng.choice(two) if edge else rng.integers(two[0], two[1] + 1)) for name, two in ends.items()}


def stabiliser_state(rng):
    """Half of the states are extreme: masks of a few rows and columns, which many orders leave alone."""
    if rng.random() < 0.5:
        rows, columns = rng.integers(0, 2, (2, 4))
        mask = np.outer(rows, columns) if rng.random() < 0.5 else rows[:, None] ^ columns
        return {"mask": mask.tolist(), "order": rng.choice([[0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0]]).tolist()}
    return {"mask": rng.integers(0, 2, (4, 4)).tolist(), "order": rng.permutation(4).tolist()}


def conjugation_state(rng):
    """Half of the states are extreme: both orders the same, or one the reverse of the other."""
    rows = rng.permutation(4).tolist()
    columns = (rows if rng.random() < 0.5 else rows[::-1]) if rng.random() < 0.5 else rng.permutation(4).tolist()
    return {"rows": rows, "columns": columns, "together": bool(rng.random() < 0.5)}


def similarity_state(rng):
    """Half of the states are extreme: rows at the ends or the same, tables of one pair or of 32, a base of 1."""
    turn = bool(rng.random() < 0.5)
    if rng.random() < 0.5:
        row, other = rng.choice([0, 20, 40], 2).tolist()
        return {
            "row": row,
            "other": other,
            "d": int(rng.choice([2, 64])),
            "base": float(rng.choice([1, 1e6])),
            "turn": turn,
        }
    row, other = rng.integers(0, 41, 2).tolist()
    base = float(10 ** rng.uniform(0, 6))
    return {"row": row, "other": other, "d": int(rng.choice([2, 4, 8, 16, 64])), "base": base, "turn": turn}


def twins_state(rng):
    """Half of the states are extreme: every number at one of its bounds; some of the others are twins."""
    if rng.random() < 0.5:
        return {"scale": int(rng.choice([0, 4])), "start": int(rng.choice([-3, 0])), "step": int(rng.choice([-5, 0]))}
    k = int(rng.choice([0, 2, 4]))
    if rng.random() < 0.3:
        return {"scale": k, "start": -k // 2, "step": -k}
    return {"scale": k, "start": int(rng.integers(-3, 1)), "step": int(rng.integers(-5, 1))}


def trace_state(rng):
    """Half of the states are extreme: numbers of ±9 without a scale make scores of ±243, with one row, or a mask."""
    n, m = (int(x) for x in rng.integers(1, 5, 2))
    d, d_v = (int(x) for x in rng.integers(1, 4, 2))
    extreme = rng.random() < 0.5

    def rows(*size):
        return (rng.choice([-9.0, -1.0, 0.0, 9.0], size) if extreme else np.round(rng.uniform(-3, 3, size), 2)).tolist()

    stage = str(rng.choice(["S", "A", "Y"]))
    cell = [int(rng.integers(n)), int(rng.integers(d_v if stage == "Y" else m))]
    choices = {"mask": str(rng.choice(["none", "causal"])), "scale": str(rng.choice(["sqrt", "none"]))}
    return {"Q": rows(n, d), "K": rows(m, d), "V": rows(m, d_v), **choices, "stage": stage, "cell": cell}


def shuffle_state(rng):
    """Half of the states are extreme: equal words, one word or none, signs, and spaces that only one side knows."""
    words = ["the", "cat", "saw", "dog", "fish", "猫", "喜欢", "café", "x", "a"]
    if rng.random() < 0.5:
        words = ["a", "a", "aa", "😀", "", "-", "\ufeff", "\x85", "\u3000", "\x1f"]
    text = " ".join(str(word) for word in rng.choice(words, rng.integers(0, 12)))
    order = rng.permutation(len(tokens(text))).tolist()
    choices = {"positions": ("none", "sinusoidal", "rope"), "mask": ("none", "causal")}
    choices["pooling"] = ("none", "mean", "max", "last")
    chosen = {name: str(rng.choice(values)) for name, values in choices.items()}
    return {"text": text, "order": order, **chosen, "small": bool(rng.random() < 0.3)}


def inks_state(rng):
    """Half of the states are extreme: ρ and d_h at their bounds, no word or too many, signs and unusual spaces."""
    edge = rng.random() < 0.5
    words = ["a", "😀", "猫狗", "", "\x85", "-"] if edge else ["the", "keys", "to", "cabinet", "are", "猫"]
    text = " ".join(str(word) for word in rng.choice(words, rng.choice([0, 1, 24]) if edge else rng.integers(1, 17)))
    rho = float(rng.choice([0.5, 1.0]) if edge else np.round(rng.uniform(0.5, 1), 2))
    size = int(rng.choice([1, 16]) if edge else rng.integers(1, 17))
    return {"model": str(rng.choice(["recurrent", "recurrent", "attention"])), "text": text, "rho": rho, "size": size}


def decay_state(rng):
    """Half of the states are extreme: settings at their bounds, and w = 1, which loses nothing."""
    edge = rng.random() < 0.5
    ranges = {"w": (0.5, 1, 1.05), "bias": (0, 8), "score": (0, 12)}
    draw = (lambda r: rng.choice(r)) if edge else (lambda r: np.round(rng.uniform(r[0], r[-1]), 3))
    models = rng.permutation(["rnn", "lstm", "attention"])[: rng.integers(1, 4)].tolist()
    return {name: float(draw(r)) for name, r in ranges.items()} | {"models": models}


def heads_state(rng):
    """Half of the states are extreme: a head that sees one word, two heads alike, two words that count alike."""
    extreme, number = rng.random() < 0.5, int(rng.integers(1, 3))
    keys, queries = np.round(rng.uniform(-3, 3, (3, 2)), 2), np.round(rng.uniform(-3, 3, (2, 2)), 2)
    if extreme:
        keys, queries = rng.choice([-3.0, -1.0, 0.0, 3.0], (3, 2)), rng.choice([-3.0, 0.0, 0.5, 3.0], (2, 2))
        keys[2] = [keys[2], keys[0], [keys[0, 0], -keys[0, 1]]][int(rng.integers(3))]
        queries[1] = queries[int(rng.integers(2))]
    return {"keys": keys.tolist(), "queries": queries.tolist(), "number": number}


def star_state(rng):
    """Half of the states are extreme: values on a line or in few points, a query that sees one word, a pull too far."""
    extreme, mode = rng.random() < 0.5, str(rng.choice(["query", "weights"]))
    values = rng.integers(-30, 31, (5, 2)) / 10
    keys, query = np.round(rng.uniform(-3, 3, (5, 2)), 2), np.round(rng.uniform(-1, 1, 2), 2)
    pull = rng.uniform(-0.3, 0.3, 5)
    if extreme:
        line = rng.integers(-3, 4, (5, 1)) * rng.integers(-10, 11, 2) / 10
        few = rng.integers(-30, 31, (3, 2))[rng.integers(int(rng.integers(1, 4)), size=5)] / 10
        off = np.vstack([line[:4], values[:1]])  # the output fixes the last weight, unless it is on the line as well
        values = [line, few, off][int(rng.integers(3))]
        query, pull = rng.choice([-3.0, 0.0, 3.0], 2), rng.choice([-1.0, 0.0, 1.0], 5)
    words = [str(word) for word in rng.choice(["a", "dog", "eightish"], 5)]
    state = {"words": words, "query": query, "keys": keys, "values": values, "mode": mode, "pull": pull}
    return {name: x.tolist() if isinstance(x, np.ndarray) else x for name, x in state.items()}


def walkers_state(rng):
    """Half of the states are extreme: one step or 1024, divided by 1 or by d_k, with the first or last numbers."""
    if rng.random() < 0.5:
        return {
            "d_k": int(rng.choice([1, 1, 2, 1024])),
            "power": float(rng.choice([0, 1])),
            "draw": int(rng.choice([0, 999])),
        }
    return {
        "d_k": 2 ** int(rng.integers(11)),
        "power": float(np.round(rng.uniform(0, 1), 2)),
        "draw": int(rng.choice([0, 1, 600])),
    }


def mirror_state(rng):
    """Half of the states are extreme: 20 pairs, cat and fish at the ends, no other word but one, models not trained."""
    edge = rng.random() < 0.5

    def sentence():
        order = rng.permutation(["cat", "fish", "", "", "", ""])
        fillers = ["sees"] if rng.random() < edge / 2 else ["sees", "and"]
        return " ".join(str(word or rng.choice(fillers)) for word in order)

    ends = ["cat sees sees sees sees fish", "fish and and and and cat"]
    pairs = {}
    for text in [sentence() for _ in range(20 if edge else rng.integers(1, 6))]:
        pairs.setdefault(min(text, " ".join(text.split()[::-1])), text)
    shown = str(rng.choice([*pairs.values(), *(ends if edge else [sentence()])]))
    step = int(rng.choice([0, 100] if edge else [0, 10, 25, 50, 100]))
    return {"sentence": shown, "step": step, "tried": list(pairs.values())}


def ablation_state(rng):
    """Half of the states are extreme: all heads on, or all of them off."""
    sentence = mirror_state(rng)["sentence"]
    heads = [int(rng.integers(2))] * 6 if rng.random() < 0.5 else rng.integers(0, 2, 6).tolist()
    return {"sentence": sentence, "heads": heads, "instead": str(rng.choice(["alike", "nothing"]))}


def spread_state(rng):
    """Half of the states are extreme: a query of length 0 or in a corner, and the coldest and the hottest T."""
    if rng.random() < 0.5:
        query, T = rng.choice([-4.0, 0.0, 4.0], 2), float(rng.choice([1 / 16, 1.0, 16.0]))
    else:
        query, T = np.round(rng.uniform(-4, 4, 2), 2), float(2 ** rng.uniform(-2, 2))
    return {"query": query.tolist(), "temperature": T}


V, K = [[-2, -1.2], [2, -1.6], [0.4, 2.2], [-1.6, 1.6]], [[1.5, 0.5], [-0.5, 1.5], [-1, -1], [1, -1.5]]
FIVE = [[-2.3, -0.6], [-0.9, 2.2], [2.2, 1.3], [1.3, -2.1], [0.6, 0.2]]
FIVE_KEYS = [[1.5, 0.5], [-0.5, 1.5], [-1.2, -0.8], [0.9, -1.4], [1.9, 1.6]]
SEVEN = [[-2, -1.5], [1.5, -1.5], [2.5, 0.5], [1, 2], [-2, 1.5], [0.5, 0.5], [-0.5, -0.5]]
CLOUD = [[1.9, 1.4], [-2.2, -0.9], [1.1, 0.2], [-0.6, -1.1], [2.2, 0.8], [-1.5, -1.6], [0.4, 1.0], [-1.2, 0.1]]
CASES = {
    "hull": Case(hull(V, K, [1.2, 1.0]), hull_state),
    "triangle": Case(triangle([2, 1, -1]), triangle_state),
    "springs": Case(springs(SEVEN, [1.5, 0.9]), springs_state),
    "squeeze": Case(squeeze(CLOUD, 100), squeeze_state),
    "strings": Case(strings([2, 0, 3, 1, 4], [3, 0, 1, 4, 2]), strings_state),
    "restore": Case(restore(tried=[[1, 0, 2, 3]]), restore_state),
    "clock": Case(clock(3, 8), clock_state),
    "memory": Case(memory(), memory_state),
    "crowd": Case(crowd(97), crowd_state),
    "stabiliser": Case(stabiliser([[1, 1, 1, 0]] * 4, order=[3, 1, 2, 0]), stabiliser_state),
    "twins": Case(twins(2), twins_state),
    "windows": Case(windows(2, 4), windows_state),
    "trace": Case(trace([[1, 2], [2, -1], [1, 1]], K[:3], [[1, 0], [0, 2], [2, 1]]), trace_state),
    "decay": Case(decay(), decay_state),
    "inks": Case(inks("The keys to the old cabinet in the hall of the museum are"), inks_state),
    "heads": Case(heads([[1.8, 0.9], [0, -1.9], [-1.8, 0.9]], [[0.6, 0.5], [-0.7, 0.4]]), heads_state),
    "star": Case(star(["the", "cat", "saw", "a", "dog"], FIVE, FIVE_KEYS, [0.8, 0.5]), star_state),
    "shuffle": Case(shuffle("cat likes fish", order=[2, 1, 0]), shuffle_state),
    "mirror": Case(mirror(), mirror_state),
    "similarity": Case(similarity(), similarity_state),
    "conjugation": Case(conjugation([1, 2, 0, 3]), conjugation_state),
    "ablation": Case(ablation(heads=[1, 1, 0, 1, 1, 1]), ablation_state),
    "spread": Case(spread(), spread_state),
    "walkers": Case(walkers(), walkers_state),
}


def states(name, count=STATES):
    rng = np.random.default_rng(list(name.encode()))  # a new figure leaves the states of the others as they are
    return [CASES[name].draw(rng) for _ in range(count)]


def distance(found, expected, path=""):
    """The largest difference between two results, relative to 1 or the value, over everything in them."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), path
        return max((distance(found[key], expected[key], f"{path}.{key}") for key in expected), default=0)
    if expected is None or isinstance(expected, str | bool):
        assert found == expected, path
        return 0
    mixed = str | dict | list | tuple | np.ndarray | None
    if isinstance(expected, list | tuple) and any(isinstance(x, mixed) for x in expected):
        pairs = enumerate(zip(found, expected, strict=True))
        return max((distance(a, b, f"{path}.{i}") for i, (a, b) in pairs), default=0)
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, (path, found.shape, expected.shape)
    difference = abs(found - expected) / np.maximum(1, abs(expected))
    return float(difference.max(initial=0)) if not np.isnan(difference).any() else float("inf")


def comparable(name, state, result):
    """A result without what may differ: rounding errors, and which of two equal points is called a corner."""
    result = {key: value for key, value in result.items() if not key.endswith("Gap")}
    if name == "hull":
        result["corners"] = [list(p) for p in sorted({tuple(state["values"][j]) for j in result["corners"]})]
    if name == "heads":  # the direction of a cut whose margin is small is a small number over another
        pairs = zip(result["margins"], result["cuts"], strict=True)
        result["cuts"] = [None if cut is None else margin * np.asarray(cut) for margin, cut in pairs]
    return result
