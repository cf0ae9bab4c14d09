"""Run the linters, the build of the book and pytest, as `make check` and `make test` do.

python tools/run_tests.py check [CHAPTER]      look at what changed since the last commit, in seconds
python tools/run_tests.py test [--all] [ONLY]  run everything; with --all also the tests that take long

Without ONLY the editions in other languages are built and compared with the English book as well; with --english not.

CHAPTER, such as rnn-bottleneck, is executed whether it changed or not. ONLY names a folder or a file below tests/, or
a part of a file's name, or is a pattern for pytest's -k; the linters are left out then.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import book
from browser import chromium

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
SLOW_PHONE = TESTS / "site" / "test_lighthouse.py"  # measures seconds, so it runs alone, after all others
BUILT = ("site", "notebooks")  # folders of tests that look at the built book
WORKERS = str((os.cpu_count() or 1) + 1)  # a test often waits: for a browser, a kernel, a deadline
PYTHON_FILES = re.compile(r"^(code|evidence|experiments|tests|tools)/.*\.py$")
SPELLED = re.compile(r"\.(css|html|js|md|py|toml|txt|ya?ml)$|^Makefile$")
OF_PAGES = ("chapters/", "course/", "code/", "_config.yml", "_toc.yml")  # what the pages of the book are made of


def git(*arguments):
    """Return the names of existing files that git prints."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[0]
        sys.exit(f"`make check` and `make test` need git, and a clone that it made: {reason}")
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def changed_files():
    """Return the files that differ from the last commit or are new."""
    return sorted({*git("diff", "--name-only", "HEAD"), *git("ls-files", "--others", "--exclude-standard")})


def changed_chapters(changed):
    """Return the names of the chapters among these files, such as deeper/temperature."""
    return [match[1] for name in changed if (match := re.match(r"chapters/(.*)\.md$", name))]


def needs_more(path):
    """Return whether a test file opens a browser or imports a package that only `make test` installs."""
    text = path.read_text("utf-8")
    names = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    missing = [name for name in names if not find_spec(name) and not path.with_name(f"{name}.py").exists()]
    return bool(missing or re.search(r"chromium|playwright", text))


def relevant_tests(changed, tests=TESTS):
    """Return the tests of what changed that `make check` can run; of a law, with those that try every law."""
    stems = [Path(name).stem for name in changed if re.match(r"(code|tools)/.*\.py$", name)]
    folders = [match[1] for name in changed if (match := re.match(r"code/\w+/(\w+)/", name))]
    wanted = {f"test_{name}.py" for name in (*stems, *folders)}
    if any(re.match(r"code/attnbook/\w+\.py$", name) for name in changed):
        wanted |= {"test_bad_input.py", "test_doctests.py"}
    files = [path for folder in ("package", "tools") for path in sorted((tests / folder).glob("test_*.py"))]
    files = [path for path in files if path.name in wanted or f"tests/{path.parent.name}/{path.name}" in changed]
    return [path for path in files if not needs_more(path)]


def build_arguments(changed, chapter=""):
    """Return the arguments of tools/book.py that show what changed, or nothing if no page can have changed.

    While the package is being changed too, only the changed chapters are executed, in a second build.
    """
    chapters = [chapter] if chapter else changed_chapters(changed)
    if chapter or any(re.match(r"code/(attnbook|attnfigures)/.*\.(py|json)$", name) for name in changed):
        return ["check", *chapters] if chapters else []
    return ["build"] if any(name.startswith(OF_PAGES) for name in changed) else []


def start(*arguments):
    """Start this Python from the top of the tree; its output goes into a temporary file."""
    output = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 (closed by finish)
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT), output


def finish(name, started, quiet=True):
    """Wait for a process, show what it printed if it failed, and return whether it succeeded."""
    process, output = started
    succeeded = process.wait() == 0
    with output:
        output.seek(0)
        text = output.read().strip()
    print(f"\n{name}: {'ok' if succeeded else 'FAILED'}", flush=True)
    if not succeeded or not quiet:
        print(text if not succeeded else text.rpartition("\n")[2], flush=True)
    return succeeded


