"""Build the package `attnbook` for its users, and try it where the book is not.

python tools/distribution.py build           sdist and wheel into _build/package, as PyPI takes them
python tools/distribution.py try [--oldest]  install that wheel alone into a fresh environment, and run its examples

Built is a copy of the sources without what belongs to the book alone. Its addresses are those of the repository that
`code/bookext/addresses.py` reads: no file of the tree names one, and a fork publishes its own.
"""

import argparse
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "code"))  # bookext, where the book is not installed
from bookext import addresses  # noqa: E402

TARGET = ROOT / "_build" / "package"
PACKAGES = ("code/attnbook", "code/attnfigures")
FILES = ("code/README.md", "code/CHANGELOG.md", "LICENSE-CODE")
OF_THE_BOOK = "# What follows belongs to the book alone"  # begins a line of pyproject.toml
DATE = {"SOURCE_DATE_EPOCH": "1767225600"}  # of every file: the same sources give the same bytes
LINK = re.compile(r'(!?\[[^\]]*\]\(|src="|href=")(?![a-z]+:|#)([^)"\s]+)')

# Runs in the fresh environment: imports all that needs no other library, and runs the examples of docstrings.
EXAMPLES = """
import doctest, importlib, pkgutil, sys
import attnbook, numpy

MODULES = [m.name for m in pkgutil.iter_modules(attnbook.__path__, "attnbook.") if m.name != "attnbook.tasks"]
ran, left_out = 0, []
for module in map(importlib.import_module, MODULES):
    for test in doctest.DocTestFinder().find(module):
        try:
            doctest.DebugRunner(verbose=False).run(test)
            ran += len(test.examples)
        except doctest.UnexpectedException as error:
            if not isinstance(error.exc_info[1], ModuleNotFoundError):
                raise
            left_out.append(f"{test.name} ({error.exc_info[1].name})")
assert ran, "no docstring has an example"
print(f"Python {sys.version.split()[0]}, NumPy {numpy.__version__}: {len(MODULES)} modules, {ran} examples hold")
print("Left out, as they need more:", ", ".join(left_out))
"""


def published():
    """Return the addresses of the repository and of the site, '' where there is none."""
    import yaml  # only here: a Python that tries the package need not have it

    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    try:
        return addresses.read(config["sphinx"]["config"].get("book_repository"), config["html"]["baseurl"])
    except ValueError as error:
        sys.exit(str(error))


@contextmanager
def sources(repository, site):
    """Yield a folder with the sources of the package, as they are published from this repository."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "attnbook")
        for package in PACKAGES:
            shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        for file in FILES:
            shutil.copyfile(ROOT / file, folder / file)
        readme = folder / "code" / "README.md"
        readme.write_text(absolute(readme.read_text("utf-8"), repository), encoding="utf-8")
        settings = pyproject((ROOT / "pyproject.toml").read_text("utf-8"), repository, site)
        (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
        (folder / "MANIFEST.in").write_text("include code/CHANGELOG.md\n", encoding="utf-8")
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)  # whatever umask this runs with
        yield folder


def pyproject(text, repository, site):
    """Return pyproject.toml without what belongs to the book alone, and with the addresses of this repository.

    The renderers of MyST-NB are of the book alone, too: it loads all that it finds, and those are not in the package.
    """
    package, line, _rest = text.partition(f"\n{OF_THE_BOOK}")
    if not line:
        sys.exit(f"pyproject.toml has no line that begins with {OF_THE_BOOK!r}, so what users get is not known.")
    urls = {
        "Homepage": site or repository,
        "Documentation": f"{site}chapters/package.html" if site else "",
        "Source": repository,
        "Changelog": f"{repository}/blob/HEAD/code/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    return "\n".join([package, "[project.urls]", *(f'{name} = "{url}"' for name, url in urls.items() if url), ""])


def absolute(readme, repository):
    """Return code/README.md with the addresses of what it links to: PyPI has no other file of the tree."""

    def address(match):
        path = posixpath.normpath(posixpath.join("code", match[2]))
        is_picture = match[1].startswith(("!", "src"))
        return f"{match[1]}{repository}/{'raw' if is_picture else 'blob'}/HEAD/{path}"

    return LINK.sub(address, readme)


def run(*command, failed, **options):
    """Run Python; exit with what it said, and with the sentence ``failed``, if it does not succeed."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{failed}")
    return done.stdout


def build_wheel(target, repository, site):
    """Build the package as a wheel in the folder ``target``, by what this Python has."""
    with sources(repository, site) as folder:
        command = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", target, folder)
        failed = "The wheel of the package was not built: pip says above why."
        run(*command, failed=failed, env=os.environ | DATE, umask=0o022)


def build():
    """Build sdist and wheel afresh, and see whether PyPI would take them."""
    repository, site = published()
    if not repository:
        sys.exit("What PyPI shows leads to a repository: set BOOK_REPOSITORY, or book_repository in _config.yml.")
    shutil.rmtree(TARGET, ignore_errors=True)
    with sources(repository, site) as folder:
        command = (sys.executable, "-m", "build", "--outdir", TARGET, folder)
        run(*command, failed="The package was not built: `build` says above why.", env=os.environ | DATE, umask=0o022)
    files = sorted(TARGET.iterdir())
    run(sys.executable, "-m", "twine", "check", "--strict", *files, failed="PyPI would refuse this: see above.")
    print(f"PyPI would take {' and '.join(path.name for path in files)}, which are in {TARGET}")


def oldest():
    """Return the core's requirements at the oldest versions that pyproject.toml admits."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [f"{line.replace('>=', '==')}.*" for line in project["dependencies"]]


def try_alone(requirements):
    """Install the built wheel with these requirements into a fresh environment, and run the examples of its laws."""
    wheels = sorted(TARGET.glob("*.whl"))
    if not wheels:
        sys.exit(f"There is no wheel in {TARGET}: run `make package` first.")
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "venv", folder, failed="No environment was made: Python says above why.")
        python = Path(folder, "bin", "python")
        install = ("-m", "pip", "install", "--quiet", wheels[0], *requirements)
        run(python, *install, failed="The wheel was not installed: pip says above why.")
        failed = "The core of the package does not work by itself: see above."
        print(run(python, "-I", "-c", EXAMPLES, failed=failed, cwd=folder), end="")


def main():
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("build", "try"))
    parser.add_argument("--oldest", action="store_true", help="with the oldest libraries that pyproject.toml admits")
    options = parser.parse_args()
    if options.task == "build":
        build()
    else:
        try_alone(oldest() if options.oldest else [])


if __name__ == "__main__":
    main()
