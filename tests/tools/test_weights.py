"""Without the weights of the language model, a page that asks for them is built from stored results, and says so."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from bookext.run import chapters, eval_role, forked, kernels, weights
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).parents[2]


def asking(notebook):
    """Return the cells that need weights."""
    return [cell for cell in notebook.cells if weights.TAG in cell.metadata.get("tags", [])]


PAGES = sorted((ROOT / "chapters").rglob("*.md"))
PATHS = [path for path in PAGES if weights.TAG in path.read_text("utf-8") and asking(chapters.read(path))]
assert PATHS


@pytest.fixture
def missing(monkeypatch):
    monkeypatch.setattr(weights, "available", lambda: False)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_other_cell_runs_and_gives_the_sentences_their_numbers(missing, path):
    notebook = chapters.read(path)
    asked = asking(notebook)
    quoted = sorted(set(eval_role.ROLE.findall(path.read_text("utf-8"))))
    notebook.cells.append(new_code_cell(eval_role.QUERY.format(names=quoted)))
    forked.install()
    error, _ = kernels.attempt(notebook, str(path.parent))
    assert error is None, str(error)
    assert not any(cell.outputs or cell.execution_count for cell in asked)
    assert len(notebook.cells[-1].outputs) == len(quoted)


def test_the_page_says_what_was_not_run(missing):
    content = [f"# Title\n\n```{{code-cell}}\n:tags: [{weights.TAG}]\n```\n"]
    weights._say_what_was_not_run(SimpleNamespace(), "page", content)
    assert content[0].startswith("# Title\n\n```{important}\n")
    assert "not run" in content[0]


def test_with_weights_nothing_is_said(monkeypatch):
    monkeypatch.setattr(weights, "available", lambda: True)
    content = [f"# Title\n\n:tags: [{weights.TAG}]\n"]
    weights._say_what_was_not_run(SimpleNamespace(), "page", content)
    assert content == [f"# Title\n\n:tags: [{weights.TAG}]\n"]
