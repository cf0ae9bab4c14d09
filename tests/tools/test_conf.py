"""The book builds without Jupyter Book: conf.py hands every setting of _config.yml to Sphinx."""

import runpy
from pathlib import Path

from jupyter_book.config import get_final_config

ROOT = Path(__file__).resolve().parents[2]


def leaves(value, name=""):
    """Nested settings as {".html_theme_options.show_navbar_depth": 1}; an entry of a list is a name of its own."""
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        value = dict.fromkeys(value, True)
    if not isinstance(value, dict):
        return {name: value}
    return {key: leaf for part in value for key, leaf in leaves(value[part], f"{name}.{part}").items()}


def from_jupyter_book(settings):
    return leaves(get_final_config(user_yaml=settings, cli_config={"latex_individualpages": False})[0])


def test_sphinx_gets_what_jupyter_book_makes_of_the_settings():
    ours, theirs = leaves(runpy.run_path(str(ROOT / "conf.py"))), from_jupyter_book(ROOT / "_config.yml")
    always = from_jupyter_book({})  # Jupyter Book itself, and what it says where _config.yml says nothing
    lost = [both for both in theirs.items() if both not in ours.items() and both not in always.items()]
    assert {name: (value, ours.get(name)) for name, value in lost} == {}
