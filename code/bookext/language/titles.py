"""Translate the titles and the description of a page where Sphinx does not, or does it too late for others."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import get_translation
from sphinx.transforms import SphinxTransform
from sphinx.util.i18n import docname_to_domain

from .. import hooks
from . import editions, messages

NAME_OF_MODULE = re.compile(r"\w+(\.\w+)+")


def setup(app):
    """Complete the titles before other parts collect them."""
    app.add_transform(TranslateTitle)
    app.connect("doctree-read", _translate_captions, priority=100)  # before the contents are made from them
    app.connect("doctree-read", _separate_titles_of_theorems)
    app.connect("doctree-read", _hand_on_titles_of_exercises)
    app.connect("doctree-read", _translate_description)


class TranslateTitle(SphinxTransform):
    """Translate the title of a page by the catalogue of the book, if that of the page does not: it is in every menu."""

    default_priority = 25  # after the text of the page

    def apply(self, **kwargs):
        title = next(self.document.findall(nodes.title), None)
        if title is None or not _is_plain_text(title):
            return
        text = title.astext()
        new = messages.translate(text, "", self.document["source"], title.line or 0)
        if new != text:
            title[0] = nodes.Text(new)
            title["translated"] = True


def _is_plain_text(title):
    """Test whether a title is one piece of text, and not the name of a module."""
    text = title.astext()
    return bool(text) and len(title) == 1 and isinstance(title[0], nodes.Text) and not NAME_OF_MODULE.fullmatch(text)


def _translate_captions(app, doctree):
    """Translate the names of the parts of the book: they come from _toc.yml, after Sphinx has translated the page."""
    for contents in doctree.findall(addnodes.toctree):
        if contents.get("caption"):
            contents["caption"] = messages.translate(contents["caption"])


def _separate_titles_of_theorems(app, doctree):
    """Give the title of a theorem back the space at its beginning, which a translation loses."""
    for title in doctree.findall(nodes.title):
        is_of_theorem = "realtype" in title.parent.attributes
        if is_of_theorem and title.children and not title.astext().startswith(" "):
            title.insert(0, nodes.Text(" "))


def _hand_on_titles_of_exercises(app, doctree):
    """Let the title of a solution quote the translated title of its exercise."""
    if app.config.language == editions.TOP:
        return
    for exercise in doctree.findall(hooks.exercise_nodes().exercise_enumerable_node):
        if known := hooks.exercise_of(app.env, exercise["label"]):
            known["node"][0] = exercise[0].deepcopy()


def _translate_description(app, doctree):
    """Translate the description of the page, which Sphinx takes for no text."""
    page = docname_to_domain(app.env.docname, app.config.gettext_compact)
    for description in doctree.findall(nodes.meta):
        description["content"] = str(get_translation(page)(description["content"]))
