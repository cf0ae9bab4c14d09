"""Finding one's way: the map, the list of results, the glossary, addresses of boxes, and what is shown elsewhere."""

import re
from copy import deepcopy
from pathlib import Path
from posixpath import dirname, join, normpath
from types import SimpleNamespace

import lxml.html
import pytest
from bookext.theme import social
from bookext.theme.builder import SiteBuilder
from built_site import ADDRESS, BELOW, MISSING, PAGES, SITE, SOURCES, named, report

CLASS = "contains(concat(' ', normalize-space(@class), ' '), ' {} ')"
SIDEBAR = "//nav[contains(@class, 'bd-links')]"
RESULTS = ("definition", "theorem", "lemma", "proposition", "corollary")
OUTSIDE = {"search", MISSING, "genindex"}  # of the site, not of the book


def chapters():
    """The numbered pages, as the contents beside the preface name them, those that go deeper too: {page: title}."""
    page = SOURCES[named("index")]
    links = [a for a in page.xpath(f"{SIDEBAR}//a") if re.match(r"\d+\.", a.text_content().strip())]
    return {a.get("href").removesuffix(".html"): " ".join(a.text_content().split()) for a in links}


def boxes(name, words):
    """The boxes of a page that have one of the classes ``words`` and a number."""
    found = SOURCES[name].xpath(f"//article//div[@id][{CLASS.format('admonition')}]")
    return [box for box in found if set(words) & set(box.get("class").split())]


def test_the_map_shows_every_chapter_and_no_circle():
    page = SOURCES[named("index")]
    links = page.xpath(f"//svg[{CLASS.format('chapter-map')}]//a")
    drawn = [a.get("href").removesuffix(".html") for a in links]
    whole = {name: title for name, title in chapters().items() if not re.match(r"\d+\.\d", title)}
    assert drawn == list(whole), "the chapter map and the contents name different chapters"
    for link, title in zip(links, whole.values(), strict=True):
        said, _, needs = link.get("aria-label").partition(", builds on ")
        assert said == title, f"the map says {said!r}; the contents say {title!r}"
        own = int(title.partition(".")[0])
        assert all(int(number) < own for number in re.findall(r"(\d+)\. ", needs)), f"{title} builds on a later chapter"


def words(box, apart):
    """What a box says besides its title and the parts that the XPath ``apart`` finds, without spaces."""
    left = set(box.xpath(f"./p[@class='admonition-title']//text() | .{apart}//text()"))
    return "".join("".join(part for part in box.xpath(".//text()") if part not in left).split())


def statements():
    """{address of a box: (its number and title, what it says)}, from the page of theorems and definitions."""
    stated = {}
    for copy in SOURCES[named("chapters/results")].xpath(f"//article//div[{CLASS.format('proof')}]"):
        link = copy.xpath("./p[@class='admonition-title']//a/@href")[0]
        stated[link] = copy.xpath("string(./p[@class='admonition-title'])"), words(copy, "//none")
    return stated


@pytest.mark.parametrize("name", chapters())
def test_the_reading_time_is_that_of_the_words_on_the_page(name):
    """Counted anew from what a reader sees before the exercises, without pictures, code that is folded, and checks."""
    article = deepcopy(SOURCES[name].xpath("//article")[0])
    said = int(re.search(r"(\d+) m", article.xpath(".//p[@class='reading-time']")[0].text_content())[1])
    for section in article.xpath(".//section[@id='exercises']"):
        for element in (section, *section.xpath("following::*")):
            element.clear()
    figures = len(article.xpath(f".//div[{CLASS.format('live')}]"))
    folded = f"ancestor::details or ancestor::*[{CLASS.format('cell_output')}]"
    lines = sum(pre.text_content().strip().count("\n") + 1 for pre in article.xpath(f".//pre[not({folded})]"))
    for element in article.xpath(
        f".//*[self::svg or self::math or self::script or self::pre or self::style or {CLASS.format('live')}]"
    ):
        element.clear(keep_tail=True)
    words = len(article.text_content().split())
    expected = words / 200 + lines / 10 + 2 * figures
    assert expected * 0.7 - 2 < said < expected * 1.5 + 2, f"{name}: {said} minutes, and {words} words, {lines} lines"


