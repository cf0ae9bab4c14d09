"""The ledger of claims and the famous mistakes, as built: every claim decided by a check that was executed."""

import re

import pytest
import yaml
from built_site import PAGES, ROOT, SOURCES, named, report

CLAIMS = yaml.safe_load((ROOT / "chapters" / "claims.yml").read_text(encoding="utf-8"))
CLAIMS.pop("sources")
LEDGER, MISTAKES = "chapters/claims", "chapters/famous-mistakes"


def plain(string):
    """Text without the typography that a page adds and the marks that it reads."""
    for curly, straight in (("“", '"'), ("”", '"'), ("‘", "'"), ("’", "'"), ("…", "..."), ("–", "-"), ("`", "")):
        string = string.replace(curly, straight)
    return re.sub(r"\s+", " ", string.strip().replace("---", "-").replace("--", "-"))


def has(name):
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


@pytest.fixture(scope="module")
def ledger():
    return SOURCES[named(LEDGER if LEDGER in SOURCES else None)]


@pytest.fixture(scope="module")
def shown():
    """Every check line of every page: (page, anchor) → its law, figure and claims."""
    lines = {}
    for name in PAGES:
        for line in SOURCES[name].xpath(f"//p[{has('check')}]"):
            law, figure = (line.xpath(f"string(.//*[{has(f'check-{part}')}])") for part in ("law", "figure"))
            lines[name, line.get("id")] = (law, figure, set(line.get("data-claims").split()))
    return lines


def test_every_checkable_claim_is_decided_by_an_executed_check(shown):
    decided = {claim for _, _, claims in shown.values() for claim in claims}
    due = {key for key, claim in CLAIMS.items() if claim["verdict"] != "uncheckable"}
    report(f"{key} ({CLAIMS[key]['chapter']}) is decided by no executed check" for key in sorted(due - decided))
    report(f"{key} is named by a check and is not in the ledger" for key in sorted(decided - set(CLAIMS)))
    report(f"{key} is called uncheckable, and a check names it" for key in sorted((decided & set(CLAIMS)) - due))


def test_every_check_has_an_address_of_its_own(shown):
    report(f"{page}: the check {law!r} has no id" for (page, anchor), (law, *_) in shown.items() if not anchor)
    for (page, anchor), (law, *_) in shown.items():
        links = SOURCES[page].xpath(f"//p[@id=$id]//a[{has('check-mark')}]/@href", id=anchor)
        assert links == [f"#{anchor}"], f"{page}: the check {law!r} does not link to itself"


def test_the_ledger_shows_every_claim_once_in_full(ledger):
    items = ledger.xpath(f"//li[{has('claim')}]")
    assert sorted(item.get("id").upper() for item in items) == sorted(CLAIMS)
    for item in items:
        claim, words = CLAIMS[item.get("id").upper()], plain(item.text_content())
        for part in (claim["claim"], claim["figure"], claim.get("reason", ""), claim.get("corrected", "")):
            assert plain(part) in words, f"{item.get('id')}: the ledger does not say {part!r}"
        assert f"is-{claim['verdict']}" in item.get("class").split(), item.get("id")


def test_every_row_leads_to_the_checks_that_decide_it(ledger, shown):
    for item in ledger.xpath(f"//li[{has('claim')}]"):
        key, found = item.get("id").upper(), set()
        for link in item.xpath(f".//ul[{has('deciding')}]//a"):
            page, _, anchor = link.get("href").partition("#")
            name = f"chapters/{page.removesuffix('.html')}" if page else LEDGER
            assert (name, anchor) in shown, f"{key}: {link.get('href')} leads to no check"
            law, figure, claims = shown[name, anchor]
            assert key in claims, f"{key}: the check {law!r} does not decide it"
            assert figure in link.getparent().text_content(), f"{key}: another figure than the check's, {figure}"
            found.add((name, anchor))
        due = {where for where, (_, _, claims) in shown.items() if key in claims}
        assert found == due, f"{key}: the ledger and the pages do not name the same checks"


