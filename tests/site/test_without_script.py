"""What remains where no script runs, and on paper: everything there is to read, and no control that moves nothing."""

import pytest
from conftest import PAGES, PLAIN, PRINTED, report


@pytest.fixture(scope="module", params=PAGES or [None])
def bare(request, open_page):
    """A page in a browser that runs no script of it."""
    page = open_page(request.param, java_script_enabled=False)
    seen = page.evaluate(PLAIN, True) | {"name": page.name}
    page.context.close()
    return seen


@pytest.fixture
def paper(look, page_name):
    """A page as it goes to paper, from a reader who has chosen the dark theme."""
    return look(page_name, *PRINTED)["paper"] | {"name": page_name}


def test_explorers_without_script(bare):
    report(f"{bare['name']}: without script: {line}" for line in bare["explorers"])


def test_formulas_without_script(bare):
    report(f"{bare['name']}: this formula takes no room without script: {tex}" for tex in bare["formulas"])


def test_text_without_script(bare, look):
    words = set(bare["words"])
    missing = [word for word in look(bare["name"], *PRINTED)["words"] if word not in words]
    assert not missing, f"{bare['name']}: this text needs a script: {' '.join(missing[:20])}"


def test_explorers_on_paper(paper):
    report(f"{paper['name']}: on paper: {line}" for line in paper["explorers"])


def test_solutions_on_paper(paper):
    report(f"{paper['name']}: on paper the solution {name} stays folded" for name in paper["folded"])


def test_text_on_paper_is_dark(paper):
    faint = ", ".join(paper["faint"])
    assert not faint, f"{paper['name']}: in the dark theme, contrast to white paper below 4.5: {faint}"
