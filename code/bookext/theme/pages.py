"""What happens to every page after Sphinx has written it: less to load, and readable by everyone.

The theme loads scripts this book does not use, draws icons with 1.5 MB of JavaScript, and breaks a few accessibility
rules. Each function below repairs one thing in the parsed page; they run once per written page.
"""

import re
from itertools import count
from pathlib import Path

from lxml import etree, html

from . import loading, repairs, social, styles
from .repairs import find

PDF, PDF_PLACE = "attention-and-order.pdf", "here a link to the PDF"

# 24 × 24 outlines, in place of an icon font: the shape drawn for each class name the theme uses.
ICONS = {
    "fa-magnifying-glass": "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 21 21",
    "fa-bars": "M4 6h16M4 12h16M4 18h16",
    "fa-list": "M9 6h11M9 12h11M9 18h11M4 6h.5M4 12h.5M4 18h.5",
    "fa-sun": "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
    "fa-moon": "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
    "fa-circle-half-stroke": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 3v18M14.5 4.5v15M17 6.5v11",
    "fa-angle-left": "M15 5l-7 7 7 7",
    "fa-angle-right": "M9 5l7 7-7 7",
    "fa-chevron-down": "M5 9l7 7 7-7",
    "fa-arrow-up": "M12 20V5M6 11l6-6 6 6",
    "fa-arrow-down-to-line": "M12 4v11M6 10l6 6 6-6M5 20h14",
}


