"""Tell Sphinx which text of a page to translate: titles of exercises as well, formulas and docstrings not."""

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from .. import hooks


def setup(app):
    """Register the transform."""
    app.add_transform(ChooseText)


class ChooseText(SphinxTransform):
    """Choose what is translated."""

    default_priority = 5  # before Sphinx translates the text of the page

    def apply(self, **kwargs):
        _include_exercise_titles(self.document)
        _exclude_formulas(self.document)
        _exclude_docstrings(self.document)


def _include_exercise_titles(document):
    """Say where the titles of exercises come from: Sphinx translates no text that does not say so."""
    for title in document.findall(hooks.exercise_nodes().exercise_subtitle):
        title.source = document["source"]
        title.line = title.parent.line or 0
        title.rawsource = title.rawsource or title.astext()


def _exclude_formulas(document):
    """Exclude displayed formulas: where an old catalogue has one, Sphinx would put ``::`` in its place."""
    for formula in document.findall(nodes.math_block):
        formula["translatable"] = False


def _exclude_docstrings(document):
    """Exclude docstrings: they are reStructuredText, and a translation is read as the page is, as Markdown."""
    described = [text for entry in document.findall(addnodes.desc) for text in entry.findall(nodes.TextElement)]
    quoted = [text for text in document.findall(nodes.TextElement) if "docstring of" in (text.source or "")]
    for text in (*described, *quoted):
        if "translatable" in text or not isinstance(text, nodes.Inline):
            text["translatable"] = False
