"""Collect the index of the search: sections, terms, exercises and names of the package, with their places and texts.

Sphinx indexes whole pages, and formulas by their TeX, and ranks by the number of matches. Here an entry is as long as a
screen or two, a formula counts by the characters that a reader sees, and synonyms are in ``search.yml``. The index is a
script, because a page that is opened from a folder may read nothing else; ``search.js`` ranks.
"""

import json
import posixpath
import re
import shutil
import unicodedata
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes
from sphinx import addnodes

from ..contents import pages
from ..derived import collection, register_collection
from ..language.messages import _, translate
from ..questions.quiz import quiz

INDEX = "_static/search-index.js"
MINISEARCH = Path(__file__).parents[1] / "vendor" / "minisearch.min.js"  # keeps the index and ranks; MIT licence
SYNONYMS = Path(__file__).with_name("search.yml")
# Of code, names of several words are indexed, such as key_padding_mask; nothing is of outputs, displayed formulas, and
# quizzes, whose wrong answers would mislead.
NOT_INDEXED = (nodes.FixedTextElement, nodes.math_block, nodes.raw, nodes.Invisible, addnodes.desc_signature, quiz)
NAME = re.compile(r"\b[A-Za-z]{2,}_[A-Za-z_]{2,}\b|\b[A-Z]?[a-z]{3,}[A-Z][a-z]\w+\b", re.ASCII)  # beside Chinese too
COMMA = re.compile(" ?[,，、] ?")
LONGEST = 60  # characters of the TeX of a formula that is indexed
LAST = ("/audit/", "/changes", "/bibliography")  # in the names of pages that rank last
BEGINNING = 400  # characters of an entry of these that are indexed: the ledger has a filter of its own
PREFACE = ("/index",)
ASIDE = ("/instructors", "/reproduction", "/package/")  # speak of everything, and explain little of it
RANKS = {LAST: 0.05, PREFACE: 0.4, ASIDE: 0.6}
SIGNS = {"top": "ᵀ", "times": "×", "cdot": "·", "odot": "⊙", "ln": "ln ", "log": "log ", "exp": "exp", "infty": "∞"}
SIGNS |= {"le": "≤", "ge": "≥", "leq": "≤", "geq": "≥", "ne": "≠", "approx": "≈", "in": " ∈ ", "to": "→", "sum": "Σ"}
SIGNS |= {"dots": "…", "ldots": "…", "cdots": "…", "ell": "ℓ", "lVert": "‖", "rVert": "‖", "pm": "±", "mid": "|"}
SIGNS |= {name: f"{name} " for name in ("sin", "cos", "tanh", "max", "min", "det", "lim")}


class Entry(NamedTuple):
    """What can be found: its place on the page, its kind, its title, the titles of its boxes, and its text."""

    anchor: str
    kind: str
    title: str
    boxes: str
    text: str


def setup(app):
    """Collect from each page as it is read; write the search page and its index in the place of Sphinx's own."""
    register_collection(app, "attnbook_search")
    app.connect("doctree-read", _collect)
    app.connect("html-collect-pages", _search_page)
    app.connect("build-finished", _write)


def _search_page(app):
    yield "search", {}, "search.html"


def _collect(app, doctree):
    collection(app.env, "attnbook_search")[app.env.docname] = list(entries(doctree))


def _write(app, failure):
    """Write the entries of all pages in the order of the book, and the synonyms."""
    if failure or app.builder.name != "html":
        return
    env = app.env
    collected = collection(app.env, "attnbook_search")

    def name(link):
        return env.titles[link[1]].astext() if link[1] in env.titles else source(link[1])

    def named(text):
        return re.sub("\x02(.+?)\x02", name, text)

    def page(name):
        [rank] = [rank for parts, rank in RANKS.items() if any(part in f"/{name}" for part in parts)] or [1]
        letters = BEGINNING if rank == RANKS[LAST] else None
        texts = [[*map(named, entry[:-1]), named(entry.text)[:letters]] for entry in collected[name]]
        title = named(collected[name][0].title)
        return {"address": app.builder.get_target_uri(name), "title": title, "rank": rank, "entries": texts}

    data = {"pages": [page(name) for name in pages(env) if collected[name]], "synonyms": list(synonyms())}
    script = f"const searchIndex = {json.dumps(data, ensure_ascii=False, separators=(',', ':'))};\n"
    (Path(app.outdir) / INDEX).write_text(script, encoding="utf-8")
    shutil.copy(MINISEARCH, Path(app.outdir) / "_static")


def synonyms():
    """Yield the names on each line of search.yml, and those that a translation of the line adds."""
    for line in synonym_lines():
        translated = translate(line)
        added = COMMA.split(translated) if translated != line else []
        yield [*line.split(", "), *added]


def synonym_lines():
    """Yield each line of search.yml, as a text: "name, another name"."""
    yield from map(", ".join, yaml.safe_load(SYNONYMS.read_text(encoding="utf-8")))