def test_every_number_on_a_check_leads_to_its_claim(ledger):
    known = {item.get("id") for item in ledger.xpath(f"//li[{has('claim')}]")}
    links = [(n, a) for n in PAGES for a in SOURCES[n].xpath(f"//p[{has('check')}]//a[{has('check-claim')}]")]
    assert links
    for name, link in links:
        assert link.get("href") == f"claims.html#{link.text.lower()}", f"{name}: {link.get('href')}"
        assert link.text.lower() in known, f"{name}: {link.text} is not in the ledger"


def test_the_contradictions_are_decided_on_both_sides(ledger):
    entries = yaml.safe_load((ROOT / "chapters" / "contradictions.yml").read_text(encoding="utf-8"))
    assert len(entries) >= 21, f"{len(entries)} contradictions; the sources have 21"
    for entry in entries:
        item = ledger.xpath("//li[@id=$id]", id=entry["id"].lower())
        assert len(item) == 1, f"{entry['id']} is not on the page once"
        assert len({said["claim"] for said in entry["says"]}) >= 2, f"{entry['id']}: one side only"
        assert item[0].xpath(f".//ul[{has('deciding')}]//a"), f"{entry['id']}: no check decides it"


@pytest.fixture(scope="module")
def page(open_page):
    page = open_page(LEDGER)
    yield page
    page.context.close()


COUNT = "[...document.querySelectorAll('li.claim')].filter((li) => li.checkVisibility()).map((li) => li.id)"


def test_the_filter_shows_what_was_chosen(page):
    everything = page.evaluate(COUNT)
    assert len(everything) == len(CLAIMS)
    page.get_by_label("Verdict").select_option("wrong")
    wrong = {key for key, claim in CLAIMS.items() if claim["verdict"] == "wrong"}
    assert {name.upper() for name in page.evaluate(COUNT)} == wrong
    assert page.locator(".claims-filter output").inner_text() == f"{len(wrong)} of {len(CLAIMS)} claims"
    page.get_by_label("Source").select_option("S0")
    assert {name.upper() for name in page.evaluate(COUNT)} == {key for key in wrong if key.startswith("S0")}
    page.get_by_label("Source").select_option("all")
    page.get_by_label("Chapter").select_option("Why √dₖ")
    assert {n.upper() for n in page.evaluate(COUNT)} == {k for k in wrong if CLAIMS[k]["chapter"] == "sqrt-dk-scaling"}
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert {n.upper() for n in page.evaluate(COUNT)} == {k for k in wrong if CLAIMS[k]["chapter"] == "sqrt-dk-scaling"}
    page.get_by_label("Verdict").select_option("all")
    page.get_by_label("Chapter").select_option("all")
    page.get_by_label("Words").fill("s1-067")
    assert page.evaluate(COUNT)[0] == "s1-067"
    page.get_by_label("Words").fill("no such words anywhere")
    assert page.evaluate(COUNT) == []


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
        laws = [line.xpath(f"string(.//*[{has('check-law')}])") for line in lines]
        assert any(law.startswith("wrong") or "≠" in law for law in laws), (
            f"{section.get('id')}: no wrong version fails"
        )
        assert len(laws) >= 2, f"{section.get('id')}: no right version holds"


def test_the_table_of_counts_leads_to_the_chapters_by_their_titles():
    rows = SOURCES[named("chapters/claims")].xpath("//table//tr[td//a[contains(@href, '.html')]]")
    assert rows, "chapters/claims: no row of a table leads to a chapter"
    for row in rows:
        link, words = row.xpath("string(.//a/@href)"), row.xpath("string(.//a)").strip()
        title = SOURCES[f"chapters/{link.removesuffix('.html')}"].xpath("string((//h1)[1])").removesuffix("#").strip()
        assert title.endswith(words), f"chapters/claims: {words!r} leads to {title!r}"
    claims = len(SOURCES["chapters/claims"].find_class("claim"))
    assert sum(int(row.xpath("string(td[last()])")) for row in rows) == claims
