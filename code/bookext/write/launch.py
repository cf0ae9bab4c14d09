"""Read where the book is published, and put links under titles that open a chapter, running.

They lead to its notebook on the branch that is published with the site. Without a repository there are none.
"""

from docutils import nodes
from sphinx.errors import ConfigError

from .. import addresses, hooks
from ..addresses import BRANCH
from ..language import editions
from ..language.messages import N_, _

LINKS = (N_("Open in Colab"), N_("Open in Binder"), N_("Open in Kaggle"), N_("Download .ipynb"))


def setup(app):
    """Read the settings; put the line of links below the title of every page that has a notebook."""
    app.add_config_value("book_repository", "", "html", str)
    app.connect("config-inited", _read_addresses)
    app.connect("doctree-resolved", _add_links, priority=450)  # after the notebook is written
    app.connect("html-page-context", _name_report, priority=900)  # after the theme has made the button


def _read_addresses(app, config):
    """Put the addresses into the configuration, that of the site with the folder of this edition."""
    try:
        config.book_repository, site = addresses.read(config.book_repository, config.html_baseurl)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if config.book_repository:  # the theme's button for a mistake on the page
        config.html_theme_options |= {"repository_url": config.book_repository, "use_issues_button": True}
    config.html_baseurl = site and editions.address(config.language, site)


def _name_report(app, name, template, context, doctree):
    """Say what the theme's button for an issue is for."""
    for button in context.get("header_buttons", ()):
        if button["label"] == "source-issues-button":
            button["tooltip"] = _("Report a mistake on this page")


def links(repository, slug):
    """Return the links of the line below the title, {label: address}; the last is a file of the site."""
    name = repository.removeprefix("https://github.com/")
    notebook = f"{name}/blob/{BRANCH}/{slug}.ipynb"
    targets = (
        f"https://colab.research.google.com/github/{notebook}",
        f"https://mybinder.org/v2/gh/{name}/{BRANCH}?urlpath=lab/tree/{slug}.ipynb",
        f"https://kaggle.com/kernels/welcome?src=https://github.com/{notebook}",
        f"{BRANCH}/{slug}.ipynb",
    )
    return dict(zip(LINKS, targets, strict=True))


def _add_links(app, doctree, docname):
    has_code = any(map(hooks.is_cell, doctree.findall(nodes.container)))
    if app.builder.name != "html" or not app.config.book_repository or not has_code:
        return
    top = "../" * app.builder.get_target_uri(docname).count("/")  # the preface stands at the root
    targets = links(app.config.book_repository, docname.rpartition("/")[2]).items()
    hrefs = {name: f'"{url}"' if "://" in url else f'"{top}{url}" download' for name, url in targets}
    anchors = (f"<a href={href}>{_(name)}</a>" for name, href in hrefs.items())
    line = nodes.raw("", f'<p class="launch">{" ".join(anchors)}</p>', format="html")
    title = next(doctree.findall(nodes.title))
    title.parent.insert(title.parent.index(title) + 1, line)
