"""The directive ``{results}``: all theorems and definitions of the book, each under a link to its place."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ..contents import chapters, with_deeper
from ..derived import collection, copied, link, mark_collected, place, register_collection
from ..language.english import in_language, left_out
from ..language.messages import _

LISTED = ("definition", "theorem", "lemma", "proposition", "corollary")


def setup(app):
    """Register the directive, and collect the boxes of each page."""
    app.add_directive("results", Results)
    app.connect("doctree-read", _collect)
    register_collection(app, "attnbook_results")


def _results(env):
    """Return each page's theorems and definitions: docname → list of boxes."""
    return collection(env, "attnbook_results")


def _collect(app, doctree):
    boxes = (node for node in doctree.findall(nodes.Element) if node.get("realtype") in LISTED)
    _results(app.env)[app.env.docname] = [box.deepcopy() for box in boxes if "label" in box]


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
    kind = box["realtype"]
    label = box["label"]
    number = app.env.toc_fignumbers.get(page, {}).get(box["countertype"], {}).get(label, ())
    head, *body = copied(box, docname).children
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
    return copy
