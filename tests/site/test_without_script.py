"""What remains without scripts, without fonts, and on paper: all there is to read, no control that moves nothing."""

import pytest
from built_site import FACTS, FROM_FOLDER, PHONE, PLAIN, mainly, pages_with, report


@pytest.fixture(scope="module", params=mainly(FROM_FOLDER or [None], also=("chapters/audit/s1", "index")))
def bare(request, open_page):
    """A page in a browser that runs no script of it."""
    page = open_page(request.param, java_script_enabled=False)
    seen = page.evaluate(PLAIN, True) | {"name": page.name}
    page.context.close()
    return seen


@pytest.fixture
def paper(look, page_name):
    """A page as it goes to paper, from a reader who has chosen the dark theme."""
    return look(page_name)["paper"] | {"name": page_name}


def test_explorers_without_script(bare):
    report(f"{bare['name']}: without script: {line}" for line in bare["explorers"])


def test_formulas_without_script(bare):
    report(f"{bare['name']}: this formula takes no room without script: {tex}" for tex in bare["formulas"])


def test_text_without_script(bare, look):
    words = set(bare["words"])
    missing = [word for word in look(bare["name"])["words"] if word not in words]
    assert not missing, f"{bare['name']}: this text needs a script: {' '.join(missing[:20])}"


def test_explorers_on_paper(paper):
    report(f"{paper['name']}: on paper: {line}" for line in paper["explorers"])


def test_solutions_on_paper(paper):
    report(f"{paper['name']}: on paper the solution {name} stays folded" for name in paper["folded"])


def test_title_on_paper(paper):
    assert not paper["untitled"], f"{paper['name']}: on paper the title is hidden"


def test_text_on_paper_is_dark(paper):
    faint = ", ".join(paper["faint"])
    assert not faint, f"{paper['name']}: in the dark theme, contrast to white paper below 4.5: {faint}"


@pytest.mark.parametrize("name", mainly(pages_with("//main//math")))
def test_formulas_without_their_font(open_page, name):
    """Where fonts are blocked the system's own draw every letter, and no line grows beyond a phone."""
    page = open_page(name, width=PHONE, without="**/*.woff2")
    seen = page.evaluate(FACTS)
    refused = any("woff2" in line for line in page.log)
    page.context.close()
    assert refused, f"{name}: the font was not blocked, so nothing was tested"
    assert not seen["mathFont"], f"{name}: the font is there although it was blocked"
    report(f"{name}: without the font: {line}" for line in seen["math"])
    assert not seen["wide"], f"{name}: without the font this sticks out of a phone: {seen['wide'][0]}"
