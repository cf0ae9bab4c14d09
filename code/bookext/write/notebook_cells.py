"""The cells of a page's notebook: a heading begins one, a code cell of the page is one, text goes on in the last."""

from dataclasses import dataclass

from docutils import nodes

from .. import hooks
from ..language.messages import _
from .notebook_text import Blocks

DEEPEST = 6  # level of a heading, in Markdown


@dataclass
class Cell:
    """One cell of a notebook: Markdown in ``text``, or the code cell that ``node`` is on the page."""

    text: str = ""
    node: nodes.Element | None = None
    collapsed: bool = False  # a heading whose section is closed when the notebook opens
    solution: bool = False  # stands in a solution


def cells(page, doctree, figure_format="Fig. %s"):
    """Return the cells of a page; a link to a place of its own stays inside if the place has an anchor."""
    page.find_links(doctree)
    writer = Cells(page, figure_format)
    writer.walk(doctree, 0)
    for cell in writer.cells:
        cell.text = page.settled(cell.text)
    return writer.cells


class Cells:
    """Write the sections of a page as cells; a method ``visit_…`` bears the name of a class of nodes.

    Each is given the level of the section around its node, and whether that stands in a solution.
    """

    def __init__(self, page, figure_format):
        self.page, self.figure_format = page, figure_format
        self.blocks = Blocks(page)
        self.line = self.blocks.line
        self.cells = []

    def walk(self, node, level, solution=False):
        """Write cells for the children of a node."""
        for child in node.children:
            visit = getattr(self, f"visit_{type(child).__name__}", self.visit_block)
            visit(child, level, solution)

    def visit_block(self, node, level, solution):
        """Write text."""
        self.add(self.blocks.block(node), solution)

    def visit_section(self, node, level, solution):
        """Write a section, which is one level deeper if it has a title."""
        self.walk(node, level + isinstance(node[0], nodes.title), solution)

    def visit_title(self, node, level, solution):
        """Write the title of a section with its number."""
        section = node.parent
        if not isinstance(section, nodes.section):
            self.visit_block(node, level, solution)
            return
        number = self.page.section("" if level == 1 else section["ids"][0])
        self.heading(level, number + self.line(node), section)

    def visit_exercise_enumerable_node(self, node, level, solution):
        """Write an exercise below a heading with its number."""
        title, body = node.children[:2]
        number = self.page.number(node, "exercise")
        name = _("Exercise {number}", number=number) + self.line(title).replace("%s", number, 1)
        self.heading(min(level + 1, DEEPEST - 1), name, node)  # that of its solution is deeper
        self.walk(body, level + 1, solution)

    def visit_solution_node(self, node, level, solution):
        """Write a solution below a heading that is closed when the notebook opens."""
        title, body = node.children[:2]
        name = "".join(map(self.line, title.children))  # without the link to the exercise
        text = self.text_of_heading(min(level + 2, DEEPEST), name, node)
        self.cells.append(Cell(text, collapsed=True, solution=True))
        self.walk(body, level + 2, solution=True)

    def visit_container(self, node, level, solution):
        """Write a code cell, and below it the captions of its figures; or a container as text."""
        if not hooks.is_cell(node):
            self.visit_block(node, level, solution)
            return
        self.add(self.page.anchors(node), solution)
        self.cells.append(Cell(node=node, solution=solution))
        for figure in node.findall(nodes.figure):
            self.add(self.caption(figure), solution)

    def caption(self, figure):
        """Return the caption of a figure with its number, or "" if it has none."""
        caption = next(figure.findall(nodes.caption), None)
        if caption is None:
            return ""
        label = self.figure_format.replace("%s", self.page.number(figure, "figure"))
        return f"{self.page.anchors(figure)}**{label}.** {self.line(caption)}"

    def heading(self, level, text, node):
        """Add a heading."""
        self.add(self.text_of_heading(level, text, node))

    def text_of_heading(self, level, text, node):
        """Return a heading; the anchor of its node stands behind it, where no list of headings shows it."""
        return f"{'#' * level} {text} {self.page.anchors(node)}".rstrip()

    def add(self, text, solution=False):
        """Add text to the last cell if that holds text and is no collapsed heading, else in a new cell."""
        if not text:
            return
        if self.goes_on(solution) and not text.startswith("#"):
            self.cells[-1].text += f"\n\n{text}"
        else:
            self.cells.append(Cell(text, solution=solution))

    def goes_on(self, solution):
        """Return whether text may go on in the last cell."""
        last = self.cells[-1] if self.cells else None
        return last and not last.node and not last.collapsed and last.solution == solution
