"""Run every chapter again and again with other random numbers, and count the checks that fail.

python evidence/seeds.py [N] [--only CHAPTER] [--jobs N]    with .venv's Python

N is the number of runs, or the first and the last of them, such as 101-200: several machines can share them. Run k
mixes k into every seed of numpy and torch, in the chapters and in the package. Cells with the tag `reproduces-source`
or `fixed-draw` quote figures of one draw and keep their seeds. Answers are kept in _build/seeds, so a run that was
stopped goes on where it was. seeds.json records which runs a chapter stood without a failure, under the hash of its
cells and of what these import: a run is not repeated until that changes, and what is recorded for earlier code stays.
The exit code is 1 if anything failed.
"""

import argparse
import collections
import functools
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bookext.contents import executable
from bookext.run import chapters, dependencies, jobs
from scipy.stats import beta

ROOT = Path(__file__).resolve().parent.parent
RECORD = "evidence/seeds.json"


def parse_runs(text):
    """Return the numbers of the runs that ``text`` asks for: "3" is {1, 2, 3}, and "4-6,8-9" is {4, 5, 6, 8, 9}."""
    runs = set()
    for part in f"1-{text}".split(",") if re.fullmatch(r"\d+", text) else text.split(","):
        match = re.fullmatch(r"([1-9]\d*)-([1-9]\d*)", part)
        if not match or int(match[1]) > int(match[2]):
            raise argparse.ArgumentTypeError(f"expected a number such as 200, or 101-200, got {text!r}")
        runs.update(range(int(match[1]), int(match[2]) + 1))
    return runs


def spans(runs):
    """Write numbers as `parse_runs` reads them: {4, 5, 6, 8} is "4-6,8-8"."""
    first, last = ([n for n in sorted(runs) if n + step not in runs] for step in (-1, 1))
    return ",".join(f"{a}-{b}" for a, b in zip(first, last, strict=True))


def versions(tree, pages):
    """Hash, for each chapter, its cells and the modules and stored results that they see; drawings hold no law.

    Of a module the statements count, and neither comments nor docstrings.
    """
    modules, results = dependencies.modules(tree / "code"), dependencies.results(tree / "code")
    imports = dependencies.imports(modules)
    texts = {name: dependencies.statements(path) for name, path in modules.items()} | results
    hashes = {}
    for page in pages:
        path = tree / "chapters" / f"{page}.md"
        sources = chapters.sources(path)
        names = dependencies.closure(dependencies.imported_by_cells(sources, modules), imports)
        names |= dependencies.results_read(sources, results)
        laws = [name for name in sorted(names) if not name.startswith("attnfigures")]
        hashes[page] = chapters.digest(chapters.code(path), *(texts[name] for name in laws))
    return hashes


def upper(failures, trials):
    """Bound the failure rate that ``failures`` in ``trials`` leave possible at 95 % (Clopper and Pearson, one side).

    Without a failure it is 1 − 0.05^(1/trials), about 3/trials.
    """
    return 1.0 if failures == trials else float(beta.ppf(0.95, failures + 1, trials - failures))


def attempt(tree, page, draw):
    """Run a chapter once: {"checks": how many held, "failures": …}."""
    answer = chapters.run(tree, page, draw=draw, stop=False)
    # An error behind a failed check is its consequence.
    failures = [f for f in answer["failures"] if f["kind"] == "check"] or answer["failures"][:1]
    return {"checks": sum(check["times"] for check in answer["checks"]), "failures": failures}


def read(tree):
    """Read the record: {chapter: {hash of its code: [the runs that it stood, how many checks held]}}."""
    path = tree / RECORD
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def main(arguments=None, tree=ROOT):
    """Run what is not recorded yet, write the record, say what failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="?", type=parse_runs, default="200", help="how many, or which; 200 unless given")
    parser.add_argument("--only", default="", metavar="CHAPTER", help="chapters with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many chapters run side by side")
    options = parser.parse_args(arguments)
    pages = [page for page in executable(tree) if options.only in page]
    if not pages:
        sys.exit(f"No chapter has {options.only!r} in its name.")
    record, hashes, work = read(tree), versions(tree, pages), {}
    for draw in sorted(options.runs):
        for page in pages:
            stood, _ = record.get(page, {}).get(hashes[page], ("", 0))
            if not stood or draw not in parse_runs(stood):
                work[draw, page] = chapters.digest(draw, page, hashes[page])
    with ThreadPoolExecutor(options.jobs) as pool:
        todo = {key: functools.partial(attempt, tree, page, draw) for (draw, page), key in work.items()}
        answers = jobs.resume(tree / "_build" / "seeds" / "results.jsonl", todo, pool)
    failing, failed_checks = collections.defaultdict(list), 0
    for (draw, page), key in work.items():
        answer = answers[key]
        failed_checks += len(answer["failures"])
        for failure in answer["failures"]:
            failing[page, failure["line"]].append((draw, failure["message"]))
        if not answer["failures"]:
            stood, held = record.setdefault(page, {}).get(hashes[page], ("", 0))
            runs = (parse_runs(stood) if stood else set()) | {draw}
            record[page][hashes[page]] = [spans(runs), held + answer["checks"]]
    rows = ",\n".join(f"{json.dumps(page)}: {json.dumps(record[page])}" for page in sorted(record))
    (tree / RECORD).write_text(f"{{\n{rows}\n}}\n", "utf-8")
    held = sum(record.get(page, {}).get(hashes[page], ("", 0))[1] for page in pages)
    total = held + failed_checks
    if not total:
        sys.exit("No check was executed.")
    print(
        f"{len(pages)} chapters as they are now: {total:,} checks, {failed_checks} failures, at most "
        f"{1e6 * upper(failed_checks, total):.2f} in a million at 95 %. New: {len(work)} runs."
    )
    for (page, line), failures in sorted(failing.items(), key=lambda item: -len(item[1])):
        print(f"{page}.md:{line}, {len(failures)} runs; in run {failures[0][0]}: {failures[0][1]}")
    sys.exit(failed_checks > 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the same command goes on from here.")
