"""The Sphinx extension that makes this book's site. No chapter imports it, and of the package it imports
only how checks and live figures are shown.

* ``run`` executes chapters and keeps their outputs: ``chapters`` runs a chapter of any tree, with other seeds if asked,
  ``kernels`` its cells, ``forked`` starts kernels fast, ``strictness`` compares checks with the main branch, ``jobs``
  goes on with a run that was stopped; ``eval_role`` puts what cells computed into sentences.
* ``contents`` reads _toc.yml.
* ``collect`` gathers what pages hold, and makes pages and boxes of it: ``derived`` keeps the collections and fills the
  places that show them, ``checks`` draws executed checks, ``ledger`` and ``evidence`` hold verdicts to checks,
  ``mistakes``, ``quiz`` and ``navigation`` collect mistakes, questions, theorems and terms, ``coursework`` shows
  assignments, ``reading_time`` the time under a title, ``package`` links code to its documentation, ``search`` writes
  the index.
* ``write`` shapes a page as it becomes HTML: ``mathml`` renders formulas, ``boxes`` theorems and solutions, ``live``
  scripts and files of figures; ``notebooks`` and ``notebook_text`` write a chapter as a notebook, ``launch`` links it.
* ``language`` makes editions in other languages: ``messages`` is the table of the extension's own, ``outputs`` and
  ``scripts`` translate what cells and scripts show, ``catalogue`` collects and loads,
  ``progress`` compares, ``english`` marks what is not translated, ``editions`` links them.
* ``theme`` is the look of a page: ``builder`` puts the preface at the root and applies ``repairs`` to what templates
  cannot reach, ``sidebar`` lists the pages beside each, ``assets`` and ``styles`` choose what a page loads, ``social``
  describes it to search engines, ``pages`` ends a build.
"""

from pathlib import Path

STATIC = Path(__file__).parent / "static"


def setup(app):
    """Register the parts; see their modules for the reasons."""
    from pybtex.backends.plaintext import Backend
    from pybtex.plugin import register_plugin

    from .collect import checks, coursework, derived, ledger, mistakes, navigation, package, quiz, reading_time, search
    from .language import catalogue, chinese, english, progress
    from .run import eval_role, execution, weights
    from .theme import assets, builder, pages, sidebar, social
    from .write import boxes, launch, live, mathml, notebooks

    # For every citation pybtex would search all installed packages for the name of this class.
    register_plugin("pybtex.backends", "plaintext", Backend)
    builder.setup(app)
    catalogue.setup(app)
    progress.setup(app)
    english.setup(app)
    chinese.setup(app)
    weights.setup(app)
    execution.setup(app)
    eval_role.setup(app)
    derived.setup(app)
    checks.setup(app)
    ledger.setup(app)
    mistakes.setup(app)
    coursework.setup(app)
    quiz.setup(app)
    live.setup(app)
    mathml.setup(app)
    navigation.setup(app)
    reading_time.setup(app)
    package.setup(app)
    search.setup(app)
    notebooks.setup(app)
    launch.setup(app)
    boxes.setup(app)
    social.setup(app)
    assets.setup(app)
    pages.setup(app)
    sidebar.setup(app)
    app.connect("env-before-read-docs", _forget)
    app.connect("builder-inited", lambda app: app.config.html_static_path.append(str(STATIC)))
    app.add_css_file("book.css", priority=900)
    app.add_css_file("package.css", priority=900)
    app.add_js_file("book.js", priority=100)
    return {"version": "0.1.0", "env_version": 11, "parallel_read_safe": True, "parallel_write_safe": True}


def _forget(app, env, docnames):
    """Forget all pages that are read again before the first is read: a label may have moved from one to another."""
    for name in docnames:
        app.emit("env-purge-doc", env, name)
        env.clear_doc(name)
