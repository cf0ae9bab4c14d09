"""Every picture of the book: one style, one table, and one module of drawings per chapter."""

from ..kit.style import PALETTE, Picture, bars, beside, figure, heatmap, picture
from .tables import table, with_range

__all__ = ["PALETTE", "Picture", "bars", "beside", "figure", "heatmap", "picture", "table", "with_range"]
