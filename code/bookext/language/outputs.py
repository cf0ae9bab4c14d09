"""Translate what the outputs of cells say: the texts and labels of figures, sliders and live figures.

Outputs are stored and no cell is executed again, so their HTML is translated where a page is read. Numbers are no
words: ``0.25 of 4 keys`` is the message ``{1} of {2} keys``, one for all frames of a figure.
"""

import html
import json
import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

from .messages import translate

# What holds no words; the state of a live figure; or a text between two elements.
PART = re.compile(
    r'(?P<data><script type="application/json">)(?P<state>.*?)(?=</script>)'
    r"|<(?P<name>script|style|math|code|pre)\b.*?</(?P=name)>|(?P<tag><[^>]*>)|(?P<text>[^<]+)",
    re.DOTALL,
)
LABEL = re.compile(r'(\s(?:aria-label|alt|title)=")([^"]*)"')
CHOICES = re.compile(r'(\sdata-labels=")([^"]*)"')
NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?(?![\w])")
QUESTION_KEYS = ("question", "options", "why")  # what a live figure asks; the rest of its data is no text


class TranslateOutputs(SphinxTransform):
    """Translate the HTML of every output of a cell."""

    default_priority = 25  # after the text of the page

    def apply(self, **kwargs):
        for node in self.document.findall(nodes.raw):
            # The HTML of checks is for notebooks: a page draws them from their records.
            if "html" in node.get("format", "").split() and ' class="checks">' not in node.astext()[:30]:
                node.children = [nodes.Text(translate_html(node.astext()))]
                node.rawsource = node.astext()


def translate_html(text):
    """Return HTML with its texts, labels and questions translated; the rest of it stays as it is, to the letter."""
    return PART.sub(_part, text)


def _part(match):
    if match["data"]:
        return match["data"] + _question(match["state"])
    if match["tag"]:
        tag = LABEL.sub(lambda label: f'{label[1]}{_escaped(label[2])}"', match[0])
        return CHOICES.sub(lambda label: f'{label[1]}{_listed(label[2])}"', tag)
    return _escaped(match[0]) if match["text"] else match[0]


def _escaped(text):
    """Translate the text of an element or attribute, without the space around it."""
    plain = html.unescape(text).strip()
    new = translate_text(plain)
    return text if new == plain else text.replace(text.strip(), html.escape(new), 1)


def _listed(text):
    labels = json.loads(html.unescape(text))
    new = [translate_text(label) for label in labels]
    return text if new == labels else html.escape(json.dumps(new, ensure_ascii=False))


def _question(data):
    """Translate what a live figure asks the reader to predict."""
    state = json.loads(data)
    ask = state.get("ask")
    if not isinstance(ask, dict):
        return data
    for key in QUESTION_KEYS:
        ask[key] = list(map(translate_text, ask[key])) if isinstance(ask[key], list) else translate_text(ask[key])
    new = json.dumps(state, ensure_ascii=False).replace("<", "\\u003c")
    return data if state == json.loads(data) else new


def translate_text(text):
    """Translate a text that holds a word; its numbers are put into the translation."""
    if not re.search(r"[^\W\d_]{2,}", text):
        return text
    if re.search(r"\{\d+\}", text):
        return translate(text)
    numbers = NUMBER.findall(text)
    places = iter(range(1, len(numbers) + 1))
    new = translate(NUMBER.sub(lambda _: f"{{{next(places)}}}", text))
    return re.sub(r"\{(\d+)\}", lambda place: numbers[int(place[1]) - 1], new)
