"""What a page loads: nothing it does not use, nothing from outside, and nothing that keeps the text waiting.

The theme asks for a dozen style sheets before it draws a word, and for scripts this book does not use. Each function
repairs one thing in a parsed page; ``pages`` calls them.
"""

from pathlib import Path

from .styles import SHEET

UNUSED = ("fontawesome", "thebe", "togglebutton", "design-tabs", "mathjax", "docsearch")
OF_THE_SEARCH = ("searchtools.js", "language_data.js", "searchindex.js")  # a quarter of what a page would load


def drop_unused(page):
    """Scripts, styles and elements that serve nothing here; some of them would ask other hosts."""
    for element in page.xpath("//script | //link[@rel='stylesheet' or @rel='preload']"):
        source = element.get("src") or element.get("href") or (element.text or "")
        text = "" if element.get("src") else (element.text or "")
        inline = any(word in text for word in ("thebe", "togglebutton", "toggleHint", "toggleOpen", "kernelName ="))
        if inline or element.get("type") == "text/x-thebe-config" or any(word in source.lower() for word in UNUSED):
            drop(element)
    for element in page.xpath("//meta[starts-with(@name, 'docsearch')]"):
        drop(element)
    for element in page.xpath("//head//meta[@name='viewport']")[1:]:
        drop(element)
    for name in ("ethical-ad-placement", "jb-print-docs-body"):
        for element in page.xpath(f"//*[@id='{name}']"):
            drop(element)


def keep_the_search_on_its_page(page):
    """Elsewhere the search is a form that leads there."""
    if not page.xpath("//*[@id='search-results']"):
        for script in page.xpath("//script[@src]"):
            if script.get("src").partition("?")[0].endswith(OF_THE_SEARCH):
                drop(script)


def defer_scripts(page):
    """Let the text come first; scripts keep their order. The few options that others read stand in the page itself."""
    for element in page.xpath("//link[@rel='preload'][@as='script']"):
        drop(element)
    for script in page.xpath("//script[@src]"):
        script.attrib.pop("async", None)
        script.set("defer", "")


def inline_options(page, site):
    """Put the text of ``documentation_options.js`` where it was asked for: the script after it needs it at once."""
    for script in page.xpath("//script[contains(@src, 'documentation_options.js')]"):
        script.attrib.clear()
        script.text = (site / "_static" / "documentation_options.js").read_text(encoding="utf-8")


def take_style_sheets(page, folder):
    """Replace the links to style sheets by one; return the files they led to."""
    links = page.xpath("//link[@rel='stylesheet']")
    files = [(Path(folder) / link.get("href").partition("?")[0]).resolve() for link in links]
    for link in links[1:]:
        drop(link)
    for link in links[:1]:
        link.attrib.clear()
        link.attrib.update({"rel": "stylesheet", "href": page.get("data-content_root", "") + SHEET})
    return files


def drop(element):
    """Take an element out of its page; what follows it stays."""
    if element.getparent() is not None:
        element.drop_tree()
