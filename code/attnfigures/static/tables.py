"""A small table: named columns, one line per entry, as HTML in a notebook and as text elsewhere."""

import html
from collections.abc import Sequence

from attnbook.arrays import brief, require_int
from attnbook.check.render import typeset

from ..kit.validate import listed, named, numbers, texts

__all__ = ["Table", "table", "with_range"]


class Table(list):
    """Rows of text with a header; made by :func:`table`."""

    def __init__(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        super().__init__(rows)
        self.header = header

    def _repr_html_(self):
        head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in self.header)
        body = "".join(
            f'<tr><th scope="row">{html.escape(first)}</th>'
            + "".join(f"<td>{html.escape(c)}</td>" for c in rest)
            + "</tr>"
            for first, *rest in self
        )
        return f'<div class="figures-table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'

    def __repr__(self):
        lines = [list(self.header), *self]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in lines)


def table(columns: dict[str, Sequence], digits: int = 4) -> Table:
    """Lay out ``columns``, a dict from header to a list of entries; numbers are rounded to ``digits`` figures.

    Raises ``ValueError`` if the columns have different lengths or there is none.

    >>> table({"n": [1, 2], "n!": [1, 2]})
    n  n!
    1   1
    2   2
    """
    texts("the headers of columns", named("columns", columns))
    digits = require_int("digits", digits, most=17)
    lengths = {name: len(listed(f"columns[{name!r}]", entries)) for name, entries in columns.items()}
    if len(set(lengths.values())) != 1:
        raise ValueError(f"columns have lengths {lengths}; expected at least one column and equal lengths")
    return Table(list(columns), [[_cell(x, digits) for x in row] for row in zip(*columns.values(), strict=True)])


def with_range(span: Sequence[float], form: str = ".2f") -> str:
    """Write a median and its range: ``span`` has the least, the median and the most, ``form`` is Python's, as ".0%".

    Where all three read alike, there is one number.

    >>> with_range([0.79, 0.84, 0.91])
    '0.84 (0.79 to 0.91)'
    >>> with_range([1, 1, 1], ".0%")
    '100%'
    """
    least, middle, most = (format(x, form) for x in numbers("span", span, 3))
    return middle if least == most else f"{middle} ({least} to {most})"


def _cell(x, digits):
    try:
        return x if isinstance(x, str) else typeset(str(x) if isinstance(x, (int, bool)) else f"{float(x):.{digits}g}")
    except (TypeError, ValueError):
        raise ValueError(f"an entry of columns is {brief(x)}; expected a text or a number") from None
