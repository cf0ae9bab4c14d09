"""Say under the title of a chapter how long it takes to read, and which pages go deeper."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from ..language import chinese
from ..language.words import _
from .wayfinding import chapters, with_deeper

WORDS, LINES, FIGURE = 200, 10, 2  # a minute reads so many words, or lines of code; a live figure takes two minutes
FORMULAS = {"math": 1, "math_block": 10}  # as long as so many words
CODE = nodes.literal_block | nodes.math | nodes.math_block | nodes.raw
HIDDEN = {"tag_hide-input", "tag_hide-cell", "tag_remove-input", "tag_remove-cell"}


def setup(app):
    """Register the transform."""
    app.add_post_transform(ReadingTime)


class ReadingTime(SphinxPostTransform):
    """Put a line below the title of each chapter and of each page that goes deeper into one."""

    default_priority = 800  # when the outputs of cells are there

    def run(self, **kwargs):
        env, docname = self.env, self.env.docname
        numbered = chapters(env)
        above = next((name for name in numbered if docname in with_deeper(env, name)[1:]), None)
        if docname not in numbered and not above:
            return
        title = next(self.document.findall(nodes.title))
        line = nodes.paragraph(
            "", "", *self.above(above), nodes.Text(reading_time(self.document)), classes=["reading-time"]
        )
        if deeper := with_deeper(env, docname)[1:]:
            line += nodes.Text(f" {_('Deeper:')} ")
            for place, name in enumerate(deeper):
                line += [nodes.Text(" · ")] * bool(place) + [self.link(name)]
        title.parent.insert(title.parent.index(title) + 1, line)

    def above(self, name):
        """Return the words that lead from a deeper page to its chapter."""
        if not name:
            return []
        before, after = _("Goes deeper into {chapter}.").split("{chapter}")
        return [nodes.Text(before), self.link(name), nodes.Text(f"{after} ")]

    def link(self, name):
        words = nodes.Text(self.env.titles[name].astext())
        return make_refnode(self.app.builder, self.env.docname, name, "", words)


def reading_time(document):
    """Return the time that a page takes without its exercises, in words."""
    words, lines, figures = counts(document)
    minutes = max(1, round(words / WORDS + lines / LINES + FIGURE * figures))
    time = _("Reading time: 1 minute") if minutes == 1 else _("Reading time: {minutes} minutes", minutes=minutes)
    if any(_is_exercises(section) for section in document.findall(nodes.section)):
        return _("{time}, without the exercises.", time=time)
    return _("{time}.", time=time)


def counts(document):
    """Return how many words, visible lines of code and live figures stand before the exercises."""
    words = lines = figures = 0
    for node in _before_exercises(document):
        if isinstance(node, nodes.literal_block):
            cell = node.parent.parent
            if "cell_input" in node.parent["classes"] and not HIDDEN & set(cell["classes"]):
                lines += sum(bool(line.strip()) for line in node.astext().splitlines())
        elif isinstance(node, nodes.raw):
            figures += node.astext().count('<div class="live"')
        elif isinstance(node, nodes.Text):
            words += words_in(node)
        words += FORMULAS.get(node.tagname, 0)
    return words, lines, figures


def words_in(text):
    """Return how many words a text has; two Chinese signs are one, for a translated word takes about as many."""
    return len(chinese.WORDS.sub(" ", text).split()) + len(chinese.SIGN.findall(text)) / 2


def _before_exercises(document):
    """Yield the nodes before the exercises, and none of what stands inside code, formulas and pictures."""
    waiting = [document]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.section) and _is_exercises(node):
            return
        yield node
        if not isinstance(node, CODE):
            waiting += reversed(node.children)


def _is_exercises(section):
    return "exercises" in section["names"]  # its English title, in every language
