"""Every kind of formula is drawn whole: pictures show the ink of roots, bars, stretched brackets and the like.

A font that lacks a root sign or the pieces of a tall bracket leaves them out, and the text of the page stays the same.
"""

import functools
import io
from pathlib import Path

import lxml.html
import numpy as np
import pytest
from bookext.write.mathml import to_mathml
from built_site import PAGES, SITE, SOURCES, mainly, pages_with, report
from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib.image import imread

PARTS = Path(__file__).with_name("parts.js").read_text("utf-8")
SCALE = 3  # pixels of the picture for one of the page
NOT_YET = {"brace", "Chinese"}  # kinds that the book's own formulas do not use; a translation may
# One formula of each kind.
GALLERY = {
    "root": r"\sqrt{\frac{d_k}{m}} + \sqrt[3]{x}",
    "fraction bar": r"\frac{a + b}{c}",
    "bracket": r"\left(\frac{\frac{a}{b}}{c}\right) + \begin{cases} a \\ b \\ c \end{cases}",
    "accent": r"\hat{x} + \tilde{A} + \bar{h}",
    "brace": r"\underbrace{a + b + c + d}_{n}",
    "large operator": r"\sum_{i=1}^n x_i + \int_a^b f + \prod_j y_j",
    "matrix": r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}",
    "Chinese": r"x = \text{注意力}",
}
SIGNS = {*",.;:?!)"}
OF_THE_PAGE = "number"  # of an equation, which is text beside the formula


def ink(page, clip):
    """Width and height, in px of the page, of what is drawn inside ``clip``; 0 and 0 if nothing is."""
    left, top = max(0, clip["x"]), max(0, clip["y"])
    clip = {"x": left, "y": top, "width": clip["x"] + clip["width"] - left, "height": clip["y"] + clip["height"] - top}
    picture = imread(io.BytesIO(page.screenshot(clip=clip)))[..., :3]
    drawn = np.abs(picture - picture[0, 0]).max(-1) > 0.2
    columns, rows = np.flatnonzero(drawn.any(0)), np.flatnonzero(drawn.any(1))
    return (np.ptp(columns) + 1) / SCALE if columns.size else 0, (np.ptp(rows) + 1) / SCALE if rows.size else 0


def parts_of(page):
    """The parts of the formulas of an open page: [(kind, TeX, needed width and height, drawn width and height)]."""
    page.evaluate("document.querySelectorAll('.late').forEach((e) => { e.style.contentVisibility = 'visible'; })")
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    page.evaluate("document.fonts.ready.then(() => 0)")
    found = page.evaluate(PARTS)
    return [
        (part["name"], part["tex"], part["width"], part["height"], *ink(page, page.evaluate(f"showPart({i})")))
        for i, part in enumerate(found)
    ]


@pytest.fixture(scope="module")
def drawn(open_page):
    """drawn(name): the parts of the formulas of a page, measured once."""

    @functools.cache
    def drawn(name):
        page = open_page(name, width=1280, device_scale_factor=SCALE)
        parts = parts_of(page)
        page.context.close()
        return parts

    return drawn


def faults(name, parts):
    for kind, tex, width, height, wide, high in parts:
        if wide < width or high < height:
            yield (
                f"{name}: {kind} of {tex[:80]}: {wide:.0f} by {high:.0f} px are drawn, "
                f"at least {width:.0f} by {height:.0f} needed"
            )


@pytest.mark.parametrize("name", mainly(pages_with("//main//math")))
def test_every_kind_of_formula_is_drawn_whole(drawn, name):
    report(faults(name, drawn(name)))


def test_the_book_has_every_kind(open_page):
    """Otherwise the test above looks at less than it says. Pages are opened until every kind has been seen."""
    missing = {*GALLERY, OF_THE_PAGE} - NOT_YET
    for name in sorted(PAGES, key=lambda name: -len(SOURCES[name].xpath("//main//math"))):
        page = open_page(name)
        missing -= {part["name"] for part in page.evaluate(PARTS)}
        page.context.close()
        if not missing:
            return
    pytest.fail(f"never seen: {', '.join(sorted(missing))}", pytrace=False)


@pytest.mark.parametrize("name", pages_with("//main//span[contains(@class, 'math')]"))
def test_no_line_begins_with_the_sign_after_a_formula(name):
    """Chromium breaks a line behind a formula, so the comma belongs to the formula's own box, which does not break."""
    shells = SOURCES[name].xpath("//main//span[contains(@class, 'math')][math]")
    report(
        f"{name}: {shell.text_content()[:60]} | {shell.tail[:20]}"
        for shell in shells
        if (shell.tail or "")[:1] in SIGNS
    )


@pytest.mark.parametrize("tex", ["S'", "A'_{ij}", r"\tanh' x", "e^{a - b'}"])
def test_a_prime_is_no_exponent(tex):
    """The font has no small prime: raised and shrunk it is a speck."""
    shells = lxml.html.fromstring(to_mathml(tex)).xpath("//mo[contains(@class, 'tml-prime')]/..")
    assert shells, f"{tex}: there is no prime"
    for shell in shells:
        assert shell.tag == "mrow"
        assert [part.tag for part in shell] == ["mi", "mo"]


def gallery(browser, folder, font):
    """The parts of a page with one formula of each kind, set in ``font``."""
    formulas = "".join(f'<div class="math">{to_mathml(tex, display=True)}</div>' for tex in GALLERY.values())
    style = (SITE / "_static" / "site.css").read_text("utf-8")
    (folder / "site.css").write_text(style, "utf-8")
    (folder / "book-math.woff2").write_bytes(font)
    text = f'<!DOCTYPE html><meta charset="utf-8"><link rel="stylesheet" href="site.css"><main>{formulas}</main>'
    (folder / "gallery.html").write_text(text, "utf-8")
    page = browser.new_page(viewport={"width": 900, "height": 1200}, device_scale_factor=SCALE)
    page.goto((folder / "gallery.html").as_uri())
    parts = parts_of(page)
    page.close()
    return parts


def cut(missing):
    """The font of formulas without some of its characters."""
    font, file = TTFont(SITE / "_static" / "book-math.woff2"), io.BytesIO()
    cutter = subset.Subsetter(subset.Options(layout_features=[], notdef_outline=True))
    cutter.populate(unicodes=[code for code in font.getBestCmap() if chr(code) not in missing])
    cutter.subset(font)
    font.save(file)
    return file.getvalue()


def test_one_formula_of_each_kind_is_drawn_whole(browser, tmp_path):
    parts = gallery(browser, tmp_path, (SITE / "_static" / "book-math.woff2").read_bytes())
    assert {part[0] for part in parts} == set(GALLERY)
    report(faults("gallery", parts))


LEFT_OUT = [
    ("√", "root"),
    *(pytest.param(*case, marks=pytest.mark.thorough) for case in [("()[]{}", "bracket"), ("⏟", "brace")]),
]


@pytest.mark.parametrize(("missing", "kind"), LEFT_OUT)
def test_a_font_that_leaves_something_out_is_noticed(browser, tmp_path, missing, kind):
    found = " ".join(faults("gallery", gallery(browser, tmp_path, cut(missing))))
    assert f"gallery: {kind} of " in found
