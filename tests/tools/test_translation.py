"""A small book in another language: every message is collected, the translation covers it, and nothing else changes."""

import io
import json
import os
from types import SimpleNamespace

import lxml.html
import nbformat
import pytest
import translation
from attnbook import live_files
from attnbook.check_record import MIME, Check, as_data
from bookext.language import chinese, editions, scripts
from bookext.run import execution
from myst_nb.core.execute import cache as myst_nb_cache
from py_mini_racer import MiniRacer
from sphinx import locale

CONF = """
def setup(app):
    from bookext.collect import checks, quiz, wayfinding
    from bookext.language import catalogue
    from bookext.run import execution, quotes
    from bookext.write import boxes, launch, notebooks
    parts = catalogue, checks, quiz, wayfinding, execution, quotes, boxes, launch, notebooks
    [part.setup(app) for part in parts]
extensions = ['myst_nb', 'sphinx_external_toc', 'sphinx_proof', 'sphinx_exercise']
project, html_title, html_theme = 'The small book', 'The small book', 'basic'
myst_enable_extensions = ['dollarmath', 'colon_fence']
nb_execution_mode, book_executes = 'cache', False
numfig, gettext_compact, exclude_patterns = True, False, ['out']
locale_dirs, html_show_sphinx, html_use_index, html_copy_source = ['locale'], False, False, False
suppress_warnings = ['mystnb.unknown_mime_type']
"""
TOC = "format: jb-book\nroot: index\nparts:\n  - caption: Chapters\n    chapters:\n      - file: page\n"
INDEX = "# Preface\n\n```{glossary}\nscore\n  How well a key fits.\n```\n"
DESCRIPTION = "What a small page is about, in one sentence."
PAGE = """(there)=
# First title

Some *words* about a score, {ref}`a place <there>`, [a link](https://example.org), $x^2$ and {eval}`count`;
see {prf:ref}`thm`.

```{prf:theorem} Doubling
:label: thm

It grows.
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

:::{solution} task
One.
:::
"""
PICTURE = """<figure><svg aria-label="Bar of 3 keys"><text>weight of key 2</text><style>a b</style></svg></figure>
<div class="live"><script type="application/json">{"state": {"word": "cat"}, "ask": {"question": "Where does it go?",
"options": ["far away", "near by"], "answer": 1, "why": "It is heavy."}}</script></div>"""
CHECKS = [Check("equal", "weights sum to one", 0.0, 0.0), Check("below", "f(x) < y", 1.0, 2.0, note="twice as fast")]


