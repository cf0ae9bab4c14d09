"""Finding one's way: the map of the chapters, the page of theorems and definitions, and the way to the glossary.

What other pages hold is known only after every page has been read, so all three are made when a page is written.
"""

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
from ..language.words import _
from . import checks
from .quiz import quiz

LISTED = ("definition", "theorem", "lemma", "proposition", "corollary")
ORDINARY = {"value", "head", "projection", "variance", "permutation"}  # words of every day or of the text before
ORDINARY |= {"layer", "scan", "turns", "swap", "tile", "batch", "gate", "stretch", "resolution", "inversion"}
MAP = "Map of the chapters: an arrow leads from a chapter to one that builds on it"
WIDTH, ROW, BOX, LINE = 360, 66, (172, 46), 24  # of the map: units of its picture, letters in a line


class chapter_map(nodes.General, nodes.Element):
    """The place of the map; `needs` maps each chapter to those it builds on."""


class results_list(nodes.General, nodes.Element):
    """The place of the statements of all theorems and definitions."""


def setup(app):
    """Register the directives `chapter-map` and `results`, and what is done to every page."""
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("results", Results)
    app.add_post_transform(Fill)
    app.add_post_transform(LinkGlossary)
    app.connect("doctree-read", _collect)
    checks.register_collection(app, "attnbook_results")


def _results(env):
    """Return each page's theorems and definitions: docname → list of boxes."""
    return checks.collection(env, "attnbook_results")


def _collect(app, doctree):
    boxes = (node for node in doctree.findall(nodes.Element) if node.get("realtype") in LISTED)
    _results(app.env)[app.env.docname] = [box.deepcopy() for box in boxes if "label" in box]


def chapters(env):
    """Return the numbered pages in the order of the book, as docname → "3"."""
    order = env.toctree_includes.get(env.config.root_doc, [])
    numbers = {name: env.toc_secnumbers.get(name, {}).get("") for name in order}
    return {name: ".".join(map(str, number)) for name, number in numbers.items() if number}


def with_deeper(env, chapter):
    """Return the name of a chapter, and those of the pages that go deeper into it."""
    return [chapter, *env.toctree_includes.get(chapter, [])]


class ChapterMap(SphinxDirective):
    """`{chapter-map}`: one line a chapter, `name: names of those it builds on`."""

    has_content = True

    def run(self):
        folder = self.env.docname.rpartition("/")[0] + "/"
        lines = [line.partition(":") for line in self.content if line.strip()]
        needs = {folder + name.strip(): [folder + word for word in rest.split()] for name, _, rest in lines}
        if unknown := {n for ns in needs.values() for n in ns} - set(needs):
            raise self.error(f"the map has no line for {', '.join(sorted(unknown))}")
        self.env.metadata[self.env.docname]["made_from_others"] = True
        return [chapter_map(needs=needs)]


class Results(SphinxDirective):
    """`{results}`: the statement of every theorem and definition of the book, chapter by chapter."""

    def run(self):
        self.env.metadata[self.env.docname]["made_from_others"] = True
        return [results_list()]


