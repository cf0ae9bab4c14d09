"""Write the built site as an EPUB 3: _build/html/attention-and-order.epub, which the pages then link to.

It holds what `make pdf` prints: a file for each page, with the answers to its questions at the end. Formulas are
MathML, as on the site; live figures are their stills, and no script runs.
"""

import os
import re
import time
import uuid
from html import escape
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pdf
import yaml
from lxml import etree, html

STATIC = pdf.ROOT / "code" / "bookext" / "static"
XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
SPACES = {"math": "http://www.w3.org/1998/Math/MathML", "svg": "http://www.w3.org/2000/svg"}
# A parser of HTML writes the names of SVG in small letters; and a question without its buttons is no form.
CASED = "viewBox clipPath clipPathUnits patternUnits patternTransform preserveAspectRatio textLength linearGradient"
NAMES = {name.lower(): name for name in CASED.split()} | {"fieldset": "div", "legend": "p", "label": "span"}
TYPES = {"xhtml": "application/xhtml+xml", "css": "text/css", "png": "image/png", "woff2": "font/woff2"}
# For readers who choose a book by what they need; every drawing says in words what it shows.
ACCESS = "accessMode:textual accessMode:visual accessModeSufficient:textual accessibilityHazard:none"
ACCESS += "".join(f" accessibilityFeature:{f}" for f in ("MathML", "alternativeText", "structuralNavigation"))
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
PAGE = f"""{HEAD}<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="{{0}}" xml:lang="{{0}}">
<head><title>{{1}}</title><link rel="stylesheet" href="book.css"/></head><body>{{2}}</body></html>"""
CONTAINER = f"""{HEAD}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = f"""{HEAD}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:uuid:{{uuid}}</dc:identifier>
<dc:title>{{title}}</dc:title><dc:creator>{{author}}</dc:creator><dc:language>{{language}}</dc:language>
<meta property="dcterms:modified">{{modified}}</meta>{{access}}</metadata>
<manifest>{{manifest}}</manifest>
<spine>{{spine}}</spine></package>"""


def finish(part, home):
    """Return a page as XHTML; ``home`` names the page of each id."""
    for control in part.xpath(".//input | .//*[@role='status']"):  # the reasons stand among the answers
        control.drop_tree()
    for name in part.xpath(".//@tabindex | .//@for | .//mo/@scriptlevel | .//svg[a]/@role"):
        del name.getparent().attrib[name.attrname]
    for element in part.iter(etree.Element):
        for name, value in element.attrib.items():
            target = home.get(value[1:]) if element.tag == "a" and name.endswith("href") and value[0] == "#" else None
            if target not in (None, part.get("id")):
                element.set(name, f"{target}.xhtml{value.removesuffix(f'#{target}')}")
            elif "var(" in value:  # few readers know variables: the colour behind the comma
                element.set(name, re.sub(r"var\([^,)]*, *([^)]*)\)", r"\1", value))
            elif name in NAMES:
                element.set(NAMES[name], element.attrib.pop(name))
            elif name == "lang":
                element.set(XML_LANGUAGE, value)
        if element.tag in SPACES:
            element.set("xmlns", SPACES[element.tag])
        element.tag = NAMES.get(element.tag, element.tag)
    return etree.tostring(part, encoding="unicode", with_tail=False)


def contents(beside, parts):
    """Return the rows of the contents beside the pages: below a page stand its sections, then what goes deeper."""
    rows = ""
    for group in beside.findall("ul"):
        items, heading = "", group.getprevious()
        for item in group.findall("li"):
            name = pdf.relocate(item.find("a").get("href"), "index")[1:]
            found = [(f"{name}.xhtml#{part.get('id')}", part.find("h2")) for part in parts[name].findall("section")]
            below = "".join(
                f'<li><a href="{place}">{escape(pdf.text_of(h2))}</a></li>' for place, h2 in found if h2 is not None
            )
            below += "".join(contents(deeper, parts) for deeper in item.findall("details"))
            below = f"<ol>{below}</ol>" if below else ""  # an empty one is not allowed
            items += f'<li><a href="{name}.xhtml">{escape(pdf.text_of(item.find("a")))}</a>{below}</li>'
        named = heading is not None and heading.tag == "p"
        rows += f"<li><span>{escape(pdf.text_of(heading))}</span><ol>{items}</ol></li>" if named else items
    return rows


def entry(name, file):
    """Return the line of the manifest about a file."""
    marks = {"nav": name == "contents.xhtml", "cover-image": name == "cover.png"}
    marks |= {"mathml": b"<math" in file, "svg": b"<svg" in file}
    properties = f'properties="{" ".join(mark for mark in marks if marks[mark])}"' if any(marks.values()) else ""
    return f'<item id="f-{name}" href="{name}" media-type="{TYPES[name.rpartition(".")[2]]}" {properties}/>'


def write(target):
    """Write the built site as an EPUB to the file ``target``."""
    index = html.parse(pdf.SITE / "index.html").getroot()
    parts = dict(map(pdf.section, pdf.pages()))
    document = html.document_fromstring("<body></body>")
    for name, part in parts.items():
        if (answers := pdf.take_solutions(name, part)) is not None:
            answers[0].text = pdf._("Answers")
            part.append(answers)
        document.body.append(part)
    pdf.drop_dead_links(document)
    home = {id: name for name, part in parts.items() for id in part.xpath("descendant-or-self::*/@id")}

    [beside] = index.xpath("//nav[contains(@class, 'bd-links')]/div")
    title = pdf.locale._("Table of Contents")
    texts = {"contents": (title, f'<nav epub:type="toc"><h1>{title}</h1><ol>{contents(beside, parts)}</ol></nav>')}
    texts |= {name: (escape(pdf.text_of(part.find("h1"))), finish(part, home)) for name, part in parts.items()}
    files = {f"{name}.xhtml": PAGE.format(index.get("lang"), *text).encode() for name, text in texts.items()}
    sheets = [STATIC / "formulas.css", STATIC / "code.css", Path(__file__).with_name("epub.css")]
    style = "\n".join(path.read_text("utf-8") for path in sheets)
    card = Path(index.xpath("string(//meta[@property='og:image']/@content)")).name
    files |= {"book.css": style.encode(), "cover.png": (pdf.SITE / "_images" / card).read_bytes()}
    files["book-math.woff2"] = (STATIC / "book-math.woff2").read_bytes()

    settings = yaml.safe_load((pdf.ROOT / "_config.yml").read_text("utf-8"))
    now = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    package = PACKAGE.format(
        title=escape(index.findtext(".//title")),
        author=escape(settings["author"]),
        language=index.get("lang"),
        uuid=uuid.uuid5(uuid.NAMESPACE_URL, settings["title"]),
        modified=time.strftime("%Y-%m-%dT%H:%M:%SZ", now),
        access="".join('<meta property="schema:{}">{}</meta>'.format(*fact.split(":")) for fact in ACCESS.split()),
        manifest="\n".join(entry(*file) for file in files.items()),
        spine="".join(f'<itemref idref="f-{name}.xhtml"/>' for name in texts),
    )
    with ZipFile(target, "w") as archive:
        archive.writestr(ZipInfo("mimetype"), "application/epub+zip", ZIP_STORED)  # first, and as it is
        files |= {"META-INF/container.xml": CONTAINER.encode(), "book.opf": package.encode()}
        for name, file in files.items():
            archive.writestr(ZipInfo(name), file, ZIP_DEFLATED)


if __name__ == "__main__":
    pdf.require_site()
    target = pdf.TARGET.with_suffix(".epub")
    write(target)
    pdf.offer(target)
