"""Give editions in Chinese their type; mark Chinese words on other pages, to be read aloud and drawn as Chinese.

They stand in sentences, in laws of checks and in outputs of cells: what is marked is the body of a page.
"""

import re

SIGN = re.compile("[\u3400-\u9fff]")  # written without spaces between words
# Where a word in letters begins and ends. Between a Chinese sign and a letter Python's own \b finds no border.
BEGINS, ENDS = r"(?<![^\W\u3400-\u9fff])", r"(?![^\W\u3400-\u9fff])"
# Signs beside which a word of one sign still stands alone: in 一个键和值 there is 键, in 关键 there is not.
PARTICLES = "的个和与或每各对把为是有在由按从到不都也了"
GLOSS = re.compile(f"（[^（）{SIGN.pattern[1:-1]}]*$")  # what stands before a foreign word that explains a Chinese one
WORDS = re.compile(f"{SIGN.pattern}[\u3000-\u9fff\uff00-\uffef]*")  # with the commas and full stops between them
# What stays: code, drawings, scripts, and every tag with its attributes; or a text.
PART = re.compile(
    r"<(?P<name>script|style|svg|math|code|pre|textarea|select)\b.*?</(?P=name)>|<[^>]*>|(?P<text>[^<]+)", re.DOTALL
)


def word(name):
    """Return the pattern of a word: in letters it has borders, in Chinese only where it is a single sign.

    >>> [bool(re.search(word("key"), text)) for text in ("由key得到", "keyboard")]
    [True, False]
    >>> [bool(re.search(word("键"), text)) for text in ("一个键", "关键的")]
    [True, False]
    """
    if not SIGN.search(name):
        exact = "-i" if re.search(r"\w[A-Z]", name) else ""  # CoPE is no verb
        return rf"(?{exact}:{BEGINS}{re.escape(name)}s?{ENDS})"
    if len(name) > 1:
        return re.escape(name)
    other = rf"(?![{PARTICLES}])[\u3400-\u9fff]"
    return rf"(?<!{other}){name}(?!{other})"


def setup(app):
    """Add the style sheet, or mark the body of each page, once it is HTML."""
    app.connect("html-page-context", _mark, priority=960)  # after what a figure asks has been written into it
    app.connect("builder-inited", _add_styles)


def _add_styles(app):
    if app.config.language.startswith("zh"):
        app.add_css_file("chinese.css", priority=902)


def _mark(app, name, template, context, doctree):
    english = not app.config.language.startswith("zh") or '<p class="edition" data-page' in context.get("body", "")
    if english and "body" in context:
        context["body"] = marked(context["body"])


def marked(text):
    """Return HTML with the Chinese words in its texts marked.

    >>> marked('<p title="分">Key 分数</p><pre>分</pre>')
    '<p title="分">Key <span lang="zh">分数</span></p><pre>分</pre>'
    """
    return PART.sub(_part, text) if SIGN.search(text) else text


def _part(match):
    return WORDS.sub(r'<span lang="zh">\g<0></span>', match[0]) if match["text"] else match[0]
