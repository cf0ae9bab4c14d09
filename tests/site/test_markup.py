"""Every built page as it stands in its file: links, ids, headings, what a search engine reads, and what the build left.

None of these tests needs a browser.
"""

import functools
import re
import unicodedata
from collections import Counter
from itertools import pairwise
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

import pytest
from bookext.language import chinese
from bookext.theme.repairs import PLAIN
from built_site import BELOW, LANGUAGE, MISSING, PAGES, REDIRECTS, SITE, SOURCES, named, report

OF_THE_THEME = {"genindex", "search", "prf-prf"}  # written by Sphinx and its extensions: nobody searches for them
LINKS = "//@href[not(../@hreflang)] | //@src | //form/@action | //object/@data"


def short(element):
    """The words of an element, without the accents of `make pseudo`."""
    letters = unicodedata.normalize("NFD", element.text_content())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())[:80]


def target(name, link):
    """The file and the fragment a link of page `name` leads to, both "" for itself; None if it leads elsewhere."""
    parts = urlsplit(link.strip())
    if parts.scheme or parts.netloc:
        return None
    path = unquote(parts.path).removeprefix(BELOW if name == MISSING else "")
    path = normpath(join(dirname(name), path)) if parts.path else f"{name}.html"
    return path, unquote(parts.fragment)


def links(name):
    """All links of a page that stay in the site, as (link, file, fragment)."""
    page = SOURCES[name]
    found = [*page.xpath(LINKS), *(m.get("content").partition("url=")[2] for m in refreshes(page))]
    return [(link, *place) for link in found if link and not link.startswith("#") and (place := target(name, link))] + [
        (link, f"{name}.html", unquote(link[1:].partition("?")[0]))
        for link in found
        if link.startswith("#") and link != "#"
    ]


def refreshes(page):
    return page.xpath("//meta[translate(@http-equiv, 'R', 'r')='refresh']")


def test_every_link_within_the_site_leads_somewhere(source):
    problems = []
    for link, path, fragment in links(source.name):
        place = SITE / path
        if path.startswith("..") or not place.exists():
            problems.append(f"{source.name}: {link} leads to no file")
        elif fragment and (page := path.removesuffix(".html")) in SOURCES and fragment not in places(page):
            problems.append(f"{source.name}: {link} leads to no place on {path}")
    report(problems)


@functools.cache
def places(name):
    """Every place of a page that a link can lead to."""
    return {str(place) for place in SOURCES[name].xpath("//@id | //a/@name")}


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
    report(problems)


@pytest.mark.parametrize("name", PAGES or [None])
def test_headings_descend_one_level_at_a_time(name):
    page = SOURCES[named(name)]
    main = page.xpath("//main") or [page]
    heads = [(int(h.tag[1]), short(h)) for h in main[0].iter("h1", "h2", "h3", "h4", "h5", "h6")]
    assert heads, f"{name}: no heading"
    assert heads[0][0] == 1, f"{name}: begins with a heading of level {heads[0][0]}: {heads[0][1]}"
    report(
        f"{name}: {text!r} is of level {level} after level {before}"
        for (before, _), (level, text) in pairwise(heads)
        if level > before + 1 or level == 1
    )


NOTES = ("marginnote", "sidenote", "margin", "margin-caption", "margin_caption", "full-width", "full_width", "popout")


def test_a_page_has_nothing_that_the_build_counts_on_not_being_there(source):
    """Names of code that nobody colours, groups of a drawing that say nothing, notes in the margin, a dead button."""
    page = source.page
    shells = [span for span in page.xpath("//pre//span") if span.get("class") in PLAIN]
    shells += page.xpath("//*[local-name()='g'][not(@*)]")
    notes = [name for each in page.xpath("//@class") for name in each.split() if name.removeprefix("tag_") in NOTES]
    assert not page.xpath("//*[@id='pst-back-to-top']"), f"{source.name}: a button that no script shows: see theme.conf"
    assert not shells, (
        f"{source.name}: {len(shells)} empty shells: see PLAIN and drop_space in bookext/theme/repairs.py"
    )
    assert not notes, f"{source.name}: {notes[0]} does not react: see assets.UNUSED"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_code_without_a_span_has_its_colour(theme):
    """What repairs.PLAIN names is drawn in the colour of its box, so it needs no span."""
    sheet, site = ((SITE / "_static" / name).read_text("utf-8") for name in ("pygments.css", "site.css"))
    assert "div.highlight pre{color: inherit;" in site, "the text of a box of code has a colour of its own"
    rule = rf'html\[data-theme="{theme}"\] \.highlight{{}} {{{{[^}}}}]*?\bcolor: (#\w+)'
    colours = {name: re.findall(rule.format(name), sheet) for name in ["", *(rf" \.{name}" for name in PLAIN)]}
    assert colours[""], f"no colour for the {theme} box of code"
    assert len({tuple(found) for found in colours.values()}) == 1, f"{theme}: {colours}"


def test_a_page_says_what_it_is(source):
    """A title, a language, and a description of more than a word for those who find the page by searching."""
    page, problems = source.page, []
    if not (page.findtext("head/title") or "").strip():
        problems.append(f"{source.name}: no title")
    if page.get("lang") != LANGUAGE:
        problems.append(f"{source.name}: its language is {page.get('lang')}, not {LANGUAGE}")
    description = [str(text).strip() for text in page.xpath("//meta[@name='description']/@content")]
    if source.name not in OF_THE_THEME | set(REDIRECTS) and not (description and len(description[0]) >= 40):
        problems.append(f"{source.name}: no description, or one of fewer than 40 characters: {description}")
    report(problems)


def test_chinese_words_say_that_they_are_chinese(source):
    """Or they are read aloud, and drawn, as the language of the page."""
    kept = "".join(f"[not(ancestor::{name})]" for name in ("script", "style", "pre", "code", "svg", "math"))
    texts = source.page.xpath(f"//body//text(){kept}[not(ancestor::*[@lang][1][starts-with(@lang, 'zh')])]")
    report(f"{source.name}: {text.strip()[:60]}" for text in texts if chinese.SIGN.search(text))


def test_titles_and_descriptions_differ():
    """Two pages that call themselves the same cannot be told apart in a list of results."""
    named(PAGES[0] if PAGES else None)
    for what in ("//head/title/text()", "//meta[@name='description']/@content"):
        words = [(str(found), name) for name in PAGES for found in SOURCES[name].xpath(what)[:1]]
        twice = {text for text, times in Counter(text for text, _ in words).items() if times > 1}
        report(f"{name}: another page says this too: {text}" for text, name in words if text in twice)


def test_a_check_says_that_it_holds(source):
    """The sign alone is not read aloud, and a line without a figure has compared nothing."""
    problems = []
    for line in source.page.find_class("check"):
        figure, folded = line.find_class("check-figure"), line.getparent().find("summary")
        if "holds" not in short(line) and (folded is None or "laws hold" not in short(folded)):
            problems.append(f"{source.name}: a check that does not say it holds: {short(line)}")
        if not figure or not short(figure[0]):
            problems.append(f"{source.name}: a check without a figure: {short(line)}")
    report(problems)
