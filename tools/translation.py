"""Collect what is to be translated, and build the book in another language from the stored results of the cells.

python tools/translation.py messages          write every message of the book into _build/gettext, and merge them
                                              into the catalogues in locale/
python tools/translation.py build [LANGUAGE]  build locale/LANGUAGE into _build/html-LANGUAGE; without a name, all
python tools/translation.py pseudo            build an edition in which every message has accents

No cell is executed. An edition that shows other formulas, numbers, links or answers than the English book, which has to
be built, is an error: see tools/comparison.py. A word without an accent in the pseudo-translation has not been
collected, or is code, a formula, a name or a number.
"""

import argparse
import re
import shutil
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import book
import comparison
import lxml.html
from babel.messages import Catalog
from babel.messages.mofile import read_mo
from babel.messages.pofile import write_po
from bookext.language import editions, progress
from bookext.language.messages import LACKING

MESSAGES = book.BUILD / "gettext"
LOCALE = book.ROOT / "locale"
FOLDER = book.BUILD / "language"  # the pseudo-translation
PSEUDO = "en_XA"
ACCENTS = str.maketrans("aeiouyAEIOUYcnszdgrltCNSRT", "áéíóúýÁÉÍÓÚÝćńśźďǵŕĺťĆŃŚŔŤ")
LIBRARIES = {  # catalogues of extensions that put words on a page, and the packages that hold them
    "sphinx": ("sphinx", "pydata_sphinx_theme"),
    "proof": ("sphinx_proof",),
    "exercise": ("sphinx_exercise",),
    "booktheme": ("sphinx_book_theme",),
}
# What is read, without code, formulas, names of people and works, and what computed cells print.
TEXTS = "//body//text()" + "".join(
    f"[not(ancestor::{name})]" for name in ("script", "style", "pre", "code", "math", "kbd")
)
TEXTS += "[not(ancestor::*[contains(@class, 'citation') or contains(@class, 'bibtex') or contains(@class, 'sig')])]"
STARS = re.compile(r"\*\*|(?<![\w\s*])\*(?=\w)|(?<=\w)\*(?![\w\s*])")  # of an emphasis that was not recognised


def sphinx(builder, target, *options):
    """Run a builder of Sphinx without Jupyter Book; a warning, or a cell that is not stored, is an error."""
    command = [sys.executable, "-u", "-m", "sphinx", *book.STRICT, "-D", "book_executes=0", "-b", builder]
    command += [*options, ".", target]
    log = target.with_name(f"{target.name}.log")
    if book.run_logged([*map(str, command)], log, book.environ(["none"])):
        sys.exit("\n".join([*book.causes(log.read_text("utf-8")), f"It failed. All that it said is in {log}"]))


def messages():
    """Write every message of the book: a file for each page, and book.pot for all the rest. Merge them into locale/."""
    shutil.rmtree(MESSAGES, ignore_errors=True)
    sphinx("gettext", MESSAGES, "-E", "-d", FOLDER / "doctrees")
    for path in catalogues():
        merge(MESSAGES.joinpath(*path.relative_to(LOCALE).parts[2:]), path)
    print(f"The messages are in {MESSAGES}")


def catalogues(locale=LOCALE, language="*"):
    """Return the .po files of a language, or of all."""
    return sorted(locale.glob(f"{language}/LC_MESSAGES/**/*.po"))


def merge(template, path):
    """Bring a catalogue up to date: a changed message keeps its translation, as fuzzy, beside the old text.

    An empty file becomes the catalogue of its page. The catalogues of libraries hold corrections and stay as they are.
    """
    if (template := template.with_suffix(".pot")).exists():
        catalogue, new = progress.read(path), progress.read(template)
        for message in list(new):
            if message.id and not progress.readable(message.id):
                new.delete(message.id)
        old = {message.id: message.previous_id for message in catalogue}
        catalogue.update(new, update_creation_date=False)  # else two branches never merge
        for message in catalogue:
            message.previous_id = message.previous_id or old.get(message.id, [])
        with path.open("wb") as file:
            write_po(file, catalogue, width=0, include_previous=True)


def report(language, locale=LOCALE):
    """Print how much of each page is translated; exit where a translation lost a formula, a role or a name."""
    wrong = []
    for path in catalogues(locale, language):
        catalogue = progress.read(path)
        done, total, stale = progress.count(catalogue)
        print(f"{path.relative_to(locale)}: {done} of {total} translated, {stale} stale")
        wrong += [f"{path.relative_to(locale)}: {mistake}" for mistake in progress.mistakes(catalogue)]
    if wrong:
        sys.exit("\n".join(wrong))


