"""Say under the title of a chapter how long it takes to read, and at its end which pages go deeper: 2.A, 2.B, …"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from .. import hooks
from ..contents import chapters, with_deeper
from ..derived import link
from ..language import chinese
from ..language.messages import _
from ..outputs.figures import drawn_figure

# Minutes, as three readers whose second language is English counted them on nine chapters; the sum fits each chapter's
# median within an eighth. A tenth of all that is read is read twice.
WORD = 1 / 180
LINE = 1 / 10
LIVE = 2.5
PICTURE = 1
AGAIN = 1.1
MINUTES = {"math": WORD, "math_block": 0.7, "proof_node": 1.5, "quiz": 1, "predict": 1}
CODE = nodes.literal_block | nodes.math | nodes.math_block | nodes.raw


def setup(app):
    """Register the transform."""
    app.add_post_transform(ReadingTime)
    app.connect("env-get-updated", _letter, priority=600)  # after Sphinx has numbered the sections


class Letter(int):
    """The number of a page that goes deeper: it counts as the one that Sphinx gave, and is written as a letter."""

    letter: str

    def __str__(self):
        return self.letter


def _letter(app, env):
    """Letter the pages that go deeper, so that they do not seem to be sections of their chapter."""
    for chapter in chapters(env):
        for place, page in enumerate(with_deeper(env, chapter)[1:]):
            sections = env.toc_secnumbers[page]
            for anchor, (first, number, *rest) in sections.items():
                sections[anchor] = (first, Letter(number), *rest)
                sections[anchor][1].letter = chr(ord("A") + place)
            for part in [env.titles[page], env.longtitles[page], *env.tocs[page].findall(nodes.reference)]:
                if "secnumber" in part:
                    part["secnumber"] = sections[part.get("anchorname", "")]
    return []


class ReadingTime(SphinxPostTransform):
    """Put a line below the title of each chapter and of each page that goes deeper into one."""

    default_priority = 800  # when the outputs of cells are there

    def run(self, **kwargs):
        env = self.env
        docname = self.env.docname
        numbered = chapters(env)
        above = next((name for name in numbered if docname in with_deeper(env, name)[1:]), None)
        if docname not in numbered and not above:
            return
        title = next(self.document.findall(nodes.title))
        time = nodes.Text(reading_time(self.document))
        line = nodes.paragraph("", "", *self.above(above), time, classes=["reading-time"])
        title.parent.insert(title.parent.index(title) + 1, line)
        if deeper := with_deeper(env, docname)[1:]:
            pages = (nodes.list_item("", nodes.paragraph("", "", *self.numbered(name))) for name in deeper)
            items = nodes.bullet_list("", *pages, classes=["deeper"])
            title.parent += [nodes.rubric("", _("Pages that go deeper")), items]

    def above(self, name):
        """Return the sentence that leads from a deeper page to its chapter."""
        if not name:
            return []
        before, after = _("Goes deeper into {chapter}.").split("{chapter}")
        return [nodes.Text(before), self.link(name), nodes.Text(f"{after} ")]

    def numbered(self, name):
        """Return the number of a page, such as 2.A, and a link to it."""
        return nodes.Text(".".join(map(str, self.env.toc_secnumbers[name][""])) + ". "), self.link(name)

    def link(self, name):
        """Return a link to a page, labelled with its title."""
        return link(self.app, self.env.docname, name, "", nodes.Text(self.env.titles[name].astext()))


def reading_time(document):
    """Return the sentence that says how long a page takes without its exercises."""
    minutes = max(1, round(minutes_of(document)))
    if any(_is_exercises(section) for section in document.findall(nodes.section)):
        if minutes == 1:
            return _("Reading time: 1 minute, without the exercises.")
        return _("Reading time: {minutes} minutes, without the exercises.", minutes=minutes)
    return _("Reading time: 1 minute.") if minutes == 1 else _("Reading time: {minutes} minutes.", minutes=minutes)


def minutes_of(document):
    """Return how long it takes to read what stands before the exercises, visible code and figures included."""
    minutes = 0.0
    for node in _before_exercises(document):
        if isinstance(node, nodes.literal_block):
            cell = node.parent.parent  # MyST-NB has wrapped code that is folded away
            if "cell_input" in node.parent["classes"] and not isinstance(cell, hooks.folded_cell()):
                minutes += LINE * sum(bool(line.strip()) for line in node.astext().splitlines())
        elif isinstance(node, drawn_figure):
            minutes += LIVE if node["record"]["kind"] == "live" else 0
        elif isinstance(node, nodes.Text):
            minutes += WORD * words_in(node)
        elif isinstance(node, nodes.figure):
            minutes += PICTURE
        else:
            minutes += sum(MINUTES.get(name, 0) for name in (node.tagname, *node.get("classes", ())))
    return AGAIN * minutes


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
