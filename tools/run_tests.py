"""Run the linters, the build of the book and pytest, as `make check`, `make test` and `make format` do.

python tools/run_tests.py check [CHAPTER]      look at what differs from the main branch, in seconds
python tools/run_tests.py test [--all] [ONLY]  run everything; with --all also the tests that take long
python tools/run_tests.py format               lay out the code: Python by ruff, scripts and style sheets by deno

Without ONLY the editions in other languages are built and compared with the English book as well; with --english not.

CHAPTER, such as rnn-bottleneck, is looked at whether it changed or not. ONLY names a folder or a file below tests/, or
a part of a file's name, or is a pattern for pytest's -k; the linters are left out then.

A step of `check` whose files are those with which it last succeeded is not done again. What fails is said last.
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
import remembered
from bookext.contents import contents
from bookext.run import mainline
from browser import chromium

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
SLOW_PHONE = TESTS / "site" / "test_lighthouse.py"  # measures seconds, so it runs alone, after all others
BUILT = ("site", "notebooks")  # folders of tests that look at the built book
WORKERS = str((os.cpu_count() or 1) + 1)  # a test often waits: for a browser, a kernel, a deadline
PYTHON_FOLDERS = ("code", "evidence", "experiments", "tests", "tools")
PYTHON_FILES = re.compile(rf"^({'|'.join(PYTHON_FOLDERS)})/.*\.py$")
SCRIPTS_AND_STYLES = re.compile(r"^(code|tests|tools)/(?!.*/vendor/).*\.(css|js)$")  # as deno.json says
LAYOUT = {"ruff format", "deno fmt"}  # the linters whose complaints `make format` mends
SPELLED = re.compile(r"\.(css|html|js|md|py|toml|txt|ya?ml)$|^Makefile$")
SUCCESSES = ROOT / "_build" / "checked.json"
EVERY_PAGE = "every page"  # a step of the tests of sources: those that belong to no single page
NO_PAGE = "no page"  # another: those that read none
TEXTS = ("chapters/", "course/", "locale/")
LIVE_FIGURE = re.compile(r"code/attnfigures/live/([a-z]\w*)\.(?:py|js|css)$")
OF_ALL_FIGURES = ("code/attnfigures/kit/", "code/attnfigures/live/__init__.py")
PYTEST_OF_FIGURES = ".venv/bin/python -m pytest tests/package -k"
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
    """Return the files that differ from the main branch, or that git does not have."""
    base = mainline.base(ROOT) or "HEAD"
    return sorted({*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")})


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

    While the package is being changed too, only the changed chapters follow it, in a second build.
    """
    chapters = [chapter] if chapter else changed_chapters(changed)
    if chapter or any(re.match(r"code/(attnbook|attnfigures)/.*\.(py|json)$", name) for name in changed):
        return ["check", *chapters] if chapters else []
    return ["build"] if any(name.startswith(OF_PAGES) for name in changed) else []


def start(*arguments):
    """Start this Python from the top of the tree; its output goes into a temporary file."""
    output = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 (closed by finish)
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT), output


def finish(name, started):
    """Wait for a process, and say whether it succeeded; return what it printed if it did not, else None."""
    process, output = started
    succeeded = process.wait() == 0
    with output:
        output.seek(0)
        text = output.read().strip()
    print(f"{name}: {'ok' if succeeded else 'FAILED'}", flush=True)
    return None if succeeded else text


def linters(files=()):
    """Start the linters, over all files or over those that changed."""
    everything = not files
    files = files or git("ls-files", "--cached", "--others", "--exclude-standard")
    code = [name for name in files if PYTHON_FILES.match(name)]
    sheets = [name for name in files if SCRIPTS_AND_STYLES.match(name)]
    spelled = [name for name in files if SPELLED.search(name)]
    started = {"codespell": start("-m", "codespell_lib", *spelled)} if spelled else {}
    if code:
        started["ruff check"] = start("-m", "ruff", "check", *code)
        started["ruff format"] = start("-m", "ruff", "format", "--check", *code)
    if sheets:
        started["deno fmt"] = start("-m", "deno", "fmt", "--check", *sheets)
    if scripts := [name for name in sheets if name.endswith(".js")]:
        started["deno lint"] = start("-m", "deno", "lint", *scripts)
    if everything:
        started["mypy"] = start("-m", "mypy")
    return started


