"""Write theorems, exercises and solutions: a box has a link to itself, and a solution folds.

The page is shaped after its notebook is written, and only where it becomes HTML.
"""

from docutils import nodes

from .. import hooks
from ..language.messages import _

LINK = '<a class="headerlink" href="#{}" title="{}">#</a>'


class solution_summary(nodes.General, nodes.TextElement):
    """The title of a solution that is folded."""


def setup(app):
    """Register the visitors, and shape the boxes of each page."""
    solution_node = hooks.exercise_nodes().solution_node
    app.add_node(solution_node, override=True, html=(_open("details"), _close("details")))
    app.add_node(solution_summary, html=(_open("summary"), _close("summary")))
    app.connect("doctree-resolved", _shape_boxes, priority=460)  # after the notebook is written


def _shape_boxes(app, doctree, docname):
    if app.builder.name != "html":
        return
    for box in list(doctree.findall(nodes.Admonition)):
        if isinstance(box, hooks.exercise_nodes().solution_node):
            fold(box)
        elif "label" in box and isinstance(box[0], nodes.title):
            box[0] += nodes.raw("", LINK.format(box["ids"][0], _("Link to this box")), format="html")
        # sphinx-proof and sphinx-exercise give the parts of every box the same ids, to which nothing refers.
        for part in box.children:
            if isinstance(part, nodes.section):
                part["ids"] = []
        if box["ids"] == ["proof"]:
            box["ids"] = []


def fold(solution):
    """Make a solution a native disclosure: it opens by keyboard, without a script, and prints open."""
    solution["classes"] = ["solution"]
    summary = solution_summary("", "", *solution[0].children)
    for link in list(summary.findall(nodes.reference)):  # in a summary it would be a control inside a control
        link.replace_self(link.children)
    solution[0] = summary


def _open(tag):
    return lambda translator, node: translator.body.append(translator.starttag(node, tag))


def _close(tag):
    return lambda translator, node: translator.body.append(f"</{tag}>\n")