def linters(files=()):
    """Start the linters, over all files or over those that changed."""
    everything = not files
    files = files or git("ls-files", "--cached", "--others", "--exclude-standard")
    code = [name for name in files if PYTHON_FILES.match(name)]
    spelled = [name for name in files if SPELLED.search(name)]
    started = {"codespell": start("-m", "codespell_lib", *spelled)} if spelled else {}
    if code:
        started["ruff check"] = start("-m", "ruff", "check", *code)
        started["ruff format"] = start("-m", "ruff", "format", "--check", *code)
    if everything:
        started["mypy"] = start("-m", "mypy")
    return started


def pytest(*arguments, workers=WORKERS):
    """Run pytest, in several processes unless ``workers`` is 0, and return whether all tests passed."""
    command = [sys.executable, "-m", "pytest", "-n", workers, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def advise(chapters):
    """Print advice on chapters. Whatever goes wrong with it is printed too: advice fails nothing."""
    try:
        from advice import advice

        lines = advice(chapters)
    except Exception as error:  # also while tools/advice.py is missing
        lines = [f"No advice: {type(error).__name__}: {error}"]
    print("\nAdvice, which fails nothing:", *lines, sep="\n  ") if lines else None


def check(chapter):
    """Look at what changed; return {what: whether it succeeded}."""
    changed = changed_files()
    arguments = build_arguments(changed, chapter)
    started = linters(changed) if changed else {}
    if arguments:
        with book.locked():  # here, where one sees what is waited for
            pass
        build = start("tools/book.py", *arguments)
    results = {name: finish(name, process) for name, process in started.items()}
    tests = relevant_tests(changed)
    results["tests"] = pytest(TESTS / "source", *tests, workers=WORKERS if tests else "0")
    if arguments:
        results["book"] = finish("book", build, quiet=False)
    advise([chapter] if chapter else changed_chapters(changed))
    if any(re.match(r"code/(attnbook|attnfigures)/.*\.py$", name) for name in changed):
        print("\nThe package has changed: `make book` executes the chapters that use it.")
    if any(name.startswith("code/attnfigures/live/") for name in changed):
        print("\nLive figures need a browser: `.venv/bin/python -m pytest tests/package -k live` tests them.")
    return results


def chosen(only, tests=TESTS):
    """Return what pytest runs for ``only``: that folder or file, the files with it in their names, or a pattern."""
    if (tests / only).exists():
        return [tests / only]
    return [path for path in sorted(tests.rglob("test_*.py")) if only in path.name] or [tests, "-k", only]


def runs(*command):
    """Run this Python from the top of the tree, and return whether it succeeded."""
    return subprocess.run([sys.executable, *command], cwd=ROOT).returncode == 0


def test(only, everything, english):
    """Run everything, or what ``only`` names; return {what: whether it succeeded}."""
    paths = chosen(only)
    needs_book = any(path == TESTS or set(BUILT) & set(path.parts) for path in paths if isinstance(path, Path))
    started = {} if only else linters()
    results = {}
    if needs_book:
        results["book"] = runs("tools/book.py", "build")
    if not only and not english and results["book"]:
        results["editions"] = runs("tools/translation.py", "build")
    results |= {name: finish(name, process) for name, process in started.items()}
    if results.get("book", True) is False:  # every test of the pages would fail for this one reason
        paths += [f"--ignore={TESTS / folder}" for folder in BUILT]
    markers = ["-m", ""] if everything else []
    if everything and not only:
        results["tests"] = pytest(*paths, *markers, f"--ignore={SLOW_PHONE}", "--durations=20")
        results["Lighthouse"] = pytest(SLOW_PHONE, *markers, workers="0")
    else:
        results["tests"] = pytest(*paths, *markers, "--durations=20")
    return results


def main():
    """Do what the command line asks for; the exit code says whether everything succeeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("check", "test"))
    parser.add_argument("only", nargs="?", default="", help="check: a chapter; test: a folder, a file or a pattern")
    parser.add_argument("--all", action="store_true", help="also what takes long: see the marker `thorough`")
    parser.add_argument("--english", action="store_true", help="without the editions in other languages")
    options = parser.parse_args()
    if chromium():
        os.environ["CHROMIUM"] = chromium()
    os.environ["OMP_NUM_THREADS"] = "1"  # several workers share the cores; more threads would wait for each other
    results = check(options.only) if options.task == "check" else test(options.only, options.all, options.english)
    failed = [name for name, succeeded in results.items() if not succeeded]
    print(f"\nFAILED: {', '.join(failed)}" if failed else f"\nAll is well: {', '.join(results)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, OSError) as error:
        sys.exit(f"{str(error) or 'Interrupted'}.")
