"""Print the built site as one PDF: _build/html/attention-and-order.pdf, which the pages then link to.

python tools/pdf.py    with the group `pdf`, a Chromium and a font with Chinese characters; BOOK_LANGUAGE=zh_CN names
                       another edition, which `make translation` has built

The pages are put into one document, in the order of the contents, with their solutions at the end, and printed twice:
the first printing tells on which page each part begins, the second says so in the contents.
"""

import os
import re
import sys
from pathlib import Path

from browser import FLAGS, chromium
from lxml import etree, html
from sphinx import locale
from system import missing

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "code"))
from bookext.language.messages import _  # noqa: E402
from bookext.markup import has_class  # noqa: E402
from bookext.theme.pages import offer_files  # noqa: E402

LANGUAGE = os.environ.get("BOOK_LANGUAGE")
SITE = ROOT / "_build" / (f"html-{LANGUAGE}" if LANGUAGE else "html")
WORK = ROOT / "_build" / "pdf"
TARGET = SITE / "attention-and-order.pdf"
STYLE = Path(__file__).with_name("pdf.css")
# Controls, links to what the page itself is, and what only a screen needs.
LEFT_OUT = (
    "//script",
    "//button",
    "//a[@class='headerlink' or @class='figure-svg']",
    f"//*[{has_class('explore-controls')} or {has_class('explore-spoken')}]",
    f"//*[{has_class('frame')} and @hidden]",
    "//form",
    f"//details[{has_class('fold')}]/*[self::summary or {has_class('cell_input')}]",  # its laws stay
)
FOLDED = f"//details[{has_class('fold')}]"
# What holds an answer: it stands at the end of the book.
ANSWERS = f".//details[{has_class('solution')} or {has_class('live-answer')}]"
ANSWERS += f" | .//*[{has_class('predict')}]//details | .//fieldset[{has_class('quiz')}]"
REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "data-cell-id")


def pages():
    """Return the addresses of the pages, in the order of the contents beside each of them."""
    page = html.parse(SITE / "index.html").getroot()
    links = [link.split("#")[0] or "index.html" for link in page.xpath("//nav[contains(@class, 'bd-links')]//a/@href")]
    return list(dict.fromkeys(links))


def section(address):
    """Return the name and the text of one page; its ids and links begin with the name."""
    name = address.rpartition("/")[2].removesuffix(".html")
    page = html.parse(SITE / address).getroot()
    for path in LEFT_OUT:
        for element in page.xpath(path):
            element.drop_tree()
    for fold in page.xpath(FOLDED):
        fold.drop_tag()
    part = page.xpath("//article/section")[0]
    for element in part.iter(etree.Element):
        for key in REFERENCES:
            element.attrib.pop(key, None)
        if element.get("id"):
            element.set("id", f"{name}--{element.get('id')}")
        for key, value in element.attrib.items():
            if key in ("href", "xlink:href"):  # a <use> as well: the ticks of an axis
                element.set(key, relocate(value, name))
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{name}--"))
        if element.tag == "details" and element.get("class") != "checks":
            element.set("open", "")
    part.set("id", name)
    return name, part


def relocate(link, name):
    """Return where a link of page ``name`` leads in the one document."""
    if re.match(r"[a-z]+:", link):
        return link
    path, _, fragment = link.partition("#")
    page = path.rpartition("/")[2].removesuffix(".html").partition("?")[0] or name
    return f"#{page}--{fragment}" if fragment else f"#{page}"


def take_solutions(name, part):
    """Take the answers out of a page; what asks keeps a link to its own. Returns them as a section, or None."""
    solutions = html.fragment_fromstring(f'<section id="solutions--{name}"><h2></h2></section>')
    solutions[0].text = part.xpath("string(h1)")
    for number, box in enumerate(part.xpath(ANSWERS), 1):
        title = f"{_('Answer')} {number}"
        place = f"{name}--answer-{number}"
        quiz = box.tag == "fieldset"
        link = html.fragment_fromstring(f'<p class="to-solution"><a href="#{place}">{title}</a></p>')
        box.append(link) if quiz else box.addprevious(link)
        answer = html.fragment_fromstring(f'<div class="answers" id="{place}"><div><h3>{title}</h3></div></div>')
        answer[0].extend(box.xpath(f".//*[{has_class('quiz-reason')}]") if quiz else [box])
        solutions.append(answer)
    return solutions if len(solutions) > 1 else None


def drop_dead_links(document):
    """Replace links to pages that are not printed, such as the search, by their text."""
    ids = set(document.xpath("//@id"))
    for link in document.xpath("//a[starts-with(@href, '#')]"):
        if link.get("href")[1:] not in ids:
            page = link.get("href")[1:].partition("--")[0]
            link.set("href", f"#{page}") if page in ids else link.drop_tag()
    for link in document.xpath("//*[local-name()='a'][@href and not(node())]"):
        link.drop_tag()


