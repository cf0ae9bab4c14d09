"""Repair what templates and node visitors cannot reach in a written page.

`REPAIRS` names the elements by XPath. What a repair prevents is seen in the tests of the site: their axe rules, what
overflows, and how much a page weighs.
"""

import re

from ..language import chinese
from ..language.messages import N_, translate
from ..write.mathml import in_one_line
from . import icons

# Names that the theme gives without asking for a translation: the attribute, and its text.
NAMES = {N_("Toggle primary sidebar"): "title", N_("Toggle secondary sidebar"): "title", N_("Main"): "aria-label"}
# Parts of code that the style sheet sets apart: keywords, comments, texts, what a console asks and answers.
SET_APART = " or ".join([*(f"starts-with(@class, '{letter}')" for letter in "kcsg"), "@class='ow'", "@class='nt'"])
UNSEEN = " or ".join(f"ancestor::{name}" for name in ("details", "script", "style", "annotation", "svg"))
LONG = 1000  # elements; the sections of a page with more are laid out as the reader comes to them
# What each part of a section adds to its height on a phone, beside its letters, in rem.
HEIGHTS = {
    ".//figure": 20,
    ".//*[@data-live]": 10,
    ".//div[contains(@class, 'math')]": 9,
    ".//details": 5,
    ".//dt": 4,
    ".//tr": 1.6,
    ".//p": 0.5,
}


def repair(page):
    """Apply every repair to a parsed page."""
    for path, change in REPAIRS.items():
        for element in page.xpath(path):
            change(element)


def hold_punctuation(formula):
    """Move the signs behind a formula into its element: a line may not begin with a comma."""
    sign = re.match(r"[,.;:?!)\]’”%]+", formula.tail or "")
    if sign:
        formula[-1].tail = (formula[-1].tail or "") + sign.group()
        formula.tail = formula.tail[sign.end() :]


def translate_names(element):
    """Translate the name of an element."""
    for name in ("title", "aria-label"):
        if element.get(name) in NAMES:
            element.set(name, translate(element.get(name)))


def name_formula(formula):
    """Give a formula a name, which becomes a part of the name of what it stands in."""
    formula.set("aria-label", in_one_line(formula))


def name_figure(figure):
    """Name a figure by its number: a listener is in it before the caption is read."""
    figure.set("aria-label", figure.xpath("string(figcaption//span[@class='caption-number'])").strip())


def drop_space(part):
    """Remove the line breaks between the elements of a drawing, and the groups without an attribute."""
    part.tail = None
    if part.tag == "g" and not part.attrib:
        part.text = None
        part.drop_tag()


def add_class(name):
    """Return a change that adds a class."""
    return lambda element: element.set("class", f"{element.get('class', '')} {name}".strip())


def lay_out_late(section):
    """Let a browser lay out a section when the reader comes to it; until then it is as high as `estimated_height`."""
    add_class("lazy-layout")(section)
    section.set("style", f"--estimate: {estimated_height(section):.0f}rem")


def estimated_height(section):
    """Return how high a section will be on a phone, in rem, or more, up to three quarters and mostly a third.

    A section that is higher than the browser was told reaches into the next one, as far as tools can see that measure
    it. The heights are fitted to all long pages of both editions. A Chinese sign takes the room of three letters.
    """
    text = "".join(section.xpath(f".//text()[not({UNSEEN} or ancestor::pre)]"))
    code = "".join(section.xpath(f".//pre//text()[not({UNSEEN})]"))
    letters = len(text) + 2 * len(chinese.SIGN.findall(text))
    parts = sum(height * len(section.xpath(path)) for path, height in HEIGHTS.items())
    return 0.055 * letters + 1.7 * code.count("\n") + parts


REPAIRS = {
    icons.PLACES: icons.draw,
    # sphinx-book-theme: names in English in every edition.
    " | ".join(f"//*[@{name}='{text}']" for text, name in NAMES.items()): translate_names,
    # docutils: a role that axe-core rejects inside a list.
    "//*[@role='doc-biblioentry']": lambda entry: entry.set("role", "listitem"),
    # An untranslated page of an edition says its own language, which language/progress.py has marked.
    "//article[.//p[@data-page]]": lambda page: page.set("lang", page.xpath("string(.//p/@data-page)")),
    "//span[contains(@class, 'math')][math]": hold_punctuation,
    # Browsers make the name of a question and of its answers without the formulas in them.
    "//label//math | //legend//math": name_formula,
    "//figure[figcaption//span[@class='caption-number']]": name_figure,
    # The name of a claim, such as S2-035, fills an entry of a table: a line does not end at its hyphen.
    "//td[translate(normalize-space(), '0123456789', '') = 'S-']": add_class("claim-name"),
    # What changes nothing: half of the elements of a chapter, and a browser has to make every one.
    f"//div[@class='highlight']/pre//span[not({SET_APART})]": lambda span: span.drop_tag(),
    "//svg//*[not(ancestor::text)]": drop_space,
    f"//article/section/section[count(//*) > {LONG}]": lay_out_late,  # the last, as it counts what is left
}
