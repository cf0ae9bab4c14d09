"""Build the book with the newest Sphinx, theme and MyST parser, and run the tests of the site over that build.

python tools/future.py    with .venv's Python and the extra `test`

Jupyter Book 1 holds its libraries back. What it would tell Sphinx it can write down as a conf.py, and with that file
Sphinx builds the same sources alone. All of this lies in _build/future: an environment with the newest of what makes
pages, which finds everything else in .venv, the stored results of the cells, and the site.
"""

import os
import re
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import book
import environment
import run_tests

FOLDER = book.BUILD / "future"
VENV = FOLDER / ".venv"
PYTHON = VENV / environment.PYTHON.relative_to(environment.VENV)
INSTALL = (*environment.INSTALL, "--quiet", "--upgrade")
SHOWN = ("sphinx", "docutils", "myst-parser", "myst-nb", "sphinx-book-theme", "pydata-sphinx-theme")
# What is found in .venv after what is installed here: no library of the mathematics is there twice, and the cells keep
# their stored results.
SHARED = "import site; site.addsitedir({!r})\n"
NOT_OF_PAGES = ("test_margins.py", "test_weaker.py")  # of stored results, in what .venv's Sphinx wrote
WITHOUT = 'extensions.remove("jupyter_book")\n'
PATHS = """
def setup(app):
    app.confdir = app.srcdir  # paths in _config.yml count from the top of the tree
"""


def names(requirements, needed):
    """List what makes pages, without limits of versions: the lines of requirements.txt and what Jupyter Book needs."""
    lines = [*requirements.splitlines(), *(need for need in needed if "extra ==" not in need), "docutils"]
    found = {match[0].lower().replace("_", "-") for line in lines if (match := re.match(r"\w[\w.-]*", line))}
    return sorted(found - {"jupyter-book"})


def done(*command):
    """Run a command from the top of the tree; return its exit code and what it prints."""
    environ = environment.child_environ()
    ran = subprocess.run([*map(str, command)], cwd=book.ROOT, env=environ, **environment.PIPED)
    return ran.returncode, ran.stdout


def install():
    """Make the environment unless this Python has made it, and bring it up to date; return its versions in words."""
    same = PYTHON.exists() and PYTHON.resolve() == Path(sys.executable).resolve()
    code, said = done(sys.executable, "-m", "venv", *([] if same else ["--clear"]), VENV)
    if not code:
        place = done(PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")[1].strip()
        Path(place, "shared.pth").write_text(SHARED.format(sysconfig.get_path("purelib")), encoding="utf-8")
        requirements = (book.ROOT / "requirements.txt").read_text(encoding="utf-8")
        code, said = done(PYTHON, *INSTALL, *names(requirements, metadata.requires("jupyter-book")), "-e", ".")
    if code:
        sys.exit(environment.explain(said) + ".")
    ask = f"from importlib.metadata import version; print(*(f'{{n}} {{version(n)}}' for n in {SHOWN}), sep=', ')"
    return done(PYTHON, "-c", ask)[1].strip()


def write_conf(folder, after):
    """Write the conf.py of _config.yml into a folder, as Jupyter Book reads it, and ``after`` at its end."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "_config.yml"  # conf.py is written beside it
    settings.write_bytes((book.ROOT / "_config.yml").read_bytes())
    start = "from jupyter_book.cli.main import main; main(prog_name='jupyter-book')"
    code, said = done(sys.executable, "-c", start, "config", "sphinx", ".", "--config", settings)
    if code:
        sys.exit(f"Jupyter Book writes no conf.py:\n{said}")
    with (folder / "conf.py").open("a", encoding="utf-8") as file:
        file.write(after)


def configure():
    """Write the conf.py, and take Jupyter Book itself out of it."""
    write_conf(FOLDER, WITHOUT + PATHS)


def sphinx(folder, chapters):
    """Run the newest Sphinx as `book.sphinx` runs Jupyter Book; return its exit code."""
    command = [PYTHON, "-m", "sphinx", *book.STRICT, "-c", folder, "-d", folder / ".doctrees", ".", folder / "html"]
    return subprocess.run([*map(str, command)], cwd=book.ROOT, env=book.environ(chapters)).returncode


def main():
    """Install, build from nothing but the stored results, test."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"The newest there is: {install()}", flush=True)
    configure()
    book.copy_results(FOLDER)
    (FOLDER / ".doctrees" / "complete").unlink(missing_ok=True)  # other versions may have made those pages
    book.build(FOLDER, run=sphinx)
    os.environ["BOOK_SITE"] = str(FOLDER / "html")
    site = run_tests.TESTS / "site"
    results = run_tests.pytest([site], *(f"--ignore={site / name}" for name in NOT_OF_PAGES))
    print("\n" + run_tests.line(run_tests.total_of(results)))
    sys.exit(run_tests.total_of(results).failed > 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted.")
