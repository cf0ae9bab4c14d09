"""`make run-notebooks`: every notebook of a folder is run, and those that fail in any way are named at the end."""

import subprocess
import sys

import nbformat
import pytest
from fork import ROOT

WARNS = "import warnings; warnings.simplefilter('always'); warnings.warn('later', DeprecationWarning)"
DIES = "import os; os.kill(os.getpid(), 9)"
STALLS = "import time; time.sleep(3000)"


@pytest.fixture
def run(tmp_path):
    """run({name: cell}, limit): exit code and output of a run over such notebooks."""

    def run(cells, limit=600):
        for name, cell in cells.items():
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
            nbformat.write(notebook, tmp_path / f"{name}.ipynb")
        start = f"import sys, notebooks; sys.argv[1:] = ['run', {str(tmp_path)!r}]; notebooks.LIMIT = {limit}"
        command = [sys.executable, "-c", f"{start}; notebooks.main()"]
        done = subprocess.run(command, cwd=ROOT / "tools", capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_kernel_that_dies_fails_its_notebook_alone_and_a_warning_fails_none(run):
    code, out, error = run({"a": WARNS, "b": DIES, "c": "1 / 0", "d": "1"})
    assert [line for line in out.splitlines() if line.endswith(": ran to its end")] == [
        "a.ipynb: ran to its end",
        "d.ipynb: ran to its end",
    ]
    assert "\nb.ipynb: Kernel died" in out
    assert "ZeroDivisionError" in out
    assert error.splitlines()[-1] == "2 of 4 notebooks failed: b.ipynb, c.ipynb."
    assert code == 1


def test_a_cell_that_never_ends_fails_its_notebook(run):
    code, _, error = run({"a": STALLS}, limit=1)
    assert (code, error.splitlines()[-1]) == (1, "1 of 1 notebooks failed: a.ipynb.")


def test_sound_notebooks_fail_nothing(run):
    assert run({"a": WARNS}) == (0, "a.ipynb: ran to its end\n", "")
