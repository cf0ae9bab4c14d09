"""Translate what the outputs of cells say: the texts and labels of figures and sliders.

Outputs are stored and no cell is executed again, so they are translated where a page is read.
"""

from functools import partial

from docutils import nodes
from lxml import etree
from sphinx.transforms import SphinxTransform

from .. import hooks, markup
from ..language.messages import line_of, translate_numbers
from .checks import checks_of_cell
from .figures import drawn_figure

SILENT = {"script", "style", "math", "code", "pre"}  # elements that hold no words
LABELS = ("aria-label", "alt", "title")  # attributes that do
QUESTION_KEYS = ("question", "options", "why")  # what a live figure asks; the rest of its data is no text


def setup(app):
    """Register the transforms."""
    app.add_transform(KeepRecords)
    app.add_transform(TranslateOutputs)


class KeepRecords(SphinxTransform):
    """Of an output that has a record, drop what was meant for notebooks: its HTML and its words."""

    default_priority = 5  # before anything reads what an output says

    def apply(self, **kwargs):
        for forms in hooks.forms(self.document):
            others = [form for form in forms if not isinstance(form[0], checks_of_cell | drawn_figure)]
            if len(others) < len(forms):
                for form in others:
                    form.parent.remove(form)


class TranslateOutputs(SphinxTransform):
    """Translate every figure, and the HTML of every other output of a cell."""

    default_priority = 25  # after the text of the page

    def apply(self, **kwargs):
        page = self.document.settings.env.docname
        for node in self.document.findall(lambda n: isinstance(n, drawn_figure | nodes.raw)):
            say = partial(translate_numbers, page=page, source=self.document["source"], line=line_of(node))
            if isinstance(node, drawn_figure):
                node["record"] = translate_record(node["record"], say)
            elif "html" in node.get("format", "").split():
                node.children = [nodes.Text(translate_html(node.astext(), say))]
                node.rawsource = node.astext()


def translate_record(record, say):
    """Return the record of a figure with its drawings, controls and questions translated; ``say`` translates a text."""
    if record["kind"] == "explorer":
        controls = [
            control | {"label": say(control["label"]), "texts": list(map(say, control["texts"]))}
            for control in record["controls"]
        ]
        drawings = [translate_drawing(drawing, say) for drawing in record["drawings"]]
        return record | {"controls": controls, "chosen": say(record["chosen"]), "drawings": drawings}
    new = record | {"drawing": translate_drawing(record["drawing"], say)}
    if record["kind"] == "live":
        new["ask"] = _translate_question(record["ask"], say)
        # The state itself stays; its words are said as they read in this language.
        words = [[word, say(word)] for word in record["state"].get("words", [])]
        if any(word != said for word, said in words):
            new["words"] = words
    return new


def _translate_question(ask, say):
    """Return what a live figure asks, translated; a word alone says how it asks, and is no text."""
    if not isinstance(ask, dict):
        return ask
    new = dict(ask)
    for key in QUESTION_KEYS:
        new[key] = list(map(say, ask[key])) if isinstance(ask[key], list) else say(ask[key])
    return new


def translate_drawing(drawing, say):
    """Return SVG, or elements that hold some, with its texts and labels translated."""
    root = etree.fromstring(drawing)
    return etree.tostring(root, encoding="unicode") if _translate_tree(root, say) else drawing


def translate_html(text, say):
    """Return HTML with its texts and labels translated; where nothing is, it stays as it is, to the letter."""
    root = markup.piece(text)
    return markup.content(root) if _translate_tree(root, say) else text


def _translate_tree(root, say):
    """Translate the texts and labels in a tree; return whether any has changed."""
    changed = False
    for element, where in markup.texts(root, SILENT):
        old = getattr(element, where)
        new = _translate_within_space(old, say)
        setattr(element, where, new)
        changed = changed or new != old
    for label in root.xpath(f"descendant-or-self::*/@*[{' or '.join(f'name() = {name!r}' for name in LABELS)}]"):
        new = _translate_within_space(label, say)
        label.getparent().set(label.attrname, new)
        changed = changed or new != label
    return changed


def _translate_within_space(text, say):
    """Translate a text without the space around it, which stays."""
    plain = text.strip()
    return text.replace(plain, say(plain), 1) if plain else text
