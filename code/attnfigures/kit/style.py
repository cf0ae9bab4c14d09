"""The one figure style: inline SVG whose lines and text take the colour of the page, light or dark.

A drawing function returns ``picture(fig, alt)``: the figure as SVG, with text as text, ids that cannot collide,
black replaced by ``currentColor``, palette colours as CSS variables with the printed colour as fallback, and an
alternative text that says what the picture says. Nothing depends on the date or on random ids, so rebuilding gives
the same bytes.
"""

import io
import warnings
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from attnbook.arrays import brief, one_of, require_int, require_number
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import is_color_like
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.text import Text
from numpy.typing import ArrayLike

from . import markup
from .record import bundle
from .svg import adapt
from .validate import LABEL, flags, listed, numbers, positive, require, texts

__all__ = ["PALETTE", "Picture", "bars", "beside", "canvas", "figure", "heatmap", "picture", "tiles"]

#: Okabe and Ito's colours, safe for colour-blind readers; drawings add a second cue (dash, marker, label) to each.
PALETTE = {
    "blue": "#0072b2",
    "orange": "#d55e00",
    "green": "#009e73",
    "purple": "#b0578d",
    "yellow": "#b58900",
    "sky": "#3a87ad",
    "grey": "#7a7a7a",
}

STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "attention-and-order",
    "font.family": "sans-serif",
    "font.size": 10.2,
    "axes.titlesize": 10.2,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": f"cycler('color', {list(PALETTE.values())})",
    "axes.linewidth": 0.8,
    "hatch.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "legend.frameon": False,
    "legend.fontsize": 10.2,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "figure.constrained_layout.use": True,
}

SIZE = 10.2  # points of all text: 11 px on a phone, and as large as the text of the page on a wide screen


class Picture(NamedTuple):
    """An SVG and the sentence that says what it shows."""

    svg: str
    alt: str

    def _repr_html_(self):
        return markup.picture(self.svg)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return bundle({"kind": "picture", "drawing": self.svg}, text=self.alt, html=self._repr_html_())


