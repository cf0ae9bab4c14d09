"""A page without a file is read again when its text, which is made of other pages, has changed."""

import os
import subprocess
import sys

CONF = '''
from pathlib import Path

from bookext import computed

extensions = ["myst_parser"]
root_doc = "index"

def setup(app):
    computed.setup(app)
    app.connect("builder-inited", add_page)

def add_page(app):
    """Add a page beside two.md, with the title of one.md."""
    title = Path(app.srcdir, "one.md").read_text().removeprefix("# ").strip()
    computed.compute_page(app, "of-one", "two", f"What is said of {title}", "A description.", "Text.\\n")
'''
FILES = {
    "conf.py": CONF,
    "index.md": "# Book\n\n```{toctree}\none\ntwo\nof-one\n```\n",
    "one.md": "# One\n",
    "two.md": "# Two\n",
}


def page(tree):
    """Build the tree; return the page without a file."""
    subprocess.run([sys.executable, "-m", "sphinx", "-q", ".", "html"], cwd=tree, check=True)
    return (tree / "html" / "of-one.html").read_text("utf-8")


def test_a_page_without_a_file_follows_the_pages_of_which_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert "What is said of One" in page(tmp_path)
    (tmp_path / "one.md").write_text("# First\n")
    assert "What is said of First" in page(tmp_path)
