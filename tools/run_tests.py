"""Run the linters, build the book, run the tests; end in a table.

python tools/run_tests.py check [--chapter NAME]        what an edit needs: lint, sources, what changed, one page
python tools/run_tests.py test [--all] [--only WHAT]    everything, or a group or pattern; with --all also what is slow

With .venv's Python and the extra `test`. The groups of tests are the folders of tests/; `--only` takes a group (`lint`,
`book`, `package`, …), a part of the name of a test file, or else a pattern of pytest's -k.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import book
import changed
from browser import chromium

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
GROUPS = ("source", "package", "tools", "site", "notebooks", "course")
BUILT = {"site", "notebooks"}  # groups that look at the built book
TIMED = TESTS / "site" / "test_lighthouse.py"  # measures seconds: it runs alone, after all others
WORKERS = (os.cpu_count() or 1) + 1  # a test often waits: for a browser, a kernel, a deadline
SPELLED = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
SPELLED += ("chapters", "code", "course", "experiments", "tests", "tools")
LINTERS = {  # arguments of `python -m`; .pre-commit-config.yaml runs the same
    "ruff check": ["ruff", "check", "code", "experiments", "tests", "tools"],
    "ruff format": ["ruff", "format", "--check", "code", "experiments", "tests", "tools"],
    "codespell": ["codespell_lib", *SPELLED],
    "mypy": ["mypy"],
}


@dataclass
class Result:
    """What one group came to: counts, seconds, and (seconds, name) of its tests."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0
    slow: list = field(default_factory=list)
    reasons: list = field(default_factory=list)  # "name: why" of what was skipped
    told: list = field(default_factory=list)  # what stands below the closing table

    @property
    def tests(self):
        return self.passed + self.failed + self.skipped


def heading(text):
    """Announce a group."""
    print(f"\n{text}", flush=True)


def python(*arguments, **options):
    """Run this Python from the top of the tree."""
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, **options)


def lint():
    """Run every linter side by side; show what those that fail have to say. One test each."""
    heading("lint")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    start, total = time.monotonic(), Result()
    running = {
        name: subprocess.Popen([sys.executable, "-m", *rest], cwd=ROOT, **pipes) for name, rest in LINTERS.items()
    }
    for name, process in running.items():
        said = process.communicate()[0]
        total.failed += process.returncode != 0
        total.passed += process.returncode == 0
        total.slow.append((time.monotonic() - start, name))
        print(f"{name}: {'sound' if process.returncode == 0 else 'FAILED'}", flush=True)
        if process.returncode:
            print(said, flush=True)
            total.told.append(f"{name}: failed\n{said}")
    total.seconds = time.monotonic() - start
    return total


