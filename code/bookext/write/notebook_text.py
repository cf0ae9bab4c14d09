"""A resolved page as Markdown that Jupyter and Colab both render: what only this site's directives know is gone.

The page has been through Sphinx, so every number, citation and link in it is the site's own. One function writes
blocks, one writes what stands inside a line; a node that neither knows is an error that names it.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import urljoin

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.locale import admonitionlabels

from .. import hooks, markup
from ..language.messages import _

OWN = re.compile(r"\]\(#([^)]+)\)")  # the end of a link to a place on the page itself
SILENT = {"target", "comment", "meta", "substitution_definition", "index", "compound", "toctree", "pending", "docinfo"}
BOXES = {"note", "tip", "hint", "important", "warning", "caution", "attention", "danger", "error", "seealso"}


@dataclass
class Cell:
    """One cell of a notebook: Markdown in ``text``, or the code cell that ``node`` is on the page."""

    text: str = ""
    node: nodes.Element | None = None
    collapsed: bool = False  # a heading whose section is closed when the notebook opens
    solution: bool = False  # stands in a solution


@dataclass
class Writer:
    """Write one page, which lies at ``address`` on the site, with the numbers that Sphinx gave to its parts."""

    address: str
    numbers: dict  # {"figure": {id: (3, 1)}, "theorem": ..., "exercise": ..., "displaymath": ...}
    sections: dict  # {"": (3,), "#id of a section": (3, 1)}
    figure_format: str = "Fig. %s"
    cells: list = field(default_factory=list)
    linked: set = field(default_factory=set)  # ids to which the page links itself
    placed: set = field(default_factory=set)  # those of them that have an anchor in the notebook

    # --- Cells ----------------------------------------------------------------------------------------------------

    def page(self, doctree):
        """Return the cells of the whole page; a link to a place of its own stays inside if the place has an anchor."""
        links = (n for n in doctree.findall(nodes.reference) if type(n.parent.parent).__name__ != "solution_node")
        self.linked = {self.target(node)[1:] for node in links}
        self.walk(doctree, 0)
        for cell in self.cells:
            cell.text = OWN.sub(lambda m: m[0] if m[1] in self.placed else f"]({self.address}#{m[1]})", cell.text)
        return self.cells

    def target(self, node):
        """Return where a reference leads: an address, or # and an id of this page."""
        target = urljoin(self.address, node.get("refuri") or f"#{node['refid']}")
        return target.removeprefix(self.address) if re.match(r"#[^?]+$", target.removeprefix(self.address)) else target

    def anchors(self, node):
        """Return an anchor for each id of ``node`` to which the page links itself."""
        ids = [name for name in node["ids"] if name in self.linked - self.placed]
        self.placed.update(ids)
        return "".join(f'<a id="{name}"></a>' for name in ids)

    def heading(self, level, text, node):
        """Add a heading; an anchor stands behind it, where no list of headings shows it."""
        self.add(f"{'#' * level} {text} {self.anchors(node)}".rstrip())

    def add(self, text, solution=False):
        """Add text to the last cell if that holds text and is no collapsed heading, else in a new cell."""
        last = self.cells[-1] if self.cells else None
        joins = last and not last.node and not last.collapsed and last.solution == solution
        if text and joins and not text.startswith("#"):
            last.text += f"\n\n{text}"
        elif text:
            self.cells.append(Cell(text, solution=solution))

    def walk(self, node, level, solution=False):
        """Write cells for the children of ``node``, a section of this level: every heading begins a cell of its own."""
        for child in node.children:
            kind = type(child).__name__
            if kind == "title" and isinstance(node, nodes.section):
                number = self.sections.get("" if level == 1 else f"#{node['ids'][0]}")
                self.heading(level, f"{'.'.join(map(str, number)) + '. ' if number else ''}{self.line(child)}", node)
            elif kind == "section":
                self.walk(child, level + isinstance(child[0], nodes.title), solution)
            elif kind == "exercise_enumerable_node":
                number = self.number(child, "exercise")
                title = _("Exercise {number}", number=number) + self.line(child[0]).replace("%s", number, 1)
                self.heading(min(level + 1, 5), title, child)
                self.walk(child[1], level + 1, solution)
            elif kind == "solution_node":
                title = "".join(self.line(part) for part in child[0].children)  # without the link to the exercise
                heading = f"{'#' * min(level + 2, 6)} {title} {self.anchors(child)}".rstrip()
                self.cells.append(Cell(heading, collapsed=True, solution=True))
                self.walk(child[1], level + 2, True)
            elif hooks.is_cell(child):
                self.add(self.anchors(child), solution)
                self.cells.append(Cell(node=child, solution=solution))
                for figure in child.findall(nodes.figure):
                    caption = next(figure.findall(nodes.caption), None)
                    if caption is not None:
                        label = self.figure_format.replace("%s", self.number(figure, "figure"))
                        self.add(f"{self.anchors(figure)}**{label}.** {self.line(caption)}", solution)
            else:
                self.add(self.block(child), solution)

    def number(self, node, kind):
        """Return the number that Sphinx gave to a theorem, exercise or figure of this page."""
        number = next((n for name in node["ids"] if (n := self.numbers.get(kind, {}).get(name))), None)
        if number is None:
            raise ExtensionError(f"{self.address}: {kind} {node['ids']} has no number")
        return ".".join(map(str, number))

    # --- Blocks ---------------------------------------------------------------------------------------------------

    def blocks(self, children):
        """Join blocks with an empty line between them."""
        return "\n\n".join(filter(None, map(self.block, children)))

    def block(self, node):
        """Return Markdown for one block, below its anchor if it has one."""
        return "\n\n".join(filter(None, [self.anchors(node), self.markdown(node)]))

    def markdown(self, node):
        """Return Markdown for one block without its anchor."""
        kind = type(node).__name__
        if kind in SILENT:
            return ""
        if hooks.is_cell(node):
            raise ExtensionError(f"{self.address}: a notebook has no place for a code cell inside a box")
        if kind in ("paragraph", "caption", "image"):
            return _protect_start(self.line(node))
        if kind == "rubric":
            return f"**{self.line(node)}**"
        if kind in ("bullet_list", "enumerated_list"):
            return self.list(node)
        if kind == "definition_list_item":
            terms = ", ".join(f"**{self.line(term)}**" for term in node.findall(nodes.term))
            return _indent(f"- {terms}: " + self.blocks(node.children[-1].children), "  ")
        if kind == "math_block":
            return self.equation(node)
        if kind == "literal_block":
            return f"```{node.get('language', '').replace('none', '')}\n{node.astext().rstrip()}\n```"
        if kind == "raw":
            return self.drawing(node)
        if kind == "block_quote":
            return _quote(self.blocks(node.children))
        if kind == "transition":
            return "---"
        if kind == "table":
            return self.table(node)
        if kind == "quiz":
            return node.markdown(self)
        if kind == "dropdown_main":
            return self.details(node)
        if "countertype" in node:
            title = f"**{_(node['realtype'].title())} {self.number(node, node['countertype'])}**{self.line(node[0])}."
            return _quote(self.joined(title, node[1].children))
        if kind == "proof_node":
            return _quote(self.blocks(node[0].children).replace(_("Proof."), f"*{_('Proof.')}*", 1) + " ∎")
        if kind == "admonition" or kind in BOXES:
            title = self.line(node[0]) if kind == "admonition" else str(admonitionlabels[kind])
            body = node.children[1:] if kind == "admonition" else node.children
            return _quote(f"**{title}**\n\n{self.blocks(body)}")
        if kind in ("container", "section", "topic", "definition_list", "glossary", "figure", "legend"):
            return self.blocks(node.children)
        raise ExtensionError(f"{self.address}: a notebook has no form for {kind}: give it one in notebook_text.py")

    def joined(self, title, children):
        """Join blocks to a title, whose line the first goes on if it is a paragraph."""
        between = " " if children and isinstance(children[0], nodes.paragraph) else "\n\n"
        return title + between + self.blocks(children)

    def list(self, node):
        """Return a list; its items stand close together if none has more than one block."""
        items = []
        start = int(node.get("start", 1))
        for number, item in enumerate(node.children, start):
            mark = f"{number}. " if isinstance(node, nodes.enumerated_list) else "- "
            items.append(_indent(mark + self.blocks(item.children), " " * len(mark)))
        return ("\n\n" if any(len(item.children) > 1 for item in node.children) else "\n").join(items)

    def details(self, node):
        """Write a part that opens on a click: HTML around Markdown, which both notebooks allow."""
        title = next((self.line(n) for n in node.children if type(n).__name__ == "dropdown_title"), _("More"))
        body = [n for n in node.children if type(n).__name__ != "dropdown_title"]
        return f"<details><summary>{title}</summary>\n\n{self.blocks(body)}\n\n</details>"

    def table(self, node):
        """Return a table with one row of headings."""
        title = "".join(f"**{self.line(n)}**\n\n" for n in node.children if isinstance(n, nodes.title))
        rows = [[self.entry(entry) for entry in row.children] for row in node.findall(nodes.row)]
        if not any(node.findall(nodes.thead)):
            rows.insert(0, [""] * len(rows[0]))
        rows.insert(1, ["---"] * len(rows[0]))
        return title + "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def entry(self, node):
        """Return one entry of a table: no bar, which would end it, and no line break."""
        if any(not isinstance(child, nodes.paragraph) for child in node.children):
            raise ExtensionError(f"{self.address}: an entry of a table holds more than text: {node.astext()[:60]}")
        return "<br>".join(self.line(child, bar=True) for child in node.children)

    def drawing(self, node):
        """Write the name of a drawing, as a link to the page: notebooks do not show a page's own HTML."""
        name = markup.piece(node.astext()).xpath("string(//@aria-label)")
        if not name:
            raise ExtensionError(f"{self.address}: a drawing without an aria-label: {node.astext()[:60]}")
        return f"*[{name}]({self.address})*"

    def equation(self, node):
        """Write a displayed formula with its number, in one line: the signs of a box would get into longer ones."""
        tex = _formula(node)
        if "\\\\" in tex and "\\begin" not in tex:
            tex = f"\\begin{{split}}{tex}\\end{{split}}"
        tag = f" \\tag{{{self.number(node, 'displaymath')}}}" if node.get("number") else ""
        return tex if node.get("nowrap") else f"$$ {tex}{tag} $$"

    # --- Lines ----------------------------------------------------------------------------------------------------

    def line(self, node, bar=False):
        """Return Markdown for the content of ``node`` in one line; ``bar`` escapes the character |."""
        return "".join(self.inline(child, bar) for child in node.children) if node.children else self.inline(node, bar)

    def inline(self, node, bar=False):
        """Return Markdown for one thing inside a line."""
        kind = type(node).__name__
        if kind == "Text":
            text = re.sub(r"([\\`*_\[\]<$])", r"\\\1", node.astext()).replace("\n", " ")
            return text.replace("|", "\\|") if bar else text
        if kind == "math":
            return f"${_formula(node, bar)}$"
        if kind == "literal" and not any(isinstance(n, nodes.Element) for n in node.children):
            fence = "`" * (1 + max((len(run) for run in re.findall("`+", node.astext())), default=0))
            space = " " if len(fence) > 1 else ""
            text = node.astext().replace("|", "\\|") if bar else node.astext()
            return f"{fence}{space}{text}{space}{fence}"
        inside = "".join(self.inline(child, bar) for child in node.children)
        if kind in ("emphasis", "strong"):
            mark = "*" if kind == "emphasis" else "**"
            return f"{mark}{inside}{mark}"
        if kind in ("reference", "number_reference"):
            return f"[{inside}]({self.target(node)})"
        if kind == "image":
            return f"![{node.get('alt', '')}]({urljoin(self.address, node['uri'])})"
        if kind in ("inline", "literal", "title_reference", "generated", "exercise_subtitle", "term"):
            return inside
        if kind in SILENT or kind == "raw":  # raw: a drawn arrow in a title
            return ""
        if kind in ("subscript", "superscript"):
            return f"<{kind[:3]}>{inside}</{kind[:3]}>"
        raise ExtensionError(f"{self.address}: a notebook has no form for {kind} in {node.parent.astext()[:60]!r}")


def _formula(node, bar=False):
    """Return the TeX of a formula in one line; a bar in a table would end the entry, so it gets its name there."""
    tex = " ".join(node.astext().replace(r"\allowbreak", "").split())  # MathJax 3 does not know it
    return re.sub(r"\\\|", r"\\Vert ", tex).replace("|", r"\vert ") if bar else tex


def _protect_start(text):
    """Escape the start of a paragraph that would make it a heading, a list or a quotation."""
    return re.sub(r"^(#+ |[-+>]|\d+(?=[.)]))", lambda m: (m[1] + "\\") if m[1].isdigit() else "\\" + m[1], text)


def _indent(text, by):
    """Indent every line but the first."""
    return text.replace("\n", "\n" + by).replace(f"\n{by}\n", "\n\n")


def _quote(text):
    """Make a quotation, which Jupyter and Colab draw as a box."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
