"""Every notebook says what its page says, in Markdown that Jupyter and Colab render."""

import base64
import copy
import functools
import io
import json
import re
from urllib.parse import unquote, urldefrag

import jupytext
import lxml.etree
import lxml.html
import nbformat
import numpy as np
import pytest
from fork import ROOT, SITE_ADDRESS, report
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from PIL import Image

# Not MyST: a directive, role or label that is left in a notebook becomes words that its page does not have.
MARKDOWN = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, double_inline=True)
CHAPTERS = {path.stem: path for path in sorted((ROOT / "chapters").rglob("*.md")) if "{code-cell}" in path.read_text()}
CLASS = "contains(concat(' ', normalize-space(@class), ' '), ' {} ')"
NOT_TEXT = ("math", "figure-svg", "eqno", "headerlink", "launch", "toctree-wrapper")


@pytest.fixture(params=CHAPTERS)
def slug(request):
    """Each page with code cells."""
    return request.param


@pytest.fixture
def notebook(published, slug):
    return published.notebooks[slug]


@pytest.fixture
def page(published, slug):
    (path,) = [published.site / "index.html"] if slug == "index" else published.site.glob(f"chapters/**/{slug}.html")
    return lxml.html.parse(path).getroot()


def texts(notebook):
    """The Markdown of a notebook, cell by cell, without the note that says where it comes from."""
    title, *others = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return [title.partition("\n\n")[0], *others]


def tokens(text):
    """All tokens, those inside lines too."""
    for token in MARKDOWN.parse(text):
        yield token
        yield from token.children or []


def article(page):
    """The text of a page; of its cells the captions alone, of its drawing the name, of a quiz the reasons last."""
    body = copy.deepcopy(page.xpath("//article")[0])
    for quiz in body.xpath(f".//fieldset[{CLASS.format('quiz')}]"):
        quiz.append(lxml.html.fromstring("<p>Answers</p>"))
        quiz.extend(quiz.xpath(f".//div[{CLASS.format('quiz-reason')}]"))
    for cell in body.xpath(f".//div[{CLASS.format('cell')}]"):
        cell[:] = cell.xpath(".//figcaption")
    for drawing in body.xpath(f".//*[{CLASS.format('chapter-map')}]"):
        name, tail = drawing.xpath("string(descendant-or-self::*/@aria-label)"), drawing.tail
        drawing.clear()
        drawing.tag, drawing.text, drawing.tail = "span", name, tail
    return body


def words(element):
    """The words of an HTML tree, without formulas and punctuation."""
    hidden = " | ".join([".//style", ".//script", ".//svg", *(f".//*[{CLASS.format(name)}]" for name in NOT_TEXT)])
    for node in element.xpath(hidden):
        if node.getparent() is not None:
            node.drop_tree()
    return re.findall(r"[^\W_]+", element.text_content())


def assert_same(page, notebook):
    """Show the first place where two lists differ, with what stands around it."""
    at = next((i for i, (a, b) in enumerate(zip(page, notebook, strict=False)) if a != b), 0)
    around = slice(max(0, at - 8), at + 8)
    assert page == notebook, f"page: {page[around]}\nnotebook: {notebook[around]}"


def test_the_notebook_is_valid_and_has_the_code_of_its_chapter(notebook, published, slug):
    nbformat.validate(notebook)
    ids = [cell["id"] for cell in json.loads((published.tree / f"{slug}.ipynb").read_text("utf-8"))["cells"]]
    assert len(set(ids)) == len(ids), "two cells have one id"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    chapter = jupytext.read(CHAPTERS[slug], fmt="md:myst")
    assert [cell.source for cell in code[1:]] == [c.source for c in chapter.cells if c.cell_type == "code"]


