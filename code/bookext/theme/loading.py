"""What a page loads: nothing it does not use, nothing from outside, and nothing that keeps the text waiting.

The theme asks for a dozen style sheets before it draws a word, and for scripts this book does not use. Each function
repairs one thing in a parsed page; ``pages`` calls them.
"""

import re
from pathlib import Path

from lxml import etree
from sphinx.util import logging

from .repairs import find
from .styles import SHEET

logger = logging.getLogger(__name__)
UNUSED = ("fontawesome", "thebe", "togglebutton", "design-tabs", "mathjax", "docsearch")
OF_THE_SEARCH = ("searchtools.js", "language_data.js", "searchindex.js")  # a quarter of what a page would load
PLAIN = ("n", "nn", "p", "w")  # names, modules, punctuation, space: code that the theme leaves in the colour of its box
LONG = 3000  # elements; a page with more is laid out part by part
# What a section is made of, and for a wide and a narrow screen: letters in a line of text and of code, and the pixels
# of a line of text, of a check, of code, of a formula or a row of it, a figure, a heading or block, a box, what a live
# figure is higher, a table's row. Fitted to the sections of this book as Chromium draws them, and a seventh more.
PARTS = (
    ".//p[not(@data-kind) and not(ancestor::td)] | .//li[not(p)] | .//dt | .//summary | .//legend | .//label",
    ".//p[@data-kind]",
    ".//pre",
    ".//div[starts-with(@class, 'math')] | .//div[starts-with(@class, 'math')]//mtr",
    ".//figure",
    ".//h2 | .//h3 | .//h4 | .//pre",
    ".//div[contains(@class, 'admonition')] | .//details | .//fieldset",
    ".//div[@data-live]",
)
SCREENS = {
    "wide": (88, 200, 31, 28, 21, 30, 400, 26, 26, 300, 33),
    "narrow": (39, 49, 26, 28, 21, 18, 250, 38, 44, 450, 33),
}
UNFOLDED = "[not(ancestor-or-self::*[@hidden] or ancestor::div[@class='quiz-reason']"
UNFOLDED += " or ancestor::details[not(@open)] and not(ancestor-or-self::summary))]"
# What scripts of the theme do with every page that has loaded, in their own words; what to write instead; and a sign
# that a new version does it in other words. One measures every box of code, and with that lays out the whole page;
# book.js does the same for each box in its time. The other searches for notes in the margin, and this book has none.
THEME_PATCHES = {
    "pydata-sphinx-theme": (
        r',"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)',
        "",
        '"load"',
    ),
    "sphinx-book-theme": (r'document\.querySelectorAll\(n\.join\(", "\)\)', "[]", "querySelectorAll(n"),
}
# A preload of a font fails in a folder, where every file is an origin of its own, so a script asks for it elsewhere.
PRELOAD = """if (location.protocol !== "file:") {{
  const font = {{ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "anonymous" }};
  document.head.append(Object.assign(document.createElement("link"), font, {{ href: "{}_static/book-math.woff2" }}));
}}"""

# The theme waits for its script to see whether the reader's system is light or dark, and then every line moves.
THEME = """(function (root) {
  const mode = localStorage.getItem("mode") || "auto", dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.mode = mode;
  root.dataset.theme = mode !== "auto" ? mode : dark ? "dark" : "light";
})(document.documentElement);"""


def settle_theme(page):
    """Choose light or dark before the first line is drawn; where no script runs the page is light."""
    page.set("data-theme", "light")
    for script in find(page, "//head/script[contains(., 'dataset.theme')]"):
        script.text = THEME


def drop_unused(page):
    """Scripts, styles and elements that serve nothing here; some of them would ask other hosts."""
    for element in page.xpath("//script | //link[@rel='stylesheet' or @rel='preload']"):
        source = element.get("src") or element.get("href") or (element.text or "")
        text = "" if element.get("src") else (element.text or "")
        inline = any(word in text for word in ("thebe", "togglebutton", "toggleHint", "toggleOpen", "kernelName ="))
        if inline or element.get("type") == "text/x-thebe-config" or any(word in source.lower() for word in UNUSED):
            drop(element)
    for element in find(page, "//meta[starts-with(@name, 'docsearch')]"):
        drop(element)
    for element in find(page, "//head//meta[@name='viewport'][preceding::meta/@name = 'viewport']"):
        drop(element)
    for name in ("ethical-ad-placement", "jb-print-docs-body"):
        for element in find(page, f"//*[@id='{name}']"):
            drop(element)


