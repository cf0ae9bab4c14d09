"""The text of a page as Markdown that Jupyter and Colab both render: what only this site's directives know is gone.

The page has been through Sphinx, so every number, citation and link in it is the site's own. As in docutils, a class
has a method ``visit_…`` for each kind of node: `Blocks` writes blocks, `Lines` what stands inside a line. A node
without a method is an error that names it.
"""

import itertools
import re
from dataclasses import dataclass
from urllib.parse import urljoin

from docutils import nodes
from sphinx.locale import admonitionlabels

from .. import hooks, markup
from ..language.messages import _
from .notebook_page import Page

MARKS = re.compile(r"([\\`*_\[\]<$])")  # what Markdown would not take for text
START = re.compile(r"^(#+ |[-+>]|\d+(?=[.)]))")  # what would make a paragraph a heading, a list or a quotation


class Visitor:
    """Write nodes, each by the method that bears the name of its class."""

    def visit(self, node):
        """Return Markdown for one node."""
        method = getattr(self, f"visit_{type(node).__name__}", self.unknown_visit)
        return method(node)

    def unknown_visit(self, node):
        """Raise an error for a node that no method knows."""
        raise NotImplementedError

    def silent(self, node):
        """Leave out what is not shown."""
        return ""

    visit_comment = visit_meta = visit_substitution_definition = visit_docinfo = silent
    visit_target = visit_index = visit_compound = visit_toctree = visit_pending = silent


@dataclass
class Lines(Visitor):
    """Write what stands inside the lines of a page."""

    page: Page
    in_table: bool = False  # where a bar would end the entry

    def line(self, node):
        """Return Markdown for the content of ``node`` in one line."""
        return self.inside(node) if node.children else self.visit(node)

    def inside(self, node):
        """Return Markdown for the children of ``node``."""
        return "".join(map(self.visit, node.children))

    def unknown_visit(self, node):
        """Raise an error that names the innermost node without a method."""
        self.inside(node)
        kind, text = type(node).__name__, node.parent.astext()
        raise self.page.error(f"a notebook has no form for {kind} in {text[:60]!r}")

    visit_inline = visit_title_reference = visit_generated = visit_exercise_subtitle = visit_term = inside
    visit_raw = Visitor.silent  # a drawn arrow in a title

    def visit_Text(self, node):
        """Write text, in which no letter is a sign of Markdown's."""
        return self.without_bars(MARKS.sub(r"\\\1", node.astext()).replace("\n", " "))

    def visit_literal(self, node):
        """Write code between more backticks than stand in it; where more than text is inside, only that is written."""
        if any(isinstance(child, nodes.Element) for child in node.children):
            return self.inside(node)
        code = node.astext()
        fence = "`" * (1 + max(map(len, re.findall("`+", code)), default=0))
        space = " " if len(fence) > 1 else ""
        return f"{fence}{space}{self.without_bars(code)}{space}{fence}"

    def visit_math(self, node):
        """Write a formula; in a table, a bar in it gets its name."""
        tex = _formula(node)
        if self.in_table:
            tex = tex.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
        return f"${tex}$"

    def visit_emphasis(self, node):
        """Write emphasised text."""
        return f"*{self.inside(node)}*"

    def visit_strong(self, node):
        """Write strong text."""
        return f"**{self.inside(node)}**"

    def visit_subscript(self, node):
        """Write letters below the line, as HTML."""
        return f"<sub>{self.inside(node)}</sub>"

    def visit_superscript(self, node):
        """Write letters above the line, as HTML."""
        return f"<sup>{self.inside(node)}</sup>"

    def visit_reference(self, node):
        """Write a link."""
        return f"[{self.inside(node)}]({self.page.target(node)})"

    visit_number_reference = visit_reference

    def visit_image(self, node):
        """Write a picture of the site."""
        return f"![{node.get('alt', '')}]({urljoin(self.page.address, node['uri'])})"

    def without_bars(self, text):
        """Return text that does not end an entry of a table."""
        return text.replace("|", "\\|") if self.in_table else text


