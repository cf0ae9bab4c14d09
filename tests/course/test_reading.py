"""Cells that run in Jupyter or Colab run here, and a remark names the cell and the line that the student sees."""

import json

import pytest
from attncourse import author, grade, reading
from coursework import SHORT, answers, notebook

# name: cells that run without a remark; where they check something, an assert fails if they did not
CLEAN = {
    "line magics": ["%matplotlib inline\n%load_ext autoreload\n%config x\nx = 1", "assert x == 1"],
    "shell": ["!pip install -q numpy\nfiles = !ls\nassert files == []"],
    "help": ["np.dot?\n?np.dot\nnp.dot??\nx = 5", "assert x == 5"],
    "a timed statement": ["%time total = 3\nassert total == 3", "y = %time 3 + 4\nassert y == 7", "%timeit 1"],
    "timed cells": ["%%time\nx = 1", "assert x == 1", "\n\n%%capture out\nz = 2", "assert z == 2\nout.show()"],
    "a file that is imported": ["%%writefile helper.py\nANSWER = 7", "import helper\nassert helper.ANSWER == 7"],
    "other languages": ["%%bash\nrm -rf /", "%%html\n<b>", "%%javascript\nalert(1)"],
    "await": [
        "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 3",
        "v = await f()\nassert v == 3",
    ],
    "lines that begin with %": ["rest = (7\n  % 3)\nassert rest == 1"],
    "lines that begin with !=": ["assert (1\n  != 2)"],
    "a text with magics": ["text = '''\n%time\n!ls\n'''\nassert '%time' in text"],
    "a cell that is indented": ["  x = 1\n  y = 2", "assert y == 2"],
    "a prompt": [">>> x = 4", "assert x == 4"],
    "get_ipython": ["get_ipython().run_line_magic('matplotlib', 'inline')\nfrom IPython import get_ipython"],
    "display": ["from IPython.display import display, Math, Markdown\ndisplay(Math('x'), Markdown('y'))\ndisplay(1)"],
    "matplotlib": [
        "import matplotlib\nimport matplotlib.pyplot as plt\nfrom matplotlib import cm\nfrom mpl_toolkits import x",
        "fig, ax = plt.subplots()\nax.plot([1], label='a')\nax.set(xlabel='x')\nfig.tight_layout()\nplt.show()",
        "fig, axes = plt.subplots(2, 3, figsize=(4, 4))\naxes[1, 2].imshow([[1]])\nassert axes.shape == (2, 3)",
        "fig, (a, b) = plt.subplots(1, 2)\na.hist([1])\ncounts, edges, bars = plt.hist([1])\nplt.rcParams['x'] = 1",
        "with plt.style.context('x'):\n    plt.plot([1])",
    ],
    "Colab": ["from google.colab import drive, files\ndrive.mount('/content/drive')", "import google.colab.output"],
    "annotations": ["from __future__ import annotations\ndef f(x: nowhere): return x", "assert f(2) == 2"],
}
GRADED_TOGETHER = "x = 1\n1 / 0\ny = 2\nz = undefined\nw = 3"


@pytest.mark.parametrize("name", CLEAN)
def test_cells_that_run_in_jupyter_run_here(name, marked, bundle):
    result = marked(*CLEAN[name], *answers(bundle))
    assert result["remarks"] == []
    assert result["score"] == author.POINTS


def test_after_a_failed_statement_the_rest_of_the_cell_runs_and_says_so(marked, bundle):
    result = marked(GRADED_TOGETHER, "assert (x, y, w) == (1, 2, 3)", "1 / 0\n" + "\n".join(answers(bundle)))
    assert result["score"] == author.POINTS
    assert len(result["remarks"]) == 2
    assert "line 2: ZeroDivisionError: division by zero; the rest of the cell ran" in result["remarks"][0]
    assert "nothing of the cell ran" in marked("x = 1\ndef (:")["remarks"][0]


