"""Link the editions of the book: each page to the same page in every other language that has been built.

The English edition lies at the top of the site, another in a folder of its name, such as ``zh-CN``.
"""

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from babel import Locale

TOP = "en"
# The opening tag that waits in a comment, and what an earlier call has put behind it.
PLACE = re.compile(r'<!--(<nav class="languages"[^>]*>)-->(?:<nav class="languages".*?</nav>)?', re.DOTALL)
ALTERNATES = re.compile(r'<link rel="alternate" hreflang="[^"]*" href="[^"]*">')
CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)"')


def tag(language):
    """Return the web's tag of a language: zh_CN is zh-CN."""
    return language.replace("_", "-")


def address(language, root):
    """Return where the edition in a language lies, for a site whose top is at ``root``."""
    return root if language == TOP else f"{root}{tag(language)}/"


def link(sites):
    """Link the pages of all ``sites``, {language: its folder}; lay the editions into the one at the top."""
    for language, site in sites.items():
        if language != TOP and not (place := sites[TOP] / tag(language)).exists():
            place.symlink_to(os.path.relpath(site, sites[TOP]), target_is_directory=True)
        home = "".join(path.read_text(encoding="utf-8") for path in Path(site).glob("index.html"))
        for path in Path(site).rglob("*.html"):
            name = path.relative_to(site)
            if "_static" not in name.parts and not path.is_relative_to(sites[TOP] / tag(language)):
                _link_page(path, name, language, [other for other in sites if (sites[other] / name).exists()], home)


def _link_page(path, name, language, languages, home):
    text = path.read_text(encoding="utf-8")
    if not PLACE.search(text):  # it leads on to another page
        return
    whole = CANONICAL.search(text) or CANONICAL.search(home)  # the page for missing addresses has none
    page = name.as_posix() if name.as_posix() != "index.html" else ""  # as canonical links and the sitemap say it
    top = whole[1].removesuffix(page).removesuffix(address(language, "")) if whole else ""
    # The page for missing addresses is shown in whatever folder was asked.
    everywhere = top and name.as_posix() == "404.html"
    root = urlsplit(top).path if everywhere else "../" * (len(name.parts) - 1 + (language != TOP))
    links = "".join(
        f'<a href="{address(other, root)}{name.as_posix()}" hreflang="{tag(other)}" lang="{tag(other)}">'
        f"{Locale.parse(other).get_language_name()}</a>"
        for other in languages
        if other != language
    )
    new = PLACE.sub(lambda place: f"<!--{place[1]}-->" + (f"{place[1]}{links}</nav>" if links else ""), text)
    new = ALTERNATES.sub("", new)
    if links and top:
        alternates = "".join(
            f'<link rel="alternate" hreflang="{tag(other)}" href="{address(other, top)}{page}">' for other in languages
        )
        new = new.replace("</head>", f"{alternates}</head>", 1)
    if new != text:
        path.write_text(new, encoding="utf-8")
