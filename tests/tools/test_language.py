"""A small book in another language: every message is collected, the translation says it, and nothing else changes."""

import io
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import lxml.html
import nbformat
import pseudo
import pytest
from attnbook import check_record, live_files
from attnbook.check_record import MIME, Check, as_data
from babel.messages.pofile import read_po
from bookext.language import outputs, scripts, words
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
PAGE = """---
myst: {html_meta: {description: "What a small page is about, in one sentence."}}
---

(there)=
# First title

Some *words* about a score, {ref}`a place <there>`, [a link](https://example.org), $x^2$ and {eval}`count`;
see {prf:ref}`thm`.

```{prf:theorem} Doubling
:label: thm

It grows.
```

```{prf:proof}
By counting.
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
LANGUAGE = {"name": "python", "pygments_lexer": "ipython3"}
LAWS = [Check("equal", "weights sum to one", 0.0, 0.0), Check("below", "f(x) < y", 1.0, 2.0, note="twice as fast")]


def cells():
    """The page, with the outputs that its cells have had: nothing defines `draw`, so they cannot be executed."""
    first, second = nbformat.v4.new_code_cell("count = 3  # a remark"), nbformat.v4.new_code_cell("draw()")
    quoted = {"scrapbook": {"name": "count", "mime_prefix": "application/papermill.record/"}}
    first.metadata["tags"] = ["hide-input"]
    first.outputs = [nbformat.v4.new_output("display_data", {MIME: [as_data(law) for law in LAWS]})]
    second.outputs = [nbformat.v4.new_output("display_data", {"text/html": PICTURE, "text/plain": "a figure"})]
    second.outputs.append(
        nbformat.v4.new_output("display_data", {"application/papermill.record/text/plain": "3"}, metadata=quoted)
    )
    front = {"myst": {"html_meta": {"description": "What a small page is about, in one sentence."}}}
    text = nbformat.v4.new_markdown_cell(PAGE.partition("---\n\n")[2])
    return nbformat.v4.new_notebook(
        cells=[text, first, second],
        metadata=front | {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": LANGUAGE},
    )


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The small book: its folder, the messages, and its page in English and with accents."""
    from sphinx.application import Sphinx

    folder = tmp_path_factory.mktemp("book")
    before = dict(locale.translators)
    patch = pytest.MonkeyPatch()
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
        out, said = folder / "out" / f"{builder}-{language}", io.StringIO()
        options = {"language": language}
        Sphinx(
            folder, folder, out, folder / "out" / f"trees-{builder}-{language}", builder, options, None, said
        ).build()
        told = [line for line in said.getvalue().splitlines() if "already registered" not in line]
        assert not [line for line in told if "WARNING" in line or "ERROR" in line], said.getvalue()
        return out

    messages = build("gettext")
    pseudo.write(messages, folder / "locale")
    sites = [build("html"), build("html", pseudo.LANGUAGE)]
    pages = [lxml.html.parse(str(site / "page.html")) for site in sites]
    yield SimpleNamespace(
        folder=folder, messages=messages, english=pages[0], accented=pages[1], site=sites[1], build=build
    )
    patch.undo()
    locale.translators.clear()  # or the next book of this process speaks with accents
    locale.translators.update(before)


def test_every_kind_of_message_is_collected(book):
    def of(name):
        with (book.messages / f"{name}.pot").open("rb") as file:
            return {message.id for message in read_po(file) if message.id}

    page = of("page")
    assert {"First title", "(Doubling)", "It grows.", "Which one?", "Second title", "Count it."} <= page
    assert "What a small page is about, in one sentence." in page
    assert any(text.startswith("Some *words* about a score") for text in page)
    rest = of("book")
    assert {"Chapters", "The small book", "Bar of {1} keys", "weight of key {1}", "far away", "It is heavy."} <= rest
    assert {"weights sum to one", "twice as fast", "Back to start", "{1} of {2} claims"} <= rest
    assert rest >= words.WORDS
    assert "lse, logsumexp, log-sum-exp" in rest
    assert not rest & {"f(x) < y", "cat", "a b"}


def test_the_translation_says_everything_and_executes_nothing(book):
    page = book.accented
    kept = {"python", "cat", "Proof"}  # the basic theme links the index of statements
    plain, total, left = pseudo.share([page])
    assert total > 60
    assert not set(left) - kept, f"{plain} of {total} words are not translated: {left}"
    assert page.getroot().get("lang") == "en-XA"
    assert page.xpath("//meta[@name='description']/@content") == [pseudo.accented(DESCRIPTION)]
    assert page.xpath("//svg/@aria-label") == [pseudo.accented("Bar of 3 keys")]
    asked = json.loads(page.xpath("//script[@type='application/json']")[0].text)
    assert asked["ask"]["why"] == pseudo.accented("It is heavy.")
    assert asked["state"] == {"word": "cat"}


