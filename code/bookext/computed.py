"""Pages without a file: their text is computed, as it would only call a directive.

Sphinx finds the pages of a book by their files. For one without a file it reads that of the page beside which it
stands, and is given the computed text in its place.
"""

from sphinx.project import Project

from . import hooks


def setup(app):
    """Begin with no such page, before other parts add theirs, and give each its text when it is read."""
    app.connect("builder-inited", _begin, priority=100)
    app.connect("source-read", _give_text)
    app.connect("env-get-outdated", _outdated)


class Pages(Project):
    """The pages of the book: those with a file, and those that are computed."""

    computed: dict[str, tuple[str, str]]  # name: the page beside which it stands, whose file is read; its own text

    def discover(self, *paths, **options):
        """Find the pages."""
        super().discover(*paths, **options)
        self.docnames.update(self.computed)
        return self.docnames

    def doc2path(self, docname, absolute):
        """Return the file of a page."""
        return super().doc2path(self.computed.get(docname, (docname,))[0], absolute)


def _begin(app):
    hooks.make_project(app, Pages)
    app.project.computed = {}


def compute_page(app, name, beside, title, description, text):
    """Add the page ``name``, which has no file, to the book; _toc.yml names it."""
    head = f"---\nmyst:\n  html_meta:\n    description: >-\n      {description}\n---\n\n# {title}\n\n"
    app.project.computed[name] = beside, head + text


def _give_text(app, docname, content):
    if docname in app.project.computed:
        content[0] = app.project.computed[docname][1]


def _outdated(app, env, added, changed, removed):
    """Return the pages whose text is another one than when they were read."""
    old = getattr(env, "book_computed", {})
    env.book_computed = dict(app.project.computed)
    return [name for name, computed in env.book_computed.items() if computed != old.get(name)]
