"""The notebooks of the built book, as a fork would publish them."""

from types import SimpleNamespace

import nbformat
import notebooks
import pytest
from fork import ADDRESS, ROOT


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """The tree that is published for the fork, and its notebooks by name."""
    if not notebooks.WRITTEN.is_dir():
        pytest.fail("The book is not built: run `make book` first.", pytrace=False)
    tree = tmp_path_factory.mktemp("published") / "tree"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notebooks, "TREE", tree)
        patch.setenv("BOOK_REPOSITORY", ADDRESS)
        patch.delenv("BOOK_ADDRESS", raising=False)
        notebooks.write()
    found = {path.stem: nbformat.read(path, 4) for path in sorted(tree.glob("*.ipynb"))}
    return SimpleNamespace(tree=tree, notebooks=found, site=ROOT / "_build" / "html")
