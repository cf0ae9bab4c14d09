"""The search: what readers ask leads to the page that answers it, from a server and from a folder."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from bookext.language import editions
from built_site import AXE, DESK, LANGUAGE, PAGES, PHONE, SITE, SOURCES, named, only_english, report

INDEX = SITE / "_static" / "search-index.js"
# As people type them, and the pages that answer.
QUESTIONS = Path(__file__).with_name("questions.json" if LANGUAGE == editions.TOP else f"questions-{LANGUAGE}.json")
FIRST = """bookSearch.ready.then(() =>
  [...document.querySelectorAll("#search-results a")].map((link) => link.getAttribute("href")))"""
FOUND = """(queries) => bookSearch.ready.then(() =>
  queries.map((query) => bookSearch.search(query).map((entry) => entry.address)))"""


@pytest.fixture(scope="module")
def page(open_page):
    """The search page, from its folder."""
    page = open_page(named("search"))
    yield page
    page.context.close()


def index():
    """The index as it is written: {address: [kind, title, boxes, text]}, and the groups of synonyms."""
    data = json.loads(INDEX.read_text("utf-8").removeprefix("const searchIndex = ").removesuffix(";\n"))
    entries = {}
    for one in data["pages"]:
        entries |= {f"{one['address']}#{anchor}".removesuffix("#"): entry for anchor, *entry in one["entries"]}
    return entries, data["synonyms"]


def search(page, query):
    """Return the addresses that a query leads to, best first."""
    page.locator("main input[type=search]").fill(query)
    return page.evaluate(FIRST)


@pytest.mark.skipif(not QUESTIONS.exists(), reason="nobody has written questions in this language")
def test_what_readers_ask_leads_to_a_page_that_answers(page):
    """Of a hundred questions 96, among the first three; no question leads to the record."""
    questions, missed, wrong = json.loads(QUESTIONS.read_text("utf-8")), [], []
    found = page.evaluate(FOUND, list(questions))
    for (question, answer), places in zip(questions.items(), found, strict=True):
        first = places[:3]
        if not any(re.match(rf"chapters/({answer}|notation)", link) for link in first):
            missed.append(f"{question!r} leads to {first}, not to {answer}")
        wrong += [f"{question!r} leads to {link}" for link in first if "/audit/" in link]
    report([*(missed if len(missed) > 0.04 * len(questions) else ()), *wrong, *page.log])


def test_every_entry_is_a_place_on_its_page():
    places, wrong = {}, []
    for place in index()[0]:
        name, _, anchor = place.partition(".html")
        if name not in places:
            places[name] = set(SOURCES[name].xpath("//@id"))
        if anchor and anchor[1:] not in places[name]:
            wrong.append(f"the search leads to {place}, and there is no such place")
    assert set(places) >= {name for name in PAGES if name.startswith("chapters/")}
    report(wrong)


def test_no_tex_stands_in_the_index():
    texts = {place: " ".join(entry) for place, entry in index()[0].items()}
    left = {place: re.search(r"\\[A-Za-z]{2,}|\S*(\.\./|\x02)\S*", text) for place, text in texts.items()}
    report(f"{place}: {match[0]}" for place, match in left.items() if match)


def test_every_synonym_finds_something(page):
    names = [name for group in index()[1] for name in group]
    found = page.evaluate(FOUND, names)
    assert names
    report(f"search.yml: {name!r} finds nothing" for name, places in zip(names, found, strict=True) if not places)


@only_english
@pytest.mark.parametrize("question", ["sofmax", "equivarience", "permutaton", "positonal encoding"])
def test_a_misspelled_word_finds_what_was_meant(page, question):
    meant = question[:3]
    assert any(f"/{meant}" in link for link in search(page, question)[:3])


@only_english
def test_half_a_word_finds_what_begins_with_it_and_a_word_that_is_nowhere_says_so(page):
    assert "equivariance" in search(page, "equivar")[0]
    assert search(page, "qwertz") == []
    assert page.locator(".search-summary").text_content()


@pytest.mark.parametrize("place", ["folder", "server"])
def test_the_keyboard_leads_from_the_question_to_the_page(open_page, server, place):
    page = open_page("search", query="?q=%E2%88%9Ad_k", **({"base": server} if place == "server" else {}))
    first = page.evaluate(FIRST)[0]
    assert page.evaluate("document.activeElement.name") == "q", "the cursor is not in the field"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{first}")
    report(page.log)
    page.context.close()


def test_an_excerpt_of_chinese_is_cut_without_spaces(open_page):
    """It begins with the sentence that answers, and ends within a few lines."""
    text = "注意力比较键和查询，再取平均值。" * 40 + "位置编码说出次序！" + "排列不改变集合，softmax 也不改变它" * 40
    entries = [["", "page", "注意力", "", text]]
    data = {"pages": [{"address": "a.html", "title": "注意力", "rank": 1, "entries": entries}], "synonyms": []}
    page = open_page(named("search"))
    page.route("**/search-index.js", lambda route: route.fulfill(body=f"const searchIndex = {json.dumps(data)};"))
    page.reload()
    search(page, "位置编码")
    excerpt = page.locator("#search-results p").first.text_content()
    page.context.close()
    assert excerpt.startswith("… 位置编码说出次序！排列")
    assert len(excerpt) < 300


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_results_are_readable(open_page, theme):
    """No finding of axe, and nothing wider than a phone."""
    page = open_page("search", theme, PHONE, query="?q=positional%20encoding")
    assert page.evaluate(FIRST)
    page.evaluate(AXE_SCRIPT)
    problems = []
    for width in (PHONE, DESK):
        page.set_viewport_size({"width": width, "height": 800})
        problems += page.evaluate(AXE, [True, []])[0]
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert not wide, f"at {width} px the results are {wide} px too wide"
    page.context.close()
    report(map(str, problems))
