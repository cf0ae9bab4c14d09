"""Read the table of contents, _toc.yml."""

from pathlib import Path
from typing import NamedTuple

import yaml


class Contents(NamedTuple):
    """The names of pages, in order, each as a path from the top of the tree without its ending."""

    pages: list[str]  # all that have a file
    chapters: list[str]  # those in a numbered part
    deeper: list[str]  # those below a chapter


def contents(root: Path) -> Contents:
    """Return what the table of contents below ``root`` lists."""
    book = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))
    parts = book.get("parts", [book])
    numbered = [entry for part in parts if part.get("numbered") for entry in part["chapters"]]
    below = [name for entry in numbered for name in _files(entry.get("sections", []))]
    every = [name for part in parts for name in _files(part.get("chapters", []))]
    pages = [name for name in (book["root"], *every) if (root / f"{name}.md").exists()]
    return Contents(pages, [entry["file"] for entry in numbered], below)


def executable(root: Path) -> list[str]:
    """Return the names of the pages that have code cells, each as a path below chapters/."""
    pages = contents(root).pages
    texts = {name.removeprefix("chapters/"): (root / f"{name}.md").read_text("utf-8") for name in pages}
    return [name for name, text in texts.items() if "```{code-cell}" in text]


def _files(entries):
    return [name for e in entries for name in [*([e["file"]] if "file" in e else []), *_files(e.get("sections", []))]]
