"""Write the built site as an EPUB 3: _build/html/attention-and-order.epub, which the pages then link to.

python tools/epub.py    when the book is built

It holds what `make pdf` prints: a file for each page, with the answers to its questions at the end. Formulas are MathML,
which a screen reader reads; live figures are their stills, and no script runs.
"""

import os
import re
import sys
import time
import uuid
from html import escape
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pdf
import yaml
from lxml import etree, html

BOOKEXT = pdf.ROOT / "code" / "bookext"
STYLE = Path(__file__).with_name("epub.css")
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
SPACES = {"math": "http://www.w3.org/1998/Math/MathML", "svg": "http://www.w3.org/2000/svg"}
CAMEL = "viewBox clipPath clipPathUnits patternUnits patternTransform linearGradient gradientUnits preserveAspectRatio textLength"
CASES = {name.lower(): name for name in CAMEL.split()}  # a parser of HTML writes the names of SVG in small letters
# What only a page in a browser has.
CONTROLS = {"for", "tabindex", "autocomplete", "download", "scriptlevel", "data-lm-suppress-shortcuts"}
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="{language}" xml:lang="{language}">
<head><title>{title}</title><link rel="stylesheet" href="book.css"/></head>
<body>{body}</body></html>
"""
CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="{language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{uuid}</dc:identifier><dc:title>{title}</dc:title><dc:language>{language}</dc:language>
<dc:creator>{author}</dc:creator><dc:rights>Text and figures: CC BY 4.0. Code: MIT.</dc:rights>
<meta property="dcterms:modified">{modified}</meta>
{accessibility}
</metadata>
<manifest>{manifest}</manifest>
<spine>{spine}</spine>
</package>
"""
ACCESSIBILITY = {
    "accessMode": "textual visual",
    "accessModeSufficient": "textual",  # every drawing says in words what it shows
    "accessibilityFeature": "MathML alternativeText readingOrder structuralNavigation tableOfContents displayTransformability",
    "accessibilityHazard": "none",
}
TYPES = {".xhtml": "application/xhtml+xml", ".css": "text/css", ".png": "image/png", ".woff2": "font/woff2"}


def style():
    """Return the style sheet: its own rules, and those of the site for formulas and for the colours of code."""
    formulas = re.search(r"/\* Formulas \*/.*?\n\n", (BOOKEXT / "static" / "book.css").read_text("utf-8"), re.DOTALL)[0]
    pygments = (pdf.SITE / "_static" / "pygments.css").read_text("utf-8")
    colours = re.findall(r'^html\[data-theme="light"\] (\.highlight \.\w+ .*)', pygments, re.MULTILINE)
    return "\n".join([formulas, *colours, STYLE.read_text("utf-8")])


def questions(part):
    """Make a list of what asks by buttons: its answers are at the end of the page."""
    for quiz in part.iter("fieldset"):
        quiz.tag, quiz.find("legend").tag = "div", "p"
        options = etree.Element("ol", type="a")
        quiz[0].addnext(options)
        for option in quiz.findall("div"):
            option.tag = "li"
            option.find("input").drop_tree()
            option.find("label").tag = "span"
            option.find("div").drop_tree()  # the reason is taken
            options.append(option)


def finish(part, home):
    """Make XHTML of a page; ``home`` names the file of each id."""
    here = part.get("id")
    questions(part)
    for element in part.iter(etree.Element):
        for name in CONTROLS.intersection(element.attrib):
            if name != "scriptlevel" or element.tag != "mstyle":
                del element.attrib[name]
        if element.tag in SPACES:
            element.set("xmlns", SPACES[element.tag])
        if element.get("lang"):
            element.set(LANGUAGE, element.get("lang"))
        for name, value in element.attrib.items():
            if element.tag == "a" and name.endswith("href") and value[0] == "#":
                target = home[value[1:]]
                element.set(name, value if target == here else f"{target}.xhtml{value * (value != f'#{target}')}")
            element.set(name, re.sub(r"var\([^,)]*, *([^)]*)\)", r"\1", element.get(name)))
            if name in CASES:
                element.set(CASES[name], element.attrib.pop(name))
        element.tag = CASES.get(element.tag, element.tag)
    return etree.tostring(part, encoding="unicode", with_tail=False)