def build():
    """Build the book; one test. What a failed build says last stands again below the closing table."""
    heading("book")
    start, last = time.monotonic(), deque(maxlen=60)
    command = [sys.executable, "tools/book.py", "build"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for said in process.stdout:
            print(said, end="", flush=True)
            last.append(said)
    failed, seconds = process.returncode != 0, time.monotonic() - start
    told = ["book: the build failed\n" + "".join(last)] * failed
    return Result(int(not failed), int(failed), seconds=seconds, slow=[(seconds, "book")], told=told)


def count(report, code):
    """Return {group: Result} from the JUnit report of pytest (None if there is none) and its exit code."""
    results = {}
    for case in ElementTree.fromstring(report).iter("testcase") if report else ():
        parts = case.get("classname", "").split(".")
        group = parts[1] if parts[0] == "tests" and len(parts) > 2 else "tests"
        result = results.setdefault(group, Result())
        name, seconds = f"{'/'.join(parts)}::{case.get('name')}", float(case.get("time", 0))
        kinds = {child.tag for child in case}
        result.seconds += seconds
        result.slow.append((seconds, name))
        if kinds & {"failure", "error"}:
            result.failed += 1
        elif "skipped" in kinds:
            result.skipped += 1
            result.reasons.append(f"{name}: {case.find('skipped').get('message')}")
        else:
            result.passed += 1
    if code and not any(result.failed for result in results.values()):  # it crashed, or collected nothing
        results["pytest"] = Result(failed=1)
    return results


def pytest(paths, *options, workers=WORKERS):
    """Run test files or folders, side by side unless ``workers`` is 0: {group: Result}."""
    heading("tests")
    report = ROOT / "_build" / "tests.xml"
    report.unlink(missing_ok=True)
    code = python("-m", "pytest", *map(str, paths), f"-n{workers}", f"--junitxml={report}", *options).returncode
    return count(report.read_bytes() if report.exists() else None, code)


def table(results, seconds):
    """Return the closing table as text: a line for each group, its slowest tests, what was skipped, what went wrong."""
    total = total_of(results)
    rows = [("group", "tests", "passed", "failed", "skipped", "seconds")]
    rows += [(n, r.tests, r.passed, r.failed, r.skipped, round(r.seconds)) for n, r in results.items()]
    rows += [("together", total.tests, total.passed, total.failed, total.skipped, round(seconds))]
    lines = [f"{name:<10}" + "".join(f"{cell!s:>9}" for cell in cells) for name, *cells in rows]
    lines[-1] += " on the clock; the groups run side by side"
    lines += ["", "the slowest of each group"]
    for name, result in results.items():
        lines += [f"{name:<10}{took:9.1f} s  {what}" for took, what in sorted(result.slow, reverse=True)[:5]]
    if total.reasons:
        lines += ["", "skipped", *total.reasons]
    for result in results.values():
        lines += ["", *result.told] if result.told else []
    return "\n".join(lines)


def total_of(results):
    """Return all groups in one Result."""
    total = Result()
    for r in results.values():
        for name in ("passed", "failed", "skipped"):
            setattr(total, name, getattr(total, name) + getattr(r, name))
        total.seconds += r.seconds
        total.slow += r.slow
        total.reasons += r.reasons
    return total


def line(total):
    """Return `N passed, N failed`, and how many were skipped if any were."""
    return f"{total.passed} passed, {total.failed} failed" + (f", {total.skipped} skipped" if total.skipped else "")


def chosen(only):
    """Resolve what `--only` names: (groups, test files, options of pytest)."""
    if not only:
        return ["lint", "book", *GROUPS], [TESTS / group for group in GROUPS], []
    if only in ("lint", "book"):
        return [only], [], []
    if only in GROUPS:
        return (["book"] if only in BUILT else []) + [only], [TESTS / only], []
    files = [path for path in sorted(TESTS.rglob("test_*.py")) if only in path.relative_to(ROOT).as_posix()]
    if files:
        return ["book"] * any(path.parent.name in BUILT for path in files), files, []
    return ["book"], [TESTS], ["-k", only]


def test(only, everything):
    """Return `make test` and `make test-all`: {group: Result}."""
    groups, paths, options = chosen(only)
    results = {}
    with ThreadPoolExecutor() as beside:
        linting = beside.submit(lint) if "lint" in groups else None  # mypy and the build take one core each
        built = build() if "book" in groups else None
        results |= {"lint": linting.result()} if linting else {}
        results |= {"book": built} if built else {}
    if "book" in results and results["book"].failed:  # the tests of what was not built would say nothing but that
        looking = [path for path in paths if BUILT & set(path.relative_to(TESTS).parts)]
        paths = [path for path in paths if path not in looking]
        left_out = ", ".join(path.relative_to(TESTS).as_posix() for path in looking)
        results["book"].told.append(f"not run, for the book is not built: {left_out}")
    timed = everything and not options and any(path in (TIMED, TIMED.parent) for path in paths)
    if timed:  # what beside it takes the processor would count against the page
        paths = [path for path in paths if path != TIMED]
        options = [f"--ignore={TIMED}"]
    if paths:
        results |= pytest(paths, *options, *(["-m", ""] if everything else []))
    if timed:
        results |= {"timed": total_of(pytest([TIMED], "-m", "", workers=0))}
    return results


def begin_page(chapters):
    """Begin to execute chapters and to build their pages, beside the tests; `end_page` waits for it."""
    said = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (closed with the process)
    command = [sys.executable, "tools/book.py", "check", *chapters]
    return subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT), said, time.monotonic()


def end_page(chapters, process, said, start):
    """Wait for the pages, say what went wrong with them, look at them without a browser: {group: Result}."""
    heading(f"page: {', '.join(chapters)}")
    failed, seconds = process.wait() != 0, time.monotonic() - start
    said.seek(0)
    print(said.read() if failed else said.read().strip().rpartition("\n")[2], flush=True)
    results = {"page": Result(int(not failed), int(failed), seconds=seconds, slow=[(seconds, ", ".join(chapters))])}
    if not failed:
        os.environ["BOOK_SITE"] = str(book.CHECKED / "_build" / "html")
        these = " or ".join(f"chapters/{chapter}" for chapter in chapters)
        looks = [TESTS / "site" / f"test_{name}.py" for name in ("markup", "margins")]
        results |= pytest(looks, "-k", these, workers=0)
    return results


def check(chapter):
    """Return `make check`: lint, sources, the tests of what changed, one chapter and its page: {group: Result}."""
    since = changed.files()
    chapters = [chapter] if chapter else changed.chapters(since)
    page = begin_page(chapters) if chapters else ()
    results = {"lint": lint()}
    tests = changed.reaching(since)
    results |= pytest([TESTS / "source", *tests], workers=WORKERS if tests else 0)
    if chapters:
        results |= end_page(chapters, *page)
    left_out = changed.importing(since, chapters)
    if left_out:
        print(
            f"\nNot executed, although they import what changed: {', '.join(left_out)}."
            "\n`make check CHAPTER=<name>` executes one, `make book` all of them."
        )
    return results


def main():
    """Do what the command line asks for; the exit code says whether all is well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("check", "test"))
    parser.add_argument("--chapter", default="", help="the chapter to execute, such as rnn-bottleneck")
    parser.add_argument("--only", default="", help="a group, a part of a test file's name, or a pattern")
    parser.add_argument("--all", action="store_true", help="also what takes long: see the marker `thorough`")
    options = parser.parse_args()
    if chromium():
        os.environ["CHROMIUM"] = chromium()
    os.environ["OMP_NUM_THREADS"] = "1"  # several workers share the cores; more threads would wait for each other
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every worker and every kernel compiles the package again
    start = time.monotonic()
    results = check(options.chapter) if options.task == "check" else test(options.only, options.all)
    heading("Summary")
    print(table(results, time.monotonic() - start))
    total = total_of(results)
    print("\n" + line(total))
    sys.exit(total.failed > 0 or total.tests == 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted.")
