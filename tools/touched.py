"""Tell what a change touches: the files that differ from the main branch, and the linters, tests and pages of these.

`make check` asks this module, and tools/run_tests.py runs what it names.
"""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from bookext.run import mainline

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"

# What each linter looks at.
PYTHON_FOLDERS = ("code", "evidence", "experiments", "tests", "tools")
PYTHON_FILES = re.compile(rf"^({'|'.join(PYTHON_FOLDERS)})/.*\.py$")
SCRIPTS_AND_STYLES = re.compile(r"^(code|tests|tools)/(?!.*/vendor/).*\.(css|js)$")  # as deno.json says
SPELLED = re.compile(r"\.(css|html|js|md|py|toml|txt|ya?ml)$|^Makefile$")

# What pages and figures are made of.
OF_PAGES = ("chapters/", "course/", "code/", "_config.yml", "_toc.yml")
OF_ALL_FIGURES = ("code/attnfigures/kit/", "code/attnfigures/live/__init__.py")
LIVE_FIGURE = re.compile(r"code/attnfigures/live/([a-z]\w*)\.(?:py|js|css)$")
PYTEST_OF_FIGURES = ".venv/bin/python -m pytest tests/package -k"

# A test file that opens a browser by itself, or by a fixture of tests/package/conftest.py.
OPENS_A_BROWSER = re.compile(r"chromium|playwright|def test_\w+\([^)]*\b(browser|page|all_figures|open_figures)\b")


# --- The files that changed -------------------------------------------------------------------------------------------


def git(*arguments):
    """Return the names of existing files that git prints."""
    try:
        command = ["git", "-c", "core.quotepath=off", *arguments]  # else a name with an ü comes quoted, as "\303\274"
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[0]
        sys.exit(f"`make check` and `make test` need git, and a clone that it made: {reason}")
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def all_files():
    """Return the files of the tree, new ones too, but not what git ignores."""
    return git("ls-files", "--cached", "--others", "--exclude-standard")


def changed_files():
    """Return the files that differ from the main branch, or that git does not have."""
    base = mainline.base(ROOT) or "HEAD"
    return sorted({*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")})


def changed_chapters(changed):
    """Return the names of the chapters among these files, such as deeper/temperature."""
    return [match[1] for name in changed if (match := re.match(r"chapters/(.*)\.md$", name))]


# --- What looks at them -----------------------------------------------------------------------------------------------


def linters(files=()):
    """Return {linter: the arguments with which Python runs it} for these files, or for all files if there are none."""
    everything = not files
    files = files or all_files()
    code = [name for name in files if PYTHON_FILES.match(name)]
    sheets = [name for name in files if SCRIPTS_AND_STYLES.match(name)]
    scripts = [name for name in sheets if name.endswith(".js")]
    spelled = [name for name in files if SPELLED.search(name)]
    found = {}
    if spelled:
        found["codespell"] = ["-m", "codespell_lib", *spelled]
    if code:
        found["ruff check"] = ["-m", "ruff", "check", *code]
        found["ruff format"] = ["-m", "ruff", "format", "--check", *code]
    if sheets:
        found["deno fmt"] = ["-m", "deno", "fmt", "--check", *sheets]
    if scripts:
        found["deno lint"] = ["-m", "deno", "lint", *scripts]
    if everything:
        found["mypy"] = ["-m", "mypy"]
    return found


def relevant_tests(changed, tests=TESTS):
    """Return the tests of what changed that `make check` can run; of a law, with those that try every law."""
    modules = [Path(name).stem for name in changed if re.match(r"(code|tools)/.*\.py$", name)]
    packages = [match[1] for name in changed if (match := re.match(r"code/\w+/(\w+)/", name))]
    wanted = {f"test_{name}.py" for name in (*modules, *packages)}
    if any(re.match(r"code/attnbook/\w+\.py$", name) for name in changed):
        wanted |= {"test_bad_input.py", "test_doctests.py"}
    files = [path for folder in ("package", "tools") for path in sorted((tests / folder).glob("test_*.py"))]
    files = [path for path in files if path.name in wanted or f"tests/{path.parent.name}/{path.name}" in changed]
    return [path for path in files if not needs_more(path)]


def needs_more(path):
    """Test whether a test file opens a browser or imports a package that only `make test` installs."""
    text = path.read_text("utf-8")
    names = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    missing = [name for name in names if not find_spec(name) and not path.with_name(f"{name}.py").exists()]
    return bool(missing or OPENS_A_BROWSER.search(text))


def build_arguments(changed, chapter=""):
    """Return the arguments of tools/book.py that show what changed, or nothing if no page can have changed.

    While the package is being changed too, only the changed chapters follow it, in a second build.
    """
    chapters = [chapter] if chapter else changed_chapters(changed)
    if chapter or any(re.match(r"code/(attnbook|attnfigures)/.*\.(py|json)$", name) for name in changed):
        return ["check", *chapters] if chapters else []
    return ["build"] if any(name.startswith(OF_PAGES) for name in changed) else []


# --- What `make check` leaves to others -------------------------------------------------------------------------------


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