def contents(links, parts):
    """Return the rows of a list of the contents beside the pages: the sections of each page, then what goes deeper."""
    rows = []
    for item in links.xpath("./li"):
        link, deeper = item.find("a"), item.find(".//ul")
        name = pdf.relocate(link.get("href"), "index")[1:]
        found = [(f"{name}.xhtml#{part.get('id')}", part.find("h2")) for part in parts[name].findall("section")]
        below = [f'<li><a href="{href}">{plain(title)}</a></li>' for href, title in found if title is not None]
        below += [] if deeper is None else contents(deeper, parts)
        rows.append(f'<li><a href="{name}.xhtml">{plain(link)}</a>{listed(below)}</li>')
    return rows


def listed(rows):
    """Return a list of these rows, if there are any: an empty one is not allowed."""
    return f"<ol>{''.join(rows)}</ol>" if rows else ""


def plain(title):
    """Return the words of a title."""
    return escape(" ".join(pdf.text_of(title).split()))


def write(target):
    """Write the built site as an EPUB to the file ``target``."""
    index = html.parse(pdf.SITE / "index.html").getroot()
    parts = dict(map(pdf.section, pdf.pages()))
    for name, part in parts.items():
        answers = pdf.take_solutions(name, part)
        if answers is not None:
            answers[0].text = "Answers"
            part.append(answers)
    document = html.document_fromstring("<body></body>")
    document.body.extend(parts.values())
    pdf.drop_dead_links(document)
    home = {id: name for name, part in parts.items() for id in part.xpath("descendant-or-self::*/@id")}

    settings = yaml.safe_load((pdf.ROOT / "_config.yml").read_text("utf-8"))
    names = {name: escape(settings[name]) for name in ("title", "author")} | {"language": index.get("lang")}
    rows = []
    for links in index.xpath("//nav[contains(@class, 'bd-links')]//ul[not(ancestor::ul)]"):
        below, heading = contents(links, parts), links.getprevious()
        rows += below if heading is None else [f"<li><span>{plain(heading)}</span>{listed(below)}</li>"]
    nav = f'<nav epub:type="toc" id="toc"><h1>Contents</h1>{listed(rows)}</nav>'
    cover = Path(index.xpath("string(//meta[@property='og:image']/@content)")).name
    pages = {f"{name}.xhtml": (plain(part.find("h1")), finish(part, home)) for name, part in parts.items()}
    pages["contents.xhtml"] = ("Contents", nav)
    files = {name: PAGE.format(**names | {"title": title}, body=body).encode() for name, (title, body) in pages.items()}
    files["book.css"] = style().encode()
    files["book-math.woff2"] = (BOOKEXT / "static" / "book-math.woff2").read_bytes()
    files["cover.png"] = (pdf.SITE / "_images" / cover).read_bytes()

    manifest = []
    for name, file in files.items():
        marks = {"mathml": b"<math" in file, "svg": b"<svg" in file, "nav": name == "contents.xhtml", "cover-image": name == "cover.png"}
        properties = " ".join(mark for mark, holds in marks.items() if holds)
        properties = f' properties="{properties}"' if properties else ""
        manifest.append(f'<item id="f-{name}" href="{name}" media-type="{TYPES[Path(name).suffix]}"{properties}/>')
    now = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    package = PACKAGE.format(
        **names,
        uuid=uuid.uuid5(uuid.NAMESPACE_URL, settings["title"]),
        modified=time.strftime("%Y-%m-%dT%H:%M:%SZ", now),
        accessibility="\n".join(
            f'<meta property="schema:{name}">{word}</meta>' for name, words in ACCESSIBILITY.items() for word in words.split()
        ),
        manifest="\n".join(manifest),
        spine="".join(f'<itemref idref="f-{name}.xhtml"/>' for name in ["index", "contents", *list(parts)[1:]]),
    )
    with ZipFile(target, "w") as archive:
        archive.writestr(ZipInfo("mimetype"), "application/epub+zip", ZIP_STORED)  # first, and as it is
        for name, text in {"META-INF/container.xml": CONTAINER, "book.opf": package, **files}.items():
            archive.writestr(ZipInfo(name), text, ZIP_DEFLATED)


def main():
    """Write the file, and link the pages to it."""
    if not (pdf.SITE / "index.html").exists():
        sys.exit("There is no built book yet: run `make book` first.")
    target = pdf.TARGET.with_suffix(".epub")
    write(target)
    sys.path.insert(0, str(pdf.ROOT / "code"))
    from bookext.theme.pages import offer_files

    offer_files(pdf.SITE)
    print(f"The book is in {target}: {target.stat().st_size / 1e6:.1f} MB.")


if __name__ == "__main__":
    main()
