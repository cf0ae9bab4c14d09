"""Every kind of formula is drawn whole: pictures show the ink of roots, bars, stretched brackets and the like.

A font that lacks a root sign or the pieces of a tall bracket leaves them out, and the text of the page stays the same.
"""

import io
from pathlib import Path

import numpy as np
import pytest
from bookext.write.mathml import to_mathml
from built_site import SITE, SOURCES, named, pages_with, report
from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib.image import imread

PARTS = Path(__file__).with_name("parts.js").read_text("utf-8")
SCALE = 3  # pixels of the picture for one of the page
FORMULAS = {
    "root": r"\sqrt{\frac{d_k}{m}} + \sqrt[3]{x}",
    "fraction bar": r"\frac{a + b}{c}",
    "bracket": r"\left(\frac{\frac{a}{b}}{c}\right) + \begin{cases} a \\ b \\ c \end{cases}",
    "accent": r"\hat{x} + \tilde{A} + \bar{h}",
    "brace": r"\underbrace{a + b + c + d}_{n}",
    "large operator": r"\sum_{i=1}^n x_i + \int_a^b f + \prod_j y_j",
    "matrix": r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}",
    "Chinese": r"x = \text{注意力}",
}


def ink(page, clip):
    """Return width and height, in px of the page, of what is drawn inside ``clip``; 0 and 0 if nothing is."""
    left, top = max(0, clip["x"]), max(0, clip["y"])
    clip = {"x": left, "y": top, "width": clip["x"] + clip["width"] - left, "height": clip["y"] + clip["height"] - top}
    picture = imread(io.BytesIO(page.screenshot(clip=clip)))[..., :3]
    drawn = np.abs(picture - picture[0, 0]).max(-1) > 0.2
    columns, rows = np.flatnonzero(drawn.any(0)), np.flatnonzero(drawn.any(1))
    return (np.ptp(columns) + 1) / SCALE if columns.size else 0, (np.ptp(rows) + 1) / SCALE if rows.size else 0


def not_drawn(browser, folder, font):
    """Return the kinds of formulas that lack something on a page that has one of each, in the font of these bytes."""
    formulas = "".join(f'<div class="math">{to_mathml(tex, display=True)}</div>' for tex in FORMULAS.values())
    (folder / "site.css").write_bytes((SITE / "_static" / "site.css").read_bytes())
    (folder / "book-math.woff2").write_bytes(font)
    head = '<!DOCTYPE html><meta charset="utf-8"><link rel="stylesheet" href="site.css">'
    (folder / "page.html").write_text(f"{head}<main>{formulas}</main>", "utf-8")
    page = browser.new_page(viewport={"width": 900, "height": 1200}, device_scale_factor=SCALE)
    page.goto((folder / "page.html").as_uri())
    page.evaluate("document.fonts.ready.then(() => 0)")
    parts = page.evaluate(PARTS)
    drawn = [ink(page, page.evaluate(f"showPart({number})")) for number in range(len(parts))]
    page.close()
    assert {part["name"] for part in parts} == set(FORMULAS)
    return {
        part["name"]
        for part, (wide, high) in zip(parts, drawn, strict=True)
        if wide < part["width"] or high < part["height"]
    }


@pytest.fixture
def font():
    """The file of the book's font of formulas."""
    named("index")
    return SITE / "_static" / "book-math.woff2"


def test_one_formula_of_each_kind_is_drawn_whole(browser, tmp_path, font):
    assert not not_drawn(browser, tmp_path, font.read_bytes())


OTHERS = [pytest.param(*other, marks=pytest.mark.thorough) for other in (("√", "root"), ("⏟", "brace"))]


@pytest.mark.parametrize(("missing", "kind"), [("()[]{}", "bracket"), *OTHERS])
def test_a_font_that_leaves_something_out_is_noticed(browser, tmp_path, font, missing, kind):
    smaller, file = TTFont(font), io.BytesIO()
    cutter = subset.Subsetter(subset.Options(layout_features=[], notdef_outline=True))
    cutter.populate(unicodes=[code for code in smaller.getBestCmap() if chr(code) not in missing])
    cutter.subset(smaller)
    smaller.save(file)
    assert kind in not_drawn(browser, tmp_path, file.getvalue())


@pytest.mark.parametrize("name", pages_with("//main//span[contains(@class, 'math')]"))
def test_no_line_begins_with_the_sign_after_a_formula(name):
    """Chromium breaks a line behind a formula, so the comma belongs to the formula's own box, which does not break."""
    shells = SOURCES[named(name)].xpath("//main//span[contains(@class, 'math')][math]")
    report(f"{name}: {s.text_content()[:60]} | {s.tail[:20]}" for s in shells if (s.tail or " ")[0] in ",.;:?!)")