def cells():
    """Return the page with the outputs of its cells, which cannot be executed: nothing defines `draw`."""
    first, second = nbformat.v4.new_code_cell("count = 3  # a remark"), nbformat.v4.new_code_cell("draw()")
    quoted = {"scrapbook": {"name": "count", "mime_prefix": "application/papermill.record/"}}
    first.metadata["tags"] = ["hide-input"]
    first.outputs = [nbformat.v4.new_output("display_data", {MIME: [as_data(each) for each in CHECKS]})]
    second.outputs = [
        nbformat.v4.new_output("display_data", {"text/html": PICTURE, "text/plain": "a figure"}),
        nbformat.v4.new_output("display_data", {"application/papermill.record/text/plain": "3"}, metadata=quoted),
    ]
    metadata = {
        "myst": {"html_meta": {"description": DESCRIPTION}},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    }
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(PAGE), first, second], metadata=metadata)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Build the small book; give its folder, and its page in English and with accents."""
    from sphinx.application import Sphinx

    folder = tmp_path_factory.mktemp("book")
    translators, patch = dict(locale.translators), pytest.MonkeyPatch()
    patch.setattr(os, "environ", dict(os.environ))  # the extension changes both
    patch.setattr(myst_nb_cache, "get_cache", myst_nb_cache.get_cache)
    for name, text in {"conf.py": CONF, "_toc.yml": TOC, "index.md": INDEX}.items():
        (folder / name).write_text(text, "utf-8")
    page = cells()
    bundle = execution.CacheBundleIn(page, "page.ipynb", data={"code": execution._digest(page)})
    execution.Cache(folder / "out" / ".jupyter_cache").cache_notebook_bundle(bundle, check_validity=False)
    for cell in page.cells[1:]:
        cell.outputs = []
    nbformat.write(page, folder / "page.ipynb")

    def build(builder, language="en"):
        site, trees = folder / "out" / f"{builder}-{language}", folder / "out" / f"trees-{builder}-{language}"
        warnings = io.StringIO()
        Sphinx(folder, folder, site, trees, builder, {"language": language}, None, warnings).build()
        lines = [line for line in warnings.getvalue().splitlines() if "already registered" not in line]
        assert not [line for line in lines if "WARNING" in line or "ERROR" in line], warnings.getvalue()
        return site

    translation.write_pseudo(build("gettext"), folder / "locale")
    english, accented = build("html"), build("html", translation.PSEUDO)
    pages = [lxml.html.parse(str(site / "page.html")) for site in (english, accented)]
    yield SimpleNamespace(folder=folder, pages=pages, site=accented, build=build)
    patch.undo()
    locale.translators.clear()  # or the next book of this process has accents
    locale.translators.update(translators)


def test_the_translation_covers_the_page_and_changes_nothing_else(book):
    page = book.pages[1]
    untranslated = {"python", "cat", "Proof"}  # the basic theme links the index of statements
    assert set(translation.plain_words([page])) <= untranslated
    assert page.getroot().get("lang") == "en-XA"
    assert page.xpath("//meta[@name='description']/@content") == [translation.accented(DESCRIPTION)]
    asked = json.loads(page.xpath("//script[@type='application/json']")[0].text)
    assert (asked["ask"]["why"], asked["state"]) == (translation.accented("It is heavy."), {"word": "cat"})
    for path in ("//@id", "//pre", "//a/@href", "//span[contains(@class, 'math')]", "//input/@name"):
        values = [[getattr(x, "text_content", lambda x=x: x)() for x in page.xpath(path)] for page in book.pages]
        assert values[0] == values[1] != [], path
    notebook = nbformat.read(book.site / "notebooks" / "page.ipynb", 4)
    assert translation.accented("Count it.") in "".join(cell.source for cell in notebook.cells)


def test_a_cell_that_is_not_stored_ends_the_build(book):
    path = book.folder / "page.ipynb"
    text = path.read_text("utf-8")
    path.write_text(text.replace("draw()", "draw(2)"), "utf-8")
    with pytest.raises(SystemExit, match="page"):
        book.build("html")
    path.write_text(text, "utf-8")


def test_the_scripts_of_all_figures_can_be_translated():
    names = sorted(path.stem for path in live_files.FOLDER.glob("*.js") if path.name not in live_files.PARTS)
    code = live_files.script(names)
    assert scripts.rewrite(code, lambda text: text) == code
    accented = scripts.rewrite(code, translation.accented)
    assert translation.accented("Back to start") in accented
    MiniRacer().eval(f"new Function({json.dumps(accented)}); 0")


PLACE = '<!--<nav class="languages" aria-label="Other languages">-->'
SHELL = '<html lang="{}"><head><link rel="canonical" href="{}"></head><body>' + PLACE + "<p>Text</p></body></html>"
ADDRESS = "https://example.org/book/"


def test_a_page_is_linked_to_the_same_page_in_other_languages(write_files):
    """Also after a second build, and with the addresses that search engines take for those of the pages."""
    folder = write_files(
        {f"html/{name}": SHELL.format("en", ADDRESS + name) for name in ("index.html", "a/a.html", "a/b.html")}
        | {f"html-zh_CN/{name}": SHELL.format("zh-CN", f"{ADDRESS}zh-CN/{name}") for name in ("index.html", "a/a.html")}
    )
    sites = {"en": folder / "html", "zh_CN": folder / "html-zh_CN"}

    def links(language, name):
        page = lxml.html.document_fromstring((sites[language] / name).read_text("utf-8"))
        return page.xpath("//nav//a/@href"), page.xpath("//link[@rel='alternate']/@href")

    for _ in range(2):
        editions.link(sites)
        both = [f"{ADDRESS}a/a.html", f"{ADDRESS}zh-CN/a/a.html"]
        assert links("en", "a/a.html") == (["../zh-CN/a/a.html"], both)
        assert links("zh_CN", "a/a.html") == (["../../a/a.html"], both)
        assert links("en", "index.html")[0] == ["zh-CN/index.html"]
        assert links("en", "a/b.html") == ([], [])
        assert (sites["en"] / "zh-CN" / "a" / "a.html").samefile(sites["zh_CN"] / "a" / "a.html")


def test_chinese_words_are_marked_on_a_page_in_another_language():
    text = '<p title="分">Key, 分数，与 query</p><pre>分</pre><svg><text>分</text></svg>'
    assert chinese.marked(text) == text.replace("分数，与", '<span lang="zh">分数，与</span>')
