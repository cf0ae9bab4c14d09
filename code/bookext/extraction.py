"""Extract the messages that Sphinx does not know of, for ``make translation TASK=messages``.

That task builds with Sphinx's builder ``gettext``, which extracts the text of pages. Here the rest is extracted: what
checks say into the catalogue of their page, what the extension and the scripts say into ``book.pot``.
"""

import ast
from pathlib import Path

import jinja2
from attnbook.check import render
from attnfigures.kit import files
from sphinx.builders.gettext import MsgOrigin
from sphinx.util.i18n import docname_to_domain

from . import hooks
from .language import messages, scripts
from .navigation import search
from .outputs.checks import checks_of_cell
from .theme.assets import OWN_SCRIPTS

EXTENSION = Path(__file__).parent
MARKS = ("_", "N_")  # the functions whose literals are messages


def setup(app):
    """Extract where a build does: from each page once it is read, from the extension and the scripts once all are."""
    app.connect("builder-inited", _begin)


def _begin(app):
    if app.builder.name == "gettext":
        app.connect("doctree-read", _extract_checks)
        app.connect("doctree-read", _extract_titles_of_exercises)
        app.connect("env-updated", _extract_rest)


def _extract_checks(app, doctree):
    """Request the laws and notes of checks: no page is written here, which would request what it shows."""
    for node in doctree.findall(checks_of_cell):
        place = (app.env.docname, doctree["source"], messages.line_of(node))
        for check in node["checks"]:
            messages.translate_numbers(check.note, *place)
            if not check.is_code:
                messages.translate_numbers(check.law, *place)


def _extract_titles_of_exercises(app, doctree):
    """Hand over the titles of exercises, which the builder does not look for."""
    page = docname_to_domain(app.env.docname, app.config.gettext_compact)
    for title in doctree.findall(hooks.exercise_nodes().exercise_subtitle):
        app.builder.catalogs[page].add(title.rawsource, MsgOrigin(title.source, title.line))


def _extract_rest(app, env):
    """Hand over what pages requested while they were read, and the messages of the extension and the scripts."""
    for text in sorted(set(_messages_of_extension())):
        messages.request(text)
    for line in search.synonym_lines():
        messages.request(line)
    for path in (*OWN_SCRIPTS, *sorted(files.KIT.glob("*.js")), *sorted(files.FIGURES.glob("*.js"))):
        _request_messages_of_script(path)
    for (catalogue, text), place in messages.requested.items():
        app.builder.catalogs[catalogue].add(text, MsgOrigin(*place))


def _messages_of_extension():
    """Yield the marked literals of the modules, the messages of the templates, and those that others keep."""
    for path in EXTENSION.rglob("*.py"):
        yield from _marked_literals(path.read_text(encoding="utf-8"))
    for path in EXTENSION.rglob("*.html"):
        yield from _messages_of_template(path.read_text(encoding="utf-8"))
    yield from render.MESSAGES.values()
    yield from map(str.title, hooks.kinds_of_theorems())


def _marked_literals(code):
    """Yield the messages of a module, as in ``_("all")``."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str() as message), *_]) if name in MARKS:
                yield message


def _messages_of_template(text):
    """Yield the messages of a template, as in ``{{ message('Answers') }}``."""
    tree = jinja2.Environment(extensions=["jinja2.ext.i18n"]).parse(text)
    for call in tree.find_all(jinja2.nodes.Call):
        match call:
            case jinja2.nodes.Call(
                node=jinja2.nodes.Name(name="message"), args=[jinja2.nodes.Const(value=str() as message), *_]
            ):
                yield message


def _request_messages_of_script(path):
    """Request the messages of a script, each with the line where it begins."""
    for text, line in scripts.messages(path.read_text(encoding="utf-8"), path.name):
        messages.request(text, "", str(path), line)
