"""A picture of a notebook as PNG: JupyterLab draws no SVG before the reader trusts the notebook or runs its cell.

The site has no such copies. The letters are those of the one font that comes with Matplotlib, so every machine writes
the same bytes.
"""

import base64
import functools
import io
from pathlib import Path
from xml.etree import ElementTree

import resvg_py
from matplotlib import get_data_path
from matplotlib.font_manager import get_font
from PIL import Image

FONT = "DejaVu Sans"
FILES = [str(Path(get_data_path(), "fonts", "ttf", f"DejaVuSans{style}.ttf")) for style in ("", "-Bold", "-Oblique")]
COLOURS = 32  # few, and a dot for each pixel: 8 kB a picture, which stands there until its cell has run


def png(svg):
    """Return SVG that has a size and a ground of its own as PNG in base64; None if the font lacks one of its signs."""
    if not set("".join(ElementTree.fromstring(svg).itertext())) - {"\n"} <= signs():
        return None
    dots = resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=FILES, font_family=FONT, sans_serif_family=FONT
    )
    drawn = Image.open(io.BytesIO(bytes(dots)))
    file = io.BytesIO()
    drawn.convert("RGB").quantize(COLOURS).save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


@functools.cache
def signs():
    """Return the signs that the font can draw."""
    return frozenset(map(chr, get_font(FILES[0]).get_charmap()))
