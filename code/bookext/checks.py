"""What the executed cells say: every check line gets an address, and every page's checks and mistakes are collected.

A check leaves `<p class="check" data-claims="...">` in the output of its cell (`attnbook.checkline`). It is read here
from that output, so a check that did not run is not found, whatever the chapter's text says.
"""

from docutils import nodes
from lxml import etree, html

LEDGER = "chapters/claims"  # the page that a claim's number leads to


def setup(app):
    """Collect from each page as it is read; keep the collections right when pages go or are read side by side."""
    app.connect("doctree-read", _collect)
    keep(app, "attnbook_checks")
    keep(app, "attnbook_mistakes")


def of(env):
    """The checks of each page: docname → list of dicts with anchor, law, figure, claims, section."""
    return collection(env, "attnbook_checks")


def mistakes(env):
    """The boxes of class `mistake` of each page: docname → list of (section id, title, box)."""
    return collection(env, "attnbook_mistakes")


def keep(app, name):
    """Keep a collection right when pages go, are read again, or are read side by side."""

    def merge(app, env, pages, other):
        found = collection(other, name)
        collection(env, name).update({page: found[page] for page in pages if page in found})

    app.connect("env-purge-doc", lambda app, env, page: collection(env, name).pop(page, None))
    app.connect("env-merge-info", merge)


def collection(env, name):
    """What was collected under ``name``, a dict with an entry for each page that was read."""
    if not hasattr(env, name):
        setattr(env, name, {})
    return getattr(env, name)


def _collect(app, doctree):
    name, taken = app.env.docname, set(doctree.ids)
    ledger = app.builder.get_relative_uri(name, LEDGER) if LEDGER in app.env.found_docs else None
    of(app.env)[name] = [check for raw in list(doctree.findall(nodes.raw)) for check in _address(raw, taken, ledger)]
    boxes = [box for box in doctree.findall(nodes.admonition) if "mistake" in box["classes"]]
    mistakes(app.env)[name] = [(*_section(box), box.deepcopy()) for box in boxes]


def _address(raw, taken, ledger):
    """Give each check line of one output an id, made from its law, and its links; yield what the line says."""
    if raw.get("format") != "html" or 'class="checks"' not in raw.astext():
        return
    block = html.fragment_fromstring(raw.astext())
    for line in block.xpath(".//p[@data-claims]"):
        law, figure = (line.xpath(f"string(.//*[@class='check-{part}'])") for part in ("law", "figure"))
        stem = anchor = f"check-{nodes.make_id(law)[:48].rstrip('-') or 'law'}"
        number = 1
        while anchor in taken:
            number += 1
            anchor = f"{stem}-{number}"
        taken.add(anchor)
        line.set("id", anchor)
        for mark in line.find_class("check-mark"):
            mark.tag = "a"
            mark.attrib.pop("aria-hidden")
            mark.attrib.update({"href": f"#{anchor}", "aria-label": "Link to this check"})
        for claim in line.find_class("check-claim") if ledger else ():
            claim.tag = "a"
            claim.set("href", f"{ledger}#{claim.text.lower()}")
        section, title = _section(raw)
        claims = line.get("data-claims").split()
        yield {"anchor": anchor, "law": law, "figure": figure, "claims": claims, "section": section, "title": title}
    raw.children = [nodes.Text(etree.tostring(block, encoding="unicode", method="html"))]
    raw.rawsource = ""


def _section(node):
    """Id and title of the section that holds ``node``; the boxes of theorems are sections without a title."""
    while node is not None and not (isinstance(node, nodes.section) and isinstance(node[0], nodes.title)):
        node = node.parent
    return (node["ids"][0], node[0].astext()) if node else ("", "")
