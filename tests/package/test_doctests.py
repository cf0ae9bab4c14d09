"""Docstrings keep their word: examples run, types are said, every public name has its place on the page."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import attnbook
import pytest

PAGE = Path(__file__).parents[2] / "chapters" / "package.md"
NAMES = [m.name for m in pkgutil.walk_packages(attnbook.__path__, "attnbook.")]
MODULES = {name: importlib.import_module(name) for name in NAMES}
PUBLIC = {name: module for name, module in MODULES.items() if hasattr(module, "__all__")}
PACKAGES = [name for name, module in PUBLIC.items() if hasattr(module, "__path__")]  # they repeat names of modules
EXAMPLES = 40  # functions that show one, at least
LINES = 4  # of an example, its answer included


def examples(module):
    """Every docstring of a module that has an example, as doctest finds them."""
    return [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]


def trees(name):
    """The public functions and classes of a module, as they stand in its source."""
    module = PUBLIC[name]
    for node in ast.parse(inspect.getsource(module)).body:
        if getattr(node, "name", None) in module.__all__:
            yield node


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_run(name):
    said = []
    for test in examples(MODULES[name]):
        doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)


def test_examples_are_many_and_short():
    found = [test for name in NAMES for test in examples(MODULES[name])]
    assert len(found) >= EXAMPLES, f"{len(found)} examples"
    lengths = {test.name: sum(e.source.count("\n") + e.want.count("\n") for e in test.examples) for test in found}
    assert not [f"{name}: {length} lines" for name, length in lengths.items() if length > LINES]


def test_every_module_is_on_the_page_once():
    page = PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"^\.\. automodule:: ([\w.]+)$", page, flags=re.MULTILINE)
    assert sorted(listed) == sorted(set(PUBLIC) - set(PACKAGES))
    headings = re.findall(r"^### `([\w.]+)`$", page, flags=re.MULTILINE)
    assert [f"attnbook.{heading}" for heading in headings] == listed


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_repeats_names_of_its_modules(name):
    there = {n: m for m in PUBLIC if m.startswith(f"{name}.") for n in PUBLIC[m].__all__}
    for public in PUBLIC[name].__all__:
        assert getattr(PUBLIC[name], public) is getattr(PUBLIC[there[public]], public)


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - set(PACKAGES)))
def test_every_public_name_says_what_it_is(name):
    """A function or a class has a docstring, a value a comment that begins with `#:`; the page leaves out others."""
    module = PUBLIC[name]
    said = {node.name for node in trees(name) if ast.get_docstring(node)}
    said |= set(re.findall(r"^#: .*\n(\w+)\b", inspect.getsource(module), flags=re.MULTILINE))
    assert set(module.__all__) <= said, f"{name}: nothing is said of {sorted(set(module.__all__) - said)}"


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - set(PACKAGES)))
def test_everything_public_has_types(name):
    classes = [tree for tree in trees(name) if isinstance(tree, ast.ClassDef)]
    nodes = [*trees(name), *(node for tree in classes for node in tree.body)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    missing = []
    for function in functions:
        if function.name.startswith("_") and function.name != "__init__":
            continue
        given = function.args
        arguments = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
        missing += [f"{function.name}({a.arg})" for a in arguments if a and a.arg != "self" and not a.annotation]
        missing += [] if function.returns else [f"{function.name} returns"]
    assert not missing, f"{name}: no type for {', '.join(sorted(missing))}"
