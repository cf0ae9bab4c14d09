"""Finding one's way: the list of results, addresses of boxes and pages, and cards shown elsewhere."""

import re
from pathlib import Path
from types import SimpleNamespace

import lxml.html
import pytest
from bookext.theme import social
from bookext.theme.builder import SiteBuilder
from bookext.write import launch
from built_site import ADDRESS, MISSING, PAGES, SITE, SOURCES, has_class, is_translated, named, report

RESULTS = ("definition", "theorem", "lemma", "proposition", "corollary")
BOOK = [name for name in PAGES if name not in {"search", MISSING, "genindex"}] or [None]
TITLE = "p[@class='admonition-title']"


def boxes(name, kinds):
    """Return the numbered boxes of a page that are of some kinds."""
    return [
        box
        for box in SOURCES[name].xpath(f"//article//div[@id][{has_class('admonition')}]")
        if set(kinds) & set(box.get("class").split())
    ]


def test_every_result_is_listed():
    """Every numbered box of a chapter is on the page of theorems, with a link to where it stands.

    An edition lists what it has translated.
    """
    page = SOURCES[named("chapters/results")]
    listed = set(page.xpath(f"//article//div[{has_class('proof')}]/{TITLE}//a/@href"))
    places = {
        f"{name.removeprefix('chapters/')}.html#{box.get('id')}"
        for name in PAGES
        if name != "chapters/results" and not name.startswith("chapters/audit")
        for box in filter(is_translated, boxes(name, RESULTS))
    }
    assert places
    report(f"chapters/results: {place} is not listed" for place in places - listed)


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("chapters/")] or [None])
def test_boxes_formulas_and_checks_have_addresses(name):
    page, problems = SOURCES[named(name)], []
    for box in boxes(name, (*RESULTS, "exercise")):
        if not box.xpath(f"./{TITLE}/a[@class='headerlink'][@href=concat('#', ../../@id)]"):
            problems.append(f"{name}: the box {box.get('id')} has no link to itself")
    for number in page.xpath("//span[@class='eqno']"):
        if not number.xpath("a[@class='headerlink'][starts-with(@href, '#')]"):
            problems.append(f"{name}: formula {number.text_content()} has no link to itself")
    for line in page.xpath("//p[@data-kind]"):
        if not line.xpath("a[contains(@class, 'check-mark')][@href=concat('#', ../@id)]"):
            problems.append(f"{name}: a check has no link to itself: {line.text_content()[:60]}")
    report(problems)


@pytest.mark.parametrize("name", BOOK)
def test_a_page_has_a_card_and_one_address(name):
    """What is shown where somebody links to it; a site that knows no address says none."""
    page = SOURCES[named(name)]
    tags = {m.get("property"): m.get("content") for m in page.xpath("//meta[starts-with(@property, 'og:')]")}
    missing = {"og:title", "og:description", "og:image", "og:image:alt", "og:site_name"} - set(tags)
    assert not missing, f"{name}: the page lacks {', '.join(sorted(missing))}"
    picture = SITE / (tags["og:image"].removeprefix(ADDRESS) if ADDRESS else Path(name).parent / tags["og:image"])
    assert picture.read_bytes().startswith(b"\x89PNG"), f"{name}: {tags['og:image']} is no picture"
    expected = [ADDRESS + f"{name}.html".removeprefix("index.html")] if ADDRESS else []
    assert page.xpath("//link[@rel='canonical']/@href") == expected, f"{name}: the canonical address"
    assert [tags[key] for key in ("og:url",) if key in tags] == expected, f"{name}: the address of the card"


def test_the_page_for_missing_addresses_has_none_and_is_not_to_be_found():
    page = SOURCES[named(MISSING)]
    assert page.xpath("//link[@rel='canonical']") == []
    assert "noindex" in page.xpath("string(//meta[@name='robots']/@content)")


def test_the_sitemap_has_the_address_of_every_page():
    sitemap = SITE / "sitemap.xml"
    named("index")
    listed = re.findall("<loc>(.*?)</loc>", sitemap.read_text("utf-8")) if sitemap.is_file() else []
    assert sorted(listed) == sorted(ADDRESS + f"{name}.html".removeprefix("index.html") for name in BOOK if ADDRESS)


@pytest.fixture
def addressed(tmp_path, monkeypatch):
    """addressed(address, repository="", name=…): the page `name` as the parts that need an address make it."""

    def addressed(address, repository="", name="chapters/a"):
        monkeypatch.setenv("BOOK_ADDRESS", address)
        monkeypatch.setenv("BOOK_REPOSITORY", repository)
        config = SimpleNamespace(
            html_baseurl="", book_repository="", root_doc="chapters/index", language="en", html_theme_options={}
        )
        launch._read_addresses(None, config)
        builder = object.__new__(SiteBuilder)
        builder.config = config
        env = SimpleNamespace(found_docs={"chapters/a", "chapters/index"})
        app = SimpleNamespace(config=config, builder=builder, outdir=tmp_path, env=env)
        social._write_sitemap(app, None)
        page = lxml.html.document_fromstring('<html><head></head><a href="chapters/a.html">x</a><h1>T#</h1></html>')
        social.make_links_absolute(page, config.html_baseurl)
        root = config.html_baseurl or "../" * builder.get_target_uri(name).count("/")
        tags = social.tags(social.address_of(app, name), "T", "Words.", "Book", tmp_path, root)
        page.find("head").extend(lxml.html.fragments_fromstring(tags.strip()))
        return page

    return addressed


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
@pytest.mark.parametrize(("name", "file"), [("chapters/index", ""), ("chapters/a", "chapters/a.html")])
def test_an_address_gives_a_sitemap_and_whole_links(addressed, tmp_path, address, repository, site, name, file):
    """The first page has the address of the site, without a file name."""
    page, written = addressed(address, repository, name), [path.name for path in tmp_path.glob("*.???")]
    assert page.xpath("//meta[@property='og:url']/@content") == ([site + file] if site else [])
    assert page.xpath("//meta[@property='og:image']/@content")[0].startswith(site)
    assert page.xpath("//a/@href") == [re.sub("https://[^/]*", "", site) + "chapters/a.html"]
    assert sorted(written) == (["robots.txt", "sitemap.xml"] if site else [])
    if site:
        assert f"<loc>{site}{file}</loc>" in (tmp_path / "sitemap.xml").read_text("utf-8")
        assert f"{site}sitemap.xml" in (tmp_path / "robots.txt").read_text("utf-8")


def test_what_an_address_asked_for_goes_with_it(addressed, tmp_path):
    """A build with an address and then one without, into the same folder."""
    addressed("https://book.example.org")
    assert (tmp_path / "sitemap.xml").exists()
    addressed("")
    assert sorted(path.name for path in tmp_path.glob("*.???")) == []
