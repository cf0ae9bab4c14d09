"""The builder of the site: the preface is its first page, and the search is the book's own.

The source of the preface lies beside the chapters. Its page is ``index.html`` at the root, so that the address of the
site shows the book itself and not a page that leads on. Everything that asks the builder for an address follows.
"""

import os
import sys
from pathlib import Path

from lxml import html
from sphinx.builders.html import StandaloneHTMLBuilder

from . import repairs, social


class SiteBuilder(StandaloneHTMLBuilder):
    """Sphinx's builder for HTML, with the first document of the book at the root of the site."""

    search = False  # see collect/search.py

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
        """Write a page, and repair it at once, in the process that writes it."""
        super().handle_page(pagename, addctx, templatename, outfilename, event_arg)
        path = Path(outfilename or self.get_outfilename(pagename))
        page = html.document_fromstring(path.read_text(encoding="utf-8"))
        repairs.repair(page)
        if pagename == "404":
            social.make_links_absolute(page, self.config.html_baseurl)
        path.write_text(html.tostring(page, doctype="<!DOCTYPE html>", encoding="unicode"), encoding="utf-8")

    def _place(self, name):
        return "index" if name == self.config.root_doc else name


def setup(app):
    """Take the place of Sphinx's builder."""
    app.add_builder(SiteBuilder, override=True)
    app.connect("env-check-consistency", _write_in_parallel)


def _write_in_parallel(app, env):
    """Let Sphinx write pages on all cores: one process resolves references, the others write."""
    app.parallel = (os.cpu_count() or 1) + 1 if sys.platform == "linux" else 1  # elsewhere a fork may hang
