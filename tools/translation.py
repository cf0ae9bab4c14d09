"""Collect what is to be translated, and build the book in another language, from the stored results of the cells.

python tools/translation.py messages         write every message of the book into _build/gettext
python tools/translation.py build [LANGUAGE] build locale/LANGUAGE into _build/html-LANGUAGE; without a name, all
python tools/translation.py pseudo           build a translation that says everything with accents

No cell is executed: all three read what `make book` has stored.
"""

import argparse
import os
import shutil
import subprocess
import sys

import book
import future
import lxml.html
import pseudo
import run_tests
from bookext.language import editions

FOLDER = book.BUILD / "language"  # conf.py, and the pseudo-translation
SITE_TESTS = run_tests.TESTS / "site"
ENGLISH = {  # tests of the site that no other edition stands, as file::test, and why
    "test_ledger.py::test_the_ledger_shows_every_claim_in_full": "claims.yml is in English",
    "test_ledger.py::test_every_claim_leads_to_the_checks_that_decide_it": "claims.yml names the laws in English",
    "test_ledger.py::test_the_contradictions_are_decided_on_both_sides": "contradictions.yml is in English",
    "test_ledger.py::test_the_contents_beside_a_page_of_claims_name_chapters_by_their_titles": "it names a chapter",
    "test_ledger.py::test_the_filter_shows_what_was_chosen": "it asks for the menus by their names",
    "test_ledger.py::test_the_page_of_mistakes_has_every_box_with_symptom_and_catch": "it asks for the word Symptom",
    "test_ledger.py::test_the_tables_of_counts_lead_to_pages_by_their_titles": "the accents turn S0 in a title into Ś0",
    "test_search.py::test_a_link_is_the_title_of_its_page": "it asks for a sentence",
    "test_wayfinding.py::test_the_map_shows_every_chapter_and_no_circle": "it looks for the words: builds on",
}
MESSAGES = book.BUILD / "gettext"
LOCALE = book.ROOT / "locale"


def sphinx(builder, target, *options):
    """Run a builder of Sphinx over the book into the folder ``target``; a warning or an unknown cell is an error."""
    future.write_conf(FOLDER, future.PATHS)
    command = [sys.executable, "-m", "sphinx", *book.STRICT, "-D", "book_executes=0", "-b", builder, "-c", FOLDER]
    command += [*options, ".", target]
    if code := subprocess.run([*map(str, command)], cwd=book.ROOT, env=book.environ(["none"])).returncode:
        sys.exit(code)


def messages():
    """Write every message of the book: a file for each page, and book.pot for all the rest."""
    shutil.rmtree(MESSAGES, ignore_errors=True)
    sphinx("gettext", MESSAGES, "-E", "-d", FOLDER / "doctrees")
    print(f"The messages are in {MESSAGES}")


def build(language, locale=LOCALE):
    """Build the edition in a language; return its folder."""
    if not (locale / language / "LC_MESSAGES").is_dir():
        sys.exit(f"There is no translation in {locale / language / 'LC_MESSAGES'}: begin with `make messages`.")
    site = book.BUILD / f"html-{language}"
    options = ["-d", book.BUILD / f".doctrees-{language}", "-D", f"language={language}", "-D", f"locale_dirs={locale}"]
    sphinx("html", site, *options)
    if found := book.scan(site):
        print("\n".join(found), flush=True)
        sys.exit(f"The edition is not right yet: findings in the built pages, listed above: {len(found)}.")
    print(f"The edition is in {site / 'index.html'}")
    return site


def translated(locale):
    """List the languages that have a translation; say so if there is none."""
    found = sorted(path.parent.name for path in locale.glob("*/LC_MESSAGES"))
    if not found:
        print(f"There is no translation in {locale}: the book is in English only.")
    return found


def link_all(folder):
    """Link the pages of all editions that have been built, without that of accents."""
    built = {path.name.removeprefix("html-"): path for path in sorted(folder.glob("html-*"))}
    built.pop(pseudo.LANGUAGE, None)
    editions.link({editions.TOP: folder / "html"} | built)


def build_pseudo():
    """Collect the messages, say all of them with accents, build that edition, and count the words without one."""
    messages()
    shutil.rmtree(FOLDER / "locale", ignore_errors=True)
    pseudo.write(MESSAGES, FOLDER / "locale")
    site = build(pseudo.LANGUAGE, FOLDER / "locale")
    pages = [lxml.html.parse(str(path)) for path in site.rglob("*.html") if path.stem != "package"]
    plain, total, words = pseudo.share(pages)
    print(f"Words without an accent: {plain} of {total}, {plain / total:.2%}; most often: {', '.join(words[:40])}")
    return site


def test(site):
    """Run the tests of the site over an edition, without those of English words; end with an exit code."""
    os.environ["BOOK_SITE"] = str(site)
    left_out = [f"--ignore={SITE_TESTS / name}" for name in future.NOT_OF_PAGES]
    left_out += [f"--deselect={(SITE_TESTS / name).relative_to(book.ROOT)}" for name in ENGLISH]
    results = run_tests.pytest([SITE_TESTS], *left_out)
    print("\n" + run_tests.line(run_tests.total_of(results)))
    sys.exit(run_tests.total_of(results).failed > 0)


def main():
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("messages", "build", "pseudo"))
    parser.add_argument("language", nargs="?", default="", help="build: the language, such as zh_CN; all, if left out")
    parser.add_argument("--test", action="store_true", help="pseudo: also run the tests of the site over it")
    wanted = parser.parse_args()
    if wanted.task == "build":
        for language in [wanted.language] if wanted.language else translated(LOCALE):
            build(language)
        link_all(book.BUILD)
    elif wanted.task == "messages":
        messages()
    else:
        site = build_pseudo()
        if wanted.test:
            test(site)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted.")