def contents(parts, numbers):
    """Return the table of contents as a section; ``numbers`` maps an id to its page."""
    rows = []
    for part in parts:
        for depth, heading in [(1, part.find("h1")), *((2, s.find("h2")) for s in part.findall("section"))]:
            if heading is not None:
                place = part.get("id") if depth == 1 else heading.getparent().get("id")
                markup = etree.tostring(heading, encoding="unicode", method="html", with_tail=False)
                text = re.sub(r"^<h\d[^>]*>|</h\d>$|</?a\b[^>]*>", "", markup)  # the row itself is a link
                number = numbers.get(place, "")
                rows.append(f'<li class="level-{depth}"><a href="#{place}"><span>{text}</span><b>{number}</b></a></li>')
    title = locale._("Table of Contents")
    return html.fragment_fromstring(f'<section id="contents"><h1>{title}</h1><ul>{"".join(rows)}</ul></section>')


def assemble(numbers):
    """Return the whole book as one document."""
    sections = [section(address) for address in pages()]
    solutions = html.fragment_fromstring(f'<section id="solutions"><h1>{_("Answers")}</h1></section>')
    solutions.extend(filter(lambda taken: taken is not None, [take_solutions(*named) for named in sections]))
    parts = [part for _, part in sections] + [solutions]
    index = html.parse(SITE / "index.html").getroot()
    title = index.findtext(".//title")
    subtitle = index.xpath("string(//meta[@name='description']/@content)")
    document = html.document_fromstring(
        f'<!DOCTYPE html><html lang="{index.get("lang")}" data-theme="light">'
        f'<head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="../{SITE.name}/_static/site.css"><link rel="stylesheet" href="pdf.css"></head>'
        f'<body><article class="bd-article bd-content"><header><p class="title">{title}</p><p>{subtitle}</p></header>'
        "</article></body></html>"
    )
    article = document.find(".//article")
    style = STYLE.read_text(encoding="utf-8").replace('content: "Attention and Order"', f'content: "{title}"')
    (WORK / "pdf.css").write_text(style, encoding="utf-8")
    for part in [contents(parts, numbers), *parts]:
        article.append(part)
    for token in article.xpath(".//pre//span"):  # without colours they are a hundred thousand tags that say nothing
        token.drop_tag()
    drop_dead_links(document)
    return document


def pages_of(file):
    """Return the number of the page on which each place of the document lies, and how many pages there are."""
    from pypdf import PdfReader

    reader = PdfReader(file)
    places = reader.named_destinations.items()
    return {name.lstrip("/"): reader.get_destination_page_number(d) + 1 for name, d in places}, len(reader.pages)


def finish(document, numbers):
    """Write the printed file with its bookmarks, parts and their sections; Chromium's own say every title twice."""
    from pypdf import PdfWriter

    writer, part = PdfWriter(clone_from=WORK / "book.pdf"), None
    for link in document.xpath("//section[@id='contents']//a"):
        title, place = text_of(link[0]), link.get("href")[1:]
        top = "level-1" in link.getparent().get("class")
        item = writer.add_outline_item(title=title, page_number=numbers[place] - 1, parent=None if top else part)
        part = item if top else part
    writer.write(TARGET)


def text_of(element):
    """Return the text of an element, its formulas as they look and not as TeX."""
    return " ".join("".join(element.xpath(".//text()[not(ancestor::annotation)]")).split())


def require_site():
    """End with a sentence if the book is not built; let `_` speak its language."""
    if not (SITE / "index.html").exists():
        sys.exit(f"There is no built book in {SITE}: run `make {'translation' if LANGUAGE else 'book'}` first.")
    locale.init([str(Path(locale.__file__).parent)], LANGUAGE)
    locale.init([str(ROOT / "locale")], LANGUAGE, "book")


def offer(file, pages=""):
    """Link the built pages to a file that holds the whole book; every later build does so by itself."""
    offer_files(SITE)
    print(f"The book is in {file}: {pages}{file.stat().st_size / 1e6:.1f} MB.")


def main():
    """Print, read the page numbers, print again."""
    require_site()
    if not chromium():
        sys.exit("Chromium prints the book: install it, or name one with CHROMIUM=/path.")
    if "a font with Chinese characters" in missing():
        sys.exit("The book quotes Chinese: install a font with Chinese characters, such as fonts-noto-cjk.")
    from playwright.sync_api import sync_playwright

    WORK.mkdir(exist_ok=True)
    numbers, last = {}, None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(java_script_enabled=False)
        page.set_default_timeout(600_000)
        while numbers != last:
            text = html.tostring(assemble(numbers), doctype="<!DOCTYPE html>", encoding="unicode")
            (WORK / "book.html").write_text(text, encoding="utf-8")
            page.goto((WORK / "book.html").as_uri())
            page.pdf(path=WORK / "book.pdf", prefer_css_page_size=True, print_background=True, tagged=True)
            last, (numbers, count) = numbers, pages_of(WORK / "book.pdf")
        browser.close()
    finish(assemble(numbers), numbers)
    offer(TARGET, f"{count} pages, ")


if __name__ == "__main__":
    main()
