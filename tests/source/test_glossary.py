"""The glossary explains every term that a chapter defines, once, in alphabetical order, in English and Chinese."""

import re
from collections import Counter

import pytest

from chapters import page, report

ITALICS = re.compile(r"(?<![\w*])\*([^*$]+)\*(?![\w*])")


@pytest.fixture(scope="module")
def entries():
    """{terms of an entry, as a tuple: its words}."""
    (block,) = page("chapters/notation").directives("glossary")
    lines = page("chapters/notation").text.splitlines()[block.body - 1 :]
    parts = "\n".join(lines[: lines.index("```")]).split("\n\n")
    cut = [part.splitlines() for part in parts]
    return {
        tuple(line for line in part if line[0] != " "): " ".join(line for line in part if line[0] == " ")
        for part in cut
    }


def singular(words):
    return " ".join(word.removesuffix("s") for word in words.casefold().replace("-", " ").split())


def test_every_term_of_a_definition_has_an_entry(chapter, entries):
    """What a definition of a chapter sets in italics is a term of the glossary, or in italics in an entry."""
    known = {singular(t) for terms, words in entries.items() for t in (*terms, *ITALICS.findall(words))}
    lines = chapter.text.splitlines()
    for block in chapter.directives("prf:definition"):
        end = lines.index("```", block.body - 1)
        defined = ITALICS.findall("\n".join(lines[block.body - 1 : end]))
        missing = [term for term in defined if singular(term) not in known]
        report(f"{chapter.where(block.line)}: {term!r} is not in the glossary" for term in missing)


def test_an_entry_is_whole_and_stands_in_its_place(entries):
    names = [terms[0].casefold().replace("-", " ").replace("–", " ") for terms in entries]
    assert names == sorted(names)
    twice = [t for t, count in Counter(t.casefold() for terms in entries for t in terms).items() if count > 1]
    assert not twice, f"explained twice: {twice}"
    report(
        f"chapters/notation.md: {terms[0]!r} lacks Chinese, or a sentence"
        for terms, words in entries.items()
        if not re.match(r"  .*?[\u4e00-\u9fff].*?\. .+\.$", words)
    )
