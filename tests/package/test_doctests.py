"""The examples in docstrings run and give what they say."""

import doctest
import importlib
import pkgutil

import attnbook
import attnfigures
import bookext
import pytest

PACKAGES = (attnbook, attnfigures, bookext)
NAMES = [
    module.name for package in PACKAGES for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_run(name):
    output = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        doctest.DocTestRunner(verbose=False).run(test, out=output.append)
    assert not output, "".join(output)
