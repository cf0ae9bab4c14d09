"""A small book in another language: every message is collected, the translation covers it, and nothing else changes."""

import gettext
import io
import json
import os

import lxml.html
import nbformat
import pytest
import translation
from attnbook.check.record import MIME, Check, as_data
from attnfigures.kit import files, record
from babel.messages import Catalog
from babel.messages.pofile import write_po
from bookext.language import chinese, editions, messages, progress, scripts
from bookext.run import execution
from bookext.theme import cards
from myst_nb.core.execute import cache as myst_nb_cache
from py_mini_racer import MiniRacer
from sphinx import locale
from sphinx.errors import ExtensionError

CONF = """
from importlib import import_module
def setup(app):
    for name in ('extraction', 'derived', 'language.catalogues', 'language.english', 'language.progress',
                 'language.titles', 'language.translatable', 'navigation.glossary', 'navigation.results',
                 'outputs.checks', 'outputs.translated', 'questions.quiz', 'questions.recall',
                 'run.execution', 'run.eval_role', 'write.boxes', 'write.figures', 'write.folds', 'write.launch',
                 'write.notebooks'):
        import_module('bookext.' + name).setup(app)
extensions = ['myst_nb', 'sphinx_external_toc', 'sphinx_proof', 'sphinx_exercise']
project = html_title = 'The small book'
html_theme, myst_enable_extensions = 'basic', ['dollarmath', 'colon_fence']
nb_execution_mode, book_executes = 'cache', False
numfig, gettext_compact, exclude_patterns, locale_dirs = True, False, ['out'], ['locale']
html_show_sphinx = html_use_index = html_copy_source = False
suppress_warnings = ['mystnb.unknown_mime_type']
"""
TOC = """format: jb-book
root: index
parts:
  - caption: Chapters
    numbered: true
    chapters: [{file: page}, {file: other}]
"""
INDEX = """# Preface

```{glossary}
score
  How well a key fits.

softmax
  What makes weights of scores.

raw score
  It is not scaled.
```

```{recall}
```

```{results}
```
"""
OTHER = """(elsewhere)=
# Another title

{ref}`there` is not all. Also {ref}`elsewhere`, and {ref}`below`.

(below)=
## A section of it

```{prf:theorem} Halving
:label: halving
It falls.
```

```{quiz}
:label: quiz-other
Which now?

- [x] Up.

  Indeed.

- [ ] Down.

  Hardly.
```
"""
CHINESE = {  # the translation of the page alone: what the glossary says is in that of the preface
    "Some *words* about a score, {ref}`a place <there>`, [a link](https://example.org), $x^2$ and {eval}`count`.": (
        "由softmax得到的权重，说到*原始分数*（raw score），{ref}`这里 <there>`、[链接](https://example.org)、"
        "$x^2$和{eval}`count`。"
    ),
    "It grows, see {ref}`below`.": "它增长，见{ref}`below`。",
    "Which one?": "哪一个？",
    "(Doubling)": "（加倍）",
    "Left.": "左边。",
    "Never that.": "从不。",
    "Right side.": "右边。",
    "Always this.": "总是。",
    "First title": "第一个标题",
    "\ny = 2x\n": "y = 2x",
}
DESCRIPTION = "What a small page is about, in one sentence."
PAGE = """(there)=
# First title

Some *words* about a score, {ref}`a place <there>`, [a link](https://example.org), $x^2$ and {eval}`count`.

```{math}
:label: eq-double
y = 2x
```

```{prf:theorem} Doubling
:label: doubling
It grows, see {ref}`below`.
```

```{quiz}
:label: quiz-page
Which one?

- [ ] Left.

  Never that.

- [x] Right side.

  Always this.
```

:::{exercise} Second title
:label: task
Count it.
:::
"""
TABLE = '<table><tr><th title="The name of a column">weight</th></tr><tr><td>two thirds</td></tr></table>'
DRAWING = '<svg aria-label="Bar of {} keys"><text>weight of key {}</text><style>a b</style></svg>'
CONTROL = {"id": "e-rule", "label": "which rule", "texts": ["first rule", "second rule"], "start": 1}
FIGURES = [
    {"kind": "picture", "drawing": DRAWING.format(3, 2)},
    {
        "kind": "explorer",
        "id": "e",
        "controls": [CONTROL],
        "chosen": "which rule: second rule",
        "first": 1,
        "drawings": [DRAWING.format(4, 1), DRAWING.format(5, 3)],
    },
    {
        "kind": "live",
        "name": "hull",
        "label": "fig",
        "state": {"words": ["cat"]},
        "ask": {
            "question": "Where does it go?",
            "options": ["far away", "near by"],
            "answer": 1,
            "why": ["It is light.", "It is heavy."],
        },
        "drawing": DRAWING.format(6, 5),
    },
]
CHECKS = [
    Check("equal", "weights sum to one", 0.0, 0.0),
    Check("equal", "T_s is orthogonal", 0.0, 0.0),  # in words, although Python would read it as code
    Check("below", "f(x) < y", 1.0, 2.0, note="twice as fast", is_code=True),
]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Build the small book from stored outputs; give a function that builds it in a language, and its folder."""
    from sphinx.application import Sphinx

    folder = tmp_path_factory.mktemp("book")
    translators, patch = dict(locale.translators), pytest.MonkeyPatch()
    patch.setattr(os, "environ", dict(os.environ))  # the extension changes both
    patch.setattr(myst_nb_cache, "get_cache", myst_nb_cache.get_cache)
    for name, text in {"conf.py": CONF, "_toc.yml": TOC, "index.md": INDEX, "other.md": OTHER}.items():
        (folder / name).write_text(text, "utf-8")
    v4, quoted = nbformat.v4, {"scrapbook": {"name": "count", "mime_prefix": "application/papermill.record/"}}
    page = v4.new_notebook(
        cells=[v4.new_markdown_cell(PAGE), v4.new_code_cell("count = 3"), v4.new_code_cell("draw()")]
    )
    page.metadata = nbformat.from_dict({"myst": {"html_meta": {"description": DESCRIPTION}}})
    page.metadata["kernelspec"] = nbformat.from_dict({"name": "python3", "display_name": "Python 3"})
    page.metadata["language_info"] = nbformat.from_dict({"name": "python", "pygments_lexer": "ipython3"})
    page.cells[1].metadata["tags"] = ["hide-input"]
    page.cells[1].outputs = [v4.new_output("display_data", {MIME: [as_data(each) for each in CHECKS]})]
    page.cells[2].outputs = [v4.new_output("display_data", {"text/html": TABLE, "text/plain": "a table"})]
    page.cells[2].outputs += [
        v4.new_output("display_data", {"text/html": "<p>of a notebook</p>", record.MIME: figure}) for figure in FIGURES
    ]
    value = {"application/papermill.record/text/plain": "3"}
    page.cells[2].outputs.append(v4.new_output("display_data", value, metadata=quoted))
    bundle = execution.CacheBundleIn(page, "page.ipynb", data={"code": execution._digest(page)})
    execution.Cache(folder / "out" / ".jupyter_cache").cache_notebook_bundle(bundle, check_validity=False)
    for cell in page.cells[1:]:
        cell.outputs = []
    nbformat.write(page, folder / "page.ipynb")

    def build(builder, language="en"):
        site, trees = folder / "out" / f"{builder}-{language}", folder / "out" / f"trees-{builder}-{language}"
        warnings = io.StringIO()
        locale.translators.clear()  # those of another language
        Sphinx(folder, folder, site, trees, builder, {"language": language}, None, warnings).build()
        lines = [line for line in warnings.getvalue().splitlines() if "already registered" not in line]
        assert not [line for line in lines if "WARNING" in line or "ERROR" in line], warnings.getvalue()
        return site

    yield build, folder
    patch.undo()
    locale.translators.clear()  # or the next book of this process has accents
    locale.translators.update(translators)


def test_a_translation_covers_the_page_and_changes_nothing_else(book):
    """No cell is executed: nothing defines `draw`."""
    build, folder = book
    translation.write_pseudo(build("gettext"), folder / "locale")
    sites = [build("html"), build("html", translation.PSEUDO)]
    pages = [lxml.html.parse(str(site / "page.html")) for site in sites]
    assert set(translation.plain_words([pages[1]])) <= {"python", "cat", "Proof"}  # the theme links the statements
    assert "of a notebook" not in pages[0].getroot().text_content(), "what has a record is drawn from it"
    state, ask, words = json.loads(pages[1].xpath("//script[@type='application/json']")[0].text).values()
    told = [*pages[1].xpath("//meta[@name='description']/@content"), *ask["why"], dict(words)["cat"], state]
    assert told == [
        *map(translation.accented, (DESCRIPTION, *FIGURES[2]["ask"]["why"], "cat")),
        {"words": ["cat"]},
    ]
    [choices] = pages[1].xpath("//select/@data-labels")
    assert json.loads(choices) == list(map(translation.accented, CONTROL["texts"]))
    for path in ("//@id", "//pre", "//a/@href", "//span[contains(@class, 'math')]", "//input/@name"):
        values = [[getattr(x, "text_content", lambda x=x: x)() for x in page.xpath(path)] for page in pages]
        assert values[0] == values[1] != [], path
    assert translation.accented("Count it.") in (sites[1] / "notebooks" / "page.ipynb").read_text("utf-8")


def test_a_changed_cell_ends_the_build(book):
    build, folder = book
    path = folder / "page.ipynb"
    text = path.read_text("utf-8")
    path.write_text(text.replace("draw()", "draw(2)"), "utf-8")
    with pytest.raises(SystemExit, match="page"):
        build("html")
    path.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def in_chinese(book):
    """Build the small book in Chinese: the preface and the first page are translated, but for one of its messages."""
    build, folder = book
    names = {"score": "注意力分数", "raw score": "原始分数", "Preface": "序言"}
    for name, texts in {"page": CHINESE, "index": names}.items():
        catalogue = Catalog()
        for text, translated in texts.items():
            catalogue.add(text, translated)
        path = folder / "locale" / "zh_CN" / "LC_MESSAGES" / f"{name}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(file, catalogue)
    sites = build("html"), build("html", "zh_CN")
    return {
        name: [lxml.html.parse(str(site / f"{name}.html")) for site in sites] for name in ("index", "page", "other")
    }


def test_a_formula_is_no_message_even_of_an_old_catalogue(book, in_chinese):
    formulas = [page.xpath("//div[contains(@class, 'math')]")[0].text_content() for page in in_chinese["page"]]
    assert "y = 2x" in formulas[0]
    assert formulas[0] == formulas[1]
    build, _folder = book
    assert "y = 2x" not in (build("gettext") / "page.pot").read_text("utf-8")


def test_a_term_is_linked_beside_chinese_and_by_its_chinese_name(in_chinese):
    links = "//p[not(ancestor::dl)]//a[contains(@class, 'glossary-term')]"
    linked = [[link.text_content() for link in page.xpath(links)] for page in in_chinese["page"]]
    assert linked == [["score"], ["softmax", "原始分数"]]


def test_what_is_collected_from_a_page_without_translation_is_left_out(in_chinese):
    english, edition = in_chinese["index"]
    told = "//p[contains(@class, 'left-out')]"
    assert not english.xpath(told)
    assert english.xpath("//fieldset/@id") == ["recall-quiz-page", "recall-quiz-other"]
    assert edition.xpath("//fieldset/@id") == ["recall-quiz-page"]
    assert english.xpath("//a[@class='collected-from reference internal']/@href") != []
    assert [text.xpath("a/@href") for text in edition.xpath(told)] == [["other.html"], ["other.html"]]
    assert "1" in edition.xpath(told)[0].text_content()
    assert not [text for text in edition.xpath("//p | //legend | //label") if "Which now" in text.text_content()]


def test_a_sentence_of_a_check_that_lacks_a_translation_is_noted(book, in_chinese):
    _build, folder = book
    lacking = (folder / "out" / "trees-html-zh_CN" / "lacking.txt").read_text("utf-8").splitlines()
    assert "weights sum to one" in lacking
    assert "It grows" not in " ".join(lacking)


def test_text_and_titles_in_english_are_marked(in_chinese):
    english, edition = in_chinese["page"]
    assert not english.xpath("//body//*[@lang]")
    marked = {part.text_content().strip() for part in edition.xpath("//body//*[@lang='en']")}
    assert {"Count it.", "A section of it"} <= marked
    assert not [text for text in marked if not text.isascii()]


def test_the_scripts_of_all_figures_can_be_translated():
    texts = []
    same = files.script(
        files.names(), lambda path: scripts.rewrite(path.read_text("utf-8"), lambda text: texts.append(text) or text)
    )
    assert same == files.script(files.names())
    assert not [text for text in texts if text != text.strip(" ,")]  # halves of sentences
    accented = files.script(files.names(), lambda path: scripts.rewrite(path.read_text("utf-8"), translation.accented))
    assert all(f'"{translation.accented(text)}"' in accented for text in ("Back to start", "mask"))
    MiniRacer().eval(f"new Function({json.dumps(accented)}); 0")


def test_a_page_is_linked_to_the_same_page_in_other_languages(write_files):
    """Also after a second build, where nothing may stand twice."""
    address, text = "https://example.org/book/", '<link rel="canonical" href="{}"></head><body>'
    text = '<html lang="{}"><head>' + text + '<!--<nav class="languages" aria-label="Other languages">--></body></html>'
    names = {"html": ("", ["a/a.html", "a/b.html"]), "html-zh_CN": ("zh-CN/", ["a/a.html"])}
    files = {f"{s}/{n}": text.format(p[:-1] or "en", address + p + n) for s, (p, all_) in names.items() for n in all_}
    folder = write_files(files)
    sites = {"en": folder / "html", "zh_CN": folder / "html-zh_CN"}
    both = [f"{address}a/a.html", f"{address}zh-CN/a/a.html"]
    expected = {("en", "a/a.html"): (["../zh-CN/a/a.html"], both), ("zh_CN", "a/a.html"): (["../../a/a.html"], both)}
    for _ in range(2):
        editions.link(sites)
        for (language, name), links in (expected | {("en", "a/b.html"): ([], [])}).items():
            page = lxml.html.document_fromstring((sites[language] / name).read_text("utf-8"))
            assert (page.xpath("//nav//a/@href"), page.xpath("//link[@rel='alternate']/@href")) == links


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("{name} 满足 $a_1=1$，见{eq}`sum`。", True),
        ("{name} 满足 $a_2=1$，见{eq}`sum`。", False),
        ("满足 $a_1=1$，见{eq}`sum`。", False),
        ("{name} 满足 $a_1=1$。", False),
        ("", True),
    ],
)
def test_a_translation_keeps_formulas_roles_and_names(text, right):
    catalogue = Catalog()
    catalogue.add("By {eq}`sum`, $a_1=1$ holds for {name}.", text)
    assert bool(list(progress.mistakes(catalogue))) is not right


def test_a_changed_message_keeps_its_translation_as_stale(write_files):
    folder = write_files(
        {
            "page.po": 'msgid "The weights of a row sum to one."\nmsgstr "每行权重之和为一。"\n',
            "page.pot": 'msgid "The weights of every row sum to one."\nmsgstr ""\n\nmsgid "$x$"\nmsgstr ""\n',
        }
    )
    for _again in range(2):
        translation.merge(folder / "page", folder / "page.po")
    catalogue = progress.read(folder / "page.po")
    [message] = [message for message in catalogue if message.id]
    assert (message.string, message.previous_id) == ("每行权重之和为一。", ["The weights of a row sum to one."])
    assert progress.count(catalogue) == (0, 1, 1)


def test_broken_emphasis_is_seen(write_files):
    html = "<html><body><p>{}</p></body></html>"
    folder = write_files({"a.html": html.format("**症状。**只要"), "b.html": html.format("<b>症状</b>：y = x * 2，λ*")})
    assert [line.partition(":")[0] for line in translation.stars(folder)] == ["a.html"]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("softmax", "由softmax得到", "softmax"),
        ("logit", "两个logits相等", "logits"),
        ("key", "keyboard", None),
        ("CoPE", "We cope with it.", None),
        ("键", "一个键和一个值", "键"),
        ("键", "关键的一步", None),
        ("注意力权重", "用注意力权重求和", "注意力权重"),
    ],
)
def test_a_word_is_found_where_it_stands_by_itself(name, text, found):
    match = chinese.words((name,)).search(text)
    assert (match and match[0]) == found


@pytest.mark.parametrize(
    ("law", "translated"),
    [
        ("softmax(s) prints as ['0.7']", "softmax(s)显示为['0.7']"),
        ("f(K[:, :3]) is refused", "f(K[:, :3])被拒绝"),
        ("f(x) = y", "f(x) = y"),
    ],
)
def test_of_a_law_in_code_the_words_are_translated(monkeypatch, law, translated):
    said = {"{value} prints as {bound}": "{value}显示为{bound}", "{call} is refused": "{call}被拒绝"}
    monkeypatch.setattr(messages, "translate", lambda text, *_: said.get(text, text))
    assert messages.translate_law(law) == translated


def test_what_a_page_without_catalogue_shows_stays_as_its_text_does(monkeypatch):
    class Page(gettext.NullTranslations):
        def gettext(self, message):
            return {"rows": "行"}.get(message, message)

    own = {"rows": "各行", "Code": "代码", "{call} is refused": "{call}被拒绝"}
    monkeypatch.setattr(messages, "_gettext", lambda text: own.get(text, text))
    monkeypatch.setattr(messages, "of_pages", {"translated": Page()})
    assert messages.translate("rows", "translated") == "行"
    assert messages.translate("rows", "english") == "rows"
    assert messages.translate("Code") == "代码"
    assert messages.translate_law("f(x) is refused", "translated") == "f(x)被拒绝"
    assert messages.translate_law("f(x) is refused", "english") == "f(x) is refused"


def test_a_card_whose_letters_no_font_has_is_refused(monkeypatch):
    monkeypatch.setattr(cards, "installed_chinese", list)
    with pytest.raises(ExtensionError, match="font"):
        cards.families("注意力")


def test_the_old_text_of_a_stale_message_survives_being_written_and_read(tmp_path):
    """Babel breaks the long line of a comment at a blank, within its quotes."""
    old = 'With no scale, seven "start" times of eight rates end far below the others, and one\nends at chance.'
    path = tmp_path / "stale.po"
    catalogue = Catalog(locale="zh_CN")
    catalogue.add("new", "旧", flags=["fuzzy"], previous_id=old)
    for _ in range(3):
        with path.open("wb") as file:
            write_po(file, catalogue, width=0, include_previous=True)
        catalogue = progress.read(path)
        assert catalogue["new"].previous_id == [old]