WHERE = {  # cells: what the remark begins with
    "after an empty cell": (["x = 1", "", "y = 2\n1 / 0"], "Code cell 3 (y = 2), line 2: "),
    "in a function of another cell": (["def f(n):\n\n\n    return 1 / n", "\nf(0)"], "Code cell 2 (f(0)), line 2: "),
    "in a function of its own cell": (["def f(n):\n    return 1 / n\n\nf(0)"], "Code cell 1 (def f(n):), line 2: "),
    "under a magic": (["%%time\nx = 1\n1 / 0"], "Code cell 1 (%%time), line 3: "),
    "under empty lines": (["\n\n%time\nx = 1\n1 / 0"], "Code cell 1 (%time), line 5: "),
    "no Python": (["x = 1\ny = = 2"], "Code cell 1 (x = 1), line 2: SyntaxError: "),
    "a cell that hangs": (["x = 1", "while True: pass"], "Code cell 2 (while True: pass) was skipped: "),
}  # fmt: skip


@pytest.mark.parametrize("name", WHERE)
def test_a_remark_names_the_cell_and_the_line(name, marked):
    cells, begins = WHERE[name]
    assert marked(*cells)["remarks"][0].startswith(begins)


def test_the_cell_in_which_the_time_ends_is_named(marked):
    from dataclasses import replace

    limits = replace(SHORT, cell=5, total=1)
    result = marked("x = 1", "while True: pass", "y = 1", "z = 1", limits=limits)
    assert not any("Code cell 4" in remark for remark in result["remarks"]), result["remarks"]


def document(*cells, **more):
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4} | more).encode()


def test_odd_cells_do_not_void_a_notebook(bundle):
    code = {"cell_type": "code", "source": ["a = 1\n", "b = 2"]}
    data = document({"cell_type": "code"}, {"cell_type": "markdown"}, {"source": "x"}, code, code | {"source": None})
    assert reading.notebook(data) == (["", "a = 1\nb = 2", ""], ["", "x"], "")
    assert reading.notebook(document(code | {"source": "x = '\ud800'"}))[0] == ["x = '?'"]
    assert reading.notebook(b"\xef\xbb\xbf" + document(code))[0] == ["a = 1\nb = 2"]
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}], "nbformat": 3}
    assert reading.notebook(json.dumps(old).encode())[0] == ["x = 1"]


def test_a_cell_without_source_keeps_its_number(marked, bundle):
    data = json.loads(notebook("x", "1 / 0", *answers(bundle)))
    del data["cells"][0]["source"]
    result = marked(json.dumps(data).encode())
    assert result["score"] == author.POINTS
    assert result["remarks"][0].startswith("Code cell 2 (1 / 0), line 1: ")


def test_the_python_of_the_notebook_is_told_where_it_matters(marked):
    data = json.loads(notebook("x = = 1"))
    data["metadata"] = {"language_info": {"version": "3.99.1"}}
    assert "Python 3.99" in marked(json.dumps(data).encode())["remarks"][1]
    assert not any("3.99" in remark for remark in marked(notebook("x = = 1"))["remarks"])


def test_a_notebook_of_another_assignment_is_told_as_a_file(marked, bundle):
    assert "another notebook" in marked("def something_else(): pass")["file"]
    assert "file" not in marked("def leaves(d_k, t): return 0")
    assert "file" not in marked("leaves = lambda d_k, t: 0")


@pytest.mark.parametrize(
    "cell", ["%a\n" * 5000, "a." * 10**5 + "b?", "?\n" * 10**5, " " * 10**6, "\n " * 10**5 + "%x", "(" * 10**4 + "\n!a"]
)
def test_cells_that_would_take_long_to_translate_stay_as_they_are(cell, monkeypatch):
    """The work is bounded by sizes; here, by the number of characters that IPython is given."""
    given = []
    monkeypatch.setattr(reading, "_translated", lambda cell: given.append(len(cell) * cell.count("\n")) or cell)
    assert reading.translate([cell] * 20) == [cell] * 20
    assert sum(given) <= reading.TRANSLATED


def test_the_limits_on_size_are_told(bundle):
    assert grade.grade(document(*[{"cell_type": "code"}] * 501), bundle)["file"].endswith("500 code cells.")
    assert "20 MB" in grade.grade(b"{" + b" " * (21 << 20) + b"}", bundle)["file"]
