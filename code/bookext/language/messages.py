"""Translate what the extension itself says.

Sphinx translates the text of chapters, page by page. Everything else is in the catalogue ``book``: the messages of the
extension, and what `translate` is called with, such as the laws of checks and the labels of figures.
"""

from sphinx.locale import get_translation

CATALOGUE = "book"
requested: dict[str, None] = {}  # the texts that `translate` was called with in this build, in order
_gettext = get_translation(CATALOGUE)


def translate(text):
    """Translate any text of the catalogue; one that is not in it stays as it is."""
    if not text.strip():
        return text
    requested[text] = None
    return str(_gettext(text))


def _(message, **values):
    """Translate a message of the extension, and insert ``values``; `catalogue` collects the literals of such calls."""
    return translate(message).format(**values) if values else translate(message)
