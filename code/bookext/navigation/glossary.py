"""Link the terms of each chapter to the glossary."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from ..contents import chapters, with_deeper
from ..language import chinese
from ..questions.quiz import quiz

# Terms that are not linked: they are words of every day, or of the text before.
ORDINARY = {"value", "head", "projection", "variance", "permutation", "layer", "scan", "turns", "swap", "tile"}
ORDINARY |= {"batch", "gate", "stretch", "resolution", "inversion"}


def setup(app):
    """Register what is done to every page."""
    app.add_post_transform(LinkGlossary)


class LinkGlossary(SphinxPostTransform):
    """Link the first use of each entry of the glossary in a chapter, under any of its names.

    In Chinese a foreign word in brackets, as in 键（key）, is linked only where no Chinese name of its entry is found.
    """

    default_priority = 6

    def run(self, **kwargs):
        if not any(self.env.docname in with_deeper(self.env, name) for name in chapters(self.env)):
            return
        objects = self.env.domains["std"].objects
        places = {name: place for (kind, name), place in objects.items() if kind == "term"}
        # A term keeps its address in every language.
        places = {name: place for name, place in places.items() if place[1].removeprefix("term-") not in ORDINARY}
        if not places:
            return
        names = chinese.words(frozenset(places))
        self.places = {name.lower(): place for name, place in places.items()}
        self.linked = set()
        unseen = {p for box in self.document.findall(quiz) for p in box.findall(nodes.paragraph)}
        for glosses in (False, True):
            for paragraph in [p for p in self.document.findall(nodes.paragraph) if p not in unseen]:
                for text in [n for n in paragraph.findall(nodes.Text) if n.parent is paragraph]:
                    self.link(text, names, glosses)

    def link(self, text, names, glosses):
        """Replace the first uses of terms in one text by links; foreign words in brackets only if ``glosses``."""
        parts = []
        end = 0
        for match in names.finditer(text):
            name = match[0].lower()
            place = self.places.get(name) or self.places[name.removesuffix("s")]
            is_gloss = bool(chinese.GLOSS.search(text[: match.start()]))
            if place in self.linked or (is_gloss and not glosses):
                continue
            self.linked.add(place)
            if is_gloss and self.explains(text, place):
                self.enclose(text.parent[text.parent.index(text) - 1], place)
                continue
            parts += [nodes.Text(text[end : match.start()]), self.reference(place, nodes.Text(match[0]))]
            end = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])

    def explains(self, text, place):
        """Test whether a bracket at the start of ``text`` explains the stressed name of a term before it."""
        at = text.parent.index(text)
        before = text.parent[at - 1] if at and text.startswith("（") else None
        return isinstance(before, nodes.emphasis | nodes.strong) and self.places.get(before.astext().lower()) == place

    def enclose(self, node, place):
        """Put the children of a node into a link to a term."""
        children = node.children
        node.clear()
        node += self.reference(place, children)

    def reference(self, place, children):
        """Return a link to a term."""
        reference = make_refnode(self.app.builder, self.env.docname, *place, children)
        reference["classes"].append("glossary-term")
        return reference
