"""Know, mark and leave out what an edition in another language has no translation of.

A page without a catalogue is in English, and says so (`progress`). On other pages single messages and docstrings may
be: these get ``lang="en"``, so that they are read aloud and spelled as English. So does a link whose text is such a
title.

A page shows nothing in English that was collected on other pages: `in_language` leaves it out, and `left_out` says so.
"""

from collections import Counter

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from ..derived import collection, register_collection
from . import editions, progress
from .messages import _

GAP = "\0"  # in a translated sentence: here stand nodes, not text
TITLES = "attnbook_english_titles"  # a collection: of each page, its titles that an edition shows in English
ENGLISH = f"language-{editions.TOP}"  # docutils makes an attribute `lang` of a class with this beginning


def setup(app):
    """Mark messages as pages are read, and links as they are written; keep the titles that are in English."""
    app.add_transform(MarkMessages)
    app.add_post_transform(MarkLinks)
    app.connect("doctree-read", _collect)
    register_collection(app, TITLES)


def is_page_english(env, page):
    """Test whether an edition shows a page in English."""
    return env.config.language != editions.TOP and not progress.catalogue_of(env, page)


def is_english(env, page, node):
    """Test whether an edition shows in English a node of a page, or a part of it."""
    return is_page_english(env, page) or any(_is_marked(part) for part in node.findall(nodes.Element))


def in_language(app, items):
    """Return which of the ``items``, [(page, node of that page, …)], are shown; and of each page how many are not."""
    shown = []
    left = Counter()
    for item in items:
        if is_english(app.env, *item[:2]):
            left[item[0]] += 1
        else:
            shown.append(item)
    return shown, left


def left_out(app, at, left):
    """Return a sentence on the page ``at`` about what was left out, {page: how many}, with links to the pages."""
    if not left:
        return []
    said = _("Not translated yet, and so not shown here: {count}. In English: {pages}.", count=left.total(), pages=GAP)
    return [nodes.paragraph("", "", *_filled(said, _listed(app, at, left)), classes=["left-out"])]


def _listed(app, at, left):
    """Return links from the page ``at`` to the pages of {page: how many}, and where there are several, each number."""
    listed = []
    for page, count in left.items():
        entry = [make_refnode(app.builder, at, page, "", nodes.inline("", app.env.titles[page].astext()))]
        if len(left) > 1:
            entry = _filled(_("{page} ({count})", page=GAP, count=count), entry)
        listed = _filled(_("{pages}, {page}", pages=GAP, page=GAP), listed, entry) if listed else entry
    return listed


def _filled(text, *parts):
    """Return a translated text as nodes: in place of each gap stand the nodes of a part."""
    first, *others = text.split(GAP)
    filled = [nodes.Text(first)]
    for part, words in zip(parts, others, strict=True):
        filled += [*part, nodes.Text(words)]
    return [node for node in filled if not isinstance(node, nodes.Text) or node.astext()]


def _is_marked(node):
    return ENGLISH in node.get("classes", ())


def _is_left(node):
    """Test whether Sphinx has found no translation of a text, or was told to look for none."""
    if isinstance(node, nodes.math_block):
        return False
    return node.get("translated") is False or node.get("translatable") is False


class MarkMessages(SphinxTransform):
    """Mark the messages without a translation on a page that has a catalogue."""

    default_priority = 27  # after Sphinx has translated the page, and `titles` its title

    def apply(self, **kwargs):
        if self.config.language == editions.TOP or is_page_english(self.env, self.env.docname):
            return
        for node in self.document.findall(nodes.TextElement):
            if _is_left(node) and progress.readable(node.rawsource or node.astext()):
                node["classes"].append(ENGLISH)


class MarkLinks(SphinxPostTransform):
    """Mark the links whose text is a title in English."""

    default_priority = 950  # after all links are resolved

    def run(self, **kwargs):
        if self.config.language == editions.TOP or is_page_english(self.env, self.env.docname):
            return
        english = set().union(*collection(self.env, TITLES).values())
        for link in self.document.findall(nodes.reference):
            if link.get("internal") and link.astext() in english:
                link["classes"].append(ENGLISH)


def _collect(app, doctree):
    """Keep the titles in English; that of a whole page may be translated where the page is not."""
    if app.config.language == editions.TOP:
        return
    every = is_page_english(app.env, app.env.docname)
    titles = [
        title for title in doctree.findall(nodes.title) if (every and not title.get("translated")) or _is_marked(title)
    ]
    collection(app.env, TITLES)[app.env.docname] = {title.astext().strip() for title in titles}
