"""Write the list of pages that stands beside each page."""

from html import escape

from sphinx.addnodes import toctree

from ..language.messages import _

MANY = 20  # pages below one; more, such as the modules of the package, are listed on that page and on each of them
UNFOLD = (
    '<summary aria-label="{}"><span class="toctree-toggle" role="presentation">'
    '<i class="fa-solid fa-chevron-down"></i></span></summary>'
)


def setup(app):
    """Let the template contents.html ask for the list."""
    app.connect("html-page-context", _offer, priority=100)  # before the parent theme renders parts of a page


def _offer(app, pagename, templatename, context, doctree):
    context["contents"] = lambda: sidebar(app.env, pagename, context["pathto"])


def sidebar(env, page, address):
    """Return the parts of the book as lists of links, with the pages that lead to ``page`` unfolded."""
    above = {child: name for name, children in env.toctree_includes.items() for child in children}
    path = [page]
    while path[-1] in above:
        path.append(above[path[-1]])

    def items(names, level):
        return "\n".join(item(name, level) for name in names)

    def item(name, level):
        number = "".join(f"{n}." for n in env.toc_secnumbers.get(name, {}).get("", ()))
        title = f"{number} {escape(env.titles[name].astext(), quote=False)}".strip()
        link = f'<a class="{"current " * (name == page)}reference internal" href="{address(name)}">{title}</a>'
        below = env.toctree_includes.get(name, [])
        if below := below if name in path or len(below) <= MANY else []:
            unfolded = ' open="open"' * (name in path)
            pages = f"<ul>\n{items(below, level + 1)}\n</ul>"
            link += f"<details{unfolded}>{UNFOLD.format(_('Pages that go deeper'))}{pages}\n</details>"
        kind = f"toctree-l{level}{' current active' * (name in path)}{' has-children' * bool(below)}"
        return f'<li class="{kind}">{link}</li>'

    parts = ""
    for part in env.tocs[env.config.root_doc].findall(toctree):
        names = part["includefiles"]
        current = "current " * bool(set(names) & set(path))
        if part["caption"]:
            parts += f'<p class="caption"><span class="caption-text">{part["caption"]}</span></p>\n'
        parts += f'<ul class="{current}nav bd-sidenav">\n{items(names, 1)}\n</ul>\n'
    return parts
