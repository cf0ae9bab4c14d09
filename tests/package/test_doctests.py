"""The examples of docstrings run, and what chapters import has its entry on the page of the package."""

import doctest
import importlib
import pkgutil

import attnbook
import pytest

CHAPTERS = Path(__file__).parents[2] / "chapters"
NAMES = [module.name for module in pkgutil.walk_packages(attnbook.__path__, "attnbook.")]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_run(name):
    output = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        doctest.DocTestRunner().run(test, out=output.append)
    assert not output, "".join(output)


def test_every_import_of_a_chapter_leads_to_an_entry():
    listed = re.findall(r"^\.\. automodule:: ([\w.]+)$", (CHAPTERS / "package.md").read_text("utf-8"), re.MULTILINE)
    modules = [importlib.import_module(name) for name in listed]
    documented = {id(getattr(module, name)) for module in modules for name in module.__all__}
    missing = set()
    for page in CHAPTERS.rglob("*.md"):
        imports = re.findall(r"^from (attnbook\.[\w.]+) import ([\w, ]+)$", page.read_text("utf-8"), re.MULTILINE)
        for module, names in imports:
            for name in re.findall(r"\w+", names.partition(" as ")[0]):
                value = getattr(importlib.import_module(module), name)
                if (inspect.isroutine(value) or inspect.isclass(value)) and id(value) not in documented:
                    missing.add(f"{page.name}: {module}.{name}")
    assert not missing
