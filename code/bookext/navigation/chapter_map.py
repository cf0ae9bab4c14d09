"""The directive ``{chapter-map}``: which chapter builds on which, as a drawing whose boxes are links."""

import functools
from html import escape

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from ..contents import chapters
from ..derived import place
from ..language.messages import N_, _

MAP = N_("Map of the chapters: an arrow leads from a chapter to one that builds on it")
WIDTH = 360  # of the map, in units of its picture
ROW = 66  # from the top of a row of boxes to that of the next
BOX = (172, 46)
LINE = 24  # letters in a line of a box


def setup(app):
    """Register the directive."""
    app.add_directive("chapter-map", ChapterMap)


class ChapterMap(SphinxDirective):
    """`{chapter-map}`: one line a chapter, `name: names of those it builds on`."""

    has_content = True

    def run(self):
        folder = self.env.docname.rpartition("/")[0] + "/"
        lines = [line.partition(":") for line in self.content if line.strip()]
        needs = {folder + name.strip(): [folder + other for other in others.split()] for name, _, others in lines}
        if unknown := {n for ns in needs.values() for n in ns} - set(needs):
            raise self.error(f"the map has no line for {', '.join(sorted(unknown))}")
        return [place(self.env, _drawing, needs=needs)]


def _drawing(app, docname, needs):
    """Draw the map as inline SVG: each chapter below all it builds on, without arrows that others imply."""
    numbers = chapters(app.env)
    titles = app.env.titles
    if missing := [name for name in needs if name not in numbers]:
        raise ExtensionError(f"{docname}: the map names {', '.join(missing)}, which is no chapter")
    rows = {}
    for name, row in depths(needs).items():
        rows.setdefault(row, []).append(name)
    corners = {
        name: ((i + 0.5) * WIDTH / len(row) - BOX[0] / 2, y * ROW + 1)
        for y, row in rows.items()
        for i, name in enumerate(row)
    }
    label = {name: f"{numbers[name]}. {titles[name].astext()}" for name in needs}
    arrows = "".join(arrow(corners[a], corners[b]) for b in needs for a in direct(needs, b))
    boxes = ""
    for name, (x, y) in corners.items():
        address = app.builder.get_relative_uri(docname, name)
        spoken = spoken_label(label[name], [label[n] for n in needs[name]])
        boxes += (
            f'<a href="{address}" aria-label="{escape(spoken)}"><rect x="{x:g}" y="{y:g}" width="{BOX[0]}" '
            f'height="{BOX[1]}" rx="5"/>{lines(label[name], x, y)}</a>'
        )
    height = len(rows) * ROW - (ROW - BOX[1]) + 2
    svg = (
        f'<svg class="chapter-map" viewBox="0 0 {WIDTH} {height}" role="group" aria-label="'
        f'{escape(_(MAP))}">{arrows}{boxes}</svg>'
    )
    return [nodes.raw("", svg, format="html")]


def spoken_label(chapter, others):
    """Return the accessible name of a box: the chapter, and those that it builds on."""
    if not others:
        return chapter
    joined = functools.reduce(lambda first, second: _("{first} and {second}", first=first, second=second), others)
    return _("{chapter}, builds on {others}", chapter=chapter, others=joined)


def depths(needs):
    """Return the row of each chapter: one below the lowest it builds on; ``ExtensionError`` if they go in a circle."""
    rows = {}
    while len(rows) < len(needs):
        ready = [name for name in needs if name not in rows and all(n in rows for n in needs[name])]
        if not ready:
            raise ExtensionError(f"chapter-map: {', '.join(set(needs) - set(rows))} build on each other in a circle")
        rows |= {name: max((rows[n] + 1 for n in needs[name]), default=0) for name in ready}
    return rows


def direct(needs, name):
    """Return what ``name`` builds on and reaches by no other way."""

    def below(n):
        return set(needs[n]).union(*(below(m) for m in needs[n]))

    return [n for n in needs[name] if not any(n in below(m) for m in needs[name])]


def arrow(start, end):
    """Draw a line from the foot of one box to the head of another."""
    x1, x2 = (x + BOX[0] / 2 for x, _y in (start, end))
    y1 = start[1] + BOX[1]
    y2 = end[1]
    middle = (y1 + y2) / 2
    path = f"M{x1:g} {y1:g}C{x1:g} {middle:g} {x2:g} {middle:g} {x2:g} {y2 - 2:g}"
    return f'<path d="{path}"/><path d="M{x2 - 4:g} {y2 - 7:g}L{x2:g} {y2 - 1:g}L{x2 + 4:g} {y2 - 7:g}"/>'


def lines(label, x, y):
    """Write one or two lines of text in the middle of a box."""
    rows = [""]
    for word in label.split():
        if rows[-1] and len(rows[-1]) + len(word) >= LINE:
            rows.append("")
        rows[-1] = f"{rows[-1]} {word}".strip()
    top = y + BOX[1] / 2 + 4.5 - 8 * (len(rows) - 1)
    spans = (f'<tspan x="{x + BOX[0] / 2:g}" y="{top + 16 * i:g}">{escape(s)}</tspan>' for i, s in enumerate(rows))
    return f"<text>{' '.join(spans)}</text>"