def keep_the_search_on_its_page(page):
    """Elsewhere the search is a form that leads there."""
    if not page.xpath("//*[@id='search-results']"):
        for script in page.xpath("//script[@src]"):
            if script.get("src").partition("?")[0].endswith(OF_THE_SEARCH):
                drop(script)


def defer_scripts(page):
    """Let the text come first; scripts keep their order. The few options that others read stand in the page itself."""
    for element in find(page, "//link[@rel='preload'][@as='script']"):
        drop(element)
    for script in page.xpath("//script[@src]"):
        script.attrib.pop("async", None)
        script.set("defer", "")


def inline_options(page, site):
    """Put the text of ``documentation_options.js`` where it was asked for: the script after it needs it at once."""
    for script in find(page, "//script[contains(@src, 'documentation_options.js')]"):
        script.attrib.clear()
        script.text = (site / "_static" / "documentation_options.js").read_text(encoding="utf-8")


def drop_shells(page):
    """Elements that change nothing: code in the colour of its box, a drawing's groups without an attribute.

    They are four in ten elements of a chapter, and the scripts of the theme search through every one.
    """
    for code in find(page, "//div[@class='highlight']/pre//span"):
        if code.get("class") in PLAIN:
            code.drop_tag()
    for part in page.xpath("//svg//*[not(ancestor::text)]"):
        part.tail = None
        if part.tag == "g" and not part.attrib:
            part.text = None
            part.drop_tag()


def take_style_sheets(page, folder):
    """Replace the links to style sheets by one; return the files they led to."""
    links = find(page, "//link[@rel='stylesheet']")
    files = [(Path(folder) / link.get("href").partition("?")[0]).resolve() for link in links]
    for link in links[1:]:
        drop(link)
    for link in links[:1]:
        link.attrib.clear()
        link.attrib.update({"rel": "stylesheet", "href": page.get("data-content_root", "") + SHEET})
    return files


def preload_font(page):
    """Ask for the font of formulas with the page, not after the style sheet: the lines then keep their height."""
    if page.xpath("//main//math"):
        script = etree.Element("script")
        script.text = PRELOAD.format(page.get("data-content_root", ""))
        page.find("head").insert(1, script)


def lay_out_late(page):
    """On a long page each section waits for the reader to come near; its guessed height keeps the scroll bar steady."""
    if sum(1 for _ in page.iter()) > LONG:
        for section in page.xpath("//article/section/section"):
            section.set("class", f"{section.get('class', '')} late".strip())
            section.set("style", "; ".join(f"--{screen}: {height(section, screen)}px" for screen in SCREENS))


def height(section, screen):
    """About how many pixels a section takes, rather more than fewer: what does not fit would lie over the next one."""
    letters, code, *pixels = SCREENS[screen]
    texts = {path: [e.text_content().strip("\n") for e in section.xpath(f"({path}){UNFOLDED}")] for path in PARTS}
    rows = [[len(cell.text_content()) for cell in row] for row in section.xpath(f".//tr{UNFOLDED}")]
    sizes = [
        *(sum(len(text) // letters + 1 for text in texts[path]) for path in PARTS[:2]),
        sum(len(line) // code + 1 for text in texts[PARTS[2]] for line in text.split("\n")),
        *(len(texts[path]) for path in PARTS[3:]),
        sum(max([1, *(cell * len(row) // letters for cell in row)]) for row in rows),
    ]
    return sum(size * each for size, each in zip(sizes, pixels, strict=True))


def patch_theme_scripts(site):
    """Apply ``THEME_PATCHES`` to the scripts of the theme; warn if a new version of the theme needs another patch."""
    for name, (costly, instead, sign) in THEME_PATCHES.items():
        for path in site.glob(f"_static/scripts/{name}.js"):
            text = re.sub(costly, instead, path.read_text(encoding="utf-8"))
            path.write_text(text, encoding="utf-8")
            if sign in text:
                logger.warning("the theme's script %s has changed: see loading.THEME_PATCHES", name)


def drop(element):
    """Take an element out of its page; what follows it stays."""
    if element.getparent() is not None:
        element.drop_tree()
