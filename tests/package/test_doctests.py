"""The examples in docstrings run and give what they say."""

import doctest
import importlib
import pkgutil

import attnbook
import pytest

NAMES = [m.name for m in pkgutil.walk_packages(attnbook.__path__, "attnbook.")]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_run(name):
    module, output = importlib.import_module(name), []
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        doctest.DocTestRunner().run(test, out=output.append)
    assert not output, "".join(output)
