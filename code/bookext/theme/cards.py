"""Draw the picture of a page that networks show beside a link to it."""

import functools
import re
from textwrap import wrap

from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sphinx.errors import ExtensionError

from ..language import chinese

SIZE = (12.0, 6.3)  # in hundreds of pixels, as networks show it
CHINESE_FONTS = ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei")


def draw(file, title, description, above):
    """Draw a card into ``file``: a line ``above``, the title, and the description in up to four lines."""
    font = {"family": families(title + description + above)}
    figure = Figure(figsize=SIZE, dpi=100, facecolor="#fbfaf7")
    figure.text(0.07, 0.86, above, size=21, color="#4d5662", va="center", **font)
    lines = broken(title, 30)
    font |= {"va": "top"}
    figure.text(0.07, 0.75, "\n".join(lines), size=46, weight="bold", color="#12212e", linespacing=1.15, **font)
    text = "\n".join(broken(description, 66, lines=4))
    figure.text(0.07, 0.65 - 0.125 * len(lines), text, size=21, color="#333b44", linespacing=1.4, **font)
    figure.add_artist(Rectangle((0, 0), 0.02, 1, color="#0b5a8a"))
    figure.savefig(file, metadata={"Software": None})


def broken(text, width, lines=None):
    """Break a text into lines; a Chinese sign is two letters wide, and a line may end behind it."""
    sign = chinese.SIGN.pattern
    spaced = re.sub(f"({sign})(?!\0)", r"\1 ", re.sub(f"({sign}) ", "\\1\0 ", text))
    rows = wrap(spaced, width, max_lines=lines, placeholder=" …")
    return [re.sub(f"({sign}) ", r"\1", row).replace("\0", "") for row in rows]


@functools.cache
def installed_chinese():
    """Return the Chinese families among the fonts of the system; Matplotlib's own list may be older than a font."""
    for path in font_manager.findSystemFonts():
        if re.search("CJK|NotoSansSC|SourceHan|wqy", path):
            font_manager.fontManager.addfont(path)
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return [name for name in CHINESE_FONTS if name in installed]


def families(text):
    """Return the font families of a card, with Chinese ones where its text needs them."""
    if not chinese.SIGN.search(text):
        return ["DejaVu Sans"]
    if not installed_chinese():
        raise ExtensionError(f"The picture for “{text[:30]}” needs a Chinese font: install fonts-noto-cjk.")
    return ["DejaVu Sans", *installed_chinese()]
