"""Put small faults into copies of the book, one at a time, and see which check catches each.

python tools/mutants.py [--only PATTERN] [--jobs N] [--cluster ADDRESS]    with .venv's Python and the extra `mutants`

The faults are those of tools/mutants.yml, written by hand, those that mutmut's operators make in the package, and wrong
digits in sentences and wrong verdicts of claims. A fault is caught when a chapter that teaches the law fails, or checks
it less strictly than tools/strictness.json says; faults in what no chapter teaches, and in sentences, must fail a test.
Answers are kept in _build/mutants, so a run that was stopped goes on where it was, and an unchanged tree runs nothing.
The report is _build/mutants/report.md; the exit code is 1 if a fault survives.
"""

import argparse
import ast
import collections
import functools
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import cells
import libcst
import sentences
import strictness
import yaml
from bookext.collect.evidence import SIDES
from libcst.metadata import MetadataWrapper, ParentNodeProvider
from mutmut.mutation import mutators

ROOT = cells.ROOT
TESTS = "tests"  # in place of a chapter: the unit tests of the package must catch it
SOURCES = "sources"  # in place of a chapter: the tests of what is written must catch it
READ = ("test_sentences", "test_claims")  # these, in tests/source
OPERATORS: list = [mutators.operator_number, mutators.operator_swap_op, mutators.operator_remove_unary_ops]
OPERATORS += [mutators.operator_name, mutators.operator_keywords]  # True for False, `is not` for `is`
COPIED = ("code/attnbook", "chapters", "tests/package", "tools/browser.py", "pyproject.toml", "README.md")
COPIED += ("_config.yml", "_toc.yml", "code/bookext", "tests/source", "tests/edition.py", "tools/sentences.py")


def listed(tree):
    """Read the faults of mutants.yml, and its other sections; one sentence ends the run if an entry is wrong."""
    data = yaml.safe_load((tree / "tools" / "mutants.yml").read_text("utf-8"))
    seen = collections.Counter(fault["id"] for fault in data["faults"])
    problems = [f"{name} is listed {times} times" for name, times in seen.items() if times > 1]
    for fault in data["faults"]:
        path = tree / fault["file"]
        times = path.read_text("utf-8").count(str(fault["old"])) if path.is_file() else 0
        if times != 1:
            problems.append(f"{fault['id']}: `old` stands {times} times in {fault['file']}, expected once")
        if not (isinstance(fault["old"], str) and isinstance(fault["new"], str)):
            problems.append(f"{fault['id']}: `old` and `new` must be text: put quotation marks around a number")
        if fault["old"] == fault["new"]:
            problems.append(f"{fault['id']}: `old` and `new` are the same")
        if not fault.get("caught_by"):
            problems.append(f"{fault['id']}: `caught_by` names nobody")
    if problems:
        sys.exit("tools/mutants.yml: " + "; ".join(problems) + ".")
    return data


def teachers(tree):
    """Return {(module, name): the chapters that import this function}, the one that uses it most first."""
    found = collections.defaultdict(collections.Counter)
    for slug in cells.chapters(tree):
        sources = [source for _, source, _ in cells.read(tree / "chapters" / f"{slug}.md")]
        nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
        uses = collections.Counter(node.id for node in nodes if isinstance(node, ast.Name))
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("attnbook."):
                for alias in node.names:
                    found[node.module.removeprefix("attnbook."), alias.name][slug] = uses[alias.asname or alias.name]
    return found


def callers(module):
    """Return {function: the functions at the top of this file that reach it, itself among them}, from a parsed file."""
    bodies = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    uses = {
        name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & set(bodies) for name, node in bodies.items()
    }
    reach = {name: {name} for name in bodies}
    for _ in bodies:
        for name, used in uses.items():
            for other in used:
                reach[other] = reach[other] | reach[name]
    return reach


