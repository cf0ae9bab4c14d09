"""Fixtures of the tests that read the book's sources."""

import pytest
from bookext.contents import contents

from chapters import ROOT, page

PAGES = contents(ROOT).pages


@pytest.fixture(params=PAGES)
def source(request):
    """Each page of the table of contents in turn."""
    return page(request.param)


@pytest.fixture(scope="session")
def all_pages():
    return [page(name) for name in PAGES]
