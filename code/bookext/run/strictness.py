"""Compare how strictly chapters check their laws here and on the main branch.

python -m bookext.run.strictness [CHAPTER ...]    with .venv's Python; without a name, every chapter whose cells differ

A cell whose bound is ten times wider, or whose loop runs over one case instead of five, still holds, and its chapter
cannot see the difference. A comparison with the chapter of the main branch, run on this machine, can.
"""

import io
import json
import math
import subprocess
import sys
import tarfile
from pathlib import Path

from ..contents import executable
from . import chapters, dependencies

ROOT = Path(__file__).resolve().parents[3]
BRANCHES = ("main", "origin/main", "origin/HEAD")
WIDER = 1.5  # a bound that follows from the size of numbers may grow with them
MARGIN = 2  # the distance between two measured numbers may grow by this factor
ROUNDING = 1e-5


def widest(checks):
    """Return {law: its check with the widest margin, and in "times" how often it is checked in all}."""
    laws = {}
    for check in checks:
        before = laws.get(check["law"], check | {"times": 0})
        laws[check["law"]] = max(before, check, key=_margin) | {"times": before["times"] + check["times"]}
    return laws


def weaker(page, before, now):
    """Name each law of a page that is checked less strictly than before, or no more; both are lists of records."""
    before, now = widest(before), widest(now)
    for law, old in before.items():
        new = now.get(law)
        if new is None:
            yield f"{page}: {law!r} is no longer checked"
        elif new["kind"] != old["kind"]:
            yield f"{page}: {law!r} is checked by {new['kind']!r}, before by {old['kind']!r}"
        elif new["times"] < old["times"]:
            yield f"{page}: {law!r} is checked {new['times']} times, before {old['times']} times"
        elif _is_wider(old, new):
            sides = [f"{check['value']} against {_bound(check)}" for check in (new, old)]
            yield f"{page}: {law!r} holds {sides[0]}, before {sides[1]}"


def _bound(check):
    return check[{"estimate": "rival", "equal": "widest"}.get(check["kind"], "bound")]


def _margin(check):
    """Return how far a check is from failing; where only the bound decides, how wide it is."""
    if check["kind"] in ("prints", "refuses"):
        return 0.0
    value, bound = float(check["value"]), float(_bound(check))
    return {"below": bound - value, "differs": -bound}.get(check["kind"], bound)


def _is_wider(old, new):
    kind, before, after = old["kind"], _bound(old), _bound(new)
    if kind in ("prints", "refuses"):
        return before != after
    before, after = float(before), float(after)
    if kind == "below":
        value, new_value = float(old["value"]), float(new["value"])
        one_side = any(math.isclose(a, b, rel_tol=ROUNDING) for a, b in ((value, new_value), (before, after)))
        allowed = _margin(old) if one_side else MARGIN * _margin(old)
        # `by=` stands in the note of a check.
        return new["note"] < old["note"] or _margin(new) - allowed > ROUNDING * max(abs(value), abs(before))
    if kind == "estimate":
        return after > (1 + ROUNDING) * before > 0 or before > 0 == after
    return before > (1 + ROUNDING) * after if kind == "differs" else after > WIDER * before


def records(tree, page, build=ROOT / "_build"):
    """Return the records of the checks of a page of ``tree``; kept by what is in its cells and in the package."""
    path = tree / "chapters" / f"{page}.md"
    packages = [tree / "code" / package for package in dependencies.PACKAGES]
    files = sorted(path for code in packages for path in code.rglob("*.*") if path.suffix in (".py", ".json"))
    store = build / "strictness" / f"{chapters.digest(chapters.code(path), *files)}.json"
    if not store.exists():
        answer = chapters.run(tree, page)
        if answer["failures"]:
            return None
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_text(json.dumps(answer["checks"]), "utf-8")
    return json.loads(store.read_text("utf-8"))


def main_branch(root=ROOT):
    """Return a folder below _build with the chapters and the package of the main branch; None if there is none."""

    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True).stdout

    commits = (git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip() for name in BRANCHES)
    commit = next(filter(None, commits), None)
    folder = root / "_build" / "strictness" / str(commit)
    if commit and not folder.exists():
        with tarfile.open(fileobj=io.BytesIO(git("archive", commit, "chapters", "code", "_toc.yml"))) as archive:
            archive.extractall(folder, filter="data")
    return folder if commit else None


def compare(pages, root=ROOT):
    """Name the checks of ``pages`` that are weaker than on the main branch; only those with other cells are run."""
    base, lines = main_branch(root), []
    for page in pages if base else ():
        ours, theirs = (tree / "chapters" / f"{page}.md" for tree in (root, base))
        if theirs.exists() and chapters.code(ours) != chapters.code(theirs):
            now, before = (records(tree, page, root / "_build") for tree in (root, base))
            lines += weaker(page, before, now) if now is not None and before is not None else []
    return lines


def main():
    """Print the comparison."""
    lines = compare(sys.argv[1:] or executable(ROOT))
    print("\n".join(lines or ["No check is weaker than on the main branch."]))


if __name__ == "__main__":
    main()