def pytest(*arguments, workers=WORKERS):
    """Run pytest, in several processes unless ``workers`` is 0; return None if all tests passed, else a text."""
    command = [sys.executable, "-m", "pytest", "-n", workers, *map(str, arguments)]
    return None if subprocess.run(command, cwd=ROOT).returncode == 0 else "The tests that failed are named above."


def advise(chapters):
    """Print advice on chapters. Whatever goes wrong with it is printed too: advice fails nothing."""
    try:
        from advice import advice

        lines = advice(chapters)
    except Exception as error:  # also while tools/advice.py is missing
        lines = [f"No advice: {type(error).__name__}: {error}"]
    print("\nAdvice, which fails nothing:", *lines, sep="\n  ") if lines else None


def source_steps(pages, files):
    """Return {page: key} of the tests of sources: for each page its file and all that is no page; for all; for none."""
    others = {name: digest for name, digest in files.items() if not name.startswith(TEXTS)}
    shared = remembered.key("", others)
    steps = {page: remembered.key(shared, {f"{page}.md": files.get(f"{page}.md", "")}) for page in pages}
    return steps | {EVERY_PAGE: remembered.key(EVERY_PAGE, files), NO_PAGE: remembered.key(NO_PAGE, others)}


def other_steps(tests, files):
    """Return {file: key} of tests of the package and the tools, which read no page."""
    others = {name: digest for name, digest in files.items() if not name.startswith(TEXTS)}
    return {path: remembered.key(path.relative_to(ROOT).as_posix(), others) for path in tests}


def build_step(arguments, files):
    """Return the key of a build: all that pages are made of, and what an earlier complete build left."""
    folder = book.CHECKED / "_build" if arguments[0] == "check" else book.BUILD
    complete = folder / ".doctrees" / "complete"
    left = str(complete.stat().st_mtime_ns) if complete.exists() else ""
    parts = {name: digest for name, digest in files.items() if name.startswith((*OF_PAGES, "tools/book.py"))}
    return remembered.key(" ".join(["book", *arguments]), parts | {"complete": left})


def check_tests(changed, files, successes):
    """Run the tests of sources and of what changed, but not those that passed with the same files."""
    steps = source_steps(contents(ROOT).pages, files)
    pages = [page for page, key in steps.items() if key not in successes]
    tests = {path: key for path, key in other_steps(relevant_tests(changed), files).items() if key not in successes}
    if not pages and not tests:
        print("tests: ok, as nothing that they read has changed since they passed", flush=True)
        return None
    sources = [TESTS / "source", f"--pages={','.join(pages)}"] if pages else []
    failure = pytest(*sources, *tests, workers=WORKERS if tests else "0")
    if failure is None:
        successes.add(*(steps[page] for page in pages), *tests.values())
    return failure


def check(chapter):
    """Look at what changed; return {what: None, or the text of its failure}. Complaints of linters end it at once."""
    changed = changed_files()
    results = {name: finish(name, started) for name, started in linters(changed).items()} if changed else {}
    if any(complaint is not None for complaint in results.values()):
        print("tests, book: not run, as what the linters say is mended first", flush=True)
        return results
    successes = remembered.Successes(SUCCESSES)
    files = remembered.hashes(ROOT, git("ls-files", "--cached", "--others", "--exclude-standard"))
    build = start_build(build_arguments(changed, chapter), files, successes)
    results["tests"] = check_tests(changed, files, successes)
    if build:
        results["book"] = finish_build(build, files, successes)
    advise([chapter] if chapter else changed_chapters(changed))
    for line in what_else(changed):
        print(f"\n{line}")
    return results


def start_build(arguments, files, successes):
    """Start a build, unless it succeeded with the same files; return (arguments, what `start` returns), or None."""
    if not arguments:
        return None
    if build_step(arguments, files) in successes:
        print("book: ok, as nothing in it has changed since it was built", flush=True)
        return None
    with book.locked():  # here, where one sees what is waited for
        pass
    return arguments, start("tools/book.py", *arguments)


def finish_build(build, files, successes):
    """Wait for a build, and remember whether it succeeded; return None, or the text of its failure."""
    arguments, started = build
    failure = finish("book", started)
    if failure is None:
        successes.add(build_step(arguments, files))
    return failure


