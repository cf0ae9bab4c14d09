"""Register the book's theme, and choose what a page loads: one style sheet, one script, and those of its own.

A second script comes when the page is there and the browser idle: it makes the buttons that copy code.

The templates in ``book_theme`` leave out what the parent theme loads by itself. What extensions add to every page is
filtered here.
"""

from pathlib import Path

from rjsmin import jsmin

from ..language import editions
from ..language.messages import _, translate
from ..language.scripts import rewrite
from ..navigation import search
from . import styles

THEME = Path(__file__).with_name("book_theme")
OWN_SCRIPTS = sorted([*THEME.parents[1].glob("static/*.js"), *THEME.glob("static/*.js")])
PARENT_SHEETS = ("_static/styles/theme.css", "_static/styles/pydata-sphinx-theme.css")  # its layout writes these itself
# Scripts that no page uses: for tabs, for another search, its words and their plurals, for notes in the margin (the
# rest: book-theme.js).
UNUSED = ("_static/design-tabs.js", "_static/sphinx_highlight.js", "_static/scripts/sphinx-book-theme.js")
UNUSED += ("_static/translations.js", "_static/doctools.js")
COLOURS = "_static/pygments.css"  # of code, for which the book has its own
SCRIPT = "_static/site.js"
LATER = "_static/copy.js"
FOR_LATER = ("_static/documentation_options.js", "_static/clipboard.min.js", "_static/copybutton.js")
OWN = 900  # a script of this priority, or a higher one, is loaded by the pages that ask for it alone
VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1" />'  # docutils': the layout has its own
FILES_PLACE = "links to the book as one file"  # in a comment, before them

sheets: list[str] = []  # the style sheets that every page of this build would load, in their order
scripts: list[str] = []  # and the scripts
later: list[str] = []  # and those that come later


def setup(app):
    """Register the theme, and filter what each page loads after every extension has added to it."""
    app.add_html_theme("book_theme", str(THEME))
    app.add_js_file("book-theme.js", priority=100)
    app.connect("html-page-context", _offer_messages, priority=100)  # before the parent theme renders parts of a page
    app.connect("html-page-context", _choose, priority=900)
    app.connect("build-finished", _translate_scripts, priority=700)  # before they are packed


def _offer_messages(app, name, template, context, doctree):
    """Let the templates of a page use the messages of the extension."""
    context["message"] = _


def _choose(app, name, template, context, doctree):
    """Give the template of a page its style sheet and its scripts."""
    files = [file for file in context["css_files"] if file.attributes.get("rel", "stylesheet") == "stylesheet"]
    names = [str(file.filename) for file in sorted(files, key=lambda file: file.priority)]
    sheets[:] = [*PARENT_SHEETS, *(name for name in names if name != COLOURS)]
    # A script without a file sets an option of a script that is not loaded.
    files = sorted((file for file in context["script_files"] if file.filename), key=lambda file: file.priority)
    names = [str(file.filename) for file in files if file.priority < OWN and str(file.filename) not in UNUSED]
    scripts[:] = [name for name in names if name not in FOR_LATER]
    later[:] = [name for name in names if name in FOR_LATER]
    context["script_files"][:] = [file for file in files if file.priority >= OWN]
    context["metatags"] = context.get("metatags", "").replace(VIEWPORT, "")
    context |= {"style_sheet": styles.SHEET, "site_script": SCRIPT, "later_script": Path(LATER).name}
    context |= {"search_index": search.INDEX}
    context["files_place"] = FILES_PLACE


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
    for target, names in ((SCRIPT, scripts), (LATER, later)):
        text = ";\n".join((site / name).read_text(encoding="utf-8") for name in names)
        (site / target).write_text(text, encoding="utf-8")
