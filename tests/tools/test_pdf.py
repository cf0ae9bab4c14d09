"""`make pdf` on a prepared book of two chapters: contents, page numbers, bookmarks, links, formulas, solutions."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pdf
import pytest
from bookext.theme import assets

ROOT = Path(__file__).resolve().parents[2]
PAGE = """<!DOCTYPE html><html lang="en"><head><title>Attention and Order</title></head><body>
<nav class="bd-links"><a href="index.html">One</a><a href="chapters/two.html">Two</a></nav>
<article><section id="top"><h1>{title}<a class="headerlink" href="#top">#</a></h1>{text}</section></article>
<!--PLACE--></body></html>""".replace("PLACE", assets.FILES_PLACE)
FIRST = """<p>See <a href="chapters/two.html#later">later</a>.</p><section id="mean"><h2>The mean</h2>
<div class="explore"><div class="explore-controls">CONTROL</div><div class="frame">FIRSTFRAME</div>
<div class="frame" hidden>SECONDFRAME</div></div>
<div class="cell"><details class="fold"><summary>MARK</summary><div class="checks"><p class="check">LAW</p></div>
<div class="cell_input"><pre>CODE</pre></div></details></div></section>"""
SECOND = """<section id="later"><h2><a href="../index.html">Later</a></h2>
<p>Formula <math><mi>x</mi><mo>=</mo><mn>42</mn></math> end.</p>
<details class="solution" id="sol"><summary>Solution to Exercise 1</summary><p>ANSWER</p></details></section>"""


def copied(tree):
    """Copy what `make pdf` needs into the folder ``tree``."""
    (tree / "tools").mkdir()
    for name in ("pdf.py", "pdf.css", "browser.py", "environment.py", "system.py"):
        shutil.copy(ROOT / "tools" / name, tree / "tools")
    shutil.copytree(ROOT / "code" / "bookext", tree / "code" / "bookext")
    return tree


def run(tree, **environ):
    command = [sys.executable, str(tree / "tools" / "pdf.py")]
    return subprocess.run(command, env=os.environ | environ, capture_output=True, text=True, timeout=1700)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A built site of two pages."""
    tree = copied(tmp_path_factory.mktemp("pdf"))
    site = tree / "_build" / "html"
    (site / "chapters").mkdir(parents=True)
    (site / "index.html").write_text(PAGE.format(title="Chapter One", text=FIRST), "utf-8")
    (site / "chapters" / "two.html").write_text(PAGE.format(title="Chapter Two", text=SECOND), "utf-8")
    return tree


def bookmarks(printed):
    """Return the title and the page of each bookmark, and those of its sections, in their order."""
    for item in printed.outline:
        sections = item if isinstance(item, list) else [item]
        yield from ((each.title, printed.get_destination_page_number(each) + 1) for each in sections)


def test_the_book_is_printed_in_order_with_contents_bookmarks_and_links(tree):
    from pypdf import PdfReader

    done = run(tree)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = PdfReader(tree / "_build" / "html" / "attention-and-order.pdf")
    texts = [page.extract_text() for page in printed.pages]
    starts = ["Attention and Order", "Contents", "Chapter One", "Chapter Two", "Answers"]
    assert [start in text for start, text in zip(starts, texts, strict=True)] == [True] * len(starts)
    titles = [("Chapter One", 3), ("The mean", 3), ("Chapter Two", 4), ("Later", 4), ("Answers", 5), ("Chapter Two", 5)]
    assert list(bookmarks(printed)) == titles
    words = texts[1].split()
    assert [words[words.index(name) + 1] for name in ("One", "Two")] == ["3", "4"]
    assert ("ANSWER" in texts[3], "ANSWER" in texts[4]) == (False, True)
    printed_once, left_out = ("42", "FIRSTFRAME", "LAW"), ("SECONDFRAME", "CONTROL", "MARK", "CODE")
    named = {name: any(name in text for text in texts) for name in (*printed_once, *left_out)}
    assert named == dict.fromkeys(printed_once, True) | dict.fromkeys(left_out, False)
    assert [str(note.get_object().get("/Dest")) for note in printed.pages[2]["/Annots"]] == ["/two--later"]
    page = (tree / "_build" / "html" / "chapters" / "two.html").read_text("utf-8")
    assert 'href="../attention-and-order.pdf"' in page


def test_a_missing_font_is_named_before_the_book_is_printed_without_it(tree, tmp_path):
    (tmp_path / "fonts.conf").write_text("<?xml version='1.0'?><fontconfig></fontconfig>")  # no folder with fonts
    done = run(tree, FONTCONFIG_FILE=f"{tmp_path}/fonts.conf")
    assert (done.returncode, "font with Chinese characters" in done.stderr) == (1, True)


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_the_whole_book_is_printed(tmp_path):
    """Every page of the contents has its bookmark, and no page of paper is empty."""
    from pypdf import PdfReader

    shutil.copytree(ROOT / "_build" / "html", copied(tmp_path) / "_build" / "html")
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = PdfReader(tmp_path / "_build" / "html" / "attention-and-order.pdf")
    parts = [item for item in printed.outline if not isinstance(item, list)]
    assert len(parts) == len(pdf.pages()) + 1, [item.title for item in parts]  # the solutions at the end
    empty = [n for n, page in enumerate(printed.pages, 1) if not page.extract_text().strip() and not page.images]
    assert empty == []
