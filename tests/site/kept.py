"""What was seen of a page, kept in _build/looks until the page, a file that it asks for, or the look itself changes."""

import hashlib
import pickle
from pathlib import Path
from urllib.parse import urlsplit

from built_site import ADDRESS, ROOT, SITE

FOLDER = ROOT / "_build" / "looks" / urlsplit(ADDRESS).netloc  # pages differ with the address
HERE = Path(__file__).parent
LOOK = [HERE / name for name in ("conftest.py", "built_site.py", "axe.js", "facts.js", "plain.js")]


def digest(files, *words):
    """A digest of words and of the bytes of files; None if a file is missing."""
    found = hashlib.sha256(repr(words).encode())
    for file in files:
        if not file.is_file():
            return None
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def _state(name, asked, browser):
    files = [SITE / f"{name}.html", *(SITE / path.lstrip("/") for path in sorted(asked))]
    return digest([*LOOK, *files], browser, sorted(asked))


def load(name, browser):
    """What was seen of a page, or None if it is not kept or no longer true. ``browser`` names the browser's version."""
    file = FOLDER / f"{name.replace('/', '-')}.pickle"
    if not file.is_file():
        return None
    state, seen = pickle.loads(file.read_bytes())
    return seen if state is not None and state == _state(name, seen["asked"], browser) else None


def save(looks, browser):
    """Keep {name: what was seen}, unless something is wrong on one of the pages.

    A colour or a letter is judged on the first page that has it. If it is wrong there, no other page may count as seen.
    """
    if any(not sound(seen) for seen in looks.values()):
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, seen in looks.items():
        state = _state(name, seen["asked"], browser)
        (FOLDER / f"{name.replace('/', '-')}.pickle").write_bytes(pickle.dumps((state, seen)))


def sound(seen):
    """Whether nothing failed while the page was open, axe found nothing, and the book's font drew every formula."""
    return not seen["axe"] and not seen["log"] and not seen["fonts"]
