"""Compare the pages of an edition in another language with the English ones, by what a reader gets.

Headings, formulas, links, code, figures, questions, tables and numbers are the same in every language; their order
within a paragraph is free. What an edition leaves out because it has no translation of it is left out here as well:
which parts these are is read from its pages.
"""

import json
import posixpath
import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import lxml.html
from bookext.language import chinese
from bookext.markup import has_class

# What an edition says of itself, or computes from its own words.
OF_EDITIONS = {"edition", "left-out", "reading-time", "book-files", "languages"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
TEXTS = HEADINGS | {"p", "li", "dt", "dd", "td", "th", "caption", "figcaption", "legend", "label", "summary"}
PARTS = TEXTS | {"section", "table", "tr", "pre", "fieldset", "figure", "svg", "img", "script"}
HOLD_PARAGRAPHS = {"li", "dd", "td", "th"}  # a paragraph inside belongs to them: whether there is one is free
CODE = {"code", "pre", "kbd"}
NOT_PROSE = CODE | {"math", "script", "style"}
CLOSED = {"svg", "math", "script", "pre"}  # no part lies inside
UNSPOKEN = ("check", "deciding", "sig", "citation", "bibtex")  # in names of classes: code, works and people
WORD = re.compile(r"[^\W\d_]{2,}")
ENOUGH_WORDS = 3  # side by side, and no name: if they are the same in both languages, they are English
SHOWN = 300  # letters of each text in a message

NUMBER = re.compile(rf"{chinese.BEGINS}(?<!\.)\d+(?:[.,]\d+)*")  # not that of a name, such as T5
THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
SMALL = {str(number) for number in range(11)}  # numbers that explain a word, as in: independent, with mean 0
COUNTED = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety hundred"
ORDERED = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
MONTHS = "january february march april may june july august september october november december"
LARGE = {"thousand": 1_000, "million": 1_000_000, "万": 10_000, "亿": 100_000_000}
SCALED = re.compile(rf"(\d+(?:\.\d+)?) ?({'|'.join(LARGE)})")
CHINESE = {sign: str(number) for number, sign in enumerate("零一二三四五六七八九十")} | {"两": "2"}
WORDS = (
    {word: str(number) for number, word in enumerate([*COUNTED.split(), "seventeen", "eighteen", "nineteen"])}
    | {word: str(10 * number) for number, word in enumerate(TENS.split(), 1)}
    | {word: str(number) for number, word in enumerate(ORDERED.split(), 1)}
    | {word: str(number) for number, word in enumerate(MONTHS.split(), 1)}
    | {"once": "1", "twice": "2", "half": "2", "thousand": "1000", "million": "1000000"}
)


class Part(NamedTuple):
    """A part of a page: its element and address, its text, and what of it is the same in every language."""

    place: tuple[str, str]
    text: str
    same: dict[str, Counter]
    prose: str  # the text without formulas and code
    spelled: set[str]  # numbers that its words say
    sentences: set[str]  # pieces of its text that are no name, quotation, citation or code
    is_marked: bool  # as English


def compare(english, edition, lacking=""):
    """Yield a sentence for each difference between the pages in two folders.

    What is ``lacking`` in the catalogues of the edition may be in English.
    """
    is_english = english_places(edition)
    names = names_of_terms(english, edition)
    compared = 0
    for path in sorted(edition.rglob("*.html")):
        name = path.relative_to(edition).as_posix()
        first, second = article(english / name), article(path)
        if first is not None and second is not None:
            yield from differences(name, first, second, is_english, lacking)
            yield from unlinked_terms(name, first, second, names)
            compared += 1
    if not compared:
        yield f"{edition} has no page of the English book in {english}: `make book` builds it"


def article(path):
    """Return the text of a page, or None where there is none: the page leads on, or it is no page of the book."""
    if not path.exists():
        return None
    return lxml.html.document_fromstring(path.read_text("utf-8")).find(".//article")


def english_places(edition):
    """Return the test whether an edition shows in English what stands on a page at an anchor."""
    page = cache(lambda name: article(edition / name))

    def is_english(name, anchor):
        text = page(name)
        if text is None:
            return False
        part = f".//*[@id='{anchor}']/descendant-or-self::*[@lang='en'][not(self::a)]"
        return bool(text.get("lang") or text.xpath(part))

    return is_english


def differences(name, english, edition, is_english, lacking=""):
    """Yield a sentence for each difference between two pages; ``is_english`` tests a page and an anchor."""
    yield from drop_collected(name, english, edition, is_english)
    sides = parts(english), parts(edition)
    for first, second in zip(*sides, strict=False):
        if first.place != second.place:
            yield told(name, f"{shown(first.place)} has become {shown(second.place)}", first, second)
            return
        for what, before in first.same.items():
            after = second.same[what]
            if before != after:
                yield told(name, f"{what}: lost {[*(before - after)]}, gained {[*(after - before)]}", first, second)
        changes = [changed_numbers(first, second, reading) for reading in (scaled, as_written)]
        if all(changes):
            yield told(name, f"numbers: {changes[0]}", first, second)
        left = {sentence for sentence in first.sentences & second.sentences if sentence not in lacking}
        if left and not second.is_marked:
            yield told(name, "text in English that is not marked as English", first, second)
    if len(sides[0]) != len(sides[1]):
        yield f"{name}: {len(sides[0])} parts in English, {len(sides[1])} in the edition"


def changed_numbers(first, second, reading):
    """Return which numbers were lost and gained, by one reading of both texts; nothing if none were."""
    before, after = (numbers(reading(part.prose)) for part in (first, second))
    lost = before - after - second.spelled
    gained = after - before - first.spelled - SMALL
    return f"lost {sorted(lost)}, gained {sorted(gained)}" if lost or gained else ""


def told(name, what, first, second):
    """Return a sentence about a difference, with both texts."""
    return f"{name}: {what}\n  English: {first.text[:SHOWN]}\n  edition: {second.text[:SHOWN]}"


def shown(place):
    """Return the element and the address of a part as one word."""
    return "#".join(filter(None, place))


# ---- what is collected from other pages ----


def drop_collected(name, english, edition, is_english):
    """Remove from the English page what the edition leaves out; yield what it leaves out for no reason."""
    kept, dropped = collected(edition), 0
    for key, units in collected(english).items():
        page, _, anchor = posixpath.normpath(posixpath.join(posixpath.dirname(name), key[0])).partition("#")
        for unit in units[len(kept.get(key, ())) :]:
            if is_english(page, anchor):
                dropped += 1
                drop(unit, edition)
            else:
                yield f"{name}: what it collects from {key[0]} is missing, though it is translated there"
    said = [NUMBER.search(text.text_content())[0] for text in edition.xpath(f".//p[{has_class('left-out')}]")]
    if sum(map(int, said)) != dropped:
        yield f"{name}: {dropped} parts of other pages are left out, and the page says {' + '.join(said) or 'nothing'}"


def collected(text):
    """Return what a page collects from others: {(address, names of questions): elements}."""
    units = {}
    for unit in text.xpath(f".//*[{has_class('collected')}]"):
        address = unit.xpath(f"string(.//a[{has_class('collected-from')}]/@href)")
        units.setdefault((address, *unit.xpath("./*[1]/@id")), []).append(unit)
    return units


def drop(unit, edition):
    """Remove an element, and its section where only the heading remains and the edition has no such section."""
    section = unit.getparent()
    unit.drop_tree()
    name = section.get("id", "")
    only_heading = section.tag == "section" and len(section) == 1 and name.startswith("of-")
    if only_heading and not edition.xpath(f".//section[@id='{name}']"):
        section.drop_tree()


# ---- terms of the glossary ----


def names_of_terms(*folders):
    """Return the function that gives the names of a term, by its address, in the glossaries of all folders."""
    page = cache(article)

    def names(address):
        file, _, anchor = address.partition("#")
        glossaries = [page(folder / file) for folder in folders]
        terms = [term for text in glossaries if text is not None for term in text.xpath(f".//dt[@id='{anchor}']")]
        return {" ".join(term.xpath("string(text())").split()) for term in terms}

    return names


def unlinked_terms(name, english, edition, names):
    """Yield the terms that the English page links and the edition does not, though one of their names stands there."""
    addresses = [set(page.xpath(f".//a[{has_class('glossary-term')}]/@href")) for page in (english, edition)]
    text = "\n".join(edition.xpath(".//p[not(ancestor::fieldset)]/text()"))
    for address in sorted(addresses[0] - addresses[1]):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
        for term in names(place):
            borders = ("", "") if chinese.SIGN.search(term) else (chinese.BEGINS, chinese.ENDS)
            if len(term) > 1 and re.search(re.escape(term).join(borders), text):
                yield f"{name}: “{term}” stands there and is not linked to the glossary, as it is in English"


# ---- the parts of a page ----


def parts(text):
    """Return the parts of a page in their order."""
    return [part(element) for element in walk(text) if is_part(element)]


def walk(element):
    """Yield the elements that every edition has."""
    yield element
    if element.tag not in CLOSED:
        for child in element:
            if belongs(child):
                yield from walk(child)


def belongs(element):
    """Test whether every edition has an element; a comment is none."""
    return isinstance(element.tag, str) and not OF_EDITIONS & classes(element)


def classes(element):
    """Return the names of the classes of an element."""
    return set(element.get("class", "").split())


def is_part(element):
    """Test whether an element is a part of its own."""
    if element.tag == "p" and element.getparent().tag in HOLD_PARAGRAPHS:
        return False
    return element.tag in PARTS or is_display(element)


def is_display(element):
    """Test whether an element is a displayed formula."""
    return element.tag == "div" and "math" in classes(element)


def part(element):
    """Return what a reader gets of a part, without the parts inside it."""
    inside = list(own(element))
    prose = " ".join("".join(piece for piece in inside if isinstance(piece, str)).split())
    elements = [piece for piece in inside if not isinstance(piece, str)]
    links = [piece for piece in elements if piece.tag == "a" and "glossary-term" not in classes(piece)]
    same = {
        "formulas": Counter(tex(piece) for piece in elements if piece.tag == "math"),
        "code": Counter(piece.text_content() for piece in elements if piece.tag in CODE),
        "links": Counter(piece.get("href") for piece in links),
        "data": Counter(data(element)),
    }
    figures = " ".join(tex(piece) if piece.tag == "math" else piece.text_content() for piece in elements)
    whole = "" if element.tag in CLOSED else " ".join(element.text_content().split())
    return Part(
        place=(element.tag, "" if element.tag in {"script", "svg"} else element.get("id", "")),
        text=prose or figures or whole[:SHOWN],
        same=same,
        prose=prose,
        spelled=spelled(prose),
        sentences=sentences(element, inside),
        is_marked=bool(element.xpath("ancestor-or-self::*[@lang][not(self::html)] | .//*[@lang]")),
    )


def own(element):
    """Yield the texts of a part, and the formulas, the code, the links and the stressed words in it."""
    if element.tag == "svg":
        yield from (" ".join(text.itertext()) + " " for text in element.iter("{*}text"))
    elif element.tag == "pre":
        yield element
    elif is_display(element):
        yield from element.iter("{*}math")
    elif element.tag != "script":
        yield element.text or ""
        for child in element:
            if belongs(child) and not is_part(child):
                yield from inline(child)
            yield child.tail or ""


def inline(element):
    """Yield an element within a text, and the texts in it."""
    if element.tag in NOT_PROSE or element.tag in {"a", "em"} or "bibtex-citation" in classes(element):
        yield element
    if element.tag not in NOT_PROSE:
        yield from own(element)


def tex(math):
    """Return the TeX of a formula without its blanks."""
    return "".join("".join(math.xpath(".//*[local-name() = 'annotation']/text()")).split()) or math.text_content()


def scaled(text):
    """Return a text with large numbers in digits: 2 million and 200万 are the same."""
    return SCALED.sub(lambda number: f"{round(float(number[1]) * LARGE[number[2]], 6):.15g}", text)


def as_written(text):
    """Return the text itself: a language may have a word of its own for a million."""
    return text


def numbers(text):
    """Return the numbers of a text, however its language groups their digits."""
    return {number.rstrip(".,") for number in NUMBER.findall(THOUSANDS.sub("", text))}


def spelled(text):
    """Return the numbers that the words of a text say."""
    english = {word.removesuffix("s") for word in re.findall(r"[a-z]+", text.lower())}
    return {WORDS[word] for word in english if word in WORDS} | {CHINESE[sign] for sign in text if sign in CHINESE}


def data(element):
    """Yield what a part holds besides text: the answers of a question, the cells of a row, the state of a figure."""
    if element.tag == "fieldset":
        for place, option in enumerate(element.xpath(f".//*[{has_class('quiz-option')}]"), 1):
            right = option.xpath(f".//*[{has_class('is-right')}]")
            yield f"option {place} is {'right' if right else 'wrong'}"
    elif element.tag == "tr":
        yield from (f"column {place}: {cell.tag}" for place, cell in enumerate(element, 1))
    elif element.tag == "script" and element.get("type") == "application/json":
        state = json.loads(element.text)
        state.pop("words", None)  # how the edition says those of the state
        ask = state.pop("ask", None)
        if isinstance(ask, dict):
            yield f"{len(ask['options'])} options, right is {ask['answer']}"
        yield json.dumps(state, sort_keys=True)


def sentences(element, inside):
    """Return the pieces of the text ``inside`` a part that hold some words and are no name or quotation."""
    held = " ".join(element.xpath("ancestor-or-self::*/@class"))
    if element.tag not in TEXTS or any(name in held for name in UNSPOKEN):
        return set()
    named = [text for piece in inside if not isinstance(piece, str) for text in piece.itertext()]
    pieces = (" ".join(piece.split()) for piece in inside if isinstance(piece, str) and piece not in named)
    return {piece for piece in pieces if len(WORD.findall(piece)) >= ENOUGH_WORDS}
