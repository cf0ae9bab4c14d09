"""The page of the package as it was built: every public name has an entry, and the code of cells leads there."""

import ast
import importlib
import re

import pytest
from built_site import SOURCES, named, pages_with, report
from IPython.core.inputtransformer2 import TransformerManager

PAGE = "chapters/package"
IMPORT = re.compile(r"^from (attnbook[\w.]*) import (.+)$", re.MULTILINE)
CODE = "//div[contains(@class, 'cell_input')]//pre"
WITH_IMPORTS = f"{CODE}[contains(., 'from attnbook')]"


def test_every_public_name_has_an_entry():
    page = SOURCES[named(PAGE)]
    ids, missing = set(page.xpath("//dt/@id")), []
    for place in page.xpath("//*[starts-with(@id, 'module-attnbook')]/@id"):
        name = place.removeprefix("module-")
        missing += [
            f"{name}.{public}" for public in importlib.import_module(name).__all__ if f"{name}.{public}" not in ids
        ]
    assert len(ids) > 100, f"{PAGE}: {len(ids)} entries"
    report(f"{PAGE}: no entry for {name}" for name in missing)


def test_an_entry_says_its_types_and_who_uses_it():
    page = SOURCES[named(PAGE)]
    entry = page.xpath("//dt[@id='attnbook.attention.softmax']")[0]
    assert " ".join(entry.text_content().split()).startswith("softmax(S: ArrayLike, axis: int = -1) → Array")
    used = entry.getnext().xpath(".//div[contains(@class, 'users')]//a/@href")
    assert "sqrt-dk-scaling.html" in used
    assert "index.html" not in used


@pytest.mark.parametrize("name", pages_with(WITH_IMPORTS))
def test_names_on_import_lines_lead_to_their_entries(name):
    page = SOURCES[named(name)]
    for code in page.xpath(WITH_IMPORTS):
        names = [part.split()[0] for _, line in IMPORT.findall(code.text_content()) for part in line.split(",")]
        links = code.xpath(".//a[@class='entry'][not(@tabindex)]")
        assert [link.text for link in links] == names
        ends = [re.sub(r".*[.-]", "", link.get("href")) for link in links]
        assert ends == names, f"{name}: {ends}"


@pytest.mark.parametrize("name", pages_with(WITH_IMPORTS))
def test_names_in_code_lead_to_their_entries(name):
    """Each name that a cell reads, and each check that it calls, as Python's own parser sees them."""
    page = SOURCES[named(name)]
    known = {link.text: link.get("href") for link in page.xpath(f"{WITH_IMPORTS}//a[@class='entry'][not(@tabindex)]")}
    for code in page.xpath(CODE):
        nodes = list(ast.walk(ast.parse(TransformerManager().transform_cell(code.text_content()))))
        wanted = [node.id for node in nodes if isinstance(node, ast.Name) and node.id in known and node.id != "check"]
        wanted += [
            node.attr
            for node in nodes
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "check" and "check" in known
        ]
        links = code.xpath(".//a[@class='entry'][@tabindex='-1']")
        assert sorted(link.text for link in links) == sorted(wanted)
        for link in links:
            address = link.get("href")
            assert address == known.get(link.text, f"{known['check'].partition('#')[0]}#attnbook.check.{link.text}")