def build(language, locale=LOCALE):
    """Build the edition in a language; return its folder."""
    if not (locale / language / "LC_MESSAGES").is_dir():
        sys.exit(f"There is no translation in {locale / language / 'LC_MESSAGES'}: begin with its messages.")
    report(language, locale)
    site, trees = book.BUILD / f"html-{language}", book.BUILD / f".doctrees-{language}"
    forget_old(trees, [*shared(locale / language / "LC_MESSAGES"), *(book.ROOT / "code" / "bookext").rglob("*.py")])
    options = ["-d", trees, "-D", f"language={language}", "-D", f"locale_dirs={locale}"]
    sphinx("html", site, *options)
    lacking = trees / LACKING
    text = lacking.read_text("utf-8") if lacking.exists() else ""
    mistakes = [*book.scan(site), *stars(site), *comparison.compare(book.SITE, site, text)]
    if mistakes:
        sys.exit("\n".join([*mistakes, "The edition is not right yet: the reason is above."]))
    print(f"The edition is in {site / 'index.html'}")
    return site


def shared(folder):
    """Return the catalogues of a language that belong to no page."""
    return [
        path for path in folder.rglob("*.po") if not (book.ROOT / path.relative_to(folder)).with_suffix(".md").exists()
    ]


def forget_old(trees, sources):
    """Remove the pages that a build has kept if one of its ``sources`` is newer: Sphinx reads none again for it."""
    kept = trees / "environment.pickle"
    if kept.exists() and kept.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        shutil.rmtree(trees)


def stars(site):
    """Yield the translated texts of an edition in which emphasis broke, so that its stars are seen."""
    for path in sorted(site.rglob("*.html")):
        if "_static" not in path.relative_to(site).parts:
            for text in lxml.html.parse(str(path)).xpath(f"{TEXTS}[not(ancestor::*[contains(@class, 'law')])]"):
                if re.search(r"[^\W\d_a-zA-Z]", text) and STARS.search(text):
                    yield f"{path.relative_to(site)}: emphasis is broken in “{text.strip()[:80]}”"


def build_all(languages):
    """Build these editions, or all in locale/, and link the pages of all that have been built with each other."""
    languages = languages or sorted(path.parent.name for path in LOCALE.glob("*/LC_MESSAGES"))
    if not languages:
        print(f"There is no translation in {LOCALE}: the book is in English only.")
    for language in languages:
        build(language)
    built = {path.name.removeprefix("html-"): path for path in sorted(book.BUILD.glob("html-*"))}
    built.pop(PSEUDO, None)
    editions.link({editions.TOP: book.SITE} | built)


def accented(text):
    """Put accents on the words of a message; what is not text in it stays.

    >>> accented("See {ref}`the law <law>` and `code`: $x$.")
    'Śéé {ref}`ťhé ĺáw <law>` áńď `code`: $x$.'
    """
    parts, end = [], 0
    for match in progress.UNTRANSLATED.finditer(text):
        parts.append(text[end : match.start()].translate(ACCENTS))
        # A role that names its target apart has words of its own.
        parts.append(match[1] + match[2].translate(ACCENTS) + match[3] if match[1] else match[0])
        end = match.end()
    return "".join(parts) + text[end:].translate(ACCENTS)


def library_messages(package, domain):
    """Return the messages of a library, from its template or from any of its translations."""
    folder = Path(find_spec(package).origin).parent
    found = [*map(progress.read, folder.rglob(f"{domain}.pot"))][:1]
    found = found or [read_mo(path.open("rb")) for path in folder.rglob(f"{domain}.mo")]
    return list(dict.fromkeys(message.id for catalogue in found for message in catalogue if message.id))


def write_pseudo(folder, locale):
    """Write the pseudo-translation of a folder of .pot files, and of the libraries' messages, into ``locale``."""
    collected = {}
    for path in sorted(folder.rglob("*.pot")):
        name = path.relative_to(folder).with_suffix(".po")
        collected[name] = [message.id for message in progress.read(path) if message.id]
    for domain, packages in LIBRARIES.items():
        collected[f"{domain}.po"] = [text for package in packages for text in library_messages(package, domain)]
    for name, texts in collected.items():
        catalogue = Catalog(locale=None)
        for text in texts:
            if isinstance(text, str):  # a pair is a singular and its plural
                catalogue.add(text, accented(text))
        path = locale / PSEUDO / "LC_MESSAGES" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(file, catalogue, width=0)


def plain_words(pages):
    """Count the words of parsed pages that have no accent."""
    texts = (text for page in pages for text in page.xpath(TEXTS))
    words = (word for text in texts for word in re.findall(r"[^\W\d_]{3,}", text))
    return Counter(word for word in words if word.isascii())


def pseudo():
    """Build the edition with accents, and print the words that have none."""
    messages()
    shutil.rmtree(FOLDER / "locale", ignore_errors=True)
    write_pseudo(MESSAGES, FOLDER / "locale")
    site = build(PSEUDO, FOLDER / "locale")
    pages = [lxml.html.parse(str(path)) for path in site.rglob("*.html") if path.stem != "package"]
    words = plain_words(pages).most_common(40)
    print("Words without an accent, the most frequent first:", *(f"{word} ({count})" for word, count in words))


def main():
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("messages", "build", "pseudo"))
    parser.add_argument("languages", nargs="*", help="build: such as zh_CN; all, if left out")
    options = parser.parse_args()
    {"messages": messages, "build": lambda: build_all(options.languages), "pseudo": pseudo}[options.task]()


if __name__ == "__main__":
    main()
