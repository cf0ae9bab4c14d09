"""Repair what templates and node visitors cannot reach in a written page, and count what each repair finds.

`REPAIRS` names the elements by XPath. Each entry says how many of them a whole book has at least: where a new version
of a library writes them otherwise, a build of every page ends in an error that names the entry.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from sphinx.errors import ExtensionError

from ..language.words import _
from . import late

PLAIN = ("n", "nn", "p", "w")  # names, modules, punctuation, space: code that the theme leaves in the colour of its box

_found: Counter = Counter()
_least: dict[str, int] = {}


def begin(least):
    """Forget what was counted, and expect at least ``least[key]`` of each key: {key: number}."""
    _found.clear()
    _least.clear()
    _least.update(least, **{repair.path: repair.least for repair in REPAIRS})


def count(key, number):
    """Count ``number`` more of a key."""
    _found[key] += number


def demand():
    """Raise ``ExtensionError`` that names every key of which fewer were counted since `begin` than are expected."""
    rare = [f"{key} ({_found[key]} of at least {least})" for key, least in _least.items() if _found[key] < least]
    if rare:
        raise ExtensionError("Repairs of pages that find too little: " + "; ".join(rare))


def repair(page):
    """Apply every repair to a parsed page."""
    for path, _least, change in REPAIRS:
        elements = page.xpath(path)
        count(path, len(elements))
        for element in elements:
            change(element)


def hold_punctuation(formula):
    """Move the signs behind a formula into its element: a line may not begin with a comma."""
    sign = re.match(r"[,.;:?!)\]’”%]+", formula.tail or "")
    if sign:
        formula[-1].tail = (formula[-1].tail or "") + sign.group()
        formula.tail = formula.tail[sign.end() :]


def drop_space(part):
    """Remove the line breaks between the elements of a drawing, and the groups without an attribute."""
    part.tail = None
    if part.tag == "g" and not part.attrib:
        part.text = None
        part.drop_tag()


def drop_tag(element):
    """Remove an element and keep what it holds."""
    element.drop_tag()


def set_listitem(entry):
    """Give an entry of the bibliography the role that its list allows."""
    entry.set("role", "listitem")


def drop_attributes(*names):
    """Return a change that removes attributes."""

    def drop(element):
        for name in names:
            element.attrib.pop(name, None)

    return drop


class Repair(NamedTuple):
    """What is repaired: its XPath, how many elements a whole book has at least, and what is done to each."""

    path: str
    least: int
    change: Callable


REPAIRS = (
    # docutils: a role that axe-core rejects inside a list.
    Repair("//*[@role='doc-biblioentry']", 10, set_listitem),
    # MyST-NB: a name that replaces the words of the summary, the same for every cell that is folded.
    Repair("//summary[@aria-label]", 10, drop_attributes("aria-label")),
    # The theme: a button without a name, which unfolds the pages that go deeper into a chapter.
    Repair("//summary[span[@class='toctree-toggle']]", 10, lambda e: e.set("aria-label", _("Pages that go deeper"))),
    # Sphinx: a heading in the contents, before the heading of the page.
    Repair("//p[@role='heading']", 10, drop_attributes("role", "aria-level")),
    Repair("//span[contains(@class, 'math')][math]", 1000, hold_punctuation),
    # The name of a claim, such as S2-035, fills an entry of a table: a line does not end at its hyphen.
    Repair(
        "//td[translate(normalize-space(), '0123456789', '') = 'S-']",
        10,
        lambda entry: entry.set("class", "claim-name"),
    ),
    # What changes nothing: four in ten elements of a chapter, and a browser has to make every one.
    Repair(
        f"//div[@class='highlight']/pre//span[contains(' {' '.join(PLAIN)} ', concat(' ', @class, ' '))]",
        1000,
        drop_tag,
    ),
    Repair("//svg//*[not(ancestor::text)]", 1000, drop_space),
    # Last: it measures what the others leave.
    Repair(f"//article/section/section[count(//*) > {late.LONG}]", 10, late.reserve_height),
)
