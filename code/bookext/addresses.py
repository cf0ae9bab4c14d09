"""Where the book is published: the addresses of its repository and of its site, read and checked in one place.

BOOK_REPOSITORY in the environment decides, or else ``book_repository`` in ``_config.yml``; BOOK_ADDRESS, or else
``html: baseurl`` there, or else where GitHub Pages shows the repository. Without any of them the book works all the
same; only what needs an address is left out. This module needs neither Sphinx nor docutils.
"""

import os
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BRANCH = "notebooks"
# Placeholders in notebooks for addresses that depend on where these are published: see fill.
SITE_PLACEHOLDER = "https://site-of-the-book.invalid/"
WHEEL_PLACEHOLDER = "wheel-of-the-package"
GITHUB = re.compile(
    r"(?:(?:https?://|ssh://git@)?(?:www\.)?github\.com/|git@github\.com:)?"
    r"([a-z\d][a-z\d-]*)/(?!\.*(?:git)?/*$)([\w.-]+?)(?:\.git)?/*",
    re.IGNORECASE | re.ASCII,
)
LABEL = r"[a-z\d](?:[a-z\d-]*[a-z\d])?"
PART = r"(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})+"
SITE = re.compile(  # without https:// it takes a dot to be a host
    rf"(?:(https?)://(?={LABEL})|(?={LABEL}\.{LABEL}))({LABEL}(?:\.{LABEL})*(?::\d{{1,5}})?)((?:/(?!\.\.?(?:/|$)){PART})*)/*",
    re.IGNORECASE | re.ASCII,
)


def read(repository="", site=""):
    """Return the addresses of the repository and of the site, '' where there is none; the arguments are _config.yml's.

    Raises ``ValueError`` with the name of the setting and its value if one cannot be published.
    """
    where, value = _setting("BOOK_REPOSITORY", "book_repository in _config.yml", repository)
    match = GITHUB.fullmatch(value)
    if value and not match:
        raise ValueError(
            f"{where} is {value!r}; expected a repository on GitHub, such as https://github.com/owner/name"
        )
    owner, name = match.groups() if match else ("", "")
    pages = f"{owner}.github.io".lower()
    where, value = _setting("BOOK_ADDRESS", "html: baseurl in _config.yml", site)
    match = SITE.fullmatch(value)
    if value and not match:
        raise ValueError(f"{where} is {value!r}; expected where the site will be, such as https://example.org/book/")
    if match:
        address = f"{(match[1] or 'https').lower()}://{match[2].lower()}{match[3]}/"
    else:
        address = owner and f"https://{pages}/" + (f"{name}/" if name.lower() != pages else "")
    return owner and f"https://github.com/{owner}/{name}", address


def _setting(variable, setting, value):
    """Return the name and the value of a setting: the variable counts where it is not empty."""
    given = os.environ.get(variable, "").strip()
    return (variable, given) if given else (setting, str(value or "").strip())


def wheel():
    """Return the name of the file that holds the package, ready to be installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return f"{project['name']}-{project['version']}-py3-none-any.whl"


def fill(notebook, repository, site, built="../html/"):
    """Fill in a notebook's links and its wheel; where the site has no address, links lead to the pages in ``built``."""
    folder = f"{repository}/raw/{BRANCH}" if repository else "."
    return notebook.replace(SITE_PLACEHOLDER, site or built).replace(WHEEL_PLACEHOLDER, f"{folder}/{wheel()}")