def figure(
    rows: int = 1, columns: int = 1, *, width: float = 4.4, height: float = 2.4, **options: Any
) -> tuple[Figure, Any]:
    """Make a matplotlib figure in the book's style and its axes, sizes in inches; it belongs to no global state.

    ``options`` go to ``Figure.subplots``. Up to width 4.4 the text stays readable when the page is 375 px wide.
    """
    rows = require_int("rows", rows, most=50)
    columns = require_int("columns", columns, most=50)
    positive(width=width, height=height)
    with rc_context(STYLE):
        fig = Figure(figsize=(width, height))
        return fig, fig.subplots(rows, columns, **options)


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """Make an empty figure whose coordinates are points, y downwards: whole numbers keep an explorer's frames small."""
    positive(width=width, height=height)
    fig, ax = figure(width=width / 72, height=height / 72)
    fig.set_layout_engine("none")
    ax.set_position((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(height, 0))
    ax.axis("off")
    return fig, ax


def picture(fig: Figure, alt: str) -> Picture:
    """Return the finished drawing as a :class:`Picture`.

    Parameters
    ----------
    fig : matplotlib Figure
    alt : str
        What the picture shows, in a sentence, for a reader who does not see it.

    Raises ``ValueError`` if ``alt`` has fewer than 20 characters: a name is not a description.
    """
    require("fig", fig, Figure, "a matplotlib figure")
    if len(require("alt", alt, str, "a sentence").strip()) < 20:
        raise ValueError(f"alt = {alt!r}; expected a sentence that says what the picture shows")
    for legend in filter(None, [*fig.legends, *(ax.get_legend() for ax in fig.axes)]):
        legend.set_frame_on(False)  # a filled frame would be a light patch on a dark page
    for text in fig.findobj(Text):
        text.set_fontsize(SIZE)
    buffer = io.BytesIO()
    with rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # text stays text: the page's fonts draw it
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return Picture(adapt(buffer.getvalue(), alt, PALETTE), alt)


def beside(*pictures: Picture) -> Picture:
    """Put pictures side by side where the page is wide enough, and below each other where it is not."""
    for drawn in listed("pictures", pictures):
        require("one of pictures", drawn, Picture, "a Picture")
    svgs = "".join(drawn.svg for drawn in pictures)
    return Picture(f'<div class="beside">{svgs}</div>', " ".join(drawn.alt for drawn in pictures))


def clipped(word: str, most: int = 10) -> str:
    """Return a word of at most so many letters, the last of which stands for those that are left out."""
    return word if len(word) <= most else f"{word[: most - 1]}…"


def heatmap(
    ax: Axes,
    M: ArrayLike,
    *,
    rows: Sequence | None = None,
    columns: Sequence | None = None,
    limit: float | None = None,
    digits: int = 2,
    aspect: str = "equal",
) -> None:
    """Draw the matrix ``M`` on ``ax``: dark for positive, hatched for negative, numbers when it is small.

    ``rows`` and ``columns`` are the labels of the axes' ticks; ``limit`` is the absolute value of full colour;
    ``aspect="auto"`` lets wide cells fill the axes.
    """
    require("ax", ax, Axes, "matplotlib axes")
    M = numbers("M", M, "n", "m")
    n, m = M.shape
    rows = [] if rows is None else texts("rows", rows, n, "M", LABEL)
    columns = [] if columns is None else texts("columns", columns, m, "M", LABEL)
    digits = require_int("digits", digits, least=0, most=17)
    one_of("aspect", aspect, "equal", "auto")
    limit = require_number("limit", 0 if limit is None else limit, least=0) or np.abs(M).max() or 1.0
    written = n <= 8 and m <= 8
    for i, j in np.ndindex(n, m):
        corner = (j - 0.5, i - 0.5)
        ground = ink(ax, [corner], 1, 1, float(M[i, j] / limit), darkest=0.35 if written else 0.9)
        ax.add_patch(Rectangle(corner, 1, 1, facecolor=ground, edgecolor="none"))
        if written:
            ax.text(j, i, number(M[i, j], digits), ha="center", va="center")
    ax.set(xlim=(-0.5, m - 0.5), ylim=(n - 0.5, -0.5), aspect=aspect)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(True)


def ink(
    ax: Axes,
    corners: Collection[tuple[float, float]],
    width: float,
    height: float,
    share: float,
    *,
    clip: bool = True,
    darkest: float = 0.35,
) -> tuple[str, float]:
    """Return the ground of cells, dark if ``share`` is positive; if it is negative, line them, closer towards -1.

    The ground of a number is no darker than 0.35, or it could not be read.
    """
    share = max(-1, min(share, 1))
    if share < 0:  # lines and no pattern, of which printers make large pictures
        count = round(3 - 4 * share)
        ends = [(max(0, k / count - 1), min(1, k / count)) for k in range(1, 2 * count)]
        xs = [x + width * part for x, _ in corners for low, high in ends for part in (low, high, np.nan)]
        ys = [y + height * part for _, y in corners for low, high in ends for part in (high, low, np.nan)]
        ax.plot(xs, ys, color=PALETTE["grey"], linewidth=0.6, clip_on=clip)
    return "black", darkest * max(share, 0)


def tiles(
    ax: Axes, corners: Collection[tuple[float, float]], width: float, height: float, colour: Any, *, clip: bool = True
) -> None:
    """Fill rectangles of one size, each from its corner (x, y) on, as one path: a drawing of many cells stays light."""
    require("ax", ax, Axes, "matplotlib axes")
    corners = listed("corners", corners, least=0)
    numbers("corners", corners or [(0, 0)], "k", 2)
    positive(width=width, height=height)
    if not is_color_like(colour):
        raise ValueError(f"colour = {brief(colour)}; expected a colour that matplotlib knows")
    flags(clip=clip)
    w, h = width, height
    paths = [Path([(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)], closed=True) for x, y in corners]
    ax.add_patch(PathPatch(Path.make_compound_path(*paths), facecolor=colour, edgecolor="none", clip_on=clip))


def dots(ax: Axes, x: np.ndarray, y: np.ndarray, colour: str, *, size: float, alpha: float = 1) -> None:
    """Draw many discs of one colour, ``size`` points wide, as one path: a marker each would be an element each."""
    ends = np.column_stack([x, y, x, y]).reshape(-1, 2)  # a line of no length, whose round ends are a disc
    path = Path(ends, [Path.MOVETO, Path.LINETO] * len(x))
    path.should_simplify = False  # or it would vanish
    ax.add_patch(PathPatch(path, fill=False, edgecolor=colour, lw=size, capstyle="round", alpha=alpha))


def bars(ax: Axes, values: ArrayLike, labels: Sequence | None = None, *, color: str = "blue", digits: int = 3) -> None:
    """Draw ``values`` as bars from 0, each with its number above and its label below."""
    require("ax", ax, Axes, "matplotlib axes")
    values = numbers("values", values, "n")
    names: Any = range(1, len(values) + 1) if labels is None else texts("labels", labels, len(values), "values", LABEL)
    one_of("color", color, *PALETTE)
    digits = require_int("digits", digits, least=0, most=17)
    ax.bar(range(len(values)), values, width=0.7, color=PALETTE[color])
    if len(values) <= 8:
        for i, value in enumerate(values):
            up = value >= 0
            place: dict = {"textcoords": "offset points", "ha": "center", "va": "bottom" if up else "top"}
            ax.annotate(number(value, digits), (i, value), (0, 2 if up else -2), **place)
    ax.set_xticks(range(len(values)), names)


def number(value, digits):
    """Write ``value`` with so many digits, a true minus sign, and no sign at all before 0."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")
