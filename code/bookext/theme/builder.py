"""The builder of the site: the preface is its first page, and the search is the book's own.

The source of the preface lies beside the chapters. Its page is ``index.html`` at the root, so that the address of the
site shows the book itself and not a page that leads on. Everything that asks the builder for an address follows.

Each page is parsed once, in the process that has written it. The event ``page-written`` hands out the tree; then it is
repaired and written back.
"""

import os
import sys
from pathlib import Path

from sphinx.builders.html import StandaloneHTMLBuilder

from .. import hooks, markup
from . import repairs, social


class SiteBuilder(StandaloneHTMLBuilder):
    """Sphinx's builder for HTML, with the first document of the book at the root of the site."""

    search = False  # see navigation/search.py

    def get_target_uri(self, docname, typ=None):
        """Return the address of a document."""
        return super().get_target_uri(self._place(docname), typ)

    def get_outfilename(self, pagename):
        """Return the file that a page is written to."""
        return super().get_outfilename(self._place(pagename))

    def get_output_path(self, page_name, /):
        """Return the file that a page is written to, as Sphinx 8 asks for it."""
        return super().get_output_path(self._place(page_name))

    def handle_page(self, pagename, addctx, templatename="page.html", outfilename=None, event_arg=None):
        """Write a page, and change and repair it at once, in the process that writes it."""
        super().handle_page(pagename, addctx, templatename, outfilename, event_arg)
        path = Path(outfilename or self.get_outfilename(pagename))
        page = markup.read(path)
        self.events.emit("page-written", pagename, page)
        repairs.repair(page)
        if pagename == "404":
            social.make_links_absolute(page, self.config.html_baseurl)
        markup.write(path, page)

    def _place(self, name):
        return "index" if name == self.config.root_doc else name


def setup(app):
    """Take the place of Sphinx's builder."""
    app.add_builder(SiteBuilder, override=True)
    app.add_event("page-written")
    app.connect("env-check-consistency", _write_in_parallel)


def _write_in_parallel(app, env):
    """Let Sphinx write pages on all cores: one process resolves references, the others write."""
    count = (os.cpu_count() or 1) + 1
    hooks.write_in_processes(app, count if sys.platform == "linux" else 1)  # elsewhere a fork may hang
