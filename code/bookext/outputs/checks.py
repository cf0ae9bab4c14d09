"""Draw the records of executed checks, give each an address, and collect them for the pages made of others.

MyST-NB hands over the records that a cell emitted (`attnbook.check.record`), so a check that did not run is not
collected, whatever the chapter's text says.
"""

from dataclasses import dataclass
from importlib.metadata import entry_points

from attnbook.check.record import MIME, Check, from_data
from attnbook.check.render import as_html, as_text, figure, typeset
from docutils import nodes
from sphinx.errors import ExtensionError

from .. import markup
from ..derived import collection, link, register_collection, section_of
from ..language.messages import law_translator, translate_law

RENDERERS = {f"{__package__}.checks:Renderer", f"{__package__}.figures:Renderer"}  # as pyproject.toml names them


@dataclass(frozen=True)
class PageCheck:
    """A check on a page: its record, its address there, its section, and the code and output of its cell."""

    check: Check
    anchor: str
    section: str
    title: str
    code: str = ""
    output: str = ""


class checks_of_cell(nodes.General, nodes.Element):
    """The checks of one cell: `checks`, and `anchors` once the page is read."""


class Renderer:
    """Turn the records of a cell into a node; MyST-NB finds this class by the entry point in pyproject.toml."""

    mime_priority_overrides = (("*", MIME, 1),)

    @staticmethod
    def handle_mime(renderer, data, inline):
        """Return the node for records of checks, or None for another MIME type."""
        if inline or data.mime_type != MIME:
            return None
        return [checks_of_cell(checks=[from_data(record) for record in data.content], anchors=[])]


def setup(app):
    """Collect from each page as it is read; keep the collections right when pages go or are read side by side."""
    app.add_node(checks_of_cell, html=(_visit_html, None))
    app.connect("builder-inited", _require_renderer)
    app.connect("doctree-read", _collect)
    register_collection(app, "attnbook_checks")
    register_collection(app, "attnbook_mistakes")


def page_checks(env):
    """Return the checks of each page: docname → list of PageCheck."""
    return collection(env, "attnbook_checks")


def mistakes(env):
    """Return the boxes of class `mistake` of each page: docname → list of (section id, title, box)."""
    return collection(env, "attnbook_mistakes")


def item(app, at, docname, entry):
    """Return a link from the page ``at`` to one check of ``docname``, with the figure that the build measured."""
    law = nodes.inline("", translate_law(entry.check.law, docname), classes=["law"])
    measured = nodes.Text(f" · {typeset(figure(entry.check, law_translator(docname)))}")
    return nodes.list_item("", nodes.paragraph("", "", link(app, at, docname, entry.anchor, law), measured))


def _require_renderer(app):
    """Fail early where the package is not installed: its entry points are missing, and nothing would be shown."""
    found = {point.value for point in entry_points(group="myst_nb.mime_renderers")}
    if RENDERERS - found:
        raise ExtensionError("The book's package is not installed in this Python: run `make book`, which installs it.")


def _collect(app, doctree):
    name = app.env.docname
    taken = set(doctree.ids)
    page_checks(app.env)[name] = [c for node in doctree.findall(checks_of_cell) for c in _address(node, taken)]
    boxes = [box for box in doctree.findall(nodes.admonition) if "mistake" in box["classes"]]
    mistakes(app.env)[name] = [(*_section(box), box.deepcopy()) for box in boxes]


def _address(node, taken):
    """Give each check of a cell an address made from its law; yield the checks."""
    section, title = _section(node)
    code, output = _text_of_cell(node)
    for check in node["checks"]:
        stem = anchor = f"check-{nodes.make_id(check.law)[:48].rstrip('-') or 'law'}"
        number = 1
        while anchor in taken:
            number += 1
            anchor = f"{stem}-{number}"
        taken.add(anchor)
        node["anchors"].append(anchor)
        yield PageCheck(check, anchor, section, title, code, output)


def _text_of_cell(node):
    """Return the code and the printed output of the cell that holds ``node``; pictures have no text."""
    while node is not None and "cell" not in node["classes"]:
        node = node.parent
    if node is None:
        return "", ""
    code = []
    output = []
    for part in node.findall(lambda n: isinstance(n, nodes.literal_block | nodes.raw | checks_of_cell)):
        (code if _is_input(part) else output).append(_text(part))
    return " ".join(code), " ".join(output)


def _is_input(part):
    """Test whether a part of a cell is its code, and not what that shows."""
    while not {"cell_input", "cell_output"} & set(part["classes"]):
        part = part.parent
    return "cell_input" in part["classes"]


def _text(part):
    """Return the words of a part of a cell."""
    if isinstance(part, checks_of_cell):
        return as_text(part["checks"])
    return markup.words(part.astext()) if isinstance(part, nodes.raw) else part.astext()


def _section(node):
    """Return id and title of the section that holds ``node``."""
    section = section_of(node)
    return (section["ids"][0], section[0].astext()) if section else ("", "")


def _visit_html(translator, node):
    translate = law_translator(translator.builder.current_docname)
    translator.body.append(as_html(node["checks"], node["anchors"], translate))
    raise nodes.SkipNode
