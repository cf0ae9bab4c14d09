"""Load the catalogues of the language of a build, and translate the settings by them."""

from pathlib import Path

from sphinx import locale
from sphinx.util.i18n import CatalogInfo

from . import editions, messages
from .messages import N_

SEARCH_FIELD = N_("Search this book...")  # what the field of the search shows: Jupyter Book sets it


def setup(app):
    """Load the catalogues before other extensions load theirs: what is here corrects them."""
    app.connect("config-inited", _begin, priority=50)


def _begin(app, config):
    """Forget the messages of another build, load the catalogues, and translate the settings."""
    messages.requested.clear()
    messages.of_pages.clear()
    messages.note_lacking(app.doctreedir if config.language != editions.TOP else None)
    for folder in config.locale_dirs:
        _load(Path(app.srcdir), folder, config.language)
    _translate_settings(config)


def _load(source, place, language):
    """Load every catalogue of a language: those of pages, the book's, and corrections of other extensions'.

    What a page's catalogue lacks is looked up in the book's.
    """
    folder = source / place / language / "LC_MESSAGES"
    loaded = {}
    for path in sorted(folder.rglob("*.po")):
        domain = path.relative_to(folder).with_suffix("").as_posix()
        catalogue = CatalogInfo(str(folder), domain, "utf-8")
        if catalogue.is_outdated():
            catalogue.write_mo(language)
        loaded[domain] = locale.init([str(source / place)], language, domain)[0]
    book = loaded.pop(messages.CATALOGUE, None)
    for domain, translations in loaded.items():
        if book and any(source.glob(f"{domain}.*")):
            translations.add_fallback(book)
            messages.of_pages[domain] = translations


def _translate_settings(config):
    """Translate the title of the book, its author, and what the field of the search shows."""
    config.html_title = config.project = messages.translate(config.html_title or config.project)
    config.author = messages.translate(config.author)
    if "search_bar_text" in config.html_theme_options:
        config.html_theme_options["search_bar_text"] = messages.translate(SEARCH_FIELD)
