"""A chapter of the second edition is a story that a reader finishes: so many words, cells and lines, and no quarrel."""

import re

import pytest
from edition import FIRST_EDITION

from chapters import Page, page, report, toc

CHAPTERS, DEEPER = toc()[1:]
LIMITS = {"words": 3000, "visible cells": 30, "visible lines": 250}  # before the exercises
DEEPER_WORDS = 2500
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
QUARREL = re.compile(r"\bS[0-4](-\d{3})?\b|\b(?i:sources?) S\d|outside the book|Reading time")


def counts(chapter):
    """How much of a page stands before its exercises."""
    end = next((b.line for b in chapter.headings if b.text == "Exercises"), float("inf"))
    texts = [b.text for b in chapter.blocks if b.kind in ("text", "heading") and b.line < end]
    cells = [cell for cell in chapter.cells if cell.line < end and not HIDDEN & set(cell.tags)]
    return {
        "words": sum(word != "□" for text in texts for word in text.split()),
        "visible cells": len(cells),
        "visible lines": sum(bool(line.strip()) for cell in cells for line in cell.source.splitlines()),
    }


def problems(chapter):
    """What keeps a chapter from being one of the second edition."""
    found = counts(chapter)
    over = [f"{chapter.where(1)}: {found[k]} {k}; at most {most}" for k, most in LIMITS.items() if found[k] > most]
    return over + quarrels(chapter)


def quarrels(source):
    """The lines that name a source, a claim, a typed time, or a measurement that nobody can repeat."""
    lines = enumerate(source.text.splitlines(), 1)
    return [f"{source.where(n)}: {match[0]!r}" for n, line in lines for match in [QUARREL.search(line)] if match]


def slug(name):
    return name.rpartition("/")[2]


def test_a_chapter_keeps_the_limits():
    report(line for name in CHAPTERS if slug(name) not in FIRST_EDITION for line in problems(page(name)))


def test_the_first_edition_names_chapters_that_do_not_yet_keep_them():
    assert {slug(name) for name in CHAPTERS} >= FIRST_EDITION
    first = [page(name) for name in CHAPTERS if slug(name) in FIRST_EDITION]
    report(
        f"{chapter.name} keeps the limits: take it out of FIRST_EDITION" for chapter in first if not problems(chapter)
    )


def test_a_deeper_page_has_one_topic_and_no_quarrel():
    words = {name: counts(page(name))["words"] for name in DEEPER}
    report(f"{name}: {count} words; at most {DEEPER_WORDS}" for name, count in words.items() if count > DEEPER_WORDS)
    report(line for name in DEEPER for line in quarrels(page(name)))


def test_a_chapter_leads_to_each_of_its_deeper_pages():
    """From the sentence where a reader would want it, besides the list under the title."""
    roles = [role for chapter in CHAPTERS for block in page(chapter).blocks for role in block.roles]
    targets = {re.sub(r".*[</]|>$", "", content) for kind, content, _ in roles if kind == "doc"}
    report(f"no chapter has a link to {name}" for name in DEEPER if slug(name) not in targets)


def test_more_words_cells_and_lines_than_allowed_are_counted(tmp_path):
    cell = "```{code-cell} ipython3\n" + "x = 1\n" * 9 + "```\n"
    hidden = cell.replace("ipython3\n", "ipython3\n:tags: [hide-input]\n\n")
    text = "# Title\n\n" + "word " * 3001 + "\n\n" + cell * 31 + hidden * 5 + "\n## Exercises\n\n" + cell + "word\n"
    (tmp_path / "page.md").write_text(text, "utf-8")
    long = Page("page", root=tmp_path)
    assert counts(long) == {"words": 3002, "visible cells": 31, "visible lines": 279}
    assert len(problems(long)) == 3


@pytest.mark.parametrize(
    "words", ["Source S4 says", "as S1-054 has it", "an error outside the book", "Reading time: 9 minutes"]
)
def test_a_quarrel_is_found(tmp_path, words):
    (tmp_path / "page.md").write_text(f"# Title\n\n{words}.\n", "utf-8")
    assert len(quarrels(Page("page", root=tmp_path))) == 1
