"""Put small faults into copies of the book, one at a time, and see which check or test catches each.

python evidence/mutants.py [--only PATTERN] [--all] [--jobs N]    with .venv's Python and the group `evidence`

Operators make the faults of the laws, the checks, the trainings, the grader and the computing part of live figures:
a few a file, always the same ones, or with --all every one. faults.txt lists those that no operator makes, in drawings
and in cells. A fault in a law is caught when a chapter that uses the function fails; otherwise a test must fail, and of
a fault in a chapter its own checks, or they must have become weaker. Answers are kept in _build/mutants, so a run that
was stopped goes on where it was. The report is _build/mutants/report.md; the exit code is 1 if a fault survives.
"""

import argparse
import ast
import collections
import functools
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bookext.contents import executable
from bookext.run import chapters, dependencies, jobs, strictness
from operators import callers, changed_line, javascript_faults, python_faults

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = {  # how many faults of a file are tried
    "code/attnbook/*.py": 20,
    "code/attnbook/check/*.py": 20,
    "code/attnbook/tasks/*.py": 6,
    "code/attnfigures/live/*.py": 4,
    "code/attnfigures/live/*.js": 8,
    "code/attncourse/*.py": 6,
}
LAWS = "tests/package/test_*.py"
TESTED = {  # where the tests of a file stand; the first that fits
    "code/attncourse/": "tests/course/test_*.py",
    "code/attnfigures/live/": "tests/package/**/test_live*.py",
    "code/attnfigures/static/": "tests/package/test_*figures*.py",
    "code/": LAWS,
}
DRAWING = re.compile(r"test_(live|\w*figures)")  # these look at pictures, not at laws
MOST = 3  # chapters that are run for one fault: those that use the function most
LEFT_OUT = shutil.ignore_patterns("_build", ".*", "__pycache__", "evidence")


def typed(tree):
    """Read faults.txt: ([fault], how many are skipped because their text is no longer there exactly once)."""
    lines = (tree / "evidence" / "faults.txt").read_text("utf-8").splitlines()
    entries = [re.fullmatch(r"(\S+) \| (.*) =>(?: (.*))?", line) for line in lines if line and not line.startswith("#")]
    faults = []
    for file, *texts in (entry.groups() for entry in entries):
        old, new = ((text or "").replace("\\n", "\n") for text in texts)
        before = (tree / file).read_text("utf-8") if (tree / file).is_file() else ""
        if before.count(old) == 1:
            after = before.replace(old, new)
            judges = [file[len("chapters/") : -3]] if file.startswith("chapters/") else [tests_of(tree, file)]
            faults.append({"file": file, "line": changed_line(before, after), "text": after, "judges": judges})
    return faults, len(entries) - len(faults)


def made(tree, everything=False):
    """Make faults by operators: a sample of every file, or all of them."""
    uses = users(tree)
    for pattern, most in SAMPLE.items():
        for path in sorted(tree.glob(pattern)):
            text, file = path.read_text("utf-8"), path.relative_to(tree).as_posix()
            choose = functools.partial(_sample, file, None if everything else most)
            if path.suffix == ".js":
                for line, mutated in javascript_faults(text, choose):
                    yield {"file": file, "line": line, "text": mutated, "judges": [tests_of(tree, file)]}
                continue
            reach = callers(text)
            for function, refuses, line, mutated in python_faults(text, choose):
                counts = sum((uses[name] for name in sorted(reach.get(function, {function}))), collections.Counter())
                pages = [] if refuses else [page for page, _ in counts.most_common(MOST)]
                yield {"file": file, "line": line, "text": mutated, "judges": [*pages, tests_of(tree, file)]}


def _sample(file, most, places):
    """Choose some of all places; the same ones as long as there are as many."""
    return places if most is None or most > len(places) else random.Random(file).sample(places, most)


def users(tree):
    """Return {function of the package: how often each page names it that imports it}."""
    uses = collections.defaultdict(collections.Counter)
    for page in executable(tree):
        nodes = [node for cell in chapters.sources(tree / "chapters" / f"{page}.md") for node in _nodes(cell)]
        names = collections.Counter(node.id for node in nodes if isinstance(node, ast.Name))
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(dependencies.PACKAGES):
                for alias in node.names:
                    uses[alias.name][page] += names[alias.asname or alias.name]
    return uses


def _nodes(source):
    try:
        return list(ast.walk(ast.parse(source)))
    except SyntaxError:  # a cell that shows one
        return []


@functools.cache
def tests_of(tree, file):
    """Return a command of pytest for the tests of a file: those that bear its name first, then those that name it."""
    stem, package = Path(file).stem, Path(file).parent.name
    # A module of a package such as attnbook.check is tested together with it.
    names = {stem, package} - {"__init__", "attnbook", "attnfigures", "attncourse"}
    pattern = next(pattern for start, pattern in TESTED.items() if file.startswith(start))
    paths = [path for path in sorted(tree.glob(pattern)) if pattern != LAWS or not DRAWING.match(path.name)]
    named = [path for path in paths if re.search(rf"\b({'|'.join(names)})\b", path.read_text("utf-8"))]
    # Generic tests find live figures by themselves and bear their names as parameters.
    is_figure = all((tree / file).with_suffix(suffix).exists() for suffix in (".js", ".py"))
    paths = paths if is_figure else named or paths
    paths.sort(key=lambda path: (not any(n in path.stem for n in names), path not in named, path.stat().st_size))
    return " ".join(
        ["pytest", *(path.relative_to(tree).as_posix() for path in paths), *(["-k", stem] if is_figure else [])]
    )