def what_else(changed):
    """Yield what `make check` cannot look at, and the command that does."""
    if any(re.match(r"code/(attnbook|attnfigures)/.*\.py$", name) for name in changed):
        yield "The package has changed: `make book` executes the chapters that use it."
    if figures := changed_figures(changed):
        yield f"Live figures need a browser: `{PYTEST_OF_FIGURES} {figures}` tests what you changed."


def changed_figures(changed):
    """Return what pytest's -k is given for the live figures among these files; "live" is all of them."""
    if any(name.startswith(OF_ALL_FIGURES) for name in changed):
        return "live"
    names = {match[1] for name in changed if (match := LIVE_FIGURE.match(name))}
    text = " or ".join(sorted(names))
    return f'"{text}"' if len(names) > 1 else text


def chosen(only, tests=TESTS):
    """Return what pytest runs for ``only``: that folder or file, the files with it in their names, or a pattern."""
    if (tests / only).exists():
        return [tests / only]
    return [path for path in sorted(tests.rglob("test_*.py")) if only in path.name] or [tests, "-k", only]


def runs(*command, failed=None):
    """Run this Python from the top of the tree; return None if it succeeded, else what the file ``failed`` says."""
    if subprocess.run([sys.executable, *command], cwd=ROOT).returncode == 0:
        return None
    return failed.read_text("utf-8") if failed and failed.exists() else "What it said is above."


def test(only, everything, english):
    """Run everything, or what ``only`` names; return {what: None, or the text of its failure}."""
    paths = chosen(only)
    needs_book = any(path == TESTS or set(BUILT) & set(path.parts) for path in paths if isinstance(path, Path))
    started = {} if only else linters()
    results = {}
    if needs_book:
        results["book"] = runs("tools/book.py", "build", failed=book.BUILD / book.FAILED)
    if not only and not english and results["book"] is None:
        results["editions"] = runs("tools/translation.py", "build")
    results |= {name: finish(name, process) for name, process in started.items()}
    if results.get("book") is not None:  # every test of the pages would fail for this one reason
        paths += [f"--ignore={TESTS / folder}" for folder in BUILT]
    markers = ["-m", ""] if everything else []
    if everything and not only:
        results["tests"] = pytest(*paths, *markers, f"--ignore={SLOW_PHONE}", "--durations=20")
        results["Lighthouse"] = pytest(SLOW_PHONE, *markers, workers="0")
    else:
        results["tests"] = pytest(*paths, *markers, "--durations=20")
    return results


def lay_out():
    """Let the formatters decide the layout of the code; return {formatter: None, or the text of its failure}."""
    sort = ("-m", "ruff", "check", "--select", "I,RUF022", "--fix-only", "--quiet", *PYTHON_FOLDERS)
    return {
        "order of imports and __all__": runs(*sort),
        "ruff format": runs("-m", "ruff", "format", *PYTHON_FOLDERS),
        "deno fmt": runs("-m", "deno", "fmt"),
    }


def main():
    """Do what the command line asks for; the exit code says whether everything succeeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("check", "test", "format"))
    parser.add_argument("only", nargs="?", default="", help="check: a chapter; test: a folder, a file or a pattern")
    parser.add_argument("--all", action="store_true", help="also what takes long: see the marker `thorough`")
    parser.add_argument("--english", action="store_true", help="without the editions in other languages")
    options = parser.parse_args()
    if chromium():
        os.environ["CHROMIUM"] = chromium()
    os.environ["NO_COLOR"] = "1"  # what the linters print is shown later, from a file
    os.environ["OMP_NUM_THREADS"] = "1"  # several workers share the cores; more threads would wait for each other
    if options.task == "check":
        results = check(options.only)
    elif options.task == "format":
        results = lay_out()
    else:
        results = test(options.only, options.all, options.english)
    failed = {name: text for name, text in results.items() if text is not None}
    for name, text in failed.items():
        print(f"\n{name}\n{text}")
    if LAYOUT.intersection(failed) and options.task != "format":
        print("\n`make format` lays the code out.")
    print(f"\nFAILED: {', '.join(failed)}" if failed else f"\nAll is well: {', '.join(results)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, OSError) as error:
        sys.exit(f"{str(error) or 'Interrupted'}.")
