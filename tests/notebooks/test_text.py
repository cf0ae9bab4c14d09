"""A notebook says what its page says: the same words, numbers and links, in Markdown that needs none of this site."""

import copy
import json
import re
from collections import Counter
from urllib.parse import unquote, urldefrag

import jupytext
import lxml.html
import nbformat
import pytest
import yaml
from fork import ROOT, SITE_ADDRESS, report
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from mdit_py_plugins.dollarmath import dollarmath_plugin
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

SETTINGS = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
MYST = create_md_parser(
    MdParserConfig(enable_extensions=set(SETTINGS["parse"]["myst_enable_extensions"])), RendererHTML
)
PLAIN = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, double_inline=True)
MYST_ONLY = {"myst_role", "myst_target", "myst_line_comment", "myst_block_break", "colon_fence", "substitution_block"}
MYST_ONLY |= {"substitution_inline", "math_block_label", "front_matter", "dl_open", "footnote_ref"}
CLASS = "contains(concat(' ', normalize-space(@class), ' '), ' {} ')"
NOT_TEXT = ("math", "eqno", "headerlink", "launch", "toctree-wrapper")


@pytest.fixture(
    params=sorted(path.stem for path in (ROOT / "chapters").rglob("*.md") if "{code-cell}" in path.read_text())
)
def slug(request):
    """Each page with code cells."""
    return request.param


@pytest.fixture
def notebook(published, slug):
    assert slug in published.notebooks, f"{slug}.md has code cells and no notebook"
    return published.notebooks[slug]


@pytest.fixture
def page(published, slug):
    (path,) = [published.site / "index.html"] if slug == "index" else published.site.glob(f"chapters/**/{slug}.html")
    return lxml.html.parse(path).getroot()


def texts(notebook):
    """The Markdown of a notebook, cell by cell, without the note that says where it comes from."""
    return [cell.source for cell in notebook.cells[2:] if cell.cell_type == "markdown"]


def tokens(parser, text):
    """All tokens, those inside lines too."""
    for token in parser.parse(text):
        yield token
        yield from token.children or []


def myst_only(text):
    """What in a Markdown text only MyST understands."""
    for token in tokens(MYST, text):
        if token.type in MYST_ONLY or (token.type == "fence" and token.info.startswith("{")):
            yield f"{token.type} {token.info} {token.content[:60]!r}"
        elif token.type == "text" and re.search(r"\{[\w:.-]+\}$|^:::|^\(\S+\)=$", token.content):
            yield f"text {token.content[:60]!r}"


