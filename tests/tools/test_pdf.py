"""`make pdf` on a prepared book of two chapters: contents, page numbers, bookmarks, links, formulas, solutions."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pdf
import pytest
import yaml
from bookext.theme import assets

ROOT = Path(__file__).resolve().parents[2]
PAGE = """<!DOCTYPE html><html><body>
<nav class="bd-links"><a href="index.html">One</a><a href="chapters/two.html">Two</a></nav>
<article><section id="top"><h1>{title}<a class="headerlink" href="#top">#</a></h1>{text}</section></article>
<!--PLACE--></body></html>""".replace("PLACE", assets.PDF_PLACE)
FIRST = """<p>See <a href="chapters/two.html#later">later</a>.</p><section id="mean"><h2>The mean</h2>
<div class="explore"><div class="explore-controls">CONTROL</div><div class="frame">FIRSTFRAME</div>
<div class="frame" hidden>SECONDFRAME</div></div></section>"""
SECOND = """<section id="later"><h2>Later</h2><p>Formula <math><mi>x</mi><mo>=</mo><mn>42</mn></math> end.</p>
<details class="solution" id="sol"><summary>Solution to Exercise 1</summary><p>ANSWER</p></details></section>"""


def copied(tree):
    """A copy of what `make pdf` needs, in the folder ``tree``."""
    (tree / "tools").mkdir()
    for name in ("pdf.py", "pdf.css", "browser.py", "environment.py", "system.py"):
        shutil.copy(ROOT / "tools" / name, tree / "tools")
    shutil.copytree(ROOT / "code" / "bookext", tree / "code" / "bookext")
    return tree


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of what `make pdf` needs, with a built site of two pages."""
    tree = copied(tmp_path_factory.mktemp("pdf"))
    site = tree / "_build" / "html"
    (site / "chapters").mkdir(parents=True)
    (site / "index.html").write_text(PAGE.format(title="Chapter One", text=FIRST), "utf-8")
    (site / "chapters" / "two.html").write_text(PAGE.format(title="Chapter Two", text=SECOND), "utf-8")
    return tree


def make(tree, **environ):
    command = [sys.executable, str(tree / "tools" / "pdf.py")]
    return subprocess.run(command, env=os.environ | environ, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def printed(tree):
    """The printed book as pypdf reads it."""
    from pypdf import PdfReader

    done = make(tree)
    assert done.returncode == 0, done.stdout + done.stderr
    return PdfReader(tree / "_build" / "html" / "attention-and-order.pdf")


def test_the_parts_follow_each_other_with_solutions_at_the_end(printed):
    starts = ["Attention and Order", "Contents", "Chapter One", "Chapter Two", "Solutions"]
    texts = [page.extract_text() for page in printed.pages]
    assert len(texts) == len(starts)
    for start, text in zip(starts, texts, strict=True):
        assert start in text
    assert "ANSWER" in texts[4]
    assert "ANSWER" not in texts[3]


def test_the_contents_name_the_right_pages(printed):
    words = printed.pages[1].extract_text().split()
    numbers = {1: 3, 2: 4}
    assert words[words.index("One") + 1] == str(numbers[1])
    assert words[words.index("Two") + 1] == str(numbers[2])


def test_the_bookmarks_lead_to_chapters_and_sections(printed):
    found, stack = {}, list(printed.outline)
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack += item
        else:
            found[item.title] = printed.get_destination_page_number(item) + 1
    assert found == {"Chapter One": 3, "The mean": 3, "Chapter Two": 4, "Later": 4, "Solutions": 5}


def test_formulas_and_first_frames_are_there_and_controls_are_not(printed):
    text = "".join(page.extract_text() for page in printed.pages)
    assert "42" in text
    assert "FIRSTFRAME" in text
    assert "SECONDFRAME" not in text
    assert "CONTROL" not in text


def test_links_lead_within_the_book(printed):
    links = [note.get_object() for note in printed.pages[2].get("/Annots", [])]
    assert [str(link.get("/Dest")) for link in links] == ["/two--later"]


def test_the_pages_link_to_the_file(printed, tree):
    page = (tree / "_build" / "html" / "chapters" / "two.html").read_text("utf-8")
    assert 'href="../attention-and-order.pdf"' in page


def test_without_a_browser_one_sentence_says_so(tree):
    done = make(tree, CHROMIUM="", PATH="")
    assert done.returncode == 1
    assert done.stderr.strip().startswith("A Chromium prints the book and none was found")
    assert len(done.stderr.strip().splitlines()) == 1


def test_its_extra_brings_what_it_imports_and_nothing_else():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    imported = re.findall(r"^ *(?:from|import) (\w+)", (ROOT / "tools" / "pdf.py").read_text(encoding="utf-8"), re.M)
    others = set(imported) - sys.stdlib_module_names - {"browser", "system", "bookext"}
    assert {re.match(r"\w+", package)[0] for package in project["optional-dependencies"]["pdf"]} == others


def test_without_a_chinese_font_one_sentence_says_so(tree):
    """The real fontconfig, told of no folder with fonts."""
    (tree / "fonts.conf").write_text("<?xml version='1.0'?><fontconfig></fontconfig>")
    done = make(tree, FONTCONFIG_FILE=str(tree / "fonts.conf"))
    assert done.returncode == 1
    assert done.stderr.startswith("There is no font with Chinese characters (")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_the_whole_book_is_printed(tmp_path):
    """Every page of the table of contents has its bookmark, and no page of the book's own is empty."""
    from pypdf import PdfReader

    shutil.copytree(ROOT / "_build" / "html", copied(tmp_path) / "_build" / "html")
    command = [sys.executable, str(tmp_path / "tools" / "pdf.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = PdfReader(tmp_path / "_build" / "html" / "attention-and-order.pdf")
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    entries = [entry for part in toc["parts"] for entry in part["chapters"]]
    files = [toc["root"], *(e["file"] for entry in entries for e in (entry, *entry.get("sections", [])))]
    parts = [item for item in printed.outline if not isinstance(item, list)]
    assert len(parts) == len(files) + 1, [item.title for item in parts]  # the solutions at the end
    empty = [n for n, page in enumerate(printed.pages, 1) if not page.extract_text().strip() and not page.images]
    assert empty == []


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("#law", "#here--law"),
        ("other.html", "#other"),
        ("other.html#law", "#other--law"),
        ("audit/s0.html#s0-001", "#s0--s0-001"),
        ("../other.html#law", "#other--law"),
        ("https://example.org/a.html#b", "https://example.org/a.html#b"),
    ],
)
def test_a_link_leads_to_its_place_in_the_one_document(link, target):
    assert pdf.moved(link, "here") == target
