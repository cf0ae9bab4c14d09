"""Draw the map of the chapters, state all theorems and definitions on one page, and link terms to the glossary."""

import functools
import re
from html import escape

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import docname_join
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from ..language import chinese
from ..language.messages import _
from .derived import (
    chapters,
    collection,
    in_language,
    left_out,
    link,
    mark_collected,
    place,
    register_collection,
    with_deeper,
)
from .quiz import quiz

LISTED = ("definition", "theorem", "lemma", "proposition", "corollary")
# Terms that are not linked: they are words of every day, or of the text before.
ORDINARY = {"value", "head", "projection", "variance", "permutation"}
ORDINARY |= {"layer", "scan", "turns", "swap", "tile", "batch", "gate", "stretch", "resolution", "inversion"}
MAP = "Map of the chapters: an arrow leads from a chapter to one that builds on it"
WIDTH, ROW, BOX, LINE = 360, 66, (172, 46), 24  # of the map, in units of its picture; letters in a line


def setup(app):
    """Register the directives `chapter-map` and `results`, and what is done to every page."""
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("results", Results)
    app.add_post_transform(LinkGlossary)
    app.connect("doctree-read", _collect)
    register_collection(app, "attnbook_results")


def _results(env):
    """Return each page's theorems and definitions: docname → list of boxes."""
    return collection(env, "attnbook_results")


def _collect(app, doctree):
    boxes = (node for node in doctree.findall(nodes.Element) if node.get("realtype") in LISTED)
    _results(app.env)[app.env.docname] = [box.deepcopy() for box in boxes if "label" in box]


class ChapterMap(SphinxDirective):
    """`{chapter-map}`: one line a chapter, `name: names of those it builds on`."""

    has_content = True

    def run(self):
        folder = self.env.docname.rpartition("/")[0] + "/"
        lines = [line.partition(":") for line in self.content if line.strip()]
        needs = {folder + name.strip(): [folder + other for other in others.split()] for name, _, others in lines}
        if unknown := {n for ns in needs.values() for n in ns} - set(needs):
            raise self.error(f"the map has no line for {', '.join(sorted(unknown))}")
        return [place(self.env, _drawing, needs=needs)]


class Results(SphinxDirective):
    """`{results}`: the statement of every theorem and definition of the book, chapter by chapter."""

    def run(self):
        return [place(self.env, _statements)]


def _statements(app, docname):
    """Yield a section for each chapter that has results, those of the pages that go deeper included."""
    for name, number in chapters(app.env).items():
        results = [(page, box) for page in with_deeper(app.env, name) for box in _results(app.env)[page]]
        if results:
            shown, left = in_language(app, results)
            title = nodes.title("", f"{number}. {app.env.titles[name].astext()}")
            statements = [_statement(app, docname, *result) for result in shown]
            yield nodes.section("", title, *statements, *left_out(app, docname, left), ids=[f"of-{number}"])


def _statement(app, docname, page, box):
    """Return the text of a box of another page, under a link to it; ids and numbers of formulas stay there."""
    kind, label = box["realtype"], box["label"]
    number = app.env.toc_fignumbers.get(page, {}).get(box["countertype"], {}).get(label, ())
    head, *body = box.deepcopy().children
    name = nodes.Text(f"{_(kind.title())} {'.'.join(map(str, number))}")
    back = link(app, docname, page, label, name)
    title = nodes.title("", "", back, *head.children)
    body = [node for part in body for node in (part.children if isinstance(part, nodes.section) else [part])]
    copy = nodes.admonition("", title, *body, classes=["proof", kind])
    mark_collected(copy, back)
    for node in list(copy.findall(nodes.Element)):
        node["ids"] = node["names"] = []
        if isinstance(node, nodes.math_block):
            node["number"] = node["label"] = None
        if node.get("reftype") == "doc":
            node["reftarget"] = "/" + docname_join(page, node["reftarget"])
        if "refdoc" in node:
            node["refdoc"] = docname
    return copy


