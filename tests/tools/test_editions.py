"""Editions in other languages are linked with each other, and what needs words finds them without spaces between."""

import os
from types import SimpleNamespace

import lxml.html
import pytest
import translation
from bookext.collect import reading, search
from bookext.collect.wayfinding import any_of
from bookext.language import chinese, editions
from bookext.theme import pages, social

PLACE = '<!--<nav class="languages" aria-label="Other languages">-->'
PAGE = '<html lang="{}"><head><link rel="canonical" href="{}"></head><body>' + PLACE + "<p>Text</p></body></html>"
MOVED = pages.MOVED.format(language="en", title="Book", first="../index.html", whole="../index.html")
ADDRESS = "https://example.org/book/"


@pytest.fixture
def sites(write_files):
    """Two editions, of which one lacks a page."""
    folder = write_files(
        {
            "html/chapters/a.html": PAGE.format("en", f"{ADDRESS}chapters/a.html"),
            "html/chapters/b.html": PAGE.format("en", f"{ADDRESS}chapters/b.html"),
            "html/chapters/index.html": MOVED,
            "html/404.html": PAGE.format("en", f"{ADDRESS}404.html"),
            "html-zh_CN/404.html": PAGE.format("zh-CN", f"{ADDRESS}zh-CN/404.html"),
            "html-zh_CN/chapters/a.html": PAGE.format("zh-CN", f"{ADDRESS}zh-CN/chapters/a.html"),
            "html-zh_CN/chapters/index.html": MOVED,
            "html/index.html": PAGE.format("en", ADDRESS),
            "html-zh_CN/index.html": PAGE.format("zh-CN", f"{ADDRESS}zh-CN/"),
        }
    )
    return {"en": folder / "html", "zh_CN": folder / "html-zh_CN"}


def links(site, name):
    page = lxml.html.document_fromstring((site / name).read_text("utf-8"))
    shown = [(a.get("href"), a.get("hreflang"), a.get("lang"), a.text) for a in page.xpath("//nav//a")]
    return shown, page.xpath("//link[@rel='alternate']/@href")


def test_a_page_is_linked_to_the_same_page_in_other_languages(sites):
    editions.link(sites)
    editions.link(sites)  # a second time, as after the next build: nothing stands there twice
    whole = [f"{ADDRESS}chapters/a.html", f"{ADDRESS}zh-CN/chapters/a.html"]
    there, back = links(sites["en"], "chapters/a.html"), links(sites["zh_CN"], "chapters/a.html")
    assert there == ([("../zh-CN/chapters/a.html", "zh-CN", "zh-CN", "中文")], whole)
    assert back == ([("../../chapters/a.html", "en", "en", "English")], whole)
    assert links(sites["en"], "chapters/b.html") == ([], [])
    assert (sites["en"] / "chapters" / "index.html").read_text("utf-8") == MOVED
    shown = [links(site, "404.html")[0][0][0] for site in sites.values()]  # in whatever folder was asked
    assert shown == ["/book/zh-CN/404.html", "/book/404.html"]
    assert (sites["en"] / "zh-CN" / "chapters" / "a.html").samefile(sites["zh_CN"] / "chapters" / "a.html")


def test_the_first_page_of_an_edition_has_the_address_that_it_calls_its_own(sites):
    """A search engine passes over alternates that are not the canonical addresses of their pages."""
    editions.link(sites)
    editions.link(sites)
    for site, shown in ((sites["en"], "zh-CN/index.html"), (sites["zh_CN"], "../index.html")):
        (link,), whole = links(site, "index.html")
        assert (link[0], whole) == (shown, [ADDRESS, f"{ADDRESS}zh-CN/"])


def test_a_page_that_only_leads_on_has_no_alternates(sites):
    editions.link(sites)
    assert [links(site, "chapters/index.html") for site in sites.values()] == [([], [])] * 2


