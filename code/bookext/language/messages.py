"""Translate what is not text of a page: what the extension says, and what cells, checks and live figures show.

Sphinx translates the text of chapters, page by page. What cells show and checks say belongs to the catalogue of their
page; the rest, such as the messages of the extension, is in the catalogue ``book``.
"""

import re
from functools import partial
from gettext import NullTranslations
from pathlib import Path

from sphinx.locale import get_translation

CATALOGUE = "book"
NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?(?![\w])")
requested: dict[tuple[str, str], tuple[str, int]] = {}  # catalogue and text of each message → where it stands first
_gettext = get_translation(CATALOGUE)
of_pages: dict[str, NullTranslations] = {}  # page that has a catalogue → it; what it lacks is looked up in the book's
LACKING = "lacking.txt"  # in the folder that a build keeps: the sentences that found no translation
_noted: set[str] = set()
_notes: list[Path] = []  # the file, if there is one


def note_lacking(folder):
    """Note from now on, in a file of ``folder``, which sentences find no translation; none if it is None."""
    _noted.clear()
    _notes[:] = [Path(folder, LACKING)] if folder else []


def _note(text):
    """Note a sentence that is shown in English; the processes that write pages append to one file."""
    if text not in _noted and re.search(r"[^\W\d_]{2,} [^\W\d_]{2,}", text):
        _noted.add(text)
        for path in _notes:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(" ".join(text.split()) + "\n")


def request(text, page="", source="book", line=0):
    """Note that a catalogue is to have a text, and where it stands; `extraction` writes what was requested."""
    requested.setdefault((page or CATALOGUE, text), (source, line))


def translate(text, page="", source="book", line=0):
    """Translate a text of a page by the page's catalogue, which falls back to the book's; any other by the book's.

    What a page without a catalogue shows stays in its own language, as its text does. A text that is in no catalogue
    stays as it is; so does one that its page translates by itself, such as a word of English.
    """
    if not text.strip():
        return text
    request(text, page, source, line)
    if not page:
        new = str(_gettext(text))
    elif page in of_pages:
        new = of_pages[page].gettext(text)
    else:
        new = text
    if new == text:
        _note(text)
    return new


def translate_numbers(text, page="", source="book", line=0):
    """Translate a text that holds a word; its numbers are put into the translation.

    Numbers are no words: ``0.25 of 4 keys`` is the message ``{1} of {2} keys``, one for all frames of a figure.
    """
    if not re.search(r"[^\W\d_]{2,}", text):
        return text
    if re.search(r"\{\w+\}", text):
        return translate(text, page, source, line)
    numbers = NUMBER.findall(text)
    places = iter(range(1, len(numbers) + 1))
    pattern = NUMBER.sub(lambda _: f"{{{next(places)}}}", text)
    new = translate(pattern, page, source, line)
    if new == pattern:
        _note(text)
    return re.sub(r"\{(\d+)\}", lambda place: numbers[int(place[1]) - 1], new)


def translate_law(law, page=""):
    """Translate what a check says; of a law that is code, the words between its sides.

    On a page without a catalogue it stays as it is, as all that such a page shows.
    """
    new = translate_numbers(law, page)
    if new != law or (page and page not in of_pages):
        return new
    if law.endswith(" is refused"):
        return _("{call} is refused", call=law.removesuffix(" is refused"))
    value, words, printed = law.partition(" prints as ")
    return _("{value} prints as {bound}", value=value, bound=printed) if words else law


def law_translator(page):
    """Return the function that translates what the checks of a page say."""
    return partial(translate_law, page=page)


def line_of(node):
    """Return the line of the source on which a node, or else what holds it, begins."""
    while node is not None and not node.line:
        node = node.parent
    return node.line if node is not None else 0


def N_(message):
    """Mark a literal as a message that is translated later, as gettext's ``N_`` does; return it as it is."""
    return message


def _(message, **values):
    """Translate a message of the extension, and insert ``values``; `extraction` finds the literals of such calls."""
    new = translate(message)
    if values and new == message:
        _note(message.format(**values))
    return new.format(**values) if values else new
