"""The ledger of claims and the famous mistakes, as built: every claim decided by a check that was executed."""

import posixpath
import re

import pytest
import yaml
from bookext.collect.evidence import evidence
from built_site import PAGES, ROOT, SOURCES, named, report

CLAIMS = yaml.safe_load((ROOT / "chapters" / "audit" / "claims.yml").read_text(encoding="utf-8"))
CLAIMS.pop("sources")
AUDIT, MISTAKES = "chapters/audit", "chapters/famous-mistakes"
OF_SOURCE = {key: f"{AUDIT}/{key[:2].lower()}" for key in CLAIMS}  # the page of each claim


def plain(string):
    """Text without the typography that a page adds and the marks that it reads."""
    for curly, straight in (("“", '"'), ("”", '"'), ("‘", "'"), ("’", "'"), ("…", "..."), ("–", "-"), ("`", "")):
        string = string.replace(curly, straight)
    return re.sub(r"\s+", " ", string.strip().replace("---", "-").replace("--", "-"))


def has(name):
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


@pytest.fixture(scope="module")
def items():
    """Every claim of the ledger as {key: its element}."""
    found = [item for name in sorted(set(OF_SOURCE.values())) for item in page_of(name).xpath(f"//li[{has('claim')}]")]
    assert sorted(item.get("id").upper() for item in found) == sorted(CLAIMS)
    return {item.get("id").upper(): item for item in found}


def page_of(name):
    """A parsed page; the test fails where it is not built."""
    return SOURCES[named(name if name in SOURCES else None)]


@pytest.fixture(scope="module")
def shown():
    """Every check of every page: (page, anchor) → its law and figure."""
    lines = {}
    for name in PAGES:
        for line in SOURCES[name].xpath(f"//p[{has('check')}]"):
            law, figure = (line.xpath(f"string(.//*[{has(f'check-{part}')}])") for part in ("law", "figure"))
            lines[name, line.get("id")] = (law, figure)
    return lines


def test_every_check_has_an_address_of_its_own(shown):
    assert len(shown) > 1000
    report(f"{page}: the check {law!r} has no id" for (page, anchor), (law, _) in shown.items() if not anchor)
    for name in PAGES:
        for line in SOURCES[name].xpath(f"//p[{has('check')}]"):
            links = line.xpath(f"a[{has('check-mark')}]/@href")
            assert links == [f"#{line.get('id')}"], f"{name}: {line.text_content()!r} does not link to itself"


def test_several_laws_of_a_cell_are_one_line_that_opens():
    for name in PAGES:
        for box in SOURCES[name].xpath(f"//*[{has('checks')}]"):
            laws = len(box.xpath(f"p[{has('check')}]"))
            assert box.tag == ("details" if laws > 1 else "div"), f"{name}: {laws} laws"
            if laws > 1:
                assert box.get("open") is None, f"{name}: a line of checks is open from the start"
                assert f" {laws} " in box.find("summary").text_content()


def test_no_page_but_the_audit_names_a_source():
    """The numbers of claims belong to the record."""
    report(
        f"{name}: the checks name {text!r}"
        for name in PAGES
        if not name.startswith(AUDIT)
        for text in SOURCES[name].xpath(f"//*[{has('checks')}]//text()")
        if re.search(r"\bS\d-\d{3}\b", text)
    )


def test_the_ledger_shows_every_claim_in_full(items):
    for key, item in items.items():
        claim, words = CLAIMS[key], plain(item.text_content())
        for part in (claim["claim"], claim["figure"], claim.get("reason", ""), claim.get("corrected", "")):
            assert plain(part) in words, f"{key}: the ledger does not say {part!r}"
        assert f"is-{claim['verdict']}" in item.get("class").split(), key


def test_every_claim_leads_to_the_checks_that_decide_it(items, shown):
    for key, item in items.items():
        found = set()
        for link in item.xpath(f".//ul[{has('deciding')}]//a"):
            page, _, anchor = link.get("href").partition("#")
            name = posixpath.normpath(f"{AUDIT}/{page.removesuffix('.html')}")
            assert (name, anchor) in shown, f"{key}: {link.get('href')} leads to no check"
            law, figure = shown[name, anchor]
            assert figure in link.getparent().text_content(), f"{key}: another figure than the check's, {figure}"
            found.add((name.rpartition("/")[2], law))
        due = {(e.page, e.law) for e in evidence({key: CLAIMS[key]})}
        assert found == due, f"{key}: the ledger and claims.yml do not name the same checks"


def test_the_contradictions_are_decided_on_both_sides(items):
    page = page_of(f"{AUDIT}/contradictions")
    entries = yaml.safe_load((ROOT / "chapters" / "audit" / "contradictions.yml").read_text(encoding="utf-8"))
    assert len(entries) >= 21, f"{len(entries)} contradictions; the sources have 21"
    for entry in entries:
        found = page.xpath("//li[@id=$id]", id=entry["id"].lower())
        assert len(found) == 1, f"{entry['id']} is not on the page once"
        assert len({said["claim"] for said in entry["says"]}) >= 2, f"{entry['id']}: one side only"
        assert found[0].xpath(f".//ul[{has('deciding')}]//a"), f"{entry['id']}: no check decides it"
        words = " ".join(found[0].text_content().split())
        assert all(f"{side}: {', '.join(keys)}" in words for side, keys in entry["sides"].items()), entry["id"]
        links = found[0].xpath(f".//a[{has('claim-id')}]")
        assert [link.get("href") for link in links] == [
            f"{said['claim'][:2].lower()}.html#{said['claim'].lower()}" for said in entry["says"]
        ]


