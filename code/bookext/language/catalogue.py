"""Collect the messages of the catalogue ``book`` and load its translations, beside those that Sphinx knows of.

``make translation TASK=messages`` builds with Sphinx's builder ``gettext``, which takes the text of pages from what it
reads. What else is shown goes through `messages.translate`, and is written into ``book.pot`` with the messages of the
extension and of scripts.
"""

import ast
import re
from functools import partial
from pathlib import Path

from attnbook.check import record
from attnfigures.kit import files
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx import addnodes, locale
from sphinx.builders.gettext import MsgOrigin
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.i18n import CatalogInfo, docname_to_domain
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_subtitle
from sphinx_proof.proof_type import PROOF_TYPES

from ..collect import evidence, ledger, navigation, quiz, search
from ..collect.checks import checks_of_cell
from ..theme import repairs, social
from ..write import launch
from . import editions, messages, outputs, scripts

PARTS = Path(__file__).parents[1]
PARTS_OF_CELLS = ("content", "source", "output", "outputs")  # as MyST-NB names what it folds
SEARCH_FIELD = "Search this book..."  # what the field of the search shows: Jupyter Book sets it
SCRIPTS = sorted([*PARTS.glob("static/*.js"), *PARTS.glob("theme/book_theme/static/*.js")])


def setup(app):
    """Load the translations; collect what is to be translated."""
    app.connect("config-inited", _load, priority=50)  # before other extensions load their messages
    app.connect("doctree-read", _translate_captions, priority=100)  # before the contents are made from them
    app.connect("doctree-read", _collect_laws)
    app.connect("doctree-read", _complete_page)
    app.connect("env-updated", _collect)
    app.connect("build-finished", _translate_scripts, priority=700)
    app.add_transform(NameSources)
    app.add_transform(TranslateTitle)
    app.add_transform(outputs.TranslateOutputs)
    app.add_post_transform(TranslatePrompts)


def _load(app, config):
    """Load every catalogue of the language: those of pages, the book's, and corrections of other extensions'."""
    messages.requested.clear()
    messages.note_lacking(app.doctreedir if config.language != editions.TOP else None)
    for folder in config.locale_dirs:
        place = Path(app.srcdir, folder)
        messages_of = place / config.language / "LC_MESSAGES"
        for path in sorted(messages_of.rglob("*.po")):
            catalogue = CatalogInfo(str(messages_of), path.relative_to(messages_of).with_suffix("").as_posix(), "utf-8")
            if catalogue.is_outdated():
                catalogue.write_mo(config.language)
            locale.init([str(place)], config.language, catalogue.domain)
    config.html_title = config.project = messages.translate(config.html_title or config.project)
    config.author = messages.translate(config.author)
    if "search_bar_text" in config.html_theme_options:
        config.html_theme_options["search_bar_text"] = messages.translate(SEARCH_FIELD)


def _translate_captions(app, doctree):
    """Translate the names of the parts of the book: they come from _toc.yml, after Sphinx has translated the page."""
    for node in doctree.findall(addnodes.toctree):
        if node.get("caption"):
            node["caption"] = messages.translate(node["caption"])


