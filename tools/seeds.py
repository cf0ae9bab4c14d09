"""Run every chapter again and again with other random numbers, and count the checks that fail.

python tools/seeds.py [N] [--only CHAPTER] [--jobs N] [--cluster ADDRESS]    with .venv's Python and the extra `mutants`

N is the number of runs, or the first and the last of them, such as 101-200: several machines can share them. Run k
mixes k into every seed of numpy and torch, in the chapters and in the package. Cells with the tag `reproduces-source`
or `fixed-draw` quote figures of one draw and keep their seeds; cells that only make a picture are left out. Answers are
kept in _build/seeds, so a run that was stopped goes on where it was. tools/seeds.json records which runs a chapter
stood without a failure: they are not run again until its cells, or what these import, change. The report is
_build/seeds/report.md; the exit code is 1 if anything failed.
"""

import argparse
import ast
import collections
import functools
import json
import os
import re
import sys
from contextlib import suppress

import cells
from bookext.run import dependencies
from scipy.stats import beta

ROOT = cells.ROOT
RECORD = "tools/seeds.json"


def drawn(text):
    """Return the numbers of the runs that ``text`` asks for: "3" is {1, 2, 3}, and "4-6,8-9" is {4, 5, 6, 8, 9}."""
    runs = set()
    for part in f"1-{text}".split(",") if re.fullmatch(r"\d+", text) else text.split(","):
        found = re.fullmatch(r"([1-9]\d*)-([1-9]\d*)", part)
        if not found or int(found[1]) > int(found[2]):
            raise argparse.ArgumentTypeError(f"expected a number such as 200, or 101-200, got {text!r}")
        runs.update(range(int(found[1]), int(found[2]) + 1))
    return runs


def spans(runs):
    """Write numbers as `drawn` reads them: {4, 5, 6, 8} is "4-6,8-8"."""
    first, last = ([n for n in sorted(runs) if n + step not in runs] for step in (-1, 1))
    return ",".join(f"{a}-{b}" for a, b in zip(first, last, strict=True))


def seen(tree, chapters):
    """Hash, for each chapter, its cells and the modules and stored results that they see; drawings hold no law.

    Of a module the statements count, and neither comments nor docstrings.
    """
    known, results = dependencies.modules(tree / "code"), dependencies.results(tree / "code")
    using, found = dependencies.imports(known), {}
    files = {name: _statements(path) for name, path in known.items()} | results
    for slug in chapters:
        path = tree / "chapters" / f"{slug}.md"
        sources = [source for _, source, _ in cells.read(path)]
        names = dependencies.closure(dependencies.imported_by_cells(sources, known), using)
        names |= dependencies.results_read(sources, results)
        laws = [name for name in sorted(names) if not name.startswith("attnbook.figures")]
        found[slug] = cells.digest(cells.code(path), *(files[name] for name in laws))
    return found


def _statements(path):
    module = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(module)


def upper(failures, trials):
    """Bound the failure rate that ``failures`` in ``trials`` leave possible at 95 % (Clopper and Pearson, one side).

    Without a failure it is 1 − 0.05^(1/trials), about 3/trials.
    """
    return 1.0 if failures == trials else float(beta.ppf(0.95, failures + 1, trials - failures))


def counted(answer):
    """List the failures of one run that count: an error behind a failed check is its consequence."""
    checks = [failure for failure in answer["failures"] if failure["kind"] == "check"]
    return checks or answer["failures"][:1]


def sound(tree, known):
    """Read the record: {chapter: (the runs that it stood without a failure, how many checks held)}, if unchanged."""
    path = tree / RECORD
    entries = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {
        slug: (drawn(entries[slug][1]), entries[slug][2])
        for slug, code in known.items()
        if slug in entries and entries[slug][0] == code
    }


def report(answers, before, tree):
    """Return the report as Markdown, and how many failures it names.

    ``answers`` is {(draw, chapter): answer}; ``before`` is what is known of other runs, as from `sound`.
    """
    failing, checks, runs = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for slug, (stood, held) in before.items():
        checks[slug], runs[slug] = held, len(stood)
    for (draw, slug), answer in answers.items():
        bad = counted(answer)
        checks[slug] += answer["checks"] + len(bad)
        runs[slug] += 1
        for failure in bad:
            failing[slug, failure["line"]].append((draw, failure))
    number, total = sum(map(len, failing.values())), checks.total()
    if not total:
        sys.exit("No check was executed.")
    seconds = sum(answer["seconds"] for answer in answers.values())
    lines = [
        "# Other random numbers", "",
        f"{len(runs)} chapters, each run {min(runs.values())} times or more. {total:,} checks, {number} failures: "
        f"{1e6 * number / total:.2f} in a million, at most {1e6 * upper(number, total):.2f} at 95 %. "
        f"{len(answers)} of these runs are new: {seconds / 60:.0f} minutes of processor time.", "",
        "| chapter | runs | checks | failures | cells that keep their seeds |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for slug in sorted(runs):
        bad = sum(len(found) for (where, _), found in failing.items() if where == slug)
        fixed = sum(bool(tags & cells.FIXED) for _, _, tags in cells.read(tree / "chapters" / f"{slug}.md"))
        lines.append(f"| {slug} | {runs[slug]} | {checks[slug]:,} | {bad} | {fixed} |")
    lines += ["", "## Failures", ""]
    for (slug, line), found in sorted(failing.items(), key=lambda item: -len(item[1])):
        draw, failure = found[0]
        lines.append(f"- {slug}.md:{line}, {len(found)} of {runs[slug]} runs; in run {draw}: {failure['message']}")
    return "\n".join(lines if failing else [*lines, "None."]) + "\n", number


def main(arguments=None, tree=ROOT):
    """Run what is not known yet, write the record and the report, say what failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="?", type=drawn, default="200", help="how many runs, or which; 200 unless given")
    parser.add_argument("--only", default="", metavar="CHAPTER", help="chapters with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many chapters run side by side")
    parser.add_argument("--cluster", default="", metavar="ADDRESS", help="a dask scheduler whose workers run them")
    given = parser.parse_args(arguments)
    every = cells.chapters(tree)
    chapters = [slug for slug in every if given.only in slug]
    if not chapters:
        sys.exit(f"No chapter has {given.only!r} in its name.")
    with suppress(AttributeError):  # not on Windows
        os.nice(19)
    known, work, names = seen(tree, every), {}, {}
    before = sound(tree, known)
    for draw in sorted(given.runs):
        for slug in chapters:
            if draw not in before.get(slug, ((), 0))[0]:
                key = cells.digest(draw, slug, known[slug])
                names[key] = draw, slug
                work[key] = functools.partial(cells.run, tree, slug, draw=draw, stop=False)
    store = tree / "_build" / "seeds"
    with cells.workers(given.jobs, given.cluster, tree) as pool:
        answers = cells.resume(store / "results.jsonl", work, pool)
    answers = {names[key]: answer for key, answer in answers.items()}
    text, failures = report(answers, {slug: before[slug] for slug in chapters if slug in before}, tree)
    (store / "report.md").write_text(text, "utf-8")
    for (draw, slug), answer in answers.items():
        if not answer["failures"]:
            stood, held = before.get(slug, (set(), 0))
            before[slug] = stood | {draw}, held + answer["checks"]
    rows = [
        f"{json.dumps(slug)}: {json.dumps([known[slug], spans(stood), held])}" for slug, (stood, held) in before.items()
    ]
    (tree / RECORD).write_text("{\n" + ",\n".join(sorted(rows)) + "\n}\n", "utf-8")
    print(text)
    sys.exit(failures > 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the same command goes on from here.")
