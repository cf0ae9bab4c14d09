"""Write a cell whose code is folded: first what it shows, then one line that opens to its laws and its code.

Two folded lines, one for the code and one for the laws, would stand between nearly all paragraphs.
"""

from attnbook.check import render
from docutils import nodes

from .. import hooks
from ..language.messages import _, law_translator, translate_law
from ..outputs.checks import checks_of_cell

AFTER_NOTEBOOK = 470  # above that of `notebooks`, which reads the laws where the cell shows them


class folded_laws(checks_of_cell):
    """The laws of a cell whose code is folded."""


def setup(app):
    """Shape the folded cells of each page, and write them."""
    app.add_node(hooks.folded_cell(), override=True, html=(_open_fold, _close_fold))
    app.add_node(folded_laws, html=(_visit_laws, None))
    app.connect("doctree-resolved", _gather, priority=AFTER_NOTEBOOK)


def _gather(app, doctree, docname):
    """Put the laws of each folded cell beside its code, and both behind what the cell shows."""
    if app.builder.format != "html":
        return
    for fold in list(doctree.findall(hooks.folded_cell())):
        cell = fold.parent
        cell.remove(fold)
        cell.append(fold)
        laws = next(cell.findall(checks_of_cell), None)  # no second: a cell shows all of them together as it ends
        if laws:
            _remove_from_output(laws)
            fold.insert(0, folded_laws("", **laws.attributes))


def _remove_from_output(laws):
    """Take the laws away from what the cell shows, and the place of that if it is empty then."""
    output = laws.parent
    output.remove(laws)
    if not output.children:
        output.parent.remove(output)


def _open_fold(translator, node):
    """Begin a folded cell: its one line says how many laws hold."""
    laws = next(node.findall(folded_laws), None)
    count = render.count(laws["checks"], translate_law) if laws else ""  # as the rest of this line, on every page
    words = f' <span class="fold-laws">{render.MARK} {count}</span>' if laws else ""
    translator.body.append(f'<details class="fold"><summary>{_("Code")}{words}</summary>\n')


def _close_fold(translator, node):
    """End a folded cell."""
    translator.body.append("</details>\n")


def _visit_laws(translator, node):
    """Write a line for each law of a folded cell."""
    translate = law_translator(translator.builder.current_docname)
    lines = "".join(render.lines(node["checks"], node["anchors"], translate))
    translator.body.append(f'<div class="checks">{lines}</div>\n')
    raise nodes.SkipNode
