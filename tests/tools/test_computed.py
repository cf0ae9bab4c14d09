"""A page without a file is read again when its text, which is made of other pages, has changed."""

from pathlib import Path

from bookext import computed
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

FILES = {
    "conf.py": "extensions = ['myst_parser', 'test_computed']\nroot_doc = 'index'",
    "index.md": "# Book\n\n```{toctree}\none\ntwo\nof-one\n```\n",
    "one.md": "# One\n",
    "two.md": "# Two\n",
}


def setup(app):
    computed.setup(app)
    app.connect("builder-inited", add_page)


def add_page(app):
    """Add a page beside two.md, with the title of one.md."""
    title = Path(app.srcdir, "one.md").read_text().removeprefix("# ").strip()
    computed.compute_page(app, "of-one", "two", f"What is said of {title}", "A description.", "Text.\n")


def title_of_page(tree):
    """Build the tree; return the title of the page without a file."""
    with docutils_namespace():
        app = Sphinx(tree, tree, tree / "html", tree / "trees", "html", status=None, warning=None)
        app.build()
    return app.env.titles["of-one"].astext()


def test_a_page_without_a_file_follows_the_pages_of_which_it_is_made(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert title_of_page(tmp_path) == "What is said of One"
    (tmp_path / "one.md").write_text("# First\n")
    assert title_of_page(tmp_path) == "What is said of First"
    assert "What is said of First" in (tmp_path / "html" / "of-one.html").read_text()
