"""Cut STIX Two Math down to what the book's formulas use: code/bookext/static/book-math.woff2.

Run by hand, with fonttools and brotli installed, on the file `stix-two-math-latin-400-normal.woff2` of the npm package
`@fontsource/stix-two-math` (SIL Open Font License)::

    python tools/math_font.py stix-two-math-latin-400-normal.woff2

A cut font loses stretched glyphs silently, so whole blocks are kept and the MATH table's variants with them; bold
italics, bold Greek and the hints for coarse screens, a third of the bytes, are not.
Chromium reserves the width of the *widest* radical sign behind every root, which leaves a gap of 0.4 em in
"√d, and"; the tall variants are therefore narrowed to nearly the width of the small one.
"""

import sys
from pathlib import Path

from fontTools.misc.transform import Scale
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter, parse_unicodes
from fontTools.ttLib import TTFont

TARGET = Path(__file__).parent.parent / "code" / "bookext" / "static" / "book-math.woff2"
RADICAL_WIDTH = 850  # thousandths of an em; the small sign has 794
KEPT = """20-7E A0 AC B1 B7 D7 F7 2C6-2DD 300-338 391-3FF 2010-2044 2061-2064 20D7 2102 210B-210E 2110-2113 2115
2119-211D 2124 212C 2130-2131 2133
2190-2199 21A6 21D0-21D4 2200-22C6 22EE-22F1 2308-230B 23DE-23DF 25A0-25A1 27E8-27E9 27F6 2A7D-2A7E 1D400-1D467
1D49C-1D4CF 1D538-1D56B 1D6A4-1D6A5 1D6E2-1D71B 1D7CE-1D7D7"""


def narrow(font, name):
    """Scale glyph ``name`` horizontally to ``RADICAL_WIDTH``."""
    advance, _ = font["hmtx"][name]
    glyphs = font.getGlyphSet()
    scale = Scale(RADICAL_WIDTH / advance, 1)
    if "glyf" in font:
        pen = TTGlyphPen(None)
        glyphs[name].draw(TransformPen(pen, scale))
        font["glyf"][name] = pen.glyph()
    else:
        pen = T2CharStringPen(RADICAL_WIDTH, glyphs)
        glyphs[name].draw(TransformPen(pen, scale))
        strings = font["CFF "].cff.topDictIndex[0].CharStrings
        old = strings[name]
        strings[name] = pen.getCharString(old.private, old.globalSubrs)
    bearing = font["hmtx"][name][1] * RADICAL_WIDTH // advance
    font["hmtx"][name] = (RADICAL_WIDTH, bearing)


def main(source):
    """Write the cut font and say how large it is."""
    font = TTFont(source)
    options = Options(layout_features=["ccmp", "kern"], hinting=False, flavor="woff2")
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=parse_unicodes(",".join(KEPT.split())))
    subsetter.subset(font)
    variants = font["MATH"].table.MathVariants
    radical = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(font.getBestCmap()[0x221A])]
    names = {record.VariantGlyph for record in radical.MathGlyphVariantRecord}
    names |= {part.glyph for part in radical.GlyphAssembly.PartRecords}
    for name in sorted(names):
        if font["hmtx"][name][0] > RADICAL_WIDTH:
            narrow(font, name)
    font["MATH"].table.MathConstants.SubscriptBaselineDropMin.Value = 0  # or the subscript of q hangs below that of k
    for record in font["name"].names:
        if record.nameID in (1, 4, 16):
            record.string = "Book Math"
    font.flavor = "woff2"
    font.save(TARGET)
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
