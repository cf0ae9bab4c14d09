"""The examples in docstrings run and give what they say."""

import doctest
import importlib
import pkgutil

import attnbook
import pytest

NAMES = [module.name for module in pkgutil.walk_packages(attnbook.__path__, "attnbook.")]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_run(name):
    output = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        doctest.DocTestRunner().run(test, out=output.append)
    assert not output, "".join(output)
