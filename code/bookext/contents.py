"""Say which pages the book has, and in which order: by _toc.yml, and in a build by what Sphinx has read of it."""

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


def pages(env):
    """Return the names of all pages in the order of the contents; those that go deeper come behind their chapter."""

    def below(name):
        return [name, *(page for child in env.toctree_includes.get(name, []) for page in below(child))]

    return below(env.config.root_doc)


def chapters(env):
    """Return the numbered pages in the order of the book, as docname → "3"."""
    order = env.toctree_includes.get(env.config.root_doc, [])
    numbers = {name: env.toc_secnumbers.get(name, {}).get("") for name in order}
    return {name: ".".join(map(str, number)) for name, number in numbers.items() if number}


def with_deeper(env, chapter):
    """Return the name of a chapter, and those of the pages that go deeper into it."""
    return [chapter, *env.toctree_includes.get(chapter, [])]


def _files(entries):
    return [name for e in entries for name in [*([e["file"]] if "file" in e else []), *_files(e.get("sections", []))]]
