"""What a drawing function drew, read back from matplotlib's figure."""

from typing import NamedTuple

import numpy as np
from attnbook.figures import PALETTE
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

NAMES = {to_rgb(colour): name for name, colour in PALETTE.items()} | {(0.0, 0.0, 0.0): "black"}


class Drawn(NamedTuple):
    """A figure that was not saved, and its description."""

    fig: Figure
    alt: str
    svg: str = ""

    @property
    def axes(self):
        return self.fig.axes


def hue(colour):
    """The palette's name of a colour, whatever its opacity."""
    return NAMES[to_rgb(colour)]


def curve(ax, label):
    """The points (n, 2) of the one line with this label."""
    [line] = [line for line in ax.lines if line.get_label() == label]
    return line.get_xydata()


def words(ax):
    """{(x, y): text} of everything written on ``ax``, coordinates rounded to hundredths."""
    return {tuple(np.round(text.get_position(), 2).tolist()): text.get_text() for text in ax.texts}


def corners(patch):
    """The first corners (k, 2) of the squares that one patch is made of."""
    return patch.get_path().vertices.reshape(-1, 5, 2)[:, 0]


def ticks(axis):
    """{position: label} of an axis."""
    return {float(at): label.get_text() for at, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)}
