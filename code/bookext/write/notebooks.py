"""Write every chapter as a notebook that runs anywhere: in Colab, on Binder, in a Jupyter of one's own.

A notebook is written whenever its page is written, from the same resolved page, so the two cannot differ. The code
comes from the chapter as jupytext reads it. The first cell installs the package where it is missing. A copy
with placeholders for addresses is stored beside the doctrees, so that one build serves every fork.
"""

import hashlib
from collections import Counter
from itertools import zip_longest
from pathlib import Path

import jupytext
import nbformat
from docutils import nodes
from sphinx.errors import ExtensionError

from ..collect import quiz
from ..language.messages import _
from . import launch
from .notebook_text import Writer

FOLDER = "notebooks"  # in the site, and beside the doctrees
FIRST_CELL = Path(__file__).with_name("first_cell.txt")  # a text: it names the package, which nothing here imports
SOURCES = (
    Path(__file__),
    Path(__file__).with_name("notebook_text.py"),
    FIRST_CELL,
    Path(launch.__file__),
    Path(quiz.__file__),
)
FOLDED: dict = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # for Jupyter, and for Colab


def setup(app):
    """Write notebooks with the pages; write all again when this code changes."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]
    app.add_config_value("attnbook_notebooks", digest, "html")
    app.connect("doctree-resolved", _write, priority=400)  # before anything is added that belongs to the page alone
    app.connect("build-finished", _remove_others)


def _write(app, doctree, docname):
    if app.builder.name != "html":
        return
    text = nbformat.writes(notebook(app, doctree, docname)) + "\n" if _code(doctree) else ""
    addressed = launch.with_addresses(text, app.config.book_repository, app.config.html_baseurl, built="../")
    for folder, written in ((app.doctreedir, text), (app.outdir, addressed)):
        target = Path(folder) / FOLDER / f"{docname.rpartition('/')[2]}.ipynb"
        target.parent.mkdir(exist_ok=True)
        target.write_text(written, encoding="utf-8") if text else target.unlink(missing_ok=True)


def _remove_others(app, failure):
    """Remove the notebooks of pages that have left the book."""
    if failure or app.builder.name != "html":
        return
    slugs = {name.rpartition("/")[2] for name in app.env.found_docs}
    for folder in (app.doctreedir, app.outdir):
        for path in (Path(folder) / FOLDER).glob("*.ipynb"):
            if path.stem not in slugs:
                path.unlink()


def _code(doctree):
    return [node for node in doctree.findall(nodes.container) if node.get("nb_element") == "cell_code"]


def notebook(app, doctree, docname):
    """Return the notebook of a resolved page, with the placeholders of ``launch`` where the book's addresses belong."""
    slug, page = docname.rpartition("/")[2], launch.SITE_PLACEHOLDER + app.builder.get_target_uri(docname)
    source = jupytext.read(app.env.doc2path(docname), fmt="md:myst")
    code = [cell for cell in source.cells if cell.cell_type == "code"]
    shown = [next(node.findall(nodes.literal_block)).astext().strip() for node in _code(doctree)]
    for one, other in zip_longest(shown, [cell.source.strip() for cell in code], fillvalue="no cell"):
        if one != other:
            raise ExtensionError(f"{docname}: the page shows the cell\n{one}\nand jupytext reads\n{other}")
    writer = Writer(
        page,
        app.env.toc_fignumbers.get(docname, {}),
        app.env.toc_secnumbers.get(docname, {}),
        app.config.numfig_format["figure"],
    )
    cells = [_first_cell(), _introduction(app, page)]
    cells += [_cell(cell, code) for cell in writer.page(doctree)]
    collapsed = [cell.metadata["id"] for cell in cells if cell.metadata.get("jp-MarkdownHeadingCollapsed")]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "colab": {"name": f"{slug}.ipynb", "toc_visible": True, "collapsed_sections": collapsed},
    }
    return nbformat.v4.new_notebook(cells=_with_ids(cells), metadata=metadata)


def _cell(cell, code):
    """Make one cell of the notebook format."""
    tags = ["solution"] * cell.solution + (code[cell.code].metadata.get("tags", []) if cell.code is not None else [])
    metadata: dict = {"tags": tags} if tags else {}
    if cell.code is None:
        metadata |= {"jp-MarkdownHeadingCollapsed": True, "id": _digest(cell.text)} if cell.collapsed else {}
        return nbformat.v4.new_markdown_cell(cell.text, metadata=metadata)
    if {"hide-input", "hide-cell", "remove-input"} & set(tags):
        metadata |= FOLDED
    return nbformat.v4.new_code_cell(code[cell.code].source, metadata=metadata)


def _first_cell():
    source = FIRST_CELL.read_text(encoding="utf-8").strip().replace("ARCHIVE", f'"{launch.ARCHIVE_PLACEHOLDER}"')
    title = _("Run this cell first: it installs the book's package where that is missing")
    return nbformat.v4.new_code_cell(f"# @title {title}\n{source}", metadata=dict(FOLDED))


def _introduction(app, page):
    book = launch.SITE_PLACEHOLDER + app.builder.get_target_uri(app.config.root_doc)
    sentences = [
        _(
            "This notebook is [a chapter]({page}) of [{title}]({book}), made to run.",
            page=page,
            title=app.config.html_title,
            book=book,
        ),
        _("Links lead to the book's pages. Run the cells in order, beginning with the folded one above."),
        _("A check that holds leaves one line, and one that does not stops the notebook."),
    ]
    return nbformat.v4.new_markdown_cell(f"*{' '.join(sentences)}*")


def _digest(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:12]


def _with_ids(cells):
    """Give cells ids that follow from their text, so that an edit changes the id of the cell it touches alone."""
    seen = Counter()
    for cell in cells:
        seen[cell.source] += 1
        cell["id"] = _digest(cell.source, *([seen[cell.source]] if seen[cell.source] > 1 else []))
    return cells
