"""Every picture of the book: one style, one table, and one module of drawings per chapter."""

from .style import PALETTE, Picture, bars, beside, figure, heatmap, picture
from .tables import table

__all__ = ["PALETTE", "Picture", "bars", "beside", "figure", "heatmap", "picture", "table"]