def systematic(tree, settings):
    """Return faults in arithmetic, comparisons, signs and numbers of the package, one operator at one place each."""
    taught = teachers(tree)
    for file, most in settings["files"].items():
        path, module = tree / "code" / "attnbook" / f"{file}.py", file.replace("/", ".")
        text = path.read_text("utf-8")
        reach, faults = callers(ast.parse(text)), {}
        for function, guard, line, mutated in _mutations(text, set(settings["guards"])):
            name = f"{module}.{function}: {line}"
            users = reach.get(function, {function})
            chapters = sum((taught[module, user] for user in sorted(users)), collections.Counter())
            caught_by = [TESTS] if guard or not chapters else [slug for slug, _ in chapters.most_common()]
            law = "a bad argument is refused" if guard else f"what {function} computes"
            fault = {"id": name, "file": str(path.relative_to(tree)), "text": mutated, "law": law}
            faults.setdefault(name, fault | {"caught_by": caught_by})
        chosen = sorted(faults, key=cells.digest)[: most or None]
        yield from (faults[name] for name in faults if name in chosen)


def _mutations(text, guards):
    """List the mutated versions of a file: (function, whether it only guards the input, mutated line, mutated text)."""
    wrapper = MetadataWrapper(libcst.parse_module(text))
    code = wrapper.module.code_for_node
    parents = wrapper.resolve(ParentNodeProvider)
    for node in list(parents):
        around = [node]
        while around[-1] in parents:
            around.append(parents[around[-1]])
        functions = [n.name.value for n in around if isinstance(n, libcst.FunctionDef)]
        if not functions or any(isinstance(n, libcst.Raise | libcst.Annotation | libcst.Decorator) for n in around):
            continue
        guard = not guards.isdisjoint(functions) or any(_refuses(n, guards) for n in around)
        for operator in OPERATORS:
            accepts = next(kind for kind, known in mutators.mutation_operators if known is operator)
            for other in operator(node) if isinstance(node, accepts) else ():
                # The function at the top of the file: to rewrite the whole file takes ten times as long.
                whole = around[-2]
                mutated = text.replace(code(whole), code(whole.deep_replace(node, other)))
                before, after = text.splitlines(), mutated.splitlines()
                changed = next((b for a, b in zip(before, after, strict=False) if a != b), "")
                yield functions[-1], guard, changed.strip(), mutated


def _refuses(node, guards):
    """Return whether this is `if …: raise`, or a call of a function that only refuses bad arguments."""
    if isinstance(node, libcst.If):
        first = node.body.body[0]
        return isinstance(first, libcst.SimpleStatementLine) and isinstance(first.body[0], libcst.Raise)
    return isinstance(node, libcst.Call) and isinstance(node.func, libcst.Name) and node.func.value in guards


def written(tree, settings):
    """Return faults in what is written: another last digit of a typed number, another verdict of a claim."""
    claims, pages = tree / "chapters" / "audit" / "claims.yml", sorted((tree / "chapters").rglob("*.md"))
    texts = {path: path.read_text("utf-8") for path in [*pages, claims]}
    slips = {"decimals": [], "figures": [], "verdicts": []}  # (page, first, last, what stands there instead)
    for path, text in texts.items():
        if path == claims:
            kind, typed = "figures", sentences.NUMBER.finditer(sentences.figures(text))
        else:
            kind, typed = "decimals", sentences.DECIMAL.finditer(sentences.prose(text))
        for found in typed:
            last = found.end(1)
            slips[kind].append((path, last - 1, last, str((int(text[last - 1]) + 1) % 10)))
    for found in re.finditer(r"^  verdict: (\w+)$", texts[claims], re.MULTILINE):
        slips["verdicts"] += [(claims, *found.span(1), other) for other in SIDES if other != found[1]]
    for kind, most in settings.items():
        faults = {f"{path.stem}:{first}, {new}": (path, first, last, new) for path, first, last, new in slips[kind]}
        for name in sorted(faults, key=cells.digest)[: most or None]:
            path, first, last, new = faults[name]
            fault = {"id": f"{kind}: {name}", "file": str(path.relative_to(tree)), "caught_by": [SOURCES]}
            yield fault | {"text": texts[path][:first] + new + texts[path][last:], "law": "what a sentence says"}


