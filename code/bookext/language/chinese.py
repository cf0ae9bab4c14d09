"""Give editions in Chinese their type; mark Chinese words on other pages, to be read aloud and drawn as Chinese.

They stand in sentences, in laws of checks and in outputs of cells: what is marked is the body of a page.
"""

import functools
import itertools
import re

from .. import markup

SIGNS = "\u3400-\u9fff"  # written without spaces between words
SIGN = re.compile(f"[{SIGNS}]")
# Where a word in letters begins and ends. Between a Chinese sign and a letter Python's own \b finds no border.
# They heed the case (-i), or compiling goes through the 27 000 signs for each of them.
BEGINS = rf"(?-i:(?<![^\W{SIGNS}]))"
ENDS = rf"(?-i:(?![^\W{SIGNS}]))"
# Signs beside which a word of one sign still stands alone: in 一个键和值 there is 键, in 关键 there is not.
PARTICLES = "的个和与或每各对把为是有在由按从到不都也了"
OTHER = rf"(?![{PARTICLES}])[{SIGNS}]"
# Templates for several words of a kind: in letters, in letters whose case counts (CoPE is no verb), of one sign.
IN_LETTERS = rf"{BEGINS}(?:{{}})s?{ENDS}"
EXACT = f"(?-i:{IN_LETTERS})"
ALONE = rf"(?<!{OTHER})(?:{{}})(?!{OTHER})"
GLOSS = re.compile(f"（[^（）{SIGNS}]*$")  # what stands before a foreign word that explains a Chinese one
WORDS = re.compile(f"[{SIGNS}][\u3000-\u9fff\uff00-\uffef]*")  # with the commas and full stops between them
SILENT = {"script", "style", "svg", "math", "code", "pre", "textarea", "select"}  # elements that stay as they are


@functools.lru_cache(1)
def words(names):
    """Return the pattern that finds one of several words, the longest first, in any case of its letters.

    A word in letters has borders, and may have a plural; a Chinese word of a single sign stands alone.

    >>> key = words(("key", "键"))
    >>> [bool(key.search(text)) for text in ("由key得到", "two keys", "keyboard", "一个键", "关键的")]
    [True, True, False, True, False]
    """
    longest_first = sorted(names, key=len, reverse=True)
    runs = itertools.groupby(longest_first, key=_kind)
    return re.compile("|".join(kind.format("|".join(map(re.escape, run))) for kind, run in runs), re.IGNORECASE)


def _kind(name):
    """Return the template of the pattern for words such as ``name``."""
    if SIGN.search(name):
        return ALONE if len(name) == 1 else "(?:{})"
    return EXACT if re.search(r"\w[A-Z]", name) else IN_LETTERS


def setup(app):
    """Add the style sheet; mark each page once it is written."""
    app.connect("page-written", _mark, priority=600)  # after names in code have been linked
    app.connect("builder-inited", _add_styles)


def _add_styles(app):
    if app.config.language.startswith("zh"):
        app.add_css_file("chinese.css", priority=902)


def _mark(app, name, page):
    """Mark the words on a page in another language, also where an edition in Chinese has not translated it."""
    is_edition = app.config.language.startswith("zh")
    is_translated = is_edition and not page.xpath("//article//p[@class='edition' and @data-page]")
    for article in page.xpath("//article"):
        if not is_translated:
            mark(article)
        if is_edition:
            _mark_emphasis(article)


def _mark_emphasis(article):
    """Let what is emphasised in letters slant, as letters do; Chinese signs have dots."""
    for element in article.iter("em"):
        if not SIGN.search(element.text_content()):
            element.classes.add("letters")


def mark(body):
    """Put the Chinese words in the texts of an element into elements that say so.

    >>> body = markup.piece('<p title="分">Key 分数</p><pre>分</pre>')
    >>> mark(body)
    >>> markup.content(body)
    '<p title="分">Key <span lang="zh">分数</span></p><pre>分</pre>'
    """
    for element, where in markup.texts(body, SILENT):
        text = getattr(element, where)
        if SIGN.search(text):
            _wrap_words(element, where, text)


def _wrap_words(element, where, text):
    """Replace the text of an element, or the text behind it, by the same text with its Chinese words in elements."""
    spans = []
    for match in WORDS.finditer(text):
        span = element.makeelement("span", lang="zh")
        span.text = match[0]
        spans.append(span)
    start, *between = WORDS.split(text)
    for span, tail in zip(spans, between, strict=True):
        span.tail = tail
    setattr(element, where, start)
    if where == "text":
        element[:0] = spans
    else:
        parent = element.getparent()
        at = parent.index(element) + 1
        parent[at:at] = spans