class Fill(SphinxPostTransform):
    """Draw the map and write the statements where their pages ask for them."""

    default_priority = 5  # before references are resolved

    def run(self, **kwargs):
        for node in list(self.document.findall(chapter_map)):
            node.replace_self(nodes.raw("", self.drawing(node["needs"]), format="html"))
        for node in list(self.document.findall(results_list)):
            node.replace_self(list(self.lists()))

    def lists(self):
        """Return a section for each chapter that has results, those of the pages that go deeper included."""
        for name, number in chapters(self.env).items():
            pages = with_deeper(self.env, name)
            if stated := [self.statement(page, box) for page in pages for box in _results(self.env)[page]]:
                title = nodes.title("", f"{number}. {self.env.titles[name].astext()}")
                yield nodes.section("", title, *stated, ids=[f"of-{number}"])

    def statement(self, page, box):
        """Return what a box of another page says, under a link to it; ids and numbers of formulas stay there."""
        here, kind, label = self.env.docname, box["realtype"], box["label"]
        figures = self.env.toc_fignumbers.get(page, {}).get(box["countertype"], {}).get(label, ())
        head, *body = box.deepcopy().children
        link = make_refnode(
            self.app.builder, here, page, label, nodes.Text(f"{_(kind.title())} {'.'.join(map(str, figures))}")
        )
        body = [node for part in body for node in (part.children if isinstance(part, nodes.section) else [part])]
        copy = nodes.admonition("", nodes.title("", "", link, *head.children), *body, classes=["proof", kind])
        for node in list(copy.findall(nodes.Element)):
            node["ids"] = node["names"] = []
            if isinstance(node, nodes.math_block):
                node["number"] = node["label"] = None
            if node.get("reftype") == "doc":
                node["reftarget"] = "/" + docname_join(page, node["reftarget"])
            if "refdoc" in node:
                node["refdoc"] = here
        return copy

    def drawing(self, needs):
        """Draw the map as inline SVG: each chapter below all it builds on, without arrows that others imply."""
        numbers, titles = chapters(self.env), self.env.titles
        if missing := [name for name in needs if name not in numbers]:
            raise ExtensionError(f"{self.env.docname}: the map names {', '.join(missing)}, which is no chapter")
        rows = {}
        for name, row in depths(needs).items():
            rows.setdefault(row, []).append(name)
        place = {
            name: ((i + 0.5) * WIDTH / len(row) - BOX[0] / 2, y * ROW + 1)
            for y, row in rows.items()
            for i, name in enumerate(row)
        }
        label = {name: f"{numbers[name]}. {titles[name].astext()}" for name in needs}
        arrows = "".join(arrow(place[a], place[b]) for b in needs for a in direct(needs, b))
        boxes = ""
        for name, (x, y) in place.items():
            address = self.app.builder.get_relative_uri(self.env.docname, name)
            said = spoken(label[name], [label[n] for n in needs[name]])
            boxes += (
                f'<a href="{address}" aria-label="{escape(said)}"><rect x="{x:g}" y="{y:g}" width="{BOX[0]}" '
                f'height="{BOX[1]}" rx="5"/>{words(label[name], x, y)}</a>'
            )
        height = len(rows) * ROW - (ROW - BOX[1]) + 2
        return (
            f'<svg class="chapter-map" viewBox="0 0 {WIDTH} {height}" role="group" aria-label="'
            f'{escape(_(MAP))}">{arrows}{boxes}</svg>'
        )


def spoken(chapter, others):
    """Return what is said of a box: the chapter, and those that it builds on."""
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


def words(label, x, y):
    """Write one or two lines of text in the middle of a box."""
    lines = [""]
    for word in label.split():
        if lines[-1] and len(lines[-1]) + len(word) >= LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    top = y + BOX[1] / 2 + 4.5 - 8 * (len(lines) - 1)
    spans = (f'<tspan x="{x + BOX[0] / 2:g}" y="{top + 16 * i:g}">{escape(s)}</tspan>' for i, s in enumerate(lines))
    return f"<text>{' '.join(spans)}</text>"


class LinkGlossary(SphinxPostTransform):
    """In each chapter, the first use of a term of the glossary leads there."""

    default_priority = 6

    def run(self, **kwargs):
        if not any(self.env.docname in with_deeper(self.env, name) for name in chapters(self.env)):
            return
        terms = {
            name.lower(): place for (kind, name), place in self.env.domains["std"].objects.items() if kind == "term"
        }
        # A term keeps its address in every language.
        open_terms = {name for name, (_, anchor) in terms.items() if anchor.removeprefix("term-") not in ORDINARY}
        unseen = {p for box in self.document.findall(quiz) for p in box.findall(nodes.paragraph)}
        for paragraph in [p for p in self.document.findall(nodes.paragraph) if p not in unseen]:
            for text in [n for n in paragraph.findall(nodes.Text) if n.parent is paragraph]:
                if open_terms:
                    self.link(text, terms, open_terms)

    def link(self, text, terms, open_terms):
        """Replace the terms in one text that have not been met before by links."""
        parts, end = [], 0
        for found in any_of(open_terms).finditer(text):
            term = (found[1] or found[2]).lower()
            if term in open_terms:
                open_terms.remove(term)
                link = make_refnode(self.app.builder, self.env.docname, *terms[term], nodes.Text(found[0]))
                link["classes"].append("glossary-term")
                parts += [nodes.Text(text[end : found.start()]), link]
                end = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def any_of(terms):
    """Return the pattern that finds one of the terms: a whole word or its plural, in Chinese wherever it stands."""
    groups = [], []
    for term in sorted(terms, key=len, reverse=True):
        groups[bool(chinese.SIGN.search(term))].append(re.escape(term))
    words, signs = ("|".join(group) or "(?!)" for group in groups)
    return re.compile(rf"\b({words})s?\b|({signs})", re.IGNORECASE)