# The icon is empty: a browser would ask for one, and the page is gone before it comes.
FRONT_DOOR = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url={first}"><meta name="robots" content="noindex"></head>
<body><p><a href="{first}">{title}</a></p></body></html>
"""


def setup(app):
    """Adapt the written pages at the end of an HTML build."""
    app.connect("build-finished", _adapt_pages, priority=800)  # after the theme has written its colours of code
    app.connect("build-finished", _write_front_door, priority=900)  # after the table of contents has written its own


def _write_front_door(app, failure):
    """The site's first address leads to the preface, as a page with a title and a language."""
    if failure or app.builder.name != "html":
        return
    first = app.builder.get_relative_uri("index", app.config.root_doc)
    page = FRONT_DOOR.format(title=app.config.html_title, first=first)
    (Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def _adapt_pages(app, failure):
    if failure or app.builder.name != "html":
        return
    site, sheets, address = Path(app.outdir), {}, app.config.html_baseurl
    repairs.begin()
    adapted = set()
    for path in sorted(site.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        if "<html" in text and "data-adapted" not in text and "_static" not in path.relative_to(site).parts:
            page = html.document_fromstring(text)
            sheets |= dict.fromkeys(adapt(page, path.parent, site))
            name = path.relative_to(site).with_suffix("").as_posix()
            adapted.add(name)
            social.add_description(page, name, site, app.config.html_title, address)
            if name == "404":
                social.make_links_absolute(page, address)
            path.write_text(html.tostring(page, doctype="<!DOCTYPE html>", encoding="unicode"), encoding="utf-8")
    if adapted >= app.env.found_docs:
        repairs.demand()
    styles.merge(site, list(sheets))
    loading.patch_theme_scripts(site)
    offer_pdf(site)


def adapt(page, folder, site):
    """Apply every repair to a parsed page; return the style sheets it asked for."""
    for repair in (
        loading.drop_unused,
        loading.keep_the_search_on_its_page,
        draw_icons,
        keep_punctuation,
        keep_claims_whole,
        link_boxes,
        fold_solutions,
        drop_repeated_ids,
        name_landmarks,
        repair_roles,
        loading.drop_shells,
        loading.settle_theme,
        loading.preload_font,
        loading.lay_out_late,
    ):
        repair(page)
    loading.inline_options(page, site)
    loading.defer_scripts(page)
    for place in page.xpath("//div[contains(@class, 'sidebar-primary-items__end')]"):
        place.append(etree.Comment(PDF_PLACE))
    page.set("data-adapted", "")
    return loading.take_style_sheets(page, folder)


def keep_punctuation(page):
    """A line may not begin with the comma behind a formula, nor end with the bracket before it."""
    for shell in find(page, "//span[contains(@class, 'math')][math]"):
        sign = re.match(r"[,.;:?!)\]’”%]+", shell.tail or "")
        if sign:
            shell[-1].tail, shell.tail = (shell[-1].tail or "") + sign.group(), shell.tail[sign.end() :]


def keep_claims_whole(page):
    """In a table the name of a claim is one word: a line does not end at its hyphen."""
    for cell in page.xpath("//td"):
        if re.fullmatch(r"\s*S\d-\d{3}\s*", cell.text_content()):
            cell.set("class", f"{cell.get('class', '')} claim-name".strip())


def offer_pdf(site):
    """Where `make pdf` has left the book as one file, every page links to it."""
    if (site / PDF).exists():
        for path in site.rglob("*.html"):
            text = path.read_text(encoding="utf-8")
            if f"<!--{PDF_PLACE}-->" in text:
                root = "../" * len(path.relative_to(site).parts[1:])
                link = f'<p class="book-pdf"><a href="{root}{PDF}">The whole book as a PDF</a></p>'
                path.write_text(text.replace(f"<!--{PDF_PLACE}-->", link), encoding="utf-8")


def draw_icons(page):
    """Replace icon-font placeholders by small inline drawings."""
    for icon in find(page, "//*[contains(concat(' ', @class), ' fa-')]"):
        classes = icon.get("class").split()
        shape = next((ICONS[name] for name in classes if name in ICONS), None)
        icon.set("class", " ".join([name for name in classes if not name.startswith("fa-")] + ["icon"]))
        icon.set("aria-hidden", "true")
        if shape:
            svg = etree.SubElement(icon, "svg", viewBox="0 0 24 24", width="20", height="20", focusable="false")
            etree.SubElement(svg, "path", d=shape)


def link_boxes(page):
    """A theorem, a definition, an exercise has an address of its own, as headings and formulas have."""
    for box in find(page, "//div[@id][contains(concat(' ', @class, ' '), ' admonition ')]"):
        title = box.find("p[@class='admonition-title']")
        if (
            title is not None
            and {"proof", "exercise"} & set(box.get("class").split())
            and "proof-" not in box.get("id")
        ):
            link = {"class": "headerlink", "href": f"#{box.get('id')}", "title": "Link to this box"}
            etree.SubElement(title, "a", link).text = "#"


def fold_solutions(page):
    """A solution is a native disclosure: it opens by keyboard, without a script, and prints open."""
    for solution in find(page, "//div[contains(concat(' ', @class, ' '), ' solution ')]"):
        title = solution.find("p[@class='admonition-title']")
        if title is None:
            continue
        solution.tag = "details"
        solution.set("class", "solution")
        title.tag = "summary"
        title.attrib.pop("class")
        for link in title.findall("a"):  # a link inside a summary would be a control inside a control
            link.drop_tag()


def drop_repeated_ids(page):
    """Theorem and exercise boxes all carry the same inner ids; nothing refers to them."""
    for element in find(page, "//section[contains(@id, '-content')] | //div[@class='proof admonition']"):
        element.attrib.pop("id", None)
    seen = {}
    for element in page.xpath("//*[@id]"):
        name = element.get("id")
        seen.setdefault(name, count())
        if next(seen[name]):
            element.attrib.pop("id")


def name_landmarks(page):
    """Every region a screen reader lists has a role and a name of its own."""
    for sidebar in find(page, "//div[@id='pst-primary-sidebar']"):
        sidebar.attrib.update({"role": "complementary", "aria-label": "Book contents"})
    for sidebar in find(page, "//div[@id='pst-secondary-sidebar']"):
        sidebar.attrib.update({"role": "complementary", "aria-label": "On this page"})
    for button in find(page, "//button[contains(@class, 'sidebar-toggle')]"):
        button.set("aria-label", button.get("title") or button.get("data-bs-title") or "Toggle sidebar")


def repair_roles(page):
    """Roles and labels that axe-core rejects: bibliography entries, hidden-cell summaries, doubled names."""
    for entry in find(page, "//*[@role='doc-biblioentry']"):
        entry.set("role", "listitem")
    for summary in find(page, "//summary[@aria-label]"):
        summary.attrib.pop("aria-label")
    for button in find(page, "//button[contains(@class, 'search-button-field')]"):
        button.attrib.pop("aria-label", None)
    for heading in find(page, "//p[@role='heading']"):
        heading.attrib.pop("role")
        heading.attrib.pop("aria-level", None)