def attempt(tree, fault):
    """Run what must catch the fault, in a copy of the tree: {"caught": who, "failures": …}, who is None if nobody."""
    with tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder).resolve()
        for name in COPIED:
            source, target = tree / name, copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        if fault.get("text"):
            (copy / fault["file"]).write_text(fault["text"], "utf-8")
        elif fault.get("old"):
            path = copy / fault["file"]
            path.write_text(path.read_text("utf-8").replace(fault["old"], fault["new"]), "utf-8")
        for who in fault["caught_by"]:
            answer = _answer(copy, fault, who)
            if answer["failures"]:
                return {"caught": who, **answer["failures"][0]}
            if weakened := _weakened(tree, fault, who, answer):
                return {"caught": who, "line": 0, "kind": "check", "message": weakened[0][:300]}
    return {"caught": None}


def _answer(copy, fault, who):
    if who == SOURCES:
        return cells.run_tests(copy, [f"tests/source/{name}.py" for name in READ])
    return _tested(copy, fault) if who == TESTS else cells.run(copy, who, limit=100)


def _weakened(tree, fault, who, answer):
    """Name the laws that a page checks less strictly than the record, if the fault is not in the package."""
    inside = fault["file"].startswith("code/") or who in (TESTS, SOURCES)
    return [] if inside else list(strictness.weaker(who, strictness.read(tree).get(who, {}), answer["laws"]))


def _tested(copy, fault):
    """Return the tests of the faulty module or its folder, and after them all other tests of the package."""
    every = sorted(str(path) for path in (copy / "tests" / "package").glob("test_*.py"))
    path = Path(fault["file"])
    own = [name for name in every if Path(name).name.startswith((f"test_{path.stem}", f"test_{path.parent.name}"))]
    nearest = (f"test_{path.parent.name}_{path.stem}", f"test_{path.parent.name}_stills")  # they come first
    own.sort(key=lambda name: Path(name).stem not in nearest or path.suffix == ".js")
    shared = path.stem in ("core", "parts")
    chosen = ["-k", path.stem] if path.suffix == ".js" and not shared else []  # the tests that name a live figure
    answer = cells.run_tests(copy, [*own, *chosen]) if own else {"failures": []}
    others = [name for name in every if name not in own]
    if answer["failures"] or chosen or not others:
        return answer
    return cells.run_tests(copy, sorted(others, key=lambda name: "test_live" in name))  # those in a browser last


def key(tree, fault):
    """Name the stored answer: the name changes with the fault, the package, the cells and the tests."""
    if fault["caught_by"] == [SOURCES]:
        tests = sorted((tree / "tests" / "source").iterdir())
        return cells.digest(sorted(fault.items()), *(path for path in tests if path.is_file()), _pages(tree))
    code = [_code(tree, who) for who in fault["caught_by"] if who != TESTS]
    if not fault["file"].startswith("code/"):
        code.append(tree / strictness.RECORD)
    tests = sorted((tree / "tests" / "package").glob("*.py")) if TESTS in fault["caught_by"] else []
    return cells.digest(sorted(fault.items()), _package(tree), *code, *tests)


@functools.cache
def _code(tree, slug):
    return cells.code(tree / "chapters" / f"{slug}.md")


@functools.cache
def _pages(tree):
    return cells.digest(*sorted(path for end in ("*.md", "*.yml") for path in (tree / "chapters").rglob(end)))


@functools.cache
def _package(tree):
    return cells.digest(*cells.package(tree))


def faults(tree, only=""):
    """List all faults with the chapters that must catch them, and the equivalent ones, left out, with their reasons."""
    data = listed(tree)
    made = list(systematic(tree, data["systematic"])) if data.get("systematic") else []
    made += list(written(tree, data["written"])) if data.get("written") else []
    details, equivalent = data.get("details") or {}, data.get("equivalent") or {}
    unknown = sorted((set(details) | set(equivalent)) - {fault["id"] for fault in [*made, *data["faults"]]})
    if unknown:
        sys.exit(f"tools/mutants.yml: no fault is made that is called {' or '.join(unknown)}.")
    for fault in made:
        if fault["id"] in details:
            fault.update(caught_by=[TESTS], law=details[fault["id"]])
    for fault in data["faults"]:
        fault["caught_by"] = [fault["caught_by"]] if isinstance(fault["caught_by"], str) else fault["caught_by"]
    every = data["faults"] + [fault for fault in made if fault["id"] not in equivalent]
    return [
        fault for fault in every if re.search(only, f"{fault['id']} {fault['file']} {fault['caught_by']}")
    ], equivalent


