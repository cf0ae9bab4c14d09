"""What is made from other pages: collections of what pages hold, and the places where it is shown.

What a page holds is collected as it is read. Where another page shows it, a directive leaves a place, which is filled
when that page is written: only then has every page been read.
"""

import hashlib

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import docname_join
from sphinx.util.nodes import make_refnode

REFERRED = [("std", "labels"), ("std", "anonlabels"), ("math", "objects")]  # the domains' tables of what has an address
FILLED = "attnbook_filled"  # a collection: of each page with places, a digest of what it showed when it was written


class derived(nodes.General, nodes.Element):
    """A place that is filled with the nodes that ``make(app, docname, **options)`` returns."""


def setup(app):
    """Fill the places, and write a page again when its places would be filled with something else."""
    app.add_post_transform(Fill)
    app.connect("env-get-updated", _outdated, priority=600)  # after Sphinx has numbered sections and figures
    register_collection(app, FILLED)


def place(env, make, **options):
    """Return a place on the page that is being read, for what ``make`` makes of the others."""
    env.metadata[env.docname]["derived"] = True
    return derived(make=make, options=options)


class Fill(SphinxPostTransform):
    """Fill the places of a page."""

    default_priority = 5  # before references are resolved: what is copied holds some

    def run(self, **kwargs):
        for node in list(self.document.findall(derived)):
            node.replace_self(_filling(self.app, self.env.docname, node))


def _filling(app, docname, node):
    """Return the nodes that fill a place."""
    return list(node["make"](app, docname, **node["options"]))


def _outdated(app, env):
    """Yield the pages that would show something else than when they were written."""
    filled = collection(env, FILLED)
    targets = _targets(env)
    for page in sorted(name for name, data in env.metadata.items() if "derived" in data):
        places = env.get_doctree(page).findall(derived)
        texts = [node.pformat() for empty in places for node in _filling(app, page, empty)]
        digest = hashlib.sha256("\n".join([targets, *texts]).encode()).hexdigest()
        if filled.get(page) != digest:
            filled[page] = digest
            yield page


def _targets(env):
    """Return, as text, all that a reference can show: titles, numbers, labels, citations."""
    titles = {page: title.astext() for page, title in env.titles.items()}
    tables = [titles, env.toc_secnumbers, env.toc_fignumbers]
    tables += [env.domaindata[domain][kind] for domain, kind in REFERRED]
    cited = env.domains["cite"].citations if "cite" in env.domains else []
    citations = [(citation.key, citation.formatted_entry.label) for citation in cited]
    # A page that is read again goes to the end of every table.
    return repr([*(sorted(table.items()) for table in tables), sorted(citations)])


def register_collection(app, name):
    """Keep a collection right when pages go, are read again, or are read side by side."""

    def merge(app, env, read_there, other):
        collected = collection(other, name)
        collection(env, name).update({page: collected[page] for page in read_there if page in collected})

    app.connect("env-purge-doc", lambda app, env, page: collection(env, name).pop(page, None))
    app.connect("env-merge-info", merge)


def collection(env, name):
    """Return what was collected under ``name``: a dict with an entry for each page that was read."""
    if not hasattr(env, name):
        setattr(env, name, {})
    return getattr(env, name)


def section_of(node):
    """Return the section that holds ``node``, or None; the boxes of theorems are sections without a title."""
    while node is not None and not (isinstance(node, nodes.section) and isinstance(node[0], nodes.title)):
        node = node.parent
    return node


def copied(node, docname):
    """Return a copy of a node of another page, whose references are resolved from the page ``docname``."""
    copy = node.deepcopy()
    for reference in copy.findall(lambda part: "refdoc" in getattr(part, "attributes", ())):
        if reference.get("reftype") == "doc":
            reference["reftarget"] = "/" + docname_join(reference["refdoc"], reference["reftarget"])
        reference["refdoc"] = docname
    return copy


def copied_children(node):
    """Return copies of the children of a node."""
    return [child.deepcopy() for child in node.children]


def mark_collected(unit, back):
    """Mark what was made of a part of another page, and the link that leads back to it."""
    unit["classes"].append("collected")
    back["classes"].append("collected-from")


def link(app, at, docname, anchor, children):
    """Return a link from the page ``at`` to an anchor of another."""
    return make_refnode(app.builder, at, docname, anchor, children)
