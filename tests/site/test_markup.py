"""Every built page as it stands in its file: links, ids, drawings, and what a search engine or a listener reads.

None of these tests needs a browser.
"""

import functools
from collections import Counter
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

import lxml.etree
from bookext.language import chinese
from built_site import BELOW, LANGUAGE, MISSING, PAGES, REDIRECTS, SITE, SOURCES, named, report

LINKS = "//@href[not(../@hreflang)] | //@src | //form/@action | //object/@data"


def links(name):
    """Return all links of a page that stay in the site, as (link, file, fragment)."""
    page, inside = SOURCES[name], []
    refreshes = page.xpath("//meta[translate(@http-equiv, 'R', 'r')='refresh']/@content")
    for link in [*page.xpath(LINKS), *(text.partition("url=")[2] for text in refreshes)]:
        parts = urlsplit(link.strip())
        if link in ("", "#") or parts.scheme or parts.netloc:
            continue
        path = unquote(parts.path).removeprefix(BELOW if name == MISSING else "")
        fragment = unquote(parts.fragment) if parts.path else unquote(parts.fragment).partition("?")[0]
        inside.append((link, normpath(join(dirname(name), path)) if parts.path else f"{name}.html", fragment))
    return inside


@functools.cache
def places(name):
    """Return every place of a page that a link can lead to."""
    return {str(place) for place in SOURCES[name].xpath("//@id | //a/@name")}


def test_every_link_within_the_site_leads_somewhere(source):
    problems = []
    for link, path, fragment in links(source.name):
        if path.startswith("..") or not (SITE / path).exists():
            problems.append(f"{source.name}: {link} leads to no file")
        elif fragment and (page := path.removesuffix(".html")) in SOURCES and fragment not in places(page):
            problems.append(f"{source.name}: {link} leads to no place on {path}")
    report(problems)


def test_every_page_is_linked_from_another():
    """A page that no path from the front page reaches is left over, or was never meant to be published."""
    reached, new = set(), {named("index")}
    while new:
        name = new.pop()
        reached.add(name)
        pages = {path.removesuffix(".html") for _, path, _ in links(name) if path.endswith(".html")}
        new |= (pages & set(SOURCES)) - reached
    left = set(SOURCES) - reached - {MISSING, *REDIRECTS}  # links from elsewhere lead to what leads on
    report(f"{name}: no link leads here from the front page" for name in left)


def test_the_page_for_missing_addresses_leads_to_every_page():
    """Whatever folder was asked for: where the site has an address, its links begin at the root of the server."""
    page = SOURCES[named(MISSING)]
    addresses = {link.partition("#")[0] for link in page.xpath("//article//a/@href")}
    report(
        f"404: no way to {name}"
        for name in PAGES
        if name.startswith("chapters/") and f"{BELOW}{name}.html" not in addresses
    )


def test_no_id_stands_twice_on_a_page(source):
    ids = Counter(source.page.xpath("//@id"))
    report(f"{source.name}: the id {name!r} stands {times} times" for name, times in ids.items() if times > 1)


def test_a_picture_refers_to_its_own_parts(source):
    """A reference into another picture breaks when that one is hidden: a marker or a clipping edge disappears."""
    problems = []
    for svg in source.page.xpath("//article//*[local-name()='svg']"):
        own = set(svg.xpath(".//@id"))
        for value in svg.xpath(".//@*[contains(., '#')]"):
            attribute = value.attrname.rpartition("}")[2].rpartition(":")[2]
            names = [value[1:]] if attribute == "href" and value.startswith("#") else []
            names += [part.partition(")")[0] for part in value.split("url(#")[1:]]
            label = (svg.get("aria-label") or "without description")[:60]
            problems += [f"{source.name}: {n} is not in the picture: {label}" for n in names if n not in own]
        for style in svg.xpath(".//@style[contains(., 'url(#') and contains(., 'opacity')]"):
            problems.append(f"{source.name}: a pattern with an opacity is black or white in some PDF: {style}")
    for link in source.page.xpath("//figure//a[contains(@class, 'figure-svg')]/@href"):
        lxml.etree.parse(SITE / dirname(source.name) / link)
    without = source.page.xpath("//figure[.//svg[@role='img']][not(.//a[contains(@class, 'figure-svg')])]/@id")
    problems += [f"{source.name}: {figure} cannot be had as SVG" for figure in without]
    report(problems)


def test_a_page_can_be_told_from_others():
    """In a list of results, by its title and its description; and its language is that of the edition."""
    named("index")
    for what in ("//head/title/text()", "//meta[@name='description']/@content"):
        texts = Counter(str(text) for name in PAGES for text in SOURCES[name].xpath(what)[:1])
        report(f"{text!r} stands on {times} pages" for text, times in texts.items() if times > 1 or not text.strip())
    report(
        f"{name}: its language is {page.get('lang')}" for name, page in SOURCES.items() if page.get("lang") != LANGUAGE
    )
    described = {name for name in PAGES if SOURCES[name].xpath("//meta[@name='description']")}
    report(f"{name}: no description" for name in PAGES if name.startswith("chapters/") and name not in described)


def test_chinese_words_say_that_they_are_chinese(source):
    """Or they are read aloud, and drawn, as the language of the page."""
    outside = "".join(f"[not(ancestor::{name})]" for name in ("script", "style", "pre", "code", "svg", "math"))
    texts = source.page.xpath(f"//body//text(){outside}[not(ancestor::*[@lang][1][starts-with(@lang, 'zh')])]")
    report(f"{source.name}: {text.strip()[:60]}" for text in texts if chinese.SIGN.search(text))
