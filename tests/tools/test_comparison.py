"""What a reader of an edition gets is compared with the English page: each kind of difference is seen, no other is."""

import comparison
import lxml.html
import pytest

PAGE = """<html><body><article><section id="law"><h2>{title}</h2>
<p>{before} <a href="#law">{law}</a>
<span class="math"><math><annotation>a_1 = {one}</annotation></math></span> {after}</p>
<div class="math"><math><annotation>Y = AV</annotation></math></div>
<p class="reading-time">{time}</p>
<table><tr><td>{cell}</td><td>12,000</td></tr></table>
<fieldset class="quiz" id="quiz-a"><legend>{asked}</legend>
<div class="quiz-option"><label>{left}</label><p><span class="quiz-sign is-wrong">{no}</span> {never}</p></div>
<div class="quiz-option"><label>{right}</label><p><span class="quiz-sign is-right">✓</span> {always}</p></div>
</fieldset><script type="application/json">
{{"state": {{"order": [0, 2, 1]}}, "ask": {{"options": ["{left}", "{right}"], "answer": 1}}}}
</script></section></article></body></html>"""
ENGLISH = {
    "title": "The law of two heads",
    "before": "By",
    "law": "the law,",
    "one": "1",
    "after": "holds for 2 million of 2.5 million keys in <code>f(x)</code>, as in May 2026.",
    "time": "Reading time: 2 minutes.",
    "cell": "all of the weights",
    "asked": "Which one grows?",
    "left": "The left one grows.",
    "right": "The right one grows.",
    "no": "✗ Not quite.",
    "never": "It never does so.",
    "always": "It always does so.",
}
CHINESE = {
    "title": "2个头的定律",
    "before": "在<code>f(x)</code>中，由",
    "law": "定律",
    "one": "1",
    "after": "对250万个键中的200万个成立，2026年5月测得。",
    "time": "阅读时间：3分钟。",
    "cell": "所有权重",
    "asked": "哪一个增长？",
    "left": "左边的增长。",
    "right": "右边的增长。",
    "no": "✗ 还不对。",
    "never": "从不增长。",
    "always": "总是增长。",
}
TRANSLATED = PAGE.format(**CHINESE)
BREAKS = {
    "formula": ("a_1 = 1", "a_1 = 2", "formulas: lost ['a_1=1'], gained ['a_1=2']"),
    "displayed formula": ("Y = AV", "::", "formulas: lost ['Y=AV'], gained ['::']"),
    "number": ("200万", "300万", "numbers: lost ['2000000'], gained ['3000000']"),
    "number in a cell": ("12,000", "12", "numbers: lost ['12000'], gained ['12']"),
    "link": ("#law", "#laws", "links: lost ['#law'], gained ['#laws']"),
    "code": ("f(x)", "f(y)", "code: lost ['f(x)'], gained ['f(y)']"),
    "right answer": ("is-right", "is-wrong", "data: lost ['option 2 is right'], gained ['option 2 is wrong']"),
    "option": (
        '<div class="quiz-option"><label>左边的增长。</label>'
        '<p><span class="quiz-sign is-wrong">✗ 还不对。</span> 从不增长。</p></div>',
        "",
        "data: lost ['option 1 is wrong', 'option 2 is right'], gained ['option 1 is right']",
    ),
    "state of a figure": ("[0, 2, 1]", "[0, 1, 2]", "data: lost ['{"),
    "column": ("<td>所有权重</td>", "<th>所有权重</th>", "data: lost ['column 1: td']"),
    "level of a heading": ("h2", "h3", "h2 has become h3"),
    "address of a section": ('id="law"', 'id="rule"', "section#law has become section#rule"),
    "another paragraph": ('<p class="reading-time">', "<p>", "table has become p"),
    "paragraph in English": ("从不增长。", "It never does so.", "text in English"),
}


def found(english, edition, name="page.html", is_english=lambda page, anchor: False):
    """Return the differences between two pages of HTML."""
    pages = (lxml.html.document_fromstring(text).find(".//article") for text in (english, edition))
    return list(comparison.differences(name, *pages, is_english))


def test_a_translation_with_other_words_and_another_order_is_right():
    assert found(PAGE.format(**ENGLISH), TRANSLATED) == []


