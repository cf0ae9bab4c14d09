"""Cut STIX Two down to what the book uses: the fonts of formulas and of text in code/bookext/static.

Run by hand, with fonttools and brotli installed, on `stix-two-math-latin-400-normal.woff2` of the npm package
`@fontsource/stix-two-math`, and on `stix-two-text-latin-wght-normal.woff2` and `…-italic.woff2` of
`@fontsource-variable/stix-two-text` (SIL Open Font License)::

    python tools/fonts.py stix-two-math-latin-400-normal.woff2 stix-two-text-latin-wght-normal.woff2 …

A cut font loses stretched glyphs silently, so the variants of the MATH table are kept with their signs. Alphabets stay
whole; of the operators, the common ones do. Not kept are bold italics, bold Greek, kerning and the hints for coarse
screens. A formula with a sign that is missing here fails the tests of pages: add it to ``KEPT``.
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

STATIC = Path(__file__).parent.parent / "code" / "bookext" / "static"
TEXT = "20-7E A0-FF 152-153 303 2010-2015 2018-201E 2026 2032-2033 2212"
RADICAL_WIDTH = 850  # thousandths of an em; the small sign has 794
KEPT = """20-7E A0 AC B1 B7 D7 F7 2C6-2C7 2D8-2DC 300-303 307-308 30C 332 338 391-3C9 3D1 3D5 3F5 2010-2016 2018-201E
2026 2032-2035 203E 2044 2061-2064 20D7 2102 210B 210E 2110 2112-2113 2115 2119-211B 211D 2124 212C 2130-2131 2133
2190-2194 2196-2199 21A6 21D0-21D4 2200-2209 220B 220F-2213 2216-221A 221D-2220 2223 2225 2227-222C 2234-2235 223C 2243
2245 2248 2250 2254 2260-2261 2264-2265 226A-226B 227A-227D 2282-2283 2286-2287 2295-2299 22A2-22A5 22C0-22C6 22EE-22F1
2308-230B 23DE-23DF 25A0-25A1 27E8-27E9 27F6 2A7D-2A7E 1D400-1D467 1D49C-1D4B5 1D538-1D551 1D6A4-1D6A5 1D6E2-1D71B
1D7CE-1D7D7"""
SIGNS = """302-303 391-3C9 3D1 3D5 2016 2032-2033 2070-209C 2113 2190-2193 21A6 2200-2265 2282 2299 22C5 22EF 2308-230B
27E8-27E9"""


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
    """Write the cut font; of the font of formulas also the signs that stand in prose, for pages without a formula."""
    font = TTFont(source)
    if "MATH" in font:
        cut(font, KEPT, ["ccmp"])
        prepare_math(font)
        save(font, "Book Math")
        del font["MATH"]
        cut(font, SIGNS, ["ccmp"])
        save(font, "Book Signs")
    else:
        cut(font, TEXT, ["ccmp", "kern", "liga", "mark"])
        save(font, "Book Text", "-italic" if "italic" in source else "")


def save(font, name, style=""):
    """Write a font under its name, and say how large it is."""
    for record in font["name"].names:
        if record.nameID in (1, 4, 16):
            record.string = name
    font.flavor = "woff2"
    path = STATIC / f"{name.lower().replace(' ', '-')}{style}.woff2"
    font.save(path)
    print(f"{path.name}: {path.stat().st_size} bytes")


def cut(font, characters, features):
    """Leave out all but some characters."""
    subsetter = Subsetter(Options(layout_features=features, hinting=False))
    subsetter.populate(unicodes=parse_unicodes(",".join(characters.split())))
    subsetter.subset(font)


def prepare_math(font):
    """Narrow the radicals, and lower the subscripts alike."""
    variants = font["MATH"].table.MathVariants
    radical = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(font.getBestCmap()[0x221A])]
    names = {record.VariantGlyph for record in radical.MathGlyphVariantRecord}
    names |= {part.glyph for part in radical.GlyphAssembly.PartRecords}
    for name in sorted(names):
        if font["hmtx"][name][0] > RADICAL_WIDTH:
            narrow(font, name)
    font["MATH"].table.MathConstants.SubscriptBaselineDropMin.Value = 0  # or the subscript of q hangs below that of k


if __name__ == "__main__":
    for file in sys.argv[1:]:
        main(file)
