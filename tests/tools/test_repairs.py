"""A repair of written pages that finds nothing in a whole book ends the build."""

import lxml.html
import pytest
from bookext.theme import repairs
from sphinx.errors import ExtensionError

PAGES = [lxml.html.document_fromstring(f"<p>{text}</p>") for text in ("one", "two <b>bold</b>")]


@pytest.fixture(autouse=True)
def counted():
    repairs.begin()
    yield
    repairs.begin()


def test_what_is_found_on_one_page_is_enough():
    found = [len(repairs.find(page, "//b")) for page in PAGES]
    assert found == [0, 1]
    repairs.demand()


def test_a_repair_that_finds_nothing_is_named():
    for page in PAGES:
        repairs.find(page, "//b")
        repairs.find(page, "//i[@class='gone']")
    with pytest.raises(ExtensionError, match=r"find nothing any more: //i\[@class='gone'\]$"):
        repairs.demand()


def test_a_build_begins_with_nothing_counted():
    repairs.find(PAGES[0], "//i")
    repairs.begin()
    repairs.demand()
