"""Translate what the outputs of cells say: the texts and labels of figures, sliders and live figures.

Outputs are stored and no cell is executed again, so their HTML is translated where a page is read.
"""

import html
import json
import re
from functools import partial

from docutils import nodes
from sphinx.transforms import SphinxTransform

from .messages import line_of, translate_numbers

# What holds no words; the state of a live figure; or a text between two elements.
PART = re.compile(
    r'(?P<data><script type="application/json">)(?P<state>.*?)(?=</script>)'
    r"|<(?P<name>script|style|math|code|pre)\b.*?</(?P=name)>|(?P<tag><[^>]*>)|(?P<text>[^<]+)",
    re.DOTALL,
)
LABEL = re.compile(r'(\s(?:aria-label|alt|title)=")([^"]*)"')
CHOICES = re.compile(r'(\sdata-labels=")([^"]*)"')
QUESTION_KEYS = ("question", "options", "why")  # what a live figure asks; the rest of its data is no text


class TranslateOutputs(SphinxTransform):
    """Translate the HTML of every output of a cell."""

    default_priority = 25  # after the text of the page

    def apply(self, **kwargs):
        page = self.document.settings.env.docname
        for node in self.document.findall(nodes.raw):
            # The HTML of checks is for notebooks: a page draws them from their records.
            if "html" in node.get("format", "").split() and ' class="checks">' not in node.astext()[:30]:
                place = {"source": self.document["source"], "line": line_of(node)}
                text = translate_html(node.astext(), partial(translate_numbers, page=page, **place))
                node.children = [nodes.Text(text)]
                node.rawsource = node.astext()


def translate_html(text, translate):
    """Return HTML with its texts, labels and questions translated; the rest of it stays as it is, to the letter."""

    def escaped(text):  # of an element or attribute, without the space around it
        plain = html.unescape(text).strip()
        new = translate(plain)
        return text if new == plain else text.replace(text.strip(), html.escape(new), 1)

    def listed(text):
        labels = json.loads(html.unescape(text))
        new = [translate(label) for label in labels]
        return text if new == labels else html.escape(json.dumps(new, ensure_ascii=False))

    def part(match):
        if match["data"]:
            return match["data"] + _figure(match["state"], translate)
        if match["tag"]:
            tag = LABEL.sub(lambda label: f'{label[1]}{escaped(label[2])}"', match[0])
            return CHOICES.sub(lambda label: f'{label[1]}{listed(label[2])}"', tag)
        return escaped(match[0]) if match["text"] else match[0]

    return PART.sub(part, text)


def _figure(data, translate):
    """Translate what a live figure asks, and say how the words of its state read: the state itself stays."""
    state = json.loads(data)
    ask, words = state.get("ask"), state.get("state", {}).get("words", [])
    for key in QUESTION_KEYS if isinstance(ask, dict) else ():
        ask[key] = list(map(translate, ask[key])) if isinstance(ask[key], list) else translate(ask[key])
    if any(translate(word) != word for word in words):
        state["words"] = [[word, translate(word)] for word in words]
    new = json.dumps(state, ensure_ascii=False).replace("<", "\\u003c")
    return data if state == json.loads(data) else new