def test_without_a_name_every_translation_is_built_and_linked(monkeypatch, write_files, capsys):
    folder = write_files({f"locale/{name}/LC_MESSAGES/book.po": "" for name in ("zh_CN", "de")})
    built = []
    monkeypatch.setattr(translation, "LOCALE", folder / "locale")
    monkeypatch.setattr(translation, "build", built.append)
    monkeypatch.setattr(translation, "link_all", lambda site: built.append("linked"))
    monkeypatch.setattr("sys.argv", ["translation.py", "build", ""])
    translation.main()
    assert built == ["de", "zh_CN", "linked"]
    assert translation.translated(folder) == []
    assert "the book is in English only" in capsys.readouterr().out


def test_no_edition_executes_a_cell(monkeypatch):
    """What the setting does is tested with the small book of test_language."""
    commands = []
    monkeypatch.setattr(translation.future, "write_conf", lambda *_: None)
    monkeypatch.setattr(
        translation.subprocess, "run", lambda command, **_: commands.append(command) or SimpleNamespace(returncode=0)
    )
    translation.sphinx("html", "site")
    assert "book_executes=0" in commands[0]


def test_the_accents_stand_the_tests_of_the_site(monkeypatch, tmp_path):
    """All but those that are named, each of which is there."""
    asked = []
    result = {"site": translation.run_tests.Result(passed=1)}
    monkeypatch.setattr(translation.run_tests, "pytest", lambda *options: asked.extend(options) or result)
    monkeypatch.setenv("BOOK_SITE", "another")
    with pytest.raises(SystemExit) as ended:
        translation.test(tmp_path)
    assert (ended.value.code, os.environ["BOOK_SITE"]) == (0, str(tmp_path))
    assert asked[0] == [translation.SITE_TESTS]
    left_out = [option.partition("tests/site/")[2] for option in asked[1:]]
    assert left_out == [*translation.future.NOT_OF_PAGES, *translation.ENGLISH]
    for name in translation.ENGLISH:
        file, _, test = name.partition("::")
        assert f"def {test}(" in (translation.SITE_TESTS / file).read_text("utf-8"), name


def test_one_edition_alone_has_no_links(sites):
    editions.link({"en": sites["en"]})
    assert links(sites["en"], "chapters/a.html") == ([], [])
    assert (sites["en"] / "chapters" / "a.html").read_text("utf-8").count("<nav") == 1  # in the comment
    assert not (sites["en"] / "zh-CN").exists()


def test_terms_are_found_in_a_language_without_spaces():
    found = [m[1] or m[2] for m in any_of({"score", "分数", "分", "key"}).finditer("Scores, 总分数据, keyed key")]
    assert found == ["Score", "分数", "key"]
    assert not any_of(set()).search("any text")


def test_a_translation_adds_names_to_those_that_search_the_same(monkeypatch):
    english = list(search.synonyms())
    line = ["lse", "logsumexp", "log-sum-exp"]
    assert line in english
    monkeypatch.setattr(search, "say", lambda text: "对数求和，log 求和, lse" if text == ", ".join(line) else text)
    added = [names for names in search.synonyms() if names not in english]
    assert added == [[*line, "对数求和", "log 求和", "lse"]]


def test_two_chinese_signs_are_read_like_one_word():
    assert reading.words_in("Three plain words") == 3
    assert reading.words_in("注意力，计算 softmax。") == 3.5
    assert reading.words_in("加权平均。" * 1000) == 2000


def test_chinese_words_are_marked_on_a_page_in_another_language():
    text = '<p title="分">Key, 分数，与 query</p><pre>分</pre><svg><text>分</text></svg>'
    assert chinese.marked(text) == text.replace("分数，与", '<span lang="zh">分数，与</span>')
    assert chinese.marked("<p>Key</p>") == "<p>Key</p>"


def test_a_card_breaks_a_line_between_chinese_signs():
    assert social.broken("为什么除以根号", 6) == ["为什么", "除以根", "号"]
    assert social.broken("用 attention 读", 20) == ["用 attention 读"]
    assert social.broken("Why divide by the root", 10) == ["Why divide", "by the", "root"]
    assert social.broken("a b c d e f g h", 5, lines=2) == ["a b c", "d e …"]
