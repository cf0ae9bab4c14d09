"""Record how strictly the book checks each law, and name the checks that have become weaker.

python tools/strictness.py    after `make book`, with .venv's Python: write tools/strictness.json from that book

A cell whose bound is ten times wider, or whose loop runs over one case instead of five, still holds, and its chapter
cannot see the difference. The record can. It holds for each law the kind of its checks, how many there are, and the
value and the bound of the one with the widest margin; for an estimate, how many standard errors its rival is away; for
an equality the largest bound, since which of several comes nearest to its own is a matter of rounding.
Of a ``below`` it also says what is typed in its cell, and so is the same on every machine: a side, a margin.
Whoever changes a check on purpose writes the record again, and the difference of the file shows what was given up.
"""

import ast
import collections
import json
import pickle
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = "tools/strictness.json"
WIDER = 1.5  # a bound may be this much wider on another machine, where training ends in other numbers
FARTHER = 1.1  # so may a rival be farther away: no estimate follows a training, so only last digits differ
DIGITS = 1e-5  # the record holds six digits
SIDES = ("left is typed", "right is typed")


def strictness(checks, sources=()):
    """Return {law: [kind, how many checks, value, bound]} of the widest margin, from records of checks as data.

    From the sources of the cells come the last two entries of a ``below``, where there is something to say: which of
    SIDES is true, or "", and the margin.
    """
    found = {}
    for check in checks:
        law, kind, value = (check[name] for name in ("law", "kind", "value"))
        bound = check[{"estimate": "rival", "equal": "widest"}.get(kind, "bound")]
        _, times, *sides = found.get(law, [kind, 0, value, bound])
        sides = max(sides, [value, bound], key=lambda pair: _margin(kind, *pair))
        found[law] = [kind, times + check["times"], *sides]
    for law, said in typed(found, sources).items():
        found[law] += said
    return found


def weaker(page, before, now):
    """Name each law of a page that is checked less strictly than ``before``, or no more; both are of `strictness`."""
    for law, (kind, times, value, bound, *said) in before.items():
        if law not in now:
            yield f"{page}: {law!r} is no longer checked"
            continue
        new_kind, new_times, new_value, new_bound, *new_said = now[law]
        if new_kind != kind:
            yield f"{page}: {law!r} is checked by {new_kind!r}, before by {kind!r}"
        elif new_times < times:
            yield f"{page}: {law!r} is checked {new_times} times, before {times} times"
        elif said[1:] > new_said[1:]:
            yield f"{page}: {law!r} has the margin {new_said[1] if new_said[1:] else 0}, before {said[1]}"
        elif _is_wider(kind, (value, bound), (new_value, new_bound), *said[:1]):
            yield f"{page}: {law!r} holds {new_value} against {new_bound}, before {value} against {bound}"


def _is_wider(kind, before, now, side=None):
    if kind in ("prints", "refuses"):
        return before[1] != now[1]
    (value, bound), (new_value, new_bound) = (map(float, pair) for pair in (before, now))
    if side == SIDES[0] and value - new_value > DIGITS * abs(value):
        return True
    if side == SIDES[1] and new_bound - bound > DIGITS * abs(bound):
        return True
    if kind == "below":
        rounding = 0.2 * max(abs(value), abs(bound))
        return _margin(kind, new_value, new_bound) > 2 * _margin(kind, value, bound) + rounding
    if kind == "estimate":
        return new_bound > FARTHER * bound > 0 or bound > 0 == new_bound
    return bound > (1 + DIGITS) * new_bound if kind == "differs" else new_bound > WIDER * bound


def _margin(kind, value, bound):
    """How far a check is from failing; where only the bound decides, how wide it is."""
    if kind in ("prints", "refuses"):
        return 0.0
    return {"below": float(bound) - float(value), "differs": -float(bound)}.get(kind, float(bound))


def typed(laws, sources):
    """Return {law: [one of SIDES, or "", and a margin, if there is one]} for each `below` with a typed number.

    If a law is checked several times with other numbers, nothing is said of its sides, and the smallest margin counts.
    """
    found = collections.defaultdict(set)
    for call in (node for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        if ast.unparse(call.func) == "check.below":
            given = {word.arg: word.value for word in call.keywords}
            left, right, *words = [*call.args, *([given["law"]] if "law" in given else [])]
            law = _pattern(words[0]) if words else re.escape(f"{ast.unparse(left)} < {ast.unparse(right)}")
            sides = (ast.unparse(side) if _is_number(side) else "" for side in (left, right))
            found[law].add((*sides, getattr(given.get("by"), "value", 0.0)))
    said = {}
    for law in (law for law, (kind, *_) in laws.items() if kind == "below"):
        numbers = set().union(*(known for pattern, known in found.items() if re.fullmatch(pattern, law)))
        pairs, margin = {pair[:2] for pair in numbers}, min((by for *_, by in numbers), default=0.0)
        side = SIDES[next(iter(pairs))[0] == ""] if len(pairs) == 1 and any(*pairs) else ""
        if side or margin:
            said[law] = [side, margin] if margin else [side]
    return said


def _is_number(node):
    """Whether a number was typed, such as 0.9, -1 or 1 / 3."""
    return all(
        isinstance(n, ast.Constant | ast.UnaryOp | ast.BinOp | ast.operator | ast.unaryop) for n in ast.walk(node)
    )


def _pattern(law):
    """The regular expression of what a law can say: open where something is put in, and of nothing if it is a name."""
    parts = law.values if isinstance(law, ast.JoinedStr) else [law] if isinstance(law, ast.Constant) else []
    return "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in parts)


def built(tree=ROOT):
    """Return {page below chapters/: its `strictness`} of the book in _build."""
    import cells  # only here: it imports this module
    from bookext.collect import checks

    def sources(name):
        return [source for _, source, _ in cells.read(tree / f"{name}.md")]

    environment = pickle.loads((tree / "_build" / ".doctrees" / "environment.pickle").read_bytes())
    found = {
        name: strictness([vars(law.check) for law in laws], sources(name))
        for name, laws in checks.laws(environment).items()
    }
    return {name.removeprefix("chapters/"): laws for name, laws in sorted(found.items()) if laws}


def read(tree=ROOT):
    """Return what `built` found when the record was written."""
    return json.loads((tree / RECORD).read_text("utf-8"))


def main():
    """Write the record: a line for each law."""
    pages = []
    for name, laws in built().items():
        short = {law: [float(f"{x:.6g}") if isinstance(x, float) else x for x in laws[law]] for law in laws}
        lines = (
            f"  {json.dumps(law, ensure_ascii=False)}: {json.dumps(short[law], ensure_ascii=False)}" for law in laws
        )
        pages.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}")
    (ROOT / RECORD).write_text("{\n" + ",\n".join(pages) + "\n}\n", "utf-8")
    print(f"{sum(map(len, read().values()))} laws are in {RECORD}.")


if __name__ == "__main__":
    sys.exit(main())
