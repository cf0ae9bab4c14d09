"""The references are complete, and each leads its reader to the work. (That each is cited: test_chapters.py.)"""

import re
from collections import Counter

import pybtex.database
import pytest

from chapters import report

REQUIRED = {
    "article": {"journal", "volume", "pages"},
    "book": {"publisher"},
    "incollection": {"booktitle", "publisher", "pages"},
    "inproceedings": {"booktitle"},
    "misc": set(),
    "techreport": {"institution", "number"},
}
# A DOI and an arXiv number have a field of their own: the style makes the address, and the reader sees what it is.
LINKS = {
    "doi": r"10\.\d{4,9}/[^\s{}]+",
    "eprint": r"\d{4}\.\d{4,5}",
    "url": r"https://(?!(dx\.)?doi\.org/|arxiv\.org/)[^\s{}]+",
}


@pytest.fixture(scope="module")
def text(book_root):
    return (book_root / "chapters" / "references.bib").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def entries(text):
    return pybtex.database.parse_string(text, "bibtex").entries


def twice(values):
    return [value for value, count in Counter(values).items() if count > 1]


def test_no_key_stands_twice(text):
    keys = re.findall(r"^\s*@\w+\s*\{\s*([^,\s]+)", text, re.M)
    assert keys, "references.bib has no entry"
    report(f"references.bib: {key!r} stands twice" for key in twice(map(str.casefold, keys)))


def test_every_entry_has_the_fields_of_its_type(entries):
    unknown = {entry.type for entry in entries.values()} - set(REQUIRED)
    assert not unknown, f"references.bib: no required fields are listed for {sorted(unknown)}"
    report(
        f"{key}: no {name}"
        for key, entry in entries.items()
        for name in sorted({"author", "title", "year"} | REQUIRED[entry.type])
        if not (entry.persons.get(name) or entry.fields.get(name, "").strip())
    )


def test_every_key_ends_in_the_year(entries):
    years = {key: entry.fields.get("year") for key, entry in entries.items()}
    report(f"{key}: year {year!r}" for key, year in years.items() if year != key[-4:])


def test_every_page_range_ascends(entries):
    for key, entry in entries.items():
        pages = entry.fields.get("pages", "1")
        match = re.fullmatch(r"(\d+)(?:--(\d+))?", pages)
        assert match, f"{key}: pages {pages!r}, expected 12 or 12--34"
        assert int(match[1]) <= int(match[2] or match[1]), f"{key}: pages {pages!r} descend"


def test_every_entry_has_one_link_of_its_form(entries):
    links = {key: {n: entry.fields[n] for n in LINKS if n in entry.fields} for key, entry in entries.items()}
    report(f"{key}: {len(have)} links, expected one" for key, have in links.items() if len(have) != 1)
    report(
        f"{key}: {name} = {link!r} has not the form {LINKS[name]}"
        for key, have in links.items()
        for name, link in have.items()
        if not re.fullmatch(LINKS[name], link)
    )
    report(
        f"{key}: archiveprefix = {{arXiv}} belongs with an eprint, and only there"
        for key, have in links.items()
        if ("eprint" in have) != (entries[key].fields.get("archiveprefix") == "arXiv")
    )


def test_no_work_stands_twice(entries):
    links = [entry.fields[name].casefold() for entry in entries.values() for name in LINKS if name in entry.fields]
    titles = [re.sub(r"\W", "", entry.fields["title"]).casefold() for entry in entries.values()]
    report(f"references.bib: {what!r} stands under two keys" for what in twice(links) + twice(titles))
