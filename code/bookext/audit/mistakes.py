"""Collect the boxes of famous mistakes from all pages on one, each above the executed checks that catch it."""

import re

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ..contents import pages
from ..derived import copied, link, mark_collected, place
from ..language.english import in_language, left_out
from ..language.messages import _
from ..outputs import checks

FAILS = ("differs", "below", "refuses")  # kinds of checks that a wrong version can fail
logger = logging.getLogger(__name__)


def setup(app):
    """Register the directive."""
    app.add_directive("mistakes", Mistakes)


class Mistakes(SphinxDirective):
    """`{mistakes}`: the boxes of class `mistake` of all other pages."""

    def run(self):
        return [place(self.env, _boxes)]


def _boxes(app, docname):
    """Yield every box under a link to its section, and above the checks that catch the mistake there."""
    others = [page for page in pages(app.env) if page != docname]
    items = [
        (page, box, section, title) for page in others for section, title, box in checks.mistakes(app.env).get(page, ())
    ]
    shown, left = in_language(app, items)
    for page, box, section, title in shown:
        copy = copied(box, docname)
        name = re.sub(rf"^({_('Famous mistakes')}|{_('Famous mistake')})(: |：)", "", title)
        back = link(app, docname, page, section, nodes.Text(name[:1].upper() + name[1:]))
        mark_collected(copy, back)
        copy[0].clear()
        copy[0] += back
        here = [entry for entry in checks.page_checks(app.env)[page] if entry.section == section]
        catching = [entry for entry in here if entry.check.kind in FAILS]
        if not catching:
            logger.warning("no executed check shows that the mistake %r is caught", title, location=page)
        copy += nodes.paragraph("", _("These checks catch the wrong version:"))
        entries = (checks.item(app, docname, page, entry) for entry in catching)
        copy += nodes.bullet_list("", *entries, classes=["deciding"])
        yield copy
    yield from left_out(app, docname, left)
