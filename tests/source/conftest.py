"""Fixtures of the tests that read the book's sources."""

from pathlib import Path

import pytest
from bookext.contents import contents

from chapters import ROOT, page

PAGES = contents(ROOT).pages


def pytest_addoption(parser):
    parser.addoption("--pages", help="test these alone: names, `every page`, `no page`; commas between")


def pytest_collection_modifyitems(config, items):
    """Leave out the tests of the pages that --pages does not name."""
    if pages := config.getoption("pages", None):
        named = [item for item in items if _page(item) in (*pages.split(","), None)]
        config.hook.pytest_deselected(items=[item for item in items if item not in named])
        items[:] = named


def _page(item):
    """Return the page of a test of the sources, ``every page`` if it has no single one, None for other tests.

    It is ``no page`` if the test reads none, as its marker says.
    """
    if Path(__file__).parent not in item.path.parents:
        return None
    if item.get_closest_marker("no_page"):
        return "no page"
    return item.callspec.params.get("source", "every page") if hasattr(item, "callspec") else "every page"


@pytest.fixture(params=PAGES)
def source(request):
    """Each page of the table of contents in turn."""
    return page(request.param)


@pytest.fixture(scope="session")
def all_pages():
    return [page(name) for name in PAGES]
