"""The Sphinx extension that makes this book's site. No chapter imports it, and of the package it imports
only how checks and live figures are shown.

* ``run`` executes: ``execution`` executes chapters and keeps their outputs, ``kernels`` runs the cells of one,
  ``dependencies`` says which modules they depend on, ``quotes`` puts what cells computed into sentences.
* ``collect`` gathers what pages hold, and makes what is made of it: ``checks`` draws the checks of the executed
  cells and gives each law an address; ``ledger`` makes the pages of claims and contradictions, and ``evidence``
  holds each verdict to the checks that decide it; ``mistakes`` collects the famous mistakes;
  ``coursework`` puts the questions of an assignment on its chapter's page; ``quiz`` asks the reader questions, and
  collects them on one page; ``wayfinding`` draws the map of the chapters, states all theorems and definitions on one
  page, and links to the glossary; ``reading`` says how long a chapter takes, and which pages go deeper; ``package``
  completes the page of the package and links the import lines of cells to it; ``search`` writes the index of sections
  that the search page reads.
* ``write`` shapes a page as it becomes HTML: ``mathml`` turns formulas into MathML while building; ``boxes`` gives
  theorems links and folds solutions; ``live`` gives each page the script of its live figures; ``notebooks`` and
  ``notebook_text`` write every chapter as a notebook that runs anywhere; ``launch`` shows the links that open it.
* ``language`` makes editions in other languages: ``words`` are the book's own, in one table; ``chinese`` marks Chinese;
  ``outputs`` translates what cells show, ``scripts`` what scripts say; ``catalogue`` collects and loads,
  ``editions`` links the editions.
* ``theme`` is the look of a page: ``builder`` puts the preface at the root of the site; ``book_theme`` is a child of
  sphinx-book-theme, with the script of the search; ``assets`` chooses what a page loads, ``styles`` makes its one style
  sheet; ``social`` says what a page is: to search engines, in links to it, and where an address leads nowhere;
  ``pages`` applies ``repairs`` to what templates cannot reach, ``late`` among them.
"""

from pathlib import Path

STATIC = Path(__file__).parent / "static"


def setup(app):
    """Register the parts; see their modules for the reasons."""
    from .collect import checks, coursework, ledger, mistakes, package, quiz, reading, search, wayfinding
    from .language import catalogue, chinese
    from .run import execution, quotes
    from .theme import assets, builder, pages, social
    from .write import boxes, launch, live, mathml, notebooks

    builder.setup(app)
    catalogue.setup(app)
    chinese.setup(app)
    execution.setup(app)
    quotes.setup(app)
    checks.setup(app)
    ledger.setup(app)
    mistakes.setup(app)
    coursework.setup(app)
    quiz.setup(app)
    live.setup(app)
    mathml.setup(app)
    wayfinding.setup(app)
    reading.setup(app)
    package.setup(app)
    search.setup(app)
    notebooks.setup(app)
    launch.setup(app)
    boxes.setup(app)
    social.setup(app)
    assets.setup(app)
    pages.setup(app)
    app.connect("builder-inited", lambda app: app.config.html_static_path.append(str(STATIC)))
    app.add_css_file("book.css", priority=900)
    app.add_css_file("package.css", priority=900)
    app.add_js_file("book.js", priority=100)
    return {"version": "0.1.0", "env_version": 7, "parallel_read_safe": True, "parallel_write_safe": True}
