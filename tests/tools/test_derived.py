"""A page that shows what others hold is written again when it would show something else, and only then."""

import pytest
from bookext import derived
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, docutils_namespace

BOXES = "boxes"
FILES = {
    "conf.py": "extensions = ['sphinxcontrib.bibtex', 'test_derived']\nbibtex_bibfiles = ['a.bib']",
    "a.bib": "",
    "index.rst": "Book\n====\n\n.. toctree::\n\n   one\n   two\n   all",
    "one.rst": "One\n===\n\nA sentence.\n\n.. note::\n\n   A box, as in :ref:`two`.",
    "two.rst": ".. _two:\n\nTwo\n===\n\nA sentence.",
    "all.rst": "All\n===\n\n.. all-boxes::",
}


class AllBoxes(SphinxDirective):
    def run(self):
        return [derived.place(self.env, all_boxes)]


def all_boxes(app, docname):
    return [derived.copied(box, docname) for boxes in derived.collection(app.env, BOXES).values() for box in boxes]


def collect(app, doctree):
    derived.collection(app.env, BOXES)[app.env.docname] = [box.deepcopy() for box in doctree.findall(nodes.note)]


def setup(app):
    derived.setup(app)
    app.add_directive("all-boxes", AllBoxes)
    app.connect("doctree-read", collect)
    derived.register_collection(app, BOXES)


def written(tree):
    """Build the tree; return the pages that were written."""
    pages = []
    with docutils_namespace():
        app = Sphinx(tree, tree, tree / "html", tree / "trees", "html", status=None, warning=None)
        app.connect("doctree-resolved", lambda app, doctree, docname: pages.append(docname))
        app.build()
    return set(pages)


@pytest.mark.parametrize(
    ("file", "before", "after", "pages", "shown"),
    [
        ("one", "A sentence", "Another sentence", {"one"}, "A box"),
        ("one", "A box", "A larger box", {"one", "all"}, "A larger box"),
        ("two", "Two\n===", "Twelve\n======", {"two", "all"}, "Twelve"),
    ],
    ids=["a sentence", "what is collected", "what a reference in it shows"],
)
def test_a_derived_page_is_written_when_it_would_show_something_else(tmp_path, file, before, after, pages, shown):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert written(tmp_path) == {"index", "one", "two", "all"}
    assert written(tmp_path) == set()
    source = tmp_path / f"{file}.rst"
    source.write_text(source.read_text().replace(before, after))
    assert pages <= written(tmp_path) <= pages | {"index"}
    assert shown in (tmp_path / "html" / "all.html").read_text()
