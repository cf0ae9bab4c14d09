"""Link the editions of the book: each page to the same page in every other language that has been built.

The English edition lies at the top of the site, another in a folder of its name, such as ``zh-CN``.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

from babel import Locale
from lxml import html

from .. import markup

TOP = "en"
PLACE = "//comment()[starts-with(., '<nav class=\"languages\"')]"  # the opening tag of the links waits in a comment
LINKS = "//nav[@class='languages']"
ALTERNATES = "//link[@rel='alternate' and @hreflang]"


def tag(language):
    """Return the web's tag of a language: zh_CN is zh-CN."""
    return language.replace("_", "-")


def address(language, root):
    """Return where the edition in a language lies, for a site whose top is at ``root``."""
    return root if language == TOP else f"{root}{tag(language)}/"


def link(sites):
    """Link the pages of all ``sites``, {language: its folder}; lay the editions into the one at the top."""
    for language, site in sites.items():
        if language != TOP and not (place := sites[TOP] / tag(language)).exists():
            place.symlink_to(os.path.relpath(site, sites[TOP]), target_is_directory=True)
        home = _canonical(markup.read(site / "index.html")) if (site / "index.html").exists() else ""
        for path in Path(site).rglob("*.html"):
            name = path.relative_to(site)
            if "_static" not in name.parts and not path.is_relative_to(sites[TOP] / tag(language)):
                _link_page(path, name, language, [other for other in sites if (sites[other] / name).exists()], home)


def _canonical(page):
    """Return the address that a page says it has; '' where it says none."""
    return page.xpath("string(//link[@rel='canonical']/@href)")


def _link_page(path, name, language, languages, home):
    """Link one page to the same page in other ``languages``, in the place of what an earlier call has written."""
    page = markup.read(path)
    places = page.xpath(PLACE)
    if not places:  # it leads on to another page
        return
    file = name.as_posix()
    end = file if file != "index.html" else ""  # as canonical links and the sitemap say it
    whole = _canonical(page) or home  # the page for missing addresses has none
    top = whole.removesuffix(end).removesuffix(address(language, "")) if whole else ""
    for element in page.xpath(f"{LINKS} | {ALTERNATES}"):
        element.drop_tree()
    others = [other for other in languages if other != language]
    if others:
        root = _root(name, language, top)
        for place in places:
            markup.put_behind(place, _links(place.text, file, others, root))
    if others and top:
        for other in languages:
            page.head.append(_alternate(other, address(other, top) + end))
    markup.write(path, page)


def _root(name, language, top):
    """Return the way from a page to the top of the site; the page for missing addresses is shown in any folder."""
    if top and name.as_posix() == "404.html":
        return urlsplit(top).path
    depth = len(name.parts) - 1
    return "../" * (depth if language == TOP else depth + 1)


def _links(opening, file, others, root):
    """Return the links to a page in other languages, in the element whose opening tag is given."""
    links = html.fragment_fromstring(f"{opening}</nav>")
    for other in others:
        target = f"{address(other, root)}{file}"
        link = html.Element("a", href=target, hreflang=tag(other), lang=tag(other))
        link.text = Locale.parse(other).get_language_name()
        links.append(link)
    return links


def _alternate(other, target):
    """Return what tells a search engine of the same page in another language."""
    return html.Element("link", rel="alternate", hreflang=tag(other), href=target)
