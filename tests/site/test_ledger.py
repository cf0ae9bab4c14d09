"""The ledger of claims and the famous mistakes, as built: every claim is decided by a check that was executed."""

import posixpath
import re

import pytest
import yaml
from bookext.audit.evidence import evidence
from built_site import PAGES, ROOT, SOURCES, has_class, named, only_english, report

AUDIT, MISTAKES = "chapters/audit", "chapters/famous-mistakes"
DECIDING = f".//ul[{has_class('deciding')}]//a/@href"


@pytest.fixture(scope="module")
def claims():
    claims = yaml.safe_load((ROOT / "chapters" / "audit" / "claims.yml").read_text(encoding="utf-8"))
    return {key: claim for key, claim in claims.items() if key != "sources"}


@pytest.fixture(scope="module")
def items(claims):
    """Every claim of the ledger as {key: its element}."""
    pages = [SOURCES[name] for name in PAGES if name.endswith("-claims")]
    items = {item.get("id").upper(): item for page in pages for item in page.xpath(f"//li[{has_class('claim')}]")}
    assert sorted(items) == sorted(claims)
    return items


@pytest.fixture(scope="module")
def labels():
    """Every check of every page: {(page, anchor): its label}."""
    return {
        (name, line.get("id")): line.get("data-label") or line.xpath(f"string(.//*[{has_class('check-law')}])")
        for name in PAGES
        for line in SOURCES[name].xpath(f"//p[{has_class('check')}]")
    }


def decided(item, labels):
    """Return the checks that the links of an entry lead to, as (page, label)."""
    places = [link.partition("#") for link in item.xpath(DECIDING)]
    names = [posixpath.normpath(f"{AUDIT}/{page.removesuffix('.html')}") for page, _, _ in places]
    return {
        (name.rpartition("/")[2], labels.get((name, anchor)))
        for name, (_, _, anchor) in zip(names, places, strict=True)
    }


@only_english
def test_every_claim_leads_to_the_checks_that_decide_it(claims, items, labels):
    for key, item in items.items():
        claim = claims[key]
        assert f"is-{claim['verdict']}" in item.get("class").split(), key
        assert decided(item, labels) == {(e.page, e.label) for e in evidence({key: claim})}, key


def test_every_contradiction_leads_to_the_claims_and_checks_that_decide_it(items, labels):
    page = SOURCES[named(f"{AUDIT}/contradictions")]
    for entry in yaml.safe_load((ROOT / "chapters" / "audit" / "contradictions.yml").read_text(encoding="utf-8")):
        (item,) = page.xpath("//li[@id=$id]", id=entry["id"].lower())
        claims = {link.rpartition("#")[2].upper() for link in item.xpath(f".//a[{has_class('claim-id')}]/@href")}
        assert claims == {said["claim"] for said in entry["says"]}, entry["id"]
        assert None not in {label for _, label in decided(item, labels) or [("", None)]}, entry["id"]


def test_every_mistake_is_caught_by_a_check():
    """Those of chapters are collected with a link to their boxes; the others stand beside their checks.

    An edition says how many it leaves out, because they stand on pages that it does not translate.
    """
    page = SOURCES[named(MISTAKES)]
    boxes = page.xpath(f"//div[{has_class('mistake')}]")
    links = [box.xpath("string(.//p[contains(@class, 'admonition-title')]/a/@href)") for box in boxes]
    elsewhere = [SOURCES[name].xpath(f"//div[{has_class('mistake')}]") for name in PAGES if name != MISTAKES]
    said = page.xpath(f"//p[{has_class('left-out')}]")
    left_out = sum(int(re.search(r"\d+", text.text_content())[0]) for text in said)
    assert sum(map(bool, links)) + left_out == sum(map(len, elsewhere)) > 0
    for box, link in zip(boxes, links, strict=True):
        checks = box.xpath(DECIDING) if link else box.xpath(f"ancestor::section[1]//p[{has_class('check')}]/@data-kind")
        assert checks, f"no check catches: {box.text_content()[:60]}"
        assert link or {"differs", "below", "refuses"} & set(checks), f"nothing fails: {box.text_content()[:60]}"


@only_english
def test_the_filter_shows_what_was_chosen(open_page, claims):
    """A choice is kept in the address, and an address chooses."""
    claims = {key: claim for key, claim in claims.items() if claim["chapter"] == "equivariance-invariance"}
    page = open_page(f"{AUDIT}/equivariance-invariance-claims")
    visible = "[...document.querySelectorAll('li.claim')].filter((li) => li.checkVisibility()).map((li) => li.id)"

    def shown():
        return {name.upper() for name in page.evaluate(visible)}

    assert shown() == set(claims)
    page.get_by_label("Verdict").select_option("wrong")
    wrong = {key for key, claim in claims.items() if claim["verdict"] == "wrong"}
    assert shown() == wrong
    page.get_by_label("Source").select_option("s2")
    both = {key for key in wrong if claims[key]["source"] == "S2"}
    assert shown() == both
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert shown() == both
    page.get_by_label("Verdict").select_option("all")
    page.get_by_label("Source").select_option("all")
    page.get_by_label("Words").fill("s1-143")
    assert "S1-143" in shown()
    page.get_by_label("Words").fill("no such words anywhere")
    assert not shown()
    report(page.log)
    page.context.close()


@pytest.mark.parametrize("old", ["audit/s4.html#s4-043", "package.html#attnfigures.kit.figure.Live.state"])
def test_a_claim_and_an_entry_are_found_where_they_once_were(open_page, old):
    name, _, anchor = old.partition(".html")
    page = open_page(f"chapters/{name}", query=anchor)
    page.wait_for_function("!!document.getElementById(location.hash.slice(1))", timeout=20_000)
    page.context.close()


@pytest.mark.parametrize("fold", ["checks", "fold"])
def test_a_link_to_a_folded_law_opens_its_line(open_page, fold):
    """Also where the browser does not open it by itself: the page's own script does."""
    folded = f"//details[{has_class(fold)}]//p[{has_class('check')}]/@id"
    name = next((name for name in PAGES if SOURCES[name].xpath(folded)), None)
    first, *_, last = SOURCES[named(name)].xpath(folded)
    page = open_page(name, query=f"#{last}")
    opened = "(id) => document.getElementById(id).closest('details').open"
    assert page.evaluate(opened, last)
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = false; })")
    page.evaluate("(id) => { location.hash = id; }", first)
    page.wait_for_function(opened, arg=first)
    page.context.close()