def test_a_notebook_speaks_the_language_of_its_page(book):
    notebook = nbformat.read(book.site / "notebooks" / "page.ipynb", 4)
    text = "\n".join(cell.source for cell in notebook.cells)
    said = [
        "**Theorem 1** (Doubling)",
        "By counting.",
        "Second title",
        "This notebook is",
        "A check that holds leaves one line",
    ]
    said += ["Check yourself", "Answers", "Run this cell first", "Exercise 1", "Solution to", "*Proof.*"]
    assert not [words for words in said if pseudo.accented(words) not in text], text
    assert pseudo.accented("Show code cell source") in book.accented.xpath("//details/summary/p/text()")


def test_a_cell_that_is_not_stored_ends_the_build(book):
    path = book.folder / "page.ipynb"
    text = path.read_text("utf-8")
    path.write_text(text.replace("draw()", "draw(2)"), "utf-8")
    with pytest.raises(SystemExit, match="Not stored, and this build executes no cell: page"):
        book.build("html")
    path.write_text(text, "utf-8")


def test_places_code_formulas_and_values_stay(book):
    for path in ("//@id", "//pre", "//a/@href", "//span[contains(@class, 'math')]", "//input/@name"):
        found = [
            [text if isinstance(text, str) else text.text_content() for text in page.xpath(path)]
            for page in (book.english, book.accented)
        ]
        assert found[0] == found[1], path
        assert found[0], path
    assert re.search(r"x\^2.* áńď 3;", book.accented.xpath("string(//p[em])"))


DESCRIPTION = "What a small page is about, in one sentence."


def test_a_word_that_is_not_in_the_table_is_an_error(monkeypatch):
    monkeypatch.setattr(words, "_translate", str)
    assert words._("Check yourself") == "Check yourself"
    assert words._("line {line}", line=7) == "line 7"
    with pytest.raises(KeyError, match="Not there"):
        words._("Not there")


def test_every_line_of_the_table_is_used():
    code = Path(words.__file__).parents[2]
    files = [*(code / "bookext").rglob("*.py"), *(code / "bookext").rglob("*.html"), code / "attnbook/check_record.py"]
    said = "".join(path.read_text("utf-8") for path in files if path != Path(words.__file__))
    made = re.compile("(Show|Hide) code cell|^[A-Z][a-z]+$")  # words of MyST-NB; kinds of statements
    assert not [w for w in words.WORDS if not made.match(w) and said.count(w) < 1 + (w in check_record.WORDS)]


def test_numbers_of_an_output_are_no_words(monkeypatch):
    monkeypatch.setattr(outputs, "say", lambda text: {"{1} of {2} keys": "{2} Schlüssel, davon {1}"}.get(text, text))
    said = '<p title="x < 3">1.5e-3 of −2 keys</p><style>1 of 2 keys</style>'
    assert outputs.translated(said) == said.replace("1.5e-3 of −2 keys", "−2 Schlüssel, davon 1.5e-3", 1)


def test_scripts_say_words_and_keep_their_code():
    code = 'const a = { class: "live-a live-b", "data-shows": `weights ${j}` }; // Not this\n'
    code += 'say(`Row ${f({ x: "two words" })} of ${n}`, x === "no words", /"quoted words/, "Back \\"to\\" start");'
    said = []
    assert scripts.rewrite(code, lambda text: said.append(text) or text) == code
    assert said == ["two words", "Row {1} of {2}", 'Back "to" start']
    turned = scripts.rewrite(code, lambda text: "{2} | {1}" if text.startswith("Row") else text)
    assert '`${n} | ${f({ x: "two words" })}`' in turned


def test_the_scripts_of_all_figures_can_be_translated():
    names = sorted(path.stem for path in live_files.FOLDER.glob("*.js") if path.name not in live_files.PARTS)
    code = live_files.script(names)
    assert scripts.rewrite(code, lambda text: text) == code
    accented = scripts.rewrite(code, pseudo.accented)
    assert pseudo.accented("Back to start") in accented
    MiniRacer().eval(f"new Function({json.dumps(accented)}); 0")
    shown = re.compile(r'"data-shows": [`"][^`"]*[`"]|class: [`"][^`"]*[`"]')
    assert shown.findall(code) == shown.findall(accented)


def test_a_sentence_with_a_semicolon_or_a_value_is_a_message():
    assert scripts.is_message("Inside the hull: exactly one query has this output, q = ({1}).")
    assert scripts.is_message("Among {1} keys the query looks at {2}; in training it was {3} of {4}.")
    for code in ('<label>Two words of it <select name="{1}">', "x = {1}; y = {2}", "Fill = none; stroke = black"):
        assert not scripts.is_message(code), code


def test_what_a_figure_asks_the_reader_to_do_is_a_message():
    """A semicolon, for one, makes a string look like code."""
    hint = re.compile(r'"live-hint" ?}, "([^"]+)"')
    asked = [
        (path.stem, found) for path in live_files.FOLDER.glob("*.js") for found in hint.findall(path.read_text("utf-8"))
    ]
    assert len(asked) > 12
    report = [f"{name}: {text}" for name, text in asked if not scripts.is_message(text)]
    assert not report, report
