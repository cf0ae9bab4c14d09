"""Give Sphinx the settings of _config.yml under its own names, for the book without Jupyter Book.

python -m sphinx -W -n . _build/html-sphinx builds it; Jupyter Book does not read this file.
"""

import sys
from pathlib import Path

import yaml
from sphinx.errors import ConfigError

NAMES = {  # a setting of Jupyter Book: what Sphinx or an extension calls it
    "title": "html_title",
    "author": "author",
    "copyright": "copyright",
    "logo": "html_logo",
    "exclude_patterns": "exclude_patterns",
    "bibtex_bibfiles": "bibtex_bibfiles",
    "execute_notebooks": "nb_execution_mode",
    "timeout": "nb_execution_timeout",
    "stderr_output": "nb_output_stderr",
    "myst_enable_extensions": "myst_enable_extensions",
    "baseurl": "html_baseurl",
    "favicon": "html_favicon",
}
THEME = {"launch_buttons", "use_issues_button", "use_repository_button"}  # what the theme calls by the same name
ALWAYS = {"home_page_in_toc": True, "search_bar_text": "Search this book..."}  # what Jupyter Book adds and pages show


def translated(root):
    """Return what _config.yml below ``root`` says, as Sphinx's names and values."""
    settings = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    sphinx = settings.pop("sphinx")
    sys.path.extend(str(root / folder) for folder in sphinx["local_extensions"].values())
    for section in ("execute", "parse", "html"):
        settings |= settings.pop(section, {})
    config = sphinx["config"]
    config["extensions"].remove("jupyter_book")  # it only hands on settings
    if settings.pop("use_multitoc_numbering", True):
        config["extensions"].append("sphinx_multitoc_numbering")
    of_theme = {name: settings.pop(name) for name in THEME & settings.keys()}
    config["html_theme_options"] = ALWAYS | of_theme | config["html_theme_options"]
    if unknown := settings.keys() - NAMES:
        raise ConfigError(f"_config.yml sets {', '.join(sorted(unknown))}, which conf.py does not hand to Sphinx yet.")
    return config | {NAMES[name]: value for name, value in settings.items()}


globals().update(translated(Path(__file__).resolve().parent))
