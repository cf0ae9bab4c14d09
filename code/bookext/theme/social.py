"""Describe pages to others: to search engines, in messages that link to them, and where an address leads nowhere.

Without an address of the site (see ``addresses``) the pages work all the same; only what needs one, sitemap and
robots.txt, is left out.
"""

import hashlib
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from lxml import etree

from .. import markup
from ..contents import pages
from ..language.messages import N_, _

DESCRIPTIONS = {
    "search": N_("Search the pages of this book."),
    "404": N_("This page does not exist; here is what does."),
}
NOT_FOUND = """<section><h1>{title}</h1>
<p>{reason} {advice}</p><ul>{pages}</ul></section>"""


def setup(app):
    """Describe each page, and write what stands beside the pages."""
    app.connect("html-collect-pages", _not_found_page)
    app.connect("html-page-context", _describe)
    app.connect("build-finished", _write_sitemap)


def _not_found_page(app):
    """Make the page that a server shows for an address that does not exist, with the whole contents of the book."""
    env = app.env
    names = pages(env)
    items = (f'<li><a href="{app.builder.get_target_uri(n)}">{escape(env.titles[n].astext())}</a></li>' for n in names)
    search = f'<a href="{app.builder.get_target_uri("search")}">{_("Search the book")}</a>'
    reason = _("The address leads nowhere: a chapter may have been renamed, or a letter is missing.")
    advice = _("{search}, or begin with one of its pages:", search=search)
    title = _("This page does not exist")
    body = NOT_FOUND.format(title=title, reason=reason, advice=advice, pages="".join(items))
    yield "404", {"title": _("Page not found"), "body": body, "meta": {}}, "page.html"


def _write_sitemap(app, failure):
    """Write the list of pages for search engines; crawlers need whole addresses, so there is none without."""
    if failure or app.builder.name != "html":
        return
    for name, text in for_crawlers(app).items():
        path = Path(app.outdir, name)
        if text:
            path.write_text(text, encoding="utf-8")
        else:
            path.unlink(missing_ok=True)  # an earlier build had an address


def for_crawlers(app):
    """Return what each file for search engines holds: nothing where the site has no address."""
    address = app.config.html_baseurl
    if not address:
        return dict.fromkeys(("sitemap.xml", "robots.txt"), "")
    listed = sorted(address_of(app, name) for name in app.env.found_docs)
    places = "".join(f"<url><loc>{escape(page)}</loc></url>\n" for page in listed)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return {
        "sitemap.xml": f"{head}{places}</urlset>\n",
        "robots.txt": f"User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n",
    }


def _describe(app, name, template, context, doctree):
    """Give a page its description, and the title, words and picture that a link to it shows."""
    context.setdefault("metatags", "")  # a page that no text was written for has none
    if name in DESCRIPTIONS:
        context["metatags"] += meta(name="description", content=_(DESCRIPTIONS[name]))
        if name == "404":  # it is shown for any address and has none
            context["metatags"] += meta(name="robots", content="noindex")
            context["pageurl"] = ""
    elif doctree:
        contents = (node["content"] for node in doctree.findall(nodes.meta) if node.get("name") == "description")
        description = " ".join(next(contents, "").split())
        title = " ".join(markup.piece(context["title"]).text_content().split())
        page = context["pageurl"] = address_of(app, name)
        root = app.config.html_baseurl or context["content_root"]
        context["metatags"] += tags(page, title, description, app.config.html_title, Path(app.outdir), root)


def address_of(app, name):
    """Return the whole address of a page, which for the first one is that of the site; none where that is unknown."""
    address = app.config.html_baseurl
    return address and address + app.builder.get_target_uri(name).removeprefix("index.html")


def meta(**attributes):
    """Return the text of one element ``meta``."""
    return "\n<meta " + " ".join(f'{key}="{escape(value)}"' for key, value in attributes.items()) + ">"


def tags(page, title, description, book, site, root):
    """Return the tags that a preview of a link to ``page`` reads; ``root`` is the path from the page to ``site``."""
    picture = root + card(title, description, book, site)
    properties = {"title": title, "description": description, "type": "article", "site_name": book}
    properties |= {"image": picture, "image:alt": ": ".join(dict.fromkeys((book, title)))} | (
        {"url": page} if page else {}
    )
    elements = [meta(property=f"og:{key}", content=content) for key, content in properties.items()]
    return "".join(elements) + meta(name="twitter:card", content="summary_large_image")


def card(title, description, book, site):
    """Draw the picture of a page once for its words; return its path under ``site``."""
    above = book if book != title else ""
    digest = hashlib.sha256(repr((title, description, above)).encode()).hexdigest()[:12]
    path = f"_images/card-{digest}.png"
    target = site / path
    if not target.exists():
        from .cards import draw  # only here: most builds draw none, and Matplotlib takes half a second

        target.parent.mkdir(exist_ok=True)
        draw(target, title, description, above)
    return path


def make_links_absolute(page, address):
    """Make the links of the page for missing addresses start at the root: it is shown in whatever folder was asked."""
    root = urlsplit(address).path if address else ""
    for element in page.iter(etree.Element):
        for key in ("href", "src", "action", "data-content_root"):
            link = element.get(key)
            if root and link and not link.startswith(("#", "/", "http:", "https:", "data:")):
                element.set(key, root + link.removeprefix("./"))