def is_code(law):
    """Test whether both sides of a law are Python: then it is the line that was checked, and nothing to translate."""
    try:
        for side in re.split(r" (?:=|≠|<|≈|prints as|refuses) ", law):
            ast.parse(side, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return bool(re.search(r"[([.=_]", law))


def _collect_laws(app, doctree):
    """Collect the laws and notes of checks, which are translated only where a page is written."""
    for node in doctree.findall(checks_of_cell):
        place = (app.env.docname, doctree["source"], messages.line_of(node))
        for check in node["checks"]:
            messages.translate_numbers(check.note, *place)
            if not is_code(check.law):
                messages.translate_numbers(check.law, *place)


def _complete_page(app, doctree):
    """Do what Sphinx does not for the titles of exercises and theorems, and for the description of the page."""
    page = docname_to_domain(app.env.docname, app.config.gettext_compact)
    if app.builder.name == "gettext":
        for node in doctree.findall(exercise_subtitle):
            app.builder.catalogs[page].add(node.rawsource, MsgOrigin(node.source, node.line))
    for title in doctree.findall(nodes.title):  # that of a theorem begins with a space, which a translation loses
        if "realtype" in title.parent.attributes and title.children and not title.astext().startswith(" "):
            title.insert(0, nodes.Text(" "))
    for node in doctree.findall(exercise_enumerable_node):  # its title, as the title of its solution says it
        if app.config.language != "en" and (entry := app.env.sphinx_exercise_registry.get(node["label"])):
            entry["node"][0] = node[0].deepcopy()
    for node in doctree.findall(nodes.meta):
        node["content"] = str(locale.get_translation(page)(node["content"]))


class NameSources(SphinxTransform):
    """Let Sphinx translate the titles of exercises, which do not say where they come from, and leave other text alone.

    A displayed formula is no message, and where an old catalogue has one, Sphinx would put ``::`` in its place.
    Docstrings are reStructuredText, and a translation is read as the page is, as Markdown.
    """

    default_priority = 5

    def apply(self, **kwargs):
        for node in self.document.findall(exercise_subtitle):
            node.source, node.line = self.document["source"], node.parent.line or 0
            node.rawsource = node.rawsource or node.astext()
        for formula in self.document.findall(nodes.math_block):
            formula["translatable"] = False
        entries = [self.document, *self.document.findall(addnodes.desc)]
        for entry in entries:
            for node in entry.findall(nodes.TextElement):
                docstring = entry is not self.document or "docstring of" in (node.source or "")
                if docstring and ("translatable" in node or not isinstance(node, nodes.Inline)):
                    node["translatable"] = False


class TranslateTitle(SphinxTransform):
    """Translate the title of a page by the catalogue of the book, if that of the page does not: it is in every menu."""

    default_priority = 25  # after the text of the page

    def apply(self, **kwargs):
        title = next(self.document.findall(nodes.title), None)
        text = title.astext() if title is not None else ""
        if text and not re.fullmatch(r"\w+(\.\w+)+", text) and isinstance(title[0], nodes.Text) and len(title) == 1:
            new = messages.translate(text, "", self.document["source"], title.line or 0)
            if new != text:
                title[0] = nodes.Text(new)
                title["translated"] = True


class TranslatePrompts(SphinxPostTransform):
    """Translate the labels of what folds a cell."""

    default_priority = 900  # after MyST-NB has made them

    def run(self, **kwargs):
        for node in self.document.findall(HideCodeCellNode):
            for key in ("prompt_show", "prompt_hide"):
                node[key] = messages._(node[key])


def _own_messages():
    """Yield the messages of the extension: the literals of its calls and templates, and those that it computes."""
    for path in PARTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="_"), args=[ast.Constant(value=str() as message), *_]):
                    yield message
    for path in PARTS.rglob("*.html"):
        yield from re.findall(r"message\('([^']+)'\)", path.read_text(encoding="utf-8"))
    yield from record.SAID.values()
    yield from map(str.title, PROOF_TYPES)
    yield from (*evidence.STANDS, *evidence.STANDS.values(), *ledger.GROUPS, "all")
    yield from (quiz.HEADING, *(text for text, _ in quiz.SIGNS.values()))
    yield from (SEARCH_FIELD, *repairs.NAMES, navigation.MAP, *social.DESCRIPTIONS.values(), *launch.LINKS)
    yield from (f"{verb} code cell {part}" for verb in ("Show", "Hide") for part in PARTS_OF_CELLS)


def _collect(app, env):
    """Give the builder ``gettext`` what was requested, and the messages of the extension and of scripts."""
    if app.builder.name != "gettext":
        return
    prompts = (app.config.nb_code_prompt_show, app.config.nb_code_prompt_hide)
    for text in sorted({*_own_messages(), *prompts}):
        messages.translate(text)
    list(search.synonyms())
    for path in (*SCRIPTS, *sorted(files.KIT.glob("*.js")), *sorted(files.FIGURES.glob("*.js"))):
        code = path.read_text(encoding="utf-8")
        scripts.rewrite(code, partial(_collect_from_script, path, code))
    for (catalogue, text), place in messages.requested.items():
        app.builder.catalogs[catalogue].add(text, MsgOrigin(*place))


def _collect_from_script(path, code, text):
    """Collect a message of a script, with the line where the longest piece between its values stands."""
    piece = max(re.split(r"\{\w+\}", text), key=len)
    return messages.translate(text, "", str(path), code.count("\n", 0, max(code.find(piece), 0)) + 1)


def _translate_scripts(app, failure):
    """Translate the scripts of the site's own; that of live figures is translated where it is made."""
    if failure or app.builder.format != "html" or app.config.language == "en":
        return
    for path in SCRIPTS:
        text = scripts.rewrite(path.read_text(encoding="utf-8"), messages.translate)
        (Path(app.outdir) / "_static" / path.name).write_text(text, encoding="utf-8")
