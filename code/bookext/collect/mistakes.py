"""Collect the boxes of famous mistakes from all pages on one, each above the executed checks that catch it."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ..language.words import _
from . import checks

FAILS = ("differs", "below", "refuses")  # kinds of checks that a wrong version can fail
logger = logging.getLogger(__name__)


class mistake_boxes(nodes.General, nodes.Element):
    """The place of the boxes of all pages."""


def setup(app):
    """Register the directive and what fills it."""
    app.add_directive("mistakes", Mistakes)
    app.add_post_transform(Fill)


class Mistakes(SphinxDirective):
    """`{mistakes}`: the boxes of class `mistake` of all other pages."""

    def run(self):
        self.env.metadata[self.env.docname]["made_from_others"] = True
        return [mistake_boxes()]


class Fill(SphinxPostTransform):
    """Put the boxes in their place."""

    default_priority = 5  # before references are resolved: the boxes hold some

    def run(self, **kwargs):
        others = [name for name in checks.pages(self.env) if name != self.env.docname]
        for node in list(self.document.findall(mistake_boxes)):
            node.replace_self([box for name in others for box in self.boxes(name)])

    def boxes(self, docname):
        """Return the boxes of one page, each under a link to its section and above the checks that catch it there."""
        for section, title, box in checks.mistakes(self.env).get(docname, []):
            copy = box.deepcopy()
            for reference in copy.findall(lambda node: "refdoc" in getattr(node, "attributes", ())):
                reference["refdoc"] = self.env.docname
            name = re.sub(rf"^({_('Famous mistakes')}|{_('Famous mistake')}): ", "", title)
            words = nodes.Text(name[:1].upper() + name[1:])
            copy[0].clear()
            copy[0] += checks.link(self.app, self.env.docname, docname, section, words)
            catching = [
                law for law in checks.laws(self.env)[docname] if law.section == section and law.check.kind in FAILS
            ]
            if not catching:
                logger.warning("no executed check shows that the mistake %r is caught", title, location=docname)
            copy += nodes.paragraph("", _("These checks catch the wrong version:"))
            items = (checks.item(self.app, self.env.docname, docname, law) for law in catching)
            copy += nodes.bullet_list("", *items, classes=["deciding"])
            yield copy
