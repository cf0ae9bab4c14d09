"""The pages of the package as they were built: every public name has an entry, and the code of cells leads there."""

import importlib
import re

import pytest
from built_site import SOURCES, named, pages_with, report

PAGE = "chapters/package"
IMPORT = re.compile(r"^from (attn(?:book|figures)[\w.]*) import (.+)$", re.MULTILINE)
WITH_IMPORTS = "//div[contains(@class, 'cell_input')]//pre[contains(., 'from attn')]"


def test_every_public_name_has_an_entry():
    pages = {name.removeprefix(f"{PAGE}/"): SOURCES[name] for name in SOURCES if name.startswith(f"{PAGE}/")}
    assert "attnbook.attention" in pages
    for name, page in pages.items():
        names = {f"{name}.{public}" for public in importlib.import_module(name).__all__}
        report(f"no entry for {missing}" for missing in sorted(names - set(page.xpath("//dt/@id"))))


@pytest.mark.parametrize("name", pages_with(WITH_IMPORTS))
def test_names_on_import_lines_lead_to_their_entries(name):
    page = SOURCES[named(name)]
    for code in page.xpath(WITH_IMPORTS):
        names = [part.split()[0] for _, line in IMPORT.findall(code.text_content()) for part in line.split(",")]
        links = code.xpath(".//a[@class='entry'][not(@tabindex)]")
        assert [link.text for link in links] == names
        ends = [re.sub(r".*[.-]", "", link.get("href")) for link in links]
        assert ends == names, f"{name}: {ends}"
