"""Buttons that open a chapter, running: they lead to its notebook on the branch that is published with the site.

The address of the repository is one setting: ``book_repository`` in ``_config.yml``, or BOOK_REPOSITORY in the
environment, which CI sets so that the buttons of a fork open the fork. Without an address there is no button.
"""

import os
import re

from docutils import nodes
from sphinx.errors import ConfigError

from ..language.messages import _

BRANCH = "notebooks"
LINKS = ("Open in Colab", "Open in Binder", "Open in Kaggle", "Download .ipynb")
# Placeholders for addresses that depend on where a notebook is published: see with_addresses.
SITE_PLACEHOLDER, ARCHIVE_PLACEHOLDER = "https://site-of-the-book.invalid/", "archive-of-the-branch"
GITHUB = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?")


def setup(app):
    """Read the setting; put the line of links below the title of every page that has a notebook."""
    app.add_config_value("book_repository", "", "html", str)
    app.connect("config-inited", _read_setting)
    app.connect("doctree-resolved", _add_links, priority=450)  # after the notebook is written


def _read_setting(app, config):
    config.book_repository = os.environ.get("BOOK_REPOSITORY", config.book_repository).strip()
    owner_and_name(config.book_repository)


def owner_and_name(address):
    """Return owner and name of a repository on GitHub, which Colab and Binder open; None without an address."""
    if not address:
        return None
    match = GITHUB.fullmatch(address)
    if not match:
        raise ConfigError(
            f"The repository address {address!r} is not of the form https://github.com/owner/name: "
            "correct book_repository in _config.yml, or BOOK_REPOSITORY in the environment."
        )
    return match.groups()


def site_of(address):
    """Return where GitHub Pages shows the site of a repository, with a slash at its end; '' without an address."""
    owner, name = owner_and_name(address) or ("", "")
    if not owner:
        return ""
    path = "" if name.lower() == f"{owner}.github.io".lower() else f"{name}/"
    return f"https://{owner.lower()}.github.io/{path}"


def with_addresses(notebook, address, site="", built="../html/"):
    """Fill in a notebook's links for the repository ``address``; without one, they lead to the site in ``built``."""
    owner, name = owner_and_name(address) or ("", "")
    archive = f"https://github.com/{owner}/{name}/archive/refs/heads/{BRANCH}.zip" if owner else ""
    site = site or site_of(address) or built
    return notebook.replace(SITE_PLACEHOLDER, site).replace(ARCHIVE_PLACEHOLDER, archive)


def links(address, slug):
    """Return the links of the line below the title, {label: address}; the last is a file of the site."""
    owner, name = owner_and_name(address)
    notebook = f"{owner}/{name}/blob/{BRANCH}/{slug}.ipynb"
    targets = (
        f"https://colab.research.google.com/github/{notebook}",
        f"https://mybinder.org/v2/gh/{owner}/{name}/{BRANCH}?urlpath=lab/tree/{slug}.ipynb",
        f"https://kaggle.com/kernels/welcome?src=https://github.com/{notebook}",
        f"{BRANCH}/{slug}.ipynb",
    )
    return dict(zip(LINKS, targets, strict=True))


def _add_links(app, doctree, docname):
    has_code = any(node.get("nb_element") == "cell_code" for node in doctree.findall(nodes.container))
    if app.builder.name != "html" or not app.config.book_repository or not has_code:
        return
    top = "../" * app.builder.get_target_uri(docname).count("/")  # the preface stands at the root
    targets = links(app.config.book_repository, docname.rpartition("/")[2]).items()
    hrefs = {name: f'"{url}"' if "://" in url else f'"{top}{url}" download' for name, url in targets}
    anchors = (f"<a href={href}>{_(name)}</a>" for name, href in hrefs.items())
    line = nodes.raw("", f'<p class="launch">{" ".join(anchors)}</p>', format="html")
    title = next(doctree.findall(nodes.title))
    title.parent.insert(title.parent.index(title) + 1, line)