def judge(tree, who):
    """Run a chapter, or tests up to the first failure, in a copy of the tree."""
    if not who.startswith("pytest "):
        return chapters.run(tree, who, limit=100)
    environment = os.environ | {"PYTHONPATH": f"{tree}/code{os.pathsep}{tree}/tools", "OMP_NUM_THREADS": "1"}
    environment["CI"] = "1"  # where a test that is skipped, because no sandbox starts, has failed
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *who.split()[1:]]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=1800)
    except subprocess.TimeoutExpired:
        return {"failures": [{"line": 0, "kind": "died", "message": "the tests are not finished after half an hour"}]}
    names = re.findall(r"^(?:FAILED|ERROR) (.*)", done.stdout, re.MULTILINE)
    message = names[0] if names else f"pytest ended with code {done.returncode}"
    return {"failures": [{"line": 0, "kind": "test", "message": message[:300]}] if done.returncode else []}


def attempt(tree, fault, sound):
    """Run what must catch the fault in a copy of the tree: {"caught": who or None, "kind": …, "message": …}."""
    with tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder).resolve() / "book"
        shutil.copytree(tree, copy, ignore=LEFT_OUT)
        (copy / fault["file"]).write_text(fault["text"], "utf-8")
        for who in fault["judges"]:
            if sound[who]["failures"]:  # it fails without any fault
                continue
            answer = judge(copy, who)
            if answer["failures"]:
                return {"caught": who, **answer["failures"][0]}
            if fault["file"] == f"chapters/{who}.md":
                for line in strictness.weaker(who, sound[who]["checks"], answer["checks"]):
                    return {"caught": who, "kind": "check", "message": line}
    return {"caught": None}


def without_fault(tree, who):
    """Run a chapter or tests in a copy without any fault."""
    with tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder).resolve() / "book"
        shutil.copytree(tree, copy, ignore=LEFT_OUT)
        return judge(copy, who)


def equivalent(tree):
    """Read equivalent.txt: {(file, mutated line)} of faults that change nothing, each with its proof."""
    lines = (tree / "evidence" / "equivalent.txt").read_text("utf-8").splitlines()
    entries = [line.rpartition(" | ")[0] for line in lines if line and not line.startswith("#")]
    return {(file, line) for file, _, line in (entry.partition(" | ") for entry in entries)}


def report(faults, answers, moved):
    """Return the report as Markdown."""
    rows = list(zip(faults, answers, strict=True))
    survivors = [fault for fault, answer in rows if not answer["caught"]]
    lines = [
        "# Mutation run",
        "",
        f"{len(rows)} faults, {len(survivors)} survive. {moved} more are skipped: their text has moved.",
        "",
        "| folder | faults | caught by a check | by an error | by a test | survive |",
        "|---|---|---|---|---|---|",
    ]
    for folder, group in itertools.groupby(sorted(rows, key=lambda row: row[0]["file"]), lambda row: _group(row[0])):
        kinds = collections.Counter(answer.get("kind") for _, answer in group)
        errors = kinds["error"] + kinds["died"]
        lines.append(f"| {folder} | {kinds.total()} | {kinds['check']} | {errors} | {kinds['test']} | {kinds[None]} |")
    lines += ["", "## Survivors", "", *(f"- {f['file']}: `{f['line']}`" for f in survivors)]
    lines += ["", "## Caught", ""]
    lines += [
        f"- {f['file']}: `{f['line']}` by {a['caught'].split()[0]}, {a['message']}" for f, a in rows if a["caught"]
    ]
    return "\n".join(lines) + "\n"


def _group(fault):
    return fault["file"].rpartition("/")[0]


def main(arguments=None, tree=ROOT):
    """Run what is not known yet, write the report, name the survivors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="PATTERN", help="faults whose file or mutated line matches this")
    parser.add_argument("--all", action="store_true", help="every fault that the operators make")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many run side by side")
    options = parser.parse_args(arguments)
    faults, moved = typed(tree)
    known = equivalent(tree)
    faults = [fault for fault in [*made(tree, options.all), *faults] if (fault["file"], fault["line"]) not in known]
    faults = [fault for fault in faults if re.search(options.only, f"{fault['file']} {fault['line']}")]
    if not faults:
        sys.exit(f"No fault has {options.only!r} in its file or line.")
    store, version = tree / "_build" / "mutants", _version(tree)
    judges = sorted({who for fault in faults for who in fault["judges"]})
    with ThreadPoolExecutor(options.jobs) as pool:
        names = {who: chapters.digest("no fault", who, version) for who in judges}
        work = {names[who]: functools.partial(without_fault, tree, who) for who in judges}
        answers = jobs.resume(store / "results.jsonl", work, pool)
        sound = {who: answers[names[who]] for who in judges}
        keys = [chapters.digest(fault["file"], fault["text"], fault["judges"], version) for fault in faults]
        work = {key: functools.partial(attempt, tree, fault, sound) for key, fault in zip(keys, faults, strict=True)}
        answers = jobs.resume(store / "results.jsonl", work, pool)
    answers = [answers[key] for key in keys]
    text = report(faults, answers, moved)
    (store / "report.md").write_text(text, "utf-8")
    print(text.partition("\n## Caught")[0])
    unsound = [f"{who}: {sound[who]['failures'][0]['message']}" for who in judges if sound[who]["failures"]]
    print("\n".join(f"Without any fault this fails, and catches nothing: {line}" for line in unsound))
    sys.exit(bool(unsound) or not all(answer["caught"] for answer in answers))


def _version(tree):
    """Hash all that a run sees."""
    folders = [tree / name for name in ("code", "chapters", "course", "tests", "tools")]
    files = [path for folder in folders for path in sorted(folder.rglob("*.*")) if path.suffix != ".pyc"]
    return chapters.digest(*(path for path in files if path.is_file()))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the same command goes on from here.")