def test_the_notebook_is_sound(notebook, published, slug):
    nbformat.validate(notebook)
    text = (published.tree / f"{slug}.ipynb").read_text(encoding="utf-8")
    ids = [cell["id"] for cell in json.loads(text)["cells"]]  # nbformat repairs what it reads
    assert len(set(ids)) == len(ids), "two cells have one id"
    assert notebook.metadata.kernelspec.name == "python3"
    assert [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []


def test_the_code_is_that_of_the_chapter(notebook, slug):
    (path,) = (ROOT / "chapters").rglob(f"{slug}.md")
    chapter = jupytext.read(path, fmt="md:myst")
    expected = [cell.source for cell in chapter.cells if cell.cell_type == "code"]
    assert [cell.source for cell in notebook.cells if cell.cell_type == "code"][1:] == expected


def test_no_syntax_is_left_that_only_this_site_knows(notebook):
    report(found for text in texts(notebook) for found in myst_only(text))


@pytest.mark.parametrize(
    "left",
    [
        "see {eq}`eq-one`",
        "```{note}\nx\n```",
        ":::{tip}\nx\n:::",
        "(label)=\n# T",
        "$$\na\n$$ (eq-a)",
        "{{ name }}",
        "term\n: what",
    ],
)
def test_this_test_sees_what_is_left(left):
    assert list(myst_only(left)), left


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
    for node in element.xpath(
        ".//style | .//script | .//svg | " + " | ".join(f".//*[{CLASS.format(c)}]" for c in NOT_TEXT)
    ):
        if node.getparent() is not None:
            node.drop_tree()
    return re.findall(r"[^\W_]+", element.text_content())


def test_the_words_are_those_of_the_page(notebook, page):
    """Every sentence of the page, in its order. Formulas are compared below; signs around words may differ."""
    written = "\n\n".join(PLAIN.render(text) for text in texts(notebook))
    left, right = words(article(page)), words(lxml.html.fragment_fromstring(written, create_parent="div"))
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    around = slice(max(0, at - 8), at + 8)
    assert left == right, f"page: {' '.join(left[around])}\nnotebook: {' '.join(right[around])}"


def test_the_formulas_are_those_of_the_page(notebook, page):
    """In order; a formula in a table may write a bar by its name, so bars are left out."""

    def plain(tex):
        tex = re.sub(r"\\tag\{[\d.]+\}|\\(begin|end)\{split\}|\\lvert|\\vert|\\Vert|\\\||\|", "", tex)
        return "".join(tex.split())

    left = [plain(n.text or "") for n in article(page).xpath(".//annotation[@encoding='application/x-tex']")]
    kinds = {"math_inline", "math_inline_double", "math_block"}
    right = [plain(t.content) for text in texts(notebook) for t in tokens(PLAIN, text) if t.type in kinds]
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    assert left == right, f"page: {left[at : at + 3]}\nnotebook: {right[at : at + 3]}"


def test_the_numbers_of_equations_are_those_of_the_page(notebook, page):
    left = [text.strip("() ") for text in page.xpath("//article//*[@class='eqno']/text()[1]")]
    assert re.findall(r"\\tag\{([\d.]+)\}", "\n".join(texts(notebook))) == left


def test_links_lead_to_places_of_the_site(notebook, published, places):
    """Every link to the site leads to a page and a place on it that are there; there is no link without an address."""
    found = [t.attrs["href"] for text in texts(notebook) for t in tokens(PLAIN, text) if t.type == "link_open"]
    report(f"not an address: {link}" for link in found if not link.startswith(("https://", "http://")))
    for link in filter(lambda link: link.startswith(SITE_ADDRESS), found):
        address, place = urldefrag(link)
        path = published.site / address.removeprefix(SITE_ADDRESS)
        assert path.is_file(), link
        place = place.partition("?")[0]  # what follows is a state of a live figure
        assert not place or unquote(place) in places(path), link


@pytest.fixture(scope="session")
def places():
    """places(page): every id on it."""
    known = {}

    def places(path):
        if path not in known:
            known[path] = set(lxml.html.parse(path).getroot().xpath("//@id"))
        return known[path]

    return places


def test_the_first_text_leads_back_to_the_page(notebook, slug):
    folder = "" if slug == "index" else "chapters/([\\w-]+/)*"
    assert re.search(rf"\]\({SITE_ADDRESS}{folder}{slug}\.html\)", notebook.cells[1].source)


def test_solutions_are_closed_and_nothing_else_is(notebook):
    """A closed heading hides what follows up to the next heading of its level or above: that is to be the solution."""
    closed, hidden, wanted = None, [], []
    for cell in notebook.cells:
        level = len(found[0]) if (found := re.match("#+", cell.source)) and cell.cell_type == "markdown" else 9
        if level <= (closed or 0):
            closed = None
        if cell.metadata.get("jp-MarkdownHeadingCollapsed"):
            closed = level
        elif closed:
            hidden.append(cell.id)
        if "solution" in cell.metadata.get("tags", []) and cell.metadata.get("jp-MarkdownHeadingCollapsed") is None:
            wanted.append(cell.id)
    assert hidden == wanted
    headings = [cell for cell in notebook.cells if cell.metadata.get("jp-MarkdownHeadingCollapsed")]
    assert notebook.metadata.colab.collapsed_sections == [cell.metadata["id"] for cell in headings]


def test_every_exercise_has_its_closed_solution(published):
    count = Counter()
    for notebook in published.notebooks.values():
        count["exercises"] += sum(len(re.findall("^#+ Exercise [0-9]", text)) for text in texts(notebook))
        count["solutions"] += len(notebook.metadata.colab.collapsed_sections)
    assert count["exercises"] == count["solutions"] > 40


def test_a_quiz_is_a_list_and_below_it_the_folded_answers(notebook, page):
    """One item for each option of the page, then as many answers, of which the same one is right."""
    asked = [part for text in texts(notebook) for part in text.split("**Check yourself.**")[1:]]
    quizzes = page.xpath(f"//fieldset[{CLASS.format('quiz')}]")
    assert len(asked) == len(quizzes)
    for part, quiz in zip(asked, quizzes, strict=True):
        shown, folded = re.match(
            r"(.*?)<details><summary>Answers</summary>\n\n(.*?)\n\n</details>", part, re.S
        ).groups()
        options, answers = (re.findall(r"^\d\. (.+)", text, re.M) for text in (shown, folded))
        assert not re.search("[✓✗]", shown)
        assert [a[:1] for a in answers] == [sign.text[:1] for sign in quiz.find_class("quiz-sign")], quiz.get("id")
        assert len(options) == len(answers) == len(quiz.xpath(".//input")), quiz.get("id")


def test_images_have_alt_text(notebook):
    report(
        t.attrs["src"] for text in texts(notebook) for t in tokens(PLAIN, text) if t.type == "image" and not t.content
    )
