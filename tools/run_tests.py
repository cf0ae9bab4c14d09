"""Run the linters, the build of the book and pytest, as `make check`, `make test` and `make format` do.

python tools/run_tests.py check [CHAPTER]                  look at what differs from the main branch, in seconds
python tools/run_tests.py test [--all] [--english] [ONLY]  run everything; with --all also the tests that take long
python tools/run_tests.py format                           lay out the code: Python by ruff, the rest by deno

Without ONLY the editions in other languages are built and compared with the English book as well; with --english not.

CHAPTER, such as rnn-bottleneck, is looked at whether it changed or not. ONLY names a folder or a file below tests/, or
a part of a file's name, or is a pattern for pytest's -k; the linters are left out then.

A step of `check` whose files are those with which it last succeeded is not done again. What fails is said last: each
task returns {step: its failure, or None}, which `main` reports. What a change touches is decided in touched.py, and
what a step is remembered by in remembered.py.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import book
import remembered
import touched
from bookext.contents import contents
from browser import chromium

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
SLOW_PHONE = TESTS / "site" / "test_lighthouse.py"  # measures seconds, so it runs alone, after all others
BUILT = ("site", "notebooks")  # folders of tests that look at the built book
WORKERS = str((os.cpu_count() or 1) + 1)  # a test often waits: for a browser, a kernel, a deadline
LAYOUT = {"ruff format", "deno fmt"}  # the linters whose complaints `make format` mends
SUCCESSES = ROOT / "_build" / "checked.json"

Failure = str  # what is said of a step that failed; None in its place says that it succeeded


# --- Run one thing ----------------------------------------------------------------------------------------------------


@dataclass
class Started:
    """A process that runs beside others; what it prints goes into a temporary file."""

    name: str
    process: subprocess.Popen
    output: IO[str]

    def finish(self) -> Failure | None:
        """Wait for the process, and print whether it succeeded; return what it printed if it failed."""
        succeeded = self.process.wait() == 0
        with self.output:
            self.output.seek(0)
            text = self.output.read().strip()
        print(f"{self.name}: {'ok' if succeeded else 'FAILED'}", flush=True)
        return None if succeeded else text


def start(name, *arguments):
    """Start this Python from the top of the tree, beside what runs already."""
    output = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 (closed by finish)
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    return Started(name, process, output)


def start_linters(files=()):
    """Start the linters, over all files or over those that changed."""
    return [start(name, *arguments) for name, arguments in touched.linters(files).items()]


def finish_all(started) -> dict[str, Failure | None]:
    """Wait for processes, one after the other, and return how each of them ended, by its name."""
    return {each.name: each.finish() for each in started}


def run_python(*command, failed=None) -> Failure | None:
    """Run this Python from the top of the tree; if it fails, return what the file ``failed`` says."""
    if subprocess.run([sys.executable, *command], cwd=ROOT).returncode == 0:
        return None
    return failed.read_text("utf-8") if failed and failed.exists() else "What it said is above."


def pytest(*arguments, workers=WORKERS) -> Failure | None:
    """Run pytest, in several processes unless ``workers`` is 0."""
    command = [sys.executable, "-m", "pytest", "-n", workers, *map(str, arguments)]
    return None if subprocess.run(command, cwd=ROOT).returncode == 0 else "The tests that failed are named above."


# --- make check -------------------------------------------------------------------------------------------------------


def check(chapter) -> dict[str, Failure | None]:
    """Look at what changed, and at a chapter that may be named. Complaints of linters end it at once."""
    changed = touched.changed_files()
    results = finish_all(start_linters(changed)) if changed else {}
    if any(complaint is not None for complaint in results.values()):
        print("tests, book: not run, as what the linters say is mended first", flush=True)
        return results
    successes = remembered.Successes(SUCCESSES)
    files = remembered.hashes(ROOT, touched.all_files())
    arguments = touched.build_arguments(changed, chapter)
    build = start_build(arguments, files, successes) if arguments else None
    results["tests"] = check_tests(changed, files, successes)
    load_advice()
    if build:
        results["book"] = build.finish()
        if results["book"] is None:
            successes.add(build_step(arguments, files))
    advise([chapter] if chapter else touched.changed_chapters(changed))
    for line in touched.what_else(changed):
        print(f"\n{line}")
    return results


def start_build(arguments, files, successes):
    """Start a build of the book, unless it succeeded with the same files: then return None."""
    if build_step(arguments, files) in successes:
        print("book: ok, as nothing in it has changed since it was built", flush=True)
        return None
    wait_for_another_build()
    return start("book", "tools/book.py", *arguments)


def build_step(arguments, files):
    """Return the key of a build: all that pages are made of, and what an earlier complete build left."""
    folder = book.CHECKED / "_build" if arguments[0] == "check" else book.BUILD
    complete = folder / ".doctrees" / "complete"
    left = str(complete.stat().st_mtime_ns) if complete.exists() else ""
    parts = {name: digest for name, digest in files.items() if name.startswith((*touched.OF_PAGES, "tools/book.py"))}
    return remembered.key(" ".join(["book", *arguments]), parts | {"complete": left})


def wait_for_another_build():
    """Wait while another process builds: here, where one sees what is waited for, as a build prints into a file."""
    with book.locked():
        return


def check_tests(changed, files, successes) -> Failure | None:
    """Run the tests of sources and of what changed, but not those that passed with the same files."""
    steps = remembered.source_steps(contents(ROOT).pages, files)
    pages = [page for page, key in steps.items() if key not in successes]
    tests = remembered.other_steps(ROOT, touched.relevant_tests(changed), files)
    tests = {path: key for path, key in tests.items() if key not in successes}
    if not pages and not tests:
        print("tests: ok, as nothing that they read has changed since they passed", flush=True)
        return None
    sources = [TESTS / "source", f"--pages={','.join(pages)}"] if pages else []
    failure = pytest(*sources, *tests, workers=WORKERS if tests else "0")
    if failure is None:
        successes.add(*(steps[page] for page in pages), *tests.values())
    return failure


def load_advice():
    """Import what gives advice while the book is still built; `advise` says what goes wrong with it."""
    with contextlib.suppress(Exception):
        import advice  # noqa: F401


def advise(chapters):
    """Print advice on chapters. Whatever goes wrong with it, an import too, is printed: advice fails nothing."""
    try:
        from advice import advice

        lines = advice(chapters)
    except Exception as error:
        lines = [f"No advice: {type(error).__name__}: {error}"]
    if lines:
        print("\nAdvice, which fails nothing:", *lines, sep="\n  ")


# --- make test --------------------------------------------------------------------------------------------------------


def test(only, everything, english) -> dict[str, Failure | None]:
    """Run everything, or what ``only`` names."""
    paths = chosen(only)
    linters = [] if only else start_linters()
    results = {}
    if need_the_book(paths):
        results["book"] = run_python("tools/book.py", "build", failed=book.BUILD / book.FAILED)
    if not only and not english and results["book"] is None:
        results["editions"] = run_python("tools/translation.py", "build")
    results |= finish_all(linters)
    if results.get("book") is not None:  # every test of the pages would fail for this one reason
        paths += [f"--ignore={TESTS / folder}" for folder in BUILT]
    markers = ["-m", ""] if everything else []
    if everything and not only:
        results["tests"] = pytest(*paths, *markers, f"--ignore={SLOW_PHONE}", "--durations=20")
        results["Lighthouse"] = pytest(SLOW_PHONE, *markers, workers="0")
    else:
        results["tests"] = pytest(*paths, *markers, "--durations=20")
    return results


def chosen(only, tests=TESTS):
    """Return what pytest runs for ``only``: that folder or file, the files with it in their names, or a pattern.

    Without ``only`` that is everything. The name of a live figure is a pattern, although a file bears it: the tests of
    all figures look at it as well.
    """
    if not only:
        return [tests]
    if (tests / only).exists():
        return [tests / only]
    named = [path for path in sorted(tests.rglob("test_*.py")) if only in path.name]
    are_of_figures = all(path.parent.name == "figures" for path in named)
    if not named or are_of_figures:
        return [tests, "-k", only]
    return named


def need_the_book(paths):
    """Return whether some of what pytest runs looks at the built book."""
    return any(path == TESTS or set(BUILT) & set(path.parts) for path in paths if isinstance(path, Path))


# --- make format ------------------------------------------------------------------------------------------------------


def lay_out() -> dict[str, Failure | None]:
    """Let the formatters decide the layout of the code."""
    folders = touched.PYTHON_FOLDERS
    sort = ("-m", "ruff", "check", "--select", "I,RUF022", "--fix-only", "--quiet", *folders)
    return {
        "order of imports and __all__": run_python(*sort),
        "ruff format": run_python("-m", "ruff", "format", *folders),
        "deno fmt": run_python("-m", "deno", "fmt"),
    }


# --- The command line -------------------------------------------------------------------------------------------------


def command_line():
    """Return the parser of the command line: the tasks, and what each of them takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)

    task = tasks.add_parser("check", help="look at what differs from the main branch")
    task.add_argument("chapter", nargs="?", default="", help="is looked at whether it changed or not")
    task.set_defaults(run=lambda options: check(options.chapter))

    task = tasks.add_parser("test", help="run everything")
    task.add_argument("only", nargs="?", default="", help="a folder, a file or a pattern")
    task.add_argument("--all", action="store_true", help="also what takes long: see the marker `thorough`")
    task.add_argument("--english", action="store_true", help="without the editions in other languages")
    task.set_defaults(run=lambda options: test(options.only, options.all, options.english))

    task = tasks.add_parser("format", help="lay out the code")
    task.set_defaults(run=lambda options: lay_out())
    return parser


def main():
    """Do what the command line asks for; the exit code says whether everything succeeded."""
    options = command_line().parse_args()
    if chromium():
        os.environ["CHROMIUM"] = chromium()
    os.environ["NO_COLOR"] = "1"  # what the linters print is shown later, from a file
    os.environ["OMP_NUM_THREADS"] = "1"  # several workers share the cores; more threads would wait for each other
    sys.exit(report(options.run(options), options.task))


def report(results, task):
    """Print what failed, and whether anything did; return whether."""
    failed = {name: text for name, text in results.items() if text is not None}
    for name, text in failed.items():
        print(f"\n{name}\n{text}")
    if LAYOUT.intersection(failed) and task != "format":
        print("\n`make format` lays the code out.")
    print(f"\nFAILED: {', '.join(failed)}" if failed else f"\nAll is well: {', '.join(results)}")
    return bool(failed)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, OSError) as error:
        sys.exit(f"{str(error) or 'Interrupted'}.")
