"""Record how strictly the book checks each law, and name the checks that have become weaker.

python tools/strictness.py    after `make book`, with .venv's Python: write tools/strictness.json from that book

A cell whose bound is ten times wider, or whose loop runs over one case instead of five, still holds, and its chapter
cannot see the difference. The record can. It holds for each law the kind of its checks, how many there are, and the
value and the bound of the one with the widest margin; for an estimate, how many standard errors its rival is away.
Whoever changes a check on purpose writes the record again, and the difference of the file shows what was given up.
"""

import json
import pickle
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = "tools/strictness.json"
WIDER = 1.5  # a bound may be this much wider on another machine, where training ends in other numbers


def strictness(checks):
    """Return {law: [kind, how many checks, value, bound]} of the widest margin, from records of checks as data."""
    found = {}
    for check in checks:
        law, kind, value = (check[name] for name in ("law", "kind", "value"))
        bound = check["rival" if kind == "estimate" else "bound"]
        _, times, *sides = found.get(law, [kind, 0, value, bound])
        sides = max(sides, [value, bound], key=lambda pair: _margin(kind, *pair))
        found[law] = [kind, times + check["times"], *sides]
    return found


def weaker(page, before, now):
    """Name each law of a page that is checked less strictly than ``before``, or no more; both are of `strictness`."""
    for law, (kind, times, value, bound) in before.items():
        if law not in now:
            yield f"{page}: {law!r} is no longer checked"
            continue
        new_kind, new_times, new_value, new_bound = now[law]
        if new_kind != kind:
            yield f"{page}: {law!r} is checked by {new_kind!r}, before by {kind!r}"
        elif new_times < times:
            yield f"{page}: {law!r} is checked {new_times} times, before {times} times"
        elif _is_wider(kind, (value, bound), (new_value, new_bound)):
            yield f"{page}: {law!r} holds {new_value} against {new_bound}, before {value} against {bound}"


def _is_wider(kind, before, now):
    if kind in ("prints", "refuses"):
        return before[1] != now[1]
    (value, bound), (new_value, new_bound) = (map(float, pair) for pair in (before, now))
    if kind == "below":
        rounding = 0.2 * max(abs(value), abs(bound))
        return _margin(kind, new_value, new_bound) > 2 * _margin(kind, value, bound) + rounding
    if kind == "estimate":
        return new_bound > WIDER * bound > 0 or bound > 0 == new_bound
    return bound > WIDER * new_bound if kind == "differs" else new_bound > WIDER * bound


def _margin(kind, value, bound):
    """How far a check is from failing; where only the bound decides, how wide it is."""
    if kind in ("prints", "refuses"):
        return 0.0
    return {"below": float(bound) - float(value), "differs": -float(bound)}.get(kind, float(bound))


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
