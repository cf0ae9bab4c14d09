"""Remember with which files a step of `make check` succeeded, so that it is not done again while they are the same.

A step is known by its name and by the contents of all files that it can read. Only successes are remembered.
"""

import hashlib
import json
import sys
from pathlib import Path

KEPT = 500  # the newest successes; a book has some 75 pages, and each is a step
EVERY_PAGE = "every page"  # a step of the tests of sources: those that belong to no single page
NO_PAGE = "no page"  # another: those that read none
TEXTS = ("chapters/", "course/", "locale/")


def hashes(root, names):
    """Return {name: hash of the content} of files below ``root``."""
    return {name: hashlib.sha256((root / name).read_bytes()).hexdigest() for name in names}


def key(step, files):
    """Return what a step with ``files``, {name: hash}, is remembered by; another environment is another key."""
    ready = Path(sys.prefix, "ready")  # tools/environment.py writes there what it has installed
    installed = ready.read_text("utf-8") if ready.exists() else ""
    words = [step, sys.version, installed, *(f"{name} {files[name]}" for name in sorted(files))]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def source_steps(pages, files):
    """Return {page: key} of the tests of sources: for each page its file and all that is no page; for all; for none."""
    others = without_texts(files)
    shared = key("", others)
    steps = {page: key(shared, {f"{page}.md": files.get(f"{page}.md", "")}) for page in pages}
    return steps | {EVERY_PAGE: key(EVERY_PAGE, files), NO_PAGE: key(NO_PAGE, others)}


def other_steps(root, tests, files):
    """Return {file: key} of tests of the package and the tools, which read no page."""
    others = without_texts(files)
    return {path: key(path.relative_to(root).as_posix(), others) for path in tests}


def without_texts(files):
    """Return the files, {name: hash}, that are no text of the book."""
    return {name: digest for name, digest in files.items() if not name.startswith(TEXTS)}


class Successes:
    """The keys of steps that succeeded, kept in a file."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self.keys = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            self.keys = []

    def __contains__(self, each):
        return each in self.keys

    def add(self, *keys):
        """Remember that the steps with these keys succeeded."""
        self.keys = [*(each for each in self.keys if each not in keys), *keys][-KEPT:]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.keys), "utf-8")
