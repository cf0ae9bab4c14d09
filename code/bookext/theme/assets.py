"""Register the book's theme, and choose what a page loads: one style sheet, one script, and those of its own.

Scripts are loaded while a page is read and run after it, each in a task of its own (``start.js``). A second script
comes when the reader first does something: it makes the buttons that copy code.

The templates in ``book_theme`` leave out what the parent theme loads by itself. What extensions add to every page is
filtered here.
"""

import re
from pathlib import Path
from typing import NamedTuple

from rjsmin import jsmin

from ..language import editions
from ..language.messages import _, translate
from ..language.scripts import rewrite
from ..navigation import search
from . import styles

THEME = Path(__file__).with_name("book_theme")
OWN_SCRIPTS = sorted([*THEME.parents[1].glob("static/*.js"), *THEME.glob("static/*.js")])
PARENT_SHEETS = ("_static/styles/theme.css", "_static/styles/pydata-sphinx-theme.css")  # its layout writes these itself
COLOURS = "_static/pygments.css"  # of code, for which the book has its own

SITE_SCRIPT = "_static/site.js"
COPY_SCRIPT = "_static/copy.js"
OF_COPY_BUTTONS = ("_static/documentation_options.js", "_static/clipboard.min.js", "_static/copybutton.js")
UNUSED = (
    "_static/design-tabs.js",  # the book has no tabs
    "_static/doctools.js",  # keys for a search that the book does not have
    "_static/sphinx_highlight.js",  # marks what that search has found
    "_static/translations.js",  # its plurals
    "_static/scripts/sphinx-book-theme.js",  # notes in the margin, which the book has not; the rest: book-theme.js
)
OF_SOME_PAGES = 900  # a script of this priority, or a higher one, is loaded by the pages that ask for it alone

SIGNS = re.compile("[\u0370-\u03ff\u2190-\u27f6]")  # letters of formulas, arrows, roots: a font of their own

VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1" />'  # docutils': the layout has its own
FILES_PLACE = "links to the book as one file"  # in a comment, before them


class Packed(NamedTuple):
    """The files that every page would load, in their order, of which the end of the build makes one each."""

    sheets: list[str]
    scripts: list[str]
    copy_scripts: list[str]


packed = Packed([], [], [])  # the same for every page: each page that is written fills it again


def setup(app):
    """Register the theme, and filter what each page loads after every extension has added to it."""
    app.add_html_theme("book_theme", str(THEME))
    app.add_js_file("book-theme.js", priority=100)
    app.connect("html-page-context", _offer_messages, priority=100)  # before the parent theme renders parts of a page
    app.connect("html-page-context", _choose, priority=900)
    # Where no page has changed Sphinx ends at once, and nobody would see what has changed in a style sheet or script.
    app.connect("env-get-updated", lambda app, env: [env.config.root_doc])
    app.connect("build-finished", _translate_scripts, priority=700)  # before they are packed


def _offer_messages(app, name, template, context, doctree):
    """Let the templates of a page use the messages of the extension."""
    context["message"] = _


def _choose(app, name, template, context, doctree):
    """Give the template of a page its style sheet and its scripts."""
    sheets = [file for file in context["css_files"] if file.attributes.get("rel", "stylesheet") == "stylesheet"]
    # A script without a file sets an option of a script that is not loaded.
    scripts = [file for file in context["script_files"] if file.filename]
    of_every_page = [name for name in _names(s for s in scripts if s.priority < OF_SOME_PAGES) if name not in UNUSED]
    packed.sheets[:] = [*PARENT_SHEETS, *(name for name in _names(sheets) if name != COLOURS)]
    packed.scripts[:] = [name for name in of_every_page if name not in OF_COPY_BUTTONS]
    packed.copy_scripts[:] = [name for name in of_every_page if name in OF_COPY_BUTTONS]
    context["script_files"][:] = sorted(
        (script for script in scripts if script.priority >= OF_SOME_PAGES), key=lambda script: script.priority
    )
    context |= {
        "style_sheet": styles.SHEET,
        "site_script": SITE_SCRIPT,
        "copy_script": Path(COPY_SCRIPT).name,
        "search_index": search.INDEX,
        "fonts": _fonts(context),
        "files_place": FILES_PLACE,
        "metatags": context.get("metatags", "").replace(VIEWPORT, ""),
    }


def _fonts(context):
    """Return the fonts of what a reader sees first: a browser that finds them late lays out the page once more."""
    is_used = {
        "book-text.woff2": True,
        "book-text-italic.woff2": True,
        "book-math.woff2": "<math" in context.get("body", ""),
        "book-signs.woff2": SIGNS.search(context.get("title", "")),
    }
    return [f"_static/{name}" for name, used in is_used.items() if used]


def _names(files):
    """Return the names of style sheets or scripts in the order in which a page loads them."""
    return [str(file.filename) for file in sorted(files, key=lambda file: file.priority)]


def _translate_scripts(app, failure):
    """Translate the scripts of the site's own; that of live figures is translated where it is made."""
    if failure or app.builder.format != "html" or app.config.language == editions.TOP:
        return
    for source in OWN_SCRIPTS:
        text = rewrite(source.read_text(encoding="utf-8"), translate, source.name)
        (Path(app.outdir) / "_static" / source.name).write_text(text, encoding="utf-8")


def pack_scripts(site):
    """Take comments and space out of the book's own scripts, and write those of every page as two files."""
    for source in OWN_SCRIPTS:
        path = site / "_static" / source.name
        path.write_text(jsmin(path.read_text(encoding="utf-8")), encoding="utf-8")
    for target, names in ((SITE_SCRIPT, packed.scripts), (COPY_SCRIPT, packed.copy_scripts)):
        text = ";\n".join((site / name).read_text(encoding="utf-8") for name in names)
        (site / target).write_text(text, encoding="utf-8")
