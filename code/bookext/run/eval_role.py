"""Put what cells computed into sentences: {eval}`name` is the text of a variable of the page's cells.

MyST-NB's own role asks a running kernel, and pages here are made from stored outputs. So a chapter is executed with one
more cell, which shows the names that its sentences quote as MyST-NB's `glue` would; they are stored as outputs of the
last cell, and MyST-NB takes them out again when it reads the page.
"""

import re

from docutils import nodes
from nbformat.v4 import new_code_cell
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxRole

from .. import hooks
from ..language.messages import translate_numbers

ROLE = re.compile(r"\{eval\}`([^`]*)`")
POWER = re.compile(r"(-?\d+(?:\.\d+)?)e([+-]\d+)")
QUERY = """from IPython.display import display
for name in {names}:
    if isinstance(globals().get(name), (str, int)):
        prefix = "application/papermill.record/"
        data = {{prefix + "text/plain": str(globals()[name])}}
        display(data, raw=True, metadata={{"scrapbook": {{"name": name, "mime_prefix": prefix}}}})
"""


def setup(app):
    """Replace MyST-NB's role of the same name."""
    app.connect("builder-inited", lambda app: app.add_role("eval", Quote(), override=True))


def names(notebook):
    """Return the names that the sentences of a notebook quote."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return sorted({name for text in texts for name in ROLE.findall(text)})


def add_query_cell(notebook):
    """Add the cell that shows the quoted names, to a notebook that is to be executed."""
    notebook.cells.append(new_code_cell(QUERY.format(names=names(notebook))))


def pop_query_cell(notebook):
    """Remove the cell of `add_query_cell` from an executed notebook; its output goes to the last cell of the page."""
    outputs = notebook.cells.pop().outputs
    [cell for cell in notebook.cells if cell.cell_type == "code"][-1].outputs += outputs


class Quote(SphinxRole):
    """{eval}`name`: the text of a variable, or the whole number that it is; a number like 3e-05 becomes a formula."""

    def run(self):
        """Return the nodes."""
        # A translated sentence is a document of its own, without cells: it quotes what the page before it quoted.
        values = self.env.temp_data.setdefault("book_quotes", {})
        values.update(hooks.glued(self.inliner.document))
        value = values.get(self.text)
        if not value:
            raise ExtensionError(
                f"{self.env.docname}, line {self.lineno}: no cell gives {self.text!r} a text or a whole number to quote"
            )
        place = (self.env.docname, self.inliner.document["source"], self.lineno)
        return typeset(translate_numbers(value["data"]["text/plain"], *place)), []


def typeset(text):
    """Return nodes for a text: numbers in scientific notation as formulas, the sign of a number as a minus."""
    parts = []
    at = 0
    for match in POWER.finditer(text):
        parts += _prose(text[at : match.start()])
        tex = rf"{match[1]}\cdot10^{{{int(match[2])}}}".removeprefix(r"1\cdot")
        parts.append(nodes.math(tex, tex))
        at = match.end()
    return parts + _prose(text[at:])


def _prose(text):
    return [nodes.Text(re.sub(r"(?<!\w)-(?=\d)", "−", text))] if text else []
