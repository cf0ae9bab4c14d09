"""Count what the repairs of written pages find: a repair that finds nothing in a whole book is out of date.

The theme writes the elements that are repaired. When a new version writes them otherwise, the repair does nothing and
no one is told; so a build of every page ends in an error that names it.
"""

from collections import Counter

from sphinx.errors import ExtensionError

_found = Counter()


def begin():
    """Forget what was counted before."""
    _found.clear()


def find(page, path):
    """The elements of a parsed page that a repair changes, by XPath; they are counted."""
    elements = page.xpath(path)
    _found[path] += len(elements)
    return elements


def demand():
    """Raise ``ExtensionError`` that names every path that found nothing since `begin`."""
    idle = [path for path, times in _found.items() if not times]
    if idle:
        raise ExtensionError("Repairs of pages that find nothing any more: " + "; ".join(idle))
