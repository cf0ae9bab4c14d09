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
        below = env.toctree_includes.get(name, [])
        if name not in path and len(below) > MANY:
            below = []
        classes = [f"toctree-l{level}"]
        if name in path:
            classes += ["current", "active"]
        if below:
            classes.append("has-children")
        entry = _link(env, name, address(name), name == page)
        if below:
            entry += _folded(items(below, level + 1), name in path)
        return f'<li class="{" ".join(classes)}">{entry}</li>'

    parts = ""
    for part in env.tocs[env.config.root_doc].findall(toctree):
        names = part["includefiles"]
        classes = "current nav bd-sidenav" if set(names) & set(path) else "nav bd-sidenav"
        if part["caption"]:
            parts += f'<p class="caption"><span class="caption-text">{part["caption"]}</span></p>\n'
        parts += f'<ul class="{classes}">\n{items(names, 1)}\n</ul>\n'
    return parts


def _link(env, name, address, is_current):
    """Return a link to a page, labelled with its number and title."""
    number = "".join(f"{n}." for n in env.toc_secnumbers.get(name, {}).get("", ()))
    title = f"{number} {escape(env.titles[name].astext(), quote=False)}".strip()
    classes = "current reference internal" if is_current else "reference internal"
    return f'<a class="{classes}" href="{address}">{title}</a>'


def _folded(items, is_open):
    """Return the list of the pages below one, behind a sign that unfolds it."""
    unfolded = ' open="open"' if is_open else ""
    sign = UNFOLD.format(_("Pages that go deeper"))
    return f"<details{unfolded}>{sign}<ul>\n{items}\n</ul>\n</details>"