def entries(doctree):
    """Yield the entries of a page; the first is the page itself, up to its first section, and has no anchor."""
    for node in doctree.findall(lambda node: kind(node) is not None):
        what = kind(node)
        title = title_of(node)
        whole = what == "section" and isinstance(node.parent, nodes.document)
        body = [child for child in node.children if not isinstance(child, nodes.title | nodes.term)]
        if what == "name":
            body = node[-1].children[:1]  # the law; below it stand shapes and errors, in the words of every entry
        if whole:
            body = [*(nodes.Text(meta["content"] + " ") for meta in doctree.findall(nodes.meta)), *body]
        boxes = [box[0] for child in body for box in child.findall(is_box) if belongs(box, node)]
        texts = (tidy("".join(map(readable, part))) for part in (title, boxes, body))
        yield Entry("" if whole else anchor(node), "page" if whole else what, *texts)


def kind(node):
    """Return what a node is an entry of: section, term, exercise, solution, name of the package; None for others."""
    if isinstance(node, nodes.section):
        return "section" if isinstance(node[0], nodes.title) else None
    if isinstance(node, nodes.definition_list_item):
        return "term" if node[0]["ids"] else None
    if isinstance(node, addnodes.desc):
        return "name"
    classes = getattr(node, "attributes", {}).get("classes", ())
    return next((name for name in ("exercise", "solution") if name in classes and "label" in node), None)


def title_of(node):
    """Return the nodes that are the title of an entry."""
    if isinstance(node, addnodes.desc):
        return [nodes.Text(node[0].get("fullname") or node[0].astext())]
    if isinstance(node, nodes.section | nodes.definition_list_item):
        return node[0].children
    return node[0].children[1:] or [nodes.Text(_("Solution"))]


def anchor(node):
    """Return the address of an entry on its page: the one made of its title, where it has several."""
    ids = node["ids"] or node[0]["ids"]
    made = nodes.make_id(node[0].astext())
    return made if made in ids else ids[0]


def is_box(node):
    """Test for a theorem, a definition or the like: a box with a title, which is no exercise."""
    return "realtype" in getattr(node, "attributes", {}) and isinstance(node[0], nodes.title) and kind(node) is None


def belongs(box, node):
    """Test whether ``node`` is the nearest entry above a box."""
    while (box := box.parent) is not node:
        if kind(box):
            return False
    return True


def readable(node):
    """Return the readable text of a node, without its nested entries; `_write` fills in the titles of linked pages."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.literal_block) and "python" in node.get("language", ""):
        return " ".join(dict.fromkeys([*NAME.findall(node.astext()), ""]))
    if isinstance(node, NOT_INDEXED) or kind(node) or "coursework" in node["classes"]:
        return ""
    if isinstance(node, nodes.math):
        return plain(node.astext())
    if isinstance(node, addnodes.pending_xref) and not node["refexplicit"] and node["refdomain"] != "py":
        return f"\x02{page_of(node)}\x02"
    claim = "claim" in node["classes"]  # of the ledger: its name, its verdict, and what is said
    text = "".join(readable(child) for child in (node.children[:2] if claim else node.children))
    return text if isinstance(node, nodes.Inline) else f"{text} "


def page_of(link):
    """Return the docname that a link refers to; for another kind of link, the name of no page."""
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(link["refdoc"]), link["reftarget"])).lstrip("/")


def source(key):
    """Return the name and year of a source by its key, such as chapters/vaswani2017; … for the label of a formula."""
    match = re.fullmatch(r".*/([a-z]+)(\d{4})\w*", key)
    return f"{match[1].title()} {match[2]}" if match else "…"


def plain(tex):
    r"""Return a short formula as letters and signs, such as √d_k for \sqrt{d_k}, or … where it has no such form."""
    text = tex.replace(r"^\top", "ᵀ")
    text = re.sub(r"\\(?:operatorname|math\w+|text|hat|bar|tilde|boldsymbol)\*?\{([\w ]*)\}", r"\1", text)
    text = re.sub(r"([_^])\{(\w|-1)\}", r"\1\2", text)
    text = re.sub(r"\\sqrt(?:\{([^{}]*)\}|(\w))", lambda root: f"√{root[1] or root[2]}", text)
    text = re.sub(r"\\[td]?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", text)
    text = re.sub(r"\\(?:left|right|big|Big|qquad|quad)(?![a-z])|\\[,;:! ]", "", text)
    text = re.sub(r"\\([A-Za-z]+) ?", lambda name: SIGNS.get(name[1]) or greek(name[1]), text)
    text = re.sub(r"([_^])\{([^{}]*)\}", r"\1(\2)", text).replace("{", "").replace("}", "")
    return "…" if "\\" in text or len(tex) > LONGEST else text


def greek(name):
    """Return a Greek letter by its name in TeX, or a backslash for another name."""
    case = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {case} LETTER {name.replace('lambda', 'lamda')}")
    except KeyError:
        return "\\"


def tidy(text):
    """Return text with single spaces, and none before a comma or full stop."""
    return re.sub(r" (?=[,.;:!?](?:\s|$))", "", " ".join(text.split()))