def test_every_statement_of_the_book_is_told_in_full():
    """Every numbered box of a chapter is on the page of theorems, with its number, its title and its words."""
    stated, problems, found = statements(), [], 0
    for name in chapters():
        for box in boxes(name, RESULTS):
            place = f"{name.removeprefix('chapters/')}.html#{box.get('id')}"
            title = " ".join(box.xpath("string(./p[@class='admonition-title'])").removesuffix("#").split())
            told, said = stated.get(place, ("", ""))
            found += 1
            if " ".join(told.split()) != title:
                problems.append(f"chapters/results: {title} ({place}) is listed as {told!r}")
            elif said != words(box, "//span[@class='eqno']"):
                problems.append(f"chapters/results: {title} says {said[:60]!r}")
    assert found == len(stated) > 50, f"chapters/results: {len(stated)} statements; the chapters have {found}"
    report(problems)


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("chapters/")] or [None])
def test_boxes_formulas_and_checks_have_addresses(name):
    page, problems = SOURCES[named(name)], []
    for box in boxes(name, (*RESULTS, "exercise")):
        if not box.xpath("./p[@class='admonition-title']/a[@class='headerlink'][@href=concat('#', ../../@id)]"):
            problems.append(f"{name}: the box {box.get('id')} has no link to itself")
    for number in page.xpath("//span[@class='eqno']"):
        if not number.xpath("a[@class='headerlink'][starts-with(@href, '#')]"):
            problems.append(f"{name}: formula {number.text_content()} has no link to itself")
    for line in page.xpath("//p[@data-kind]"):
        if not line.xpath("a[contains(@class, 'check-mark')][@href=concat('#', ../@id)]"):
            problems.append(f"{name}: a check has no link to itself: {line.text_content()[:60]}")
    report(problems)


@pytest.mark.parametrize("name", list(chapters()) if "index" in PAGES else [None])
def test_the_first_use_of_a_term_leads_to_the_glossary(name):
    """A chapter links to the glossary, and to each of its terms once."""
    links = SOURCES[named(name)].xpath(f"//article//a[{CLASS.format('glossary-term')}]/@href")
    assert links or "/deeper/" in name, f"{name}: no term of the glossary is linked"
    assert len(links) == len(set(links)), f"{name}: a term is linked twice"
    assert all(re.match(r"(\.\./)?notation\.html#term-", link) for link in links), f"{name}: {links}"


@pytest.mark.parametrize("name", [name for name in PAGES if name not in OUTSIDE] or [None])
def test_a_link_to_a_page_shows_a_card(name):
    page = SOURCES[named(name)]
    tags = {m.get("property"): m.get("content") for m in page.xpath("//meta[starts-with(@property, 'og:')]")}
    missing = {"og:title", "og:description", "og:image", "og:image:alt", "og:site_name"} - set(tags)
    assert not missing, f"{name}: the page lacks {', '.join(sorted(missing))}"
    assert tags["og:description"] == page.xpath("string(//meta[@name='description']/@content)"), f"{name}: other words"
    picture = SITE / (tags["og:image"].removeprefix(ADDRESS) if ADDRESS else Path(name).parent / tags["og:image"])
    assert picture.read_bytes().startswith(b"\x89PNG"), f"{name}: {tags['og:image']} is no picture"


def places():
    """{page: its whole address}; the first page has that of the site. Empty where the site was built without one."""
    names = [name for name in PAGES if ADDRESS and name not in OUTSIDE]
    return {name: ADDRESS + f"{name}.html".removeprefix("index.html") for name in names}


@pytest.mark.parametrize("name", [name for name in PAGES if name not in OUTSIDE] or [None])
def test_a_page_has_one_address(name):
    """In the link that is canonical and in its card; a site that knows no address says none."""
    page = SOURCES[named(name)]
    found = page.xpath("//link[@rel='canonical']/@href"), page.xpath("//meta[@property='og:url']/@content")
    expected = [places()[name]] if ADDRESS else []
    assert found == (expected, expected), f"{name}: the canonical address, and that of the card"


def test_the_sitemap_has_the_address_of_every_page():
    named("index")
    sitemap = SITE / "sitemap.xml"
    listed = re.findall("<loc>(.*?)</loc>", sitemap.read_text("utf-8")) if sitemap.is_file() else []
    assert sorted(listed) == sorted(places().values())


def test_the_address_of_the_site_is_the_preface():
    """The first page is a page, found by search engines, under one title; what was its address leads there."""
    page, old = SOURCES[named("index")], SOURCES[named("chapters/index")]
    (heading,) = page.xpath("//main//h1")
    assert [" ".join(title.text.split()) for title in page.xpath("//title")] == [heading.text]
    for what in ("meta[@name='description']", "meta[@property='og:image']", "meta[@property='og:title']"):
        assert len(page.xpath(f"//head/{what}")) == 1, what
    assert not page.xpath("//meta[@name='robots' or translate(@http-equiv, 'R', 'r')='refresh']")
    assert old.xpath("//link[@rel='canonical']/@href") == [ADDRESS or "../index.html"]
    assert old.xpath("//meta[@http-equiv='refresh']/@content") == ["0; url=../index.html"]


