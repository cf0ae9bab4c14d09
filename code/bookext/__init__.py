"""The Sphinx extension that makes this book's site. No chapter imports it, and of the packages it imports
only how checks and figures are shown.

* ``run`` executes chapters: ``execution`` runs those of a build and keeps their outputs, ``dependencies`` finds what an
  output depends on, ``weights`` leaves out cells where those of the language model are missing. ``chapters`` runs a
  chapter of any tree, with other seeds by ``reseed`` if asked. Both run cells by ``kernels``, which ``forked`` starts
  fast. ``strictness`` compares checks with the main branch, which ``mainline`` finds; ``jobs`` goes on with a run that
  was stopped; ``eval_role`` puts what cells computed into sentences.
* ``outputs`` holds what cells show: ``checks`` and ``figures`` make nodes of their records, ``translated`` translates
  these and all other outputs.
* ``audit`` holds statements to executed checks: ``ledger`` and ``evidence`` the claims of sources, ``mistakes`` the
  boxes of famous mistakes.
* ``questions`` asks: ``quiz`` where it stands, ``recall`` all on one page; ``coursework`` shows assignments.
* ``navigation`` helps the reader find things: ``chapter_map``, ``results`` of all chapters, links to the ``glossary``,
  the ``search``, the pages of the ``package``, and the ``reading_time`` of a page.
* ``write`` shapes a page as it becomes HTML: ``mathml`` renders formulas, ``boxes`` theorems and solutions, ``folds``
  cells whose code is folded, ``figures`` drawings, their files and scripts; ``notebooks`` writes a chapter as a
  notebook: ``notebook_cells`` its cells, ``notebook_text`` their text, by what ``notebook_page`` knows of the page; and
  ``launch`` links it.
* ``language`` speaks other languages: ``catalogues`` loads translations, ``messages`` translates what the extension
  says, ``scripts`` what scripts say, whose strings ``javascript`` reads, and ``titles`` what Sphinx leaves of titles;
  ``translatable`` tells Sphinx what text it is to translate, ``progress`` compares, ``english`` marks or leaves out
  what is not translated, ``chinese`` marks what is Chinese, ``editions`` links the pages.
* ``theme`` is the look of a page: ``builder`` puts the preface at the root, parses each page that is written and
  applies ``repairs`` to what templates cannot reach, where ``icons`` are drawn; ``sidebar`` lists the pages beside
  each, ``assets`` and ``styles`` choose what a page loads, ``social`` describes it to search engines, ``pages`` ends a
  build.

Beside them stand ``contents``, which knows the pages in their order, ``addresses``, where the book is published,
``markup``, which changes HTML, and ``hooks``, the only place that reaches into parts of other libraries; ``computed``
makes pages without a file, ``derived`` keeps what pages hold and fills the places that show it elsewhere,
``extraction`` finds in all of them what is to be translated.
"""

import atexit
import gc
from pathlib import Path

STATIC = Path(__file__).parent / "static"
# The style sheets of every page, in their order: `screens` and `print` change what those before them say.
SHEETS = ("book.css", "formulas.css", "boxes.css", "cells.css", "code.css", "figures.css", "tables.css")
SHEETS += ("screens.css", "print.css", "package.css")


def setup(app):
    """Register the parts; see their modules for the reasons.

    Priorities say in which order parts act. The order of these calls matters where they do not:

    * `builder` announces the event ``page-written``, to which other parts connect.
    * `titles` completes titles (``doctree-read``) before other parts collect them.
    * `execution` runs the cells (``env-before-read-docs``) before `_forget`: a cell that fails leaves all pages as they
      were.
    * Style sheets of one priority are loaded in the order in which they were added: those of the book come last.
    """
    from pybtex.backends.plaintext import Backend
    from pybtex.plugin import register_plugin

    from . import computed, derived, extraction
    from .audit import ledger, mistakes
    from .language import catalogues, chinese, english, progress, titles, translatable
    from .navigation import chapter_map, glossary, package, reading_time, results, search
    from .outputs import checks, translated
    from .questions import coursework, quiz, recall
    from .run import eval_role, execution, weights
    from .theme import assets, builder, pages, sidebar, social
    from .write import boxes, figures, folds, launch, mathml, notebooks

    # The trees of pages are many objects and little garbage: looking for it as often as usual is a fifth of a build.
    gc.set_threshold(200_000, 20, 20)
    # And at its end Python would take them apart one by one, four seconds for what the system takes back at once.
    atexit.register(gc.freeze)
    # For every citation pybtex would search all installed packages for the name of this class.
    register_plugin("pybtex.backends", "plaintext", Backend)
    parts = (
        builder,
        *(catalogues, translatable, extraction, titles),
        *(weights, execution, eval_role),
        *(computed, derived, checks, translated),
        *(progress, english, chinese),
        *(ledger, mistakes, quiz, recall, coursework),
        *(chapter_map, results, glossary, reading_time, package, search),
        *(figures, mathml, notebooks, launch, boxes, folds),
        *(social, assets, pages, sidebar),
    )
    for part in parts:
        part.setup(app)
    app.connect("env-before-read-docs", _forget)
    app.connect("builder-inited", lambda app: app.config.html_static_path.append(str(STATIC)))
    for name in SHEETS:
        app.add_css_file(name, priority=900)
    app.add_js_file("book.js", priority=100)
    return {"version": "0.1.0", "env_version": 14, "parallel_read_safe": True, "parallel_write_safe": True}


def _forget(app, env, docnames):
    """Forget all pages that are read again before the first is read: a label may have moved from one to another."""
    for name in docnames:
        app.emit("env-purge-doc", env, name)
        env.clear_doc(name)
