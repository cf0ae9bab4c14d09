"""Compare translations with their messages: how much of a page is translated, and what in it must be as it was.

A page that is less than `ENOUGH` translated says so, and leads to the same page in English.
"""

import re
from collections import Counter
from pathlib import Path

from babel.messages.pofile import read_po, unescape

from . import chinese, editions
from .messages import _

ENOUGH = 0.95
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
# What a translator leaves alone: code, roles, formulas, addresses, elements, marks for values and names of claims.
UNTRANSLATED = re.compile(
    r"(\{[\w:+-]+\}`)([^`<]+)(<[^`>]+>`)|((?:\{[\w:+-]+\}|:[\w:]+:)?(`+)(?!`).*?(?<!`)\5(?!`)|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|\]\[\w*\]"
    r"|\{\{.*?\}\}|\{[^{}]*\}|<[^<>]*>|&#?\w+;|%\(\w+\)\w|%\w|https?://[^\s)]+|\[\^\w+\]|\\[a-zA-Z]+|(?<= )#\s*noqa$"
    rf"|{chinese.BEGINS}[SC]\d?-\d{{2,3}}{chinese.ENDS})",
    re.DOTALL,
)
JOINING = re.compile(r"\{\w+\}([.,;:]| \()")  # where a language has signs of its own
COMPARED = re.compile(r"\{[\w:+-]+\}`|\$|\{\w+\}|\]\(|\[\^|<[^<>]*>`$")  # of these, what a translation has as often


def setup(app):
    """Say on each page of an edition how much of it is translated."""
    app.connect("html-page-context", _tell)


def readable(text):
    """Return whether a message holds words, or signs around values: a formula, or a reference alone, is none.

    >>> readable("$a_i = 1$, {eq}`eq-sum`"), readable("the sum"), readable("{words}; {note}")
    (False, True, True)
    """
    plain = UNTRANSLATED.sub(lambda part: part[2] or " ", text)
    return bool(re.search(r"[^\W\d_]{2,}", plain) or JOINING.search(text))


def kept(text):
    """Count the formulas, roles, links and names in braces of a text; their order is free."""
    parts = (match[0] if not match[1] else match[1] + match[3] for match in UNTRANSLATED.finditer(text))
    return Counter(re.sub(r"\s+", " ", part) for part in parts if COMPARED.search(part))


def mistakes(catalogue):
    """Yield a sentence for each translation that lost, gained or changed a formula, a role, a link or a name."""
    for message in catalogue:
        if message.id and message.string and not message.fuzzy:
            before = kept(message.id)
            after = kept(message.string)
            if before != after:
                yield f"“{message.id[:60]}”: lost {[*(before - after)]}, gained {[*(after - before)]}"


def read(path):
    """Return the catalogue of a .po file with the old texts of stale ones; Babel reads these as comments."""
    with Path(path).open("rb") as file:
        catalogue = read_po(file)
    for message in catalogue:
        if old := [line for line in message.user_comments if line.startswith("|")]:
            # Babel breaks a long line within its quotes.
            text = " ".join(line.removeprefix("|").strip() for line in old)
            message.previous_id = ["".join(map(unescape, QUOTED.findall(text)))]
            message.user_comments = [line for line in message.user_comments if line not in old]
    return catalogue


def count(catalogue):
    """Return how many messages are translated, how many there are, and how many translations are stale."""
    messages = [message for message in catalogue if message.id and readable(message.id)]
    stale = sum(message.fuzzy for message in messages)
    return sum(bool(message.string) and not message.fuzzy for message in messages), len(messages), stale


def catalogue_of(env, page):
    """Return the file with the translation of a page, or None: then the edition shows it in English."""
    folders = [Path(env.srcdir, folder, env.config.language, "LC_MESSAGES") for folder in env.config.locale_dirs]
    return next((path for folder in folders if (path := folder / f"{page}.po").exists()), None)


def _tell(app, name, template, context, doctree):
    """Put a notice on a page that is not wholly translated."""
    if app.config.language == editions.TOP or doctree is None:
        return
    path = catalogue_of(app.env, name)
    done, total, _stale = count(read(path)) if path else (0, 1, 0)
    if done == total:
        return
    mark = "" if path else f' data-page="{editions.TOP}"'  # the language of the page, for its repair
    text = _("{done} of {total} parts of this page are translated.", done=done, total=total)
    link = ""
    if not path:
        text = _("This page has not been translated yet.")
    if done < ENOUGH * total:
        address = "../" + context["content_root"].removeprefix("./") + app.builder.get_target_uri(name)
        link = f' <a href="{address}" lang="en" hreflang="en">English</a>'
    context["body"] = f'<p class="edition"{mark}>{text}{link}</p>\n{context["body"]}'