def test_an_edition_with_accents_is_right():
    """As the pseudo-translation has them: also on the letter before a number, and on the end of a plural."""
    text = '<p>{} float32 gave {} million {}: <a{} href="#term-score">score</a></p>'
    english = text.format("In", "250", "words", ' class="glossary-term"')
    accented = text.format("Íń", "250", "wóŕďś", "").replace("float", "fĺóáť").replace("million", "míĺĺíóń")
    pages = [lxml.html.document_fromstring(page(part)).find(".//article") for part in (english, accented)]
    differences = list(comparison.differences("page.html", *pages, lambda page, anchor: False))
    assert [line for line in differences if "numbers" in line] == []
    pages[1].find(".//p").text = "Íń áĺĺ śćóŕéś "
    assert list(comparison.unlinked_terms("page.html", *pages, lambda address: {"śćóŕé"})) == []
    pages[1].find(".//p").text = "Íń áĺĺ śćóŕé "
    assert len(list(comparison.unlinked_terms("page.html", *pages, lambda address: {"śćóŕé"}))) == 1


@pytest.mark.parametrize(("old", "new", "message"), BREAKS.values(), ids=BREAKS)
def test_a_difference_is_named_with_its_page_and_both_texts(old, new, message):
    assert old in TRANSLATED
    first, *_others = found(PAGE.format(**ENGLISH), TRANSLATED.replace(old, new))
    assert first.startswith("page.html: ")
    assert message in first
    assert "English:" in first
    assert "edition:" in first


def test_a_paragraph_that_is_marked_as_english_may_stay():
    english = TRANSLATED.replace("<p><span", '<p lang="en"><span').replace("从不增长。", "It never does so.")
    assert found(PAGE.format(**ENGLISH), english) == []


def test_a_sentence_that_no_catalogue_has_yet_may_stay():
    english = TRANSLATED.replace("从不增长。", "It never does so.")
    pages = (lxml.html.document_fromstring(text).find(".//article") for text in (PAGE.format(**ENGLISH), english))
    assert (
        list(comparison.differences("page.html", *pages, lambda page, anchor: False, "Is it?\nIt never does so.\n"))
        == []
    )


COLLECTED = '<div class="collected"><p>{}</p><a class="collected-from" href="{}#law">{}</a></div>'
LEFT_OUT = '<p class="left-out">{} are in English.</p>'


def page(*parts):
    """Return a page with these parts."""
    return f"<html><body><article><section id='of-one'><h2>One</h2>{''.join(parts)}</section></article></body></html>"


@pytest.mark.parametrize(
    ("kept", "said", "message"),
    [
        ("b.html", "1", ""),
        ("b.html", "2", "1 parts of other pages are left out, and the page says 2"),
        ("a.html", "1", "what it collects from b.html#law is missing, though it is translated there"),
    ],
)
def test_only_what_is_in_english_elsewhere_is_left_out(kept, said, message):
    """Here a.html is in English in the edition, and b.html is translated."""
    english = page(*(COLLECTED.format("1 law holds.", name, "there") for name in ("a.html", "b.html")))
    edition = page(COLLECTED.format("1条定律成立。", kept, "那里"), LEFT_OUT.format(said))
    differences = found(english, edition, "book/page.html", lambda name, anchor: name == "book/a.html")
    assert [line for line in differences if message in line] if message else not differences


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("由softmax得到", "softmax"),
        ("由注意力权重得到", "注意力权重"),
        ("由它得到", ""),
        ('由<a class="glossary-term" href="b.html#term-x">注意力权重</a>得到', ""),
    ],
)
def test_a_term_that_is_linked_in_english_alone_is_seen(write_files, text, missing):
    glossary = '<dl class="glossary"><dt id="term-x">{}<a href="#term-x">#</a></dt><dd><p>1</p></dd></dl>'
    english = '<p>From <a class="glossary-term" href="b.html#term-x">softmax</a></p>'
    folder = write_files(
        {
            "en/a.html": page(english),
            "zh/a.html": page(f"<p>{text}</p>"),
            "en/b.html": page(glossary.format("softmax")),
            "zh/b.html": page(glossary.format("注意力权重")),
        }
    )
    found = list(comparison.compare(folder / "en", folder / "zh"))
    expected = f"a.html: “{missing}” stands there and is not linked to the glossary, as it is in English"
    assert found == ([expected] if missing else [])


def test_pages_are_compared_as_they_lie_in_two_folders(write_files):
    """In this edition the page a.html is in English, and what another page collects from it may be missing."""
    english, there = PAGE.format(**ENGLISH), COLLECTED.format("1 law holds.", "a.html", "there")
    folder = write_files(
        {
            "en/a.html": english,
            "zh/a.html": english.replace("<article>", '<article lang="en">'),
            "en/b.html": english,
            "zh/b.html": TRANSLATED.replace("Y = AV", "::"),
            "en/c.html": page(there, "<p>1</p>"),
            "zh/c.html": page("<p>1</p>", LEFT_OUT.format("1")),
            "zh/d.html": TRANSLATED,
        }
    )
    [difference] = comparison.compare(folder / "en", folder / "zh")
    [nothing] = comparison.compare(folder / "fr", folder / "zh")
    assert "no page" in nothing
    assert difference.startswith("b.html: formulas")
