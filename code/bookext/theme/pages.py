"""Finish a build: make the one style sheet and script, link the book as one file, lead on from old addresses."""

import json
from pathlib import Path

from .. import markup
from ..audit import ledger
from ..language import editions
from ..language.messages import _
from . import assets, social, styles

FILE = "attention-and-order"
LINE = "book-files"  # the class of the line of links

# Where the preface and the claims were, for links from elsewhere. The icon is empty: the page is gone before one comes.
MOVED = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<link rel="icon" href="data:,"><link rel="canonical" href="{whole}">
<script>
const places = new Map(Object.entries({places}));
location.replace(places.get(location.hash.slice(1)) ?? "{first}" + location.hash);
</script>
<noscript><meta http-equiv="refresh" content="0; url={first}"></noscript><meta name="robots" content="noindex"></head>
<body><p><a href="{first}">{title}</a></p></body></html>
"""


def setup(app):
    """Finish the pages at the end of an HTML build."""
    app.connect("build-finished", _finish_pages, priority=800)  # after the theme has written its colours of code
    app.connect("build-finished", _lead_on, priority=900)


def _lead_on(app, failure):
    """Write a page at the address that the preface would have after its source, and at those that claims once had."""
    if failure or app.builder.name != "html":
        return
    new = {app.config.root_doc: app.config.root_doc}
    places = ledger.old_addresses(app)
    for old, name in (new | dict.fromkeys(places, ledger.LEDGER)).items():
        first = "../" * old.count("/") + app.builder.get_target_uri(name)
        whole = social.address_of(app, name) or first
        language = editions.tag(app.config.language)
        title = app.config.html_title
        page = MOVED.format(language=language, title=title, first=first, whole=whole, places=json.dumps(places[old]))
        (Path(app.outdir) / f"{old}.html").write_text(page, encoding="utf-8")


def _finish_pages(app, failure):
    if not failure and app.builder.name == "html":
        assets.pack_scripts(Path(app.outdir))
        styles.merge(Path(app.outdir), assets.packed.sheets, Path(app.doctreedir) / "names.json")
        offer_files(Path(app.outdir))


def offer_files(site):
    """Link every page to the book as one file, where `make pdf` or `make epub` has left it."""
    kinds = {"pdf": _("The whole book as a PDF"), "epub": _("The whole book as an EPUB")}
    offered = [(f"{FILE}.{kind}", text) for kind, text in kinds.items() if (site / f"{FILE}.{kind}").exists()]
    for path in site.rglob("*.html") if offered else ():
        page = markup.read(path)
        root = "../" * (len(path.relative_to(site).parts) - 1)
        links = "<br>".join(f'<a href="{root}{file}">{words}</a>' for file, words in offered)
        for mark in page.xpath(f"//comment()[. = '{assets.FILES_PLACE}']"):
            _put_line(mark, links)
        markup.write(path, page)


def _put_line(mark, links):
    """Put the line of links behind its mark, in the place of one that an earlier call has put there."""
    line = mark.getnext()
    if line is None or line.get("class") != LINE:
        line = mark.makeelement("p", {"class": LINE})
        markup.put_behind(mark, line)
    line[:] = markup.piece(links)