def test_the_outputs_are_those_of_the_page_and_need_no_script(notebook, page):
    """As GitHub shows them: a line for each check, a picture for each figure, whatever it does on the site."""
    outputs = [output.data for cell in notebook.cells for output in cell.get("outputs", [])]
    checks = "\n".join(data["text/plain"] for data in outputs if set(data) == {"text/plain"})
    laws = [law.text_content() for law in page.xpath("//article//p[@data-kind]/span[@class='check-law']")]
    assert_same(laws, re.findall("^✓ (.*?)  · ", checks, re.MULTILINE))
    pictures = "@class='picture' or contains(@class, 'live-still') or @class='frame' and not(@hidden)"
    shown = page.xpath(f"//article//*[{pictures}]//*[name()='svg']/@aria-label")
    assert_same(shown, [data["text/plain"] for data in outputs if "image/svg+xml" in data])
    assert not [data for data in outputs if re.search("<script|class=.(live|explore)", str(data))]
    for data in (data for data in outputs if "image/svg+xml" in data):
        picture = lxml.etree.fromstring(data["image/svg+xml"])
        size = float(picture.get("width")), float(picture.get("height"))
        assert min(size) > 0
        assert not re.search(r"currentColor|var\(", data["image/svg+xml"]), "a colour that only the page has"
        copy = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))  # what JupyterLab draws before it is trusted
        assert np.allclose(copy.size, size, atol=1)
        assert len(copy.convert("RGB").getcolors(256)) > 1, "an empty picture"
    assert b"data:image/png" not in lxml.html.tostring(page), "the site has no copies"


def test_the_words_are_those_of_the_page(notebook, page):
    """Every sentence of the page, in its order; formulas are compared below."""
    written = "\n\n".join(MARKDOWN.render(text) for text in texts(notebook))
    assert_same(words(article(page)), words(lxml.html.fragment_fromstring(written, create_parent="div")))


def test_the_formulas_are_those_of_the_page(notebook, page):
    """In order, and with their numbers. A formula in a table may write a bar by its name, so bars are left out."""

    def plain(tex):
        bars = r"\\lvert|\\[vV]ert|\\\||\|"
        return "".join(re.sub(rf"\\tag\{{.*?\}}|\\(begin|end)\{{split\}}|{bars}", "", tex).split())

    kinds = {"math_inline", "math_inline_double", "math_block"}
    formulas = [token.content for text in texts(notebook) for token in tokens(text) if token.type in kinds]
    shown = article(page).xpath(".//*[@class='math notranslate nohighlight']")  # a long one may be in pieces
    shown = ["".join(formula.xpath(".//annotation[@encoding='application/x-tex']/text()")) for formula in shown]
    assert_same(list(map(plain, shown)), list(map(plain, formulas)))
    numbers = [text.strip("() ") for text in page.xpath("//article//*[@class='eqno']/text()[1]")]
    assert re.findall(r"\\tag\{(.+?)\}", "\n".join(formulas)) == numbers


@functools.cache
def ids_of(path):
    return set(lxml.html.parse(path).getroot().xpath("//@id"))


def test_links_lead_to_pages_of_the_fork_and_places_on_them(notebook, published, slug):
    """A place of the same chapter is in the notebook itself; only a state of a live figure is on the page."""
    markdown = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    links = [token.attrs["href"] for text in markdown for token in tokens(text) if token.type == "link_open"]
    anchors = re.findall('<a id="(.*?)">', "\n".join(markdown))
    assert len(set(anchors)) == len(anchors)
    assert {unquote(link[1:]) for link in links if link.startswith("#")} == set(anchors)
    report(f"not an address: {link}" for link in links if not link.startswith(("https://", "http://", "#")))
    own = [link for link in links if link.startswith(SITE_ADDRESS)]
    assert any(link.endswith(f"{slug}.html") for link in own), "no link leads back to the page"
    for link in own:
        address, place = urldefrag(link)
        path = published.site / address.removeprefix(SITE_ADDRESS)
        assert path.is_file(), link
        place, state, _ = place.partition("?")
        assert state or not (place and path.stem == slug), f"{link} leaves the notebook"
        assert not place or unquote(place) in ids_of(path), link


def test_solutions_are_closed_and_nothing_else_is(notebook, page):
    """A closed heading hides what follows up to the next heading of its level or above: that is to be the solution."""
    closed, hidden, solutions = None, [], []
    headings = [cell for cell in notebook.cells if cell.metadata.get("jp-MarkdownHeadingCollapsed")]
    for cell in notebook.cells:
        heading = re.match("#+", cell.source) if cell.cell_type == "markdown" else None
        if heading and len(heading[0]) <= (closed or 0):
            closed = None
        if cell in headings:
            closed = len(heading[0])
        elif closed:
            hidden.append(cell.id)
        if "solution" in cell.metadata.get("tags", []) and cell not in headings:
            solutions.append(cell.id)
    assert hidden == solutions
    assert len(headings) == len(page.xpath(f"//article//details[{CLASS.format('solution')}]"))
    assert notebook.metadata.colab.collapsed_sections == [cell.metadata["id"] for cell in headings]