def report(found, answers, equivalent):
    """Return the report as Markdown."""
    rows = [(fault, answers[fault["id"]]) for fault in found]
    survivors = [fault for fault, answer in rows if not answer["caught"]]
    weak = [(fault, answer) for fault, answer in rows if answer["caught"] and answer["kind"] not in ("check", "test")]
    strong = sum(answer.get("kind") == "check" for _, answer in rows)
    tests = sum(answer.get("kind") == "test" for _, answer in rows)
    lines = [
        "# Mutation run", "",
        f"{len(rows)} faults: {strong} caught by a check of a chapter, {len(weak)} by an error in a chapter (weakly: "
        f"something else than a check stopped it), {tests} by a unit test (no chapter teaches them), "
        f"{len(survivors)} survive. {len(equivalent)} more change nothing that can be seen and are left out.", "",
        "| caught by | faults | by a check | by an error | survivors |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for who in dict.fromkeys(name for fault in found for name in fault["caught_by"]):
        mine = [(f, a) for f, a in rows if a["caught"] == who or (not a["caught"] and f["caught_by"][0] == who)]
        kinds = collections.Counter(a.get("kind") for _, a in mine)
        errors = len(mine) - kinds["check"] - kinds["test"] - kinds[None]
        lines.append(f"| {who} | {len(mine)} | {kinds['check'] + kinds['test']} | {errors} | {kinds[None]} |")
    lines += ["", "## Survivors", ""]
    lines += [f"- `{f['id']}` in {f['file']}: {f['law']}; ran {', '.join(f['caught_by'])}" for f in survivors] or [
        "None."
    ]
    lines += ["", "## Caught by an error only", ""]
    lines += [f"- `{f['id']}`: {a['caught']}.md:{a['line']}, {a['message']}" for f, a in weak] or ["None."]
    lines += ["", "## Caught", ""]
    lines += [f"- `{f['id']}`: {a['caught']}:{a['line']}, {a['message']}" for f, a in rows
              if a.get("kind") in ("check", "test")]  # fmt: skip
    lines += ["", "## Equivalent", "", *(f"- `{name}`: {reason}" for name, reason in equivalent.items())]
    return "\n".join(lines) + "\n"


def main(arguments=None, tree=ROOT):
    """Run what is not known yet, write the report, name the survivors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", default="", metavar="PATTERN", help="faults whose name, file or chapter has this in it"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many run side by side")
    parser.add_argument("--cluster", default="", metavar="ADDRESS", help="a dask scheduler whose workers run them")
    given = parser.parse_args(arguments)
    found, equivalent = faults(tree, given.only)
    if not found:
        sys.exit(f"No fault has {given.only!r} in its name, file or chapter.")
    store = tree / "_build" / "mutants"
    who = dict.fromkeys(name for fault in found for name in fault["caught_by"])
    sound = [{"id": f"no fault, {name}", "file": "", "caught_by": [name]} for name in who]
    names = {fault["id"]: key(tree, fault) for fault in sound + found}
    work = {names[fault["id"]]: functools.partial(attempt, tree, fault) for fault in sound + found}
    with cells.workers(given.jobs, given.cluster, tree) as pool:
        answers = cells.resume(store / "results.jsonl", work, pool)
    answers = {name: answers[number] for name, number in names.items()}
    for fault in sound:
        if answers[fault["id"]]["caught"]:
            sys.exit(f"Without any fault {fault['caught_by'][0]} fails: {answers[fault['id']]['message']}")
    text = report(found, answers, equivalent)
    (store / "report.md").write_text(text, "utf-8")
    print(text.splitlines()[2])
    survivors = [fault for fault in found if not answers[fault["id"]]["caught"]]
    for fault in survivors:
        print(f"survives: {fault['id']} in {fault['file']} ({', '.join(fault['caught_by'])})")
    print(f"The report is in {(store / 'report.md').relative_to(tree)}.")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the same command goes on from here.")