def test_no_link_leads_to_the_old_address_of_the_preface():
    for name in PAGES:
        links = {link.partition("#")[0] for link in SOURCES[name].xpath("//a/@href")}
        links = {link.removeprefix(BELOW if name == MISSING else "") for link in links if ":" not in link}
        places = {normpath(join(dirname(name), link)) for link in links}
        assert "chapters/index.html" not in places, f"{name} links to the old address of the preface"


def test_the_page_for_missing_addresses_leads_to_every_page():
    """Whatever folder was asked for: where the site has an address, its links begin at the root of the server."""
    links = {link.partition("#")[0] for link in SOURCES[named(MISSING)].xpath("//article//a/@href")}
    missing = {f"{BELOW}{name}.html" for name in PAGES if name.startswith("chapters/")} - links
    assert f"{BELOW}search.html" in links, "404: no way to the search"
    assert not missing, f"404: no way to {', '.join(sorted(missing))}"


@pytest.fixture
def addressed(tmp_path, monkeypatch):
    """addressed(address, repository="", name=…): the page `name` as the parts that need an address make it."""

    def addressed(address, repository="", name="chapters/a"):
        monkeypatch.setenv("BOOK_ADDRESS", address)
        config = SimpleNamespace(html_baseurl="", book_repository=repository, root_doc="chapters/index", language="en")
        social._read_address(None, config)
        builder = object.__new__(SiteBuilder)
        builder.config = config
        env = SimpleNamespace(found_docs={"chapters/a", "chapters/index"})
        app = SimpleNamespace(config=config, builder=builder, outdir=tmp_path, env=env)
        social._write_sitemap(app, None)
        text = '<html><head></head><body><a href="chapters/a.html">x</a><h1>T#</h1></body></html>'
        page = lxml.html.document_fromstring(text)
        social.make_links_absolute(page, config.html_baseurl)
        place = social.address_of(app, name)
        root = config.html_baseurl or "../" * builder.get_target_uri(name).count("/")
        tags = social.tags(place, "T", "Words.", "Book", tmp_path, root)
        page.find("head").extend(lxml.html.fragments_fromstring(tags.strip()))
        return page

    return addressed


def test_an_address_gives_a_sitemap_and_whole_links(addressed, tmp_path):
    page = addressed("https://example.org/book")
    assert page.xpath("//a/@href") == ["/book/chapters/a.html"]
    assert page.xpath("//meta[@property='og:url']/@content") == ["https://example.org/book/chapters/a.html"]
    assert page.xpath("//meta[@property='og:image']/@content")[0].startswith("https://example.org/book/_images/card-")
    assert "<loc>https://example.org/book/chapters/a.html</loc>" in (tmp_path / "sitemap.xml").read_text("utf-8")
    assert "Sitemap: https://example.org/book/sitemap.xml" in (tmp_path / "robots.txt").read_text("utf-8")


@pytest.mark.parametrize("address", ["", "https://example.org"])
def test_a_repository_has_its_address_on_pages_unless_another_is_given(addressed, tmp_path, address):
    addressed(address, "https://github.com/owner/name")
    expected = f"{address or 'https://owner.github.io/name'}/chapters/a.html"
    assert f"<loc>{expected}</loc>" in (tmp_path / "sitemap.xml").read_text("utf-8")


@pytest.mark.parametrize(
    ("address", "repository", "site"),
    [
        ("", "https://github.com/fork/book", "https://fork.github.io/book/"),
        ("https://book.example.org", "https://github.com/fork/book", "https://book.example.org/"),
        ("https://example.org/courses/2027", "", "https://example.org/courses/2027/"),
        ("", "", ""),
    ],
    ids=["fork", "custom domain", "subfolder", "folder"],
)
def test_the_preface_has_the_address_of_the_site(addressed, tmp_path, address, repository, site):
    """Its canonical address, in its card and in the sitemap, is that of the site, without a file name."""
    page = addressed(address, repository, "chapters/index")
    assert page.xpath("//meta[@property='og:url']/@content") == ([site] if site else [])
    assert page.xpath("//meta[@property='og:image']/@content")[0].startswith(f"{site}_images/card-")
    if site:
        assert f"<loc>{site}</loc>" in (tmp_path / "sitemap.xml").read_text("utf-8")


def test_without_an_address_there_is_no_sitemap(addressed, tmp_path):
    addressed("")
    assert not (tmp_path / "sitemap.xml").exists()
    assert not (tmp_path / "robots.txt").exists()


def test_a_wrong_address_is_named(addressed):
    with pytest.raises(ValueError, match=r"'www\.example\.org'; expected one that begins with https://"):
        addressed("www.example.org")
