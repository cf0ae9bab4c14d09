"""What the tests of the package share: a Hypothesis profile that draws the same examples every time, and a kernel."""

import nbformat
import pytest
from hypothesis import settings
from nbclient import NotebookClient

settings.register_profile("book", derandomize=True, deadline=None, max_examples=30, database=None)
settings.load_profile("book")


@pytest.fixture(scope="session")
def run_notebook():
    """A function that runs code cells (name → source) in a real kernel and returns name → outputs, and the widgets."""

    def run(cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells.values()])
        NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=120).execute()
        nbformat.validate(notebook)
        widgets = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {})
        outputs = [cell.outputs for cell in notebook.cells]
        return dict(zip(cells, outputs, strict=True)), widgets.get("state", {})

    return run