class Blocks(Visitor):
    """Write the blocks of a page."""

    def __init__(self, page):
        self.page = page
        self.line = Lines(page).line
        self.line_of_entry = Lines(page, in_table=True).line

    def blocks(self, children):
        """Join blocks with an empty line between them."""
        return "\n\n".join(filter(None, map(self.block, children)))

    def block(self, node):
        """Return Markdown for one block, below its anchor if it has one."""
        return "\n\n".join(filter(None, [self.page.anchors(node), self.visit(node)]))

    def inside(self, node):
        """Return the blocks in a node that is nothing else in Markdown."""
        return self.blocks(node.children)

    def unknown_visit(self, node):
        """Write a theorem, whatever its kind, or raise an error for a node without a method."""
        if "countertype" in node:
            return self.theorem(node)
        kind = type(node).__name__
        raise self.page.error(f"a notebook has no form for {kind}: give it one in notebook_text.py")

    visit_section = visit_topic = visit_figure = visit_legend = visit_definition_list = visit_glossary = inside

    def visit_container(self, node):
        """Write what is in a container, which is no code cell here."""
        if hooks.is_cell(node):
            raise self.page.error("a notebook has no place for a code cell inside a box")
        return self.inside(node)

    def visit_quiz(self, node):
        """Let a question write itself."""
        return node.markdown(self)

    # --- Text -----------------------------------------------------------------------------------------------------

    def visit_paragraph(self, node):
        """Write a paragraph, which no sign at its start makes anything else."""
        return START.sub(_escaped, self.line(node))

    visit_caption = visit_image = visit_paragraph

    def visit_rubric(self, node):
        """Write a heading that is in no list of headings."""
        return f"**{self.line(node)}**"

    def visit_transition(self, node):
        """Write a line across the page."""
        return "---"

    def visit_literal_block(self, node):
        """Write lines of code."""
        language = node.get("language", "").replace("none", "")
        return f"```{language}\n{node.astext().rstrip()}\n```"

    def visit_math_block(self, node):
        """Write a displayed formula with its number, in one line: in a box each line begins with a sign, no TeX."""
        tex = _formula(node)
        if "\\\\" in tex and "\\begin" not in tex:  # rows need an environment, which Sphinx gives them on the page
            tex = f"\\begin{{split}}{tex}\\end{{split}}"
        tag = f" \\tag{{{self.page.number(node, 'displaymath')}}}" if node.get("number") else ""
        is_whole = node.get("nowrap")  # the author wrote an environment that is a display by itself, such as align
        return tex if is_whole else f"$$ {tex}{tag} $$"

    def visit_raw(self, node):
        """Write the name of a drawing, as a link to the page: notebooks do not show a page's own HTML."""
        name = markup.piece(node.astext()).xpath("string(//@aria-label)")
        if not name:
            raise self.page.error(f"a drawing without an aria-label: {node.astext()[:60]}")
        return f"*[{name}]({self.page.address})*"

    # --- Lists and tables -----------------------------------------------------------------------------------------

    def visit_bullet_list(self, node):
        """Write a list with a dash before each item."""
        return self.items(node, itertools.repeat("- "))

    def visit_enumerated_list(self, node):
        """Write a list that counts its items."""
        start = int(node.get("start", 1))
        return self.items(node, (f"{number}. " for number in itertools.count(start)))

    def items(self, node, marks):
        """Return the items of a list behind their marks, close together if none has more than one block."""
        items = [
            _indent(mark + self.blocks(item.children), by=len(mark))
            for mark, item in zip(marks, node.children, strict=False)
        ]
        loose = any(len(item.children) > 1 for item in node.children)
        return ("\n\n" if loose else "\n").join(items)

    def visit_definition_list_item(self, node):
        """Write terms and what they mean as an item of a list."""
        terms = ", ".join(f"**{self.line(term)}**" for term in node.findall(nodes.term))
        return _indent(f"- {terms}: {self.inside(node.children[-1])}", by=2)

    def visit_table(self, node):
        """Write a table with one row of headings."""
        title = "".join(f"**{self.line(n)}**\n\n" for n in node.children if isinstance(n, nodes.title))
        rows = [[self.entry(entry) for entry in row.children] for row in node.findall(nodes.row)]
        if not any(node.findall(nodes.thead)):
            rows.insert(0, [""] * len(rows[0]))  # Markdown has no table without headings
        rows.insert(1, ["---"] * len(rows[0]))  # the line below them, by which Markdown knows a table
        return title + "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def entry(self, node):
        """Return one entry of a table, without a line break."""
        if any(not isinstance(child, nodes.paragraph) for child in node.children):
            raise self.page.error(f"an entry of a table holds more than text: {node.astext()[:60]}")
        return "<br>".join(map(self.line_of_entry, node.children))

    # --- Boxes ----------------------------------------------------------------------------------------------------

    def visit_block_quote(self, node):
        """Write a quotation."""
        return _quote(self.inside(node))

    def visit_admonition(self, node):
        """Write a box with a title of its own."""
        title, *body = node.children
        return self.box(self.line(title), body)

    def visit_note(self, node):
        """Write a box whose title is the name of its kind."""
        return self.box(admonitionlabels[type(node).__name__], node.children)

    visit_tip = visit_hint = visit_important = visit_seealso = visit_note
    visit_warning = visit_caution = visit_attention = visit_danger = visit_error = visit_note

    def box(self, title, body):
        """Return a box: a quotation that begins with a title."""
        return _quote(f"**{title}**\n\n{self.blocks(body)}")

    def theorem(self, node):
        """Return a theorem with its number; its first paragraph goes on the line of the title."""
        title, body = node.children[:2]
        kind, number = _(node["realtype"].title()), self.page.number(node, node["countertype"])
        return _quote(self.joined(f"**{kind} {number}**{self.line(title)}.", body.children))

    def joined(self, title, children):
        """Join blocks to a title, whose line the first goes on if it is a paragraph."""
        between = " " if children and isinstance(children[0], nodes.paragraph) else "\n\n"
        return title + between + self.blocks(children)

    def visit_proof_node(self, node):
        """Write a proof, which ends with a sign."""
        word = _("Proof.")  # with which sphinx-proof begins the text itself
        return _quote(self.inside(node[0]).replace(word, f"*{word}*", 1) + " ∎")

    def visit_dropdown_main(self, node):
        """Write a part that opens on a click: HTML around Markdown, which both notebooks allow."""
        title = next((self.line(child) for child in node.children if _is_title_of_dropdown(child)), _("More"))
        body = [child for child in node.children if not _is_title_of_dropdown(child)]
        return f"<details><summary>{title}</summary>\n\n{self.blocks(body)}\n\n</details>"


def _formula(node):
    """Return the TeX of a formula in one line."""
    return " ".join(node.astext().replace(r"\allowbreak", "").split())  # MathJax 3 does not know it


def _escaped(start):
    """Escape the start of a paragraph; after a number, the sign that would make it an item."""
    return f"{start[1]}\\" if start[1].isdigit() else f"\\{start[1]}"


def _indent(text, by):
    """Indent every line but the first by so many blanks."""
    blanks = " " * by
    return text.replace("\n", f"\n{blanks}").replace(f"\n{blanks}\n", "\n\n")


def _quote(text):
    """Make a quotation, which Jupyter and Colab draw as a box."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _is_title_of_dropdown(node):
    return type(node).__name__ == "dropdown_title"
