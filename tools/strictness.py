"""Record how strictly the book checks each law, and name the checks that have become weaker.

python tools/strictness.py    after `make book`, with .venv's Python: write tools/strictness.json from that book

A cell whose bound is ten times wider, or whose loop runs over one case instead of five, still holds, and its chapter
cannot see the difference. The record can. It holds for each law the kind of its checks, how many there are, and the
value and the bound of the one with the widest margin; for an estimate, how many standard errors its rival is away; for
an equality the largest bound, since which of several comes nearest to its own is a matter of rounding.
Of a ``below`` it also says which side its cell holds as a typed number: that one is the same on every machine.
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


def strictness(checks):
    """Return {law: [kind, how many checks, value, bound]} of the widest margin, from records of checks as data."""
    found = {}
    for check in checks:
        law, kind, value = (check[name] for name in ("law", "kind", "value"))
        bound = check[{"estimate": "rival", "equal": "widest"}.get(kind, "bound")]
        _, times, *sides = found.get(law, [kind, 0, value, bound])
        sides = max(sides, [value, bound], key=lambda pair: _margin(kind, *pair))
        found[law] = [kind, times + check["times"], *sides]
    return found


def weaker(page, before, now):
    """Name each law of a page that is checked less strictly than ``before``, or no more.

    ``now`` is of `strictness`; ``before`` is too, and may say of a ``below`` which of SIDES is true.
    """
    for law, (kind, times, value, bound, *side) in before.items():
        if law not in now:
            yield f"{page}: {law!r} is no longer checked"
            continue
        new_kind, new_times, new_value, new_bound = now[law][:4]
        if new_kind != kind:
            yield f"{page}: {law!r} is checked by {new_kind!r}, before by {kind!r}"
        elif new_times < times:
            yield f"{page}: {law!r} is checked {new_times} times, before {times} times"
        elif _is_wider(kind, (value, bound), (new_value, new_bound), *side):
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
    """Return {law: the one of SIDES that is true of it} for each `below` with a typed number in the cells of a page."""
    found = collections.defaultdict(set)
    for call in (node for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        if ast.unparse(call.func) == "check.below":
            left, right, *words = [*call.args, *(word.value for word in call.keywords if word.arg == "law")]
            law = _pattern(words[0]) if words else re.escape(f"{ast.unparse(left)} < {ast.unparse(right)}")
            found[law].add(tuple(ast.unparse(side) if _is_number(side) else "" for side in (left, right)))
    sides = {}
    for law in (law for law, (kind, *_) in laws.items() if kind == "below"):
        numbers = set().union(*(pairs for pattern, pairs in found.items() if re.fullmatch(pattern, law)))
        if len(numbers) == 1 and any(*numbers):
            sides[law] = SIDES[next(iter(numbers))[0] == ""]
    return sides


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
    from bookext.collect import checks

    environment = pickle.loads((tree / "_build" / ".doctrees" / "environment.pickle").read_bytes())
    found = {name: strictness(vars(law.check) for law in laws) for name, laws in checks.laws(environment).items()}
    return {name.removeprefix("chapters/"): laws for name, laws in sorted(found.items()) if laws}


def read(tree=ROOT):
    """Return what `built` found when the record was written."""
    return json.loads((tree / RECORD).read_text("utf-8"))


def main():
    """Write the record: a line for each law."""
    import cells  # only here: it imports this module

    pages = []
    for name, laws in built().items():
        short = {law: [float(f"{x:.6g}") if isinstance(x, float) else x for x in laws[law]] for law in laws}
        for law, side in typed(laws, [source for _, source, _ in cells.read(ROOT / "chapters" / f"{name}.md")]).items():
            short[law].append(side)
        lines = (
            f"  {json.dumps(law, ensure_ascii=False)}: {json.dumps(short[law], ensure_ascii=False)}" for law in laws
        )
        pages.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}")
    (ROOT / RECORD).write_text("{\n" + ",\n".join(pages) + "\n}\n", "utf-8")
    print(f"{sum(map(len, read().values()))} laws are in {RECORD}.")


if __name__ == "__main__":
    sys.exit(main())
