"""Translate every message of the book into itself with accents, to see what an edition in another language leaves out.

What stays without an accent on a page has not been collected, or is code, a formula, a name or a number.
"""

import re
from importlib.util import find_spec
from pathlib import Path

from babel.messages import Catalog
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po, write_po

LANGUAGE = "en_XA"
ACCENTS = str.maketrans("aeiouyAEIOUYcnszdgrltCNSRT", "áéíóúýÁÉÍÓÚÝćńśźďǵŕĺťĆŃŚŔŤ")
# What a translator leaves alone: code, roles, formulas, addresses, elements, marks for values and names of claims.
KEPT = re.compile(
    r"(\{[\w:+-]+\}`)([^`<]+)(<[^`>]+>`)|((?:\{[\w:+-]+\}|:[\w:]+:)?(`+)(?!`).*?(?<!`)\5(?!`)|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|\]\[\w*\]"
    r"|\{\{.*?\}\}|\{[^{}]*\}|<[^<>]*>|&#?\w+;|%\(\w+\)\w|%\w|https?://[^\s)]+|\[\^\w+\]|\\[a-zA-Z]+|(?<= )#\s*noqa$"
    r"|\b[SC]\d?-\d{2,3}\b)",
    re.DOTALL,
)
LIBRARIES = {  # the catalogues of the extensions that say something on a page, and where their messages are found
    "sphinx": ("sphinx", "pydata_sphinx_theme"),
    "proof": ("sphinx_proof",),
    "exercise": ("sphinx_exercise",),
    "booktheme": ("sphinx_book_theme",),
}


def accented(text):
    """Put accents on the words of a message; what is no text in it stays.

    >>> accented("See {ref}`the law <law>` and `code`: $x$.")
    'Śéé {ref}`ťhé ĺáw <law>` áńď `code`: $x$.'
    >>> accented("S1-023 and C-02 in :func:`softmax`")
    'S1-023 áńď C-02 íń :func:`softmax`'
    """
    parts, end = [], 0
    for found in KEPT.finditer(text):
        parts.append(text[end : found.start()].translate(ACCENTS))
        # the words of a role that names its target apart
        parts.append(found[1] + found[2].translate(ACCENTS) + found[3] if found[1] else found[0])
        end = found.end()
    return "".join(parts) + text[end:].translate(ACCENTS)


def messages_of(package, domain):
    """Return the messages of a library, from its list of them or from any of its translations."""
    folder = Path(find_spec(package).origin).parent
    for path in folder.rglob(f"{domain}.pot"):
        return [message.id for message in read_po(path.open("rb")) if message.id]
    found = {}
    for path in folder.rglob(f"{domain}.mo"):
        with path.open("rb") as file:
            found |= dict.fromkeys(message.id for message in read_mo(file) if message.id)
    return list(found)


def write(messages, locale):
    """Write the pseudo-translation of the folder ``messages`` (of .pot files) into the folder ``locale``."""
    target = locale / LANGUAGE / "LC_MESSAGES"
    for path in sorted(messages.rglob("*.pot")):
        with path.open("rb") as file:
            known = [message.id for message in read_po(file) if message.id]
        _write(known, target / path.relative_to(messages).with_suffix(".po"))
    for domain, packages in LIBRARIES.items():
        known = [text for package in packages for text in messages_of(package, domain)]
        _write(known, target / f"{domain}.po")


def _write(known, path):
    catalogue = Catalog(locale=None)
    for text in known:
        if isinstance(text, str):
            catalogue.add(text, accented(text))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=0)


def share(pages):
    """Return how many words of parsed pages have no accent, how many there are, and the most frequent without one."""
    plain, total = {}, 0
    for page in pages:
        for text in page.xpath(TEXTS):
            for word in re.findall(r"[^\W\d_]{3,}", text):
                total += 1
                if not re.search(r"[^\x00-\x7f]", word):
                    plain[word] = plain.get(word, 0) + 1
    return sum(plain.values()), total, sorted(plain, key=plain.get, reverse=True)


# What is read, without code, formulas, names of people and works, and what computed cells print.
SKIPPED = ["script", "style", "pre", "code", "math", "kbd"]
TEXTS = "//body//text()" + "".join(f"[not(ancestor::{name})]" for name in SKIPPED)
TEXTS += "[not(ancestor::*[contains(@class, 'citation') or contains(@class, 'bibtex') or contains(@class, 'sig')])]"