def _drawing(app, docname, needs):
    """Draw the map as inline SVG: each chapter below all it builds on, without arrows that others imply."""
    numbers, titles = chapters(app.env), app.env.titles
    if missing := [name for name in needs if name not in numbers]:
        raise ExtensionError(f"{docname}: the map names {', '.join(missing)}, which is no chapter")
    rows = {}
    for name, row in depths(needs).items():
        rows.setdefault(row, []).append(name)
    corners = {
        name: ((i + 0.5) * WIDTH / len(row) - BOX[0] / 2, y * ROW + 1)
        for y, row in rows.items()
        for i, name in enumerate(row)
    }
    label = {name: f"{numbers[name]}. {titles[name].astext()}" for name in needs}
    arrows = "".join(arrow(corners[a], corners[b]) for b in needs for a in direct(needs, b))
    boxes = ""
    for name, (x, y) in corners.items():
        address = app.builder.get_relative_uri(docname, name)
        spoken = spoken_label(label[name], [label[n] for n in needs[name]])
        boxes += (
            f'<a href="{address}" aria-label="{escape(spoken)}"><rect x="{x:g}" y="{y:g}" width="{BOX[0]}" '
            f'height="{BOX[1]}" rx="5"/>{lines(label[name], x, y)}</a>'
        )
    height = len(rows) * ROW - (ROW - BOX[1]) + 2
    svg = (
        f'<svg class="chapter-map" viewBox="0 0 {WIDTH} {height}" role="group" aria-label="'
        f'{escape(_(MAP))}">{arrows}{boxes}</svg>'
    )
    return [nodes.raw("", svg, format="html")]


def spoken_label(chapter, others):
    """Return the accessible name of a box: the chapter, and those that it builds on."""
    if not others:
        return chapter
    joined = functools.reduce(lambda first, second: _("{first} and {second}", first=first, second=second), others)
    return _("{chapter}, builds on {others}", chapter=chapter, others=joined)


def depths(needs):
    """Return the row of each chapter: one below the lowest it builds on; ``ExtensionError`` if they go in a circle."""
    rows = {}
    while len(rows) < len(needs):
        ready = [name for name in needs if name not in rows and all(n in rows for n in needs[name])]
        if not ready:
            raise ExtensionError(f"chapter-map: {', '.join(set(needs) - set(rows))} build on each other in a circle")
        rows |= {name: max((rows[n] + 1 for n in needs[name]), default=0) for name in ready}
    return rows


def direct(needs, name):
    """Return what ``name`` builds on and reaches by no other way."""

    def below(n):
        return set(needs[n]).union(*(below(m) for m in needs[n]))

    return [n for n in needs[name] if not any(n in below(m) for m in needs[name])]


def arrow(start, end):
    """Draw a line from the foot of one box to the head of another."""
    (x1, y1), (x2, y2) = ((x + BOX[0] / 2, y) for x, y in (start, end))
    y1, middle = y1 + BOX[1], (y1 + BOX[1] + y2) / 2
    path = f"M{x1:g} {y1:g}C{x1:g} {middle:g} {x2:g} {middle:g} {x2:g} {y2 - 2:g}"
    return f'<path d="{path}"/><path d="M{x2 - 4:g} {y2 - 7:g}L{x2:g} {y2 - 1:g}L{x2 + 4:g} {y2 - 7:g}"/>'


def lines(label, x, y):
    """Write one or two lines of text in the middle of a box."""
    rows = [""]
    for word in label.split():
        if rows[-1] and len(rows[-1]) + len(word) >= LINE:
            rows.append("")
        rows[-1] = f"{rows[-1]} {word}".strip()
    top = y + BOX[1] / 2 + 4.5 - 8 * (len(rows) - 1)
    spans = (f'<tspan x="{x + BOX[0] / 2:g}" y="{top + 16 * i:g}">{escape(s)}</tspan>' for i, s in enumerate(rows))
    return f"<text>{' '.join(spans)}</text>"


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
        names = any_of(frozenset(places))
        self.places = {name.lower(): place for name, place in places.items()}
        self.linked = set()
        unseen = {p for box in self.document.findall(quiz) for p in box.findall(nodes.paragraph)}
        for glosses in (False, True):
            for paragraph in [p for p in self.document.findall(nodes.paragraph) if p not in unseen]:
                for text in [n for n in paragraph.findall(nodes.Text) if n.parent is paragraph]:
                    self.link(text, names, glosses)

    def link(self, text, names, glosses):
        """Replace the first uses of terms in one text by links; foreign words in brackets only if ``glosses``."""
        parts, end = [], 0
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


@functools.lru_cache(1)
def any_of(names):
    """Return the pattern that finds one of the terms, the longest first: a whole word or its plural."""
    words = "|".join(chinese.word(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(words, re.IGNORECASE)
