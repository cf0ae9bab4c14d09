"""The glossary explains every term that a chapter defines or calls by its name, once, in alphabetical order.

Italics outside of definitions are mostly emphasis, so there only names are looked for: what is written like ALiBi, and
whose scheme or algorithm it is.
"""

import re
from collections import Counter

import pytest
import sentences

from chapters import page, report, toc

_, CHAPTERS, DEEPER = toc()
ITALICS = re.compile(r"(?<![\w*])\*([^*$]+)\*(?![\w*])")
NAME = re.compile(r"(?<![\w@\\{}`$:/.-])(?:[A-Za-z]+-)?[A-Za-z]*[A-Z][A-Za-z]*[A-Z0-9]\w*(?:-\w+)?(?![\w{}\\])")
WHOSE = re.compile(r"[A-Z]\w+'s (?:scheme|algorithm)")
NO_NAMES = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|^:label:[^\n]*", re.DOTALL | re.MULTILINE)
OTHERS = {"PyTorch", "NumPy", "SciPy", "MB"}  # libraries, a unit, and published models
OTHERS |= {"BERT", "BLOOM", "GLM-4", "GPT-2", "GPT-J", "GPT-NeoX", "MPT", "Qwen2", "SmolLM3", "ViT"}


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


@pytest.mark.parametrize("name", [*CHAPTERS, *DEEPER])
def test_what_has_a_name_has_an_entry(name, entries):
    """A name is a term of the glossary or a part of one, or in italics in an entry."""
    known = [f" {singular(t)} " for terms, words in entries.items() for t in (*terms, *ITALICS.findall(words))]
    text = NO_NAMES.sub("", sentences.prose(page(name).text))
    names = {*NAME.findall(text), *WHOSE.findall(text)} - OTHERS
    missing = [found for found in sorted(names) if not any(f" {singular(found)} " in term for term in known)]
    report(f"{name}: {found!r} is not in the glossary" for found in missing)


def test_a_rotary_pair_has_one_letter():
    """The angle of a pair and its turns have the index h, in the table of symbols and in the glossary."""
    assert set(re.findall(r"(?:\\theta|\br)_(\w)", page("chapters/notation").text)) == {"h"}


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
