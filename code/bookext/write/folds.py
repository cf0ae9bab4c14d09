"""Write a cell whose code is folded: first what it shows, then one line that opens to its laws and its code.

Two folded lines, one for the code and one for the laws, would stand between nearly all paragraphs.
"""

from functools import partial

from attnbook.check import render
from docutils import nodes

from .. import hooks
from ..language.messages import _, translate_law
from ..outputs.checks import checks_of_cell


class folded_laws(checks_of_cell):
    """The laws of a cell whose code is folded."""


def setup(app):
    """Shape the folded cells of each page, and write them."""
    app.add_node(hooks.folded_cell(), override=True, html=(_open, _close))
    app.add_node(folded_laws, html=(_visit_laws, None))
    app.connect("doctree-resolved", _gather, priority=470)  # after the notebook is written


def _gather(app, doctree, docname):
    """Put the laws of each folded cell beside its code, and both behind what the cell shows."""
    if app.builder.format != "html":
        return
    for fold in list(doctree.findall(hooks.folded_cell())):
        cell = fold.parent
        cell.remove(fold)
        cell.append(fold)
        for laws in list(cell.findall(checks_of_cell)):
            output = laws.parent
            output.remove(laws)
            fold.insert(0, folded_laws("", **laws.attributes))
            if not output.children:
                output.parent.remove(output)


def _open(translator, node):
    translate = partial(translate_law, page=translator.builder.current_docname)
    checks = [check for laws in node.findall(folded_laws) for check in laws["checks"]]
    laws = f' <span class="fold-laws">{render.MARK} {render.count(checks, translate)}</span>' if checks else ""
    translator.body.append(f'<details class="fold"><summary>{_("Code")}{laws}</summary>\n')


def _close(translator, node):
    translator.body.append("</details>\n")


def _visit_laws(translator, node):
    translate = partial(translate_law, page=translator.builder.current_docname)
    lines = "".join(render.lines(node["checks"], node["anchors"], translate))
    translator.body.append(f'<div class="checks">{lines}</div>\n')
    raise nodes.SkipNode
