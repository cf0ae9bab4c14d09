"""`make epub` on the built site: what a reader of the EPUB needs is in it, and nothing that runs."""

import subprocess
from pathlib import Path
from zipfile import ZipFile

import epub
import pytest
from built_site import SITE, SOURCES, has_class
from lxml import etree

EPUBCHECK = Path("/usr/share/java/epubcheck.jar")  # where Debian has it
RUNS = "self::{0}script or self::{0}form or self::{0}input or self::{0}button or self::{0}select or self::{0}iframe"
FAULTS = {
    f"//*[{RUNS.format('h:')}]": "is for a browser",
    f"//*[{has_class('math')}][not(.//m:math/*)]": "has no MathML",
    f"//*[@data-live][not(.//*[{has_class('live-still')}]//s:svg[@aria-label]/*)]": "has no picture with words",
}
SPACES = {"h": "http://www.w3.org/1999/xhtml", "m": epub.SPACES["math"], "s": epub.SPACES["svg"]}


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(epub.pdf, "SITE", SITE)
        epub.write(path := tmp_path_factory.mktemp("epub") / "book.epub")
    return path


@pytest.mark.thorough
def test_pages_are_whole(book):
    """Each is XML, its links lead into the book or to the web, a formula is MathML, a live figure a picture."""
    with ZipFile(book) as archive:
        names = archive.namelist()
        pages = {name: etree.fromstring(archive.read(name)) for name in names if name.endswith(("xhtml", "opf"))}
    places = {*names, *(f"{name}#{place}" for name, page in pages.items() for place in page.xpath("//@id"))}
    faults = []
    for name, page in pages.items():
        links = page.xpath("//@*[local-name()='href' or local-name()='src'][not(contains(., ':'))]")
        faults += [f"{name}: nothing is at {x}" for x in links if (name + x if x[0] == "#" else x) not in places]
        for path, fault in FAULTS.items():
            faults += [f"{name}: {etree.tostring(e)[:200]} {fault}" for e in page.xpath(path, namespaces=SPACES)]
    figures = {figure for page in SOURCES.values() for figure in page.xpath("//article//@data-live")}
    shown = {figure for page in pages.values() for figure in page.xpath("//@data-live")}
    assert (faults, shown) == ([], figures)


@pytest.mark.thorough
@pytest.mark.skipif(not EPUBCHECK.exists(), reason="epubcheck, a package of Debian, is not installed")
def test_epubcheck_finds_nothing(book):
    done = subprocess.run(["java", "-jar", EPUBCHECK, book], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