@pytest.fixture(scope="module")
def page(open_page):
    page = open_page(f"{AUDIT}/s1")
    yield page
    page.context.close()


COUNT = "[...document.querySelectorAll('li.claim')].filter((li) => li.checkVisibility()).map((li) => li.id)"


def test_the_contents_beside_a_page_of_claims_name_chapters_by_their_titles():
    links = page_of(f"{AUDIT}/s0").xpath("//*[@id='pst-page-toc-nav']//a")
    titles = [" ".join(link.text_content().split()) for link in links]
    assert "Equivariance and invariance" in titles
    assert not [title for title in titles if re.fullmatch(r"[a-z-]+", title)]


def test_the_filter_shows_what_was_chosen(page):
    """A choice is kept in the address, and an address chooses."""
    claims = {key: claim for key, claim in CLAIMS.items() if claim["source"] == "S1"}

    def chosen():
        return {name.upper() for name in page.evaluate(COUNT)}

    assert len(page.evaluate(COUNT)) == len(claims)
    page.get_by_label("Verdict").select_option("wrong")
    wrong = {key for key, claim in claims.items() if claim["verdict"] == "wrong"}
    assert chosen() == wrong
    assert page.locator(".claims-filter output").inner_text() == f"{len(wrong)} of {len(claims)} claims"
    page.get_by_label("Chapter").select_option("sqrt-dk-scaling")
    both = {key for key in wrong if claims[key]["chapter"] == "sqrt-dk-scaling"}
    assert chosen() == both
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert chosen() == both
    page.get_by_label("Verdict").select_option("all")
    page.get_by_label("Chapter").select_option("all")
    page.get_by_label("Words").fill("s1-067")
    assert page.evaluate(COUNT)[0] == "s1-067"
    page.get_by_label("Words").fill("no such words anywhere")
    assert page.evaluate(COUNT) == []


def test_a_link_to_a_folded_law_opens_its_line(open_page, shown):
    """Also where the browser does not open it by itself: the page's own script does."""
    name = "chapters/permutation-matrices"
    folded = page_of(name).xpath(f"//details[{has('checks')}]/p[{has('check')}]/@id")
    page = open_page(name, query=f"#{folded[-1]}")
    box = page.locator("details.checks", has=page.locator(f"[id='{folded[-1]}']"))
    assert box.get_attribute("open") is not None
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = false; })")
    page.evaluate("(id) => { location.hash = id; }", folded[0])
    page.wait_for_function("(id) => document.getElementById(id).closest('details').open", arg=folded[0])
    page.context.close()


def test_the_page_of_mistakes_has_every_box_with_symptom_and_catch():
    boxes = {name: SOURCES[name].xpath(f"//div[{has('mistake')}]") for name in PAGES if name != MISTAKES}
    collected = SOURCES[named(MISTAKES if MISTAKES in SOURCES else None)].xpath(f"//div[{has('mistake')}]")
    linked = [box for box in collected if box.xpath(f".//p[{has('admonition-title')}]/a")]
    assert len(linked) == sum(map(len, boxes.values())) >= 9
    for box in linked:
        title = box.xpath(f"string(.//p[{has('admonition-title')}])")
        page, _, anchor = box.xpath(f".//p[{has('admonition-title')}]/a/@href")[0].partition("#")
        assert SOURCES[f"chapters/{page.removesuffix('.html')}"].xpath("//*[@id=$id]", id=anchor), title
        assert box.xpath(f".//ul[{has('deciding')}]//a"), f"{title}: no check catches it"
    for box in collected:
        words = re.sub(r"\s+", " ", box.text_content())
        assert "Symptom." in words, words[:80]
        assert "What catches it." in words, words[:80]


def test_every_mistake_of_the_page_itself_is_caught_beside_it():
    page = SOURCES[named(MISTAKES if MISTAKES in SOURCES else None)]
    sections = page.xpath(f"//section[div[{has('mistake')}]][not(.//p[{has('admonition-title')}]/a)]")
    assert len(sections) >= 8
    for section in sections:
        lines = section.xpath(f".//p[{has('check')}]")
        kinds = [line.get("data-kind") for line in lines]
        assert {"differs", "below", "refuses"} & set(kinds), f"{section.get('id')}: no wrong version fails"
        assert len(kinds) >= 2, f"{section.get('id')}: no right version holds"


def test_the_tables_of_counts_lead_to_pages_by_their_titles():
    rows = page_of(f"{AUDIT}/ledger").xpath("//table//tr[td//a[contains(@href, '.html')]]")
    assert len(rows) == 5 + 8, "chapters/audit/ledger: a row for each source and each chapter"
    for row in rows:
        link, words = row.xpath("string(.//a/@href)"), row.xpath("string(.//a)").strip()
        name = posixpath.normpath(f"{AUDIT}/{link.removesuffix('.html')}")
        title = SOURCES[name].xpath("string((//h1)[1])").removesuffix("#").strip()
        assert title.endswith(words), f"chapters/audit/ledger: {words!r} leads to {title!r}"
    assert sum(int(row.xpath("string(td[last()])")) for row in rows) == 2 * len(CLAIMS)
