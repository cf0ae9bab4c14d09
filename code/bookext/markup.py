"""Read and change HTML as a tree of elements: a page that is written, and a piece of one.

Whatever is changed in HTML that somebody else has made is changed here, by lxml, and not in its text: a pattern over
text ends at the first nested element, and a class with another name passes it in silence.
"""

from lxml import html


def read(path):
    """Return the page in a file."""
    return html.document_fromstring(path.read_text(encoding="utf-8"))


def write(path, page):
    """Write a page into a file, unless that has the same text."""
    text = html.tostring(page, doctype="<!DOCTYPE html>", encoding="unicode")
    if path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def piece(text):
    """Return an element that holds a piece of HTML."""
    return html.fragment_fromstring(text, create_parent="div")


def content(element):
    """Return the HTML inside an element."""
    return html.tostring(element, encoding="unicode").partition(">")[2].rpartition("</")[0]


def has_class(name):
    """Return the condition of an XPath for elements of a class."""
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


def put_behind(mark, element):
    """Put an element directly behind another one, before the text that follows that."""
    element.tail = mark.tail
    mark.tail = None
    mark.addnext(element)


def words(text):
    """Return the texts of a piece of HTML, with a space between them."""
    return " ".join(piece(text).itertext())


def texts(element, silent):
    """Return where text stands inside an element, but for elements named in ``silent``: [(element, "text" or "tail")].

    As lxml has it, the text behind an element and before the next one is the tail of the first.
    """
    if name_of(element) in {"", *silent}:
        return []
    places = [(element, "text")] if element.text else []
    for child in element:
        places += texts(child, silent)
        if child.tail:
            places.append((child, "tail"))
    return places


def name_of(element):
    """Return the name of an element without its namespace; '' for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
